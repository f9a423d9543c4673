"""The spot flavors of `cospot-nova setup`: made for nobody, opened when all else is in place.

Nova lets nobody make a public flavor private, or the other way round. So a twin is made private,
which lets an administrator try it out and nobody else; to open it, it gets the projects of its
base, or is made anew as a public one under the same name and id. Instances keep a copy of their
flavor.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cospot.errors import ConfigError
from cospot.nova.tools import flavor_command
from cospot.nova.tools.cloud import Cloud, Flavor


@dataclass(frozen=True)
class Twin:
    """A flavor and its spot twin.

    Attributes:
        base: For VMs.
        wanted: The twin as it ought to be when it is open.
        found: The twin there is; None: there is none.
        missing_projects: Those that may use the base and not the twin.
    """

    base: Flavor
    wanted: Flavor
    found: Flavor | None
    missing_projects: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether those who may use the base may use the twin."""
        if self.found is None:
            return False
        return self.found.is_public == self.base.is_public and not self.missing_projects


def find_twins(cloud: Cloud, names: list[str], *, with_disk: bool) -> list[Twin]:
    """Return the twins of some flavors as they are.

    Raises:
        ConfigError: There is no such flavor, it can have no twin, or its twin's name is taken.
    """
    flavors = cloud.flavors()
    return [_find(cloud, flavors, name, with_disk=with_disk) for name in names]


def _find(cloud: Cloud, flavors: list[Flavor], name: str, *, with_disk: bool) -> Twin:
    base = flavor_command.find_flavor(flavors, name)
    wanted = flavor_command.twin_of(base, f"spot.{base.name}", with_disk=with_disk)
    found = next((flavor for flavor in flavors if flavor.name == wanted.name), None)
    if found is None:
        return Twin(base, wanted, None)
    if found.is_public and not base.is_public:
        raise ConfigError(
            f"flavor '{found.name}' is public and {base.name} is not: Nova cannot make it private;"
            " delete it, then let setup make it"
        )
    flavor_command.require_twin(found, replace(wanted, is_public=found.is_public))
    missing: tuple[str, ...] = ()
    if not base.is_public:
        missing = tuple(
            sorted(set(cloud.flavor_projects(base)) - set(cloud.flavor_projects(found)))
        )
    return Twin(base, wanted, found, missing)


def make_for_nobody(cloud: Cloud, twin: Twin) -> Flavor:
    """Make a twin that only administrators can use."""
    return flavor_command.make_flavor(cloud, replace(twin.wanted, is_public=False))


def open_twin(cloud: Cloud, twin: Twin) -> None:
    """Let those use a twin who may use its base."""
    if twin.found is None or twin.is_open:
        return
    for project in twin.missing_projects:
        cloud.allow_project(twin.found, project)
    if twin.base.is_public:
        cloud.delete_flavor(twin.found)
        flavor_command.make_flavor(cloud, replace(twin.wanted, id=twin.found.id))
