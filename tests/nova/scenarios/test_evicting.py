"""The evictor down, restarted, duplicated, killed; RabbitMQ restarted; many VMs at once."""

import signal
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone

import pytest
from deployment.backing_services import change_database
from oracle import Policy, state_of
from states import fill_with_spots
from watch import intents

POLICY = Policy(vm_policy="UTIL")
#: A VM that UTIL puts on h3, the host with the most vCPUs used by VMs; both its spots are evicted.
ON_H3 = (12, 4096)
STEPS = (  # of deployment.killed_evictor
    "plan-received",
    "plan-taken",
    "victim-checked",
    "intent-written",
    "deletion-ordered",
    "first-victim-done",
    "freed-seen",
)


@pytest.fixture(autouse=True)
def full_of_spots(cloud):
    fill_with_spots(cloud, POLICY)


def check_each_was_ordered_once(cloud):
    ordered = [line["instance"] for line in intents(cloud)]
    assert ordered
    assert len(ordered) == len(set(ordered))


def check_evicted_for(cloud, vm, expected, before):
    """Check that exactly the planned spots were evicted for a VM, each once, and that it fits."""
    cloud.wait_until_gone(expected.victims)
    cloud.wait_until_not_overcommitted()
    assert cloud.host_of(vm) == expected.host
    assert before - cloud.spots() == expected.victims


@pytest.mark.keeps_instances
def test_an_evictor_that_was_down_does_what_it_missed(cloud):
    expected = state_of(cloud).place_vm(POLICY, 8, 6144)
    before = cloud.spots()
    vm = cloud.boot("vm", 8, 6144)
    assert expected.victims
    assert cloud.spots() == before
    assert cloud.overcommitted()
    cloud.start_evictor()
    check_evicted_for(cloud, vm, expected, before)


@pytest.mark.keeps_instances
def test_the_owner_reads_why_a_spot_went(cloud):
    before = {each.id: each.project for each in cloud.instances() if each.is_spot}
    began = datetime.now(timezone.utc) - timedelta(seconds=60)  # clocks have whole seconds
    cloud.start_evictor()
    cloud.boot("vm", 8, 6144)
    gone = before.keys() - cloud.spots()
    cloud.wait_until_gone(gone)
    since = began.strftime("%Y-%m-%dT%H:%M:%SZ")
    names = {adapter.get_project_id(): name for name, adapter in cloud.member_of.items()}
    for spot in gone:
        owner = cloud.member_of[names[before[spot]]]
        listed = owner.get(f"/servers/detail?changes-since={since}").json()["servers"]
        server = next(each for each in listed if each["id"] == spot)
        assert server["status"] == "DELETED"
        assert server["locked_reason"].startswith(
            "spot evicted (vm-claim): a regular server needs the capacity; "
        )
        answer = owner.get(f"/servers/{spot}/os-instance-actions").json()["instanceActions"]
        assert [each["action"] for each in answer[:2]] == ["lock", "delete"]


@pytest.mark.keeps_instances
def test_two_copies_evict_each_spot_once(cloud):
    cloud.start_evictor(1)
    cloud.start_evictor(2)
    for size in ((8, 6144), (4, 4096), (2, 2048)):
        expected = state_of(cloud).place_vm(POLICY, *size)
        before = cloud.spots()
        vm = cloud.boot("vm", *size)
        check_evicted_for(cloud, vm, expected, before)
    check_each_was_ordered_once(cloud)


@pytest.mark.keeps_instances
@pytest.mark.parametrize("step", STEPS)
def test_killed_at_a_step_and_started_again(cloud, step):
    expected = state_of(cloud).place_vm(POLICY, *ON_H3)
    before = cloud.spots()
    assert len(expected.victims) == 2
    cloud.start_evictor(killed_at=step)
    vm = cloud.boot("vm", *ON_H3)
    cloud.wait_until_killed()
    cloud.start_evictor()
    check_evicted_for(cloud, vm, expected, before)


@pytest.mark.keeps_instances
def test_killed_at_a_step_beside_another_copy(cloud):
    """The other copy takes over at once, also the lock of the host."""
    expected = state_of(cloud).place_vm(POLICY, *ON_H3)
    before = cloud.spots()
    cloud.start_evictor(1, killed_at="first-victim-done")
    cloud.start_evictor(2)
    vm = cloud.boot("vm", *ON_H3)
    check_evicted_for(cloud, vm, expected, before)


@pytest.mark.keeps_instances
def test_stopped_gently(cloud):
    cloud.start_evictor()
    expected = state_of(cloud).place_vm(POLICY, 4, 4096)
    before = cloud.spots()
    vm = cloud.boot("vm", 4, 4096)
    check_evicted_for(cloud, vm, expected, before)
    cloud.stop_evictors(signal.SIGTERM)
    log = (cloud.processes.logs / "cospot-evictor-1.log").read_text()
    assert "stopping" in log
    assert "Traceback" not in log


@pytest.mark.keeps_instances
def test_the_owner_deletes_the_victims_first(cloud):
    """A spot that its owner deletes frees enough too: no other one is evicted in its place."""
    expected = state_of(cloud).place_vm(POLICY, 8, 6144)
    before = cloud.spots()
    victim = sorted(expected.victims)[0]
    vm = cloud.boot("vm", 8, 6144)
    cloud.delete(victim)
    cloud.start_evictor()
    cloud.wait_until_not_overcommitted()
    assert cloud.host_of(vm) == expected.host
    # Of two victims the one that the owner deletes may be enough.
    assert {victim} <= before - cloud.spots() <= expected.victims


@pytest.mark.keeps_instances
def test_a_forced_host_has_no_plan_and_is_freed_all_the_same(cloud):
    # h4 had nothing left. FIFO takes spots until 4 vCPUs and 4096 MiB are free: two when those of
    # 2x2048 were launched first, else three.
    expected = set()
    free = [0, 0]
    for spot in cloud.instances():  # those launched first in front
        if spot.host == "h4" and spot.is_spot and (free[0] < 4 or free[1] < 4096):
            expected.add(spot.id)
            free = [free[0] + spot.vcpus, free[1] + spot.memory_mb]
    assert len(expected) in (2, 3)
    cloud.start_evictor()
    before = cloud.spots()
    vm = cloud.boot("vm", 4, 4096, host="h4")
    cloud.wait_until_not_overcommitted()
    assert cloud.host_of(vm) == "h4"
    assert before - cloud.spots() == expected


@pytest.mark.keeps_instances
def test_a_burst_of_20_vms(cloud):
    """All run, or are refused; no host is overcommitted; every spot that can stay stays."""
    cloud.start_evictor()
    with ThreadPoolExecutor(10) as pool:
        jobs = [pool.submit(cloud.request, "vm", 2, 2048) for _ in range(20)]
    for job in jobs:
        cloud.wait_for_status(job.result(), "ACTIVE")
    cloud.wait_until_not_overcommitted()
    check_each_was_ordered_once(cloud)


@pytest.mark.keeps_instances
def test_rabbitmq_restarted_between_vms(cloud):
    """The scheduler, Nova and the evictor find it again, and the next plan arrives."""
    cloud.start_evictor()
    cloud.boot("vm", 2, 2048)
    cloud.wait_until_not_overcommitted()
    cloud.restart_rabbitmq()
    expected = state_of(cloud).place_vm(POLICY, 4, 4096)
    before = cloud.spots()
    vm = cloud.boot("vm", 4, 4096)
    check_evicted_for(cloud, vm, expected, before)


@pytest.mark.keeps_instances
def test_an_order_that_was_lost_on_its_way_to_the_compute(cloud):
    """Nova's API has marked the spot, the compute has not heard of it, and no deletion helps.

    RabbitMQ that dies at that moment leaves this behind; here Nova's database is given it.
    """
    expected = state_of(cloud).place_vm(POLICY, 8, 6144)
    before = cloud.spots()
    vm = cloud.boot("vm", 8, 6144)
    for victim in expected.victims:
        assert change_database(
            cloud.settings,
            "nova",
            "UPDATE instances SET task_state = 'deleting', updated_at = UTC_TIMESTAMP() "
            "WHERE uuid = %s",
            (victim,),
        )
        cloud.nova.delete(f"/servers/{victim}")
        assert cloud.server(victim)["OS-EXT-STS:task_state"] == "deleting"
    cloud.start_evictor(deletion_timeout=2)
    check_evicted_for(cloud, vm, expected, before)
    ways = {line["chosen_by"] for line in intents(cloud)}
    assert ways == {"deletion-stuck"}
