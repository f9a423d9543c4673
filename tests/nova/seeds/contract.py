"""The same script on the model of the simulation, on that over HTTP, and on a cloud of Nova.

A stage is a cloud and a service; the script says what happens in it and writes down all that the
service is answered, orders and records. All stages must write the same. Ids stand there as what
they are of, and amounts of the resource classes that the service counts alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from cospot.nova.evictor.model import ComputeHost
from cospot.nova.spot_flavors import SPOT_CLASS_OF
from cospot.nova.state.errors import EvictorError

from seeds.cloud import Host, Inventory

#: Fields of audit records that say nothing of clocks or processes.
_FIELDS = (
    "event", "instance", "provider", "cause", "why", "claims", "chosen_by", "for_instance",
    "shortfall", "frees", "reason", "error",
)  # fmt: skip
_COUNTED = ("VCPU", "MEMORY_MB")
_CLASSES = {*_COUNTED, *(SPOT_CLASS_OF[each] for each in _COUNTED)}
#: vCPUs and MiB, those reserved of them, and the ratio of vCPUs, of each host of the script: they
#: are those of tests/nova/deployment/settings.py.
HOSTS = {
    "h1": ((8, 16384), (0, 0), 1.0),
    "h2": ((8, 12288), (0, 0), 2.0),
    "h3": ((16, 8192), (0, 0), 1.0),
    "h4": ((6, 24576), (0, 8192), 1.0),
    "h5": ((14, 16384), (2, 0), 1.0),
}
_MISSING = "00000000-0000-4000-8000-000000000000"
_TOLD = "cospot_evict_at"


class Script:
    """What is played on a stage, and the lines that it writes.

    Args:
        stage: a ModelStage, or what does the same on another cloud.
    """

    def __init__(self, stage: Any) -> None:
        self.stage = stage
        self.lines: list[str] = []
        self.context = stage.service.context
        self.servers, self.placement = self.context.servers, self.context.placement
        self.known = stage.providers()
        self.names = {uuid: name for name, uuid in self.known.items()}
        self.names[_MISSING] = "nobody"

    def play(self) -> list[str]:
        parts = (
            self.questions, self.orders, self.migrated, self.plan, self.evacuated,
            self.soft_deleted,
        )  # fmt: skip
        for part in parts:
            self.lines.append(part.__name__)
            part()
        self.lines.append("audit log")
        for record in self.stage.records():
            kept = {name: record[name] for name in _FIELDS if name in record}
            if "error" in kept:
                kept["error"] = kept["error"].partition(" {")[0]  # what Nova says is free text
            self.note(json.dumps(kept, sort_keys=True))
        return self.lines

    def note(self, text: str) -> None:
        for uuid, name in self.names.items():
            text = text.replace(uuid, name)
        self.lines.append(text)

    def add(self, name: str, host: str, vcpus: int, memory_mb: int) -> str:
        """Have an instance run; it is a spot if it is called so."""
        made = self.stage.add(host, vcpus, memory_mb, name.startswith("spot"))
        self.names[made] = name
        return made

    def seen(self, name: str, uuid: str) -> None:
        """Write down what Nova and placement show of an instance."""
        server = self.servers.server(uuid)
        held = self.held(self.placement.allocation(uuid))
        if server is None:
            self.note(f"{name}: no server, holds {held}")
            return
        shown = (server.host, server.node, server.status, server.vm_state, server.task_state)
        self.note(f"{name}: {shown} holds {held}")

    def held(self, allocations: dict[str, Any]) -> list[str]:
        """Return who holds what, or of whom: names and amounts."""
        return sorted(
            f"{self.names.get(holder, holder)}: "
            f"{ ({each: held[each] for each in sorted(_CLASSES & set(held))}) }"
            for holder, held in allocations.items()
        )

    def consumers(self, host: str) -> None:
        self.note(f"consumers of {host} {self.held(self.placement.consumers(self.known[host]))}")

    def listed(self, host: str) -> None:
        found = self.servers.on_host(ComputeHost(host, host))
        self.note(f"listed on {host}: {sorted(self.names[each] for each in found)}")

    def ask(self, what: str, call: Callable[..., Any], *arguments: Any) -> None:
        """Give an order; write down how it is answered."""
        try:
            call(*arguments)
            self.note(f"{what}: taken")
        except EvictorError as error:
            self.note(f"{what}: {getattr(error, 'status', '')}")

    def free(self, host: str) -> None:
        """Have the service free a host."""
        result = self.stage.service._reconciler.free_host(self.known[host], "reconcile")
        evicted = [self.names[each] for each in result.evicted]
        self.note(f"{host}: evicted {evicted}, still over: {result.is_over}")

    # -- the parts -----------------------------------------------------------------------------

    def questions(self) -> None:
        self.spot = self.add("spot Q", "h1", 2, 2048)
        self.vm = self.add("VM Q", "h1", 4, 4096)
        self.context.observer.learn_hosts()
        computes = self.servers.compute_hosts()
        working = self.servers.working_computes()
        for name, uuid in self.known.items():
            provider = self.placement.provider(uuid)
            inventories, _ = self.placement.holdings(uuid)
            self.note(f"{provider.name} {computes[uuid]} {name in working}")
            for each in _COUNTED:
                self.note(f"{each}: {inventories[each]}")
        assert set(self.known) <= {each.name for each in self.placement.providers()}
        self.consumers("h1")
        self.listed("h1")
        for instance in (self.spot, self.vm, _MISSING):
            self.seen(self.names[instance], instance)
        for instance in (self.spot, self.vm):
            self.note(f"specs {sorted(self.servers.server(instance).extra_specs.items())}")
        self.note(f"moves {self.servers.migrations(self.vm)} {self.unconfirmed('h1')}")

    def orders(self) -> None:
        servers, spot = self.servers, self.spot
        self.ask("told", servers.set_metadata, spot, _TOLD, "soon")
        for _ in range(2):  # there is none the second time
            self.ask("told no more", servers.remove_metadata, spot, _TOLD)
        self.ask("confirmed", servers.confirm_resize, spot)
        self.stage.stop("h1")
        for instance in (_MISSING, spot, spot):
            self.ask("deleted", servers.force_delete, instance)
            self.seen(self.names[instance], instance)
        self.listed("h1")
        self.ask("told", servers.set_metadata, spot, _TOLD, "soon")
        for instance in (_MISSING, spot):
            self.ask("locked", servers.lock, instance, "why", 3.0)
            self.lock(instance)
            self.ask("unlocked", servers.unlock, instance, 3.0)
            self.lock(instance)
        self.ask("reset", servers.reset_state, spot)
        self.seen("reset", spot)
        self.ask("deleted", servers.force_delete, spot)
        self.stage.finish("h1")
        self.seen("gone", spot)
        self.consumers("h1")
        self.ask("deleted", servers.force_delete, spot)

    def lock(self, instance: str) -> None:
        server = self.servers.server(instance)
        self.note(f"lock {None if server is None else (server.is_locked, server.locked_reason)}")

    def unconfirmed(self, host: str) -> list[str]:
        return [self.names[each.server] for each in self.servers.unconfirmed_moves(host)]

    def migrated(self) -> None:
        spot = self.add("spot M", "h1", 2, 2048)
        self.stage.migrate(spot, "h2")
        (move,) = self.servers.unconfirmed_moves("h1")
        self.names[move.uuid] = "the move"
        self.seen("moved", spot)
        for host in ("h1", "h2"):
            self.consumers(host)
            self.listed(host)
            self.note(f"unconfirmed {self.unconfirmed(host)}")
        self.note(f"the move holds {self.held(self.placement.allocation(move.uuid))}")
        self.ask("confirmed", self.servers.confirm_resize, spot)
        self.stage.wait_until(
            lambda: (
                self.servers.server(spot).status == "ACTIVE"
                and not self.placement.allocation(move.uuid)
            ),
            "it is confirmed",
        )
        self.seen("confirmed", spot)
        self.consumers("h1")
        self.note(f"unconfirmed {self.unconfirmed('h1')}")
        self.ask("told", self.servers.set_metadata, spot, _TOLD, "soon")
        self.ask("shelved", self.servers.shelve, spot)
        self.stage.wait_until(lambda: self.servers.server(spot).host is None, "it is shelved")
        self.seen("shelved", spot)
        self.consumers("h2")
        self.ask("told no more", self.servers.remove_metadata, spot, _TOLD)
        self.ask("deleted", self.servers.force_delete, spot)
        self.stage.wait_until(lambda: self.servers.server(spot) is None, "it is gone")

    def plan(self) -> None:
        # 12,288 MiB and 16 vCPUs for two spots and a VM: 1,024 MiB and 4 vCPUs are missing.
        first, second = (self.add(f"spot P{number}", "h2", 8, 6144) for number in (1, 2))
        self.stage.service._hosts.refresh()
        vm = self.add("VM P", "h2", 4, 1024)
        self.stage.stop("h2")
        message = plan_message(vm, {self.known["h2"]: [second]}, self.stage.now())
        self.stage.service.endpoint.info({}, "nova-scheduler:test", "cospot.plan", message, {})
        self.free("h2")
        self.free("h2")
        self.consumers("h2")
        self.stage.finish("h2")
        self.free("h2")
        self.seen("stays", first)

    def evacuated(self) -> None:
        # 8,192 MiB for a spot of 4,096 that comes and a VM of 6,144.
        moved = self.add("spot E", "h4", 4, 4096)
        self.stage.service._hosts.refresh()
        self.stage.evacuate(moved, "h3")
        self.add("VM E", "h3", 8, 6144)
        self.seen("moved", moved)
        self.note(f"moves {self.servers.migrations(moved)}")
        self.stage.stop("h3")
        self.free("h3")
        self.stage.finish("h3")
        self.seen("gone", moved)
        self.consumers("h4")

    def soft_deleted(self) -> None:
        # 12 vCPUs for spots of 4 and 4, and a VM of 8: the one that was to go goes.
        _, second = (self.add(f"spot S{number}", "h5", 4, 4096) for number in (1, 2))
        self.stage.service._hosts.refresh()
        self.stage.soft_delete(second)
        self.add("VM S", "h5", 8, 6144)
        self.listed("h5")
        self.seen("soft-deleted", second)
        self.stage.stop("h5")
        self.free("h5")
        self.stage.finish("h5")
        self.free("h5")


class ModelStage:
    """The model as the cloud of the script, in a simulation or in real time.

    Args:
        cloud: the model, without hosts.
        service: that asks it, and is not started.
        sleep, now: of the service's clock.
        records: reads the audit log.
    """

    def __init__(
        self,
        cloud: Any,
        service: Any,
        sleep: Callable[[float], Any],
        now: Callable[[], float],
        records: Callable[[], list[dict[str, Any]]],
    ) -> None:
        self._cloud, self.service = cloud, service
        self._sleep, self.now, self.records = sleep, now, records
        for name, values in HOSTS.items():
            host = Host(name, Inventory(*values))
            cloud.hosts[host.uuid] = host

    def providers(self) -> dict[str, str]:
        """Return the UUIDs of the hosts' providers by name."""
        return {host.name: uuid for uuid, host in self._cloud.hosts.items()}

    def _host(self, name: str) -> Any:
        return next(host for host in self._cloud.hosts.values() if host.name == name)

    def add(self, host: str, vcpus: int, memory_mb: int, is_spot: bool) -> str:
        """Have an instance run there; each is a second younger than the one before."""
        created = self._cloud.now() - 1000 + self._cloud.count
        instance = self._cloud.new_instance(vcpus, memory_mb, is_spot, created)
        self._cloud.place(instance, self._host(host))
        return str(instance.uuid)

    def stop(self, host: str) -> None:
        """Have the compute of a host do nothing of what it is told."""
        self._host(host).delete = "loses"

    def finish(self, host: str) -> None:
        """Let it do all, and wait for the end of that."""
        self._cloud.repair(self._host(host))
        self._sleep(3.0)

    def soft_delete(self, instance: str) -> None:
        found = self._cloud.instances[instance]
        found.status, found.vm_state = "SOFT_DELETED", "soft-delete"

    def migrate(self, instance: str, target: str) -> None:
        """Have an instance moved, and nobody confirm that."""
        found = self._cloud.instances[instance]
        self._cloud.start_move(found, self._host(target), found.amounts)
        self._cloud.finish_move(found, self._host(target))
        found.status, found.vm_state = "VERIFY_RESIZE", "resized"

    def evacuate(self, instance: str, target: str) -> None:
        """Have an instance run elsewhere while its dead host still holds its capacity."""
        found, host = self._cloud.instances[instance], self._host(target)
        found.moves.append(
            {
                "migration_type": "evacuation", "status": "done",
                "source_compute": found.host.name, "source_node": found.host.name,
            }
        )  # fmt: skip
        self._cloud.hold(host, instance, found.amounts)
        found.host = host

    def wait_until(self, holds: Callable[[], bool], what: str) -> None:
        while not holds():
            self._sleep(0.1)


def plan_message(instance: str, victims: dict[str, list[str]], made_at: float) -> dict[str, Any]:
    """Return a plan as the scheduler sends it."""
    return {
        "version": 1,
        "plan_id": "11111111-2222-4333-8444-555555555555",
        "made_at": made_at,
        "instance": instance,
        "project_id": "q" * 32,
        "request_id": "req-1",
        "policy": {"vm": "COS"},
        "hosts": [
            {"host": "h", "node": "h", "provider": provider, "victims": named, "score": 1.0}
            for provider, named in victims.items()
        ],
    }


def play_simulated() -> list[str]:
    """Play the script on the simulation's cloud."""
    from cospot.nova.evictor.service import EvictorService

    from seeds import kernel, services
    from seeds.scenario import Scenario
    from seeds.simulation import Simulation

    settings = {"overcommit_grace": 3600.0, "deletion_timeout": 120.0, "evictor": "FIFO"}
    nobody = Scenario(
        seed=0, hosts=(), first=(), evictors=0, machines=1, schedulers=0, settings=settings,
        plugin={}, skews=(0.0, 0.0, 0.0), lease=None, speed=1.0,
    )  # fmt: skip
    simulation = Simulation(nobody)
    simulation.judge.has_script = True
    process = simulation._process("evictor", simulation.machines[0], lambda: None)
    disk, lines = process.machine.disk, []

    def records() -> list[dict[str, Any]]:
        return [json.loads(line) for line in disk.files["/state/audit.jsonl"].splitlines()]

    def main() -> None:
        disk.makedirs(services.STATE)
        service = EvictorService(services.configuration(simulation.settings))
        stage = ModelStage(simulation.cloud, service, kernel.sleep, kernel.wall, records)
        lines.extend(Script(stage).play())

    process.spawn(main, "main")
    simulation.kernel.run(600.0)
    simulation._close()
    if simulation.outcome.kind:
        raise RuntimeError(simulation.outcome.text)
    return lines
