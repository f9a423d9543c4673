"""The evictor's user in Keystone: checks its login and creates it."""

from __future__ import annotations

from typing import Any, Final

from cospot.errors import ConfigError
from cospot.nova.tools import credentials, settings
from cospot.nova.tools.cloud import Cloud, CloudError

#: Nova and placement let it in by their policy files: docs/nova/configuration.md#the-service-user.
ROLE: Final = "cospot_evictor"
_GROUP: Final = "nova"
_NEEDED: Final = ("username", "password", "project_name")


class ServiceUser:
    """The user of the section [nova] of the evictor's configuration.

    Args:
        evictor: The evictor's configuration.
        role: The role that it gets.

    Attributes:
        may_be_made: True if it logs in by a password; an application credential is its owner's.

    Raises:
        ConfigError: The section names no user with a password and a project.
    """

    def __init__(self, evictor: Any, role: str = ROLE) -> None:
        from keystoneauth1 import loading

        loading.register_auth_conf_options(evictor, _GROUP)
        evictor.register_opts(loading.get_auth_plugin_conf_options("password"), group=_GROUP)
        self._evictor = evictor
        self._group = evictor[_GROUP]
        self._role = role
        self.may_be_made = "credential" not in (self._group.auth_type or "")
        needed = _NEEDED if self.may_be_made else ()
        missing = [name for name in needed if not self._group[name]]
        if missing:
            raise ConfigError(f"[{_GROUP}] of the evictor's file lacks {', '.join(missing)}")
        self.name = str(self._group.username or "the application credential")
        self.project = str(self._group.project_name)

    def problem(self) -> str:
        """Return why the user cannot do the evictor's work; empty if it can."""
        try:
            # Parsed as a nova.conf: the evictor's own options of this section clash with the
            # login's.
            files, folders = self._evictor.config_file, self._evictor.config_dir
            own = settings.read_settings(files or (), folders or ())
            credentials.from_settings(own).hypervisors()
        except (ConfigError, CloudError) as error:
            return str(error)
        return ""

    def make(self, cloud: Cloud) -> list[str]:
        """Create what is missing of the user and its role; return what was created.

        Raises:
            CloudError: Keystone refuses, or lacks the domain, project or role.
        """
        made: list[str] = []
        project = _only(cloud, "projects", self.project, domain_id=self._domain(cloud, "project"))
        domain = self._domain(cloud, "user")
        users = cloud.ask_identity("GET", "/users", name=self.name, domain_id=domain)["users"]
        if users:
            user = users[0]["id"]
        else:
            fields = {"name": self.name, "password": self._group.password, "domain_id": domain}
            answer = cloud.ask_identity("POST", "/users", {"user": fields})
            user = answer["user"]["id"]
            made.append(f"user {self.name}")
        path = f"/projects/{project}/users/{user}/roles"
        held = {role["name"] for role in cloud.ask_identity("GET", path)["roles"]}
        if self._role not in held:
            if not cloud.ask_identity("GET", "/roles", name=self._role)["roles"]:
                cloud.ask_identity("POST", "/roles", {"role": {"name": self._role}})
                made.append(f"role {self._role}")
            cloud.ask_identity("PUT", f"{path}/{_only(cloud, 'roles', self._role)}")
            made.append(f"role {self._role} on the project {self.project}")
        return made

    def _domain(self, cloud: Cloud, of: str) -> str:
        by_id = self._group[f"{of}_domain_id"] or self._group.default_domain_id
        if by_id:
            return str(by_id)
        name = self._group[f"{of}_domain_name"] or self._group.default_domain_name or "Default"
        return _only(cloud, "domains", name)


def _only(cloud: Cloud, kind: str, name: str, **query: str) -> str:
    """Return the id of the single object with a name.

    Raises:
        CloudError: There is none.
    """
    rows = cloud.ask_identity("GET", f"/{kind}", None, name=name, **query)[kind]
    if not rows:
        raise CloudError(f"identity: there is no {kind[:-1]} '{name}'")
    return str(rows[0]["id"])
