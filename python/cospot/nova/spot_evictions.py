"""The orders in the evictor's audit log that were evictions: one rule for bill, signals and plan.

An order is an eviction unless Nova refused it, did not know the server any more, or its compute did
not delete the server. Then an earlier order still stands if Nova took it, or may have: a spot that
is ordered again, and is gone by then, was evicted by the earlier order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

#: Events that say something about evictions.
EVENTS: Final = frozenset({"intent", "late", "freed", "failed", "gone"})
#: For spots that were already deleted, or ran nowhere.
_OF_OTHERS: Final = frozenset({"soft-deleted", "deletion-stuck", "runs-nowhere"})
#: The beginning of the error if a compute gave up, in logs from before `failed` had its `order`.
_GIVEN_UP: Final = "its compute did not"


@dataclass
class Eviction:
    """An eviction: one order, or several until the spot went.

    Attributes:
        at: When it was first ordered, seconds since the epoch.
        is_open: Whether its end is still unknown.
        is_sure: Whether it happened, as far as the log tells. Otherwise its order got no answer:
            only Nova can tell whether the spot went then.
    """

    at: float
    is_open: bool = True
    is_sure: bool = True


class SpotEvictions:
    """The evictions of one spot. Its records must come in order of time.

    Args:
        since: When the eviction was ordered that is open before the first record; None: none is.

    Attributes:
        all: Each eviction, in order of time.
    """

    def __init__(self, since: float | None = None) -> None:
        self.all: list[Eviction] = [] if since is None else [Eviction(since)]
        #: True if an order before the last one stands: Nova took it, or may have taken it.
        self._was_taken = since is not None
        self._ordered_by: object = None

    @property
    def is_open(self) -> bool:
        """True if an eviction is open."""
        return bool(self.all) and self.all[-1].is_open

    def take(self, event: str, record: Mapping[str, Any], at: float) -> bool:
        """Process a record of EVENTS; return whether the open eviction is none after all."""
        if event == "intent":
            self._order(record, at)
        elif not self.is_open:
            pass
        elif event == "late":
            self._was_taken = True
        elif event == "freed":
            self.all[-1].is_open = False
        elif event == "failed" and _order_of(record) == "taken":
            # Unless another copy of the service has ordered it again meanwhile.
            if self._ordered_by in (None, record.get("who")):
                self.all.pop()
                return True
        elif self._was_taken:
            # The earlier order stands; a server that is not known any more went by it.
            self.all[-1].is_open = event != "gone"
            self._ordered_by = None
        elif event == "failed" and _order_of(record) == "unanswered":
            self.all[-1].is_open = self.all[-1].is_sure = False
            return True
        else:
            self.all.pop()
            return True
        return False

    def _order(self, record: Mapping[str, Any], at: float) -> None:
        self._ordered_by = record.get("who")
        if self.is_open:
            # The eviction counts from its first order, of which nothing bad was heard.
            self._was_taken = True
        elif record.get("chosen_by") not in _OF_OTHERS:
            self._was_taken = False
            self.all.append(Eviction(at))


def _order_of(failed: Mapping[str, Any]) -> str:
    """Return what became of an order that failed: taken, refused, unanswered, or none was given."""
    order = failed.get("order")
    if order is not None:
        return str(order)
    return "taken" if str(failed.get("error")).startswith(_GIVEN_UP) else "refused"
