"""Spots with a promised lifetime, as far as this process knows: they are to be evicted last.

Exact is what cospot-evictor knows, which is told of every promise and evicts by that. The scheduler
plans, and chooses among hosts, by the promises that it has given itself, and by the lifetimes that
flavors ask for their spots; what another process has promised for a hint it does not know.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from cospot.nova.promises.promise_message import Promise
from cospot.nova.scheduler.instance_facts import InstanceFacts

#: When so many are known, those that are over are forgotten.
_MANY: Final = 1000


class PromiseBook:
    """Not for threads: its owner has a lock.

    Attributes:
        counts_flavors: whether lifetimes are promised at all, so that what flavors ask for counts.
    """

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._due_at: dict[str, float] = {}
        self._projects: dict[str, str] = {}
        self._forget_at = _MANY
        self.counts_flavors = False

    def note(self, promise: Promise, project: str = "") -> None:
        """Note a promise that was given to a spot of a project."""
        if len(self._due_at) >= self._forget_at:
            now = self._now()
            self._due_at = {spot: due for spot, due in self._due_at.items() if due > now}
            self._projects = {spot: self._projects[spot] for spot in self._due_at}
            self._forget_at = max(_MANY, 2 * len(self._due_at))
        self._due_at[promise.instance] = promise.due_at
        self._projects[promise.instance] = project

    def open_of(self, project: str) -> list[str]:
        """Return the spots of a project that were given a promise that is not over."""
        now = self._now()
        return [
            spot
            for spot, own in self._projects.items()
            if own == project and self._due_at[spot] > now
        ]

    def promised_until(self, spot: InstanceFacts) -> float | None:
        """Return until when a spot is promised to live, seconds since the epoch; None: it is not.

        Args:
            spot: one that is there, or was sent to a host.
        """
        due_at = self._due_at.get(spot.uuid)
        if due_at is None and self.counts_flavors and spot.asked_s > 0:
            due_at = min(spot.started_at, self._now()) + spot.asked_s
        return due_at if due_at is not None and due_at > self._now() else None
