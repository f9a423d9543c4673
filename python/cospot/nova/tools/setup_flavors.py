"""The spot flavors of `cospot-nova setup`: created private, opened once all else is in place.

Nova cannot make a public flavor private, or vice versa. So a twin is created private, so that only
administrators can try it. To open it, setup grants it to the projects of its base, or recreates it
as a public flavor with the same name and id. Instances keep a copy of their flavor.
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
        wanted: The twin's definition once it is open.
        found: The existing twin; None: there is none.
        missing_projects: Projects that may use the base but not the twin.
    """

    base: Flavor
    wanted: Flavor
    found: Flavor | None
    missing_projects: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether all users of the base may use the twin."""
        if self.found is None:
            return False
        return self.found.is_public == self.base.is_public and not self.missing_projects


def find_twins(cloud: Cloud, names: list[str], *, with_disk: bool) -> list[Twin]:
    """Return the current twins of some flavors.

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
    """Create a twin that only administrators can use."""
    return flavor_command.make_flavor(cloud, replace(twin.wanted, is_public=False))


def open_twin(cloud: Cloud, twin: Twin) -> None:
    """Grant a twin to all users of its base."""
    if twin.found is None or twin.is_open:
        return
    for project in twin.missing_projects:
        cloud.allow_project(twin.found, project)
    if twin.base.is_public:
        cloud.delete_flavor(twin.found)
        flavor_command.make_flavor(cloud, replace(twin.wanted, id=twin.found.id))
