"""Rules of flavors: those that can be spots, their spot flavors, and the faults of a flavor.

Whatever a spot holds besides the custom spot classes stays visible to placement, so VMs cannot use
it although the spot could be evicted, and the evictor leaves every instance with other resources
alone. So a flavor with pinned CPUs, huge pages, devices or other classes cannot be a spot.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from cospot.nova import spot_flavors
from cospot.nova.tools.cloud import Flavor

_RESOURCE: Final = re.compile(r"resources(?P<group>[a-zA-Z0-9_-]{1,64})?:(?P<name>.*)")
_SIZES: Final = frozenset(spot_flavors.SPOT_CLASS_OF)
_OFF: Final = frozenset({"false", "0", "no", "off", ""})

#: Prefixes of extra specs that a spot flavor cannot have, with the reason.
_FORBIDDEN: Final[Mapping[str, str]] = {
    "hw:cpu_dedicated_mask": "pinned CPUs",
    "hw:cpu_realtime": "pinned CPUs",
    "hw:cpu_thread_policy": "pinned CPUs",
    "hw:emulator_threads_policy": "pinned CPUs",
    "hw:mem_page_size": "huge pages",
    "hw:locked_memory": "locked memory",
    "hw:numa_": "a NUMA topology",
    "hw:pmem": "persistent memory",
    "pci_passthrough:alias": "PCI devices",
    "accel:device_profile": "accelerators",
}


@dataclass(frozen=True)
class Fault:
    """A problem of a flavor.

    Attributes:
        text: What was found.
        fix: The remedy.
        serious: Whether spots of this flavor do break a promise (else: could).
    """

    text: str
    fix: str
    serious: bool = True


def reasons_against(flavor: Flavor) -> list[str]:
    """Return why a flavor can have no spot flavor; empty if it can."""
    reasons = [
        text for key, value in sorted(flavor.extra_specs.items()) for text in _why(key, value)
    ]
    if flavor.vcpus < 1 or flavor.memory_mb < 1:
        reasons.append(f"it has {flavor.vcpus} vCPUs and {flavor.memory_mb} MiB, expected some")
    return reasons


def spot_flavor(flavor: Flavor, name: str, *, with_disk: bool = True) -> Flavor:
    """Return the spot flavor to create for a flavor, with the same size.

    Keeps other extra specs (traits, quota:, aggregate_instance_extra_specs:, ...), so that spots
    can use the same hosts as VMs of the flavor.

    Args:
        flavor: For VMs.
        name: Of the spot flavor.
        with_disk: Whether its disk counts on the host; false for disks on shared storage.
    """
    disk_gb = flavor.disk_gb if with_disk else 0
    size = spot_flavors.spot_extra_specs(flavor.vcpus, flavor.memory_mb, disk_gb)
    return replace(flavor, id="", name=name, extra_specs={**flavor.extra_specs, **size})


def faults(flavor: Flavor, *, disk_counts: bool | None = None) -> list[Fault]:
    """Return the problems of a spot flavor; none for a flavor without spot classes.

    Args:
        flavor: Any.
        disk_counts: Whether spots release DISK_GB for VMs; None if unknown.
    """
    if not _names_spot_classes(flavor.extra_specs):
        return []
    found = [*_size_faults(flavor, disk_counts is True), *_rule_faults(flavor)]
    found += _guard_faults(flavor)
    if disk_counts is False:
        found += _disk_faults(flavor)
    return found


def _names_spot_classes(extra_specs: Mapping[str, str]) -> bool:
    names = (match["name"] for key in extra_specs if (match := _RESOURCE.fullmatch(key)))
    return any(name in spot_flavors.SPOT_CLASSES for name in names)


def _size_faults(flavor: Flavor, disk_counts: bool) -> Iterable[Fault]:
    expected = spot_flavors.spot_extra_specs(flavor.vcpus, flavor.memory_mb, flavor.disk_gb)
    for name, spot_name in spot_flavors.SPOT_CLASS_OF.items():
        key = f"resources:{spot_name}"
        for wanted_key in (f"resources:{name}", key):
            found, wanted = flavor.extra_specs.get(wanted_key), expected.get(wanted_key)
            without_disk = spot_name == spot_flavors.SPOT_DISK_GB and not disk_counts
            if found != wanted and not (found is None and without_disk):
                yield _difference(flavor, wanted_key, found, wanted)


def _difference(flavor: Flavor, key: str, found: str | None, wanted: str | None) -> Fault:
    what = f"{key} is not set" if found is None else f"{key} is {found}"
    if wanted is None:
        fix = f"openstack flavor unset --property {key} {flavor.name}"
        return Fault(f"{what}, expected none: the flavor has no disk", fix)
    fix = f"openstack flavor set --property {key}={wanted} {flavor.name}"
    return Fault(f"{what}, expected {wanted}", fix)


def _rule_faults(flavor: Flavor) -> Iterable[Fault]:
    sizes = {f"resources:{name}" for name in (*_SIZES, *spot_flavors.SPOT_CLASSES)}
    for key, value in sorted(flavor.extra_specs.items()):
        if key not in sizes:
            for text in _why(key, value):
                yield Fault(text, f"openstack flavor unset --property {key} {flavor.name}")


def _guard_faults(flavor: Flavor) -> Iterable[Fault]:
    for key, value in spot_flavors.GUARDS.items():
        if key not in flavor.extra_specs:
            yield Fault(
                f"{key} is not set, expected {value}: an image could give its spot more than spot"
                " classes, and the evictor would leave that spot alone",
                f"openstack flavor set --property {key}={value} {flavor.name}",
                serious=False,
            )


def _disk_faults(flavor: Flavor) -> Iterable[Fault]:
    asked = flavor.extra_specs.get(f"resources:{spot_flavors.SPOT_DISK_GB}", "0")
    if asked != "0":
        yield Fault(
            f"it asks for {asked} GiB of disk, but [cospot] resources has no DISK_GB: disks of"
            " spots and VMs may outgrow a host, and no spot is evicted for that",
            "resources = VCPU,MEMORY_MB,DISK_GB in [cospot] and [cospot_evictor]; for disks on"
            " shared storage a spot flavor made with create-spot --without-disk",
            serious=False,
        )


def _why(key: str, value: str) -> Iterable[str]:
    """Yield the reasons why a spot flavor cannot have this extra spec."""
    shown = f"{key}={value}"
    if key == "hw:cpu_policy" and value != "shared":
        yield f"{shown}: pinned CPUs stay visible to placement"
    if key == "hw:mem_encryption" and value.lower() not in _OFF:
        yield f"{shown}: a slot for encrypted memory stays visible to placement"
    for start, what in _FORBIDDEN.items():
        if key.startswith(start):
            yield f"{shown}: {what} of a spot cannot be given to VMs"
    match = _RESOURCE.fullmatch(key)
    if match is not None and (match["group"] or value != "0"):
        if match["name"] in spot_flavors.SPOT_CLASSES and not match["group"]:
            yield f"{shown}: it is a spot flavor already"
        else:
            yield f"{shown}: what it asks placement for by itself stays visible"
