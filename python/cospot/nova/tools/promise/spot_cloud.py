"""The hosts that take spots, and the spot flavors, for the commands on promises."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from cospot.nova import spot_flavors
from cospot.nova.inventory import held
from cospot.nova.promises.promise_table import SizeKey, slots_of
from cospot.nova.tools import argument_types, credentials, settings
from cospot.nova.tools.cloud import Cloud, Flavor, Hypervisor, Provider
from cospot.nova.tools.history import api_source, hosts_file
from cospot.nova.tools.history.hosts_file import DEFAULT_ZONE, Aggregate
from cospot.nova.tools.history.workload_file import pseudonym
from cospot.nova.tools.promise.estimate import SpotHost

_RESOURCES: Final = (spot_flavors.VCPU, spot_flavors.MEMORY_MB, spot_flavors.DISK_GB)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--aggregate`, which selects the hosts that take spots, and those of the cloud."""
    argument_types.add_list(
        parser,
        "--aggregate",
        "NAME",
        "only the hosts of this aggregate take spots, may be given again (default:"
        " [cospot] aggregates of --config-file, else all with an inventory for spots)",
    )
    credentials.add_arguments(parser)


class SpotCloud:
    """A cloud that is asked when something of it is needed.

    Every method raises ConfigError for an aggregate that does not exist, and CloudError.

    Args:
        arguments: from a parser with `add_arguments`.

    Attributes:
        options: [cospot] of nova.conf; None if no configuration is named.

    Raises:
        ConfigError: nova.conf cannot be read.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._nova: Any = None
        if arguments.config_file or arguments.config_dir:
            self._nova = settings.read_settings(arguments.config_file, arguments.config_dir)
        self.options: Any = self._nova and self._nova.cospot
        self._counts_disk = bool(self._nova) and spot_flavors.DISK_GB in self.options.resources

    @cached_property
    def _cloud(self) -> Cloud:
        return credentials.connect(self._arguments)

    @cached_property
    def _chosen(self) -> set[str] | None:
        """The hosts of the aggregates that take spots; None: all with the inventory."""
        names = self._arguments.aggregate or (self.options and list(self.options.aggregates))
        if not names:
            return None
        return {host for hosts in self._cloud.hosts_of(names).values() for host in hosts}

    def flavors(self) -> list[Flavor]:
        """Return all flavors."""
        return self._cloud.flavors()

    def size_of(self, flavor: Flavor) -> SizeKey:
        """Return an instance's size, without disk if that does not count."""
        return flavor.vcpus, flavor.memory_mb, flavor.disk_gb if self._counts_disk else 0

    def spot_sizes(self) -> dict[SizeKey, list[str]]:
        """Return the sizes of all spot flavors, with their names."""
        sizes: dict[SizeKey, list[str]] = defaultdict(list)
        for flavor in self.flavors():
            if spot_flavors.is_spot_flavor(flavor.extra_specs):
                sizes[self.size_of(flavor)].append(flavor.name)
        return dict(sizes)

    def hosts(self) -> list[SpotHost]:
        """Return all hosts, their zones and aggregates, and which of them take spots."""
        zone = self._nova.default_availability_zone if self._nova else DEFAULT_ZONE
        known = [_of_any_history(one) for one in api_source.read_aggregates(self._cloud)]
        return [
            SpotHost(
                self._sized(provider),
                self._takes_spots(hypervisor, provider),
                hosts_file.place_of(hypervisor.host, known, zone),
            )
            for hypervisor, provider in self._providers()
            if provider.capacity(spot_flavors.VCPU) > 0
        ]

    def slots_now(self, size: SizeKey) -> dict[str, int]:
        """Return how many more spots of a size fit on each enabled host that takes spots."""
        found = {}
        for hypervisor, provider in self._providers():
            if hypervisor.enabled and self._takes_spots(hypervisor, provider):
                total = self._sized(provider)
                used = [sum(held(provider.allocations.values(), name)) for name in _RESOURCES]
                free = [has - taken for has, taken in zip(total, used, strict=True)]
                found[hypervisor.host] = slots_of(size, free)
        return found

    def _providers(self) -> Iterator[tuple[Hypervisor, Provider]]:
        hypervisors = self._cloud.hypervisors()
        providers = self._cloud.providers(hypervisors)
        for hypervisor in hypervisors:
            provider = providers[hypervisor.provider]
            if not isinstance(provider, Provider):
                raise provider  # missing hosts would promise too little, extra ones too much
            yield hypervisor, provider

    def _takes_spots(self, hypervisor: Hypervisor, provider: Provider) -> bool:
        if self._chosen is not None and hypervisor.host not in self._chosen:
            return False
        return provider.capacity(spot_flavors.SPOT_VCPU) > 0

    def _sized(self, provider: Provider) -> SizeKey:
        vcpus, memory_mb, disk_gb = map(provider.capacity, _RESOURCES)
        return vcpus, memory_mb, disk_gb if self._counts_disk else 0


def _of_any_history(aggregate: Aggregate) -> Aggregate:
    """Add the hashed names of an aggregate's projects, as histories may have them."""
    projects = aggregate.metadata.get(hosts_file.TENANTS)
    if projects is None:
        return aggregate
    names = [name.strip() for name in projects.split(",")]
    both = ",".join([*names, *map(pseudonym, names)])
    return replace(aggregate, metadata={**aggregate.metadata, hosts_file.TENANTS: both})
