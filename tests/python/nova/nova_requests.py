"""What the real Nova would ask placement for, of a flavor and an image."""

from cospot.nova.tools.cloud import Flavor


def nova_request(flavor, **image_properties):
    """Ask the real Nova what it would ask placement for."""
    from nova import objects
    from nova.scheduler import utils
    from nova.virt import hardware

    objects.register_all()
    same = ("name", "vcpus", "memory_mb", "root_gb", "ephemeral_gb")
    size = {name: getattr(flavor, name) for name in same} | {"swap": flavor.swap_mb}
    nova_flavor = objects.Flavor(id=1, flavorid="1", **size, extra_specs=dict(flavor.extra_specs))
    image_id = "11111111-1111-4111-8111-111111111111"
    image = objects.ImageMeta.from_dict(
        {"id": image_id, "name": "image", "properties": image_properties}
    )
    hardware.numa_get_constraints(nova_flavor, image)  # Nova's API does this first
    hardware.get_mem_encryption_constraint(nova_flavor, image)
    more = {"is_bfv": False, "request_level_params": objects.RequestLevelParams()}
    spec = objects.RequestSpec(flavor=nova_flavor, image=image, requested_resources=[], **more)
    request = utils.ResourceRequest.from_request_spec(spec)
    return request.merged_resources()


PLAIN = Flavor("1", "m1", vcpus=2, memory_mb=4096, root_gb=20, ephemeral_gb=2, swap_mb=1)
