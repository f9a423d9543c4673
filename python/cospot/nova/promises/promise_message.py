"""The message that tells the evictor service of a promise that the scheduler has given.

Format, version 1 (JSON object; every key is required): `version` 1, `instance` the spot's UUID,
`made_at` seconds since the epoch, `lifetime_s` how long it was promised to live, `target` the
probability of an eviction before that is accepted.

It says what is counted, and which spots go last where others of their host suffice. No VM waits
because of it, and without a VM that needs it no spot is evicted.
"""

from __future__ import annotations

import uuid
from dataclasses import asdict, dataclass
from typing import Any, Final

from cospot.nova.promises.asked_lifetime import MOST_SECONDS

VERSION: Final = 1
EVENT_TYPE: Final = "cospot.promise"


class PromiseMessageError(ValueError):
    """A message that is no promise."""


@dataclass(frozen=True)
class Promise:
    """A spot that was promised a lifetime. Times are seconds since the epoch, UTC."""

    instance: str
    made_at: float
    lifetime_s: float
    target: float

    @property
    def due_at(self) -> float:
        """When it is kept, unless the spot was evicted before."""
        return self.made_at + self.lifetime_s


def promise_to_message(promise: Promise) -> dict[str, Any]:
    """Return the promise as the object that is sent."""
    return {"version": VERSION, **asdict(promise)}


def promise_from_message(message: Any) -> Promise:
    """Read a received object.

    Raises:
        PromiseMessageError: it is no promise of this version.
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
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise PromiseMessageError(f"{type(error).__name__}: {error}") from error
    return promise


def _number(value: Any, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= most:
        raise ValueError(f"{value!r:.40}, expected a number above 0, at most {most:g}")
    return float(value)
