"""The real service and the real plugin as processes of the simulation, and Nova's scheduler."""

from __future__ import annotations

import datetime
import functools
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import cospot.nova.evictor.context
import cospot.nova.evictor.reserve_keeper
import cospot.nova.scheduler.filter
import cospot.nova.scheduler.weigher
import nova.conf
from cospot.nova.evictor import options as evictor_options
from cospot.nova.evictor.cloud import Client
from cospot.nova.evictor.service import EvictorService
from cospot.nova.live_options import OptionValues
from cospot.nova.promises.promise_table import PromiseTable, SizePromises, table_to_text
from cospot.nova.scheduler import options as scheduler_options
from cospot.nova.scheduler.claim_check import ClaimCheck
from cospot.nova.scheduler.decider import Decider
from cospot.nova.scheduler.decision import decision_of
from cospot.nova.scheduler.filter import CospotFilter
from cospot.nova.scheduler.instance_facts import InstanceReader
from cospot.nova.scheduler.inventories import InventoryCache
from cospot.nova.scheduler.list_check import ListCheck
from cospot.nova.scheduler.plan_publisher import PlanPublisher
from cospot.nova.scheduler.questions import Asker
from cospot.nova.scheduler.spot_check import SpotCheck
from cospot.nova.scheduler.weigher import CospotWeigher
from cospot.nova.state.errors import EvictorError
from nova import objects
from nova.scheduler import filters, host_manager, weights

from seeds import START, kernel
from seeds.cloud import Cloud, Host, Instance
from seeds.files import SimulatedFault
from seeds.kernel import Process
from seeds.reserve_judge import ReserveJudge
from seeds.substitute import World
from seeds.wire import Adapter, Bus

CONF = nova.conf.CONF
CELL = "cell"
STATE = "/state"
PROMISES = "/promises.json"
CLAIM_SECONDS = 60  # the default


# -- cospot-evictor -----------------------------------------------------------------------------


@functools.cache
def _evictor_defaults() -> dict[str, Any]:
    values = {option.dest: option.default for option in evictor_options.OPTIONS}
    return {
        **values,
        "state_path": STATE,
        "disable_file": f"{STATE}/disable",
        "audit_log": f"{STATE}/audit.jsonl",
        "coordination_url": "file:///state/locks",
        "metrics_port": 0,
        "workers": 2,
        "max_plans": 50,
        "lock_timeout": 10.0,
        "retry_delay_max": 8.0,
        "freed_timeout": 10.0,
        "tell_owners": False,
    }


def evictor_settings(settings: dict[str, Any]) -> dict[str, Any]:
    return {**_evictor_defaults(), **settings}


def open_client(conf: Any, group: str, microversion: str) -> Client:
    return Client(group, Adapter(World.now.network, group), microversion)


def configuration(settings: dict[str, Any]) -> Any:
    """Return what stands in for oslo.config's configuration of cospot-evictor."""
    return SimpleNamespace(cospot_evictor=settings, config_file=[], config_dir=[])


class NoMetrics:
    """Takes whatever is counted. Metrics are for people; to make real ones takes too long here."""

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self


def start_evictor(process: Process, settings: dict[str, Any]) -> None:
    """Run cospot-evictor in a process."""
    conf = configuration(settings)

    def main() -> None:
        process.machine.disk.makedirs(STATE)
        try:
            service = EvictorService(conf)
        except EvictorError as error:
            process.kernel.trace(process.name, "does not start: %s", error)
            process.kill()
            return
        process.facts["service"] = service
        service.start()

    process.spawn(main, "main")


def stop_evictor(process: Process) -> None:
    """End it as SIGTERM does."""

    def stop() -> None:
        service = process.facts.get("service")
        if service is not None:
            service.stop()
        process.kill()

    process.spawn(stop, "stop")


# -- nova-scheduler -----------------------------------------------------------------------------


@functools.cache
def flavor_of(vcpus: int, memory_mb: int, is_spot: bool, lifetime: str) -> Any:
    from seeds.cloud import specs_of

    name = f"{'spot' if is_spot else 'vm'}-{vcpus}-{memory_mb}"
    return objects.Flavor(
        id=1, name=name, flavorid=name, vcpus=vcpus, memory_mb=memory_mb, root_gb=0,
        ephemeral_gb=0, swap=0, rxtx_factor=1.0, vcpu_weight=0, disabled=False, is_public=True,
        extra_specs=dict(specs_of(vcpus, memory_mb, lifetime)) if is_spot else {}, projects=[],
    )  # fmt: skip


def instance_object(instance: Instance) -> Any:
    """Nova's object of an instance as it is now."""
    launched = None
    if instance.launched is not None:
        launched = datetime.datetime.fromtimestamp(int(instance.launched), datetime.timezone.utc)
    name = instance.host.name if instance.host is not None else None
    return objects.Instance(
        uuid=instance.uuid,
        flavor=flavor_of(instance.vcpus, instance.memory_mb, instance.is_spot, instance.lifetime),
        launched_at=launched,
        task_state=instance.task_state,
        vm_state=instance.vm_state,
        host=name,
        node=name,
    )


@functools.cache
def _image() -> Any:
    return objects.ImageMeta(properties=objects.ImageMetaProps())


def make_spec(instance: Instance) -> Any:
    return objects.RequestSpec(
        flavor=flavor_of(instance.vcpus, instance.memory_mb, instance.is_spot, instance.lifetime),
        num_instances=1,
        instance_uuid=instance.uuid,
        project_id=instance.project_id,
        user_id=instance.project_id,
        is_bfv=False,
        scheduler_hints={},
        instance_group=None,
        pci_requests=None,
        numa_topology=None,
        image=_image(),
        requested_destination=None,
    )


@functools.cache
def promise_table_text() -> str:
    steps = ((0, None), (1, 20.0), (4, 40.0))
    return str(
        table_to_text(
            PromiseTable(
                made_at=START,
                observed_until=START,
                targets=(0.05,),
                sizes=[SizePromises((8, 8192, 0), [steps], ("spot",), 10_000)],
                history={"file": "history.csv.gz", "days": 14, "spots": 1000, "evictions": 30},
            )
        )
    )


@functools.cache
def _scheduler_defaults() -> dict[str, Any]:
    values = {option.dest: option.default for option in scheduler_options.OPTIONS}
    values.update(
        vm_weighers=("nova.scheduler.weights.all_weighers",),
        fallback_weighers=("nova.scheduler.weights.all_weighers",),
        resources=("VCPU", "MEMORY_MB"),
        aggregates=(),
        inventory_seconds=5,
        claim_seconds=CLAIM_SECONDS,
        lifetime_promises=PROMISES,
        lifetime_target=0.05,
        plan_queue=5,
        spot_check_wait=0.0,
    )
    return values


class LiveGroup:
    """The group [cospot] of nova.conf, as `live_options_of` gives it."""

    values: OptionValues

    @property
    def now(self) -> OptionValues:
        return self.values

    def take(self) -> None:
        pass


LIVE = LiveGroup()


def set_scheduler_options(values: dict[str, Any]) -> None:
    LIVE.values = OptionValues({**_scheduler_defaults(), **values})


_FILTERS = filters.HostFilterHandler()
_WEIGHTS = weights.HostWeightHandler()


class SchedulerView:
    """What one nova-scheduler knows of instances: what computes have told it."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud
        self.lists: dict[str, dict[str, Any]] = {uuid: {} for uuid in cloud.hosts}
        self._heard: dict[tuple[str, str], int] = {}
        self.sync()

    def sync(self) -> None:
        """What happens each `scheduler_instance_sync_interval`."""
        for host in self.cloud.hosts.values():
            listed = self.lists[host.uuid]
            there = {
                each.uuid: each
                for each in self.cloud.instances.values()
                if each.host is host and not each.deleted and each.launched is not None
            }
            for uuid in [each for each in listed if each not in there]:
                del listed[uuid]
            for uuid, instance in there.items():
                if uuid not in listed:
                    listed[uuid] = instance_object(instance)

    def hear(self, number: int, host: Host, uuid: str, found: Any) -> None:
        """Take a message of a compute: an instance as it is now, or None: it is no more there.

        A compute's messages come in their order.
        """
        if self._heard.get((host.uuid, uuid), 0) > number:
            return
        self._heard[host.uuid, uuid] = number
        if found is None:
            self.lists[host.uuid].pop(uuid, None)
        else:
            self.lists[host.uuid][uuid] = found

    def state(self, host: Host) -> Any:
        """Return a HostState, a new one for each request."""
        state = host_manager.HostState(host.name, host.name, CELL)
        vcpus, memory_mb, count = host.reported
        inventory = host.real
        state.uuid = host.uuid
        state.cell_uuid = CELL
        state.vcpus_total = inventory.total[0]
        state.vcpus_used = vcpus
        state.total_usable_ram_mb = inventory.total[1]
        state.free_ram_mb = inventory.total[1] - inventory.reserved[1] - memory_mb
        state.total_usable_disk_gb = 1000
        state.free_disk_mb = 1024000
        state.disk_mb_used = 0
        state.cpu_allocation_ratio = inventory.ratio
        state.ram_allocation_ratio = state.disk_allocation_ratio = 1.0
        state.num_instances = count
        state.instances = self.lists[host.uuid]
        state.service = {"host": host.name, "disabled": False}
        state.stats = {}
        state.aggregates = []
        return state


class HeardSpotCheck(SpotCheck):
    """The real one; notes for the judge what a request was told."""

    def holders(self, provider: str, seconds: float) -> Any:
        found = super().holders(provider, seconds)
        _told()[provider] = found
        return found


def _told() -> dict[str, Any]:
    """Return what the request of this thread was told of who holds hosts; None: no answer."""
    thread = kernel.kernel().current
    assert thread is not None
    told: dict[str, Any] = thread.seen.setdefault("holders", {})
    return told


class Scheduler:
    """A nova-scheduler with the plugin; made in its process."""

    def __init__(self, process: Process, cloud: Cloud, bus: Bus) -> None:
        self.process = process
        self.cloud = cloud
        self.view = SchedulerView(cloud)
        #: Hosts of which it may be wrong for `claim_seconds`, and since when: somebody was sent
        #: there in vain, or spots that were to go for a VM need not have gone after all.
        self.in_doubt: dict[str, float] = {}
        self.chosen: dict[str, str] = {}  # by instance: the host that it has no claim on yet
        #: Until then it may have no answers, or put no questions.
        self.in_trouble_until = -1.0
        self.asked_at = -1.0  # when placement was last asked who holds a host
        process.facts["scheduler"] = self
        self._bus = bus
        name = f"cospot-scheduler.{process.name}"
        publisher = PlanPublisher(
            lambda: lambda message, event_type="cospot.plan": bus.send(name, event_type, message), 5
        )
        decider = Decider(
            InventoryCache(self._inventories),
            InstanceReader(self._instances),
            lists=ListCheck(self._hosts),
            claim_check=ClaimCheck(self._deleted),
            spot_check=HeardSpotCheck(self._holders),
        )
        self.filter = CospotFilter(decider, publisher)
        self.weigher = CospotWeigher()

    # What it asks others.

    def _wait(self, service: str) -> None:
        network = World.now.network
        if self.process.edge():
            self.process.kill()
        kernel.sleep(0.002 + 0.02 * network.random())
        fault = network.pick(service)
        if fault:  # for as long as that takes, and `Asker.PAUSE_S`
            self.in_trouble_until = self.process.kernel.now + 3.0 + Asker.PAUSE_S + 1.0
        if fault in ("slow", "lost", "late", "unanswered"):
            kernel.sleep(3 * network.random())
        if fault and fault != "slow":
            raise SimulatedFault(f"{service}: {fault}")

    def _inventories(self, provider: str) -> Any:
        self._wait("placement")
        host = self.cloud.hosts[provider]
        return host.shown.body() if host.is_listed else None

    def _holders(self, provider: str) -> Any:
        self.asked_at = self.process.kernel.now
        self._wait("placement")
        host = self.cloud.hosts[provider]
        return dict(host.consumers) if host.is_listed else None

    def _instances(self, context: Any, uuids: list[str]) -> list[Any]:
        self._wait("database")
        return [instance_object(self.cloud.instances[each]) for each in uuids]

    def _hosts(self, cell: str, hosts: list[str]) -> list[Any]:
        self._wait("database")
        return [
            instance_object(each)
            for each in self.cloud.instances.values()
            if each.host is not None and each.host.name in hosts and not each.deleted
        ]

    def _deleted(self, cell: str, uuids: list[str]) -> list[str]:
        self._wait("database")
        return [each for each in uuids if self.cloud.instances[each].deleted]

    # What it decides.

    def order(self, instance: Instance) -> list[Host]:
        """Return the hosts as this scheduler would try them."""
        cloud = self.cloud
        self._wait("placement")
        candidates = [
            host
            for host in cloud.hosts.values()
            if host.is_up
            and host.is_listed
            and (
                instance.is_spot
                or all(
                    free >= wanted
                    for free, wanted in zip(
                        cloud.free_of(host), (instance.vcpus, instance.memory_mb), strict=True
                    )
                )
            )
        ]
        if not candidates:
            return []
        spec = make_spec(instance)
        states = [self.view.state(host) for host in candidates]
        _told().clear()
        began = self.process.kernel.now
        forbidden = self._forbidden(instance)
        passed = _FILTERS.get_filtered_objects([self.filter], states, spec, 0)
        weighed = _WEIGHTS.get_weighed_objects([self.weigher], passed or [], spec)
        decision = decision_of(spec)
        if decision is not None and decision.plans and decision.plans[0].victims:
            self.in_doubt[decision.plans[0].provider] = self.process.kernel.now
        hosts = [cloud.hosts[each.obj.uuid] for each in weighed]
        if hosts and instance.is_spot and LIVE.values.spot_check_wait:
            self._check_choice(instance, hosts[0], began)
        still = self._forbidden(instance)  # what changed meanwhile does not count
        for host in hosts if self.process.kernel.now >= self.in_trouble_until else ():
            if (why := forbidden.get(host.uuid)) and host.uuid in still:
                self.cloud.judge.violation(
                    "a spot was sent into a reserve", f"{instance.name}, {host.name}: {why}"
                )
        return hosts

    def _forbidden(self, instance: Instance) -> dict[str, str]:
        """Return the hosts that reserves keep this instance out of, and why."""
        if not instance.is_spot:
            return {}
        return ReserveJudge(self, LIVE.values.default_reserve).look(instance)

    def _check_choice(self, spot: Instance, host: Host, began: float) -> None:
        """Have it judged what became of the question to placement about a spot's host."""
        if self.process.kernel.now < self.in_trouble_until:
            return
        if self.asked_at < began:
            self.cloud.judge.violation("a spot was not asked about", f"{spot.name}, {host.name}")
        held = _told().get(host.uuid)
        if held is not None and self.is_sure_of(host):
            self.cloud.judge.spot_was_sent(spot, host, held)

    def is_sure_of(self, host: Host) -> bool:
        since = self.in_doubt.get(host.uuid, -1e9)
        is_chosen = host.uuid in self.chosen.values()
        return not is_chosen and self.process.kernel.now - since > CLAIM_SECONDS

    def place(self, instance: Instance, also_avoid: Host | None = None) -> Host | None:
        """Choose a host and claim it; None when there is none."""
        try:
            hosts = self.order(instance)
        except SimulatedFault:
            return None
        trace = self.process.kernel.trace
        trace(
            self.process.name, "%s (%d vCPUs, %d MiB): %s", instance.name, instance.vcpus,
            instance.memory_mb, ", ".join(host.name for host in hosts) or "no valid host",
        )  # fmt: skip
        if not hosts:
            return None
        claimed = None
        self.chosen[instance.uuid] = hosts[0].uuid
        with suppress(SimulatedFault):
            for host in hosts[:4]:
                self._wait("placement")
                if self.cloud.claim(instance, host):
                    trace(self.process.name, "%s has its claim on %s", instance.name, host.name)
                    claimed = host
                    break
        del self.chosen[instance.uuid]
        if claimed is not hosts[0]:
            self.in_doubt[hosts[0].uuid] = self.process.kernel.now
        return claimed


def prepare() -> None:
    """Have the product's modules take the simulation's services."""
    objects.register_all()
    scheduler_options.register(CONF)
    cospot.nova.evictor.context.open_client = open_client
    cospot.nova.evictor.context.Metrics = NoMetrics
    cospot.nova.evictor.reserve_keeper._READ_ALL_S = 2.0  # type: ignore[misc]
    for module in (cospot.nova.scheduler.filter, cospot.nova.scheduler.weigher):
        module.live_options_of = lambda conf: LIVE
