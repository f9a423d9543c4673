"""What the real Nova would ask placement for, of a flavor and an image."""

from cospot.nova.tools.cloud import Flavor


def nova_request(flavor, **image_properties):
    """Ask the real Nova what it would ask placement for."""
    from nova import objects
    from nova.scheduler import utils
    from nova.virt import hardware

    objects.register_all()
    nova_flavor = objects.Flavor(
        id=1,
        flavorid="1",
        name=flavor.name,
        vcpus=flavor.vcpus,
        memory_mb=flavor.memory_mb,
        root_gb=flavor.root_gb,
        ephemeral_gb=flavor.ephemeral_gb,
        swap=flavor.swap_mb,
        extra_specs=dict(flavor.extra_specs),
    )
    image = objects.ImageMeta.from_dict(
        {
            "id": "11111111-1111-4111-8111-111111111111",
            "name": "image",
            "properties": image_properties,
        }
    )
    hardware.numa_get_constraints(nova_flavor, image)  # Nova's API does this first
    hardware.get_mem_encryption_constraint(nova_flavor, image)
    spec = objects.RequestSpec(
        flavor=nova_flavor,
        image=image,
        requested_resources=[],
        is_bfv=False,
        request_level_params=objects.RequestLevelParams(),
    )
    request = utils.ResourceRequest.from_request_spec(spec)
    return request.merged_resources()


PLAIN = Flavor("1", "m1", vcpus=2, memory_mb=4096, root_gb=20, ephemeral_gb=2, swap_mb=1)
