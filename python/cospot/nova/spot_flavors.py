"""The marks of a spot flavor, and the amounts that its instances take from a host.

A spot flavor requests none of placement's standard classes and the same amounts of custom ones, so
that placement shows the VMs' usage as if there were no spots. Extra specs of a flavor belong to the
administrator; nothing that a tenant can write (metadata, tags, hints) is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

VCPU: Final = "VCPU"
MEMORY_MB: Final = "MEMORY_MB"
DISK_GB: Final = "DISK_GB"
SPOT_VCPU: Final = "CUSTOM_SPOT_VCPU"
SPOT_MEMORY_MB: Final = "CUSTOM_SPOT_MEMORY_MB"
SPOT_DISK_GB: Final = "CUSTOM_SPOT_DISK_GB"

#: Placement's class of each resource for VMs, and for spots.
SPOT_CLASS_OF: Final[Mapping[str, str]] = {
    VCPU: SPOT_VCPU,
    MEMORY_MB: SPOT_MEMORY_MB,
    DISK_GB: SPOT_DISK_GB,
}
SPOT_CLASSES: Final = frozenset(SPOT_CLASS_OF.values())

#: Nova takes these from an image too, unless the flavor sets them, and images belong to tenants.
#: With hw_cpu_policy=dedicated an image could give a spot PCPUs in addition to its spot classes;
#: such a spot holds capacity of VMs, and the evictor must not touch it.
GUARDS: Final[Mapping[str, str]] = {"hw:cpu_policy": "shared", "hw:mem_encryption": "False"}


def is_spot_flavor(extra_specs: Mapping[str, str] | None) -> bool:
    """Tell whether a flavor with these extra specs is a spot flavor.

    It is if `resources:CUSTOM_SPOT_VCPU` is above 0. `cospot-nova doctor` finds inconsistent
    flavors.
    """
    return spot_amount(extra_specs, SPOT_VCPU) > 0


def spot_amount(extra_specs: Mapping[str, str] | None, spot_class: str) -> int:
    """Return how much of a spot class a flavor asks placement for; 0 for what is no number."""
    amount = str((extra_specs or {}).get(f"resources:{spot_class}", "0"))
    return int(amount) if amount.isdecimal() else 0


def spot_extra_specs(vcpus: int, memory_mb: int, disk_gb: int) -> dict[str, str]:
    """Return the extra specs of a spot flavor of this size (MiB, GiB)."""
    amounts = {VCPU: vcpus, MEMORY_MB: memory_mb, DISK_GB: disk_gb}
    specs = {**GUARDS, **{f"resources:{name}": "0" for name in amounts}}
    for name, amount in amounts.items():
        if amount > 0:
            specs[f"resources:{SPOT_CLASS_OF[name]}"] = str(amount)
    return specs


def holds_only_spot_classes(resources: Mapping[str, int]) -> bool:
    """Tell whether an allocation (placement class to amount) has only spot classes."""
    return bool(resources) and resources.keys() <= SPOT_CLASSES
