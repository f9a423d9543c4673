"""What VMs may use of each host, which placement knows: databases do not tell what is reserved."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Final

from cospot.nova import spot_flavors
from cospot.nova.tools.cloud import Cloud, CloudError, Hypervisor, Provider
from cospot.nova.tools.history.hosts_file import PastHost

_FIRST: Final = 8


def with_capacity(hosts: Sequence[PastHost], cloud: Cloud) -> tuple[list[PastHost], str]:
    """Return hosts with the capacity that placement grants, and what it does not tell.

    Args:
        hosts: Of Nova's databases. One whose VCPU placement grants to nobody is left out.
        cloud: As an administrator.

    Returns:
        The hosts, and a sentence on those that are as they were; empty where there is none.
    """
    # A few first: a placement that does not answer would keep the questions for all others waiting.
    found = cloud.providers(map(_hypervisor, hosts[:_FIRST]))
    if any(isinstance(provider, Provider) for provider in found.values()):
        found |= cloud.providers(map(_hypervisor, hosts[_FIRST:]))
    errors = [one for one in found.values() if isinstance(one, CloudError)]
    told = [_granted(host, found.get(host.provider)) for host in hosts]
    unknown = sum(not isinstance(found.get(host.provider), Provider) for host in hosts)
    problem = f"of {unknown} of {len(hosts)} hosts: {errors[0]}" if errors else ""
    return [host for host in told if host.vcpus > 0], problem


def _hypervisor(host: PastHost) -> Hypervisor:
    return Hypervisor(host.provider, host.name, host.host)


def _granted(host: PastHost, provider: Provider | CloudError | None) -> PastHost:
    if not isinstance(provider, Provider):
        return host
    vcpus, memory_mb, disk_gb = map(provider.capacity, spot_flavors.SPOT_CLASS_OF)
    return dataclasses.replace(host, vcpus=vcpus, memory_mb=memory_mb, disk_gb=disk_gb)
