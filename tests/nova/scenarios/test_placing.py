"""A VM lands where the policy says, and exactly the planned spots are evicted for it."""

import time
import uuid

import pytest
from oracle import Policy, state_of
from states import VMS, fill_with_spots

VM_SIZES = ((2, 2048), (8, 6144), (1, 6144))
VM_POLICIES = [
    Policy(vm_policy=vm_policy, saf=saf, otn=otn)
    for vm_policy in ("UTIL", "COS", "DPD")
    for saf in (False, True)
    for otn in (1, 2, 8)
]
#: The plugin asks the database about a host that has disagreed with its list for 5 s.
LIST_CHECK_S = 6
#: Nova's computes send their lists anew every 120 s (`scheduler_instance_sync_interval`).
LIST_SYNC_S = 125
TRIES = 3
SPOT_POLICIES = ("sUTIL", "sCOS", "sDPD", "vmaUTIL", "vmaCOS", "vmaDPD")


@pytest.mark.keeps_evictor
@pytest.mark.keeps_instances
@pytest.mark.parametrize(
    "policy", VM_POLICIES, ids=lambda p: f"{p.vm_policy}-otn{p.otn}-{'saf' if p.saf else 'no-saf'}"
)
def test_a_vm_lands_where_the_policy_says_and_only_its_victims_go(cloud, policy):
    cloud.set_policy(**policy.exact_options())
    assert any(vms_go_by_policy(cloud, policy) for _ in range(TRIES))


def vms_go_by_policy(cloud, policy):
    """Boot VMs in a full cloud; wait and return False if one is not where its policy says.

    A scheduler counts what a host reports beyond its list of instances as use by VMs. Nova sends it
    that list by a message of its own, after it shows the instance as ACTIVE, so on a busy machine
    the spot booted last still looks like a VM.
    """
    fill_with_spots(cloud)
    cloud.have_plain_evictor()
    for size in VM_SIZES:
        expected = state_of(cloud).place_vm(policy, *size)
        spots_before = cloud.spots()
        vm = cloud.boot("vm", *size)
        if cloud.host_of(vm) != expected.host:
            time.sleep(LIST_CHECK_S)
            return False
        cloud.wait_until_gone(expected.victims)
        cloud.wait_until_not_overcommitted()
        assert spots_before - cloud.spots() == expected.victims
    return True


@pytest.mark.parametrize("spot_policy", SPOT_POLICIES)
def test_a_spot_lands_where_its_policy_says(cloud, spot_policy):
    policy = Policy(spot_policy=spot_policy)
    cloud.set_policy(**policy.exact_options())
    cloud.fill([*VMS, ("h2", "spot", (4, 1024)), ("h6", "spot", (2, 2048))])
    for size in ((2, 2048), (1, 6144), (8, 6144)):
        assert any(spot_goes_by_policy(cloud, policy, size) for _ in range(TRIES))


def spot_goes_by_policy(cloud, policy, size):
    """Boot a spot; delete it again and wait unless it is where its policy says.

    The vma* policies avoid VMs, so what looks like one matters here too (see vms_go_by_policy).
    What a list has and is gone does so for 5 s from when a scheduler sees it, and each of them sees
    what this deletes with its next request only; so wait for new lists.
    """
    expected = state_of(cloud).place_spot(policy, *size)
    spot = cloud.boot("spot", *size)
    if cloud.host_of(spot) == expected:
        return True
    cloud.delete(spot)
    time.sleep(LIST_SYNC_S)
    return False


def claim_all(cloud, host):
    """Claim all that a host has for two VMs, as another scheduler does before they are built."""
    vcpus, memory_mb = cloud.hosts()[host].capacity
    held = {"VCPU": vcpus // 2, "MEMORY_MB": memory_mb // 2}  # a ratio of 2 is the largest
    paths = [f"/allocations/{uuid.uuid4()}" for _ in range(2)]
    for path in paths:
        claim = {
            "allocations": {cloud.providers()[host]: {"resources": held}},
            "project_id": uuid.uuid4().hex,
            "user_id": uuid.uuid4().hex,
            "consumer_generation": None,
        }
        cloud.placement.put(path, json=claim, microversion="1.28")
    return paths


@pytest.mark.parametrize("wait", [10, 0])
def test_a_spot_goes_where_no_other_scheduler_was_faster(cloud, wait):
    policy = Policy()
    cloud.set_policy(**policy.options(), spot_check_wait=wait)
    first = state_of(cloud).place_spot(policy, 4, 4096)
    paths = claim_all(cloud, first)
    try:
        spot = cloud.boot("spot", 4, 4096)
        # Without the question the scheduler cannot know: nothing runs there.
        assert (cloud.host_of(spot) == first) == (wait == 0)
    finally:
        for path in paths:
            cloud.placement.delete(path)


def test_spots_fill_the_cloud_and_no_more(cloud):
    """Until nothing is left: spots never go beyond what hosts have, beside VMs."""
    cloud.set_policy(**Policy().options())
    cloud.fill(VMS)
    while state_of(cloud).place_spot(Policy(), 4, 4096) is not None:
        cloud.boot("spot", 4, 4096)
    cloud.wait_until_refused(cloud.request("spot", 4, 4096))
    # Of 4 vCPUs and 4096 MiB, h1 takes 1, h3 1 and h4 1, h2 3, h5 and h6 2 (see settings.HOSTS).
    counts = {name: use.spot_used[0] // 4 for name, use in cloud.hosts().items()}
    assert counts == {"h1": 1, "h2": 3, "h3": 1, "h4": 1, "h5": 2, "h6": 2}


@pytest.mark.keeps_evictor
def test_no_room_at_all_is_no_valid_host_and_evicts_nothing(cloud):
    fill_with_spots(cloud, Policy())
    cloud.have_plain_evictor()
    before = cloud.spots()
    cloud.wait_until_refused(cloud.request("vm", 64, 65536))
    assert cloud.spots() == before
    # 8 vCPUs and 6144 MiB fit twice on h2, once on h3, h5 and h6.
    for _ in range(5):
        cloud.boot("vm", 8, 6144)
    cloud.wait_until_not_overcommitted()
    before = cloud.spots()
    assert before
    cloud.wait_until_refused(cloud.request("vm", 8, 6144))
    assert cloud.spots() == before


@pytest.mark.keeps_evictor
def test_the_operators_own_weighers_see_no_spots(cloud):
    """With vm_policy = nova a VM goes where Nova's weighers put it in a cloud without spots."""
    sizes = ((2, 2048), (4, 4096), (1, 6144))
    cloud.set_policy(absent=True)
    cloud.fill(VMS)
    wanted = [cloud.host_of(cloud.boot("vm", *size)) for size in sizes]
    cloud.set_policy(vm_policy="nova", otn=1)
    fill_with_spots(cloud)
    cloud.have_plain_evictor()
    for size, host in zip(sizes, wanted, strict=True):
        vm = cloud.boot("vm", *size)
        cloud.wait_until_not_overcommitted()
        assert cloud.host_of(vm) == host


def test_a_spot_that_is_deleted_and_made_again_has_its_place_in_a_full_cloud(cloud):
    """The scheduler looks up at once whether a decision of a moment ago still holds."""
    fill_with_spots(cloud, Policy())
    place = next(each for each in cloud.instances() if each.is_spot and each.host == "h4")
    spot = place.id
    for _ in range(4):
        cloud.delete(spot)
        spot = cloud.boot("spot", place.vcpus, place.memory_mb)
        assert cloud.host_of(spot) == "h4"


def test_a_planned_spot_that_has_gone_is_no_warning(cloud):
    fill_with_spots(cloud, Policy())
    cloud.start_evictor()
    log = cloud.processes.logs / "cospot-evictor-1.log"
    known = log.stat().st_size
    cloud.boot("vm", 4, 4096)
    cloud.wait_until_not_overcommitted()
    cloud.wait_until_evictor_has_reconciled()
    lines = log.read_bytes()[known:].decode().splitlines()
    refused = [line for line in lines if "refusing to evict" in line]
    assert not [line for line in refused if " WARNING " in line]
