"""What can happen in a simulation: what is asked of the cloud, and what goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from seeds import services
from seeds.cloud import Host, Instance, Inventory
from seeds.kernel import Process
from seeds.services import Scheduler


class Actions:
    """Each method is one kind; `who` is a number from 0 to 1 among those there are."""

    def __init__(self, simulation: Any) -> None:
        self.sim = simulation
        self.kernel = simulation.kernel
        self.cloud = simulation.cloud

    def _later(self, seconds: float, call: Callable[[], Any]) -> None:
        self.kernel.call_in(seconds, call)

    def _one(self, who: float, among: list[Any]) -> Any:
        return among[min(int(who * len(among)), len(among) - 1)] if among else None

    def _running(self, *, spots_only: bool = False) -> list[Instance]:
        return [
            each
            for each in self.cloud.instances.values()
            if each.host is not None
            and not each.deleted
            and each.task_state is None
            and each.status == "ACTIVE"
            and (each.is_spot or not spots_only)
        ]

    def _host(self, who: float) -> Host:
        host: Host = self._one(who, list(self.cloud.hosts.values()))
        return host

    def say(self, text: str, *values: Any) -> None:
        self.kernel.trace("world", text, *values)

    # -- demand --------------------------------------------------------------------------------

    def boot_vm(self, count: int, vcpus: int, memory_gb: int) -> None:
        for _ in range(count):
            self._boot(self.cloud.new_instance(vcpus, 1024 * memory_gb, False))

    def fail_vm(self, count: int, vcpus: int, memory_gb: int) -> None:
        """Boot VMs whose quota is found exceeded after their claims, which they keep in ERROR."""
        for _ in range(count):
            instance = self.cloud.new_instance(vcpus, 1024 * memory_gb, False)
            instance.fails = True
            self._boot(instance)

    def boot_spots(self, count: int, vcpus: int, memory_gb: int, lifetime: str) -> None:
        for _ in range(count):
            made = self.cloud.new_instance(vcpus, 1024 * memory_gb, True, lifetime=lifetime)
            self._boot(made)

    def _boot(self, instance: Instance, tries: int = 10) -> None:
        """Have a scheduler choose a host, and the instance built there."""
        running = [each for each in self.sim.scheduler_processes if "scheduler" in each.facts]
        if not running:
            if tries:
                self._later(1.0, lambda: self._boot(instance, tries - 1))
            else:
                self.cloud.end(instance)
            return
        process: Process = running[int(self.cloud.random() * len(running))]
        self.sim.asked.setdefault(process, {})[instance] = None

        def run() -> None:
            scheduler: Scheduler = process.facts["scheduler"]
            host = scheduler.place(instance)
            self.sim.asked[process].pop(instance, None)
            if host is None:
                instance.status = "ERROR"
                self.cloud.end(instance)
            else:
                self._later(0.02 + 0.2 * self.cloud.random(), lambda: self._build(instance, host))

        process.spawn(run, "request")

    def _build(self, instance: Instance, host: Host) -> None:
        if instance.fails:
            self._fail(instance, host)
        elif instance.uuid in host.consumers:
            self.cloud.build(instance, host)

    def _fail(self, instance: Instance, host: Host) -> None:
        if instance.deleted:
            return
        self.say("%s fails, and keeps its claim on %s", instance.name, host.name)
        instance.status, instance.vm_state, instance.task_state = "ERROR", "error", None
        instance.failed_at = self.kernel.now
        self.cloud.changed(host)
        self._left(host)
        self._later(15.0, lambda: self.cloud.end(instance))

    def force_vm(self, who: float, vcpus: int, memory_gb: int) -> None:
        self._force(who, self.cloud.new_instance(vcpus, 1024 * memory_gb, False))

    def force_spot(self, who: float, vcpus: int, memory_gb: int) -> None:
        self._force(who, self.cloud.new_instance(vcpus, 1024 * memory_gb, True))

    def _force(self, who: float, instance: Instance) -> None:
        """Boot on a host that an operator names: no filter is asked."""
        host = self._host(who)
        if not host.is_up or not self.cloud.claim(instance, host):
            self.cloud.end(instance)
            return
        self.say("%s is forced onto %s", instance.name, host.name)
        self._later(0.1, lambda: self._build(instance, host))

    def _left(self, host: Host) -> None:
        """Note that a host was left by something that a scheduler may not have seen there yet.

        Its claim counts for `claim_seconds`, as it is not deleted.
        """
        for process in self.sim.scheduler_processes:
            if "scheduler" in process.facts:
                process.facts["scheduler"].in_doubt[host.uuid] = self.kernel.now

    # -- owners --------------------------------------------------------------------------------

    def _may(self, instance: Instance | None) -> bool:
        """Tell whether an owner may do something with an instance: not with one that is locked."""
        return instance is not None and not instance.locked_by

    def lock(self, who: float) -> None:
        instance = self._one(who, self._running(spots_only=True))
        if self._may(instance):
            self.say("the owner of %s locks it", instance.name)
            self.cloud.lock_server(instance, "owner", "mine")

    def delete(self, who: float) -> None:
        self._delete(self._one(who, self._running()))

    def _delete(self, instance: Instance | None) -> None:
        if not self._may(instance):
            return
        assert instance is not None
        if instance.task_state is None and not instance.deleted:
            self.say("the owner of %s deletes it", instance.name)
            self.cloud.delete(instance)

    def soft_delete(self, who: float) -> None:
        instance = self._one(who, self._running(spots_only=True))
        if not self._may(instance):
            return
        self.say("the owner of %s deletes it, softly", instance.name)
        instance.status, instance.vm_state = "SOFT_DELETED", "soft-delete"
        self.cloud.tell(instance.host, instance)

        def reclaim() -> None:
            if not instance.deleted and instance.task_state is None:
                self.cloud.delete(instance)

        self._later(12.0, reclaim)

    def rebuild(self, who: float) -> None:
        instance = self._one(who, self._running())
        if not self._may(instance):
            return
        self.say("the owner of %s rebuilds it", instance.name)
        instance.task_state = "rebuilding"
        self._later(2.0, lambda: self._done(instance, "rebuilding"))

    def _done(self, instance: Instance, task: str) -> bool:
        """End a task, if it is still what goes on."""
        if instance.deleted or instance.task_state != task:
            return False
        instance.task_state = None
        self.cloud.tell(instance.host, instance)
        return True

    def shelve(self, who: float) -> None:
        self._shelve(self._one(who, self._running()))

    def _shelve(self, instance: Instance | None) -> None:
        if not self._may(instance):
            return
        assert instance is not None
        self.say("the owner of %s shelves it", instance.name)
        instance.task_state = "shelving_image_uploading"
        self.cloud.tell(instance.host, instance)

        def offload() -> None:
            if instance.deleted or instance.task_state != "shelving_image_uploading":
                return
            instance.task_state = "shelving_offloading"
            self.cloud.changed(instance.host)
            self._later(1.0, gone)

        def gone() -> None:
            if instance.deleted or instance.task_state != "shelving_offloading":
                return
            host = instance.host
            instance.status, instance.vm_state = "SHELVED_OFFLOADED", "shelved_offloaded"
            instance.task_state, instance.host = None, None
            host.at_compute.discard(instance.uuid)
            self.cloud.let_go(host, instance.uuid)
            self.cloud.tell(host, instance)
            self.cloud.report(host)
            self._left(host)

        self._later(1.5, offload)

    def live_migrate(self, who: float) -> None:
        self._move(self._one(who, self._running()), 0, "live")

    def resize(self, who: float, more: int, way: str) -> None:
        self._move(self._one(who, self._running()), more, way)

    def _move(self, instance: Instance | None, more: int, way: str) -> None:
        """Move an instance to where a scheduler sends it, or have it grow where it is."""
        if instance is None or instance.migration is not None or not instance.held_on:
            return
        if way != "live" and not self._may(instance):
            return  # an administrator moves instances all the same
        cloud = self.cloud
        source = instance.host
        assert source is not None
        if len(instance.held_on) > 1:
            return
        if instance.is_spot:
            amounts = {**instance.amounts}
            amounts["CUSTOM_SPOT_VCPU"] += more
        else:
            amounts = {**instance.amounts}
            amounts["VCPU"] += more
        targets = [
            host
            for host in cloud.hosts.values()
            if host is not source and host.is_up and (instance.is_spot or self._fits(host, amounts))
        ]
        if way != "live" and source.is_up and (instance.is_spot or self._fits(source, amounts)):
            targets.append(source)
        target = self._one(cloud.random(), targets)
        if target is None:
            return
        self.say("%s moves from %s to %s (%s)", instance.name, source.name, target.name, way)
        task = "migrating" if way == "live" else "resize_migrating"
        instance.task_state = task
        if target is not source:  # what grows where it is has left nothing
            self._left(source)
            self._left(target)
        cloud.start_move(instance, target, amounts)
        if not instance.is_spot:
            instance.vcpus = amounts["VCPU"]
        else:
            instance.vcpus = amounts["CUSTOM_SPOT_VCPU"]

        def arrive() -> None:
            if instance.deleted:
                return
            if instance.task_state == "deleting":
                self._later(1.0, arrive)
                return
            if instance.task_state != task:  # its deletion failed
                cloud.revert_move(instance)
                instance.vcpus -= more
                return
            cloud.finish_move(instance, target)
            instance.task_state = None
            if way == "live":
                cloud.end_migration(instance)
                # Nova's own flaw: the source tells of it again, the target does not.
                return
            instance.status, instance.vm_state = "VERIFY_RESIZE", "resized"
            instance.refuses += int(cloud.random() < 0.3)
            cloud.tell(target, instance)
            settles_in = 3 + 5 * cloud.random()
            if way != "never":
                self._later(settles_in, settle)

        def settle() -> None:
            if instance.deleted or instance.migration is None or instance.task_state is not None:
                return
            if way == "revert":
                cloud.revert_move(instance)
                instance.vcpus -= more
            else:
                cloud.end_migration(instance)
            instance.status, instance.vm_state = "ACTIVE", "active"

        self._later(0.5 + 2 * cloud.random(), arrive)

    def _fits(self, host: Host, amounts: dict[str, int]) -> bool:
        vcpus, memory_mb = self.cloud.free_of(host)
        return bool(amounts["VCPU"] <= vcpus and amounts["MEMORY_MB"] <= memory_mb)

    def evacuate(self, who: float, lasts: float) -> None:
        """A host dies; its instances are built anew elsewhere; it comes back later."""
        cloud = self.cloud
        host = self._host(who)
        others = [each for each in cloud.hosts.values() if each is not host and each.is_up]
        if not others or not host.is_up:
            return
        self.say("%s is dead", host.name)
        host.is_up = False
        left: list[tuple[Instance, dict[str, Any]]] = []

        def rebuild() -> None:
            for instance in list(cloud.instances.values()):
                if instance.host is not host or instance.task_state or instance.migration:
                    continue
                if instance.deleted or instance.status != "ACTIVE":
                    continue
                target = self._one(cloud.random(), others)
                if not cloud.claim(instance, target):
                    continue
                self.say("%s is evacuated to %s", instance.name, target.name)
                move = {
                    "migration_type": "evacuation", "status": "done",
                    "source_compute": host.name, "source_node": host.name,
                }  # fmt: skip
                instance.moves.append(move)
                instance.has_moved = True
                instance.host = target
                target.at_compute.add(instance.uuid)
                cloud.report(target)
                self._left(host)
                left.append((instance, move))

        def back() -> None:
            self.say("%s is back", host.name)
            for instance, move in left:
                move["status"] = "completed"
                host.at_compute.discard(instance.uuid)
                if instance.host is not host:
                    cloud.let_go(host, instance.uuid)
            cloud.repair(host)

        self._later(2.0, rebuild)
        self._later(lasts, back)

    def ambush(self, count: int, way: str) -> None:
        """Do something to a server, or another one of its host, as soon as Nova told of it."""
        left = [count]
        cloud = self.cloud

        def asked(instance: Instance) -> None:
            if not instance.is_spot or instance.task_state is not None:
                return
            left[0] -= 1
            if left[0] > 0:
                return
            cloud.on_check.remove(asked)
            if way == "delete":
                self._later(0.0, lambda: self._delete(instance))
            elif way == "delete another":
                host = instance.host
                there = [each for each in self._running() if each.host is host]
                others = [each for each in there if each is not instance]
                self._later(0.0, lambda: self._delete(self._one(0.5, others)))
            elif instance.status == "ACTIVE" and not instance.deleted:
                if way == "shelve":
                    self._shelve(instance)
                else:
                    self._move(instance, 0, "live" if way == "live_migrate" else "confirm")

        cloud.on_check.append(asked)

    # -- faults --------------------------------------------------------------------------------

    def kill(self, who: float, calls: int) -> None:
        process = self._one(who, self.sim.evictor_processes)
        if process is not None:
            process.dies_in = calls

    def kill_ordering(self, who: float) -> None:
        """Kill a service as it sends its next order, or right before, or right after."""
        process = self._one(who, self.sim.evictor_processes)
        if process is not None:
            process.facts["dies ordering"] = True

    def kill_scheduler(self, who: float, calls: int) -> None:
        process = self._one(who, self.sim.scheduler_processes)
        if process is not None:
            process.dies_in = calls

    def stop_service(self, who: float) -> None:
        process = self._one(who, self.sim.evictor_processes)
        if process is not None:
            self.say("%s is told to stop", process.name)
            services.stop_evictor(process)

    def freeze(self, who: float, lasts: float) -> None:
        process = self._one(who, self.sim.evictor_processes)
        if process is None:
            return
        now = self.kernel.now
        self.say("%s stands still for %.1f s", process.name, lasts)
        process.frozen_until = now + lasts
        process.facts["silent since"] = now

        def wakes() -> None:
            process.frozen_s += lasts
            if process.alive:
                process.facts.pop("silent since", None)

        self._later(lasts, wakes)

    def network(self, service: str, fault: str, chance: float, lasts: float) -> None:
        self.say("%s: requests are %s (%.0f %%) for %.1f s", service, fault, 100 * chance, lasts)
        network = self.sim.network
        network.faults[service] = (chance, fault)
        self._later(lasts, lambda: network.faults.pop(service, None))

    def down(self, service: str, lasts: float) -> None:
        self.say("%s is down for %.1f s", service, lasts)
        self.sim.network.is_down.add(service)
        self._later(lasts, lambda: self.sim.network.is_down.discard(service))

    def bus(self, fault: str, lasts: float) -> None:
        self.say("message bus: %s for %.1f s", fault, lasts)
        bus = self.sim.bus
        if fault == "down":
            bus.is_down = True
        else:
            bus.fault = fault
        self._later(lasts, self._bus_up)

    def _bus_up(self) -> None:
        bus = self.sim.bus
        bus.is_down, bus.fault = False, ""
        for each in bus.listeners:
            each.notice()

    def compute(self, who: float, way: str, lasts: float) -> None:
        host = self._host(who)
        if not host.is_up:
            return
        self.say("the compute of %s deletes: %s, for %.1f s", host.name, way, lasts)
        host.delete = way

        def well() -> None:
            if host.is_up:
                self.cloud.repair(host)

        self._later(lasts, well)

    def inventory(self, who: float, what: str, lasts: float) -> None:
        """Have placement show something wrong."""
        host = self._host(who)
        self.say("placement shows %s of %s for %.1f s", what, host.name, lasts)
        real = host.real
        wrong = Inventory(real.total, real.reserved, real.ratio)
        if what == "half":
            wrong.ratio = real.ratio / 2
        elif what == "double":
            wrong.ratio = real.ratio * 2
        elif what == "nothing":
            wrong.total = (1, real.reserved[1] + 1)
        elif what == "missing":
            wrong.missing = frozenset({"VCPU"})
        else:
            host.is_listed = False
        self.cloud.show(host, wrong)

        def right() -> None:
            host.is_listed = True
            self.cloud.show(host, host.real)

        self._later(lasts, right)

    def shrink(self, who: float, _: float) -> None:
        """A host really becomes smaller."""
        host = self._host(who)
        real = host.real
        self.say("%s becomes smaller", host.name)
        host.real = Inventory((max(2, real.total[0] - 2), real.total[1]), real.reserved, real.ratio)
        self.cloud.show(host, host.real)

    def clock(self, who: float, jump: float) -> None:
        machine = self._one(who, self.sim.machines)
        self.say("the clock of %s jumps by %.0f s", machine.name, jump)
        machine.skew += jump

    def nova_clock(self, _: float, jump: float) -> None:
        self.say("the clock of Nova jumps by %.0f s", jump)
        self.cloud.skew += jump
        self.cloud.clock_was_set = True

    def no_dates(self, _: float, lasts: float) -> None:
        self.say("Nova's answers have no date for %.1f s", lasts)
        self.sim.network.dates = False
        self._later(lasts, lambda: setattr(self.sim.network, "dates", True))

    def disk_full(self, who: float, lasts: float) -> None:
        disk = self._one(who, self.sim.machines).disk
        self.say("a disk is full for %.1f s", lasts)
        disk.is_full = True
        self._later(lasts, lambda: setattr(disk, "is_full", False))

    def torn_write(self, who: float) -> None:
        self._one(who, self.sim.machines).disk.tears = True

    def disable(self, who: float, lasts: float) -> None:
        disk = self._one(who, self.sim.machines).disk
        self.say("evictions are switched off for %.1f s", lasts)
        disk.makedirs(services.STATE)
        disk.files[f"{services.STATE}/disable"] = b""
        machine = self._one(who, self.sim.machines)
        since = self.kernel.now
        self.sim.judge.off_since[machine] = since

        def on() -> None:
            disk.files.pop(f"{services.STATE}/disable", None)
            self.sim.judge.off_since.pop(machine, None)

        self._later(lasts, on)

    def partition(self, who: float, lasts: float) -> None:
        machine = self._one(who, self.sim.machines)
        self.say("%s does not reach the database for %.1f s", machine.name, lasts)
        self.sim.network.is_down.add(machine.name)
        self._later(lasts, lambda: self.sim.network.is_down.discard(machine.name))

    def locks_down(self, _: float, lasts: float) -> None:
        self.say("the store of the locks is down for %.1f s", lasts)
        locks = self.sim.locks
        locks.is_down = True
        self._later(lasts, lambda: setattr(locks, "is_down", False))

    def lists(self, _: float, lasts: float) -> None:
        self.say("schedulers hear nothing of instances for %.1f s", lasts)
        self.sim.is_deaf = True
        self._later(lasts, lambda: setattr(self.sim, "is_deaf", False))

    def refuse(self, who: float, times: int) -> None:
        instance = self._one(who, self._running(spots_only=True))
        if instance is not None:
            instance.refuses = times
