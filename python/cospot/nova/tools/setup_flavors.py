"""The spot flavors of `cospot-nova setup`: created private, opened once all else is in place.

Nova cannot make a public flavor private, or vice versa. So a spot flavor is created private, and
only administrators can try it. To open it, setup grants it to the projects of its base, or
recreates it as a public flavor with the same name and id. Instances keep a copy of their flavor.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cospot.errors import ConfigError
from cospot.nova.tools import flavor_command
from cospot.nova.tools.cloud import Cloud, Flavor


@dataclass(frozen=True)
class FlavorPair:
    """A flavor and its spot flavor.

    Attributes:
        base: For VMs.
        wanted: The spot flavor's definition once it is open.
        found: The existing spot flavor; None: there is none.
        missing_projects: Projects that may use the base but not the spot flavor.
    """

    base: Flavor
    wanted: Flavor
    found: Flavor | None
    missing_projects: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """True if all users of the base may use the spot flavor."""
        if self.found is None:
            return False
        return self.found.is_public == self.base.is_public and not self.missing_projects


def find_pairs(cloud: Cloud, names: list[str], *, with_disk: bool) -> list[FlavorPair]:
    """Return some flavors with their current spot flavors.

    Raises:
        ConfigError: There is no such flavor, it can have no spot flavor, or that name is taken.
    """
    flavors = cloud.flavors()
    return [_find(cloud, flavors, name, with_disk=with_disk) for name in names]


def _find(cloud: Cloud, flavors: list[Flavor], name: str, *, with_disk: bool) -> FlavorPair:
    base = flavor_command.find_flavor(flavors, name)
    wanted = flavor_command.spot_flavor_of(base, f"spot.{base.name}", with_disk=with_disk)
    found = next((flavor for flavor in flavors if flavor.name == wanted.name), None)
    if found is None:
        return FlavorPair(base, wanted, None)
    if found.is_public and not base.is_public:
        raise ConfigError(
            f"flavor '{found.name}' is public and {base.name} is not: Nova cannot make it private;"
            " delete it, then let setup make it"
        )
    flavor_command.require_same(found, replace(wanted, is_public=found.is_public))
    missing: tuple[str, ...] = ()
    if not base.is_public:
        missing = tuple(
            sorted(set(cloud.flavor_projects(base)) - set(cloud.flavor_projects(found)))
        )
    return FlavorPair(base, wanted, found, missing)


def make_for_nobody(cloud: Cloud, pair: FlavorPair) -> Flavor:
    """Create a spot flavor that only administrators can use."""
    return flavor_command.make_flavor(cloud, replace(pair.wanted, is_public=False))


def open_to_users(cloud: Cloud, pair: FlavorPair) -> None:
    """Grant a spot flavor to all users of its base."""
    if pair.found is None or pair.is_open:
        return
    for project in pair.missing_projects:
        cloud.allow_project(pair.found, project)
    if pair.base.is_public:
        cloud.delete_flavor(pair.found)
        flavor_command.make_flavor(cloud, replace(pair.wanted, id=pair.found.id))
