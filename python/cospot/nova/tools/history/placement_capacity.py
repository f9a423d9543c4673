"""The capacity for VMs on each host from placement: databases lack what is reserved."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Final

from cospot.nova import spot_flavors
from cospot.nova.tools.cloud import Cloud, CloudError, Hypervisor, Provider
from cospot.nova.tools.history.hosts_file import PastHost

_FIRST: Final = 8


def with_capacity(hosts: Sequence[PastHost], cloud: Cloud) -> tuple[list[PastHost], str]:
    """Return hosts with placement's capacity, and a note on hosts without it.

    Args:
        hosts: From Nova's databases. A host whose VCPU nobody can allocate is dropped.
        cloud: With administrator rights.

    Returns:
        The hosts, and a sentence on the unchanged ones; empty if there are none.
    """
    # Try a few first: if placement does not answer, requests for all others would wait.
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
