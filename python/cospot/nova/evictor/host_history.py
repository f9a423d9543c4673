"""Remembers of each host when it was last within its capacity, and since when it is not."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable

from cospot.nova.evictor.attribution import Reference, capacity_of
from cospot.nova.evictor.metrics import Metrics, OvercommitClock
from cospot.nova.evictor.room import HostRoom


class HostHistory:
    """What looks at hosts have shown. Thread-safe, and of this process alone.

    A service that was started again knows nothing: the first pass on an overcommitted host
    assumes from the ages of its instances what was there before (`assume`).
    """

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._clock = OvercommitClock(metrics)
        self._lock = threading.Lock()
        self._references: dict[str, Reference] = {}
        self._unexplained: dict[str, float] = {}

    def look(self, room: HostRoom, resources: Iterable[str], now: float) -> bool:
        """Take note of a look at a host; return whether it is overcommitted.

        Args:
            room: of the host.
            resources: those that are watched.
            now: monotonic time, seconds.

        Raises:
            MissingInventoryError: the host has none of a resource.
        """
        resources = list(resources)
        is_over = bool(room.shortfall(resources))
        self._clock.look(room.name, is_over, now)
        if not is_over:
            reference = Reference(room.consumers, capacity_of(room, resources))
            with self._lock:
                self._references[room.provider] = reference
            self.explained(room.provider)
        return is_over

    def reference(self, provider: str) -> Reference | None:
        """Return what a host held when it was last within its capacity; None if not known."""
        with self._lock:
            return self._references.get(provider)

    def assume(self, provider: str, reference: Reference) -> None:
        """Take something for a host's last state within its capacity until there is one."""
        with self._lock:
            self._references.setdefault(provider, reference)

    def unexplained(self, provider: str, now: float) -> tuple[float, bool]:
        """Take note that no claim explains what is used beyond a host's capacity.

        Args:
            provider: of the host.
            now: monotonic time, seconds.

        Returns:
            for how many seconds that has been so; whether it was not so until now.
        """
        with self._lock:
            is_new = provider not in self._unexplained
            since = self._unexplained.setdefault(provider, now)
            self._metrics.unexplained.set(len(self._unexplained))
        return now - since, is_new

    def explained(self, provider: str) -> None:
        """Take note that a host is within its capacity, or that claims explain why not."""
        with self._lock:
            self._unexplained.pop(provider, None)
            self._metrics.unexplained.set(len(self._unexplained))

    def keep(self, providers: Collection[str]) -> None:
        """Forget the hosts that are no more, by the UUIDs of those that are."""
        with self._lock:
            for known in (self._references, self._unexplained):
                for provider in [each for each in known if each not in providers]:
                    del known[provider]
