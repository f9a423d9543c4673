"""Time, threads and processes of the simulation: one real thread, in an order that a seed decides.

A simulated thread is a greenlet. It runs until it waits: for a lock, an answer, a time. What runs
next is the earliest of a heap; among those due at the same moment the seed decides. So the code
between two waits runs in one go, and every order in which waits can end may come up.

A process has threads, a machine (its clocks, its files) and an end: killed, none of its code runs
any more but what Python runs on the way out, and that changes nothing outside of it.
"""

from __future__ import annotations

import datetime as real_datetime
import heapq
import os
import queue as real_queue
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from types import SimpleNamespace
from typing import Any

import greenlet

#: The wall clock's time when a simulation begins, seconds since the epoch.
START = 1_780_000_000.0


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
    """Attributes:
    dies_in: after so many calls to the world it is killed; None: not.
    frozen_until: until then none of its threads runs.
    frozen_s: how long it has stood still in all.
    """

    def __init__(self, kernel: Kernel, name: str, machine: Machine, pid: int) -> None:
        self.kernel = kernel
        self.name = name
        self.machine = machine
        self.pid = pid
        self.alive = True
        self.started_at = kernel.now
        self.threads: set[Thread] = set()
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
        "began", "ended", "greenlet", "joiners", "name", "process", "seen", "wait", "waited_s",
    )  # fmt: skip

    def __init__(self, process: Process, run: Callable[[], Any], name: str) -> None:
        self.process = process
        self.name = name
        self.ended = False
        self.joiners: list[Thread] = []
        self.wait = 0
        self.waited_s = 0.0  # for answers of the world
        self.began = 0.0  # when it asked last
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
                process.threads.discard(self)
                if process.alive:
                    for joiner in self.joiners:
                        kernel.wake(joiner)

        self.greenlet = greenlet.greenlet(body, parent=kernel.main)
        process.threads.add(self)
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


# -- what stands in for the module time ---------------------------------------------------------


def monotonic() -> float:
    now = Current.kernel
    return now.now + now.current.process.machine.boot  # type: ignore[union-attr]


def wall() -> float:
    now = Current.kernel
    return START + now.now + now.current.process.machine.skew  # type: ignore[union-attr]


def sleep(seconds: float) -> None:
    Current.kernel.pause(seconds)


TIME = SimpleNamespace(monotonic=monotonic, time=wall, sleep=sleep)


class Datetime(real_datetime.datetime):
    """datetime, by the wall clock of the machine on which it is asked."""

    @classmethod
    def now(cls, tz: Any = None) -> Any:
        return real_datetime.datetime.fromtimestamp(wall(), tz)


# -- what stands in for the modules threading and queue -----------------------------------------


class Lock:
    def __init__(self) -> None:
        self._owner: Thread | None = None
        self._waiters: deque[Thread] = deque()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        now = Current.kernel
        thread = now.current
        assert thread is not None
        deadline = None if timeout < 0 else now.now + timeout
        while self._owner is not None:
            left = None if deadline is None else deadline - now.now
            if not blocking or (left is not None and left <= 0):
                return False
            self._waiters.append(thread)
            if not now.pause(left) and thread in self._waiters:
                self._waiters.remove(thread)
        self._owner = thread
        return True

    def release(self) -> None:
        if self._owner is not Current.kernel.current:
            return  # of a process that was killed while it waited
        self._owner = None
        if self._waiters:
            Current.kernel.wake(self._waiters.popleft())

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


class RLock(Lock):
    def __init__(self) -> None:
        super().__init__()
        self._depth = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        if self._owner is not Current.kernel.current and not super().acquire(blocking, timeout):
            return False
        self._depth += 1
        return True

    def release(self) -> None:
        if self._owner is Current.kernel.current:
            self._depth -= 1
            if self._depth == 0:
                super().release()


class Condition(RLock):
    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[Thread] = []

    def wait(self, timeout: float | None = None) -> bool:
        now = Current.kernel
        thread = now.current
        assert thread is not None
        self._waiting.append(thread)
        self.release()
        woken = now.pause(timeout)
        if not woken and thread in self._waiting:
            self._waiting.remove(thread)
        self.acquire()
        return woken

    def notify(self, n: int = 1) -> None:
        now = Current.kernel
        for _ in range(min(n, len(self._waiting))):
            chosen = int(now.random() * len(self._waiting))
            now.wake(self._waiting.pop(chosen))

    def notify_all(self) -> None:
        self.notify(len(self._waiting))


class Event:
    def __init__(self) -> None:
        self._is_set = False
        self._waiting: list[Thread] = []

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        self._is_set = True
        for thread in self._waiting:
            Current.kernel.wake(thread)
        self._waiting.clear()

    def clear(self) -> None:
        self._is_set = False

    def wait(self, timeout: float | None = None) -> bool:
        if self._is_set:
            return True
        now = Current.kernel
        thread = now.current
        assert thread is not None
        self._waiting.append(thread)
        if not now.pause(timeout) and thread in self._waiting:
            self._waiting.remove(thread)
        return self._is_set


class ThreadOfModule:
    """threading.Thread, in the process that makes it."""

    def __init__(self, target: Callable[..., Any], name: str = "", daemon: bool = False) -> None:
        self._target, self._name = target, name
        self._process = process()
        self._thread: Thread | None = None

    def start(self) -> None:
        self._thread = self._process.spawn(self._target, self._name)

    def is_alive(self) -> bool:
        return self._thread is not None and not self._thread.ended

    def join(self, timeout: float | None = None) -> None:
        now = Current.kernel
        thread = self._thread
        if thread is not None and not thread.ended:
            assert now.current is not None
            thread.joiners.append(now.current)
            now.pause(timeout)


class Queue:
    def __init__(self, maxsize: int = 0) -> None:
        self.maxsize = maxsize
        self.unfinished_tasks = 0
        self._items: deque[Any] = deque()
        self._waiting: deque[Thread] = deque()

    def put_nowait(self, item: Any) -> None:
        if 0 < self.maxsize <= len(self._items):
            raise real_queue.Full
        self._items.append(item)
        self.unfinished_tasks += 1
        if self._waiting:
            Current.kernel.wake(self._waiting.popleft())

    def get(self) -> Any:
        now = Current.kernel
        while not self._items:
            self._waiting.append(now.current)  # type: ignore[arg-type]
            now.pause()
        return self._items.popleft()

    def task_done(self) -> None:
        self.unfinished_tasks -= 1


class Pool:
    """concurrent.futures.ThreadPoolExecutor, as far as it is used."""

    def __init__(self, workers: int, prefix: str = "") -> None:
        self._workers, self._prefix = workers, prefix

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def map(self, work: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        todo = deque(enumerate(items))
        results: list[Any] = [None] * len(todo)
        errors: list[Exception] = []

        def run() -> None:
            while todo:
                number, item = todo.popleft()
                try:
                    results[number] = work(item)
                except Exception as error:
                    errors.append(error)

        threads = [
            ThreadOfModule(run, f"{self._prefix}-{number}")
            for number in range(min(self._workers, len(todo)))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]
        return iter(results)


class OfProcess(MutableMapping[Any, Any]):
    """A module's dictionary: each process has its own."""

    def _now(self) -> dict[Any, Any]:
        found: dict[Any, Any] = process().facts.setdefault(id(self), {})
        return found

    def __getitem__(self, key: Any) -> Any:
        return self._now()[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._now()[key] = value

    def __delitem__(self, key: Any) -> None:
        del self._now()[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._now())

    def __len__(self) -> int:
        return len(self._now())


THREADING = SimpleNamespace(
    Thread=ThreadOfModule, Lock=Lock, RLock=RLock, Condition=Condition, Event=Event
)
QUEUE = SimpleNamespace(Queue=Queue, Full=real_queue.Full)
SOCKET = SimpleNamespace(gethostname=lambda: process().machine.name)


def getpid() -> int:
    return process().pid


O_FLAGS = {name: getattr(os, name) for name in dir(os) if name.startswith("O_")}
