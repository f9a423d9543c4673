"""Reads instances and hosts through Nova's API: as far back as deleted rows have been kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from typing import Any

from cospot.nova import spot_flavors
from cospot.nova.tools.cloud import Cloud, Provider
from cospot.nova.tools.history.past_instance import HostType, PastInstance


def read_instances(cloud: Cloud, since: float) -> Iterator[PastInstance]:
    """Yield all projects' instances, and those deleted since then that are not archived.

    Args:
        cloud: As an administrator.
        since: Seconds since the epoch.
    """
    moment = datetime.fromtimestamp(since, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    for query in ({}, {"deleted": "true", "changes-since": moment}):
        for row in cloud.servers(query):
            # A cell that does not answer gives its servers without anything but their ids.
            if "flavor" in row and row.get("created"):
                yield _instance(row)


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
