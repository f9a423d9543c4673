"""`cospot-nova flavor`: creates spot flavors for flavors of VMs, and checks existing ones."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping

from cospot.errors import ConfigError
from cospot.nova import spot_flavors
from cospot.nova.tools import credentials, flavor_rules, settings
from cospot.nova.tools.cloud import Cloud, Flavor


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `flavor` with `create-spot` and `check`."""
    parser = commands.add_parser("flavor", help="make and check spot flavors")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    create = actions.add_parser(
        "create-spot", help="make the spot flavor for a flavor; does nothing if it exists"
    )
    create.add_argument("flavor", help="name or id of the flavor to be like")
    create.add_argument("--name", help="of the spot flavor (default: spot. and the flavor's name)")
    create.add_argument(
        "--without-disk",
        action="store_true",
        help="do not count its disk on the host: for disks on shared storage, and where neither"
        " [cospot] resources nor the inventory files have disk",
    )
    create.add_argument("--dry-run", action="store_true", help="only say what would be made")
    credentials.add_arguments(create)
    create.set_defaults(run=_create_spot)

    check = actions.add_parser("check", help="say what is wrong with spot flavors; 1 when any is")
    credentials.add_arguments(check)
    check.set_defaults(run=_check)


def _create_spot(arguments: argparse.Namespace) -> int:
    cloud = credentials.connect(arguments)
    flavors = cloud.flavors()
    base = find_flavor(flavors, arguments.flavor)
    name = arguments.name or f"spot.{base.name}"
    wanted = spot_flavor_of(base, name, with_disk=not arguments.without_disk)
    counts = _disk_counts(arguments)
    existing = next((flavor for flavor in flavors if flavor.name == name), None)
    if existing is not None:
        require_same(existing, wanted)
        print(f"{name} ({existing.id}): already exists, nothing to do")
    elif arguments.dry_run:
        print(f"{name}: would be made with {_listed(wanted.extra_specs)}")
    else:
        projects = () if base.is_public else cloud.flavor_projects(base)
        made = make_flavor(cloud, wanted, projects)
        print(f"{name} ({made.id}): made, {made.vcpus} vCPUs, {made.memory_mb} MiB,", end=" ")
        print(f"{made.disk_gb} GiB, {_listed(wanted.extra_specs)}")
    if base.disk_gb > 0 and not arguments.without_disk and not counts:
        print(_disk_warning(name, base.disk_gb), file=sys.stderr)
    return 0


def _disk_counts(arguments: argparse.Namespace) -> bool | None:
    """Tell whether spots release disk for VMs; None if no given nova.conf says so."""
    if not arguments.config_file and not arguments.config_dir:
        return None
    configuration = settings.read_settings(arguments.config_file, arguments.config_dir)
    return spot_flavors.DISK_GB in configuration.cospot.resources


def _disk_warning(name: str, disk_gb: int) -> str:
    return (
        f"{name}: warning: its {disk_gb} GiB of disk are given up for VMs only where resources has"
        " DISK_GB, in [cospot] and [cospot_evictor]: else disks of spots and VMs may outgrow a"
        " host; for disks on shared storage use --without-disk"
    )


def _check(arguments: argparse.Namespace) -> int:
    flavors = credentials.connect(arguments).flavors()
    counts = _disk_counts(arguments)
    serious = False
    for flavor in flavors:
        faults = flavor_rules.faults(flavor, disk_counts=counts)
        for fault in faults:
            kind = "error" if fault.serious else "warning"
            print(f"{flavor.name}: {kind}: {fault.text}\n  fix: {fault.fix}")
        serious = serious or any(fault.serious for fault in faults)
        if not faults and spot_flavors.is_spot_flavor(flavor.extra_specs):
            print(f"{flavor.name}: ok")
    if not any(spot_flavors.is_spot_flavor(flavor.extra_specs) for flavor in flavors):
        print("there is no spot flavor; make one with: cospot-nova flavor create-spot NAME")
    return 1 if serious else 0


def find_flavor(flavors: list[Flavor], name_or_id: str) -> Flavor:
    """Return a flavor by id or name.

    Raises:
        ConfigError: There is none.
    """
    for flavor in flavors:
        if name_or_id in (flavor.id, flavor.name):
            return flavor
    names = ", ".join(flavor.name for flavor in flavors) or "there is none at all"
    raise ConfigError(f"flavor '{name_or_id}': not found, expected one of: {names}")


def spot_flavor_of(base: Flavor, name: str, *, with_disk: bool) -> Flavor:
    """Return the spot flavor to create for a flavor.

    Raises:
        ConfigError: It cannot have one.
    """
    if name == base.name:
        raise ConfigError(f"--name '{name}': is the flavor itself, expected another name")
    reasons = flavor_rules.reasons_against(base)
    if reasons:
        raise ConfigError(f"flavor '{base.name}' can have no spot flavor: {'; '.join(reasons)}")
    return flavor_rules.spot_flavor(base, name, with_disk=with_disk)


def require_same(existing: Flavor, wanted: Flavor) -> None:
    """Reject a different flavor of that name: instances may already use it.

    Raises:
        ConfigError: It is different.
    """
    compared = ("vcpus", "memory_mb", "root_gb", "ephemeral_gb", "swap_mb", "is_public")
    wrong = [
        f"{field} is {getattr(existing, field)}, expected {getattr(wanted, field)}"
        for field in compared
        if getattr(existing, field) != getattr(wanted, field)
    ]
    wrong += [
        f"{key} is {existing.extra_specs.get(key, 'not set')}, expected {value}"
        for key, value in sorted(wanted.extra_specs.items())
        if existing.extra_specs.get(key) != value
    ]
    if wrong:
        raise ConfigError(
            f"flavor '{existing.name}' already exists and is different: {'; '.join(wrong)};"
            " delete it, or choose another --name"
        )


def make_flavor(cloud: Cloud, wanted: Flavor, projects: Iterable[str] = ()) -> Flavor:
    """Create a flavor; delete it if this fails halfway, because it would create VMs.

    Args:
        cloud: Where.
        wanted: The flavor.
        projects: Those that may use a private flavor.
    """
    made = cloud.create_flavor(wanted)
    try:
        cloud.set_extra_specs(made, wanted.extra_specs)
        for project in projects:
            cloud.allow_project(made, project)
    except BaseException:
        cloud.delete_flavor(made)
        raise
    return made


def _listed(extra_specs: Mapping[str, str]) -> str:
    return " ".join(f"{key}={value}" for key, value in sorted(extra_specs.items()))
