"""How full hosts are, with VMs and with spots, added up over aggregates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cospot.nova import spot_flavors
from cospot.nova.tools.cloud import Provider

#: Nova's words for placement's classes.
RESOURCES: Final[Mapping[str, str]] = {
    spot_flavors.VCPU: "vcpus",
    spot_flavors.MEMORY_MB: "memory_mb",
    spot_flavors.DISK_GB: "disk_gb",
}


@dataclass(frozen=True)
class Amounts:
    """Of one resource: what there is for VMs, and who uses how much of it."""

    capacity: int = 0
    vms: int = 0
    spots: int = 0
    overcommit: int = 0

    def __add__(self, other: Amounts) -> Amounts:
        return Amounts(
            self.capacity + other.capacity,
            self.vms + other.vms,
            self.spots + other.spots,
            # One host's free room is of no use to another's spots.
            self.overcommit + other.overcommit,
        )


@dataclass(frozen=True)
class HostUse:
    """Of one host, or of several added up.

    Attributes:
        name: Of the host or aggregate.
        vms: How many consumers hold what VMs hold: VMs, and moves of VMs while they last.
        spots: How many consumers hold spot classes.
        amounts: Resource (vcpus, memory_mb, disk_gb) to amounts.
    """

    name: str
    hosts: int = 0
    vms: int = 0
    spots: int = 0
    amounts: Mapping[str, Amounts] = field(
        default_factory=lambda: {name: Amounts() for name in RESOURCES.values()}
    )

    def as_json(self) -> dict[str, Any]:
        """Return it as it is printed with `--format json`."""
        return {
            "name": self.name,
            "hosts": self.hosts,
            "vms": self.vms,
            "spots": self.spots,
            **{name: vars(amounts) for name, amounts in self.amounts.items()},
        }


def host_use(name: str, provider: Provider) -> HostUse:
    """Return how full a host is."""
    held = [frozenset(resources) for resources in provider.allocations.values()]
    amounts = {}
    for resource, word in RESOURCES.items():
        capacity = provider.capacity(resource)
        vms = provider.used(resource)
        spots = provider.used(spot_flavors.SPOT_CLASS_OF[resource])
        amounts[word] = Amounts(capacity, vms, spots, max(0, vms + spots - capacity))
    return HostUse(
        name=name,
        hosts=1,
        vms=sum(bool(names & RESOURCES.keys()) for names in held),
        spots=sum(bool(names & spot_flavors.SPOT_CLASSES) for names in held),
        amounts=amounts,
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
        )
    return total
