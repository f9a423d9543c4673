"""Real Nova objects for the tests of the scheduler plugin: HostState, Instance, RequestSpec."""

from __future__ import annotations

import datetime
import random
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

import nova.conf
from cospot.nova.scheduler import options
from cospot.nova.scheduler.decider import Decider
from cospot.nova.scheduler.inventories import InventoryCache
from cospot.nova.scheduler.plan_publisher import PlanPublisher
from cospot.nova.scheduler.spot_check import SpotCheck
from cospot.nova.spot_flavors import spot_extra_specs
from nova import objects
from nova.scheduler import host_manager
from waiting import PATIENCE_S

CONF = nova.conf.CONF
options.register(CONF)
objects.register_all()

RESERVED_MB = 512
NOON = datetime.datetime(2026, 6, 1, 12, 0, 0, tzinfo=datetime.timezone.utc)
_names = random.Random(20260601)


def new_uuid() -> str:
    return str(uuid.UUID(int=_names.getrandbits(128), version=4))


def make_flavor(
    vcpus: int, memory_mb: int, disk_gb: int = 0, *, spot: bool = False, swap_mb: int = 0
) -> Any:
    counted_gb = disk_gb - (-swap_mb // 1024)
    name = f"{'spot' if spot else 'vm'}-{vcpus}-{memory_mb}-{disk_gb}"
    size = {"vcpus": vcpus, "memory_mb": memory_mb, "root_gb": disk_gb, "swap": swap_mb}
    usual = {"rxtx_factor": 1.0, "vcpu_weight": 0, "disabled": False, "is_public": True}
    specs = spot_extra_specs(vcpus, memory_mb, counted_gb) if spot else {}
    size |= {"ephemeral_gb": 0, "projects": [], "extra_specs": specs}
    return objects.Flavor(id=1, name=name, flavorid=name, **size, **usual)


def make_instance(flavor: Any, *, minute: float | None = 0, **fields: Any) -> Any:
    """An instance launched so many minutes after noon; None: it is being built."""
    launched = None if minute is None else NOON + datetime.timedelta(minutes=minute)
    fields = {"uuid": new_uuid(), "task_state": None, "vm_state": "active", **fields}
    return objects.Instance(flavor=flavor, launched_at=launched, **fields)


def make_state(
    name: str,
    total: tuple[int, int, int] = (16, 32768 + RESERVED_MB, 1000),
    instances: Iterable[Any] = (),
    *,
    cpu_ratio: float = 1.0,
    unlisted: Iterable[Any] = (),
) -> Any:
    """A HostState as a compute node reports it: what is reserved counts as used.

    Args:
        name: Of the host and of its node.
        total: vCPUs, MiB, GiB.
        instances: What it lists and uses.
        cpu_ratio: Its cpu_allocation_ratio.
        unlisted: Flavors of instances that it uses and does not list yet.
    """
    state = host_manager.HostState(name, name, None)
    listed = list(instances)
    flavors = [*(instance.flavor for instance in listed if "flavor" in instance), *unlisted]
    state.uuid = str(uuid.uuid5(uuid.NAMESPACE_DNS, name))
    state.vcpus_total, state.total_usable_ram_mb, state.total_usable_disk_gb = total
    state.vcpus_used = sum(flavor.vcpus for flavor in flavors)
    used_mb = RESERVED_MB + sum(flavor.memory_mb for flavor in flavors)
    state.free_ram_mb = state.total_usable_ram_mb - used_mb
    state.disk_mb_used = 1024 * sum(flavor.root_gb for flavor in flavors)
    state.free_disk_mb = 1024 * state.total_usable_disk_gb - state.disk_mb_used
    state.cpu_allocation_ratio = cpu_ratio
    state.ram_allocation_ratio = state.disk_allocation_ratio = 1.0
    state.num_instances = len(flavors)
    state.instances = {instance.uuid: instance for instance in listed}
    state.service = {"host": name, "disabled": False}
    state.stats = {}
    return state


def seen_again(state: Any) -> Any:
    """The HostState of a later request: a new object with the dict that Nova keeps of the host.

    (HostManager._get_instance_info, where track_instance_changes is on.)
    """
    again = host_manager.HostState(state.host, state.nodename, None)
    again.__dict__.update(state.__dict__)
    return again


def inventories_of(state: Any) -> dict[str, dict[str, Any]]:
    """What placement says of a host, as Nova's compute service reports it."""
    plain = {"reserved": 0, "allocation_ratio": 1.0}
    ratio = {"allocation_ratio": state.cpu_allocation_ratio}
    return {
        "VCPU": {**plain, "total": state.vcpus_total, **ratio},
        "MEMORY_MB": {**plain, "total": state.total_usable_ram_mb, "reserved": RESERVED_MB},
        "DISK_GB": {**plain, "total": state.total_usable_disk_gb},
    }


def make_spec(flavor: Any, **fields: Any) -> Any:
    unset = ("instance_group", "pci_requests", "numa_topology", "requested_destination")
    values = {"flavor": flavor, "num_instances": 1, "is_bfv": False, "scheduler_hints": {}}
    values |= {"instance_uuid": new_uuid(), "project_id": "0" * 32, "user_id": "1" * 32}
    values["image"] = objects.ImageMeta(properties=objects.ImageMetaProps())
    return objects.RequestSpec(**{**dict.fromkeys(unset), **values, **fields})


class FakePlacement:
    """Says what it has of a host, by its UUID; counts how often it was asked."""

    def __init__(self, states: Iterable[Any] = (), unknown: Any = None) -> None:
        self.known: dict[str, Any] = {state.uuid: inventories_of(state) for state in states}
        self.asked: list[str] = []
        self.is_down = False
        self._unknown = unknown

    def __call__(self, provider: str) -> Any:
        self.asked.append(provider)
        if self.is_down:
            raise ConnectionError("placement is down")
        return self.known.get(provider, self._unknown)


class SentPlans:
    """Receives what a PlanPublisher sends."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def __call__(self, message: dict[str, Any], event_type: str = "cospot.plan") -> None:
        self.messages.append(message)


class Plugin:
    """The filter, the weigher and what they publish, over a placement that knows the hosts."""

    def __init__(self, states: Sequence[Any] = (), **decider: Any) -> None:
        from cospot.nova.scheduler.filter import CospotFilter
        from cospot.nova.scheduler.weigher import CospotWeigher

        self.placement = FakePlacement(states)
        self.sent = SentPlans()
        self._publisher = PlanPublisher(lambda: self.sent, 100)
        # Its clock stands, so that a slow machine reads all hosts before the first request too.
        standing = InventoryCache(self.placement, clock=lambda: 0.0)
        inventories = decider.pop("inventories", None) or standing
        decider.setdefault("spot_check", SpotCheck(lambda provider: None))  # nothing is known
        self.filter = CospotFilter(Decider(inventories, **decider), self._publisher)
        self.weigher = CospotWeigher()

    def hosts(self, states: Sequence[Any], spec: Any, index: int = 0) -> list[Any]:
        """The hosts as the scheduler would try them."""
        from nova.scheduler import filters, weights

        passed = filters.HostFilterHandler().get_filtered_objects(
            [self.filter], states, spec, index
        )
        weighed = weights.HostWeightHandler().get_weighed_objects([self.weigher], passed, spec)
        return [host.obj for host in weighed]

    def place(self, states: Sequence[Any], asked: Any, **fields: Any) -> list[str]:
        """Return the names of the hosts for one more request: a specification, or a flavor."""
        spec = make_spec(asked, **fields) if isinstance(asked, objects.Flavor) else asked
        return names(self.hosts(again(states), spec))

    def plans(self) -> list[dict[str, Any]]:
        assert self._publisher.wait_until_sent(PATIENCE_S)
        return self.sent.messages

    def victims(self) -> list[list[str]]:
        """Return whom each plan names on its first host."""
        return [plan["hosts"][0]["victims"] for plan in self.plans()]


def names(states: Iterable[Any]) -> list[str]:
    return [state.host for state in states]


VM = make_flavor(4, 8192)
SPOT = make_flavor(4, 8192, spot=True)


def full_of_spots(name: str, minute: float = 0) -> Any:
    """A host of 16 vCPUs with four spots of 4, the first launched at `minute`."""
    return make_state(name, instances=[make_instance(SPOT, minute=minute + i) for i in range(4)])


def again(states: Iterable[Any]) -> list[Any]:
    """The hosts as another request sees them."""
    return [seen_again(state) for state in states]


def nova_order(states: list[Any], spec: Any) -> list[str]:
    """The hosts as Nova's own weighers order them."""
    from nova.scheduler import weights

    handler = weights.HostWeightHandler()
    names = ["nova.scheduler.weights.all_weighers"]
    weighers = [cls() for cls in handler.get_matching_classes(names)]
    return [host.obj.host for host in handler.get_weighed_objects(weighers, states, spec)]
