"""A host's resources and their holders, counted alike by the scheduler, evictor and tools.

VMs and spots share VCPU, MEMORY_MB and DISK_GB; spots hold them as custom classes. Dedicated CPUs
have their own class, PCPU, with its own inventory from other cores of the host (`[compute]
cpu_dedicated_set`): a pinned VM takes no VCPU from spots, and evicting a spot frees no PCPU,
because spot flavors fix `hw:cpu_policy` to shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from cospot.nova.spot_flavors import SPOT_CLASS_OF

PCPU: Final = "PCPU"


def granted(total: int, reserved: int, allocation_ratio: float) -> int:
    """Return the capacity for all consumers together; truncated, as in placement."""
    return int((total - reserved) * allocation_ratio)


def amounts_of(
    inventories: Mapping[str, Mapping[str, Any]], resource_class: str
) -> tuple[int, int]:
    """Return the capacity of a class for all consumers together, and the reserved amount.

    Args:
        inventories: from placement, by resource class; a missing class has no capacity.
        resource_class: VCPU, PCPU, MEMORY_MB, ...

    Raises:
        KeyError, TypeError, ValueError: they are not in placement's format.
    """
    inventory = inventories.get(resource_class)
    if inventory is None:
        return 0, 0
    reserved = int(inventory.get("reserved", 0))
    ratio = float(inventory.get("allocation_ratio", 1.0))
    return granted(int(inventory["total"]), reserved, ratio), reserved


def held(allocations: Iterable[Mapping[str, int]], resource: str) -> tuple[int, int]:
    """Return how much VMs and spots hold of VCPU, MEMORY_MB or DISK_GB.

    Args:
        allocations: of all consumers of a host, by resource class.
        resource: the class name for VMs.
    """
    spot_class, vms, spots = SPOT_CLASS_OF[resource], 0, 0
    for amounts in allocations:
        vms += amounts.get(resource, 0)
        spots += amounts.get(spot_class, 0)
    return vms, spots
