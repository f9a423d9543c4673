"""A reserve kept free of spots ahead of demand: notice, grace period, deletion or shelving."""

from datetime import datetime

import pytest
from oracle import Policy
from states import fill_with_spots
from waiting import wait_until
from watch import audit_lines, events

#: h2 has 2 vCPUs and 1024 MiB left, all other hosts nothing: one VM of 4 and 4096 takes the spot
#: of 4 and 1024 that is its first, and of the rest what frees 2048 MiB more.
RESERVE = "4:4096"
NOTICE_S = 10
ORCHARD = ("h5", "h6")
METADATA = "cospot_evict_at"


@pytest.fixture
def full(cloud):
    fill_with_spots(cloud, Policy())
    assert not room_for_one(cloud)
    return cloud.spots()


@pytest.fixture
def aggregate(cloud):
    """A host aggregate of h5 and h6."""
    body = {"aggregate": {"name": "orchard"}}
    made = cloud.nova.post("/os-aggregates", json=body).json()["aggregate"]["id"]
    for host in ORCHARD:
        cloud.nova.post(f"/os-aggregates/{made}/action", json={"add_host": {"host": host}})
    yield "orchard"
    for host in ORCHARD:
        cloud.nova.post(f"/os-aggregates/{made}/action", json={"remove_host": {"host": host}})
    cloud.nova.delete(f"/os-aggregates/{made}")


def start(cloud, notice_seconds=NOTICE_S, **options):
    cloud.start_evictor(
        mode="proactive", default_reserve=RESERVE, notice_seconds=notice_seconds, **options
    )


def room_for_one(cloud, vcpus=4, memory_mb=4096):
    over = [host.over for host in cloud.hosts().values()]
    return any(max(each[0] + vcpus, each[1] + memory_mb) <= 0 for each in over)


def notices(cloud):
    """Return the times in the metadata of the spots that have notice, seconds since the epoch."""
    found = {server["id"]: server["metadata"].get(METADATA) for server in cloud.servers()}
    return {
        server: datetime.fromisoformat(moment).timestamp()
        for server, moment in found.items()
        if moment
    }


def told_before_the_reserve_was_made(cloud, full):
    """Wait until the reserve is there; return the notices, by spot.

    Those alone have gone that had one, each when its time was over.
    """
    shown = wait_until(lambda: notices(cloud), "a spot has notice")
    wait_until(lambda: room_for_one(cloud), "the reserve is there")
    lines = audit_lines(cloud)
    told = {line["instance"]: line for line in lines if line["event"] == "notice"}
    assert all(abs(told[spot]["evict_at"] - moment) < 1 for spot, moment in shown.items())
    for line in lines:
        if line["event"] == "intent":
            ordered_at = datetime.fromisoformat(line["time"]).timestamp()
            assert ordered_at >= told[line["instance"]]["evict_at"]
    assert full <= cloud.spots() | set(told)
    return told


@pytest.mark.keeps_instances
def test_spots_are_deleted_after_notice(cloud, full):
    start(cloud)
    given = told_before_the_reserve_was_made(cloud, full)
    assert full - cloud.spots() == set(given)
    assert not cloud.overcommitted()


@pytest.mark.keeps_instances
def test_a_reserve_of_an_aggregate_takes_the_spots_of_its_hosts(cloud, full, aggregate):
    cloud.start_evictor(mode="proactive", reserve=f"{aggregate}:{RESERVE}", notice_seconds=NOTICE_S)
    hosts = {instance.id: instance.host for instance in cloud.instances()}
    given = told_before_the_reserve_was_made(cloud, full)
    assert {hosts[spot] for spot in given} <= set(ORCHARD)
    assert full - cloud.spots() == set(given)


@pytest.mark.keeps_instances
def test_spots_are_shelved_after_notice_and_their_owners_have_them_back(cloud, full):
    start(cloud, action="shelve-offload")
    given = told_before_the_reserve_was_made(cloud, full)
    assert cloud.spots() == full
    for spot in given:
        cloud.wait_for_status(spot, "SHELVED_OFFLOADED")
        assert not cloud.allocations(spot)
    wait_until(lambda: not notices(cloud), "what the metadata say is done")
    cloud.stop_evictors()
    back = next(iter(given))
    cloud.act(back, "unshelve")
    cloud.wait_for_status(back, "ACTIVE")
    assert not cloud.overcommitted()


@pytest.mark.keeps_instances
def test_notice_is_withdrawn_when_room_comes_by_itself(cloud, full):
    start(cloud, notice_seconds=600)
    wait_until(lambda: notices(cloud), "a spot has notice")
    others = [
        instance.id for instance in cloud.instances() if instance.host == "h4" and instance.is_spot
    ]
    cloud.delete(*(server for server in others if server not in notices(cloud)))
    assert room_for_one(cloud)
    wait_until(lambda: not notices(cloud), "the notice is withdrawn")
    assert "intent" not in events(cloud)


@pytest.mark.keeps_instances
def test_no_spot_gets_what_notices_free_while_the_reserve_is_not_complete(cloud, full):
    """No single spot and what is free beside it are 12 vCPUs; two spots of h2 or h3 are.

    The owner of one of them, which have notice, deletes it: half of the reserve is free. A spot of
    that size would fit there and nowhere else, and would cost a third spot its place.
    """
    cloud.set_policy(**Policy().options(), default_reserve="12:4096")
    cloud.start_evictor(mode="proactive", default_reserve="12:4096", notice_seconds=60)
    wait_until(lambda: len(notices(cloud)) == 2, "two spots have notice")
    given = notices(cloud)
    first = max(given, key=lambda spot: cloud.server(spot)["flavor"]["vcpus"])
    freed = cloud.server(first)["flavor"]
    cloud.delete(first)
    cloud.wait_until_reported()
    assert not room_for_one(cloud, 12)
    cloud.wait_until_refused(cloud.request("spot", freed["vcpus"], freed["ram"]))
    wait_until(lambda: room_for_one(cloud, 12), "the reserve is there")
    assert full - cloud.spots() == set(given)


def test_spots_that_fill_the_cloud_stay_out_of_the_reserve(cloud):
    """Also the last ones, when hosts are full and placement names them no more."""
    cloud.set_policy(**Policy(saf=True).options(), default_reserve="4:4096:2")
    for size in ((4, 4096), (1, 1024)):
        refused = False
        while not refused:
            spot = cloud.request("spot", *size)
            cloud.wait_for_status(spot, "ACTIVE", "ERROR")
            refused = cloud.server(spot)["status"] == "ERROR"
    free = [(-vcpus // 4, -memory_mb // 4096) for vcpus, memory_mb in overs(cloud)]
    assert sum(map(min, free)) == 2
    # VMs are what it is for, and nothing goes for them.
    known = cloud.spots()
    for _ in range(2):
        cloud.boot("vm", 4, 4096)
    assert not cloud.overcommitted() and cloud.spots() == known


def overs(cloud):
    return [host.over for host in cloud.hosts().values()]
