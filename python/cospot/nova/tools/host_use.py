"""The use of hosts by VMs and spots, summed over aggregates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cospot.nova import spot_flavors
from cospot.nova.inventory import held
from cospot.nova.tools.cloud import Provider

#: Nova's names of placement's classes.
RESOURCES: Final[Mapping[str, str]] = {
    spot_flavors.VCPU: "vcpus",
    spot_flavors.MEMORY_MB: "memory_mb",
    spot_flavors.DISK_GB: "disk_gb",
}


@dataclass(frozen=True)
class Amounts:
    """Capacity and usage of one resource."""

    capacity: int = 0
    vms: int = 0
    spots: int = 0
    overcommit: int = 0

    def __add__(self, other: Amounts) -> Amounts:
        return Amounts(
            self.capacity + other.capacity,
            self.vms + other.vms,
            self.spots + other.spots,
            # One host's free capacity cannot be used by another's spots.
            self.overcommit + other.overcommit,
        )


@dataclass(frozen=True)
class HostUse:
    """The usage of one host, or the sum of several.

    Attributes:
        name: Of the host or aggregate.
        vms: Consumers of standard classes: VMs, and moves of VMs in progress.
        spots: Consumers of spot classes.
        amounts: By resource (vcpus, memory_mb, disk_gb).
        counts_disk: Whether the disk of spots counts separately from that of VMs, on any host.
        consumers: Of one host: who holds what, by placement's classes.
    """

    name: str
    hosts: int = 0
    vms: int = 0
    spots: int = 0
    amounts: Mapping[str, Amounts] = field(
        default_factory=lambda: {name: Amounts() for name in RESOURCES.values()}
    )
    counts_disk: bool = False
    consumers: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the object printed with `--format json`."""
        return {
            "name": self.name,
            "hosts": self.hosts,
            "vms": self.vms,
            "spots": self.spots,
            **{name: vars(amounts) for name, amounts in self.amounts.items()},
        }


def host_use(name: str, provider: Provider) -> HostUse:
    """Return how full a host is."""
    classes = [frozenset(resources) for resources in provider.allocations.values()]
    counts_disk = {spot_flavors.DISK_GB, spot_flavors.SPOT_DISK_GB} <= provider.inventories.keys()
    amounts = {}
    for resource, word in RESOURCES.items():
        capacity = provider.capacity(resource)
        vms, spots = held(provider.allocations.values(), resource)
        # For disk on shared storage, say, the capacity for this host is unknown.
        counts = counts_disk or resource != spot_flavors.DISK_GB
        over = max(0, vms + spots - capacity) if counts else 0
        amounts[word] = Amounts(capacity, vms, spots, over)
    return HostUse(
        name=name,
        hosts=1,
        vms=sum(bool(names & RESOURCES.keys()) for names in classes),
        spots=sum(bool(names & spot_flavors.SPOT_CLASSES) for names in classes),
        amounts=amounts,
        counts_disk=counts_disk,
        consumers=provider.allocations,
    )


def total_use(name: str, hosts: Iterable[HostUse]) -> HostUse:
    """Return the sum over hosts."""
    total = HostUse(name)
    for host in hosts:
        total = HostUse(
            name=name,
            hosts=total.hosts + host.hosts,
            vms=total.vms + host.vms,
            spots=total.spots + host.spots,
            amounts={word: total.amounts[word] + host.amounts[word] for word in host.amounts},
            counts_disk=total.counts_disk or host.counts_disk,
        )
    return total
