"""A cloud small enough to reason about: placement and Nova over HTTP, with state and a memory.

Every forceDelete is judged at the moment it arrives: was the victim a spot, and did its host still
need it, counting what was being deleted as free? What was wrong is in `violations`.
"""

from __future__ import annotations

import re
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cospot.nova.spot_flavors import SPOT_CLASS_OF, SPOT_CLASSES, spot_extra_specs
from served import Served

START = 1_700_000_000.0  # when the first instance was placed, seconds since the epoch


@dataclass
class Provider:
    uuid: str
    name: str
    inventories: dict[str, dict[str, Any]]
    generation: int = 1
    aggregates: set[str] = field(default_factory=set)
    is_compute: bool = True
    root: str | None = None  # else itself
    status: str = "enabled"
    state: str = "up"


@dataclass
class Instance:
    uuid: str
    provider: str
    extra_specs: dict[str, str]
    allocation: dict[str, int]
    number: int
    project_id: str = "p" * 32
    host: str | None = None
    node: str | None = None
    status: str = "ACTIVE"
    vm_state: str = "active"
    task_state: str | None = None
    updated: float = START
    created: float | None = None  # else by its number
    metadata: dict[str, str] = field(default_factory=dict)
    has_server: bool = True
    also_on: str | None = None
    moves: list[dict[str, Any]] = field(default_factory=list)
    flavor: str = "m1"
    ended: float | None = None
    locked: bool = False
    locked_reason: str | None = None
    migration_of: str = ""  # what holds the former host of that server
    is_confirming: bool = False


class Cloud:
    """The state. All times in seconds."""

    def __init__(self, freeing_takes: float = 0.0) -> None:
        self.freeing_takes = freeing_takes
        self.placement_lags = 0.0  # a deleted server's allocation goes so much later
        self.stuck_after = 1e9  # how long a deletion counts as free, as the service is told
        self.clock_is_off = 0.0  # how far Nova's clock is ahead of the service's, seconds
        self.may_reset = True
        self.page = 3  # servers in one answer
        self.never_goes: set[str] = set()
        #: Until when Nova shows what it has of an instance from before its deletion.
        self.shown_before: dict[str, float] = {}
        self.lock = threading.RLock()
        self.providers: dict[str, Provider] = {}
        self.instances: dict[str, Instance] = {}
        self.gone: dict[str, Instance] = {}
        self.aggregates: dict[str, str] = {}
        self.deleted: list[str] = []  # in the order of the first order to delete
        self.orders: list[str] = []  # every order to delete that was taken
        self.shelved: list[str] = []
        self.confirmed: list[str] = []  # servers whose resizes are
        self.never_confirms: set[str] = set()
        self.violations: list[str] = []
        self.requests: list[str] = []
        #: Returns a status, or the text of an answer, in place of the cloud's.
        self.before: Callable[[str, str], int | bytes | None] = lambda method, path: None
        self.after: Callable[[str, str], None] = lambda method, path: None

    def add_host(self, name: str, vcpus: int = 8, memory_mb: int = 8192, **more: Any) -> str:
        made = str(uuid.uuid5(uuid.NAMESPACE_DNS, name))
        ratio, reserved = more.get("ratio", 1.0), more.get("reserved", 0)
        amounts = {"VCPU": vcpus, "MEMORY_MB": memory_mb}
        inventories = {
            resource: {"total": total, "reserved": reserved, "allocation_ratio": ratio}
            for resource, total in amounts.items()
        }
        for resource, total in amounts.items():
            inventories[SPOT_CLASS_OF[resource]] = {
                "total": total, "reserved": 0, "allocation_ratio": 1.0,
            }  # fmt: skip
        self.providers[made] = Provider(made, name, inventories)
        return made

    def add(self, provider: str, vcpus: int, memory_mb: int, *, spot: bool, **more: Any) -> str:
        with self.lock:
            number = len(self.instances) + len(self.gone)
            made = more.pop("uuid", None) or str(uuid.uuid5(uuid.NAMESPACE_OID, str(number)))
            if spot:
                specs = spot_extra_specs(vcpus, memory_mb, 0)
                held = {"CUSTOM_SPOT_VCPU": vcpus, "CUSTOM_SPOT_MEMORY_MB": memory_mb}
            else:
                specs, held = {}, {"VCPU": vcpus, "MEMORY_MB": memory_mb}
            name = self.providers[provider].name
            fields = {"host": name, "node": name, "extra_specs": specs, "allocation": held}
            self.instances[made] = Instance(made, provider, number=number, **{**fields, **more})
            self.providers[provider].generation += 1
            return made

    def remove(self, instance: str) -> None:
        with self.lock:
            found = self.instances.get(instance)
            if found is not None and found.has_server and self.placement_lags > 0:
                found.has_server, found.ended = False, time.time()
                timer = threading.Timer(self.placement_lags, self.remove, [instance])
                timer.daemon = True
                timer.start()
            elif found is not None:
                del self.instances[instance]
                self.gone[instance] = found
                found.ended = found.updated = time.time()
                # As Nova, which confirms the resize of a server before it deletes that.
                for each in [e for e in self.instances.values() if e.migration_of == instance]:
                    self.remove(each.uuid)

    def resize(self, instance: str, target: str, allocation: dict[str, int] | None = None) -> str:
        """Have a server resized to a host and not confirmed; return what holds the former one."""
        with self.lock:
            found = self.instances[instance]
            holder = self.add(
                found.provider, 0, 0, spot=True, has_server=False, migration_of=instance,
                allocation=found.allocation, host=None, node=None,
            )  # fmt: skip
            found.provider, found.allocation = target, allocation or found.allocation
            found.host = found.node = self.providers[target].name
            found.status, found.vm_state = "VERIFY_RESIZE", "resized"
            return holder

    def confirm(self, instance: str) -> int:
        with self.lock:
            found = self.instances[instance]
            (holder,) = (e for e in self.instances.values() if e.migration_of == instance)
            if found.vm_state != "resized" or holder.is_confirming:
                return 409
            if not self.over(holder.provider, leaving_counts=False):
                self.violations.append(f"{instance}: nobody needs its resize confirmed")
            self.confirmed.append(instance)
            holder.is_confirming = True
            if instance in self.never_confirms:
                return 204
            self.remove(holder.uuid)
            found.status, found.vm_state = "ACTIVE", "active"
            return 204

    def over(self, provider: str, *, leaving_counts: bool = True) -> dict[str, float]:
        """What is used beyond the capacity; what is being deleted counts as used or not."""
        with self.lock:
            over = {}
            for resource in ("VCPU", "MEMORY_MB"):
                inventory = self.providers[provider].inventories[resource]
                capacity = inventory["total"] - inventory["reserved"]
                capacity *= inventory["allocation_ratio"]
                used = sum(
                    each.allocation.get(resource, 0)
                    + each.allocation.get(SPOT_CLASS_OF[resource], 0)
                    for each in self.instances.values()
                    if each.provider == provider and (leaving_counts or not self._is_leaving(each))
                )
                if used > capacity:
                    over[resource] = used - capacity
            return over

    def _is_leaving(self, instance: Instance) -> bool:
        age = time.time() - int(instance.updated)  # as Nova shows it
        return instance.ended is not None or (
            instance.task_state == "deleting" and age < self.stuck_after
        )

    def is_spot(self, instance: str) -> bool:
        found = self.instances.get(instance) or self.gone[instance]
        return set(found.allocation) <= SPOT_CLASSES and bool(found.extra_specs)

    def force_delete(self, instance: str) -> int:
        with self.lock:
            found = self.instances.get(instance)
            if found is None or not found.has_server:
                return 404
            self.orders.append(instance)
            if found.task_state == "deleting":
                return 202
            if not self.is_spot(instance):
                self.violations.append(f"{instance} is no spot")
            short = self.over(found.provider, leaving_counts=False)
            if not any(found.allocation.get(SPOT_CLASS_OF[each], 0) for each in short):
                self.violations.append(f"{instance} need not be evicted: short of {short}")
            found.task_state, found.updated = "deleting", time.time()
            self.deleted.append(instance)
            if instance in self.never_goes:
                return 202
            if self.freeing_takes <= 0:
                self.remove(instance)
            else:
                timer = threading.Timer(self.freeing_takes, self.remove, [instance])
                timer.daemon = True
                timer.start()
            return 202


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _server(each: Instance, clock_is_off: float) -> dict[str, Any]:
    created = START + each.number if each.created is None else each.created + clock_is_off
    ended = None if each.ended is None else _time(each.ended + clock_is_off)
    flavor = {"original_name": each.flavor, "vcpus": 1, "ram": 1, "disk": 0}
    return {
        "id": each.uuid, "name": f"instance-{each.number}", "tenant_id": each.project_id,
        "status": each.status if each.ended is None else "DELETED", "created": _time(created),
        "updated": _time(each.updated + clock_is_off),
        "OS-SRV-USG:launched_at": _time(created).removesuffix("Z") + ".000000",
        "OS-SRV-USG:terminated_at": ended,
        "OS-EXT-SRV-ATTR:host": each.host, "OS-EXT-SRV-ATTR:hypervisor_hostname": each.node,
        "OS-EXT-STS:vm_state": each.vm_state, "OS-EXT-STS:task_state": each.task_state,
        "flavor": {**flavor, "extra_specs": dict(each.extra_specs)},
        "metadata": dict(each.metadata), "locked": each.locked, "locked_reason": each.locked_reason,
    }  # fmt: skip


Answer = tuple[int, dict[str, Any]]


class _Routes:
    """Paths to answers; the cloud's lock is held."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud
        self.table: list[tuple[str, str, Callable[..., Answer]]] = [
            ("GET", r"/placement/resource_providers", self.providers),
            ("GET", r"/placement/resource_providers/([^/]+)", self.provider),
            ("GET", r"/placement/resource_providers/([^/]+)/inventories", self.inventories),
            ("GET", r"/placement/resource_providers/([^/]+)/allocations", self.held_of),
            ("GET", r"/placement/allocations/([^/]+)", self.held_by),
            ("GET", r"/nova/servers/detail", self.servers),
            ("GET", r"/nova/servers/([^/]+)", self.server),
            ("GET", r"/nova/os-hypervisors/detail", self.hypervisors),
            ("GET", r"/nova/os-services", self.services),
            ("GET", r"/nova/os-aggregates", self.aggregates),
            ("GET", r"/nova/os-migrations", self.migrations),
            ("POST", r"/nova/servers/([^/]+)/action", self.act),
            ("PUT", r"/nova/servers/([^/]+)/metadata/([^/]+)", self.set_metadata),
            ("DELETE", r"/nova/servers/([^/]+)/metadata/([^/]+)", self.remove_metadata),
        ]

    def answer(self, method: str, url: str, body: Any) -> Answer:
        parts = urlsplit(url)
        query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
        for verb, pattern, handler in self.table:
            match = re.fullmatch(pattern, parts.path)
            if verb == method and match:
                try:
                    return handler(*match.groups(), query=query, body=body)
                except KeyError as error:
                    return 404, {"error": f"no {error}"}
        return 404, {"error": f"no route {method} {url}"}

    def providers(self, query: Any, body: Any) -> Answer:
        of = query.get("member_of")
        found = [
            each for each in self.cloud.providers.values() if of is None or of in each.aggregates
        ]
        return 200, {"resource_providers": [self._provider(each) for each in found]}

    def provider(self, name: str, query: Any, body: Any) -> Answer:
        return 200, self._provider(self.cloud.providers[name])

    def _provider(self, each: Provider) -> dict[str, Any]:
        return {
            "uuid": each.uuid, "name": each.name, "generation": each.generation,
            "root_provider_uuid": each.root or each.uuid, "parent_provider_uuid": each.root,
        }  # fmt: skip

    def inventories(self, name: str, query: Any, body: Any) -> Answer:
        return 200, {"inventories": self.cloud.providers[name].inventories}

    def held_of(self, name: str, query: Any, body: Any) -> Answer:
        provider = self.cloud.providers[name]
        held = {
            each.uuid: {"resources": each.allocation}
            for each in self.cloud.instances.values()
            if each.provider == name and each.allocation
        }
        generation = provider.generation
        return 200, {"allocations": held, "resource_provider_generation": generation}

    def held_by(self, name: str, query: Any, body: Any) -> Answer:
        each = self.cloud.instances.get(name)
        if each is None or not each.allocation:
            return 200, {"allocations": {}}
        on = [each.provider, *([each.also_on] if each.also_on else [])]
        held = {name: {"generation": 1, "resources": each.allocation} for name in on}
        return 200, {"allocations": held, "consumer_generation": 1}

    def servers(self, query: Any, body: Any) -> Answer:
        if query.get("all_tenants") != "1":
            return 200, {"servers": []}
        found = [
            each
            for each in sorted(self._listed(query), key=lambda each: each.uuid)
            if each.has_server
            and each.status != "SOFT_DELETED"
            and ("host" not in query or each.host == query["host"])
            and each.uuid > query.get("marker", "")
        ]
        page = found[: min(int(query.get("limit", 1000)), self.cloud.page)]
        answer: dict[str, Any] = {"servers": [self._shown(each) for each in page]}
        if len(page) < len(found):
            answer["servers_links"] = [{"rel": "next", "href": "..."}]
        return 200, answer

    def _listed(self, query: Any) -> list[Instance]:
        """As Nova: deleted ones where they are asked for, or what has changed is."""
        there, gone = list(self.cloud.instances.values()), list(self.cloud.gone.values())
        since = query.get("changes-since")
        if since is None:
            return gone if query.get("deleted") == "true" else there
        found = gone if query.get("deleted") == "true" else there + gone
        oldest = datetime.fromisoformat(since.replace("Z", "+00:00")).timestamp()
        return [each for each in found if max(each.updated, each.created or 0) >= int(oldest)]

    def server(self, name: str, query: Any, body: Any) -> Answer:
        each = self.cloud.instances[name]
        if not each.has_server:
            raise KeyError(name)
        return 200, {"server": self._shown(each)}

    def _shown(self, each: Instance) -> dict[str, Any]:
        if time.time() < self.cloud.shown_before.get(each.uuid, 0.0):
            each = replace(each, task_state=None, updated=START)
        return _server(each, self.cloud.clock_is_off)

    def hypervisors(self, query: Any, body: Any) -> Answer:
        service = {"id": "1", "disabled_reason": None}
        found = [
            {"id": each.uuid, "hypervisor_hostname": name, "service": {"host": name, **service}}
            for name, each in self._computes()
        ]
        return 200, {"hypervisors": found}

    def _computes(self) -> list[tuple[str, Provider]]:
        return [(each.name, each) for each in self.cloud.providers.values() if each.is_compute]

    def services(self, query: Any, body: Any) -> Answer:
        assert query == {"binary": "nova-compute"}
        found = [
            {"host": name, "binary": "nova-compute", "status": each.status, "state": each.state}
            for name, each in self._computes()
        ]
        return 200, {"services": found}

    def aggregates(self, query: Any, body: Any) -> Answer:
        found = [{"name": name, "uuid": made} for name, made in self.cloud.aggregates.items()]
        return 200, {"aggregates": found}

    def migrations(self, query: Any, body: Any) -> Answer:
        if "instance_uuid" in query:
            return 200, {"migrations": self.cloud.instances[query["instance_uuid"]].moves}
        found = [
            {"uuid": each.uuid, "instance_uuid": each.migration_of, "status": query["status"]}
            for each in self.cloud.instances.values()
            if each.migration_of
            and each.is_confirming == (query["status"] == "confirming")
            and query["host"]
            in (
                self.cloud.providers[each.provider].name,
                self.cloud.instances[each.migration_of].host,
            )
        ]
        return 200, {"migrations": found}

    def act(self, name: str, query: Any, body: Any) -> Answer:
        if "forceDelete" in body:
            status = self.cloud.force_delete(name)
            return status, {}
        if "confirmResize" in body:
            return self.cloud.confirm(name), {}
        each = self.cloud.instances[name]
        if "os-resetState" in body:
            if not self.cloud.may_reset:
                return 403, {"error": "os-resetState is for others"}
            each.status, each.vm_state, each.task_state = "ERROR", "error", None
            return 202, {}
        if "lock" in body:
            each.locked, each.locked_reason = True, body["lock"]["locked_reason"]
            return 202, {}
        if "unlock" in body:
            each.locked, each.locked_reason = False, None
            return 202, {}
        if "shelve" in body:
            self.cloud.shelved.append(name)
            each.allocation, each.host, each.node = {}, None, None
            each.status, each.vm_state = "SHELVED_OFFLOADED", "shelved_offloaded"
            return 202, {}
        return 400, {"error": f"unknown action {sorted(body)}"}

    def set_metadata(self, name: str, key: str, query: Any, body: Any) -> Answer:
        self.cloud.instances[name].metadata[key] = body["meta"][key]
        return 200, body

    def remove_metadata(self, name: str, key: str, query: Any, body: Any) -> Answer:
        if self.cloud.instances[name].vm_state == "shelved_offloaded":
            return 409, {"error": "not while it is shelved"}
        del self.cloud.instances[name].metadata[key]
        return 204, {}


class CloudServer(Served):
    """Serves a cloud on a port of 127.0.0.1."""

    def __init__(self, cloud: Cloud) -> None:
        routes = _Routes(cloud)

        def answer(method: str, path: str, _: Any, body: Any) -> tuple[int, Any]:
            with cloud.lock:
                cloud.requests.append(f"{method} {path}")
            made = cloud.before(method, path)
            if made is not None:
                error = {"error": "made by the test"}
                return (made, error) if isinstance(made, int) else (200, made)
            with cloud.lock:
                found = routes.answer(method, path, body)
            cloud.after(method, path)
            return found

        super().__init__(answer, lambda: time.time() + cloud.clock_is_off)
