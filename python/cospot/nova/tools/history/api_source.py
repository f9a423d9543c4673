"""Reads instances and hosts through Nova's API: as far back as deleted rows have been kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from typing import Any

from cospot.nova import spot_flavors
from cospot.nova.tools.cloud import Cloud, CloudError, Provider
from cospot.nova.tools.history.past_instance import HostType, PastInstance


def read_instances(cloud: Cloud, since: float) -> Iterator[PastInstance]:
    """Yield all projects' instances, and those deleted since then that are not archived.

    Args:
        cloud: As an administrator.
        since: Seconds since the epoch.

    Raises:
        CloudError: Nova does not answer, or one of its cells does not.
    """
    unreachable = 0
    moment = datetime.fromtimestamp(since, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    for query in ({}, {"deleted": "true", "changes-since": moment}):
        for row in cloud.servers(query):
            # Of a cell that does not answer Nova knows little more than the ids of servers.
            if "flavor" in row:
                yield _instance(row)
            else:
                unreachable += 1
    if unreachable > 0:
        raise CloudError(
            f"compute: {unreachable} servers are in a cell that does not answer, and would be"
            " missing; try again when it does, or read the databases"
        )


def read_host_types(cloud: Cloud) -> Counter[HostType]:
    """Return how many hosts have which capacity."""
    providers = cloud.providers(cloud.hypervisors()).values()
    return Counter(
        HostType(*map(provider.capacity, spot_flavors.SPOT_CLASS_OF))
        for provider in providers
        if isinstance(provider, Provider) and provider.capacity(spot_flavors.VCPU) > 0
    )


def _instance(row: Mapping[str, Any]) -> PastInstance:
    flavor = row["flavor"]
    ended = row.get("OS-SRV-USG:terminated_at")
    if ended is None and row["status"] in {"DELETED", "SOFT_DELETED"}:
        ended = row["updated"]
    return PastInstance(
        uuid=row["id"],
        project=row["tenant_id"],
        vcpus=flavor["vcpus"],
        memory_mb=flavor["ram"],
        disk_gb=flavor["disk"] + flavor["ephemeral"] + -(-flavor["swap"] // 1024),
        created=_seconds(row["created"]),
        launched=row.get("OS-SRV-USG:launched_at") is not None,
        ended=None if ended is None else _seconds(ended),
        flavor=flavor["original_name"],
        extra_specs=flavor.get("extra_specs") or {},
    )


def _seconds(text: str) -> float:
    """Return seconds since the epoch of a time as Nova writes them: UTC, with or without a Z."""
    moment = datetime.fromisoformat(text.removesuffix("Z"))
    return moment.replace(tzinfo=moment.tzinfo or timezone.utc).timestamp()
