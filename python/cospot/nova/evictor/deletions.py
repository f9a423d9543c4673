"""For how long spots have been going."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection


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

    def restart(self, provider: str, spot: str) -> None:
        """Count a spot's deletion from now: it was ordered again."""
        with self._lock:
            self._since[provider][spot] = (self._clock(), None)

    def keep(self, provider: str, deleting: Collection[str]) -> None:
        """Forget the spots of a host but those that are being deleted now."""
        with self._lock:
            kept = {spot: at for spot, at in self._since[provider].items() if spot in deleting}
            if kept:
                self._since[provider] = kept
            else:
                del self._since[provider]
