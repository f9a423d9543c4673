"""Numbers of an instance's shared CPUs (VCPU of placement) and of its dedicated ones (PCPU).

Nova's own code reads flavors and images here, so that what counts is what Nova asks placement for
(`nova.scheduler.utils.ResourceRequest._translate_pinning_policies`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from nova import exception, objects
from nova.virt import hardware

from cospot.nova import spot_flavors
from cospot.nova.inventory import PCPU


class Cpus(NamedTuple):
    """CPUs of an instance by the class that placement counts them in."""

    shared: int
    dedicated: int


def cpus_of(flavor: Any, image: Any = None) -> Cpus:
    """Return the CPUs of an instance.

    Args:
        flavor: Nova's Flavor.
        image: Nova's ImageMeta; None if it is not known, which counts as one that asks for nothing.
    """
    specs = (flavor.extra_specs if "extra_specs" in flavor else None) or {}
    if spot_flavors.is_spot_flavor(specs):
        return Cpus(flavor.vcpus, 0)
    explicit = str(specs.get(f"resources:{PCPU}", ""))
    if explicit.isdecimal():
        return Cpus(max(0, flavor.vcpus - int(explicit)), int(explicit))
    has_properties = image is not None and "properties" in image
    if "hw:cpu_policy" not in specs and not (
        has_properties and "hw_cpu_policy" in image.properties
    ):
        return Cpus(flavor.vcpus, 0)
    if not has_properties:
        image = objects.ImageMeta(properties=objects.ImageMetaProps())
    try:
        dedicated = _dedicated(flavor, image)
    except exception.NovaException:
        return Cpus(flavor.vcpus, 0)  # what Nova refuses is not built
    if dedicated == 0:
        return Cpus(flavor.vcpus, 0)
    # The emulator's threads have a dedicated CPU of their own, beside those of the flavor.
    emulator = hardware.get_emulator_thread_policy_constraint(flavor) == "isolate"
    return Cpus(flavor.vcpus - dedicated, dedicated + int(emulator))


def _dedicated(flavor: Any, image: Any) -> int:
    policy = hardware.get_cpu_policy_constraint(flavor, image)
    if policy == objects.fields.CPUAllocationPolicy.DEDICATED:
        return int(flavor.vcpus)
    if policy == objects.fields.CPUAllocationPolicy.MIXED:
        cpus = hardware.get_dedicated_cpu_constraint(flavor)
        return len(cpus or hardware.get_realtime_cpu_constraint(flavor, image) or ())
    return 0


def image_of(instance: Any) -> Any:
    """Return the ImageMeta of an Instance without asking a database; None if it is not there."""
    if "system_metadata" not in instance or not instance.system_metadata:
        return None
    try:
        return objects.ImageMeta.from_instance(instance)
    except Exception:  # whatever an old record holds, it is one instance's
        return None
