"""Reserves kept free ahead of demand: notice, grace period, eviction, withdrawal."""

from __future__ import annotations

import time
import uuid
from datetime import datetime
from typing import Any

import pytest
from cospot.nova.evictor.model import HostUsage, Inventory
from cospot.nova.evictor.reserves import Reserve, read_reserves
from cospot.nova.state.safeguards import NOTICES_LOCK, BusyLockError
from evictor_running import PROACTIVE, metric
from waiting import wait_until


@pytest.fixture
def running(running):
    yield running
    running.check_evictions_of_reserves()


def test_room_counts_in_whole_vms_on_one_host():
    # 8 vCPUs and 8192 MiB, 3 and 1024 used: 5 vCPUs left are 2 VMs of 2 vCPUs, 7168 MiB are 3 of
    # 2048; one more needs 6 - 5 = 1 vCPU.
    inventories = {"VCPU": Inventory(8, 0, 1.0), "MEMORY_MB": Inventory(8192, 0, 1.0)}
    held = {"a": {"VCPU": 1, "MEMORY_MB": 512}}
    held["b"] = {"CUSTOM_SPOT_VCPU": 2, "CUSTOM_SPOT_MEMORY_MB": 512}
    usage = HostUsage("p", "host", inventories, held)
    reserve = Reserve("r", "r", {"VCPU": 2, "MEMORY_MB": 2048}, 5)
    assert reserve.hosts([usage], ()).vms_on(0) == 2
    assert reserve.need(usage) == {"VCPU": 1}
    assert reserve.missing([usage, usage]) == 1
    assert reserve.hosts([usage], {"b"}).vms_on(0) == 3


def test_reserves_are_read():
    assert read_reserves(["gold:4:8192:2", "silver:1:0"], "2:1024") == [
        Reserve("gold", "gold", {"VCPU": 4, "MEMORY_MB": 8192}, 2),
        Reserve("silver", "silver", {"VCPU": 1}, 1),
        Reserve("default", "", {"VCPU": 2, "MEMORY_MB": 1024}, 1),
    ]


def test_a_spot_gets_notice_and_goes_when_its_time_has_come(running):
    _, spots = running.full_host(4)
    began = time.time()
    service = running.start(**PROACTIVE, notice_seconds=1.5)
    wait_until(lambda: bool(running.events("notice")), "the notice")
    [notice] = running.events("notice")
    assert notice["instance"] == spots[0] and notice["reserve"] == "default"
    assert began + 1.5 <= notice["evict_at"] <= time.time() + 1.5
    wait_until(lambda: "cospot_evict_at" in running.cloud.instances[spots[0]].metadata, "metadata")
    assert running.cloud.deleted == []
    wait_until(lambda: bool(running.events("freed")), "the spot is evicted")
    assert time.time() >= notice["evict_at"]
    running.reconciles(5)
    assert running.cloud.deleted == [spots[0]]
    [intent] = running.events("intent")
    assert intent["cause"] == "reserve" and intent["action"] == "delete"
    assert 1.5 <= intent["notice_s"] < 60
    assert metric(service, "notice_seconds_count") == 1
    assert metric(service, "notice_seconds_bucket", le="0.0") == 0
    assert metric(service, "notices_total", outcome="given") == 1
    assert metric(service, "reserve_missing", reserve="default") == 0


def test_a_copy_that_leads_no_more_says_nothing_of_what_reserves_lack(running, monkeypatch):
    """The copy that leads now does; the dashboard shows the most that any copy says."""
    running.full_host(4)
    service = running.start(**PROACTIVE, notice_seconds=600)

    def shown() -> float | None:
        name = "cospot_evictor_reserve_missing"
        return service.metrics.registry.get_sample_value(name, {"reserve": "default"})

    wait_until(lambda: shown() == 1, "the reserve lacks a VM")
    hold = service.context.locks.hold

    def held_by_another(name: str, **options: bool) -> Any:
        if name == NOTICES_LOCK:
            raise BusyLockError(name)
        return hold(name, **options)

    monkeypatch.setattr(service.context.locks, "hold", held_by_another)
    wait_until(lambda: shown() is None, "nothing is said of the reserve")
    assert metric(service, "leader") == 0


@pytest.mark.parametrize("fields", [{"status": "disabled"}, {"is_up": False}])
def test_a_host_that_takes_no_vm_is_of_no_reserve(running, fields):
    """b is empty; while its compute is off, the VMs of the reserve would find no place there."""
    _, spots = running.full_host(4)
    b = running.cloud.add_host("b")
    service = running.start(mode="proactive", default_reserve="2:0:2", notice_seconds=600)
    running.reconciles()
    assert running.events("notice") == []
    assert metric(service, "reserve_missing", reserve="default") == 0
    for name, value in fields.items():
        setattr(running.cloud.hosts[b], name, value)
    wait_until(lambda: len(running.events("notice")) == 2, "the notices")
    assert {each["instance"] for each in running.events("notice")} == set(spots[:2])
    running.cloud.hosts[b].status, running.cloud.hosts[b].is_up = "enabled", True
    wait_until(lambda: len(running.events("notice_withdrawn")) == 2, "withdrawals")
    assert running.cloud.deleted == []


def test_a_notice_of_a_former_service_is_known(running):
    host, spots = running.full_host(4)
    running.start(**PROACTIVE, notice_seconds=600)
    wait_until(lambda: bool(running.events("notice")), "the notice")
    [notice] = running.events("notice")
    running.services.pop().stop()
    time.sleep(1.0)
    service = running.start(**PROACTIVE, notice_seconds=600)
    running.reconciles()
    running.cloud.add(host, 2, 1024, spot=False)  # whose spot is the one that has been told
    wait_until(lambda: bool(running.events("intent")), "the eviction")
    [intent] = running.events("intent")[:1]
    assert intent["instance"] == notice["instance"] == spots[0]
    ordered_at = datetime.fromisoformat(intent["time"]).timestamp()
    assert intent["notice_s"] == pytest.approx(ordered_at - notice["given_at"], abs=1)
    assert metric(service, "notice_seconds_bucket", le="0.0") == 0


def test_metadata_that_a_tenant_changes_decides_nothing(running):
    _, spots = running.full_host(4)
    running.start(**PROACTIVE, notice_seconds=1)
    wait_until(lambda: bool(running.events("notice")), "the notice")
    running.cloud.instances[spots[0]].metadata.clear()
    running.cloud.instances[spots[1]].metadata["cospot_evict_at"] = "2000-01-01T00:00:00+00:00"
    wait_until(lambda: running.cloud.deleted == [spots[0]], "the spot is evicted on time")
    running.reconciles(3)
    assert running.cloud.deleted == [spots[0]]


def test_a_reserve_takes_the_cheapest_host_of_its_aggregate(running):
    # For a VM of 4 vCPUs: 4 spots of 1 on a, 1 spot of 4 on b; c is not of the aggregate.
    a, _ = running.full_host(8)
    b, big = running.full_host(2, "b")
    c, _ = running.full_host(1, "c")
    running.cloud.aggregates = {"gold": "11111111-2222-3333-4444-555555555555"}
    for host in (a, b):
        running.cloud.hosts[host].aggregates.add(running.cloud.aggregates["gold"])
    running.start(mode="proactive", reserve="gold:4:1024", notice_seconds=0)
    wait_until(lambda: bool(running.events("freed")), "the spot is evicted")
    running.reconciles(5)
    assert running.cloud.deleted == [big[0]]
    assert running.cloud.hosts[c].consumers


def test_no_notice_goes_to_a_spot_that_need_not_go(running):
    # For a VM of 6 vCPUs FIFO takes the spot of 2, which is not enough, and then that of 6, which
    # frees enough alone.
    host = running.cloud.add_host("a")
    small = running.cloud.add(host, 2, 1024, spot=True)
    big = running.cloud.add(host, 6, 1024, spot=True)
    running.start(mode="proactive", default_reserve="6:0", notice_seconds=0)
    wait_until(lambda: bool(running.events("freed")), "the spot is evicted")
    running.reconciles(5)
    assert [notice["instance"] for notice in running.events("notice")] == [big]
    assert running.cloud.deleted == [big] and small in running.cloud.there


def test_an_unknown_aggregate_is_an_error_line(running, caplog):
    running.full_host(2)
    service = running.start(mode="proactive", reserve="gold:4:1024", notice_seconds=0)
    wait_until(lambda: metric(service, "errors_total", where="reserve") > 0, "the error")
    running.reconciles(3)
    assert "there is no host aggregate gold" in caplog.text
    assert running.cloud.deleted == []


def test_shelving_gives_the_room_too(running):
    _, spots = running.full_host(4)
    running.start(**PROACTIVE, notice_seconds=0, action="shelve-offload")
    wait_until(lambda: bool(running.events("freed")), "the capacity is free")
    running.reconciles(5)
    assert running.cloud.shelved == [spots[0]] and running.cloud.deleted == []
    # Its owner may have it back, and then nothing threatens it.
    assert running.cloud.instances[spots[0]].metadata == {}


@pytest.mark.parametrize(
    "later",
    [
        pytest.param({"mode": "reactive"}, id="no reserves"),
        pytest.param({"mode": "proactive", "default_reserve": "1000:0"}, id="another reserve"),
    ],
)
def test_notices_of_a_reserve_that_is_no_more_are_withdrawn(running, later):
    host, spots = running.full_host(4)
    running.cloud.aggregates["few"] = str(uuid.uuid4())
    running.cloud.hosts[host].aggregates.add(running.cloud.aggregates["few"])
    service = running.start(mode="proactive", reserve="few:2:0", notice_seconds=600)
    wait_until(lambda: bool(running.events("notice")), "the notice")
    service.stop()
    assert running.cloud.instances[spots[0]].metadata != {}
    running.start(**later)
    wait_until(lambda: bool(running.events("notice_withdrawn")), "the withdrawal")
    assert running.cloud.instances[spots[0]].metadata == {}
    assert running.cloud.deleted == []


def test_a_vm_that_needs_the_room_does_not_wait_for_a_notice(running):
    host, spots = running.full_host(4)
    service = running.start(**PROACTIVE, notice_seconds=600)
    wait_until(lambda: bool(running.events("notice")), "the notice")
    running.cloud.add(host, 4, 1024, spot=False)
    wait_until(lambda: running.cloud.deleted == spots[:2], "two spots are evicted at once")
    running.reconciles(3)
    assert {each["cause"] for each in running.events("intent")} == {"reconcile"}
    assert all(each["notice_s"] < 60 for each in running.events("intent"))  # of 600
    wait_until(lambda: metric(service, "notice_seconds_count") == 2, "the metric")


def test_a_spot_that_cannot_be_shelved_keeps_its_place(running):
    _, spots = running.full_host(4)
    running.cloud.refuse(f"POST /nova/servers/{spots[0]}/action")
    running.start(**PROACTIVE, notice_seconds=0, action="shelve-offload")
    wait_until(lambda: len(running.events("notice_withdrawn")) == 1, "the withdrawal")
    assert len(running.events("failed")) == 3
    assert running.cloud.instances[spots[0]].metadata == {}


def test_nova_is_asked_about_each_host_once_for_all_notices(running):
    """The reconcile of all hosts waits meanwhile: with 20 hosts and 10 VMs it was 200 questions."""
    hosts = [running.full_host(4, name)[0] for name in "abc"]
    running.start(mode="proactive", default_reserve="2:0:6", notice_seconds=600)
    wait_until(lambda: len(running.events("notice")) == 6, "the notices")
    running.reconciles(2)
    lists = [each for each in running.cloud.requests if "/servers/detail" in each]
    assert len([each for each in lists if "marker" not in each]) == len(hosts)
