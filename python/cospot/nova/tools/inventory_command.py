"""`cospot-nova inventory`: the provider.yaml that defines how much of a host spots may use.

Spots may use as much as VMs: the custom inventory of each class is the capacity of the standard
one, (total - reserved) * allocation_ratio. Nova's compute service reads the file when it starts and
applies it to its own provider, where its virt driver keeps it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from cospot.errors import ConfigError
from cospot.nova import spot_flavors
from cospot.nova.tools import argument_types, credentials, settings
from cospot.nova.tools.cloud import Cloud, Hypervisor, Provider
from cospot.nova.tools.host_use import RESOURCES
from cospot.whole_file import write_file

#: Capacity and largest single request of a spot class.
Totals = Mapping[str, tuple[int, int]]

#: Placement's maximum for any class.
_MOST: Final = 2**31 - 1


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `inventory`."""
    parser = commands.add_parser(
        "inventory",
        help="write the provider.yaml of a compute host: how much spots may use of it",
        description="Takes the totals from --vcpus and --memory-mb, else from what placement"
        " knows of this host: run it there, with the compute service's own nova.conf.",
    )
    parser.add_argument("-o", "--output", metavar="PATH", help="a file (default: print it)")
    parser.add_argument("--host", help="the compute service's host (default: of --config-file)")
    some = argument_types.whole_number(1, _MOST)
    any_amount = argument_types.whole_number(0, _MOST)
    parser.add_argument("--vcpus", type=some, metavar="N", help="vCPUs that spots may use")
    parser.add_argument("--memory-mb", type=some, metavar="N", help="MiB that spots may use")
    parser.add_argument("--disk-gb", type=any_amount, metavar="N", help="GiB that spots may use")
    credentials.add_arguments(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    given = {name: getattr(arguments, option) for name, option in RESOURCES.items()}
    if any(amount is not None for amount in given.values()):
        if given[spot_flavors.VCPU] is None or given[spot_flavors.MEMORY_MB] is None:
            raise ConfigError("inventory: expected both --vcpus and --memory-mb, or neither")
        totals: Totals = {
            spot_flavors.SPOT_CLASS_OF[name]: (amount, amount)
            for name, amount in given.items()
            if amount
        }
    else:
        totals = _detected_totals(arguments)
    text = provider_yaml(totals)
    if arguments.output is None:
        print(text, end="")
        return 0
    write_file(Path(arguments.output), text.encode())
    print(f"{arguments.output}: written; restart nova-compute to have it read")
    return 0


def provider_yaml(totals: Totals) -> str:
    """Return the file for Nova's `[compute] provider_config_location`.

    Args:
        totals: Spot class to capacity and to the maximum request of one instance.
    """
    lines = [
        "# Made by cospot-nova inventory: what spots may use of this host. nova-compute reads it",
        "# at its start from the folder [compute] provider_config_location.",
        "meta:",
        "  schema_version: '1.0'",
        "providers:",
        "  - identification:",
        "      uuid: $COMPUTE_NODE",
        "    inventories:",
        "      additional:",
    ]
    for name, (capacity, largest) in totals.items():
        lines += [
            f"        - {name}:",
            f"            total: {capacity}",
            "            reserved: 0",
            "            min_unit: 1",
            f"            max_unit: {largest}",
            "            step_size: 1",
            "            allocation_ratio: 1.0",
        ]
    return "\n".join(lines) + "\n"


def totals_of(provider: Provider) -> dict[str, tuple[int, int]]:
    """Return the limits for spots on a provider: the same totals and maxima as for VMs."""
    return {
        spot_name: (capacity, min(capacity, provider.inventories[name]["max_unit"]))
        for name, spot_name in spot_flavors.SPOT_CLASS_OF.items()
        if (capacity := provider.capacity(name)) > 0
    }


def _detected_totals(arguments: argparse.Namespace) -> Totals:
    cloud = credentials.connect(arguments)
    hypervisor = _this_host(arguments, cloud)
    totals = totals_of(cloud.provider(hypervisor.provider))
    for name in (spot_flavors.SPOT_VCPU, spot_flavors.SPOT_MEMORY_MB):
        if name not in totals:
            raise ConfigError(
                f"{hypervisor.host}: placement has no {name.removeprefix('CUSTOM_SPOT_')} of"
                f" {hypervisor.node} ({hypervisor.provider}); start nova-compute first, or give"
                " --vcpus and --memory-mb"
            )
    if spot_flavors.SPOT_DISK_GB not in totals:
        print(
            f"{hypervisor.host}: placement has no DISK_GB of this host (shared storage?): spot"
            " flavors with a disk will not find it",
            file=sys.stderr,
        )
    return totals


def _this_host(arguments: argparse.Namespace, cloud: Cloud) -> Hypervisor:
    name = arguments.host
    if name is None:
        name = settings.read_settings(arguments.config_file, arguments.config_dir).host
    hypervisors = cloud.hypervisors()
    found = [one for one in hypervisors if name in (one.host, one.node, one.provider)]
    if len(found) == 1:
        return found[0]
    if found:
        nodes = ", ".join(one.node for one in found)
        raise ConfigError(f"host '{name}' has several nodes, expected one of: {nodes}")
    names = ", ".join(one.host for one in hypervisors[:20]) or "Nova knows no host yet"
    raise ConfigError(f"host '{name}': not found, expected one of: {names}")
