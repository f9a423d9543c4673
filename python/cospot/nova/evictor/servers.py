"""What the service asks Nova, and the few things it makes Nova do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Final
from urllib.parse import quote

from cospot.nova.evictor.clients import Client
from cospot.nova.evictor.errors import CloudError

#: From 2.47 a server shows its own copy of the flavor, from 2.53 a hypervisor is named by the UUID
#: of its resource provider; from 2.88 showing a hypervisor would call the compute host.
MICROVERSION: Final = "2.79"
_PAGE: Final = 1000
#: States of a migration after which nothing more comes; "finished" waits to be confirmed.
_ENDS: Final = frozenset(
    {"done", "completed", "confirmed", "reverted", "error", "failed", "cancelled"}
)


@dataclass(frozen=True)
class ComputeHost:
    """The compute service and the hypervisor behind a resource provider."""

    host: str
    node: str


@dataclass(frozen=True)
class Server:
    """A server, as far as an eviction depends on it. Times are seconds since the epoch, UTC."""

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

    @property
    def is_deleted(self) -> bool:
        """Tell whether Nova has deleted it, though it may still hold something."""
        return self.status == "DELETED" or self.vm_state == "deleted"

    @property
    def is_being_deleted(self) -> bool:
        """Tell whether Nova has marked it for its compute to delete."""
        return self.task_state == "deleting"


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


class Servers:
    """Questions and orders to Nova; every method raises `CloudError` when it is not answered."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def now(self) -> float:
        """Return the time by Nova's clock, seconds since the epoch."""
        return self._client.now()

    def server(self, uuid: str) -> Server | None:
        """Return a server; None when there is none, or none that has not been deleted."""
        try:
            body = self._client.get(f"/servers/{quote(uuid)}")
        except CloudError as error:
            if error.status == 404:
                return None
            raise
        return _read_server(body.get("server"))

    def on_host(self, host: ComputeHost) -> dict[str, Server]:
        """Return the servers of a host, by UUID; those soft-deleted are not listed by Nova."""
        found: dict[str, Server] = {}
        query = f"all_tenants=1&host={quote(host.host)}&limit={_PAGE}&sort_key=uuid&sort_dir=asc"
        marker = ""
        while True:
            body = self._client.get(f"/servers/detail?{query}{marker}")
            servers = body.get("servers")
            if not isinstance(servers, list):
                raise CloudError("nova GET /servers/detail: expected a list of servers")
            # A cell that is down gives servers with little more than a UUID.
            page = [_read_server(each) for each in servers if "flavor" in each]
            found.update({server.uuid: server for server in page if server.node == host.node})
            if not servers or not body.get("servers_links"):
                return found
            marker = f"&marker={quote(str(servers[-1]['id']))}"

    def migrations(self, uuid: str) -> list[Migration]:
        """Return all moves of a server that Nova knows of."""
        body = self._client.get(f"/os-migrations?instance_uuid={quote(uuid)}")
        try:
            return [
                Migration(
                    kind=each["migration_type"],
                    status=each["status"],
                    source=ComputeHost(each["source_compute"], each["source_node"]),
                )
                for each in body["migrations"]
            ]
        except (KeyError, TypeError) as error:
            raise CloudError(f"nova: cannot read the migrations: {error!r}") from error

    def compute_hosts(self) -> dict[str, ComputeHost]:
        """Return all compute hosts, by the UUID of their root provider."""
        found: dict[str, ComputeHost] = {}
        marker = ""
        while True:
            body = self._client.get(f"/os-hypervisors/detail?limit={_PAGE}{marker}")
            try:
                page = {
                    each["id"]: ComputeHost(each["service"]["host"], each["hypervisor_hostname"])
                    for each in body["hypervisors"]
                }
            except (KeyError, TypeError) as error:
                raise CloudError(f"nova: cannot read the hypervisors: {error!r}") from error
            found.update(page)
            if not page or not body.get("hypervisors_links"):
                return found
            marker = f"&marker={quote(list(page)[-1])}"

    def aggregate_uuids(self) -> dict[str, str]:
        """Return the UUIDs of the host aggregates, by name."""
        body = self._client.get("/os-aggregates")
        try:
            return {each["name"]: each["uuid"] for each in body["aggregates"]}
        except (KeyError, TypeError) as error:
            raise CloudError(f"nova: cannot read the aggregates: {error!r}") from error

    def force_delete(self, uuid: str) -> None:
        """Delete a server for good, whatever state it is in.

        Not DELETE: that only marks a server where `reclaim_instance_interval` is set, and its
        allocation stays. forceDelete is allowed by the same policy rule's default and in every
        state, a soft-deleted one too (nova.compute.api.API.force_delete), and does nothing to a
        server that is being deleted.
        """
        self._client.send("POST", f"/servers/{quote(uuid)}/action", {"forceDelete": None})

    def reset_state(self, uuid: str) -> None:
        """Put a server in the state ERROR, without a task.

        Nova ignores the deletion of a server that it is deleting; this makes it listen again.
        """
        body = {"os-resetState": {"state": "error"}}
        self._client.send("POST", f"/servers/{quote(uuid)}/action", body)

    def shelve(self, uuid: str) -> None:
        """Shelve a server: snapshot it and, by Nova's default, take it off its host."""
        self._client.send("POST", f"/servers/{quote(uuid)}/action", {"shelve": None})

    def shelve_offload(self, uuid: str) -> None:
        """Take a shelved server off its host."""
        self._client.send("POST", f"/servers/{quote(uuid)}/action", {"shelveOffload": None})

    def set_metadata(self, uuid: str, key: str, value: str) -> None:
        """Write one entry of a server's metadata."""
        body = {"meta": {key: value}}
        self._client.send("PUT", f"/servers/{quote(uuid)}/metadata/{quote(key)}", body)

    def remove_metadata(self, uuid: str, key: str) -> None:
        """Remove one entry of a server's metadata, if it is there."""
        try:
            self._client.send("DELETE", f"/servers/{quote(uuid)}/metadata/{quote(key)}")
        except CloudError as error:
            if error.status != 404:
                raise


def _read_server(value: Any) -> Server:
    try:
        created = _seconds(value["created"])
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
            placed_at=_seconds(launched) if launched else created,
            metadata=dict(value.get("metadata") or {}),
            created_at=created,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CloudError(f"nova: cannot read a server: {type(error).__name__}: {error}") from error


def _seconds(text: str) -> float:
    """Return a time as Nova writes it (UTC, with or without a Z and fractions)."""
    moment = datetime.fromisoformat(text.removesuffix("Z"))
    return moment.replace(tzinfo=moment.tzinfo or timezone.utc).timestamp()
