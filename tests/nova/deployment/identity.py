"""What Keystone holds: services, endpoints, projects, users and roles."""

import grp
import os
import pwd

from keystoneauth1 import session as keystone_session
from keystoneauth1.adapter import Adapter
from keystoneauth1.identity import v3

from . import volumes
from .config_files import EVICTOR_ROLE, READER_ROLE
from .settings import PASSWORD, REGION

#: Two customers, plain members of their projects.
PROJECTS = ("apricot", "birch")
#: Users of the project `service` and their roles there. cospot-evictor is that towards Nova and
#: `cospot_least` towards Placement; `cospot_narrow` is enough for both. The others show what is not
#: enough; see scenarios/test_service_roles.py.
SERVICE_USERS = {
    "nova": ("admin", "service"),
    "placement": ("admin", "service"),
    "cinder": ("admin", "service"),
    "cospot-evictor": ("admin",),
    "cospot_narrow": (EVICTOR_ROLE,),
    "cospot_least": (READER_ROLE,),
    "cospot_member": ("member",),
    "cospot_service": ("service",),
    "cospot_reader": ("reader",),
}
SYSTEM_READER = "cospot_reader"  # in addition


def session(settings, user, project):
    """Return a keystoneauth session of a user, in a project or (None) of the whole system."""
    scope = {"system_scope": "all"}
    if project is not None:
        scope = {"project_name": project, "project_domain_id": "default"}
    return keystone_session.Session(
        auth=v3.Password(
            auth_url=settings.auth_url,
            username=user,
            password=PASSWORD,
            user_domain_id="default",
            **scope,
        )
    )


def bootstrap(settings, processes, environment):
    """Make keys and the administrator; Keystone need not run for it."""
    for what in ("fernet", "credential"):
        (settings.folder / "keystone" / f"{what}-keys").mkdir(mode=0o700)
    program = [
        "/usr/bin/keystone-manage",
        "--config-file",
        settings.folder / "keystone" / "keystone.conf",
        "--config-dir",
        settings.folder / "no-config",
    ]
    processes.call("keystone-db-sync", [*program, "db_sync"], environment)
    user, group = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(os.getegid()).gr_name
    for command in ("fernet_setup", "credential_setup"):
        owner = ["--keystone-user", user, "--keystone-group", group]
        processes.call(f"keystone-{command}", [*program, command, *owner], environment)
    processes.call(
        "keystone-bootstrap",
        [
            *program,
            "bootstrap",
            *("--bootstrap-password", PASSWORD),
            *("--bootstrap-region-id", REGION),
            *("--bootstrap-public-url", settings.auth_url),
            *("--bootstrap-internal-url", settings.auth_url),
            *("--bootstrap-admin-url", settings.auth_url),
        ],
        environment,
    )


class Catalogue:
    """Writes to Keystone what a deployment needs."""

    def __init__(self, settings):
        self.settings = settings
        self.api = Adapter(session(settings, "admin", "admin"), endpoint_override=settings.auth_url)

    def create(self, kind, **fields):
        return self.api.post(f"/{kind}s", json={kind: fields}).json()[kind]["id"]

    def role(self, name):
        found = self.api.get(f"/roles?name={name}").json()["roles"]
        return found[0]["id"] if found else self.create("role", name=name)

    def user(self, name):
        return self.api.get(f"/users?name={name}").json()["users"][0]["id"]

    def grant(self, project, user, roles):
        for name in roles:
            self.api.put(f"/projects/{project}/users/{user}/roles/{self.role(name)}")

    def add_user(self, name, project, roles):
        user = self.create("user", name=name, password=PASSWORD, domain_id="default")
        self.grant(project, user, roles)

    def add_endpoints(self):
        for service, kind, path in (
            ("nova", "compute", "/v2.1"),
            ("placement", "placement", ""),
            ("glance", "image", ""),
            ("neutron", "network", ""),
            ("cinder", volumes.SERVICE_TYPE, "/v3/$(project_id)s"),
        ):
            service_id = self.create("service", name=service, type=kind)
            for interface in ("public", "internal"):
                self.create(
                    "endpoint",
                    service_id=service_id,
                    interface=interface,
                    region_id=REGION,
                    url=self.settings.url(service, path),
                )

    def fill(self):
        self.add_endpoints()
        admin = self.user("admin")
        service = self.create("project", name="service", domain_id="default")
        for name, roles in SERVICE_USERS.items():
            self.add_user(name, service, roles)
        reader = self.role("reader")
        self.api.put(f"/system/users/{self.user(SYSTEM_READER)}/roles/{reader}")
        for name in PROJECTS:
            project = self.create("project", name=name, domain_id="default")
            self.add_user(name, project, ("member",))
            self.grant(project, admin, ("admin",))  # only an administrator may name a host
