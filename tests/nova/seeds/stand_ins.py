"""What stands in for the modules threading, queue, datetime and their like in a simulation."""

from __future__ import annotations

import datetime as real_datetime
import os
import queue as real_queue
from collections import deque
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from types import SimpleNamespace
from typing import Any

from seeds.kernel import Current, Thread, monotonic, process, sleep, wall

TIME = SimpleNamespace(monotonic=monotonic, perf_counter=monotonic, time=wall, sleep=sleep)


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


class BoundedSemaphore(Condition):
    def __init__(self, value: int) -> None:
        super().__init__()
        self._value = value

    def __enter__(self) -> bool:
        super().__enter__()
        while self._value == 0:
            self.wait()
        self._value -= 1
        super().__exit__()
        return True

    def __exit__(self, *_: object) -> None:
        super().__enter__()
        self._value += 1
        self.notify()
        super().__exit__()


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

    def begins_as(self, other: Thread) -> None:
        """Let it know what another thread was told, and has written down."""
        assert self._thread is not None
        self._thread.intents = other.intents
        self._thread.seen = dict(other.seen)
        self._thread.waited_s = other.waited_s
        self._inherited = dict(other.seen)

    def tells(self, other: Thread) -> None:
        """Let another thread know what it was told since, and count its waiting."""
        assert self._thread is not None
        for key, value in self._thread.seen.items():
            if self._inherited.get(key) is not value:
                other.seen[key] = value
        for key in self._inherited.keys() - self._thread.seen.keys():
            other.seen.pop(key, None)
        other.waited_s = max(other.waited_s, self._thread.waited_s)

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
    """concurrent.futures.ThreadPoolExecutor, as far as it is used.

    What its threads are told is told to the thread that waits for them.
    """

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
        asking = Current.kernel.current
        assert asking is not None
        for thread in threads:
            thread.start()
            thread.begins_as(asking)
        for thread in threads:
            thread.join()
        for thread in threads:
            thread.tells(asking)
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
    Thread=ThreadOfModule,
    Lock=Lock,
    RLock=RLock,
    Condition=Condition,
    BoundedSemaphore=BoundedSemaphore,
    Event=Event,
)
QUEUE = SimpleNamespace(Queue=Queue, Full=real_queue.Full)
SOCKET = SimpleNamespace(gethostname=lambda: process().machine.name)


def getpid() -> int:
    return process().pid


O_FLAGS = {name: getattr(os, name) for name in dir(os) if name.startswith("O_")}
