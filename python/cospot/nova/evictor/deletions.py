"""For how long spots have been going."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection
from typing import Final

#: Longer than one node of Nova's database is behind the one that took an order, seconds.
_MOST_BEHIND_S: Final = 5.0
#: Longer than what a deleted server held stays in placement, seconds: Nova frees it afterwards.
JUST_GONE_S: Final = 5.0


class Deletions:
    """For how long this service has seen spots being deleted, and what to think of that.

    What Nova says of when it changed a server is the time of another machine: of two clocks that
    differ by more than a deletion may take, every deletion would look stuck. So a deletion counts
    from when it was seen first, by this machine's monotonic clock. After a restart it counts anew:
    that waits longer and never evicts more. Thread-safe.

    Args:
        timeout: how long a deletion counts as under way, seconds; after it the deletion is stuck.
        repeat: whether a stuck one may be ordered again.
    """

    def __init__(
        self, timeout: float, repeat: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.timeout = timeout
        self.repeat = repeat
        self._clock = clock
        self._lock = threading.Lock()
        self._since: defaultdict[str, dict[str, tuple[float, str | None]]] = defaultdict(dict)
        self._ordered: dict[str, tuple[float, str]] = {}

    def age(self, provider: str, spot: str, updated: str = "") -> float:
        """Return for how long a spot that is being deleted now was seen so, seconds.

        Args:
            provider: UUID of its host's resource provider.
            spot: its UUID.
            updated: what Nova says of when it changed the server. Once that is something else it is
                another deletion: another copy of the service has ordered it again.
        """
        with self._lock:
            now = self._clock()
            since, was_updated = self._since[provider].get(spot, (now, updated))
            if was_updated not in (updated, None):
                since = now
            self._since[provider][spot] = (since, updated)
            return now - since

    def has_just_gone(self, provider: str, consumer: str) -> bool:
        """Tell whether Nova has known no server of a consumer only since a moment ago."""
        return self.age(provider, consumer) <= JUST_GONE_S

    def restart(self, provider: str, spot: str) -> None:
        """Count a spot's deletion from now: it was ordered again."""
        with self._lock:
            self._since[provider][spot] = (self._clock(), None)

    def ordered(self, spot: str, updated: str) -> None:
        """Take note that Nova took the order to delete a spot.

        Args:
            spot: its UUID.
            updated: what Nova said before of when it changed the server; the order changes it.
        """
        with self._lock:
            now = self._clock()
            self._ordered = {
                each: known
                for each, known in self._ordered.items()
                if now - known[0] <= _MOST_BEHIND_S
            }
            self._ordered[spot] = (now, updated)

    def is_behind(self, spot: str, updated: str) -> bool:
        """Tell whether what Nova shows of a spot is from before its order.

        Nova may read from another node of its database than it wrote to, which need not have the
        order yet (Galera without wsrep_sync_wait).
        """
        with self._lock:
            at, before = self._ordered.get(spot, (float("-inf"), ""))
            return updated == before and self._clock() - at <= _MOST_BEHIND_S

    def keep(self, provider: str, deleting: Collection[str]) -> None:
        """Forget the spots of a host but those that are being deleted now."""
        with self._lock:
            kept = {spot: at for spot, at in self._since[provider].items() if spot in deleting}
            if kept:
                self._since[provider] = kept
            else:
                del self._since[provider]
