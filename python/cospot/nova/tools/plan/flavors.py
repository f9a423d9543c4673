"""A plan's spot flavors: one without a promise, and one for each promised lifetime."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cospot.errors import ConfigError
from cospot.nova.promises import asked_lifetime
from cospot.nova.tools import flavor_command
from cospot.nova.tools.cloud import Cloud, Flavor
from cospot.nova.tools.doctor.finding import Finding, error, ok
from cospot.nova.tools.plan.plan_file import PromisedClass


@dataclass(frozen=True)
class PlannedFlavor:
    """A flavor required by the plan.

    Attributes:
        wanted: its required definition.
        found: the cloud's flavor of that name; None: there is none.
        projects: those that may use a private flavor.
    """

    wanted: Flavor
    found: Flavor | None
    projects: Sequence[str] = ()


def spot_names(base: str, classes: Sequence[PromisedClass]) -> dict[str, str]:
    """Return the names of a flavor's spot flavors with the lifetime that each asks for, if any."""
    names = {f"spot.{base}": ""}
    return names | {f"spot.{base}.{one.hours:g}h": f"{one.hours:g}h" for one in classes}


def planned_flavors(
    cloud: Cloud, names: Sequence[str], classes: Sequence[PromisedClass], *, with_disk: bool
) -> list[PlannedFlavor]:
    """Return the spot flavors for some flavors.

    Args:
        cloud: where to look.
        names: of the flavors for VMs; none: those that already have a spot flavor.
        classes: promised lifetimes.
        with_disk: whether their disks count on the host.

    Raises:
        ConfigError: there is no such flavor, or it can have no spot flavor.
    """
    flavors = cloud.flavors()
    known = {flavor.name: flavor for flavor in flavors}
    if not names:
        names = [name for name in known if f"spot.{name}" in known]
    found = []
    for given in names:
        base = flavor_command.find_flavor(flavors, given)
        projects = () if base.is_public else tuple(cloud.flavor_projects(base))
        for name, lifetime in spot_names(base.name, classes).items():
            plain = flavor_command.spot_flavor_of(base, name, with_disk=with_disk)
            asked = {asked_lifetime.NAME: lifetime} if lifetime else {}
            wanted = replace(plain, extra_specs={**plain.extra_specs, **asked})
            found.append(PlannedFlavor(wanted, known.get(name), projects))
    return found


def commands(planned: PlannedFlavor) -> Iterator[str]:
    """Yield the commands that create a flavor."""
    flavor = planned.wanted
    words = ["openstack", "flavor", "create", "--vcpus", str(flavor.vcpus)]
    words += ["--ram", str(flavor.memory_mb), "--disk", str(flavor.root_gb)]
    for option, amount in (("--ephemeral", flavor.ephemeral_gb), ("--swap", flavor.swap_mb)):
        words += [option, str(amount)] if amount else []
    words.append("--public" if flavor.is_public else "--private")
    for key, value in sorted(flavor.extra_specs.items()):
        words += ["--property", f"{key}={value}"]
    yield shlex.join([*words, flavor.name])
    for project in planned.projects:
        yield shlex.join(["openstack", "flavor", "set", "--project", project, flavor.name])


def look(flavors: Sequence[PlannedFlavor]) -> Iterator[Finding]:
    """Yield findings on which flavors exist, and whether they match the plan."""
    for one in flavors:
        name = one.wanted.name
        if one.found is None:
            yield error(f"there is no {name}", "make it as flavors.sh does")
            continue
        try:
            flavor_command.require_same(one.found, one.wanted)
        except ConfigError as problem:
            yield error(
                str(problem).partition("; delete it")[0], "delete it, then as flavors.sh does"
            )
        else:
            yield ok(f"{name} is as planned")
