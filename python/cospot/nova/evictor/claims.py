"""Waits for the claim of each planned instance, and sends its host to be looked at.

A few threads ask placement, each about the instance that is due next, once and with a short
time-out: a question that hangs holds up one thread for that long and no other instance.
"""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from oslo_log import log as logging

from cospot.nova.evictor.errors import EvictorError
from cospot.nova.evictor.metrics import Metrics
from cospot.nova.evictor.placement import Placement
from cospot.nova.evictor.plan_book import KnownPlan
from cospot.nova.evictor.room import Amounts

LOG = logging.getLogger(__name__)

_FIRST_PAUSE_S: Final = 0.03
_LONGEST_PAUSE_S: Final = 0.5
_GROWTH: Final = 1.5
#: An instance that held something when its plan came is a move, or its claim was faster than the
#: plan. How long to see which, and how often to look, seconds.
_SETTLING_S: Final = 10.0
_SETTLING_PAUSE_S: Final = 1.0
#: Questions at once. A plan whose questions fail is asked about again, within its own deadline.
_THREADS: Final = 4
_PATIENCE_S: Final = 3.0


@dataclass
class _Watch:
    known: KnownPlan
    deadline: float
    pause: float = _FIRST_PAUSE_S
    first_seen: Mapping[str, Amounts] | None = None


class ClaimWatch:
    """Asks placement about planned instances until they hold something on a host.

    Args:
        found: called with a provider on which an instance has its claim.
        timeout: how long an instance is asked about, seconds.
        most: instances asked about at once; the look at all hosts finds the claims of the others.
    """

    def __init__(
        self,
        placement: Placement,
        metrics: Metrics,
        timeout: float,
        most: int,
        found: Callable[[str], None],
    ) -> None:
        self._placement = placement
        self._metrics = metrics
        self._timeout = timeout
        self._most = most
        self._found = found
        self._condition = threading.Condition()
        self._heap: list[tuple[float, int, _Watch]] = []
        self._asking = 0  # watches that a thread has taken from the heap
        self._order = itertools.count()
        self._stopping = False
        self._threads = [
            threading.Thread(target=self._run, name=f"claim-watch-{number}", daemon=True)
            for number in range(_THREADS)
        ]

    def start(self) -> None:
        """Start the threads."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End the threads; questions that are asked come to their end."""
        with self._condition:
            self._stopping = True
            self._condition.notify_all()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def watch(self, known: KnownPlan) -> None:
        """Ask about a plan's instance from now on, if there are not too many already."""
        now = time.monotonic()
        with self._condition:
            if len(self._heap) + self._asking >= self._most:
                self._metrics.errors.labels(where="claim-watch").inc()
                return
            self._push(now, _Watch(known, now + self._timeout))

    def _push(self, due: float, watch: _Watch) -> None:
        heapq.heappush(self._heap, (due, next(self._order), watch))
        self._condition.notify()

    def _take(self) -> _Watch | None:
        """Return the watch that is due next, as soon as it is; None in order to end."""
        with self._condition:
            while not self._stopping:
                pause = self._heap[0][0] - time.monotonic() if self._heap else None
                if pause is not None and pause <= 0:
                    self._asking += 1
                    return heapq.heappop(self._heap)[2]
                self._condition.wait(pause)
        return None

    def _run(self) -> None:
        while (watch := self._take()) is not None:
            try:
                pause = self._look(watch)
            except Exception:
                LOG.exception("unexpected error while watching %s", watch.known.plan.instance)
                pause = None  # the look at all hosts finds what it would have found
            due = None if pause is None else time.monotonic() + pause
            with self._condition:
                self._asking -= 1
                if due is not None and due < watch.deadline:
                    self._push(due, watch)

    def _look(self, watch: _Watch) -> float | None:
        """Ask once; return the seconds until the next time, None when it is enough."""
        instance = watch.known.plan.instance
        try:
            held = self._placement.allocation(instance, _PATIENCE_S)
        except EvictorError as error:
            self._metrics.errors.labels(where="claim-watch").inc()
            LOG.warning("cannot see the claim of %s: %s", instance, error)
            watch.pause = _LONGEST_PAUSE_S
            return watch.pause
        is_first = watch.first_seen is None
        if watch.first_seen is None:
            watch.first_seen = held
        if held and (is_first or held != watch.first_seen):
            watch.known.claimed_at = time.monotonic()
            for provider in held:
                self._found(provider)
            if not is_first:
                return None
            watch.deadline = min(watch.deadline, time.monotonic() + _SETTLING_S)
        if watch.first_seen:
            return _SETTLING_PAUSE_S
        watch.pause = min(watch.pause * _GROWTH, _LONGEST_PAUSE_S)
        return watch.pause
