"""The cloud at the edges: placement and Nova as the evictor asks them, and what computes do.

The state is the truth; `answer` is what the two services say of it. What becomes of it is judged
by `judge.Judge`, which is told of every order and every change.
"""

from __future__ import annotations

import functools
import random
import uuid
from collections.abc import Callable
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from cospot.nova.spot_flavors import spot_extra_specs

from seeds import START

if TYPE_CHECKING:
    from seeds.kernel import Kernel, Process

Answer = tuple[int, dict[str, Any]]
OK, TAKEN, NOT_FOUND, CONFLICT, BROKEN = 200, 202, 404, 409, 500
_DELETING = "deleting"
#: States in which Nova shelves a server, and changes its metadata, whatever its task is.
_STEADY = ("active", "paused", "suspended", "stopped")
_DEVICE = {"generation": 1, "resources": {"VGPU": 1}}


@functools.lru_cache(4096)
def time_text(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


@functools.lru_cache(4096)
def date_text(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%a, %d %b %Y %H:%M:%S GMT")


@functools.lru_cache(1024)
def specs_of(vcpus: int, memory_mb: int, lifetime: str) -> dict[str, str]:
    extra = {"cospot:lifetime": lifetime} if lifetime else {}
    return {**spot_extra_specs(vcpus, memory_mb, 0), **extra}


@functools.lru_cache(4096)
def fields_of(query: str) -> dict[str, str]:
    return dict(parse_qsl(query))


class Inventory:
    """What placement shows of a host: (total, reserved, ratio) of vCPUs and MiB."""

    __slots__ = ("memory_ratio", "missing", "ratio", "reserved", "total")

    def __init__(
        self, total: tuple[int, int], reserved: tuple[int, int], ratio: float,
        memory_ratio: float = 1.0,
    ) -> None:  # fmt: skip
        self.total, self.reserved, self.ratio = total, reserved, ratio
        self.memory_ratio = memory_ratio
        self.missing: frozenset[str] = frozenset()  # classes that are not shown

    def capacity(self) -> tuple[int, int]:
        return (
            int((self.total[0] - self.reserved[0]) * self.ratio),
            int((self.total[1] - self.reserved[1]) * self.memory_ratio),
        )

    def body(self) -> dict[str, Any]:
        shown = {
            "VCPU": {
                "total": self.total[0],
                "reserved": self.reserved[0],
                "allocation_ratio": self.ratio,
            },
            "MEMORY_MB": {
                "total": self.total[1],
                "reserved": self.reserved[1],
                "allocation_ratio": self.memory_ratio,
            },
            "CUSTOM_SPOT_VCPU": {"total": 999, "reserved": 0, "allocation_ratio": 1.0},
            "CUSTOM_SPOT_MEMORY_MB": {"total": 999999, "reserved": 0, "allocation_ratio": 1.0},
        }
        for each in self.missing:
            shown.pop(each, None)
        return shown


class Host:
    """A compute node and its resource provider.

    Attributes:
        real, shown: its inventory, and the one that placement shows, wrong at times.
        most: the largest capacity that placement has shown.
        consumers: who holds what of it: amounts by resource class.
        status: of its compute service, which its operator may disable.
        aggregates: UUIDs of those that it is in.
        delete: what its compute does of deletions: "at once", "slowly", "loses", "fails", "hangs".
        reported: vCPUs and MiB that its compute told last, and how many instances.
        at_compute: the instances that the compute has.
    """

    def __init__(self, name: str, inventory: Inventory) -> None:
        self.name = name
        self.uuid = str(uuid.uuid5(uuid.NAMESPACE_DNS, name))
        self.real = self.shown = inventory
        self.generation = 1
        self.consumers: dict[str, dict[str, int]] = {}
        self.most = inventory.capacity()
        self.delete = "at once"
        self.is_up = True
        self.is_listed = True
        self.is_compute = True
        self.status = "enabled"
        self.aggregates: set[str] = set()
        self.root: str | None = None  # the provider above it
        self.reported = (0, 0, 0)
        self.at_compute: set[str] = set()
        self.device: str | None = None  # the provider below it


class Instance:
    """A VM or a spot, as Nova's database has it."""

    def __init__(
        self, number: int, vcpus: int, memory_mb: int, is_spot: bool, created: float, lifetime: str,
        uuid: str = "",
    ) -> None:  # fmt: skip
        self.number = number
        self.uuid = uuid or f"{number:08x}-0000-4000-8000-{'5' if is_spot else 'a'}{0:011x}"
        self.flavor = "m1"
        self.vcpus, self.memory_mb, self.is_spot = vcpus, memory_mb, is_spot
        self.extra_specs = specs_of(vcpus, memory_mb, lifetime) if is_spot else {}
        self.lifetime = lifetime
        if is_spot:
            self.amounts = {"CUSTOM_SPOT_VCPU": vcpus, "CUSTOM_SPOT_MEMORY_MB": memory_mb}
        else:
            self.amounts = {"VCPU": vcpus, "MEMORY_MB": memory_mb}
        self.project_id = f"{number % 3:032x}"
        self.created = self.updated = created
        self.launched: float | None = None
        self.host: Host | None = None
        self.held_on: set[str] = set()  # providers
        self.status, self.vm_state = "BUILD", "building"
        self.task_state: str | None = "spawning"
        self.deleted = False
        self.ended: float | None = None
        self.marked_at = 0.0  # when it began to be deleted
        self.marks = 0
        self.reached = True  # its compute knows that it is to be deleted
        self.refuses = 0  # so many orders to delete are answered with 500
        self.moves: list[dict[str, Any]] = []
        self.came_back_at = -1.0  # when it was last found alive after an order
        self.migration: tuple[Host, str] | None = None  # what holds its former host
        self.is_confirming = False  # that is about to go
        self.has_moved = False
        self.fails = False  # after its claim, which it keeps
        self.failed_at = float("inf")
        self.locked_by = ""  # "owner" or "admin"
        self.locked_reason: str | None = None
        self.locked_at = -1.0
        self.has_device = False
        self.shown: tuple[float, Any, dict[str, Any]] | None = None  # until when it is shown so
        self.unclear_until = -1.0  # a node that is behind shows it so, and the time of it tells not
        self.metadata: dict[str, str] = {}
        self.told: tuple[float, Any] | None = None  # when it had its notice, and from whom
        self.untold_at = -1.0  # when Nova was last asked to remove its notice
        self.was_told_late = False  # its notice is older than its removal
        self.may_be_untold = False  # Nova did not change its metadata, or changed it late

    @property
    def name(self) -> str:
        return f"{'spot' if self.is_spot else 'VM'} {self.number}"

    @property
    def is_leaving(self) -> bool:
        return self.task_state in (_DELETING, "shelving_offloading") or self.deleted


class Cloud:
    """The whole of it.

    Args:
        kernel: of the simulation.
        rng: for how long things take.
    """

    def __init__(self, kernel: Kernel, rng: random.Random) -> None:
        self.kernel = kernel
        self.random = rng.random
        self.skew = 0.0  # of Nova's clock
        self.hosts: dict[str, Host] = {}
        self.instances: dict[str, Instance] = {}
        self.judge: Any = None
        self.heard: tuple[Any, ...] | None = None  # what the answer says, for the judge
        self.told: list[Callable[[Host, Instance], None]] = []  # schedulers: an instance changed
        self.reporting: set[str] = set()
        self.clock_was_set = False
        self.count = 0
        self.grown_at: dict[str, float] = {}  # hosts on which somebody's claim grew
        self.on_check: list[Any] = []  # called when Nova is asked about one server
        self.aggregates: dict[str, str] = {}  # UUIDs by name
        self.page = 1000  # servers in one answer
        self.behind_s = 0.0  # for so long Nova may show what it had before an order

    # -- what is there -------------------------------------------------------------------------

    def now(self) -> float:
        return START + self.kernel.now + self.skew

    def new_host(self, name: str, vcpus: int, memory_mb: int, reserved: int, ratio: float) -> Host:
        host = Host(name, Inventory((vcpus, memory_mb), (0, reserved), ratio))
        self.hosts[host.uuid] = host
        return host

    def new_instance(
        self, vcpus: int, memory_mb: int, is_spot: bool, created: float | None = None,
        lifetime: str = "", uuid: str = "",
    ) -> Instance:  # fmt: skip
        self.count += 1
        at = self.now() if created is None else created
        instance = Instance(self.count, vcpus, memory_mb, is_spot, at, lifetime, uuid)
        self.instances[instance.uuid] = instance
        instance.has_device = not is_spot and self.count % 2 == 0
        return instance

    def place(self, instance: Instance, host: Host) -> None:
        """Have an instance run on a host, as if it had been there all the time."""
        self.hold(host, instance.uuid, instance.amounts)
        instance.host = host
        instance.status, instance.vm_state, instance.task_state = "ACTIVE", "active", None
        instance.launched = instance.created
        host.at_compute.add(instance.uuid)

    def free_of(self, host: Host) -> tuple[int, int]:
        """What placement would give to a VM: spots do not count."""
        vcpus, memory_mb = host.shown.capacity()
        for amounts in host.consumers.values():
            vcpus -= amounts.get("VCPU", 0)
            memory_mb -= amounts.get("MEMORY_MB", 0)
        return vcpus, memory_mb

    def hold(self, host: Host, consumer: str, amounts: dict[str, int]) -> None:
        host.consumers[consumer] = amounts
        host.generation += 1
        instance = self.instances.get(consumer)
        if instance is not None:
            instance.held_on.add(host.uuid)
        self.changed(host)

    def let_go(self, host: Host, consumer: str) -> None:
        if host.consumers.pop(consumer, None) is not None:
            instance = self.instances.get(consumer)
            if instance is not None:
                instance.held_on.discard(host.uuid)
            self.changed(host, freed=True)

    def claim(self, instance: Instance, host: Host) -> bool:
        """Claim a host in placement, as nova-scheduler does."""
        if not instance.is_spot:
            vcpus, memory_mb = self.free_of(host)
            if vcpus < instance.vcpus or memory_mb < instance.memory_mb:
                return False
        self.hold(host, instance.uuid, instance.amounts)
        return True

    def show(self, host: Host, inventory: Inventory) -> None:
        """Have placement show something of a host from now on, right or wrong."""
        host.shown = inventory
        host.generation += 1
        capacity = (10**9, 10**9) if inventory.missing else inventory.capacity()
        host.most = max(host.most[0], capacity[0]), max(host.most[1], capacity[1])
        self.changed(host)

    def changed(self, host: Host, freed: bool = False) -> None:
        if self.judge is not None:
            self.judge.changed(host, freed)

    # -- what computes do ----------------------------------------------------------------------

    def build(self, instance: Instance, host: Host) -> None:
        """Build an instance that has its claim."""
        if instance.deleted:
            self.let_go(host, instance.uuid)
            return
        instance.host = host
        host.at_compute.add(instance.uuid)
        self.report(host)

        def active() -> None:
            if instance.deleted or instance.task_state != "spawning":
                return
            instance.status, instance.vm_state, instance.task_state = "ACTIVE", "active", None
            instance.launched = self.now()
            self.tell(host, instance)

        self.kernel.call_in(0.2 + 2 * self.random(), active)

    def report(self, host: Host) -> None:
        """Have a host's compute report what it uses, soon."""
        if host.uuid in self.reporting:
            return
        self.reporting.add(host.uuid)

        def done() -> None:
            self.reporting.discard(host.uuid)
            self.report_now(host)

        self.kernel.call_in(0.05 + self.random(), done)

    def report_now(self, host: Host) -> None:
        vcpus = memory_mb = 0
        for each in host.at_compute:
            instance = self.instances[each]
            vcpus += instance.vcpus
            memory_mb += instance.memory_mb
        host.reported = (vcpus, memory_mb, len(host.at_compute))

    def tell(self, host: Host, instance: Instance) -> None:
        """Have the schedulers hear of an instance's change."""
        for each in self.told:
            each(host, instance)

    def delete(self, instance: Instance) -> None:
        """Mark an instance as being deleted; its compute does so, or not."""
        self.kernel.trace("Nova", "marks %s as being deleted", instance.name)
        instance.task_state = _DELETING
        instance.marks += 1
        instance.marked_at = self.kernel.now
        instance.updated = self.now()
        host = instance.host
        if host is not None:
            self.changed(host)
            self.tell(host, instance)
        if host is None:
            self.kernel.call_in(0.1, lambda: self.end(instance))
            return
        self._at_compute(instance, host, instance.marks)

    def _at_compute(self, instance: Instance, host: Host, mark: int) -> None:
        """Let the compute carry a deletion out, as far as it does such things now."""
        way = host.delete if host.is_up else "loses"
        pause = 0.05 + 0.6 * self.random()
        if way == "slowly":
            pause += 12 * self.random()
        instance.reached = way not in ("loses", "hangs")
        if not instance.reached:
            return

        def act() -> None:
            if instance.marks != mark or instance.deleted or instance.task_state != _DELETING:
                return
            if way == "fails":
                self.kernel.trace(host.name, "fails to delete %s", instance.name)
                instance.came_back_at = self.kernel.now
                instance.updated = self.now()
                instance.status, instance.vm_state, instance.task_state = "ERROR", "error", None
                self.changed(host)
                self.tell(host, instance)
            else:
                self.end(instance)

        self.kernel.call_in(pause, act)

    def end(self, instance: Instance) -> None:
        """Let an instance be gone for good."""
        if instance.deleted:
            return
        instance.deleted = True
        instance.ended = instance.updated = self.now()
        self.kernel.trace("Nova", "%s is gone", instance.name)
        instance.status, instance.vm_state, instance.task_state = "DELETED", "deleted", None
        lag = self.placement_lag(instance)
        for each in sorted(instance.held_on):
            holder = self.hosts[each]
            if lag and instance.host is not None:
                self.changed(holder)
                self.kernel.call_in(lag, functools.partial(self.let_go, holder, instance.uuid))
            else:
                self.let_go(holder, instance.uuid)
        self.end_migration(instance)
        host = instance.host
        if host is not None:
            host.at_compute.discard(instance.uuid)
            self.tell(host, instance)
            self.report(host)

    def placement_lag(self, instance: Instance) -> float:
        """Return when placement learns of a deletion: of one in ten a while later, seconds."""
        return 2.0 * random.Random(instance.uuid).random() if instance.number % 10 == 4 else 0.0

    def shelve(self, instance: Instance) -> None:
        """Take an instance off its host, and let go of what it holds."""
        host = instance.host
        for each in sorted(instance.held_on):
            self.let_go(self.hosts[each], instance.uuid)
        instance.host = None
        instance.status, instance.vm_state = "SHELVED_OFFLOADED", "shelved_offloaded"
        if host is not None:
            host.at_compute.discard(instance.uuid)
            self.tell(host, instance)
            self.report(host)

    def confirm(self, instance: Instance) -> None:
        """Confirm a resize or a migration."""
        self.end_migration(instance)
        instance.status, instance.vm_state = "ACTIVE", "active"

    def end_migration(self, instance: Instance) -> None:
        """Let go of what an instance holds on the host that it has left."""
        if instance.migration is not None:
            host, consumer = instance.migration
            instance.migration, instance.is_confirming = None, False
            self.let_go(host, consumer)
            host.at_compute.discard(instance.uuid)
            self.report(host)

    def start_move(self, instance: Instance, target: Host, amounts: dict[str, int]) -> None:
        """Have a move's migration hold the old host, and the instance the new one, claimed."""
        source = instance.host
        assert source is not None
        consumer = f"{instance.number:08x}-1111-4000-8000-{len(instance.moves):012x}"
        held = instance.amounts
        if target is source:
            self.grown_at[source.uuid] = self.kernel.now
        else:
            del source.consumers[instance.uuid]
            instance.held_on.discard(source.uuid)
        self.hold(source, consumer, held)
        instance.amounts = amounts
        instance.migration = (source, consumer)
        instance.has_moved = True
        self.hold(target, instance.uuid, amounts)

    def finish_move(self, instance: Instance, target: Host) -> None:
        """Have an instance run where it moved to."""
        source = instance.host
        assert source is not None
        if target is not source:
            source.at_compute.discard(instance.uuid)
        instance.host = target
        target.at_compute.add(instance.uuid)
        self.report(source)
        self.report(target)

    def revert_move(self, instance: Instance) -> None:
        if instance.migration is None or instance.host is None:
            return
        source, consumer = instance.migration
        amounts = source.consumers.pop(consumer)
        instance.migration = None
        here = instance.host
        instance.amounts = amounts
        for each in sorted(instance.held_on):
            self.let_go(self.hosts[each], instance.uuid)
        if here is not source:
            here.at_compute.discard(instance.uuid)
        instance.host = source
        source.at_compute.add(instance.uuid)
        self.hold(source, instance.uuid, amounts)
        self.report(here)
        self.report(source)

    def repair(self, host: Host) -> None:
        """Start a host's compute again: it ends the deletions that it finds under way."""
        host.delete, host.is_up = "at once", True
        for instance in self.instances.values():
            if instance.host is host and instance.task_state == _DELETING and not instance.reached:
                self._at_compute(instance, host, instance.marks)
        self.report(host)

    # -- what placement and Nova answer --------------------------------------------------------

    def answer(self, service: str, method: str, path: str, body: Any) -> Answer:
        self.heard = None
        path, _, query = path.partition("?")
        parts = path.split("/")[1:]
        if service == "placement":
            return self._placement(parts, query)
        if method == "GET":
            return self._nova(parts, query)
        return self._act(parts, method, body)

    def _placement(self, parts: list[str], query: str) -> Answer:
        if parts[0] == "allocations":
            instance = self.instances.get(parts[1])
            # One that is no instance is a migration.
            moved = {each.uuid for each in self.hosts.values() if parts[1] in each.consumers}
            held = instance.held_on if instance is not None else moved
            found = {
                each: {"generation": 1, "resources": self.hosts[each].consumers[parts[1]]}
                for each in sorted(held)
            }
            devices = [self.hosts[each].device for each in sorted(held)]
            if instance is not None and instance.has_device:
                found.update({each: _DEVICE for each in devices if each is not None})
            return OK, {"allocations": found}
        if len(parts) == 1:
            unlisted = [host.uuid for host in self.hosts.values() if not host.is_listed]
            self.heard = ("providers", None, unlisted)
            return OK, {
                "resource_providers": [
                    shown
                    for host in self.hosts.values()
                    if host.is_listed and (not query or query[10:] in host.aggregates)
                    for shown in (self._provider(host), *self._below(host))
                ]
            }
        host = self.hosts.get(parts[1])
        above = [each for each in self.hosts.values() if each.device == parts[1]]
        if host is None and above:
            self.judge.asked_below(parts[1])
            if len(parts) == 2:
                return OK, self._below(above[0])[0]
            return OK, {"inventories": {}, "allocations": {}}
        if host is None or not host.is_listed:
            return NOT_FOUND, {"error": "no such provider"}
        if len(parts) == 2:
            return OK, self._provider(host)
        if parts[2] == "inventories":
            shown = host.shown
            self.heard = ("inventories", host, None if shown.missing else shown.capacity())
            return OK, {"inventories": shown.body()}
        held_of = {each: {"resources": amounts} for each, amounts in host.consumers.items()}
        self.heard = ("consumers", host, dict(host.consumers))
        return OK, {"allocations": held_of, "resource_provider_generation": host.generation}

    def _provider(self, host: Host) -> dict[str, Any]:
        return {
            "uuid": host.uuid, "name": host.name, "generation": host.generation,
            "root_provider_uuid": host.root or host.uuid, "parent_provider_uuid": host.root,
        }  # fmt: skip

    def _below(self, host: Host) -> list[dict[str, Any]]:
        if host.device is None:
            return []
        shown = {"uuid": host.device, "name": f"{host.name}_device"}
        return [{**self._provider(host), **shown, "parent_provider_uuid": host.uuid}]

    def _nova(self, parts: list[str], query: str) -> Answer:
        if parts[0] == "os-hypervisors":
            found = [
                {
                    "id": host.uuid,
                    "hypervisor_hostname": host.name,
                    "service": {"host": host.name, "id": "1", "disabled_reason": None},
                }
                for host in self.hosts.values()
                if host.is_compute
            ]
            return OK, {"hypervisors": found}
        if parts[0] == "os-services":
            up = {True: "up", False: "down"}
            services = [
                {"host": host.name, "status": host.status, "state": up[host.is_up]}
                for host in self.hosts.values()
                if host.is_compute
            ]
            return OK, {"services": services}
        if parts[0] == "os-aggregates":
            aggregates = [{"name": name, "uuid": made} for name, made in self.aggregates.items()]
            return OK, {"aggregates": aggregates}
        if parts[0] == "os-migrations":
            return self._migrations(fields_of(query))
        if parts[1] == "detail":
            return self._detail(fields_of(query))
        instance = self.instances.get(parts[1])
        if instance is None or instance.deleted:
            return NOT_FOUND, {"error": "no such server"}
        if not self._is_behind(instance):
            self.heard = ("server", instance, None)
        for each in list(self.on_check):
            each(instance)
        return OK, {"server": self._server(instance)}

    def _migrations(self, fields: dict[str, str]) -> Answer:
        if "instance_uuid" in fields:
            return OK, {"migrations": self.instances[fields["instance_uuid"]].moves}
        moved = [
            {"uuid": each.migration[1], "instance_uuid": each.uuid, "status": fields["status"]}
            for each in self.instances.values()
            if each.migration is not None
            and each.vm_state == "resized"
            and each.is_confirming == (fields["status"] == "confirming")
            and each.host is not None
            and fields["host"] in (each.host.name, each.migration[0].name)
        ]
        return OK, {"migrations": moved}

    def _detail(self, fields: dict[str, str]) -> Answer:
        """Deleted servers are listed where they are asked for, or what has changed is."""
        since, wants_deleted = fields.get("changes-since"), fields.get("deleted") == "true"
        oldest = 0.0
        if since is not None:
            oldest = int(datetime.fromisoformat(since.replace("Z", "+00:00")).timestamp())
        name = fields.get("host")
        listed = [
            each
            for each in self.instances.values()
            if (each.deleted == wants_deleted or (each.deleted and since is not None))
            and (name is None or (each.host is not None and each.host.name == name))
            and each.status != "SOFT_DELETED"
            and (since is None or max(each.updated, each.created) >= oldest)
            and each.uuid > fields.get("marker", "")
        ]
        listed.sort(key=lambda each: each.uuid)
        page = listed[: min(int(fields.get("limit", 1000)), self.page)]
        going = [
            (each.uuid, each.marks)
            for each in page
            if each.task_state == _DELETING and not self._is_behind(each)
        ]
        self.heard = ("servers", name, going)
        answer: dict[str, Any] = {"servers": [self._server(each) for each in page]}
        if len(page) < len(listed):
            answer["servers_links"] = [{"rel": "next", "href": "..."}]
        return OK, answer

    def _is_behind(self, each: Instance) -> bool:
        """Tell whether Nova shows an instance as before its order: its database's node is behind.

        To nobody but the process that gave the order, which alone can know better.
        """
        if each.shown is None or each.task_state != _DELETING:
            return False
        until, process, _ = each.shown
        return self.kernel.now < until and self._asking() is process

    def _asking(self) -> Process | None:
        """Return the process that asks; in real time there is but one, which is None."""
        thread = self.kernel.current
        return None if thread is None else thread.process

    def _server(self, each: Instance) -> dict[str, Any]:
        if self._is_behind(each):
            assert each.shown is not None
            return each.shown[2]
        name = each.host.name if each.host is not None else None
        return {
            "id": each.uuid,
            "name": each.name,
            "tenant_id": each.project_id,
            "status": each.status,
            "created": time_text(int(each.created)),
            "updated": time_text(int(each.updated)),
            "OS-SRV-USG:launched_at": None
            if each.launched is None
            else time_text(int(each.launched)).removesuffix("Z") + ".000000",
            "OS-SRV-USG:terminated_at": None if each.ended is None else time_text(int(each.ended)),
            "OS-EXT-SRV-ATTR:host": name,
            "OS-EXT-SRV-ATTR:hypervisor_hostname": name,
            "OS-EXT-STS:vm_state": each.vm_state,
            "OS-EXT-STS:task_state": each.task_state,
            "flavor": {
                "original_name": each.flavor,
                "vcpus": 1,
                "ram": 1,
                "disk": 0,
                "extra_specs": each.extra_specs,
            },
            "metadata": each.metadata,
            "locked": bool(each.locked_by),
            "locked_reason": each.locked_reason,
        }

    def _act(self, parts: list[str], method: str, body: Any) -> Answer:
        instance = self.instances.get(parts[1])
        if instance is None or instance.deleted:
            return NOT_FOUND, {"error": "no such server"}
        if parts[2] == "metadata":
            return self._metadata(instance, parts[3], method, body)
        if "forceDelete" in body:
            if instance.refuses > 0:
                instance.refuses -= 1
                self.judge.ordered(instance, BROKEN)
                return BROKEN, {"error": "unexpected"}
            self.judge.ordered(instance, TAKEN)
            if instance.task_state != _DELETING:
                before = self._server(instance) if self.behind_s else {}
                thread = self.kernel.current
                late = self.kernel.now - thread.sent_at if thread is not None else 0.0
                # As it was sent; whole seconds, set clocks.
                has_just_changed = self.now() - late - instance.updated < 3
                self.delete(instance)
                if before:
                    until = self.kernel.now + self.behind_s
                    if has_just_changed:
                        instance.unclear_until = until
                    instance.shown = (until, self._asking(), before)
            return TAKEN, {}
        if "confirmResize" in body:
            is_resized = instance.migration is not None and instance.vm_state == "resized"
            if not is_resized or instance.task_state or instance.is_confirming:
                return CONFLICT, {"error": "not in this state"}
            self.kernel.trace("Nova", "confirms the resize of %s", instance.name)
            self.judge.confirmed(instance)
            self.confirm(instance)
            return 204, {}
        if "shelve" in body:
            if instance.vm_state not in _STEADY or instance.task_state:
                return CONFLICT, {"error": "not in this state"}
            self.shelve(instance)
            return TAKEN, {}
        if "os-resetState" in body:
            self.kernel.trace("Nova", "resets %s", instance.name)
            instance.came_back_at = self.kernel.now
            instance.updated = self.now()
            instance.marks += 1
            instance.status, instance.vm_state, instance.task_state = "ERROR", "error", None
            if instance.host is not None:
                self.changed(instance.host)
            return TAKEN, {}
        if "lock" in body:
            reason = body["lock"]["locked_reason"]
            self.kernel.trace("Nova", "locks %s: %s", instance.name, reason)
            self.judge.locks.locked(instance)
            self.lock_server(instance, "admin", reason)
            return TAKEN, {}
        if "unlock" in body:
            self.kernel.trace("Nova", "unlocks %s", instance.name)
            instance.locked_by, instance.locked_reason = "", None
            return TAKEN, {}
        return BROKEN, {"error": f"unknown action {sorted(body)}"}

    def _metadata(self, instance: Instance, key: str, method: str, body: Any) -> Answer:
        thread = self.kernel.current
        sent_at = self.kernel.now if thread is None else thread.sent_at
        if method == "DELETE" and key not in instance.metadata:
            instance.untold_at = self.kernel.now
            return NOT_FOUND, {"error": "no such key"}
        if instance.vm_state not in _STEADY:
            instance.may_be_untold = instance.may_be_untold or instance.task_state is None
            return CONFLICT, {"error": "not in this state"}
        if method == "PUT":
            instance.metadata[key] = body["meta"][key]
            instance.told = self.kernel.now, self._asking()
            instance.was_told_late = sent_at < instance.untold_at
            self.kernel.trace("Nova", "%s has its notice", instance.name)
            return OK, body
        instance.untold_at = self.kernel.now
        del instance.metadata[key]
        if instance.told is not None and sent_at < instance.told[0]:
            instance.may_be_untold = True
        instance.told = None
        self.kernel.trace("Nova", "%s has its notice no more", instance.name)
        return 204, {}

    def lock_server(self, instance: Instance, who: str, reason: str) -> None:
        """Lock an instance: its owner can do nothing with it any more."""
        instance.locked_by, instance.locked_reason = who, reason
        instance.locked_at = self.kernel.now
