"""How much room a host has, and how much its VMs and spots use: exact, from one look at placement.

A host is overcommitted in a resource when VMs and spots together use more than
(total - reserved) * allocation_ratio, the amount that placement itself grants to VMs alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from cospot.nova.evictor.errors import MissingInventoryError
from cospot.nova.inventory import granted, held
from cospot.nova.spot_flavors import SPOT_CLASS_OF

#: Amounts by placement's class for VMs (VCPU, MEMORY_MB in MiB, DISK_GB in GB).
Amounts = Mapping[str, int]


@dataclass(frozen=True)
class Inventory:
    """What a provider has of one resource class."""

    total: int
    reserved: int
    allocation_ratio: float

    @property
    def capacity(self) -> int:
        """Return how much of it placement grants."""
        return granted(self.total, self.reserved, self.allocation_ratio)


@dataclass(frozen=True)
class HostRoom:
    """A resource provider: what it has and who holds how much of it.

    Attributes:
        provider: UUID of the resource provider.
        name: its name: the hypervisor's, for a compute node.
        inventories: by resource class.
        consumers: amounts by resource class, by UUID of the consumer.
    """

    provider: str
    name: str
    inventories: Mapping[str, Inventory]
    consumers: Mapping[str, Amounts]

    def used(self, resource: str, gone: Collection[str] = ()) -> tuple[int, int]:
        """Return what VMs and what spots hold of a resource.

        Args:
            resource: VCPU, MEMORY_MB or DISK_GB.
            gone: consumers to count as gone already.
        """
        return held(
            (amounts for consumer, amounts in self.consumers.items() if consumer not in gone),
            resource,
        )

    def free(self, resource: str, gone: Collection[str] = ()) -> int:
        """Return what is free of a resource beside VMs and spots; negative when overcommitted.

        Raises:
            MissingInventoryError: the provider has none of it.
        """
        inventory = self.inventories.get(resource)
        if inventory is None:
            known = ", ".join(sorted(self.inventories)) or "none"
            raise MissingInventoryError(
                f"host {self.name} (provider {self.provider}) has no inventory of {resource}, "
                f"only of: {known}"
            )
        return inventory.capacity - sum(self.used(resource, gone))

    def shortfall(self, resources: Iterable[str], gone: Collection[str] = ()) -> dict[str, int]:
        """Return how much is used beyond what there is; empty when nothing is.

        Raises:
            MissingInventoryError: the provider has none of a resource.
        """
        free = {resource: self.free(resource, gone) for resource in resources}
        return {resource: -amount for resource, amount in free.items() if amount < 0}


def spot_amounts(allocation: Amounts) -> dict[str, int]:
    """Return a spot's allocation by the classes of VMs: what evicting it frees."""
    return {
        resource: allocation.get(spot_class, 0) for resource, spot_class in SPOT_CLASS_OF.items()
    }
