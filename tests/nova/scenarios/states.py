"""States of the cloud that scenarios begin with."""

#: VMs that make the hosts differ, and spots that fill all six: nothing fits beside them but on h2,
#: which has 2 vCPUs and 1024 MiB left.
VMS = (("h1", "vm", (2, 2048)), ("h3", "vm", (4, 1024)), ("h5", "vm", (1, 6144)))
SPOTS = (
    ("h1", "spot", (4, 4096)),  # h1: 8 vCPUs of 8 in use
    ("h1", "spot", (2, 2048)),
    ("h2", "spot", (4, 1024)),  # h2: 14 of 16, 11264 MiB of 12288
    ("h2", "spot", (8, 6144)),
    ("h2", "spot", (2, 2048)),
    ("h2", "spot", (2, 2048)),
    ("h3", "spot", (8, 6144)),  # h3: 16 of 16, 8192 MiB of 8192
    ("h3", "spot", (4, 1024)),
    ("h4", "spot", (1, 6144)),  # h4: 6 of 6, 16384 MiB of 16384
    ("h4", "spot", (2, 2048)),
    ("h4", "spot", (1, 6144)),
    ("h4", "spot", (2, 2048)),
    ("h5", "spot", (4, 4096)),  # h5: 11 of 12, 16384 MiB of 16384
    ("h5", "spot", (4, 4096)),
    ("h5", "spot", (2, 2048)),
    ("h6", "spot", (2, 2048)),  # h6: 10 of 10
    ("h6", "spot", (8, 6144)),
)


def fill_with_spots(cloud, policy=None, **options):
    """Give the scheduler a policy, unless it has one, and the cloud the state VMS and SPOTS."""
    if policy is not None:
        cloud.set_policy(**policy.options(), **options)
    missing = [*VMS, *SPOTS]
    superfluous = []
    for instance in cloud.instances():
        kind = "spot" if instance.is_spot else "vm"
        entry = (instance.host, kind, (instance.vcpus, instance.memory_mb))
        if entry in missing and instance.status == "ACTIVE":
            missing.remove(entry)
        else:
            superfluous.append(instance.id)
    cloud.delete(*superfluous)
    cloud.fill(missing)
    assert not cloud.overcommitted()
    cloud.wait_until_reported()
