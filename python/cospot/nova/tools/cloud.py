"""Reads hosts, usage, flavors and limits from the cloud; every failure is one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from cospot.errors import ConfigError, CospotError
from cospot.nova.inventory import amounts_of

#: Each host takes two placement requests; this many concurrent ones keep a thousand hosts to
#: seconds.
_CONNECTIONS: Final = 8
_HYPERVISORS: Final = "2.53"  # the first whose ids are the providers' UUIDs
_FLAVORS: Final = "2.61"  # the first that lists extra specs
_SERVERS: Final = "2.73"  # from 2.47 on, a server contains its flavor with extra specs
_PLACEMENT: Final = "1.14"  # the first that returns root providers
_T = TypeVar("_T")


class CloudError(CospotError):
    """Nova, placement or Keystone did not answer, or not as expected."""


@dataclass(frozen=True)
class Hypervisor:
    """A compute node.

    Attributes:
        provider: UUID of the node and of its root resource provider.
        node: Its name, `hypervisor_hostname`.
        host: Name of its compute service.
        enabled: Whether the scheduler may use it.
        is_up: Whether its compute service answers.
    """

    provider: str
    node: str
    host: str
    enabled: bool = True
    is_up: bool = True


@dataclass(frozen=True)
class Flavor:
    """A flavor of Nova; memory in MiB, disks in GiB, swap in MiB."""

    id: str
    name: str
    vcpus: int
    memory_mb: int
    root_gb: int
    ephemeral_gb: int = 0
    swap_mb: int = 0
    is_public: bool = True
    extra_specs: Mapping[str, str] = field(default_factory=dict)

    @property
    def disk_gb(self) -> int:
        """The disk that Nova asks placement for: swap counts in whole GiB, rounded up."""
        return self.root_gb + self.ephemeral_gb + -(-self.swap_mb // 1024)


@dataclass(frozen=True)
class Provider:
    """Placement's data on a host.

    Attributes:
        inventories: Resource class to total, reserved, allocation_ratio, max_unit, ...
        allocations: Consumer's UUID to its resources on this provider.
    """

    inventories: Mapping[str, Mapping[str, Any]]
    allocations: Mapping[str, Mapping[str, int]]

    def capacity(self, resource: str) -> int:
        """Return the usable capacity of a resource class; 0 without an inventory."""
        return amounts_of(self.inventories, resource)[0]

    def used(self, resource: str) -> int:
        """Return how much of a resource class consumers hold."""
        return sum(resources.get(resource, 0) for resources in self.allocations.values())


class Cloud:
    """The compute, placement and identity services, with administrator rights."""

    def __init__(self, compute: Any, placement: Any, identity: Any) -> None:
        self._compute = compute
        self._placement = placement
        self._identity = identity

    def hypervisors(self) -> list[Hypervisor]:
        """Return the compute nodes, by name."""
        rows = self._pages("/os-hypervisors/detail", "hypervisors", _HYPERVISORS)
        found = [
            Hypervisor(
                provider=row["id"],
                node=row["hypervisor_hostname"],
                host=row["service"]["host"],
                enabled=row["status"] == "enabled",
                is_up=row.get("state", "up") == "up",
            )
            for row in rows
        ]
        return sorted(found, key=lambda hypervisor: (hypervisor.host, hypervisor.node))

    def aggregate_rows(self) -> list[Mapping[str, Any]]:
        """Return the host aggregates in Nova's format, by name; their metadata has the zone."""
        rows = self._get(self._compute, "/os-aggregates", "aggregates", _HYPERVISORS)["aggregates"]
        return sorted(rows, key=lambda row: str(row["name"]))

    def aggregates(self) -> dict[str, list[str]]:
        """Return the names of the compute services in each host aggregate, by name."""
        return {row["name"]: list(row["hosts"]) for row in self.aggregate_rows()}

    def hosts_of(self, aggregates: Iterable[str]) -> dict[str, list[str]]:
        """Return the compute services in each of some host aggregates.

        Raises:
            ConfigError: there is no such aggregate.
        """
        known = self.aggregates()
        for name in aggregates:
            if name not in known:
                names = ", ".join(known) or "there is none"
                raise ConfigError(f"aggregate '{name}': expected one of: {names}")
        return {name: known[name] for name in aggregates}

    def server_groups(self) -> dict[str, dict[str, Any]]:
        """Return all projects' server groups, by UUID, each with its policy and rules."""
        path, name = "/os-server-groups", "server_groups"
        rows = self._get(self._compute, path, name, _SERVERS, all_projects="true")[name]
        return {row["id"]: row for row in rows}

    def flavors(self) -> list[Flavor]:
        """Return all flavors, private ones too, by name."""
        rows = self._pages("/flavors/detail", "flavors", _FLAVORS, is_public="None")
        return sorted(map(_flavor, rows), key=lambda flavor: flavor.name)

    def registered_limits(self) -> dict[str, int]:
        """Return the default limits of projects, by resource."""
        name = "registered_limits"
        rows = self._get(self._identity, f"/{name}", name, None)[name]
        return {row["resource_name"]: int(row["default_limit"]) for row in rows}

    def servers(self, query: Mapping[str, str]) -> Iterable[Mapping[str, Any]]:
        """Yield all projects' servers in detail."""
        query = {"all_tenants": "1", **query}
        yield from self._pages("/servers/detail", "servers", _SERVERS, **query)

    def actions(
        self, servers: Iterable[str]
    ) -> Iterator[tuple[str, list[dict[str, Any]] | CloudError]]:
        """Yield each server's UUID with its actions, or the reason why they are unknown."""

        def read(uuid: str) -> list[dict[str, Any]]:
            path, name = f"/servers/{uuid}/os-instance-actions", "instanceActions"
            body = self._get(self._compute, path, name, _SERVERS)
            if body.get("links"):
                raise CloudError(f"compute: server {uuid} has more actions than a page")
            return list(body[name])

        return _each(servers, read)

    def project_of(self, server: str) -> str:
        """Return a server's project; empty if Nova does not know it."""
        rows = self.servers({"uuid": server})
        return next((str(row["tenant_id"]) for row in rows), "")

    def unconfirmed_resizes(self, host: str) -> list[Mapping[str, Any]]:
        """Return the migrations of servers that left a host and have not been confirmed."""
        query = {"source_compute": host, "status": "finished"}
        path, name = "/os-migrations", "migrations"
        return list(self._get(self._compute, path, name, _SERVERS, **query)[name])

    def provider(self, uuid: str) -> Provider:
        """Return a resource provider's inventories and allocations."""
        path = f"/resource_providers/{uuid}"

        def read(name: str) -> Any:
            return self._get(self._placement, f"{path}/{name}", name, _PLACEMENT)[name]

        inventories, allocations = read("inventories"), read("allocations")
        return Provider(
            inventories=inventories,
            allocations={consumer: row["resources"] for consumer, row in allocations.items()},
        )

    def providers(self, hypervisors: Iterable[Hypervisor]) -> dict[str, Provider | CloudError]:
        """Return the provider of each hypervisor by UUID, or the reason why there is none."""
        return dict(_each((one.provider for one in hypervisors), self.provider))

    def traits(self, hypervisors: Iterable[Hypervisor]) -> dict[str, frozenset[str] | CloudError]:
        """Return the traits of each hypervisor's provider by UUID, or why they are unknown."""

        def read(uuid: str) -> frozenset[str]:
            path, name = f"/resource_providers/{uuid}/traits", "traits"
            return frozenset(self._get(self._placement, path, name, _PLACEMENT)[name])

        return dict(_each((one.provider for one in hypervisors), read))

    def flavor_projects(self, flavor: Flavor) -> list[str]:
        """Return the projects that may use a private flavor."""
        path = f"/flavors/{flavor.id}/os-flavor-access"
        rows = self._get(self._compute, path, "flavor_access", _FLAVORS)["flavor_access"]
        return sorted(row["tenant_id"] for row in rows)

    def ask_identity(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, **query: str
    ) -> Any:
        """Send a request to Keystone's API version 3; return an object of its answer."""
        answer = self._ask(self._identity, method, path, None, params=query, json=body)
        return answer.json() if answer.content else {}

    def create_flavor(self, flavor: Flavor) -> Flavor:
        """Create a flavor without its extra specs; Nova chooses the id if it is empty."""
        body = {
            "name": flavor.name,
            "vcpus": flavor.vcpus,
            "ram": flavor.memory_mb,
            "disk": flavor.root_gb,
            "OS-FLV-EXT-DATA:ephemeral": flavor.ephemeral_gb,
            "swap": flavor.swap_mb,
            "os-flavor-access:is_public": flavor.is_public,
            **({"id": flavor.id} if flavor.id else {}),
        }
        return _flavor(self._post("/flavors", {"flavor": body})["flavor"])

    def set_extra_specs(self, flavor: Flavor, extra_specs: Mapping[str, str]) -> None:
        """Add to a flavor's extra specs."""
        self._post(f"/flavors/{flavor.id}/os-extra_specs", {"extra_specs": dict(extra_specs)})

    def allow_project(self, flavor: Flavor, project: str) -> None:
        """Let a project use a private flavor."""
        self._post(f"/flavors/{flavor.id}/action", {"addTenantAccess": {"tenant": project}})

    def delete_flavor(self, flavor: Flavor) -> None:
        """Delete a flavor."""
        self._ask(self._compute, "DELETE", f"/flavors/{flavor.id}", _FLAVORS)

    def _pages(self, path: str, name: str, version: str, **query: str) -> list[dict[str, Any]]:
        """Read a paginated list; the last row read marks the next page."""
        rows: list[dict[str, Any]] = []
        while True:
            body = self._get(self._compute, path, name, version, **query)
            rows += body[name]
            more = any(link.get("rel") == "next" for link in body.get(f"{name}_links", ()))
            if not more or not body[name]:
                return rows
            query = {**query, "marker": rows[-1]["id"]}

    def _get(self, client: Any, path: str, name: str, version: str | None, **query: str) -> Any:
        """Return the object of an answer, which must have the named entry."""
        answer = self._ask(client, "GET", path, version, params=query)
        try:
            body = answer.json()
        except ValueError:  # for example a proxy's error page
            body = None
        if not isinstance(body, dict) or name not in body:
            where = answer.url.partition("?")[0]
            raise CloudError(
                f"{client.service_type}: GET {path}: expected an object with '{name}', found"
                f" {answer.text[:60]!r}; is this the right service at {where}?"
            )
        return body

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        answer = self._ask(self._compute, "POST", path, _FLAVORS, json=body)
        return answer.json() if answer.content else {}

    def _ask(self, client: Any, method: str, path: str, version: str | None, **request: Any) -> Any:
        from keystoneauth1 import exceptions

        service = client.service_type
        try:
            return client.request(path, method, microversion=version, **request)
        except exceptions.ClientException as error:
            raise CloudError(f"{service}: {method} {path}: {error}") from error


def _each(keys: Iterable[str], read: Callable[[str], _T]) -> Iterator[tuple[str, _T | CloudError]]:
    """Yield each key with what is read of it, several at once, or the reason why it is unknown."""

    def one(key: str) -> tuple[str, _T | CloudError]:
        try:
            return key, read(key)
        except CloudError as error:
            return key, error

    with ThreadPoolExecutor(_CONNECTIONS) as pool:
        yield from pool.map(one, keys)


def _flavor(row: Mapping[str, Any]) -> Flavor:
    return Flavor(
        id=row["id"],
        name=row["name"],
        vcpus=row["vcpus"],
        memory_mb=row["ram"],
        root_gb=row["disk"],
        ephemeral_gb=row.get("OS-FLV-EXT-DATA:ephemeral", 0),
        swap_mb=row.get("swap") or 0,
        is_public=row.get("os-flavor-access:is_public", True),
        extra_specs=dict(row.get("extra_specs", {})),
    )
