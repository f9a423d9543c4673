"""For how long this service has seen spots being deleted, by its own monotonic clock.

What Nova says of when it changed a server is the time of another machine: of two clocks that differ
by more than a deletion may take, every deletion would look stuck. So a deletion counts from when it
was seen first. After a restart it counts anew: that waits longer and never evicts more.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection


class DeletionClock:
    """Ages of deletions by host. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._since: defaultdict[str, dict[str, float]] = defaultdict(dict)

    def age(self, provider: str, spot: str) -> float:
        """Return for how long a spot that is being deleted now was seen so, seconds.

        Args:
            provider: UUID of its host's resource provider.
            spot: its UUID.
        """
        with self._lock:
            now = self._clock()
            return now - self._since[provider].setdefault(spot, now)

    def restart(self, provider: str, spot: str) -> None:
        """Count a spot's deletion from now: it was ordered again."""
        with self._lock:
            self._since[provider][spot] = self._clock()

    def keep(self, provider: str, deleting: Collection[str]) -> None:
        """Forget the spots of a host but those that are being deleted now."""
        with self._lock:
            kept = {spot: at for spot, at in self._since[provider].items() if spot in deleting}
            if kept:
                self._since[provider] = kept
            else:
                del self._since[provider]
