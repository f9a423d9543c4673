"""Random flavors and images, against the real Nova."""

import dataclasses

from cospot.nova.tools import flavor_rules
from hypothesis import given, settings, strategies
from nova_requests import PLAIN, nova_request

#: Extra specs that Nova knows, good and bad ones, and image properties that a tenant may choose.
SPECS = {
    "hw:cpu_policy": ["shared", "dedicated", "mixed"],
    "hw:cpu_dedicated_mask": ["0"],
    "hw:cpu_realtime": ["yes"],
    "hw:cpu_realtime_mask": ["^0"],
    "hw:cpu_thread_policy": ["isolate", "require", "prefer"],
    "hw:emulator_threads_policy": ["isolate", "share"],
    "hw:mem_page_size": ["small", "large", "any", "2MB"],
    "hw:mem_encryption": ["True", "False", "no"],
    "hw:locked_memory": ["True"],
    "hw:numa_nodes": ["1", "2"],
    "hw:watchdog_action": ["reset"],
    "hw:tpm_version": ["2.0"],
    "hw:maxmem": ["1"],
    "quota:cpu_quota": ["10000"],
    "trait:HW_CPU_X86_AVX2": ["required", "forbidden"],
    "aggregate_instance_extra_specs:ssd": ["true"],
    "resources:VGPU": ["1", "0"],
    "resources:PCPU": ["2", "0"],
    "resources:VCPU": ["1", "2", "0"],
    "resources:MEM_ENCRYPTION_CONTEXT": ["1"],
    "resources:CUSTOM_SPOT_VCPU": ["1", "2"],
    "resources1:PCPU": ["1"],
    "resources_GPU:VGPU": ["1"],
    "trait1:CUSTOM_A": ["required"],
}
IMAGES = {
    "hw_cpu_policy": ["shared", "dedicated", "mixed"],
    "hw_cpu_thread_policy": ["isolate"],
    "hw_mem_page_size": ["small", "large", "2048"],
    "hw_mem_encryption": ["true", "false"],
    "hw_firmware_type": ["uefi"],
    "hw_machine_type": ["q35"],
    "hw_numa_nodes": ["1", "2"],
    "hw_emulator_threads_policy": ["isolate"],
    "hw_cpu_realtime_mask": ["^0"],
    "hw_tpm_version": ["2.0"],
    "hw_pci_numa_affinity_policy": ["required"],
    "os_secure_boot": ["required"],
}


def some_of(choices):
    one = {key: strategies.sampled_from(values) for key, values in choices.items()}
    keys = strategies.lists(strategies.sampled_from(sorted(choices)), max_size=4, unique=True)
    return keys.flatmap(lambda chosen: strategies.fixed_dictionaries({k: one[k] for k in chosen}))


@settings(max_examples=400, deadline=None)
@given(extra_specs=some_of(SPECS), image=some_of(IMAGES))
def test_what_is_allowed_as_a_spot_never_asks_for_more(extra_specs, image):
    """Whatever a flavor and an image say: refused by cospot, by Nova, or spot classes only."""
    from nova import exception

    base = dataclasses.replace(PLAIN, extra_specs=extra_specs)
    if flavor_rules.reasons_against(base):
        return
    spot = flavor_rules.spot_flavor(base, "spot")
    assert flavor_rules.faults(spot) == []
    try:
        asked = nova_request(spot, **image)
    except (exception.NovaException, ValueError):  # ValueError: no such value of a property
        return
    assert set(asked) == {"CUSTOM_SPOT_VCPU", "CUSTOM_SPOT_MEMORY_MB", "CUSTOM_SPOT_DISK_GB"}


@settings(max_examples=200, deadline=None)
@given(changes=some_of(SPECS))
def test_what_the_check_passes_asks_for_spot_classes_only(changes):
    """A flavor that someone has edited: named as faulty, or as good as a new one."""
    from nova import exception

    spot = flavor_rules.spot_flavor(PLAIN, "spot")
    edited = dataclasses.replace(spot, extra_specs={**spot.extra_specs, **changes})
    if flavor_rules.faults(edited):
        return
    try:
        asked = nova_request(edited)
    except exception.NovaException:
        return
    assert asked == nova_request(spot)
