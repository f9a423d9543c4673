"""The turns of hosts for a reconcile iteration: a queue of hosts, and the loop that fills it.

The loop reconciles all hosts every so often: whatever was lost, forged or killed, it puts right.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from cospot.nova import log as logging
from cospot.nova.background import Background
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.hosts import HostWatch
from cospot.nova.state.errors import EvictorError

LOG = logging.getLogger(__name__)


@dataclass
class _Task:
    due: float
    cause: str


class WorkQueue(Background):
    """Hosts waiting for a reconcile iteration, and threads that take them from there.

    Each host waits once, the most urgent first, after errors with growing pauses. No host is worked
    on by two of the threads.

    Args:
        work: does an iteration on a provider for a cause; returns the seconds after which it wants
            to see the provider again, or None.
    """

    def __init__(self, context: EvictorContext, work: Callable[[str, str], float | None]) -> None:
        settings = context.settings
        super().__init__("worker", settings.workers)
        self._work = work
        #: Pauses after errors, seconds.
        self._first_delay, self._longest_delay = settings.retry_delay, settings.retry_delay_max
        self._errors_metric = context.metrics.errors.labels(where="pass")
        self._waiting: dict[str, _Task] = {}
        self._running: set[str] = set()
        self._errors: dict[str, int] = {}

    def put(self, provider: str, cause: str, delay: float = 0.0) -> None:
        """Ask for an iteration on a provider; one that waits already only becomes more urgent."""
        due = time.monotonic() + delay
        with self._condition:
            task = self._waiting.get(provider)
            if task is None:
                self._waiting[provider] = _Task(due, cause)
            elif due < task.due:
                task.due, task.cause = due, cause
            self._condition.notify()

    def is_waiting(self, provider: str) -> bool:
        """Tell whether an iteration on a provider is due, delayed or running."""
        with self._condition:
            return provider in self._waiting or provider in self._running

    def _take(self) -> tuple[str, str] | None:
        with self._condition:
            while not self._stopping:
                ready = [
                    (task.due, provider)
                    for provider, task in self._waiting.items()
                    if provider not in self._running
                ]
                now = time.monotonic()
                if ready and min(ready)[0] <= now:
                    provider = min(ready)[1]
                    self._running.add(provider)
                    return provider, self._waiting.pop(provider).cause
                self._condition.wait(min(ready)[0] - now if ready else None)
        return None

    def _run(self) -> None:
        while (taken := self._take()) is not None:
            provider, cause = taken
            again = self._iterate(provider, cause)
            with self._condition:
                self._running.discard(provider)
                self._condition.notify_all()
            if again is not None:
                self.put(provider, cause, again)

    def _iterate(self, provider: str, cause: str) -> float | None:
        try:
            again = self._work(provider, cause)
        except EvictorError as error:
            problem = str(error)
        except Exception:
            LOG.exception("provider %s: unexpected error", provider)
            problem = "unexpected error"
        else:
            with self._condition:
                self._errors.pop(provider, None)
            return again
        pause = self._pause_after(provider)
        # Outside of the except clause, because oslo.log would append the error once more.
        LOG.warning("provider %s: %s; again in %.1f s", provider, problem, pause)
        return pause

    def _pause_after(self, provider: str) -> float:
        self._errors_metric.inc()
        with self._condition:
            count = self._errors.get(provider, 0)
            self._errors[provider] = count + 1
        return float(min(self._first_delay * 2 ** min(count, 30), self._longest_delay))


class ReconcileLoop(Background):
    """Reconciles all hosts every so often: sends the overcommitted ones to be freed.

    Args:
        afterwards: called after each of these.
    """

    def __init__(
        self,
        context: EvictorContext,
        hosts: HostWatch,
        queue: WorkQueue,
        afterwards: Callable[[], None],
    ) -> None:
        super().__init__("reconcile")
        self._settings = context.settings
        self._metrics = context.metrics
        self._hosts = hosts
        self._queue = queue
        self._afterwards = afterwards

    def _run(self) -> None:
        took = self._settings.reconcile_interval  # the first is at once
        while self._pause(self._settings.reconcile_interval - took):
            began = time.monotonic()
            self._reconcile()
            took = time.monotonic() - began
            self._metrics.reconcile.observe(took)

    def _reconcile(self) -> None:
        try:
            for usage in self._hosts.refresh():
                # A host that waits for its retry keeps its pause.
                if not self._queue.is_waiting(usage.provider):
                    self._queue.put(usage.provider, "reconcile", self._settings.plan_grace)
            self._afterwards()
            return
        except EvictorError as error:
            problem = str(error)
        except Exception:
            LOG.exception("unexpected error while reconciling the hosts")
            problem = "unexpected error"
        self._metrics.errors.labels(where="reconcile").inc()
        LOG.warning("cannot reconcile the hosts: %s", problem)
