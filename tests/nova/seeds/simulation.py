"""One simulation: a scenario's cloud and processes, run to the end, and what was found."""

from __future__ import annotations

import json
import random
import uuid
from dataclasses import dataclass, field
from typing import Any

from cospot.nova.state import schema

from seeds import START, services
from seeds import kernel as running
from seeds.actions import Actions
from seeds.cloud import Cloud, Host, Instance
from seeds.files import Disk
from seeds.judge import Judge
from seeds.kernel import Current, Kernel, Machine, Process
from seeds.scenario import CHAOS_S, Scenario
from seeds.state import LEASE_S, StateServer
from seeds.substitute import World
from seeds.wire import Bus, Listener, LockStore, Network

#: Nova's `scheduler_instance_sync_interval`, seconds.
SYNC_S = 20.0
#: What evictions broke is counted by then, also in a process that stands still as faults end.
COUNTED_S = 25.0
#: Schedulers are asked at the end of one in so many simulations, as that takes long.
_PROBE_EVERY = 4


@dataclass
class Outcome:
    """What a simulation found.

    Attributes:
        kind: of the first violation; empty: all holds.
        orders: how many were given.
        races: how often what is documented happened.
    """

    kind: str = ""
    text: str = ""
    orders: int = 0
    events: int = 0
    seconds: float = 0.0
    races: dict[str, int] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)


class Simulation:
    def __init__(self, scenario: Scenario, *, tracing: bool = False) -> None:
        self.scenario = scenario
        self.rng = random.Random(1_000_003 * scenario.salt + scenario.seed ^ 0x5EED)
        self.outcome = Outcome()
        self.kernel = Kernel(self.rng, self._broken)
        if tracing:
            self.kernel.lines = []
        Current.kernel = self.kernel
        World.now = self
        self.cloud = Cloud(self.kernel, self.rng)
        self.cloud.skew = scenario.skews[-1]
        self.cloud.behind_s = scenario.behind_s
        self.settings = services.evictor_settings(scenario.settings)
        self.judge = self.cloud.judge = Judge(self.kernel, self.cloud, self.settings)
        self.network = Network(self.kernel, self.cloud, self.rng)
        self.network.speed = scenario.speed
        self.bus = Bus(self.kernel, self.rng)
        self.bus.delivered = self.judge.delivered
        self.locks = LockStore(self.kernel, scenario.lease)
        self.locks.lost = self._lock_lost
        self.state: Any = None
        if scenario.shares:
            own = random.Random(f"{scenario.seed} {scenario.salt} state")
            self.state = StateServer(self.kernel, self.network, own)
        self.machines = [self._machine(number) for number in range(scenario.machines)]
        self.processes: list[Process] = []
        self.asked: dict[Process, dict[Instance, None]] = {}  # in order: sets have none
        self.evictor_processes: list[Process] = []
        self.scheduler_processes: list[Process] = []
        self.is_deaf = False
        self.actions = Actions(self)
        self._pids = 100
        self._told = 0
        self._is_over = False
        self.cloud.told.append(self._tell_schedulers)
        services.set_scheduler_options(scenario.plugin)

    def listener(self, endpoint: Any) -> Listener:
        return Listener(self.bus, endpoint)

    def _machine(self, number: int) -> Machine:
        disk = Disk()
        disk.watch = self.judge.appended
        disk.files[services.PROMISES] = services.promise_table_text().encode()
        disk.folders["/"].add("promises.json")
        boot = 1000.0 + 1000 * self.rng.random()
        return Machine(f"machine-{number}", disk, self.scenario.skews[number], boot)

    def _broken(self, kind: str, error: BaseException | None) -> None:
        if not self.outcome.kind:
            self.outcome.kind, self.outcome.text = kind, str(error) or repr(error)
            self.kernel.trace("judge", "VIOLATION: %s: %r", kind, error)
            self.kernel.stopped = True

    def _lock_lost(self, name: str, process: Process) -> None:
        self.kernel.trace("locks", "%s of %s has expired", name, process.name)
        self.judge.lock_lost[name.removeprefix("cospot-evictor-")] = self.kernel.now

    def _tell_schedulers(self, host: Host, instance: Instance) -> None:
        if self.is_deaf:
            return
        is_there = not instance.deleted and instance.host is host
        found = services.instance_object(instance) if is_there else None
        self._told += 1
        number = self._told
        for process in self.scheduler_processes:
            scheduler = process.facts.get("scheduler")
            if scheduler is not None:
                pause = 0.05 + 0.5 * self.rng.random()
                self.kernel.call_in(
                    pause, lambda s=scheduler: s.view.hear(number, host, instance.uuid, found)
                )

    # -- processes -----------------------------------------------------------------------------

    def _process(self, name: str, machine: Machine, again: Any) -> Process:
        self._pids += 1
        process = Process(self.kernel, name, machine, self._pids)
        self.processes.append(process)

        def ended(dead: Process) -> None:
            dead.facts["silent since"] = self.kernel.now
            if not self._is_over:
                self.kernel.call_in(0.5 + 2 * self.rng.random(), again)

        process.at_end.append(ended)
        return process

    def start_evictor(self, number: int) -> None:
        machine = self.machines[number % len(self.machines)]
        process = self._process(f"evictor-{number}", machine, lambda: self.start_evictor(number))
        process.at_end.append(self.evictor_processes.remove)
        self.evictor_processes.append(process)
        self.kernel.trace(process.name, "starts")
        services.start_evictor(process, self.settings)

    def start_scheduler(self, number: int) -> None:
        process = self._process(
            f"scheduler-{number}", self.machines[0], lambda: self.start_scheduler(number)
        )
        process.at_end.append(self.scheduler_processes.remove)
        process.at_end.append(self._give_up_requests)
        self.scheduler_processes.append(process)

        def main() -> None:
            services.Scheduler(process, self.cloud, self.bus)

        process.spawn(main, "main")

    def _give_up_requests(self, process: Process) -> None:
        """What a killed scheduler was asked for fails some seconds later."""
        for instance in self.asked.pop(process, {}):
            self.kernel.call_in(3.0, lambda each=instance: self._failed(each))

    def _failed(self, instance: Instance) -> None:
        if instance.host is None:
            self.cloud.end(instance)

    # -- the run -------------------------------------------------------------------------------

    def run(self) -> Outcome:
        self._set_up()
        for action in self.scenario.actions:
            call = getattr(self.actions, action.kind)
            self.kernel.call_at(action.at, lambda c=call, a=action: c(*a.values))
        self._sync()
        try:
            self.kernel.run(CHAOS_S)
            if not self.outcome.kind:
                self._repair()
                self._settle()
            if not self.outcome.kind:
                self._check_end()
        finally:
            self._close()
        self.outcome.orders = len(self.judge.orders)
        self.outcome.events = self.kernel.events
        self.outcome.seconds = self.kernel.now
        self.outcome.races = self.judge.races
        self.outcome.lines = [
            f"{at:9.3f}  {who:12} {text}" for at, who, text in self.kernel.lines or ()
        ]
        return self.outcome

    def _set_up(self) -> None:
        cloud, scenario = self.cloud, self.scenario
        hosts = [
            cloud.new_host(f"host-{number}", *values)
            for number, values in enumerate(scenario.hosts)
        ]
        for host in hosts if scenario.devices else ():
            host.device = str(uuid.uuid5(uuid.NAMESPACE_DNS, f"device of {host.name}"))
        for number, vcpus, memory_gb, is_spot, age in scenario.first:
            created = START + scenario.skews[-1] - age
            instance = cloud.new_instance(vcpus, 1024 * memory_gb, is_spot, created)
            cloud.place(instance, hosts[number])
            self.kernel.trace("world", "%s (%d vCPUs, %d MiB) runs on %s", instance.name, vcpus,
                              1024 * memory_gb, hosts[number].name)  # fmt: skip
        for host in hosts:
            cloud.report_now(host)
        for number in range(scenario.evictors):
            self.start_evictor(number)
        for number in range(scenario.schedulers):
            self.start_scheduler(number)

    def _sync(self) -> None:
        for process in self.scheduler_processes:
            if "scheduler" in process.facts:
                process.facts["scheduler"].view.sync()
        for host in self.cloud.hosts.values():
            self.cloud.report(host)
        self.kernel.call_in(SYNC_S, self._sync)

    def _repair(self) -> None:
        """End all faults."""
        self.kernel.trace("world", "all faults end")
        self.network.faults.clear()
        self.network.is_down.clear()
        self.network.speed = 1.0
        self.network.dates = True
        self.locks.is_down = False
        self.is_deaf = False
        self.cloud.on_check.clear()
        for machine in self.machines:
            machine.disk.is_full = machine.disk.tears = False
            machine.disk.files.pop(f"{services.STATE}/disable", None)
        self.judge.off_since.clear()
        for process in (*self.evictor_processes, *self.scheduler_processes):
            process.dies_in = None
            process.facts.pop("dies ordering", None)
        for instance in self.cloud.instances.values():
            instance.refuses = 0
        for host in self.cloud.hosts.values():
            host.is_listed = True
            if host.shown is not host.real:
                self.cloud.show(host, host.real)
            if host.is_up:
                self.cloud.repair(host)

    def bound(self) -> float:
        """Return how long after all faults an overcommitment may last, seconds."""
        settings = self.settings
        longest_request = 3 * 30.0
        shared = 2 * max(LEASE_S, 3 * settings["reconcile_interval"]) * self.scenario.shares
        return float(
            shared
            + 2 * settings["overcommit_grace"]
            + 8 * settings["deletion_timeout"]
            + settings["retry_delay_max"]
            + settings["freed_timeout"]
            + longest_request
            + 30.0
        )

    def _settle(self) -> None:
        deadline = self.kernel.now + self.bound()
        calm_s = 0
        while not self.outcome.kind:
            self.kernel.run(self.kernel.now + 1.0)
            calm_s = calm_s + 1 if self.judge.is_calm() else 0
            if calm_s > self.settings["reconcile_interval"] + 1:
                return
            if self.kernel.now > deadline:
                late = [
                    f"{host.name} uses {self.judge.used(host)} of {host.shown.capacity()}"
                    for host in self.cloud.hosts.values()
                    if self.judge.over(host)
                ]
                late += [
                    f"no end of {order.spot.name}'s eviction in the audit log"
                    for order in self.judge.open_orders()
                ]
                self.judge.violation("not over in time", "; ".join(late) or "deletions hang")

    def _close(self) -> None:
        """End all processes, for the memory that they take."""
        self._is_over = True
        self.kernel.stopped = False
        self.kernel.lines, lines = None, self.kernel.lines
        for process in self.processes:
            process.kill()
        self.kernel.run(self.kernel.now)
        self.kernel.lines = lines

    # -- what must hold at the end -------------------------------------------------------------

    def _check_end(self) -> None:
        for machine in self.machines:
            log = machine.disk.files.get(f"{services.STATE}/audit.jsonl", b"")
            if self.judge.unreadable(log):
                self.judge.violation("the audit log cannot be read", "two records in one line")
        self.judge.locks.check()
        self._check_notices()
        if self.scenario.machines == 1:
            if self._uncounted() is not None:
                # Another copy has heard of the promise: the one that evicted sees it as it counts.
                self.kernel.run(self.kernel.now + COUNTED_S)
            self._check_promises()
        if self.scenario.shares:
            self._check_shared()
        if self.scenario.seed % _PROBE_EVERY == 0 and not self.outcome.kind:
            self._check_schedulers()

    def _check_notices(self) -> None:
        """A spot whose metadata says that it goes has a notice that the service knows of.

        But for an entry that Nova made later than it was asked to remove it.
        """
        text = self.machines[0].disk.files.get(f"{services.STATE}/notices.json", b"[]")
        known = {each["spot"] for each in json.loads(text)}
        for each in self.cloud.instances.values():
            if each.metadata and not each.deleted and each.uuid not in known:
                if each.was_told_late:
                    self.judge.race("Nova told it after the notice was withdrawn")
                    continue
                self.judge.violation("a notice of nobody", f"{each.name} reads that it goes")

    def _check_promises(self) -> None:
        """What the journal says is broken was evicted in its time, and the other way round."""
        _, broken = self._journal()
        ordered = {order.spot.uuid for order in self.judge.orders if order.taken}
        for spot in sorted(broken):
            if spot not in ordered:
                name = self.cloud.instances[spot].name
                self.judge.violation("a promise counts as broken", f"{name} was not evicted")
        uncounted = self._uncounted()
        if uncounted is not None:
            self.judge.violation("a broken promise is not counted", uncounted.name)

    def _uncounted(self) -> Instance | None:
        """Return a spot that was evicted in its time without its promise counting as broken."""
        promised, broken = self._journal()
        for order in self.judge.orders:
            known = self.judge.promised.get(order.spot.uuid)
            if not order.heard or not order.taken or known is None or not order.process.alive:
                continue
            if order.spot.uuid not in promised or order.spot.uuid in broken:
                continue
            told_at, due_at = known
            at = START + order.at + self.machines[0].skew
            if told_at < at < due_at - 1:
                return order.spot
        return None

    def _journal(self) -> tuple[set[str], set[str]]:
        """Return the spots of the first machine's journal: those promised, and those broken."""
        found: dict[str, set[str]] = {"promised": set(), "broken": set()}
        for path, data in self.machines[0].disk.files.items():
            if "/promises/" not in path:
                continue
            for line in data.splitlines():
                try:
                    record = json.loads(line)
                except ValueError:
                    continue
                if record["event"] in found:
                    found[record["event"]].add(record["instance"])
        return found["promised"], found["broken"]

    def _check_shared(self) -> None:
        """What the database says of promises and orders is what happened."""
        taken = {order.spot.uuid for order in self.judge.orders if order.taken}
        for row in self.state.rows(schema.PROMISES):
            if row.broken_at is not None and row.instance not in taken:
                name = self.cloud.instances[row.instance].name
                self.judge.violation("a promise counts as broken", f"{name} was not evicted")
        for row in self.state.rows(schema.ORDERS):
            is_migration = "-1111-" in row.spot
            is_known = is_migration or row.spot in self.cloud.instances
            if row.provider not in self.cloud.hosts or not is_known:
                self.judge.violation("an order of nobody", f"{row.spot} on {row.provider}")

    def _check_schedulers(self) -> None:
        """When all is quiet each scheduler knows what is free, however wrong its views were.

        It is asked twice: with the first question it notices that a host's list is wrong.
        """
        cloud = self.cloud
        moving = any(each.migration or len(each.held_on) > 1 for each in cloud.instances.values())
        if moving or not all(host.is_up for host in cloud.hosts.values()):
            return
        for host in cloud.hosts.values():
            cloud.report_now(host)
        for process in self.scheduler_processes:
            process.spawn(lambda began=self.kernel.now: self._probe(began), "probe")
        self.kernel.run(self.kernel.now + 20.0)

    def _free(self, host: Host) -> tuple[int, int]:
        used, capacity = self.judge.used(host), host.shown.capacity()
        return capacity[0] - used[0], capacity[1] - used[1]

    def _probe(self, began: float) -> None:
        scheduler = running.process().facts.get("scheduler")
        if scheduler is None:
            return
        hosts = list(self.cloud.hosts.values())
        roomy = max(hosts, key=self._free)
        vcpus, memory_mb = self._free(roomy)
        large = self.cloud.new_instance(max(1, vcpus + 1), 1024, True)
        scheduler.order(large)
        running.sleep(8.0)
        states = self.judge.states
        if any(states[host.uuid][-1].at >= began for host in hosts if host.uuid in states):
            return  # an owner's deletion came to its end meanwhile
        if found := [host for host in scheduler.order(large) if scheduler.is_sure_of(host)]:
            self.judge.violation("a spot got a host", f"{found[0].name} has no room for it")
        fits = self.cloud.new_instance(max(1, vcpus), max(1, memory_mb), True)
        if vcpus < 1 or memory_mb < 1024 or not scheduler.is_sure_of(roomy):
            return
        if "default_reserve" in self.scenario.plugin:
            return  # what is free may be the reserve's
        if roomy not in scheduler.order(fits):
            text = f"{roomy.name} has {vcpus} vCPUs and {memory_mb} MiB"
            self.judge.violation("a spot got no host", text)


def simulate(scenario: Scenario, *, tracing: bool = False) -> Outcome:
    return Simulation(scenario, tracing=tracing).run()
