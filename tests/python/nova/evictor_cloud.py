"""The model of the simulation by seed in real time: over HTTP, and as an object with a memory.

Every order to delete is judged at the moment it arrives: was the victim a spot, and did its host
still need it, counting what was being deleted as free? What was wrong is in `violations`.
"""

from __future__ import annotations

import math
import random
import threading
import time
import uuid
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from cospot.nova.spot_flavors import SPOT_CLASS_OF, SPOT_CLASSES
from seeds import START as EPOCH
from seeds import cloud as model
from seeds.cloud import Answer, Host, Instance, Inventory
from served import Served

START = 1_700_000_000.0  # when the first instance was placed, seconds since the epoch
RESOURCES = ("VCPU", "MEMORY_MB")


class RealTime:
    """What the model asks of the simulation's kernel, by this machine's clock."""

    current = None

    def __init__(self, lock: Any) -> None:
        self._lock = lock

    @property
    def now(self) -> float:
        return time.time() - EPOCH

    def call_in(self, seconds: float, call: Callable[[], None]) -> None:
        def locked() -> None:
            with self._lock:
                call()

        if seconds <= 0:
            locked()
            return
        timer = threading.Timer(seconds, locked)
        timer.daemon = True
        timer.start()

    def trace(self, *_: Any) -> None:
        pass


class Watch:
    """Keeps what was ordered, and what of that was wrong."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud
        self.locks = SimpleNamespace(locked=lambda instance: None)

    def changed(self, host: Host, freed: bool) -> None:
        pass

    def ordered(self, instance: Instance, status: int) -> None:
        cloud = self._cloud
        cloud.orders.append(instance.uuid)
        if instance.task_state == "deleting":
            return
        if not cloud.is_spot(instance.uuid):
            cloud.violations.append(f"{instance.uuid} is no spot")
        short = {
            resource for each in instance.held_on for resource in cloud.over(each, leaving=False)
        }
        if not any(instance.amounts.get(SPOT_CLASS_OF[each], 0) for each in short):
            cloud.violations.append(f"{instance.uuid} need not be evicted: short of {short}")
        cloud.deleted.append(instance.uuid)

    def confirmed(self, instance: Instance) -> None:
        assert instance.migration is not None
        former, _ = instance.migration
        if not self._cloud.over(former.uuid, leaving=False):
            self._cloud.violations.append(f"{instance.uuid}: nobody needs its resize confirmed")
        self._cloud.confirmed.append(instance.uuid)


class Cloud(model.Cloud):
    """The state. All times in seconds."""

    def __init__(self, freeing_takes: float = 0.0) -> None:
        self.lock = threading.RLock()
        super().__init__(RealTime(self.lock), random.Random(0))  # type: ignore[arg-type]
        self.judge = Watch(self)
        self.page = 3
        self.freeing_takes = freeing_takes
        self.placement_lags = 0.0  # a deleted server's allocation goes so much later
        self.stuck_after = 1e9  # how long a deletion counts as free, as the service is told
        self.may_reset = True
        self.never_goes: set[str] = set()
        self.never_confirms: set[str] = set()
        self.deleted: list[str] = []  # in the order of the first order to delete
        self.orders: list[str] = []  # every order to delete that was taken
        self.shelved: list[str] = []
        self.confirmed: list[str] = []  # servers whose resizes are
        self.violations: list[str] = []
        self.requests: list[str] = []
        #: Returns a status, or the text of an answer, in place of the cloud's.
        self.before: Callable[[str, str], int | bytes | None] = lambda method, path: None
        self.after: Callable[[str, str], None] = lambda method, path: None

    # -- what tests make of it -----------------------------------------------------------------

    @property
    def there(self) -> set[str]:
        """The instances that are not deleted."""
        return {each.uuid for each in self.instances.values() if not each.deleted}

    def add_host(self, name: str, vcpus: int = 8, memory_mb: int = 8192, **more: Any) -> str:
        """Add a host; return its provider's UUID."""
        ratio, reserved = more.get("ratio", 1.0), more.get("reserved", 0)
        inventory = Inventory((vcpus, memory_mb), (reserved, reserved), ratio, ratio)
        host = Host(name, inventory)
        self.hosts[host.uuid] = host
        return host.uuid

    def change(
        self, host: str, vcpus: int = 0, ratio: float = 0.0, missing: tuple[str, ...] = ()
    ) -> None:
        """Have placement show a host as it is but for its vCPUs, both ratios or missing classes."""
        with self.lock:
            real = self.hosts[host].real
            total, ratio = (vcpus or real.total[0], real.total[1]), ratio or real.ratio
            shown = Inventory(total, real.reserved, ratio, ratio)
            shown.missing = frozenset(missing)
            self.show(self.hosts[host], shown)

    def add(
        self, provider: str, vcpus: int, memory_mb: int, *, spot: bool, host: str | None = "",
        has_server: bool = True, also_on: str | None = None, **more: Any,
    ) -> str:  # fmt: skip
        """Have an instance run on a host; return its UUID.

        Args:
            host: where Nova says that it is, if somewhere else than placement.
            has_server: else Nova knows nothing of what is held there.
            also_on: another provider on which it holds as much.
            more: what else Nova shows of it.
        """
        with self.lock:
            made = more.pop("uuid", None) or str(uuid.uuid5(uuid.NAMESPACE_OID, str(self.count)))
            created = START + self.count
            times = {
                name: more[name] + self.skew for name in ("created", "updated") if name in more
            }
            instance = self.new_instance(
                vcpus, memory_mb, spot, times.get("created", created), uuid=made
            )
            self.place(instance, self.hosts[provider])
            if also_on is not None:
                self.hold(self.hosts[also_on], made, instance.amounts)
            if not has_server:
                del self.instances[made]
            usual = {"updated": START, "project_id": "p" * 32}
            self.set(made, instance, **{**usual, **more, **times})
            if host != "":
                instance.host = None if host is None else self.host_named(host)
            return made

    def set(self, of: str, instance: Instance | None = None, **fields: Any) -> None:
        with self.lock:
            vars(instance or self.instances[of]).update(fields)

    def host_named(self, name: str) -> Host:
        """Return the host of this name; one that nobody lists if there is none."""
        found = (each for each in self.hosts.values() if each.name == name)
        return next(found, Host(name, Inventory((8, 8192), (0, 0), 1.0)))

    def fail(self, instance: str) -> None:
        """Have a compute give up what it did of an instance."""
        self.set(instance, task_state=None, status="ERROR", vm_state="error")

    def move(self, instance: str, host: str) -> None:
        """Have an instance be on another host, as if nobody had held the former one."""
        with self.lock:
            found = self.instances[instance]
            for each in sorted(found.held_on):
                self.let_go(self.hosts[each], instance)
            self.place(found, self.hosts[host])

    def remove(self, instance: str) -> None:
        """Have its owner delete an instance."""
        with self.lock:
            self.end(self.instances[instance])

    def remove_host(self, host: str) -> None:
        """Remove a host with all that is on it."""
        with self.lock:
            for each in list(self.hosts[host].consumers):
                self.remove(each)
            del self.hosts[host]

    def resize(self, instance: str, target: str, amounts: dict[str, int] | None = None) -> str:
        """Have a server resized to a host and not confirmed; return what holds the former one."""
        with self.lock:
            found, host = self.instances[instance], self.hosts[target]
            self.start_move(found, host, amounts or found.amounts)
            self.finish_move(found, host)
            found.status, found.vm_state = "VERIFY_RESIZE", "resized"
            assert found.migration is not None
            return found.migration[1]

    def is_spot(self, instance: str) -> bool:
        found = self.instances[instance]
        return found.amounts.keys() <= SPOT_CLASSES and bool(found.extra_specs)

    def over(self, provider: str, *, leaving: bool = True) -> dict[str, float]:
        """Return what is used beyond the capacity; what is `leaving` counts as used or not."""
        with self.lock:
            host = self.hosts[provider]
            held = [
                amounts
                for each, amounts in host.consumers.items()
                if leaving or not self._is_leaving(self.instances.get(each))
            ]
            over = {}
            for resource, capacity in zip(RESOURCES, host.shown.capacity(), strict=True):
                names = (resource, SPOT_CLASS_OF[resource])
                used = sum(amounts.get(name, 0) for amounts in held for name in names)
                if used > capacity:
                    over[resource] = used - capacity
            return over

    def _is_leaving(self, instance: Instance | None) -> bool:
        if instance is None or instance.deleted:
            return instance is not None
        age = time.time() - int(instance.updated)  # as Nova shows it
        return instance.task_state == "deleting" and age < self.stuck_after

    def refuse(self, what: str, status: int | bytes = 500, times: float = math.inf) -> None:
        """Answer requests whose "METHOD /path" has this by a status, or a text; so many times."""
        left = [times]

        def before(method: str, path: str) -> int | bytes | None:
            if what not in f"{method} {path}" or left[0] <= 0:
                return None
            left[0] -= 1
            return status

        self.before = before

    def accept(self) -> None:
        """Answer all requests again."""
        self.before = lambda method, path: None

    # -- what the model leaves to the kernel and the seed --------------------------------------

    def _at_compute(self, instance: Instance, host: Host, mark: int) -> None:
        instance.reached = instance.uuid not in self.never_goes and host.delete != "loses"
        if instance.reached:
            self.kernel.call_in(self.freeing_takes, lambda: self.end(instance))

    def report(self, host: Host) -> None:
        """Nobody asks what computes report."""

    def placement_lag(self, instance: Instance) -> float:
        return self.placement_lags

    def confirm(self, instance: Instance) -> None:
        instance.is_confirming = instance.uuid in self.never_confirms
        if not instance.is_confirming:
            super().confirm(instance)

    def shelve(self, instance: Instance) -> None:
        self.shelved.append(instance.uuid)
        super().shelve(instance)

    def _act(self, parts: list[str], method: str, body: Any) -> Answer:
        if body and "os-resetState" in body and not self.may_reset:
            return 403, {"error": "os-resetState is for others"}
        return super()._act(parts, method, body)


class CloudServer(Served):
    """Serves a cloud on a port of 127.0.0.1: /nova and /placement."""

    def __init__(self, cloud: Cloud) -> None:
        def answer(method: str, path: str, _: Any, body: Any) -> tuple[int, Any]:
            with cloud.lock:
                cloud.requests.append(f"{method} {path}")
            made = cloud.before(method, path)
            if made is not None:
                error = {"error": "made by the test"}
                return (made, error) if isinstance(made, int) else (200, made)
            service, _, rest = path[1:].partition("/")
            with cloud.lock:
                found = cloud.answer(service, method, f"/{rest}", body)
            cloud.after(method, path)
            return found

        super().__init__(answer, lambda: time.time() + cloud.skew)
