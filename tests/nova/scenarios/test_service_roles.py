"""What the evictor's users need: which roles let them do what it does.

Nova 26.2.2 with Placement 8, and Nova 34 with Placement 16, whose default policies differ.
"""

import json
from contextlib import contextmanager

import pytest
from cloud import COMPUTE_API, PLACEMENT_API
from deployment import identity
from deployment.flavors import flavor_name
from deployment.settings import PASSWORD, ROOT
from keystoneauth1.adapter import Adapter
from waiting import wait_until
from watch import events

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


def keystone_of(cloud, user):
    session = identity.session(cloud.settings, user, "service")
    return Adapter(session, endpoint_override=cloud.settings.auth_url)


def test_a_role_of_ones_own_is_enough_and_keystone_refuses_it_all(cloud, spot):
    """The policy files of examples/nova let it in."""
    assert may_read_placement(cloud, "cospot_narrow", "service", spot) == {200}
    assert listed_host(cloud, "cospot_narrow", spot) == cloud.host_of(spot)
    keystone = keystone_of(cloud, "cospot_narrow")
    for path in ("users", "projects", "roles", "role_assignments", "services"):
        assert keystone.get(f"/{path}", raise_exc=False).status_code == 403
    body = {"user": {"name": "intruder", "password": PASSWORD, "domain_id": "default"}}
    assert keystone.post("/users", json=body, raise_exc=False).status_code == 403
    placement = cloud.adapter("cospot_narrow", "service", "placement", PLACEMENT_API)
    assert placement.delete(f"/allocations/{spot}", raise_exc=False).status_code == 403
    assert delete_status(cloud, "cospot_narrow", spot) == 204
    cloud.wait_until_gone([spot])


def test_a_role_in_placement_alone_is_nothing_in_nova(cloud, spot):
    assert may_read_placement(cloud, "cospot_least", "service", spot) == {200}
    assert listed_host(cloud, "cospot_least", spot) == 403
    assert delete_status(cloud, "cospot_least", spot) == 404


@contextmanager
def application_credential(cloud):
    """Make one of the evictor's user with the access rules of examples/nova; yield its id."""
    keystone = keystone_of(cloud, "cospot-evictor")
    user = identity.Catalogue(cloud.settings).user("cospot-evictor")
    rules = json.loads((ROOT / "examples" / "nova" / "access-rules.json").read_text())
    fields = {"name": "evictor", "secret": PASSWORD, "access_rules": rules}
    path = f"/users/{user}/application_credentials"
    made = keystone.post(path, json={"application_credential": fields}).json()
    found = made["application_credential"]["id"]
    try:
        yield found
    finally:
        keystone.delete(f"{path}/{found}")


def evict_confirm_and_tell(cloud, **credentials):
    """Have the evictor do all it does: evict for a VM, tell the owner, confirm a resize."""
    host = "h1"  # of 8 vCPUs
    moved, stays = (cloud.boot("spot", 4, 4096, host=host) for _ in range(2))
    cloud.act(moved, "resize", {"flavorRef": flavor_name("spot", 8, 6144)})
    cloud.wait_for_status(moved, "VERIFY_RESIZE")
    assert cloud.host_of(moved) != host
    cloud.start_evictor(tell_owners=True, **credentials)
    vms = [cloud.boot("vm", 4, 4096, host=host) for _ in range(2)]
    cloud.wait_until_gone([stays])
    cloud.wait_until_not_overcommitted()
    cloud.wait_for_status(moved, "ACTIVE")
    all_done = {"confirm_intent", "confirm_freed", "intent", "freed"}
    wait_until(lambda: all_done <= events(cloud), "all is logged")
    assert set(vms) <= {each.id for each in cloud.instances()}
    gone = cloud.nova.get(f"/servers/detail?all_tenants=1&deleted=true&uuid={stays}").json()
    (server,) = [each for each in gone["servers"] if each["id"] == stays]
    assert server["locked_reason"], server


def test_the_evictor_works_with_the_role_alone(cloud):
    evict_confirm_and_tell(cloud, nova_user="cospot_narrow", placement_user="cospot_narrow")


def test_the_evictor_works_with_an_application_credential(cloud):
    with application_credential(cloud) as credential:
        evict_confirm_and_tell(cloud, credential=credential)


def test_a_reader_of_the_whole_system_is_enough_for_placement_of_zed(cloud, spot):
    assert may_read_placement(cloud, "cospot_reader", None, spot) == {403 if is_34(cloud) else 200}
