"""Requests, messages and locks on their way, and what happens to them there."""

from __future__ import annotations

import json
import random
from collections import deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from keystoneauth1 import exceptions

from seeds import kernel
from seeds.cloud import Cloud, date_text
from seeds.files import SimulatedFault
from seeds.kernel import Kernel, Process, Thread


class Answer:
    """What `requests` would give, as far as it is used."""

    def __init__(self, status: int, body: Any, date: float | None) -> None:
        self.status_code = status
        self.headers = {} if date is None else {"Date": date_text(int(date))}
        self._body = body

    @property
    def text(self) -> str:
        return json.dumps(self._body)

    def json(self) -> Any:
        if self._body is None:
            raise ValueError("no JSON")
        return self._body


class Refused(exceptions.ConnectFailure, SimulatedFault):  # type: ignore[misc]
    pass


class TimedOut(exceptions.ConnectTimeout, SimulatedFault):  # type: ignore[misc]
    pass


class Network:
    """How long requests take, and which go wrong.

    Attributes:
        faults: by service ("placement", "nova", "database", "metadata": what Nova answers of
            that) how likely which fault is: "refused",
            "lost" (nobody gets it), "unanswered" (it is carried out), "late" (it is carried out
            after the time-out), "500", "503", "garbage", "slow", "slow orders".
        is_down: services that refuse all requests.
        dates: whether Nova's answers have a date.
    """

    def __init__(self, kernel: Kernel, cloud: Cloud, rng: random.Random) -> None:
        self.kernel = kernel
        self.cloud = cloud
        self.random = rng.random
        self.faults: dict[str, tuple[float, str]] = {}
        self.speed = 1.0
        self.is_down: set[str] = set()
        self.dates = True

    def pick(self, service: str) -> str:
        if service == "metadata" and service not in self.faults:
            service = "nova"
        if service in self.is_down:
            return "refused"
        fault = self.faults.get(service)
        if fault is not None and self.random() < fault[0]:
            return fault[1]
        return ""


class Adapter:
    """keystoneauth's adapter of one service, in the process that made it."""

    def __init__(self, network: Network, service: str) -> None:
        self._network = network
        self._service = service

    def request(
        self,
        path: str,
        method: str,
        *,
        json: Any = None,
        connect_retries: int = 0,
        status_code_retries: int = 0,
        retriable_status_codes: Any = (),
        timeout: float = 30.0,
        **_: Any,
    ) -> Answer:
        pause = 0.5
        while True:
            try:
                answer = self._once(path, method, json, timeout)
            except exceptions.ConnectFailure:
                if connect_retries <= 0:
                    raise
                connect_retries -= 1
            else:
                if answer.status_code not in retriable_status_codes or status_code_retries <= 0:
                    return answer
                status_code_retries -= 1
            kernel.sleep(pause)
            pause *= 2

    def _once(self, path: str, method: str, body: Any, timeout: float) -> Answer:
        network = self._network
        now, cloud = network.kernel, network.cloud
        thread = now.current
        assert thread is not None
        process = thread.process
        dies = process.edge()
        if method == "POST":
            cloud.judge.locks.sent(path, body)
        if method != "GET" and process.facts.pop("dies ordering", False):
            dies = True
        if dies and network.random() < 0.3:
            process.kill()  # before it is sent
        what = "metadata" if "/metadata/" in path else self._service
        fault = network.pick(what) if network.faults or network.is_down else ""
        began, intent = now.now, None
        if body and "forceDelete" in body:
            intent = thread.intents.pop(path.split("/")[2], None)
        pause = (0.002 + 0.03 * network.random()) * network.speed
        if fault == "slow" or (fault == "slow orders" and method != "GET"):
            pause += 4 * network.random()

        def carry_out() -> tuple[int, Any]:
            # Whoever waits for the answer is who it is told to, whatever runs meanwhile.
            before, now.current = now.current, thread
            thread.sent_at, thread.intent = began, intent  # it may have sent others since
            try:
                return cloud.answer(self._service, method, path, body)
            finally:
                now.current = before

        def waits(seconds: float) -> None:
            now.pause(seconds)

        try:
            if dies:
                # Sent, and nobody waits for the answer.
                now.call_in(pause + 6 * network.random(), carry_out)
                process.kill()
            if fault == "refused":
                waits(0.01)
                raise Refused(f"{path}: refused")
            if fault == "lost":
                waits(timeout)
                raise TimedOut(f"{path}: no answer")
            if fault == "late":
                now.call_in(timeout * (0.5 + network.random()), carry_out)
                waits(timeout)
                raise TimedOut(f"{path}: no answer")
            waits(pause)
            if fault == "unanswered":
                carry_out()
                waits(timeout)
                raise TimedOut(f"{path}: no answer")
            if fault in ("500", "503"):
                return Answer(int(fault), {"error": "out of order"}, None)
            status, found = carry_out()
            at, heard = now.now, cloud.heard
            if network.random() < 0.2:
                waits(pause)
            if fault == "garbage":
                found = [found] if network.random() < 0.5 else None
            elif heard is not None and status < 400:
                cloud.judge.heard(thread, heard, at)
            if fault != "garbage" and method == "POST":
                cloud.judge.answered(thread, path, body, status)
            date = cloud.now() if self._service == "nova" and network.dates else None
            if self._service == "nova":
                process.facts.setdefault("first date", date)
            return Answer(status, found, date)
        finally:
            thread.waited_s += now.now - began


class Bus:
    """RabbitMQ with one queue: each message goes to one of those that listen.

    Attributes:
        fault: what happens to messages now: "", "lost", "doubled", "delayed".
        is_down: nobody can send or receive.
    """

    def __init__(self, kernel: Kernel, rng: random.Random) -> None:
        self.kernel = kernel
        self.random = rng.random
        self.queue: deque[tuple[Any, ...]] = deque()
        self.listeners: list[Listener] = []
        self.fault = ""
        self.is_down = False
        self.delivered: Callable[[Process, str, Any], None] = lambda process, kind, message: None

    def send(self, publisher: str, event_type: str, message: Any) -> None:
        kernel.sleep(0.002)
        if self.is_down:
            raise SimulatedFault("the message bus is down")
        copies = {"lost": 0, "doubled": 2}.get(self.fault, 1)
        for number in range(copies):
            pause = 0.002 + 0.02 * self.random() + number * 3 * self.random()
            if self.fault == "delayed":
                pause += 8 * self.random()
            self.kernel.call_in(pause, lambda: self.arrive((publisher, event_type, message)))

    def arrive(self, message: tuple[Any, ...]) -> None:
        self.queue.append(message)
        for each in self.listeners:
            each.notice()


class Listener:
    """oslo.messaging's notification listener with the executor "threading"."""

    def __init__(self, bus: Bus, endpoint: Any) -> None:
        self._bus = bus
        self._endpoint = endpoint
        self._idle: list[Thread] = []
        self._stopped = False

    def start(self) -> None:
        while self._bus.is_down:
            kernel.sleep(1.0)
        process = kernel.process()
        self._bus.listeners.append(self)
        process.at_end.append(lambda _: self._forget())
        for number in range(2):
            process.spawn(self._run, f"listener-{number}")

    def stop(self) -> None:
        self._stopped = True
        self._forget()
        self.notice()

    def _forget(self) -> None:
        if self in self._bus.listeners:
            self._bus.listeners.remove(self)

    def notice(self) -> None:
        if self._idle:
            self._bus.kernel.wake(self._idle.pop())

    def _run(self) -> None:
        now = self._bus.kernel
        process = kernel.process()
        while not self._stopped:
            if not self._bus.queue or self._bus.is_down:
                assert now.current is not None
                self._idle.append(now.current)
                now.pause(1.0 if self._bus.is_down else None)
                continue
            sent = self._bus.queue.popleft()
            publisher, event_type, message = sent
            try:
                self._endpoint.info({}, publisher, event_type, message, {})
            except kernel.Killed:
                # It was not acknowledged, so another one gets it.
                self._bus.kernel.call_in(0.1, lambda again=sent: self._bus.arrive(again))
                raise
            self._bus.delivered(process, event_type, message)


class LockStore:
    """tooz's locks: of files, which end with their process, or leases, which end by themselves.

    Args:
        lease: seconds until a lock that nobody renews is free; None: locks of files.
    """

    def __init__(self, kernel: Kernel, lease: float | None) -> None:
        self.kernel = kernel
        self.lease = lease
        self.holders: dict[str, tuple[Thread, float]] = {}
        self.waiters: dict[str, list[Thread]] = {}
        self.is_down = False
        self.lost: Callable[[str, Process], None] = lambda name, process: None

    def holder(self, name: str) -> Thread | None:
        held = self.holders.get(name)
        if held is None:
            return None
        thread, _ = held
        process = thread.process
        if self.lease is None:
            return thread if process.alive else None
        # A process renews its leases all the time, unless it stands still or is dead.
        silent_since = process.facts.get("silent since")
        if silent_since is not None and self.kernel.now - silent_since >= self.lease:
            return None
        return thread

    def coordinator(self) -> Any:
        return SimpleNamespace(
            start=lambda start_heart: None,
            stop=lambda: None,
            get_lock=lambda name: StoredLock(self, name.decode()),
        )


class StoredLock:
    def __init__(self, store: LockStore, name: str) -> None:
        self._store = store
        self._name = name

    def acquire(self, blocking: Any = True) -> bool:
        store = self._store
        now = store.kernel
        thread = now.current
        assert thread is not None
        deadline = now.now + (0.0 if blocking is False else float(blocking))
        if store.lease is not None:
            now.pause(0.002)
        while True:
            if store.is_down:
                raise SimulatedFault("the store of the locks is down")
            holder = store.holder(self._name)
            if holder is None:
                old = store.holders.get(self._name)
                if old is not None and old[0].process.alive:
                    store.lost(self._name, old[0].process)
                store.holders[self._name] = (thread, now.now)
                return True
            if now.now >= deadline:
                return False
            waiters = store.waiters.setdefault(self._name, [])
            waiters.append(thread)
            if not now.pause(min(1.0, deadline - now.now)) and thread in waiters:
                waiters.remove(thread)

    def release(self) -> None:
        store = self._store
        thread = store.kernel.current
        held = store.holders.get(self._name)
        if held is None or held[0] is not thread:
            if thread is not None and thread.process.alive:
                raise SimulatedFault("the lock is another's by now")
            return
        if not thread.process.alive and store.lease is not None:
            return  # nobody has told the store
        del store.holders[self._name]
        waiters = store.waiters.get(self._name)
        if waiters:
            store.kernel.wake(waiters.pop(0))
