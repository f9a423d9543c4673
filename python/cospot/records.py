"""Records of requests and events: one row of a workload or of an event log, for iteration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from cospot._core import Simulation


class RequestRecord(NamedTuple):
    """One request of a workload, with the names of the columns of `Workload.to_columns`.

    Attributes:
        instance_id: Its name, unique in the workload.
        tenant_id: The customer.
        is_spot: True if it asks for a spot.
        vcpus: vCPUs, or the workload's own unit.
        memory_mb: MiB, or the workload's own unit.
        disk_gb: GB.
        start_us: When it is asked for, microseconds since the window's start.
        end_us: When it ends by itself; NEVER_US: never.
        zone: The availability zone; like the following fields empty if it asks for none, otherwise
            as in a workload file.
        extra_specs: Metadata of the hosts.
        group: The server group.
        group_policy: The policy of the group.
        max_server_per_host: The number of members of the group that may share a host.
    """

    instance_id: str
    tenant_id: str
    is_spot: bool
    vcpus: int
    memory_mb: int
    disk_gb: int
    start_us: int
    end_us: int
    zone: str = ""
    extra_specs: str = ""
    group: str = ""
    group_policy: str = ""
    max_server_per_host: str = ""


class EventRecord(NamedTuple):
    """One event of a run: a row of the event log (docs/event-log-format.md).

    Attributes:
        time_us: Microseconds since the window's start; negative: before the window.
        event: Its kind: ``request``, ``offer``, ``eviction``, ``placement``, ``rejection``,
            ``departure``.
        instance_id: The instance, as the workload names it.
        instance_class: Its class: ``vm`` or ``spot``.
        vcpus: vCPUs of the instance, or the workload's own unit.
        memory_mb: MiB of the instance, or the workload's own unit.
        disk_gb: GB of the instance.
        host: The name of the host; empty for requests and rejections.
        place_in_offer: For an offer, 1 for the VM chain's best host, 2 for the next; else None.
        for_instance_id: For an eviction, the VM that needs the capacity; otherwise empty.
    """

    time_us: int
    event: str
    instance_id: str
    instance_class: str
    vcpus: int
    memory_mb: int
    disk_gb: int
    host: str
    place_in_offer: int | None
    for_instance_id: str


def events_of(simulation: Simulation) -> Iterator[EventRecord]:
    """Run a simulation to its end and yield its events; see `Simulation.events`."""
    while rows := simulation._next_events():
        for row in rows.splitlines():
            time, event, instance, kind, *sizes, host, place, needed_by = row.split(",")
            vcpus, memory_mb, disk_gb = map(int, sizes)
            yield EventRecord(
                round(float(time) * 1e6), event, instance, kind, vcpus, memory_mb, disk_gb,
                host, int(place) if place else None, needed_by,
            )  # fmt: skip
