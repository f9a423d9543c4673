"""Reads instances and hosts from Nova's API, as far back as deleted rows are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from cospot.nova import spot_flavors
from cospot.nova.moment import seconds_of, text_of
from cospot.nova.tools.cloud import Cloud, CloudError, Provider
from cospot.nova.tools.history.hosts_file import Aggregate, PastHost
from cospot.nova.tools.history.past_instance import NO_WISHES, PastInstance, Wishes

_GONE: Final = frozenset({"DELETED", "SOFT_DELETED"})


def read_instances(cloud: Cloud, since: float) -> Iterator[PastInstance]:
    """Yield all projects' instances, including unarchived ones deleted after a time.

    Args:
        cloud: With administrator rights.
        since: Seconds since the epoch.

    Raises:
        CloudError: Nova does not answer, or one of its cells does not.
    """
    groups = cloud.server_groups()
    on_no_host: dict[str, PastInstance] = {}
    for row in read_rows(cloud, since):
        instance = _instance(row, groups)
        if instance.launched and row.get("OS-EXT-SRV-ATTR:host", "unknown") is None:
            on_no_host[instance.uuid] = instance
        else:
            yield instance
    for uuid, actions in cloud.actions(on_no_host):
        if isinstance(actions, CloudError):
            raise actions
        shelved = _shelved_at(actions)
        instance = on_no_host[uuid]
        yield instance if shelved is None else replace(instance, ended=shelved)


def _shelved_at(actions: Iterable[Mapping[str, Any]]) -> float | None:
    """Return when a server that is on no host was shelved last; None: it was not."""
    shelved = None
    for action in sorted(actions, key=lambda each: str(each["start_time"])):
        if action["action"] in ("shelve", "shelveOffload"):
            shelved = seconds_of(action["start_time"])
        elif action["action"] == "unshelve" and not action.get("message"):
            shelved = None
    return shelved


def read_rows(cloud: Cloud, since: float) -> Iterator[Mapping[str, Any]]:
    """Yield the same instances in Nova's format.

    Raises:
        CloudError: Nova does not answer, or one of its cells does not.
    """
    unreachable = 0
    moment = text_of(since)
    for query in ({}, {"deleted": "true", "changes-since": moment}):
        for row in cloud.servers(query):
            # For a cell that does not answer, Nova knows little more than the servers' ids.
            if "flavor" in row:
                yield row
            else:
                unreachable += 1
    if unreachable > 0:
        raise CloudError(
            f"compute: {unreachable} servers are in a cell that does not answer, and would be"
            " missing; try again when it does, or read the databases"
        )


def ended_at(row: Mapping[str, Any]) -> float | None:
    """Return when a server in Nova's format ended; None: it exists."""
    ended = row.get("OS-SRV-USG:terminated_at")
    if ended is None and row["status"] in _GONE:
        ended = row["updated"]
    return None if ended is None else seconds_of(ended)


def read_hosts(cloud: Cloud) -> list[PastHost]:
    """Return the compute nodes that placement knows, with the capacity for VMs on each."""
    hypervisors = cloud.hypervisors()
    providers = cloud.providers(hypervisors)
    hosts = []
    for hypervisor in hypervisors:
        provider = providers[hypervisor.provider]
        if not isinstance(provider, Provider) or provider.capacity(spot_flavors.VCPU) <= 0:
            continue
        vcpus, memory_mb, disk_gb = map(provider.capacity, spot_flavors.SPOT_CLASS_OF)
        status = "down" if not hypervisor.is_up else "up" if hypervisor.enabled else "disabled"
        hosts.append(PastHost(hypervisor.node, hypervisor.host, vcpus, memory_mb, disk_gb, status))
    return hosts


def read_aggregates(cloud: Cloud) -> list[Aggregate]:
    """Return the host aggregates."""
    return [
        Aggregate(row["name"], frozenset(row["hosts"]), row.get("metadata") or {})
        for row in cloud.aggregate_rows()
    ]


def _instance(row: Mapping[str, Any], groups: Mapping[str, Mapping[str, Any]]) -> PastInstance:
    flavor = row["flavor"]
    return PastInstance(
        uuid=row["id"],
        project=row["tenant_id"],
        vcpus=flavor["vcpus"],
        memory_mb=flavor["ram"],
        disk_gb=flavor["disk"] + flavor["ephemeral"] + -(-flavor["swap"] // 1024),
        created=seconds_of(row["created"]),
        launched=row.get("OS-SRV-USG:launched_at") is not None,
        ended=ended_at(row),
        flavor=flavor["original_name"],
        extra_specs=flavor.get("extra_specs") or {},
        wishes=_wishes(row, groups),
    )


def _wishes(row: Mapping[str, Any], groups: Mapping[str, Mapping[str, Any]]) -> Wishes:
    """Return what a server asked for; Nova reports its zone from 2024.2 on."""
    zone = row.get("pinned_availability_zone") or ""
    for uuid in row.get("server_groups") or ():
        if uuid in groups:
            group = groups[uuid]
            most = int((group.get("rules") or {}).get("max_server_per_host", 1))
            return Wishes(zone, uuid, group["policy"], most)
    return Wishes(zone=zone) if zone else NO_WISHES
