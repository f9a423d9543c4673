"""The flavors of a deployment, VM and spot ones of the same sizes."""

from cospot.nova.spot_flavors import spot_extra_specs

#: vCPUs and MiB. A spot of 2 vCPUs has the flavor spot.2x2048.
SIZES = ((1, 1024), (2, 2048), (4, 4096), (4, 1024), (1, 6144), (8, 6144), (12, 4096))
#: More than any host has.
GIANT = (64, 65536)


def flavor_name(kind, vcpus, memory_mb):
    return f"{kind}.{vcpus}x{memory_mb}"


def create_flavors(nova):
    """Make the flavors through Nova's API, as an administrator.

    They have a disk, as Nova lets only administrators boot those that have none.
    """
    for kind in ("vm", "spot"):
        for vcpus, memory_mb in (*SIZES, GIANT):
            name = flavor_name(kind, vcpus, memory_mb)
            flavor = {"name": name, "id": name, "vcpus": vcpus, "ram": memory_mb, "disk": 1}
            nova.post("/flavors", json={"flavor": flavor})
            if kind == "spot":
                specs = spot_extra_specs(vcpus, memory_mb, 0)
                nova.post(f"/flavors/{name}/os-extra_specs", json={"extra_specs": specs})
