"""Whatever Nova does with instances that are there: moves free capacity too, and evict no VM."""

import signal

import pytest
from deployment.stand_ins import IMAGE_ID
from oracle import Policy, state_of
from states import fill_with_spots
from waiting import wait_until

POLICY = Policy(vm_policy="UTIL")
pytestmark = pytest.mark.keeps_evictor


@pytest.fixture(autouse=True)
def full_of_spots(cloud):
    fill_with_spots(cloud, POLICY)
    cloud.have_plain_evictor()


@pytest.fixture
def vm(cloud):
    """The VM of 2 vCPUs and 2048 MiB on h1."""
    return next(i.id for i in cloud.instances() if not i.is_spot and i.host == "h1")


def check_room_was_made(cloud, vm, moved=True):
    cloud.wait_until_not_overcommitted()
    assert (cloud.host_of(vm) != "h1") == moved


@pytest.mark.keeps_instances
@pytest.mark.parametrize("end", ["confirmResize", "revertResize"])
def test_resize(cloud, vm, end):
    cloud.act(vm, "resize", {"flavorRef": "vm.4x4096"})
    cloud.wait_for_status(vm, "VERIFY_RESIZE")
    check_room_was_made(cloud, vm)
    cloud.act(vm, end)
    cloud.wait_for_status(vm, "ACTIVE")
    check_room_was_made(cloud, vm, moved=end == "confirmResize")


@pytest.mark.keeps_instances
def test_cold_migration(cloud, vm):
    cloud.act(vm, "migrate")
    cloud.wait_for_status(vm, "VERIFY_RESIZE")
    cloud.act(vm, "confirmResize")
    cloud.wait_for_status(vm, "ACTIVE")
    check_room_was_made(cloud, vm)


@pytest.mark.keeps_instances
def test_live_migration(cloud, vm):
    cloud.act(vm, "os-migrateLive", {"host": None, "block_migration": "auto"})
    wait_until(lambda: cloud.host_of(vm) != "h1", "the VM has another host")
    cloud.wait_for_status(vm, "ACTIVE")
    check_room_was_made(cloud, vm)


@pytest.mark.keeps_instances
def test_a_spot_takes_what_a_live_migration_has_left(cloud, vm):
    """Nova's scheduler lists the VM on its old host until the next sync, after 120 s at most."""
    cloud.act(vm, "os-migrateLive", {"host": "h2", "block_migration": "auto"})
    wait_until(lambda: cloud.host_of(vm) == "h2", "the VM is on h2")
    cloud.wait_for_status(vm, "ACTIVE")
    cloud.wait_until_not_overcommitted()
    # Only placement and the compute are waited for; 2 vCPUs of h1 are free.
    cloud.wait_until_reported()
    cloud.boot("spot", 2, 2048, host="h1", filtered=True)


@pytest.mark.keeps_instances
def test_rebuild_evicts_nothing(cloud, vm):
    before = cloud.spots()
    cloud.act(vm, "rebuild", {"imageRef": IMAGE_ID})
    cloud.wait_for_status(vm, "ACTIVE")
    assert cloud.host_of(vm) == "h1"
    assert cloud.spots() == before


@pytest.mark.keeps_instances
def test_shelve_and_unshelve(cloud, vm):
    """While it is away spots may take its capacity; when it comes back they give it up."""
    cloud.act(vm, "shelve")
    cloud.wait_for_status(vm, "SHELVED_OFFLOADED")
    cloud.boot("spot", 2, 2048, host="h1")
    cloud.act(vm, "unshelve")
    cloud.wait_for_status(vm, "ACTIVE")
    cloud.wait_until_not_overcommitted()


@pytest.fixture
def fresh_scheduler(cloud):
    """Nova's scheduler lists an evacuated VM on its old host too until that is heard of again."""
    yield
    cloud.restart_scheduler()


@pytest.mark.usefixtures("fresh_scheduler")
def test_evacuation(cloud, vm):
    h1 = cloud.settings.hosts[0]
    cloud.processes.stop(f"compute-{h1.name}", signal.SIGKILL)
    cloud.force_down("h1", True)
    cloud.act(vm, "evacuate", {})
    wait_until(lambda: cloud.host_of(vm) != "h1", "the VM has another host")
    cloud.wait_for_status(vm, "ACTIVE")
    check_room_was_made(cloud, vm)


@pytest.mark.keeps_instances
def test_several_at_once(cloud):
    """One request for 4 VMs: each has its own plan, its alternates have none that counts."""
    before = cloud.spots()
    for server in cloud.request("vm", 2, 2048, count=4):
        cloud.wait_for_status(server, "ACTIVE")
    cloud.wait_until_not_overcommitted()
    # 8 vCPUs and 8192 MiB of VMs displace at most as many spots as there are VMs.
    assert 1 <= len(before - cloud.spots()) <= 4


@pytest.mark.keeps_instances
def test_a_spot_moves_only_where_there_is_room(cloud):
    spot = next(i for i in cloud.instances() if i.is_spot and i.host == "h6" and i.vcpus == 2)
    before = cloud.spots()
    # h2 has 2 vCPUs and 1024 MiB left: not enough for it.
    cloud.act(spot.id, "migrate")

    def has_failed():
        actions = cloud.nova.get(f"/servers/{spot.id}/os-instance-actions").json()
        return any(
            action["action"] == "migrate" and action["message"]
            for action in actions["instanceActions"]
        )

    wait_until(has_failed, "the migration fails")
    cloud.wait_for_status(spot.id, "ACTIVE")
    assert cloud.spots() == before
    away = next(i for i in cloud.instances() if i.is_spot and i.host == "h2" and i.vcpus == 8)
    cloud.delete(away.id)
    cloud.act(spot.id, "migrate")
    cloud.wait_for_status(spot.id, "VERIFY_RESIZE")
    cloud.act(spot.id, "confirmResize")
    cloud.wait_for_status(spot.id, "ACTIVE")
    assert cloud.host_of(spot.id) == "h2"
    assert cloud.spots() == before - {away.id}


@pytest.mark.keeps_instances
def test_a_named_host_is_planned_for(cloud):
    """`host` of a request goes through the filters, other than an availability zone's host."""
    wanted = state_of(cloud)
    assert wanted is not None
    vm = cloud.boot("vm", 2, 2048, host="h4", filtered=True)
    cloud.wait_until_not_overcommitted()
    assert cloud.host_of(vm) == "h4"
