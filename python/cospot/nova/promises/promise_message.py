"""The message with which the scheduler tells the evictor service about a promise.

Format, version 1 (JSON object; every key is required): `version` 1, `instance` the spot's UUID,
`made_at` seconds since the epoch, `lifetime_s` the promised lifetime, `target` the accepted
probability of an earlier eviction.

The service counts it, and evicts the spot last where other spots of the host suffice. No VM waits
for it, and no spot is evicted without a VM that needs the capacity.
"""

from __future__ import annotations

import uuid
from dataclasses import asdict, dataclass
from typing import Any, Final

from cospot.nova.promises.asked_lifetime import MOST_SECONDS

VERSION: Final = 1
EVENT_TYPE: Final = "cospot.promise"


class PromiseMessageError(ValueError):
    """A message that is not a promise."""


@dataclass(frozen=True)
class Promise:
    """A spot that was promised a lifetime. Times are seconds since the epoch, UTC."""

    instance: str
    made_at: float
    lifetime_s: float
    target: float

    @property
    def due_at(self) -> float:
        """The time at which the promise is kept, unless the spot was evicted before."""
        return self.made_at + self.lifetime_s


def promise_to_message(promise: Promise) -> dict[str, Any]:
    """Return the promise as a message object."""
    return {"version": VERSION, **asdict(promise)}


def promise_from_message(message: Any) -> Promise:
    """Parse a received object.

    Raises:
        PromiseMessageError: it is not a promise of this version.
    """
    try:
        if message["version"] != VERSION:
            raise ValueError(f"version {message['version']!r:.40}, expected {VERSION}")
        promise = Promise(
            instance=str(uuid.UUID(message["instance"])),
            made_at=_number(message["made_at"], 1e11),
            lifetime_s=_number(message["lifetime_s"], MOST_SECONDS),
            target=_number(message["target"], 1),
        )
    except KeyError as error:
        raise PromiseMessageError(f"has no {error}") from error
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise PromiseMessageError(f"{type(error).__name__}: {error}") from error
    return promise


def _number(value: Any, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= most:
        raise ValueError(f"{value!r:.40}, expected a number above 0, at most {most:g}")
    return float(value)
