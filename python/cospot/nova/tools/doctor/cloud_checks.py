"""Checks of placement's and Nova's data: inventories and flavors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from typing import Any, Final

from cospot.nova import spot_flavors
from cospot.nova.tools import flavor_rules, inventory_command
from cospot.nova.tools.cloud import Cloud, CloudError, Flavor, Hypervisor, Provider
from cospot.nova.tools.doctor.configuration_checks import uses_unified_limits
from cospot.nova.tools.doctor.finding import Check, Finding, error, ok, warning

#: Nova's compute service sets this on its own provider; see `_check_owners`.
_OWNER: Final = "OWNER_NOVA"
#: The first release whose scheduler requires it.
_ASKS_FOR_OWNER: Final = 34


def cloud_checks(cloud: Cloud, settings: Any) -> list[Check]:
    """Read hosts and flavors, and return their checks.

    Args:
        cloud: Where to read.
        settings: From `read_settings`.

    Raises:
        CloudError: Nova does not answer.
    """
    hypervisors = [hypervisor for hypervisor in cloud.hypervisors() if hypervisor.enabled]
    providers = cloud.providers(hypervisors)
    flavors = cloud.flavors()
    aggregates = cloud.aggregates()
    chosen = settings.cospot.aggregates
    for_spots = _for_spots(hypervisors, aggregates, chosen)
    has_disk = any(map(_wants_disk, flavors))
    checks = [
        Check(
            "hosts seen",
            "Placement hands the scheduler at most max_placement_results hosts; a VM does not see"
            " the others.",
            lambda: _check_host_count(hypervisors, settings.scheduler.max_placement_results),
        ),
        Check(
            "inventories",
            "A host takes spots only if its own provider has the custom classes, and as many as"
            " VMs may use there.",
            lambda: _check_inventories(for_spots, providers, has_disk),
        ),
        Check(
            "aggregates",
            "With [cospot] aggregates only their hosts take spots; a wrong name gives none.",
            lambda: _check_aggregates(aggregates, chosen),
        ),
        Check(
            "spot flavors",
            "A flavor that is half a spot uses room that placement believes free, or makes spots"
            " that the evictor must leave alone.",
            lambda: _check_flavors(flavors, spot_flavors.DISK_GB in settings.cospot.resources),
        ),
    ]
    if nova_release() >= _ASKS_FOR_OWNER:
        checks.append(
            Check(
                "owner trait",
                f"As soon as all computes are of Nova {_ASKS_FOR_OWNER} its scheduler takes only"
                f" hosts whose provider has the trait {_OWNER}, for VMs as for spots.",
                lambda: _check_owners(hypervisors, cloud.traits(hypervisors)),
            )
        )
    if uses_unified_limits(settings):
        classes = [spot_flavors.SPOT_VCPU, spot_flavors.SPOT_MEMORY_MB]
        classes += [spot_flavors.SPOT_DISK_GB] * has_disk
        checks.append(
            Check(
                "limits",
                "With unified limits Nova may take a resource class without a registered limit as"
                " one of which nobody may have anything.",
                lambda: check_limits(cloud.registered_limits(), classes, settings.quota),
            )
        )
    return checks


def _wants_disk(flavor: Flavor) -> bool:
    return flavor.extra_specs.get(f"resources:{spot_flavors.SPOT_DISK_GB}", "0") != "0"


def _check_host_count(hypervisors: list[Hypervisor], most: int) -> Iterator[Finding]:
    count = len(hypervisors)
    if count == 0:
        yield error(
            "no enabled host", "start nova-compute, and run nova-manage cell_v2 discover_hosts"
        )
    elif count > most:
        yield warning(
            f"{count} enabled hosts, but max_placement_results is {most}",
            f"[scheduler] max_placement_results = {count} or more",
        )
    else:
        yield ok(f"{count} enabled hosts, at most {most}")


def _for_spots(
    hypervisors: list[Hypervisor], aggregates: Mapping[str, list[str]], chosen: list[str]
) -> list[Hypervisor]:
    """Return the hosts that take spots: all, unless aggregates were chosen."""
    if not chosen:
        return hypervisors
    members = {host for name in chosen for host in aggregates.get(name, ())}
    return [hypervisor for hypervisor in hypervisors if hypervisor.host in members]


def _check_aggregates(aggregates: Mapping[str, list[str]], chosen: list[str]) -> Iterator[Finding]:
    for name in chosen:
        if name not in aggregates:
            names = ", ".join(aggregates) or "there is none"
            yield error(
                f"[cospot] aggregates names {name}, expected any of: {names}",
                "correct the name, or create the aggregate",
            )
        elif not aggregates[name]:
            yield warning(f"{name} has no hosts", f"openstack aggregate add host {name} HOST")
        else:
            yield ok(f"{name}: {len(aggregates[name])} hosts")
    if not chosen:
        yield ok("all hosts take spots")


def _check_inventories(
    hypervisors: list[Hypervisor], providers: dict[str, Provider | CloudError], disk: bool
) -> Iterator[Finding]:
    faultless = 0
    for hypervisor in hypervisors:
        provider = providers[hypervisor.provider]
        if isinstance(provider, CloudError):
            fix = "start nova-compute on that host, or delete the host"
            yield error(f"{hypervisor.host}: {provider}", fix)
            continue
        faults = list(_inventory_faults(provider, disk))
        faultless += not faults
        if faults:
            yield error(
                f"{hypervisor.host}: {'; '.join(faults)}",
                f"on {hypervisor.host}: cospot-nova inventory --host {hypervisor.host} -o"
                " /etc/nova/provider_config/cospot.yaml, then restart nova-compute",
            )
    if faultless:
        yield ok(f"{faultless} of {len(hypervisors)} hosts")


def nova_release() -> int:
    """Return the major version of the installed Nova; 0 if unknown."""
    try:
        return int(metadata.version("nova").split(".")[0])
    except (metadata.PackageNotFoundError, ValueError):
        return 0


def _check_owners(
    hypervisors: list[Hypervisor], traits: Mapping[str, frozenset[str] | CloudError]
) -> Iterator[Finding]:
    """Find hosts that the scheduler cannot see.

    Every writer of a provider's traits replaces the whole list. A compute service restores its own
    trait, but not at once.
    """
    marked = 0
    unmarked = []
    for hypervisor in hypervisors:
        found = traits[hypervisor.provider]
        if isinstance(found, CloudError):
            fix = "start nova-compute on that host, or delete the host"
            yield error(f"{hypervisor.host}: {found}", fix)
        elif _OWNER in found:
            marked += 1
        else:
            unmarked.append(hypervisor.host)
    # If no host has it, computes are of an earlier release, which does not need it.
    make = error if marked else warning
    for host in unmarked:
        yield make(
            f"{host}: no trait {_OWNER}",
            f"if nova-compute on {host} is of Nova {_ASKS_FOR_OWNER}: restart it, and have whoever"
            f" writes that provider's traits keep {_OWNER} among them",
        )
    if marked:
        yield ok(f"{marked} of {len(hypervisors)} hosts")


def _inventory_faults(provider: Provider, disk: bool) -> Iterator[str]:
    """Yield differences from the file that `cospot-nova inventory` would write.

    Args:
        provider: Of a host.
        disk: Whether any spot flavor asks for disk.
    """
    expected = inventory_command.totals_of(provider)
    for name, spot_name in spot_flavors.SPOT_CLASS_OF.items():
        required = disk if name == spot_flavors.DISK_GB else True
        capacity, largest = expected.get(spot_name, (0, 0))
        if spot_name not in provider.inventories:
            if required:
                yield f"no {spot_name}, expected {capacity}" + (
                    ""
                    if capacity
                    else f": there is no {name} (flavors: create-spot --without-disk)"
                )
            continue
        found = provider.capacity(spot_name)
        if found != capacity:
            yield f"{spot_name} is {found}, expected {capacity} as of {name}"
        elif provider.inventories[spot_name]["max_unit"] < largest:
            most = provider.inventories[spot_name]["max_unit"]
            yield f"{spot_name} gives {most} at once, expected {largest} as of {name}"


def _check_flavors(flavors: list[Flavor], disk_counts: bool) -> Iterator[Finding]:
    faultless = []
    for flavor in flavors:
        faults = flavor_rules.faults(flavor, disk_counts=disk_counts)
        for fault in faults:
            make = error if fault.serious else warning
            yield make(f"{flavor.name}: {fault.text}", fault.fix)
        if not faults and spot_flavors.is_spot_flavor(flavor.extra_specs):
            faultless.append(flavor.name)
    if faultless:
        yield ok(", ".join(faultless))
    if not any(spot_flavors.is_spot_flavor(flavor.extra_specs) for flavor in flavors):
        yield warning("there is none", "cospot-nova flavor create-spot NAME-OF-A-FLAVOR")


def check_limits(
    registered: Mapping[str, int], classes: Sequence[str], quota: Any
) -> Iterator[Finding]:
    """Check the limits of the classes that spots need.

    Args:
        registered: The registered limits, by resource.
        classes: Resource classes.
        quota: The group [quota].
    """
    for name in (f"class:{each}" for each in classes):
        limit = registered.get(name)
        create = f"openstack registered limit create --service nova --default-limit N {name}"
        if limit is not None and limit != 0:
            yield ok(f"{name}: {limit}")
        elif limit == 0:
            fix = f"openstack registered limit set --default-limit N ID-OF-THE-LIMIT ({name})"
            yield warning(f"{name} is 0: only projects with a limit of their own have spots", fix)
        elif _is_enforced(name, quota):
            yield error(f"there is no registered limit {name}: no project has spots", create)
        else:
            yield warning(f"there is no registered limit {name}: spots have no limit", create)


def _is_enforced(resource: str, quota: Any) -> bool:
    """Tell whether a resource without a registered limit is limited to 0."""
    # Nova before 2025.1 has neither option and enforces all resources.
    strategy = getattr(quota, "unified_limits_resource_strategy", "ignore")
    is_listed = resource in getattr(quota, "unified_limits_resource_list", ())
    return is_listed if strategy == "require" else not is_listed
