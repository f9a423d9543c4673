"""Values that placement and Nova answer with, and how an answer becomes one.

A host is overcommitted in a resource when VMs and spots together use more than
(total - reserved) * allocation_ratio, the amount that placement itself grants to VMs alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from cospot.nova.inventory import granted, held
from cospot.nova.moment import seconds_of
from cospot.nova.spot_flavors import SPOT_CLASS_OF
from cospot.nova.state.errors import CloudError, MissingInventoryError

#: Amounts by placement's class for VMs (VCPU, MEMORY_MB in MiB, DISK_GB in GB).
Amounts = Mapping[str, int]
#: Two of Nova's times, in whole seconds, that are further apart have a certain order.
_SAME_SECOND_S: Final = 2.0
#: States of a migration after which nothing more comes; "finished" waits to be confirmed.
_ENDS: Final = frozenset(
    {"done", "completed", "confirmed", "reverted", "error", "failed", "cancelled"}
)


@dataclass(frozen=True)
class Inventory:
    """A provider's amounts of one resource class."""

    total: int
    reserved: int
    allocation_ratio: float

    @property
    def capacity(self) -> int:
        """Return how much of it placement grants."""
        return granted(self.total, self.reserved, self.allocation_ratio)


@dataclass(frozen=True)
class HostUsage:
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

    def capacity(self, resources: Iterable[str]) -> dict[str, int]:
        """Return how much placement grants of the resources that the provider has."""
        found = {resource: self.inventories.get(resource) for resource in resources}
        return {name: inventory.capacity for name, inventory in found.items() if inventory}

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


@dataclass(frozen=True)
class Provider:
    """A resource provider, as the list of all of them shows it.

    Attributes:
        is_root: False of one that is below a host.
    """

    uuid: str
    name: str
    generation: int
    is_root: bool = True


def read_provider(value: Mapping[str, Any]) -> Provider:
    """Return a provider from placement's description of it."""
    is_root = value["root_provider_uuid"] == value["uuid"]
    return Provider(value["uuid"], value["name"], value["generation"], is_root)


def read_providers(body: Mapping[str, Any]) -> list[Provider]:
    """Return all providers of a list."""
    return [read_provider(each) for each in body["resource_providers"]]


def read_inventories(body: Mapping[str, Any]) -> dict[str, Inventory]:
    """Return the inventories of a provider, by resource class."""
    return {
        name: Inventory(int(each["total"]), int(each["reserved"]), float(each["allocation_ratio"]))
        for name, each in body["inventories"].items()
    }


def read_allocations(body: Mapping[str, Any]) -> dict[str, Amounts]:
    """Return amounts by consumer of a provider, or by provider of a consumer."""
    return {
        key: {name: int(amount) for name, amount in each["resources"].items()}
        for key, each in body["allocations"].items()
    }


@dataclass(frozen=True)
class ComputeHost:
    """The compute service and the hypervisor behind a resource provider."""

    host: str
    node: str


@dataclass(frozen=True)
class Server:
    """A server, as far as an eviction depends on it. Times are seconds since the epoch, UTC.

    Attributes:
        updated: when Nova changed it last, as Nova writes it: compared with itself, never with a
            clock.
        is_locked: by its owner or an administrator.
        locked_reason: what whoever locked it gave as the reason.
    """

    uuid: str
    name: str
    project_id: str
    host: str | None
    node: str | None
    status: str
    vm_state: str
    task_state: str | None
    extra_specs: Mapping[str, str]
    placed_at: float
    metadata: Mapping[str, str]
    created_at: float
    updated: str
    is_locked: bool = False
    locked_reason: str = ""

    @property
    def is_deleted(self) -> bool:
        """Tell whether Nova has deleted it, though it may still hold something."""
        return self.status == "DELETED" or self.vm_state == "deleted"

    @property
    def is_being_deleted(self) -> bool:
        """Tell whether Nova has marked it for its compute to delete."""
        return self.task_state == "deleting"

    def has_just_changed(self, now: float) -> bool:
        """Tell whether what changes it now may leave `updated` as it is.

        Args:
            now: Nova's time, whole seconds since the epoch as `updated` is.
        """
        try:
            return abs(now - seconds_of(self.updated)) < _SAME_SECOND_S  # clocks are set
        except ValueError:
            return True

    @property
    def awaits_confirmation(self) -> bool:
        """Tell whether it was resized or migrated, and nobody has confirmed or reverted that."""
        return self.vm_state == "resized" and self.task_state is None

    def runs_nowhere(self, now: float, longest_build: float) -> bool:
        """Tell whether no host runs it, and none will: it failed, or its build hangs.

        Args:
            now: Nova's time, seconds since the epoch.
            longest_build: seconds after which a server that no host has taken on is not built.
        """
        if self.host is not None or self.task_state == "deleting":
            return False
        is_late = self.status == "BUILD" and now - self.created_at > longest_build
        return self.status == "ERROR" or is_late

    @property
    def is_leaving(self) -> bool:
        """Tell whether its compute is about to let go of it."""
        return self.is_being_deleted or self.task_state == "shelving_offloading"


@dataclass(frozen=True)
class Migration:
    """A move of a server, of whatever kind, as Nova wrote it down."""

    kind: str
    status: str
    source: ComputeHost

    @property
    def is_under_way(self) -> bool:
        """Tell whether it has not come to an end, good or bad."""
        return self.status not in _ENDS

    @property
    def is_evacuation_that_arrived(self) -> bool:
        """Tell whether the server was built anew elsewhere, as its host was dead.

        "done" until the old host is back and has cleaned up, then "completed": see
        `ComputeManager.rebuild_instance` and `_destroy_evacuated_instances`.
        """
        return self.kind == "evacuation" and self.status in {"done", "completed"}


@dataclass(frozen=True)
class UnconfirmedMove:
    """A resize or cold migration that has arrived; its migration still holds the former host.

    Attributes:
        uuid: of the migration, the consumer in placement.
        server: UUID.
        is_confirming: whether its confirmation is under way.
    """

    uuid: str
    server: str
    is_confirming: bool


def read_migrations(body: Mapping[str, Any]) -> list[Migration]:
    """Return the moves of an answer."""
    return [
        Migration(
            kind=each["migration_type"],
            status=each["status"],
            source=ComputeHost(each["source_compute"], each["source_node"]),
        )
        for each in body["migrations"]
    ]


def read_unconfirmed(body: Mapping[str, Any]) -> list[UnconfirmedMove]:
    """Return the unconfirmed moves of an answer."""
    return [
        UnconfirmedMove(each["uuid"], each["instance_uuid"], each["status"] != "finished")
        for each in body["migrations"]
    ]


def read_hypervisors(body: Mapping[str, Any]) -> tuple[dict[str, ComputeHost], bool]:
    """Return the compute hosts of a page, by their provider, and whether there are more."""
    page = {
        each["id"]: ComputeHost(each["service"]["host"], each["hypervisor_hostname"])
        for each in body["hypervisors"]
    }
    return page, bool(body.get("hypervisors_links"))


def read_server(value: Any) -> Server:
    """Return a server from Nova's description of it.

    Raises:
        CloudError: it lacks something, or makes no sense.
    """
    try:
        created = seconds_of(value["created"])
        launched = value.get("OS-SRV-USG:launched_at")
        return Server(
            uuid=value["id"],
            name=value.get("name", ""),
            project_id=value["tenant_id"],
            host=value.get("OS-EXT-SRV-ATTR:host"),
            node=value.get("OS-EXT-SRV-ATTR:hypervisor_hostname"),
            status=value["status"],
            vm_state=value.get("OS-EXT-STS:vm_state") or "",
            task_state=value.get("OS-EXT-STS:task_state"),
            extra_specs=dict(value["flavor"].get("extra_specs") or {}),
            placed_at=seconds_of(launched) if launched else created,
            metadata=dict(value.get("metadata") or {}),
            created_at=created,
            updated=str(value.get("updated")),
            is_locked=bool(value.get("locked")),
            locked_reason=str(value.get("locked_reason") or ""),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CloudError(f"nova: cannot read a server: {type(error).__name__}: {error}") from error
