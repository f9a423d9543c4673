"""The same script on the stand-in of the simulation and on a cloud over HTTP.

A stage is a cloud and a service; the script says what happens in it and writes down all that the
service is answered, orders and records. Both stages must write the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Protocol

from cospot.nova.evictor.model import ComputeHost
from cospot.nova.state.errors import EvictorError

#: Fields of audit records that say nothing of clocks or processes.
_FIELDS = (
    "event", "instance", "provider", "cause", "why", "claims", "chosen_by", "for_instance",
    "shortfall", "frees", "reason", "error",
)  # fmt: skip


class Stage(Protocol):
    """A cloud, and a service that knows it and is not started."""

    service: Any

    def add_host(self, name: str, vcpus: int, memory_mb: int) -> str:
        """Add a host; return its provider's UUID."""

    def add(self, provider: str, vcpus: int, memory_mb: int, is_spot: bool) -> str:
        """Have an instance run there; each is a second younger than the one before."""

    def set_state(self, instance: str, status: str, vm_state: str, task_state: str | None) -> None:
        """Have Nova show an instance like this from now on."""

    def set_ratio(self, provider: str, ratio: float) -> None:
        """Have placement show another allocation ratio of vCPUs."""

    def evacuate(self, instance: str, target: str) -> None:
        """Have an instance run elsewhere while its dead host still holds its capacity."""

    def finish(self) -> None:
        """Let all deletions come to their end."""

    def refuse(self, instance: str) -> None:
        """Answer the next order to delete it with 500."""

    def plan(self, instance: str, victims: dict[str, list[str]]) -> None:
        """Give the service a plan."""

    def records(self) -> list[dict[str, Any]]:
        """Return the audit log."""


def script(stage: Stage) -> list[str]:
    """Play it; return what was seen, a line each."""
    lines: list[str] = []
    for part in (_questions, _plan, _race, _shrunk, _evacuated, _refused, _soft_deleted):
        lines.append(part.__name__.strip("_"))
        part(stage, lines.append)
    lines.append("audit log")
    for record in stage.records():
        kept = {name: record[name] for name in _FIELDS if name in record}
        if "error" in kept:
            kept["error"] = kept["error"].partition(" {")[0]  # what Nova says is free text
        lines.append(json.dumps(kept, sort_keys=True))
    return lines


def _seen(stage: Stage, instance: str) -> str:
    server = stage.service.context.servers.server(instance)
    held = sorted(stage.service.context.placement.allocation(instance).items())
    if server is None:
        return f"no server, holds {held}"
    shown = (server.host, server.node, server.status, server.vm_state, server.task_state)
    return f"{shown} {sorted(server.extra_specs.items())} holds {held}"


def _lock(stage: Stage, instance: str) -> str:
    server = stage.service.context.servers.server(instance)
    return f"{server.is_locked} {server.locked_reason!r}"


def _free(stage: Stage, provider: str) -> str:
    try:
        result = stage.service._reconciler.free_host(provider, "reconcile")
    except EvictorError as error:
        return f"{type(error).__name__} {getattr(error, 'status', '')}"
    return f"evicted {result.evicted}, still over: {result.is_over}"


def _questions(stage: Stage, note: Callable[[str], None]) -> None:
    context = stage.service.context
    host = stage.add_host("q", 8, 8192)
    spot = stage.add(host, 2, 1024, True)
    vm = stage.add(host, 4, 2048, False)
    context.observer.learn_hosts()
    (provider,) = [each for each in context.placement.providers() if each.uuid == host]
    note(f"provider {provider.name}")
    usage = context.placement.usage(provider)
    for name in ("VCPU", "MEMORY_MB"):
        note(f"{name}: {usage.inventories[name]} used {usage.used(name)}")
    note(f"consumers {sorted(usage.consumers.items())}")
    note(f"hosts {context.servers.compute_hosts()[host]}")
    listed = context.servers.on_host(ComputeHost("q", "q"))
    note(f"listed {sorted(listed)}")
    note(f"spot {_seen(stage, spot)}")
    note(f"VM {_seen(stage, vm)}")
    missing = "00000000-0000-4000-8000-000000000000"
    note(f"nobody {context.servers.server(missing)} {context.placement.allocation(missing)}")
    for instance in (missing, spot, spot):
        try:
            context.servers.force_delete(instance)
            note(f"deleted: {_seen(stage, instance)}")
        except EvictorError as error:
            note(f"not deleted: {getattr(error, 'status', '')}")
    for instance in (missing, spot):
        try:
            context.servers.lock(instance, "why", 3.0)
            note(f"locked: {_lock(stage, instance)}")
            context.servers.unlock(instance, 3.0)
            note(f"unlocked: {_lock(stage, instance)}")
        except EvictorError as error:
            note(f"not locked: {getattr(error, 'status', '')}")
    context.servers.reset_state(spot)
    note(f"reset: {_seen(stage, spot)}")
    context.servers.force_delete(spot)
    stage.finish()
    note(f"gone: {_seen(stage, spot)}")


def _plan(stage: Stage, note: Callable[[str], None]) -> None:
    host = stage.add_host("a", 8, 8192)
    spots = [stage.add(host, 2, 1024, True) for _ in range(4)]
    stage.service._hosts.refresh()
    vm = stage.add(host, 4, 1024, False)
    stage.plan(vm, {host: [spots[3], spots[2]]})
    note(_free(stage, host))
    note(_free(stage, host))
    stage.finish()
    note(_free(stage, host))


def _race(stage: Stage, note: Callable[[str], None]) -> None:
    host = stage.add_host("b", 8, 8192)
    for _ in range(2):
        stage.add(host, 3, 1024, True)
    stage.service._hosts.refresh()
    for _ in range(2):
        stage.add(host, 2, 1024, True)
    note(_free(stage, host))
    stage.finish()
    note(_free(stage, host))


def _shrunk(stage: Stage, note: Callable[[str], None]) -> None:
    host = stage.add_host("c", 8, 8192)
    for _ in range(2):
        stage.add(host, 4, 1024, True)
    stage.service._hosts.refresh()
    stage.set_ratio(host, 0.5)
    note(_free(stage, host))
    stage.set_ratio(host, 1.0)
    note(_free(stage, host))


def _evacuated(stage: Stage, note: Callable[[str], None]) -> None:
    dead, host = stage.add_host("d", 8, 8192), stage.add_host("e", 8, 8192)
    moved = stage.add(dead, 4, 1024, True)
    stage.add(host, 6, 1024, False)
    stage.service._hosts.refresh()
    stage.evacuate(moved, host)
    note(f"moved {_seen(stage, moved)}")
    note(f"moves {stage.service.context.servers.migrations(moved)}")
    note(_free(stage, host))
    stage.finish()
    note(f"gone: {_seen(stage, moved)}")


def _refused(stage: Stage, note: Callable[[str], None]) -> None:
    host = stage.add_host("f", 8, 8192)
    spots = [stage.add(host, 4, 1024, True) for _ in range(2)]
    stage.service._hosts.refresh()
    stage.add(host, 4, 1024, False)
    stage.refuse(spots[0])
    note(_free(stage, host))
    note(_free(stage, host))
    stage.finish()


def _soft_deleted(stage: Stage, note: Callable[[str], None]) -> None:
    host = stage.add_host("g", 8, 8192)
    spots = [stage.add(host, 4, 1024, True) for _ in range(2)]
    stage.service._hosts.refresh()
    stage.set_state(spots[1], "SOFT_DELETED", "soft-delete", None)
    stage.add(host, 4, 1024, False)
    note(_free(stage, host))
    stage.finish()
    note(_free(stage, host))


class SimulatedStage:
    """The script's stage in a simulation, played by a thread of the service's process."""

    def __init__(self, simulation: Any) -> None:
        self._sim = simulation
        self._cloud = simulation.cloud
        self.service: Any = None

    def add_host(self, name: str, vcpus: int, memory_mb: int) -> str:
        host = self._cloud.add_host(name, vcpus, memory_mb, 0, 1.0)
        host.delete = "loses"  # until the script lets deletions end
        return str(host.uuid)

    def add(self, provider: str, vcpus: int, memory_mb: int, is_spot: bool) -> str:
        created = self._cloud.now() - 1000 + self._cloud.count
        instance = self._cloud.new_instance(vcpus, memory_mb, is_spot, created)
        self._cloud.place(instance, self._cloud.hosts[provider])
        return str(instance.uuid)

    def set_state(self, instance: str, status: str, vm_state: str, task_state: str | None) -> None:
        found = self._cloud.instances[instance]
        found.status, found.vm_state, found.task_state = status, vm_state, task_state

    def set_ratio(self, provider: str, ratio: float) -> None:
        from seeds.cloud import Inventory

        host = self._cloud.hosts[provider]
        self._cloud.show(host, Inventory(host.real.total, host.real.reserved, ratio))

    def evacuate(self, instance: str, target: str) -> None:
        found, host = self._cloud.instances[instance], self._cloud.hosts[target]
        found.moves.append(
            {
                "migration_type": "evacuation", "status": "done",
                "source_compute": found.host.name, "source_node": found.host.name,
            }
        )  # fmt: skip
        self._cloud.hold(host, instance, found.amounts)
        found.host = host

    def finish(self) -> None:
        from seeds import kernel

        for host in self._cloud.hosts.values():
            self._cloud.repair(host)
        kernel.sleep(3.0)
        for host in self._cloud.hosts.values():
            host.delete = "loses"

    def refuse(self, instance: str) -> None:
        self._cloud.instances[instance].refuses = 1

    def plan(self, instance: str, victims: dict[str, list[str]]) -> None:
        from seeds import kernel

        message = plan_message(instance, victims, kernel.wall())
        self.service.endpoint.info({}, "nova-scheduler:test", "cospot.plan", message, {})

    def records(self) -> list[dict[str, Any]]:
        log = self._sim.machines[0].disk.files["/state/audit.jsonl"]
        return [json.loads(line) for line in log.splitlines()]


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
    from seeds import services
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
    stage = SimulatedStage(simulation)
    lines: list[str] = []

    def main() -> None:
        from cospot.nova.evictor.service import EvictorService

        process.machine.disk.makedirs(services.STATE)
        stage.service = EvictorService(services.configuration(simulation.settings))
        lines.extend(script(stage))

    process.spawn(main, "main")
    simulation.kernel.run(600.0)
    simulation._close()
    if simulation.outcome.kind:
        raise RuntimeError(simulation.outcome.text)
    return lines
