"""A Keystone, Nova and placement over HTTP, as far as the operator's tools ask them.

What they hold is in plain lists and dictionaries that a test fills and looks at.
"""

import re
import uuid
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

from served import Served

MICROVERSION = "OpenStack-API-Version"


class CloudStandIn:
    """The state; `url` is set while it is served."""

    def __init__(self):
        self.url = ""
        self.hypervisors = []
        self.aggregates = []
        self.server_groups = []
        self.flavors = []
        self.access = {}
        self.servers = []
        self.actions = {}  # of a server, the latest first
        self.providers = {}
        self.migrations = []
        self.registered_limits = {}  # resource to default limit
        self.users = {"admin": {"id": "u", "password": "secret"}}  # by name
        self.known_roles = ["admin"]
        self.roles = {}  # user's id to the names of its roles on the project `service`
        self.metrics = ""  # of an evictor: a page, or names without their prefix to values
        self.failing = {}  # "POST /compute/..." to status, or to what is said instead
        self.requests = []
        self.page = 1000

    def environment(self):
        """The variables with which the tools log in here."""
        return {
            "OS_AUTH_URL": f"{self.url}/identity/v3",
            "OS_USERNAME": "admin",
            "OS_PASSWORD": "secret",
            "OS_PROJECT_NAME": "admin",
            "OS_USER_DOMAIN_ID": "default",
            "OS_PROJECT_DOMAIN_ID": "default",
        }

    def add_host(self, host, *, inventories=None, allocations=None, status="enabled"):
        provider = str(uuid.uuid5(uuid.NAMESPACE_DNS, host))
        service = {"host": host, "id": str(uuid.uuid4()), "disabled_reason": None}
        row = {"id": provider, "hypervisor_hostname": f"{host}.example", "service": service}
        self.hypervisors.append({**row, "status": status, "state": "up"})
        if inventories is not None:
            self.providers[provider] = {
                "inventories": {name: inventory(**row) for name, row in inventories.items()},
                "allocations": allocations or {},
                "traits": ["COMPUTE_NODE", "OWNER_NOVA"],
            }
        return provider

    def add_flavor(self, name, vcpus, ram, disk=0, *, extra_specs=None, **fields):
        row = {
            "id": fields.get("id") or str(len(self.flavors) + 1), "name": name, "vcpus": vcpus,
            "ram": ram, "disk": disk, "swap": fields.get("swap", 0),
            "OS-FLV-EXT-DATA:ephemeral": fields.get("ephemeral", 0),
            "os-flavor-access:is_public": fields.get("is_public", True),
            "extra_specs": dict(extra_specs or {}),
        }  # fmt: skip
        self.flavors.append(row)
        return row

    def flavor(self, name):
        return next(row for row in self.flavors if row["name"] == name)

    @contextmanager
    def serve(self):
        server = Served(self._answer)
        self.url = server.url
        try:
            yield self
        finally:
            server.close()

    def _answer(self, method, path, headers, body):
        url = urlsplit(path)
        request = f"{method} {url.path}"
        self.requests.append(request)
        made = self.failing.get(request)
        if isinstance(made, str):
            return 200, made
        if made is not None:
            return made, {"error": {"message": "made to fail", "code": made}}
        version = headers.get(MICROVERSION)
        return self.answer(method, url.path, parse_qs(url.query), body, version)

    def answer(self, method, path, query, body, version):
        """Return status and body."""
        for pattern, action in ROUTES:
            match = re.fullmatch(pattern, f"{method} {path}")
            if match:
                return action(self, query, body, version, *match.groups())
        return 404, {"error": {"message": f"no {method} {path}", "code": 404}}


def inventory(total, reserved=0, allocation_ratio=1.0, max_unit=None):
    return {
        "total": total,
        "reserved": reserved,
        "allocation_ratio": allocation_ratio,
        "min_unit": 1,
        "max_unit": total if max_unit is None else max_unit,
        "step_size": 1,
    }


def _versions(cloud, query, body, version):
    link = [{"rel": "self", "href": f"{cloud.url}/identity/v3/"}]
    return 200, {"version": {"id": "v3.14", "status": "stable", "links": link}}


def _token(cloud, query, body, version):
    user = body["auth"]["identity"]["password"]["user"]
    known = cloud.users.get(user["name"], {"password": "secret"})
    if user["password"] != known["password"]:
        return 401, {"error": {"message": "wrong password", "code": 401, "title": "Unauthorized"}}
    catalog = [
        {"type": kind, "name": kind, "id": kind, "endpoints": _endpoints(cloud, kind)}
        for kind in ("compute", "placement", "identity", "volumev3")
    ]
    domain = {"id": "default"}
    token = {
        "expires_at": "2099-01-01T00:00:00.000000Z", "issued_at": "2020-01-01T00:00:00.000000Z",
        "user": {"id": "u", "name": user["name"], "domain": domain}, "methods": ["password"],
        "project": {"id": "p", "name": "admin", "domain": domain}, "catalog": catalog,
    }  # fmt: skip
    return 201, {"token": {**token, "roles": [{"id": "r", "name": "admin"}]}}


def _endpoints(cloud, kind):
    url = f"{cloud.url}/{kind}{'/v3' if kind == 'identity' else ''}"
    region = {"region": "one", "region_id": "one", "url": url}
    faces = ("public", "internal")
    return [{"id": f"{kind}-{face}", "interface": face, **region} for face in faces]


def _page(cloud, query, rows, name):
    marker = query.get("marker", [None])[0]
    start = 0
    if marker is not None:
        start = next(i for i, row in enumerate(rows) if row["id"] == marker) + 1
    page = rows[start : start + cloud.page]
    body = {name: page}
    if start + cloud.page < len(rows):
        body[f"{name}_links"] = [{"rel": "next", "href": "elsewhere"}]
    return 200, body


def _hypervisors(cloud, query, body, version):
    return _page(cloud, query, cloud.hypervisors, "hypervisors")


def _flavors(cloud, query, body, version):
    everything = query.get("is_public") == ["None"]
    rows = [row for row in cloud.flavors if everything or row["os-flavor-access:is_public"]]
    if version != "compute 2.61":
        rows = [{key: row[key] for key in row if key != "extra_specs"} for row in rows]
    return _page(cloud, query, rows, "flavors")


def _create_flavor(cloud, query, body, version):
    row = body["flavor"]
    if any(flavor["name"] == row["name"] for flavor in cloud.flavors):
        return 409, {"conflictingRequest": {"message": "exists", "code": 409}}
    size = (row["name"], row["vcpus"], row["ram"], row["disk"])
    more = {"swap": row["swap"], "ephemeral": row["OS-FLV-EXT-DATA:ephemeral"]}
    is_public = row["os-flavor-access:is_public"]
    made = cloud.add_flavor(*size, id=row.get("id"), is_public=is_public, **more)
    return 200, {"flavor": made}


def _extra_specs(cloud, query, body, version, flavor):
    row = next(row for row in cloud.flavors if row["id"] == flavor)
    row["extra_specs"].update(body["extra_specs"])
    return 200, {"extra_specs": row["extra_specs"]}


def _access(cloud, query, body, version, flavor):
    projects = cloud.access.get(flavor, [])
    return 200, {"flavor_access": [{"flavor_id": flavor, "tenant_id": one} for one in projects]}


def _flavor_action(cloud, query, body, version, flavor):
    cloud.access.setdefault(flavor, []).append(body["addTenantAccess"]["tenant"])
    return 200, {"flavor_access": []}


def _delete_flavor(cloud, query, body, version, flavor):
    cloud.flavors = [row for row in cloud.flavors if row["id"] != flavor]
    return 202, b""


def _servers(cloud, query, body, version):
    deleted = query.get("deleted") == ["true"]
    rows = [row for row in cloud.servers if (row["status"] == "DELETED") == deleted]
    return _page(cloud, query, rows, "servers")


def _actions(cloud, query, body, version, server):
    if server not in cloud.actions:
        return 404, {"itemNotFound": {"message": "no such server", "code": 404}}
    return 200, {"instanceActions": cloud.actions[server]}


def _migrations(cloud, query, body, version):
    assert query["status"] == ["finished"]
    (host,) = query["source_compute"]
    rows = [each for each in cloud.migrations if each["source_compute"] == host]
    return 200, {"migrations": rows}


def _rows(name, rows_of):
    """All rows of a kind, of the cloud and the query, the user or the like."""
    return lambda cloud, query, body, version, *of: (200, {name: rows_of(cloud, query, *of)})


def _of_provider(name, shown=lambda found: found):
    """What a resource provider has by this name."""

    def answer(cloud, query, body, version, provider):
        if provider not in cloud.providers:
            return 404, {"errors": [{"status": 404, "detail": f"no provider {provider}"}]}
        return 200, {name: shown(cloud.providers[provider][name])}

    return answer


def _named(kind, name):
    """One thing of a kind, found by its name."""
    row = {"id": name.lower(), "name": name}
    return _rows(kind, lambda cloud, query: [row] if query["name"] == [name] else [])


def _create_role(cloud, query, body, version):
    cloud.known_roles.append(body["role"]["name"])
    return 201, {"role": body["role"]}


def _create_user(cloud, query, body, version):
    row = body["user"]
    made = {"id": f"id-of-{row['name']}", "password": row["password"]}
    cloud.users[row["name"]] = made
    return 201, {"user": {"id": made["id"]}}


def _grant(cloud, query, body, version, user, role):
    cloud.roles.setdefault(user, []).append(role)
    return 204, b""


def _metrics(cloud, query, body, version):
    if isinstance(cloud.metrics, str):
        return 200, cloud.metrics
    lines = [f"cospot_evictor_{name} {value}\n" for name, value in cloud.metrics.items()]
    return 200, "".join(lines)


_services = _rows(
    "services",
    lambda cloud, query: [
        {"host": one["service"]["host"], "status": one["status"], "state": one["state"]}
        for one in cloud.hypervisors
    ],
)
_limits = _rows(
    "registered_limits",
    lambda cloud, query: [
        {"resource_name": name, "default_limit": limit}
        for name, limit in cloud.registered_limits.items()
    ],
)
_users = _rows(
    "users",
    lambda cloud, query: [
        {"id": known["id"]} for name, known in cloud.users.items() if query["name"] == [name]
    ],
)
_roles = _rows(
    "roles",
    lambda cloud, query: [
        {"id": name, "name": name} for name in cloud.known_roles if query["name"] == [name]
    ],
)
_user_roles = _rows(
    "roles", lambda cloud, query, user: [{"name": name} for name in cloud.roles.get(user, [])]
)
_providers = _rows(
    "resource_providers",
    lambda cloud, query: [
        {"uuid": one, "name": one, "generation": 1, "root_provider_uuid": one}
        for one in cloud.providers
    ],
)
_allocations = _of_provider(
    "allocations", lambda held: {one: {"resources": held[one]} for one in held}
)
_groups = _rows("server_groups", lambda cloud, query: cloud.server_groups)
ROUTES = (
    (r"GET /metrics", _metrics),
    (r"GET /identity/v3/?", _versions),
    (r"POST /identity/v3/auth/tokens", _token),
    (r"GET /identity/v3/registered_limits", _limits),
    (r"GET /identity/v3/domains", _named("domains", "Default")),
    (r"GET /identity/v3/projects", _named("projects", "service")),
    (r"GET /identity/v3/roles", _roles),
    (r"POST /identity/v3/roles", _create_role),
    (r"GET /identity/v3/users", _users),
    (r"POST /identity/v3/users", _create_user),
    (r"GET /identity/v3/projects/service/users/([^/]+)/roles", _user_roles),
    (r"PUT /identity/v3/projects/service/users/([^/]+)/roles/([^/]+)", _grant),
    (r"GET /compute/os-hypervisors/detail", _hypervisors),
    (r"GET /compute/os-aggregates", _rows("aggregates", lambda cloud, query: cloud.aggregates)),
    (r"GET /compute/os-services", _services),
    (r"GET /compute/os-migrations", _migrations),
    (r"GET /compute/os-server-groups", _groups),
    (r"GET /compute/flavors/detail", _flavors),
    (r"POST /compute/flavors", _create_flavor),
    (r"DELETE /compute/flavors/([^/]+)", _delete_flavor),
    (r"POST /compute/flavors/([^/]+)/os-extra_specs", _extra_specs),
    (r"GET /compute/flavors/([^/]+)/os-flavor-access", _access),
    (r"POST /compute/flavors/([^/]+)/action", _flavor_action),
    (r"GET /compute/servers/detail", _servers),
    (r"GET /compute/servers/([^/]+)/os-instance-actions", _actions),
    (r"GET /volumev3/os-services", _services),
    (r"GET /placement/resource_providers", _providers),
    (r"GET /placement/resource_providers/([^/]+)/inventories", _of_provider("inventories")),
    (r"GET /placement/resource_providers/([^/]+)/allocations", _allocations),
    (r"GET /placement/resource_providers/([^/]+)/traits", _of_provider("traits")),
)
