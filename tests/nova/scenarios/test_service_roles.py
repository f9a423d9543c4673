"""What the evictor's users need: which roles let them do what it does.

Nova 26.2.2 with Placement 8, and Nova 34 with Placement 16, whose default policies differ.
"""

import pytest
from cloud import COMPUTE_API, PLACEMENT_API

PLACEMENT_READS = (
    "/resource_providers",
    "/resource_providers/{provider}/inventories",
    "/resource_providers/{provider}/usages",
    "/resource_providers/{provider}/allocations",
    "/resource_providers/{provider}/aggregates",
    "/allocations/{server}",
)


@pytest.fixture(autouse=True)
def without_cospot(cloud):
    cloud.set_policy(absent=True)


@pytest.fixture
def spot(cloud):
    return cloud.boot("spot", 1, 1024, project="birch")


def is_34(cloud):
    return (cloud.settings.release or "").startswith("34.")


def may_read_placement(cloud, user, project, server):
    placement = cloud.adapter(user, project, "placement", PLACEMENT_API)
    provider = cloud.providers()["h1"]
    return {
        placement.get(path.format(provider=provider, server=server), raise_exc=False).status_code
        for path in PLACEMENT_READS
    }


def listed_host(cloud, user, server):
    """Return the host of a server in a list of all projects; None when it is not shown."""
    nova = cloud.adapter(user, "service", "compute", COMPUTE_API)
    answer = nova.get("/servers/detail?all_tenants=1", raise_exc=False)
    if answer.status_code != 200:
        return answer.status_code
    found = {entry["id"]: entry for entry in answer.json()["servers"]}
    return found[server].get("OS-EXT-SRV-ATTR:host")


def delete_status(cloud, user, server):
    nova = cloud.adapter(user, "service", "compute", COMPUTE_API)
    return nova.delete(f"/servers/{server}", raise_exc=False).status_code


def test_admin_of_the_service_project_is_enough(cloud, spot):
    assert may_read_placement(cloud, "cospot-evictor", "service", spot) == {200}
    assert listed_host(cloud, "cospot-evictor", spot) == cloud.host_of(spot)
    cloud.member_of["birch"].post(f"/servers/{spot}/action", json={"lock": None})
    assert delete_status(cloud, "cospot-evictor", spot) == 204  # its owner's lock does not keep it
    cloud.wait_until_gone([spot])


@pytest.mark.parametrize("user", ["cospot_member", "cospot_service", "cospot_reader"])
def test_lesser_roles_of_the_project_are_not_enough(cloud, spot, user):
    may_read = user == "cospot_service" and is_34(cloud)
    assert may_read_placement(cloud, user, "service", spot) == {200 if may_read else 403}
    assert listed_host(cloud, user, spot) == 403
    assert delete_status(cloud, user, spot) == 404


def test_a_role_of_ones_own_is_enough_for_placement_and_not_for_nova(cloud, spot):
    """The policy files let it do all this; Nova's database still hides what is not its own."""
    assert may_read_placement(cloud, "cospot_least", "service", spot) == {200}
    listed = 403 if is_34(cloud) else cloud.host_of(spot)
    assert listed_host(cloud, "cospot_least", spot) == listed
    assert delete_status(cloud, "cospot_least", spot) == 404


def test_a_reader_of_the_whole_system_is_enough_for_placement_of_zed(cloud, spot):
    assert may_read_placement(cloud, "cospot_reader", None, spot) == {403 if is_34(cloud) else 200}
