"""Connections to placement and Nova: all that the service asks them, and makes Nova do.

Errors of keystoneauth become `CloudError`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any, Final, TypeVar
from urllib.parse import quote

from keystoneauth1 import exceptions, loading, session

from cospot.nova.evictor import options
from cospot.nova.evictor.at_once import together
from cospot.nova.evictor.model import (
    Amounts,
    ComputeHost,
    HostUsage,
    Inventory,
    Migration,
    Provider,
    Server,
    UnconfirmedMove,
    read_allocations,
    read_hypervisors,
    read_inventories,
    read_migrations,
    read_provider,
    read_providers,
    read_server,
    read_unconfirmed,
)
from cospot.nova.state.errors import CloudError, SettingError

#: Answers of a service that is restarting or overloaded; a question may be asked again.
_PASSING_STATUSES: Final = [429, 500, 502, 503, 504]
_QUESTION_RETRIES: Final = 2
#: 1.28 shows allocations with their consumer's generation; every release since Rocky has it.
PLACEMENT_MICROVERSION: Final = "1.28"
_T = TypeVar("_T")
#: From 2.47 a server shows its own copy of the flavor, from 2.53 a hypervisor is named by the UUID
#: of its resource provider, from 2.73 a lock has a reason; from 2.88 showing a hypervisor would
#: call the compute host.
NOVA_MICROVERSION: Final = "2.79"
_PAGE: Final = 1000


class Client:
    """One service: requests in, JSON out; anything else raises `CloudError`.

    Thread-safe, as keystoneauth's sessions are. A token that expired is replaced by keystoneauth.
    """

    def __init__(self, name: str, adapter: Any, microversion: str) -> None:
        self._name = name
        self.adapter = adapter
        self._microversion = microversion
        self._told: tuple[float, float] | None = None

    def now(self) -> float:
        """Return the time by the service's own clock, seconds since the epoch.

        From the date that its last answer had: times that the service tells are compared with
        this, as this machine's clock may be another. Without any such date, this machine's time.
        """
        if self._told is None:
            return time.time()
        date, told_at = self._told
        return date + time.monotonic() - told_at

    def get(self, path: str, patience: float | None = None) -> dict[str, Any]:
        """Ask; tries again when the service is away for a moment.

        Args:
            path: below the service's endpoint, with a leading slash, quoted.
            patience: ask once and wait at most so many seconds; None: as the configuration says.

        Returns:
            the JSON object of the answer.

        Raises:
            CloudError: no such object (`status` 404), no answer, or one that is no JSON object.
        """
        retries = _QUESTION_RETRIES if patience is None else 0
        answer = self._send("GET", path, None, retries, patience)
        try:
            body = answer.json()
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise CloudError(f"{self._name} GET {path}: expected a JSON object in the answer")
        return body

    def read(
        self, path: str, read: Callable[[dict[str, Any]], _T], patience: float | None = None
    ) -> _T:
        """Ask as `get` does; return what is read of the answer.

        Raises:
            CloudError: also for an answer that cannot be read.
        """
        body = self.get(path, patience)
        try:
            return read(body)
        except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
            raise CloudError(
                f"{self._name} GET {path}: cannot read the answer: {type(error).__name__}: {error}"
            ) from error

    def send(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        patience: float | None = None,
    ) -> None:
        """Change something. Never tried again by itself: the caller checks first.

        Waits for `patience` seconds at most; None: as the configuration says.

        Raises:
            CloudError: refused, or no answer (then it may have been done nevertheless).
        """
        self._send(method, path, body, 0, patience)

    def _send(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None,
        retries: int,
        patience: float | None = None,
    ) -> Any:
        where = f"{self._name} {method} {path}"
        limit = {} if patience is None else {"timeout": patience}
        try:
            answer = self.adapter.request(
                path,
                method,
                json=body,
                microversion=self._microversion,
                headers={"Accept": "application/json"},
                raise_exc=False,
                connect_retries=retries,
                status_code_retries=retries,
                retriable_status_codes=_PASSING_STATUSES,
                **limit,
            )
        except exceptions.ClientException as error:
            # What follows are addresses of Python objects.
            text = str(error).partition(": HTTP")[0]
            raise CloudError(f"{where}: {type(error).__name__}: {text:.300}") from error
        self._note_time(answer.headers.get("Date"))
        if answer.status_code >= 400:
            text = " ".join(answer.text.split())
            raise CloudError(f"{where}: {answer.status_code} {text:.200}", answer.status_code)
        return answer

    def _note_time(self, date: str | None) -> None:
        try:
            told = parsedate_to_datetime(date or "").timestamp()
        except ValueError:
            return  # there need not be any
        self._told = told, time.monotonic()


def open_client(conf: Any, group: str, microversion: str) -> Client:
    """Make the client of a configuration group, without asking anything yet.

    Args:
        conf: oslo.config's configuration, with `options.register` done.
        group: options.NOVA_GROUP or options.PLACEMENT_GROUP.
        microversion: sent with every request, such as "2.79".

    Raises:
        SettingError: the credentials are missing or cannot be read.
    """
    auth_group = _auth_group(conf, group)
    try:
        auth = loading.load_auth_from_conf_options(conf, auth_group)
        made = loading.load_session_from_conf_options(conf, group, auth=auth)
        for scheme in list(made.session.adapters):  # keep as many connections as questions at once
            made.session.mount(scheme, session.TCPKeepAliveAdapter(pool_maxsize=128))
        adapter = loading.load_adapter_from_conf_options(conf, group, session=made, auth=auth)
    except (exceptions.ClientException, TypeError, ValueError) as error:
        raise SettingError(f"[{group}]: cannot load the credentials: {error}") from error
    return Client(group, adapter, microversion)


def _auth_group(conf: Any, group: str) -> str:
    groups = dict.fromkeys((group, options.NOVA_GROUP))
    for name in groups:
        if conf[name].auth_type or conf[name].auth_section:
            return name
    places = [f"[{name}]" for name in groups]
    raise SettingError(
        f"[{group}] auth_type: not set; expected the credentials of the service user in "
        f"{' or '.join(places)}, such as auth_type = password with auth_url, "
        "username, password, project_name, user_domain_name, project_domain_name"
    )


class Placement:
    """Questions to placement; every method raises `CloudError` when there is no good answer."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def providers(self, aggregate: str | None = None) -> list[Provider]:
        """Return the providers, of all the cloud or of one aggregate (its UUID)."""
        path = "/resource_providers"
        if aggregate is not None:
            path += f"?member_of={aggregate}"
        return self._client.read(path, read_providers)

    def usage(self, provider: Provider) -> HostUsage:
        """Return what a provider has and who holds it."""
        return HostUsage(provider.uuid, provider.name, *self.holdings(provider.uuid))

    def holdings(self, provider: str) -> tuple[dict[str, Inventory], dict[str, Amounts]]:
        """Return the inventories of a provider (its UUID), and who holds what.

        The inventories are asked for first, so a host that shrinks in between looks larger for a
        moment, never smaller: nothing is evicted for it before the next reconcile.
        """
        path = f"/resource_providers/{provider}/inventories"
        inventories = self._client.read(path, read_inventories)
        return inventories, self.consumers(provider)

    def provider(self, uuid: str, patience: float | None = None) -> Provider:
        """Return one provider; with `patience`, ask once and wait at most so many seconds."""
        return self._client.read(f"/resource_providers/{uuid}", read_provider, patience)

    def consumers(self, provider: str) -> dict[str, Amounts]:
        """Return who holds what of a provider (its UUID)."""
        return self._client.read(f"/resource_providers/{provider}/allocations", read_allocations)

    def allocation(self, consumer: str, patience: float | None = None) -> dict[str, Amounts]:
        """Return what a consumer holds, by provider; empty when it holds nothing.

        Args:
            consumer: its UUID.
            patience: ask once and wait at most so many seconds.
        """
        return self._client.read(f"/allocations/{consumer}", read_allocations, patience)


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
            if error.is_not_found:
                return None
            raise
        return read_server(body.get("server"))

    def on_host(self, host: ComputeHost) -> dict[str, Server]:
        """Return the servers of a host, by UUID; those soft-deleted are not listed by Nova."""
        query = f"host={quote(host.host)}"
        # A cell that is down gives servers with little more than a UUID.
        servers = [read_server(row) for row in self.rows(query) if "flavor" in row]
        return {server.uuid: server for server in servers if server.node == host.node}

    def rows(self, query: str) -> Iterator[dict[str, Any]]:
        """Yield all projects' servers that a query finds, as Nova describes them."""
        query = f"all_tenants=1&{query}&limit={_PAGE}&sort_key=uuid&sort_dir=asc"
        marker = ""
        while True:
            body = self._client.get(f"/servers/detail?{query}{marker}")
            servers = body.get("servers")
            if not isinstance(servers, list) or not all(isinstance(each, dict) for each in servers):
                raise CloudError("nova GET /servers/detail: expected a list of servers")
            yield from servers
            if not servers or not body.get("servers_links"):
                return
            marker = f"&marker={quote(str(servers[-1]['id']))}"

    def migrations(self, uuid: str) -> list[Migration]:
        """Return all moves of a server that Nova knows of."""
        return self._client.read(f"/os-migrations?instance_uuid={quote(uuid)}", read_migrations)

    def unconfirmed_moves(self, host: str) -> list[UnconfirmedMove]:
        """Return the resizes and cold migrations from or to a host that hold their former one."""
        path = f"/os-migrations?host={quote(host)}&status="
        found = together(
            [
                partial(self._client.read, f"{path}{status}", read_unconfirmed)
                for status in ("finished", "confirming")
            ]
        )
        return [move for moves in found for move in moves]

    def compute_hosts(self) -> dict[str, ComputeHost]:
        """Return all compute hosts, by the UUID of their root provider."""
        path, marker, found = f"/os-hypervisors/detail?limit={_PAGE}", "", {}
        while True:
            page, has_more = self._client.read(f"{path}{marker}", read_hypervisors)
            found.update(page)
            if not page or not has_more:
                return found
            marker = f"&marker={quote(list(page)[-1])}"

    def working_computes(self) -> set[str]:
        """Return the names of the hosts whose compute service is enabled and up."""

        def read(body: dict[str, Any]) -> set[str]:
            return {
                each["host"]
                for each in body["services"]
                if each["status"] == "enabled" and each["state"] == "up"
            }

        return self._client.read("/os-services?binary=nova-compute", read)

    def aggregate_uuids(self) -> dict[str, str]:
        """Return the UUIDs of the host aggregates, by name."""
        return self._client.read(
            "/os-aggregates",
            lambda body: {each["name"]: each["uuid"] for each in body["aggregates"]},
        )

    def force_delete(self, uuid: str) -> None:
        """Delete a server for good, whatever state it is in.

        Not DELETE: that only marks a server where `reclaim_instance_interval` is set, and its
        allocation stays. forceDelete is allowed by the same policy rule's default and in every
        state, a soft-deleted one too (nova.compute.api.API.force_delete), and does nothing to a
        server that is being deleted.
        """
        self._act(uuid, "forceDelete", None)

    def reset_state(self, uuid: str) -> None:
        """Put a server in the state ERROR, without a task.

        Nova ignores the deletion of a server that it is deleting; this makes it listen again.
        """
        self._act(uuid, "os-resetState", {"state": "error"})

    def lock(self, uuid: str, reason: str, patience: float) -> None:
        """Lock a server for a reason, which its owner can read even when it is deleted."""
        self._act(uuid, "lock", {"locked_reason": reason}, patience)

    def unlock(self, uuid: str, patience: float) -> None:
        """Unlock a server; the reason goes with the lock."""
        self._act(uuid, "unlock", None, patience)

    def confirm_resize(self, uuid: str) -> None:
        """Confirm a server's resize or migration, which lets go of its former host."""
        self._act(uuid, "confirmResize", None)

    def shelve(self, uuid: str) -> None:
        """Shelve a server: snapshot it and, by Nova's default, take it off its host."""
        self._act(uuid, "shelve", None)

    def shelve_offload(self, uuid: str) -> None:
        """Take a shelved server off its host."""
        self._act(uuid, "shelveOffload", None)

    def _act(self, uuid: str, action: str, what: Any, patience: float | None = None) -> None:
        self._client.send("POST", f"/servers/{quote(uuid)}/action", {action: what}, patience)

    def set_metadata(self, uuid: str, key: str, value: str) -> None:
        """Write one entry of a server's metadata."""
        body = {"meta": {key: value}}
        self._client.send("PUT", f"/servers/{quote(uuid)}/metadata/{quote(key)}", body)

    def remove_metadata(self, uuid: str, key: str) -> None:
        """Remove one entry of a server's metadata, if it is there."""
        try:
            self._client.send("DELETE", f"/servers/{quote(uuid)}/metadata/{quote(key)}")
        except CloudError as error:
            if not error.is_not_found:
                raise
