"""Time, threads and processes of the simulation: one real thread, in an order that a seed decides.

A simulated thread is a greenlet. It runs until it waits: for a lock, an answer, a time. What runs
next is the earliest of a heap; among those due at the same moment the seed decides. So the code
between two waits runs in one go, and every order in which waits can end may come up.

A process has threads, a machine (its clocks, its files) and an end: killed, none of its code runs
any more but what Python runs on the way out, and that changes nothing outside of it.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from typing import Any

import greenlet

from seeds import START


class Killed(BaseException):
    """Ends a thread of a process that was killed."""


class Machine:
    """A computer: its clocks and its files."""

    def __init__(self, name: str, disk: Any, skew: float, boot: float) -> None:
        self.name = name
        self.disk = disk
        self.skew = skew  # of its wall clock, seconds
        self.boot = boot  # what its monotonic clock showed at the start


class Process:
    """A process: a scheduler or a copy of the evictor.

    Attributes:
        dies_in: after so many calls to the world it is killed; None: not.
        frozen_until: until then none of its threads runs.
        frozen_s: how long it has stood still in all.
        at_end: called when it is killed.
        facts: what others keep with it.
    """

    def __init__(self, kernel: Kernel, name: str, machine: Machine, pid: int) -> None:
        self.kernel = kernel
        self.name = name
        self.machine = machine
        self.pid = pid
        self.alive = True
        self.started_at = kernel.now
        self.threads: dict[Thread, None] = {}  # in the order of their start
        self.dies_in: int | None = None
        self.frozen_until = 0.0
        self.frozen_s = 0.0
        self.at_end: list[Callable[[Process], None]] = []
        self.facts: dict[str, Any] = {}

    def spawn(self, run: Callable[[], Any], name: str) -> Thread:
        return Thread(self, run, name)

    def kill(self) -> None:
        """End it; does not return if one of its own threads calls this."""
        if not self.alive:
            return
        self.alive = False
        self.kernel.trace(self.name, "is killed")
        for each in self.at_end:
            each(self)
        self.kernel.bury(self)
        current = self.kernel.current
        if current is not None and current.process is self:
            raise Killed

    def edge(self) -> bool:
        """Count a call to the world; tell whether the process is to be killed during it."""
        if not self.alive:
            raise Killed
        if self.dies_in is None:
            return False
        self.dies_in -= 1
        return self.dies_in <= 0


class Thread:
    """A simulated thread, runnable from now on."""

    __slots__ = (
        "ended", "greenlet", "intent", "intents", "joiners", "name", "process", "seen", "sent_at",
        "wait", "waited_s",
    )  # fmt: skip

    def __init__(self, process: Process, run: Callable[[], Any], name: str) -> None:
        self.process = process
        self.name = name
        self.ended = False
        self.joiners: list[Thread] = []
        self.wait = 0
        self.waited_s = 0.0  # for answers of the world
        self.sent_at = 0.0  # when it sent what arrives now
        self.intents: dict[str, dict[str, Any]] = {}  # by spot: what it wrote down, and not sent
        self.intent: dict[str, Any] | None = None  # of the order that arrives now
        self.seen: dict[Any, Any] = {}  # what it was told last, for the judge
        kernel = process.kernel

        def body(_: object) -> None:
            try:
                run()
            except Killed:
                pass
            except Exception as error:
                if process.alive:
                    kernel.broken(f"thread {name} of {process.name} died", error)
            finally:
                self.ended = True
                process.threads.pop(self, None)
                if process.alive:
                    for joiner in self.joiners:
                        kernel.wake(joiner)

        self.greenlet = greenlet.greenlet(body, parent=kernel.main)
        process.threads[self] = None
        kernel.wake(self)


class Kernel:
    """The heap of what comes, and the clock.

    Args:
        rng: decides what is not decided otherwise.
        broken: called with what must not happen, and the exception, if there is one.
    """

    def __init__(self, rng: random.Random, broken: Callable[..., None]) -> None:
        self.rng = rng
        self.random = rng.random
        self.broken = broken
        self.now = 0.0
        self.current: Thread | None = None
        self.main = greenlet.getcurrent()
        self.events = 0
        self.stopped = False
        self.lines: list[tuple[float, str, str]] | None = None
        self._heap: list[Any] = []
        self._count = 0

    def trace(self, who: str, text: str, *values: Any) -> None:
        if self.lines is not None:
            self.lines.append((self.now, who, text % values if values else text))

    def call_at(self, when: float, call: Callable[[], None]) -> None:
        """Have something done that is no process's doing."""
        self._count += 1
        heapq.heappush(self._heap, (when, self.random(), self._count, call, None, None))

    def call_in(self, seconds: float, call: Callable[[], None]) -> None:
        self.call_at(self.now + seconds, call)

    def wake(self, thread: Thread) -> None:
        self._push(self.now, thread, True)

    def _push(self, when: float, thread: Thread, value: Any) -> None:
        self._count += 1
        heapq.heappush(self._heap, (when, self.random(), self._count, thread, thread.wait, value))

    def pause(self, seconds: float | None = None) -> bool:
        """Let the current thread wait; False when nobody woke it in time."""
        thread = self.current
        assert thread is not None
        if not thread.process.alive:
            raise Killed
        if seconds is not None:
            self._push(self.now + max(0.0, seconds), thread, False)
        value: bool = self.main.switch()
        if not thread.process.alive:
            raise Killed
        return value

    def sleep(self, seconds: float) -> None:
        self.pause(seconds)

    def run(self, until: float) -> None:
        """Let everything happen that is due up to a time."""
        heap = self._heap
        while heap and heap[0][0] <= until and not self.stopped:
            when, _, _, what, wait, value = heapq.heappop(heap)
            if when > self.now:
                self.now = when
            if wait is None:
                what()
                continue
            process = what.process
            if what.wait != wait or what.ended or not process.alive:
                continue
            if process.frozen_until > self.now:
                self._push(process.frozen_until, what, value)
                continue
            self.events += 1
            what.wait += 1
            self.current = what
            what.greenlet.switch(value)
            self.current = None
        if not self.stopped:
            self.now = max(self.now, until)

    def bury(self, process: Process) -> None:
        """Unwind the threads of a dead process."""

        def unwind() -> None:
            for thread in list(process.threads):
                if thread.greenlet:
                    self.current = thread
                    thread.greenlet.throw(Killed)
                    self.current = None
                thread.ended = True
            process.threads.clear()

        self.call_at(self.now, unwind)


class Current:
    """The simulation that runs now; what stands in for modules asks here."""

    kernel: Kernel


def kernel() -> Kernel:
    return Current.kernel


def process() -> Process:
    thread = Current.kernel.current
    assert thread is not None
    return thread.process


def monotonic() -> float:
    now = Current.kernel
    return now.now + now.current.process.machine.boot  # type: ignore[union-attr]


def wall() -> float:
    now = Current.kernel
    return START + now.now + now.current.process.machine.skew  # type: ignore[union-attr]


def sleep(seconds: float) -> None:
    Current.kernel.pause(seconds)
