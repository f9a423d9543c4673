"""Holders of a host that need it no more: VMs that never run, servers that are just deleted."""

from __future__ import annotations

import time
from typing import Any

import pytest
from cospot.nova.evictor import deletions
from evictor_running import metric
from waiting import wait_until

FAILED = {"status": "ERROR", "vm_state": "error", "host": None}
BUILDING = {"status": "BUILD", "vm_state": "building", "host": None}


def new(**state: Any) -> dict[str, Any]:
    return {"spot": False, "created": time.time(), **state}


def test_of_vms_whose_quota_was_exceeded_only_the_one_that_runs_gets_capacity(running):
    """One VM of 2 runs, seven in ERROR hold 14 vCPUs: the 16 of the host are full of spots."""
    cloud = running.cloud
    host = cloud.add_host("a", 16, 16384)
    spots = [cloud.add(host, 2, 1024, spot=True) for _ in range(8)]
    running.start()
    running.reconciles()
    for _ in range(7):
        cloud.add(host, 2, 1024, **new(**FAILED))
    cloud.add(host, 2, 1024, **new())
    wait_until(lambda: bool(running.events("freed")), "a spot is evicted")
    running.reconciles(5)
    assert cloud.deleted == spots[:1]


def test_a_look_that_got_old_asks_again_about_vms_that_came(running):
    """As of a service that stood still for seconds between its judgement and the order."""
    cloud = running.cloud
    host, _ = running.full_host(1)
    service = running.unstarted()
    vm = cloud.add(host, 8, 1024, **new(**BUILDING))
    observer = service.context.observer
    look = observer.look(host, [])
    before = observer.snapshot(look.usage, look, came=[vm])
    assert before.leaving_vms == set()
    cloud.set(vm, **FAILED)
    assert observer.renew(before, oldest=-1.0).leaving_vms == {vm}


def test_a_service_that_was_started_later_knows_them_too(running):
    cloud = running.cloud
    host, _ = running.full_host(1)
    cloud.add(host, 8, 1024, **new(**FAILED))
    running.start()
    running.reconciles(5)
    assert cloud.deleted == []


def test_what_they_hold_is_not_missing_when_a_host_becomes_smaller(running):
    """Of 8 vCPUs two spots have 4 each. With 7 one too many is used: the newest goes, and 4 stay.

    The VM in ERROR holds 4 more, for which nobody goes.
    """
    cloud = running.cloud
    host, spots = running.full_host(2)
    running.start()
    running.reconciles()
    cloud.add(host, 4, 1024, **new(**FAILED))
    running.reconciles()
    with cloud.lock:
        cloud.change(host, vcpus=7)
    wait_until(lambda: bool(running.events("freed")), "a spot is evicted")
    running.reconciles(5)
    assert cloud.deleted == spots[1:]


def test_spots_wait_a_moment_for_a_claim_that_fails(running):
    cloud = running.cloud
    host, _ = running.full_host(1)
    running.start(reconcile_interval=30)
    running.reconciles()
    vm = cloud.add(host, 8, 1024, **new(**BUILDING))

    def fail(method: str, path: str) -> None:
        if path == f"/nova/servers/{vm}":  # as soon as it was asked about for the first time
            cloud.set(vm, **FAILED)

    cloud.after = fail
    running.services[-1]._queue.put(host, "reconcile")
    wait_until(lambda: f"GET /nova/servers/{vm}" in cloud.requests, "it is asked about")
    wait_until(lambda: not running.services[-1]._queue.is_waiting(host), "nothing is due")
    assert cloud.deleted == []


def test_one_of_which_nova_shows_nothing_gets_its_capacity_after_that_moment(running):
    cloud = running.cloud
    host, (spot,) = running.full_host(1)
    running.start()
    running.reconciles()
    cloud.add(host, 8, 1024, **new(**BUILDING))
    began = time.monotonic()
    wait_until(lambda: cloud.deleted == [spot], "the spot goes")
    assert time.monotonic() - began > 0.3


def test_one_that_a_compute_has_taken_on_is_not_waited_for(running):
    """It is in Nova's list of the host, so nothing more is asked."""
    cloud = running.cloud
    host, (spot,) = running.full_host(1)
    running.start()
    running.reconciles()
    vm = cloud.add(host, 8, 1024, **new(status="BUILD", vm_state="building"))
    wait_until(lambda: cloud.deleted == [spot], "the spot goes")
    intent = running.events("intent")[0]
    assert intent["claims"] == [vm]
    before = cloud.requests[: cloud.requests.index(f"POST /nova/servers/{spot}/action")]
    assert f"GET /nova/servers/{vm}" not in before


@pytest.mark.parametrize("cause", ["undone", "error"])
def test_what_went_for_a_vm_that_failed_after_all_is_counted(running, cause):
    cloud = running.cloud
    host, (spot,) = running.full_host(1)
    service = running.start()
    running.reconciles()
    vm = cloud.add(host, 8, 1024, **new())

    def fail(method: str, path: str) -> None:
        if (method, path) != ("POST", f"/nova/servers/{spot}/action"):
            return
        if cause == "undone":
            cloud.remove(vm)
        else:
            cloud.set(vm, **FAILED)

    cloud.after = fail
    wait_until(
        lambda: metric(service, "evictions_for_failed_claims_total", cause=cause) == 1,
        "it is counted",
    )
    assert cloud.deleted == [spot]


@pytest.mark.parametrize("who", ["the evictor", "a spot's owner", "a VM's owner"])
def test_a_deleted_server_is_leaving_until_placement_knows(running, who):
    """Half of a host is about to be free, which is what the new VM takes: nobody else goes."""
    cloud = running.cloud
    cloud.placement_lags = 1.0
    host = cloud.add_host("a")
    first, _ = (cloud.add(host, 4, 1024, spot=each) for each in (who != "a VM's owner", True))
    running.start()
    running.reconciles(1)
    if who != "the evictor":
        cloud.remove(first)
    cloud.add(host, 4, 1024, **new())
    wait_until(lambda: not cloud.over(host), "it is gone in placement too")
    running.reconciles(5)
    assert cloud.deleted == ([first] if who == "the evictor" else [])


def test_an_orphaned_allocation_does_not_keep_a_vm_waiting(running, monkeypatch):
    monkeypatch.setattr(deletions, "JUST_GONE_S", 0.3)
    cloud = running.cloud
    host = cloud.add_host("a")
    cloud.add(host, 4, 1024, spot=True, has_server=False)
    spot = cloud.add(host, 4, 1024, spot=True)
    running.start()
    running.reconciles(1)
    cloud.add(host, 4, 1024, **new())
    wait_until(lambda: cloud.deleted == [spot], "the other goes")
