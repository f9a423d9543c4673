"""Waits for the claim of each planned instance, and sends its host to be looked at."""

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
    """

    def __init__(
        self,
        placement: Placement,
        metrics: Metrics,
        timeout: float,
        found: Callable[[str], None],
    ) -> None:
        self._placement = placement
        self._metrics = metrics
        self._timeout = timeout
        self._found = found
        self._condition = threading.Condition()
        self._heap: list[tuple[float, int, _Watch]] = []
        self._order = itertools.count()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="claim-watch", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        with self._condition:
            self._stopping = True
            self._condition.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def watch(self, known: KnownPlan) -> None:
        """Ask about a plan's instance from now on."""
        now = time.monotonic()
        self._push(now, _Watch(known, now + self._timeout))

    def _push(self, due: float, watch: _Watch) -> None:
        with self._condition:
            heapq.heappush(self._heap, (due, next(self._order), watch))
            self._condition.notify_all()

    def _run(self) -> None:
        while True:
            with self._condition:
                while not self._stopping and (
                    not self._heap or self._heap[0][0] > time.monotonic()
                ):
                    pause = self._heap[0][0] - time.monotonic() if self._heap else None
                    self._condition.wait(pause)
                if self._stopping:
                    return
                _, _, watch = heapq.heappop(self._heap)
            try:
                pause = self._look(watch)
            except Exception:
                LOG.exception("unexpected error while watching %s", watch.known.plan.instance)
                pause = None  # the look at all hosts finds what it would have found
            now = time.monotonic()
            if pause is not None and now + pause < watch.deadline:
                self._push(now + pause, watch)

    def _look(self, watch: _Watch) -> float | None:
        """Ask once; return the seconds until the next time, None when it is enough."""
        instance = watch.known.plan.instance
        try:
            held = self._placement.allocation(instance)
        except EvictorError as error:
            self._metrics.errors.labels(where="claim-watch").inc()
            LOG.warning("cannot see the claim of %s: %s", instance, error)
            watch.pause = _LONGEST_PAUSE_S
            return watch.pause
        is_first = watch.first_seen is None
        if watch.first_seen is None:
            watch.first_seen = held
        if held and (is_first or held != watch.first_seen):
            watch.known.claimed_at = time.time()
            for provider in held:
                self._found(provider)
            if not is_first:
                return None
            watch.deadline = min(watch.deadline, time.monotonic() + _SETTLING_S)
        if watch.first_seen:
            return _SETTLING_PAUSE_S
        watch.pause = min(watch.pause * _GROWTH, _LONGEST_PAUSE_S)
        return watch.pause
