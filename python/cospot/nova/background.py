"""Threads of one part of a service, which start and end together."""

from __future__ import annotations

import threading


class Background:
    """A part of a service that works in threads of its own until it is stopped.

    A subclass has `_run`, which ends soon after `_stopping` is set; what it waits for is told by
    `_condition`.

    Args:
        name: of the threads.
        count: how many there are.
    """

    def __init__(self, name: str, count: int = 1) -> None:
        self._condition = threading.Condition()
        self._stopping = False
        self._threads = [
            threading.Thread(target=self._run, name=f"{name}-{number}", daemon=True)
            for number in range(count)
        ]

    def start(self) -> None:
        """Start the threads; returns at once."""
        for thread in self._threads:
            thread.start()

    def stop(self, patience: float | None = None) -> None:
        """End the threads: what they do now comes to its end, for which it waits so many seconds.

        Args:
            patience: None: for as long as it takes.
        """
        with self._condition:
            self._stopping = True
            self._condition.notify_all()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(patience)

    def _pause(self, seconds: float) -> bool:
        """Wait, at most until the end; return whether it goes on."""
        with self._condition:
            if not self._stopping and seconds > 0:
                self._condition.wait(seconds)
            return not self._stopping

    def _run(self) -> None:
        raise NotImplementedError
