"""What a host has and who holds how much: one count for the scheduler, the evictor, the tools.

VMs and spots share VCPU, MEMORY_MB and DISK_GB, of which spots hold the custom classes. Dedicated
CPUs are a class of their own, PCPU, with an inventory of their own, from other cores of the host
(`[compute] cpu_dedicated_set`): a pinned VM takes none of the VCPU that spots could have, and no
spot's eviction frees PCPU, because spot flavors fix `hw:cpu_policy` to shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from cospot.nova.spot_flavors import SPOT_CLASS_OF

PCPU: Final = "PCPU"


def granted(total: int, reserved: int, allocation_ratio: float) -> int:
    """Return how much consumers may hold together; truncated, as placement does it."""
    return int((total - reserved) * allocation_ratio)


def amounts_of(
    inventories: Mapping[str, Mapping[str, Any]], resource_class: str
) -> tuple[int, int]:
    """Return how much of a class consumers may hold together and how much is reserved.

    Args:
        inventories: placement's, by resource class; without the class there is nothing of it.
        resource_class: VCPU, PCPU, MEMORY_MB, ...

    Raises:
        KeyError, TypeError, ValueError: they are not as placement writes them.
    """
    inventory = inventories.get(resource_class)
    if inventory is None:
        return 0, 0
    reserved = int(inventory.get("reserved", 0))
    ratio = float(inventory.get("allocation_ratio", 1.0))
    return granted(int(inventory["total"]), reserved, ratio), reserved


def held(allocations: Iterable[Mapping[str, int]], resource: str) -> tuple[int, int]:
    """Return what VMs and what spots hold of VCPU, MEMORY_MB or DISK_GB.

    Args:
        allocations: of all consumers of a host, by resource class.
        resource: by its class for VMs.
    """
    spot_class, vms, spots = SPOT_CLASS_OF[resource], 0, 0
    for amounts in allocations:
        vms += amounts.get(resource, 0)
        spots += amounts.get(spot_class, 0)
    return vms, spots
