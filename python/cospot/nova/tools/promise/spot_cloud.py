"""The hosts that take spots, and the spot flavors, for the commands on promises."""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import replace
from typing import Any

from cospot.nova import spot_flavors
from cospot.nova.inventory import held
from cospot.nova.promises.promise_table import SizeKey, slots_of
from cospot.nova.tools import argument_types
from cospot.nova.tools.cloud import Cloud, Flavor, Hypervisor, Provider
from cospot.nova.tools.history import api_source, hosts_file
from cospot.nova.tools.history.hosts_file import Aggregate, HostPlace
from cospot.nova.tools.history.workload_file import pseudonym
from cospot.nova.tools.promise.estimate import SpotHosts

_RESOURCES = (spot_flavors.VCPU, spot_flavors.MEMORY_MB, spot_flavors.DISK_GB)


def add_aggregate_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--aggregate`, which selects the hosts that take spots."""
    argument_types.add_list(
        parser,
        "--aggregate",
        "NAME",
        "only the hosts of this aggregate take spots, may be given again (default:"
        " [cospot] aggregates of --config-file, else all with an inventory for spots)",
    )


def spot_sizes(flavors: list[Flavor], *, with_disk: bool) -> dict[SizeKey, list[str]]:
    """Return the sizes of all spot flavors, with their names."""
    sizes: dict[SizeKey, list[str]] = defaultdict(list)
    for flavor in flavors:
        if spot_flavors.is_spot_flavor(flavor.extra_specs):
            sizes[size_of(flavor, with_disk=with_disk)].append(flavor.name)
    return dict(sizes)


def size_of(flavor: Flavor, *, with_disk: bool) -> SizeKey:
    """Return an instance's size, without disk if that does not count."""
    return flavor.vcpus, flavor.memory_mb, flavor.disk_gb if with_disk else 0


def spot_hosts(
    cloud: Cloud, aggregates: list[str], default_zone: str, *, with_disk: bool
) -> SpotHosts:
    """Return all hosts, their zones and aggregates, and which of them take spots.

    Args:
        cloud: with administrator rights.
        aggregates: names of those whose hosts take spots; empty: all hosts with the inventory.
        default_zone: the availability zone of hosts without one.
        with_disk: whether disk counts.

    Raises:
        ConfigError: there is no such aggregate.
    """
    allowed = _hosts_in(cloud, aggregates)
    names: list[str] = []
    totals: list[SizeKey] = []
    take_spots: list[int] = []
    places: list[HostPlace] = []
    known = [_of_any_history(one) for one in api_source.read_aggregates(cloud)]
    for hypervisor, provider in _providers(cloud):
        if provider.capacity(spot_flavors.VCPU) <= 0:
            continue
        if _takes_spots(hypervisor, provider, allowed):
            take_spots.append(len(names))
        names.append(hypervisor.host)
        totals.append(_sized(provider, with_disk=with_disk))
        places.append(hosts_file.place_of(hypervisor.host, known, default_zone))
    return SpotHosts(names, totals, take_spots, places)


def _of_any_history(aggregate: Aggregate) -> Aggregate:
    """Add the hashed names of an aggregate's projects, as histories may have them."""
    projects = aggregate.metadata.get(hosts_file.TENANTS)
    if projects is None:
        return aggregate
    names = [name.strip() for name in projects.split(",")]
    both = ",".join([*names, *map(pseudonym, names)])
    return replace(aggregate, metadata={**aggregate.metadata, hosts_file.TENANTS: both})


def slots_now(
    cloud: Cloud, size: SizeKey, aggregates: list[str], *, with_disk: bool
) -> dict[str, int]:
    """Return how many more spots of a size fit on each enabled host that takes spots.

    Raises:
        ConfigError: there is no such aggregate.
    """
    allowed = _hosts_in(cloud, aggregates)
    found = {}
    for hypervisor, provider in _providers(cloud):
        if hypervisor.enabled and _takes_spots(hypervisor, provider, allowed):
            total = _sized(provider, with_disk=with_disk)
            used = [sum(held(provider.allocations.values(), name)) for name in _RESOURCES]
            free = [has - taken for has, taken in zip(total, used, strict=True)]
            found[hypervisor.host] = slots_of(size, free)
    return found


def _providers(cloud: Cloud) -> list[tuple[Hypervisor, Provider]]:
    hypervisors = cloud.hypervisors()
    providers = cloud.providers(hypervisors)
    found = []
    for hypervisor in hypervisors:
        provider = providers[hypervisor.provider]
        if not isinstance(provider, Provider):
            raise provider  # missing hosts would promise too little, extra ones too much
        found.append((hypervisor, provider))
    return found


def _hosts_in(cloud: Cloud, aggregates: list[str]) -> set[str] | None:
    if not aggregates:
        return None
    return {host for hosts in cloud.hosts_of(aggregates).values() for host in hosts}


def _takes_spots(hypervisor: Hypervisor, provider: Provider, allowed: set[str] | None) -> bool:
    if allowed is not None and hypervisor.host not in allowed:
        return False
    return provider.capacity(spot_flavors.SPOT_VCPU) > 0


def _sized(provider: Provider, *, with_disk: bool) -> SizeKey:
    vcpus, memory_mb, disk_gb = (provider.capacity(name) for name in _RESOURCES)
    return vcpus, memory_mb, disk_gb if with_disk else 0


def nova_settings(arguments: Any) -> Any:
    """Return the settings of nova.conf; None if no configuration is named.

    Raises:
        ConfigError: it cannot be read.
    """
    from cospot.nova.tools import settings

    if not arguments.config_file and not arguments.config_dir:
        return None
    return settings.read_settings(arguments.config_file, arguments.config_dir)
