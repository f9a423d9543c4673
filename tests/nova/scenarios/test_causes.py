"""Evicted is what caused the excess: spots that raced, a capacity that shrank, dedicated CPUs."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from oracle import Policy
from states import fill_with_spots
from waiting import wait_until
from watch import events, intents

POLICY = Policy(vm_policy="UTIL")


@pytest.fixture(scope="module", autouse=True)
def inventories_as_before(cloud):
    """Have the scheduler forget what was wrong here: it reads inventories every few minutes."""
    yield
    cloud.restart_scheduler()


def newest_first(cloud, host):
    """Return the spots of a host, the one created last in front; in a second by their ids."""
    here = [each for each in cloud.servers() if each["OS-EXT-SRV-ATTR:host"] == host]
    here.sort(key=lambda each: (each["created"], each["id"]), reverse=True)
    spots = cloud.spots()
    return [each["id"] for each in here if each["id"] in spots]


def watched_spots(cloud, **options):
    """Fill the cloud, and have an evictor know it; return its spots."""
    fill_with_spots(cloud, POLICY)
    cloud.start_evictor(reconcile_interval=0.5, **options)
    cloud.wait_until_evictor_has_reconciled()
    return cloud.spots()


@pytest.mark.keeps_instances
def test_of_spots_that_come_at_once_the_old_ones_stay(cloud):
    """12 at once where 2 fit: those that are placed beside them by a race are evicted.

    h1 has 8 vCPUs, 2 of them in use by a VM: placement alone would take 8 of spots.
    """
    fill_with_spots(cloud, POLICY)
    small = (each for each in cloud.instances() if each.host == "h1" and each.is_spot)
    cloud.delete(next(each.id for each in small if each.vcpus == 2))
    cloud.wait_until_reported()
    old = cloud.spots()
    cloud.start_evictor(reconcile_interval=0.5)
    with ThreadPoolExecutor(12) as pool:
        jobs = [pool.submit(cloud.request, "spot", 1, 1024) for _ in range(12)]
    new = {job.result() for job in jobs}

    def have_settled():
        left = [each for each in cloud.instances() if each.id in new]
        return all(each.status in {"ACTIVE", "ERROR"} for each in left)

    wait_until(have_settled, "all are placed, refused or gone")
    cloud.wait_until_not_overcommitted()
    assert old <= cloud.spots()
    assert all(line["instance"] in new for line in intents(cloud))
    stay = [each.host for each in cloud.instances() if each.id in new & cloud.spots()]
    assert [host for host in stay if host is not None] == ["h1", "h1"]


@pytest.mark.keeps_instances
def test_spots_forced_onto_a_host_go_again_and_no_older_ones(cloud):
    """Past the filters, so that it is certain: h1 of 8 vCPUs has a VM of 2, spots of 4 and 2."""
    old = watched_spots(cloud)
    new = [cloud.request("spot", 1, 1024, host="h1") for _ in range(2)]
    cloud.wait_until_gone(new)
    cloud.wait_until_not_overcommitted()
    assert cloud.spots() == old
    assert {line["instance"] for line in intents(cloud)} == set(new)
    assert {line["why"] for line in intents(cloud)} == {"spot-race"}


@pytest.mark.keeps_instances
def test_a_ratio_that_is_wrong_for_seconds_evicts_nothing(cloud):
    """As a compute with a wrong configuration reports it: h2 has 4 vCPUs instead of 16."""
    old = watched_spots(cloud)
    cloud.set_ratio("h2", "VCPU", 0.5)
    wait_until(lambda: "unexplained" in events(cloud), "the evictor says so")
    cloud.wait_until_evictor_has_reconciled()
    cloud.set_ratio("h2", "VCPU", 2.0)
    assert intents(cloud) == []
    assert cloud.spots() == old


@pytest.mark.keeps_instances
def test_a_ratio_that_stays_wrong_takes_the_newest(cloud):
    old = watched_spots(cloud, overcommit_grace=1)
    order = newest_first(cloud, "h2")
    vcpus = {each.id: each.vcpus for each in cloud.instances()}
    # 16 vCPUs are in use, and 12 are left: the newest spots are evicted until they had 4.
    expected = [each for n, each in enumerate(order) if sum(map(vcpus.get, order[:n])) < 4]
    try:
        # Its compute puts the ratio right in 10 s.
        cloud.set_ratio("h2", "VCPU", 1.5)
        wait_until(
            lambda: len(intents(cloud)) >= len(expected) or cloud.set_ratio("h2", "VCPU", 1.5),
            "spots are evicted",
        )
    finally:
        cloud.set_ratio("h2", "VCPU", 2.0)
    cloud.wait_until_gone(expected)
    assert [line["instance"] for line in intents(cloud)] == expected
    assert old - cloud.spots() == set(expected)
    assert {line["why"] for line in intents(cloud)} == {"capacity-shrank"}


@pytest.fixture
def dedicated(cloud):
    """h6 with 4 of its 10 CPUs dedicated, and a flavor for VMs that take those."""
    host = next(host for host in cloud.settings.hosts if host.name == "h6")
    cloud.restart_compute(replace(host, dedicated_cpus=4))
    cloud.restart_scheduler()
    flavor = {"name": "pinned.4x1024", "id": "pinned.4x1024", "vcpus": 4, "ram": 1024, "disk": 1}
    cloud.nova.post("/flavors", json={"flavor": flavor})
    specs = {"extra_specs": {"hw:cpu_policy": "dedicated"}}
    cloud.nova.post("/flavors/pinned.4x1024/os-extra_specs", json=specs)
    yield
    cloud.empty()
    cloud.nova.delete("/flavors/pinned.4x1024")
    cloud.restart_compute(host)


def test_dedicated_cpus_are_for_pinned_vms_alone(cloud, dedicated):
    """Of the 6 shared CPUs of h6 a VM takes 4: a spot of 2 fits and none of 4."""
    cloud.set_policy(**POLICY.options())
    cloud.start_evictor(reconcile_interval=0.5)
    cloud.boot("vm", 4, 1024, host="h6")
    refused = cloud.request("spot", 4, 1024, host="h6", filtered=True)
    cloud.wait_until_refused(refused)
    cloud.delete(refused)
    spot = cloud.boot("spot", 2, 2048, host="h6", filtered=True)
    pinned = cloud.boot("pinned", 4, 1024, host="h6", filtered=True)
    cloud.vms.add(pinned)
    [held] = cloud.allocations(pinned).values()
    assert held["PCPU"] == 4 and "VCPU" not in held
    cloud.wait_until_evictor_has_reconciled()
    assert cloud.spots() == {spot}
    assert intents(cloud) == []
