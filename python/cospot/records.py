"""Records of requests, for iteration."""

from __future__ import annotations

from typing import NamedTuple


class RequestRecord(NamedTuple):
    """One request of a workload, with the names of the columns of `Workload.to_columns`.

    Attributes:
        instance_id: Its name, unique in the workload.
        tenant_id: The customer.
        is_spot: Whether it asks for a spot.
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
