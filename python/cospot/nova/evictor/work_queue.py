"""Hosts waiting for a pass: each once, the most urgent first, after errors with growing pauses."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from oslo_log import log as logging

from cospot.nova.evictor.errors import EvictorError

LOG = logging.getLogger(__name__)


@dataclass
class _Task:
    due: float
    cause: str


class WorkQueue:
    """Threads that take hosts from a queue; no host is worked on by two of them.

    Args:
        work: does a pass on a provider for a cause; returns the seconds after which it wants to
            see the provider again, or None.
        workers: number of threads.
        first_delay, longest_delay: pauses after errors, seconds.
        failed: called after each error.
    """

    def __init__(
        self,
        work: Callable[[str, str], float | None],
        workers: int,
        first_delay: float,
        longest_delay: float,
        failed: Callable[[], None],
    ) -> None:
        self._work = work
        self._first_delay = first_delay
        self._longest_delay = longest_delay
        self._failed = failed
        self._condition = threading.Condition()
        self._waiting: dict[str, _Task] = {}
        self._running: set[str] = set()
        self._errors: dict[str, int] = {}
        self._stopping = False
        self._threads = [
            threading.Thread(target=self._run, name=f"worker-{number}", daemon=True)
            for number in range(workers)
        ]

    def start(self) -> None:
        """Start the threads."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End the threads; passes that are running come to their end."""
        with self._condition:
            self._stopping = True
            self._condition.notify_all()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def put(self, provider: str, cause: str, delay: float = 0.0) -> None:
        """Ask for a pass on a provider; one that waits already only becomes more urgent."""
        due = time.monotonic() + delay
        with self._condition:
            task = self._waiting.get(provider)
            if task is None:
                self._waiting[provider] = _Task(due, cause)
            elif due < task.due:
                task.due, task.cause = due, cause
            self._condition.notify()

    def is_waiting(self, provider: str) -> bool:
        """Tell whether a pass on a provider is due, delayed or running."""
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
            again = self._pass(provider, cause)
            with self._condition:
                self._running.discard(provider)
                self._condition.notify_all()
            if again is not None:
                self.put(provider, cause, again)

    def _pass(self, provider: str, cause: str) -> float | None:
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
        pause = self._pause(provider)
        # Outside of the except clause, because oslo.log would append the error once more.
        LOG.warning("provider %s: %s; again in %.1f s", provider, problem, pause)
        return pause

    def _pause(self, provider: str) -> float:
        self._failed()
        with self._condition:
            count = self._errors.get(provider, 0)
            self._errors[provider] = count + 1
        return float(min(self._first_delay * 2 ** min(count, 30), self._longest_delay))
