"""Whatever holds a host for a spot that is not there: each state, and what is done about it.

docs/nova/evictor.md has the table (who holds what in each state); each of its rows is a case here.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from evictor_cloud import Cloud
from evictor_running import metric
from sample_files import ROOT
from waiting import wait_until


def test_a_vm_gets_what_unconfirmed_resizes_of_spots_hold(running):
    """The host of 8 vCPUs would be overcommitted for ever: its four spots have left it."""
    cloud = running.cloud
    host, other = cloud.add_host("a"), cloud.add_host("b")
    spots = [cloud.add(host, 2, 1024, spot=True, project_id="e" * 32) for _ in range(4)]
    holders = [cloud.resize(spot, other) for spot in spots]
    service = running.start()
    running.reconciles()
    assert cloud.confirmed == []  # nobody needs it yet
    vm = cloud.add(host, 6, 1024, spot=False)
    wait_until(lambda: not cloud.over(host), "the VM has its capacity")
    running.reconciles()
    # 6 of 8: three of the four resizes of 2.
    assert len(cloud.confirmed) == 3 and cloud.deleted == [] and cloud.violations == []
    assert set(spots) <= cloud.there
    wait_until(lambda: len(running.events("confirm_freed")) == 3, "it is written down")
    intents = running.events("confirm_intent")
    assert {each["instance"] for each in intents} == set(cloud.confirmed)
    for intent in intents:
        assert intent["migration"] in holders and intent["project_id"] == "e" * 32
        assert intent["action"] == "confirm-resize" and intent["name"].startswith("spot ")
        assert intent["chosen_by"] == "unconfirmed-resize" and intent["claims"] == [vm]
    assert metric(service, "confirmed_resizes_total") == 3
    assert running.events("intent") == []
    assert metric(service, "evictions_by_reason_total", why="vm-claim") == 0


def test_a_refused_confirmation_is_asked_for_again(running):
    """Nothing else holds the host: it would be overcommitted for ever."""
    cloud = running.cloud
    host, other = cloud.add_host("a"), cloud.add_host("b")
    spot = cloud.add(host, 8, 1024, spot=True)
    cloud.resize(spot, other)
    action = f"POST /nova/servers/{spot}/action"
    cloud.refuse(action, 409, times=1)
    running.start()
    cloud.add(host, 8, 1024, spot=False)
    wait_until(lambda: not cloud.over(host), "the VM has its capacity")
    assert (cloud.confirmed, cloud.deleted, cloud.requests.count(action)) == ([spot], [], 2)


def test_a_refused_confirmation_of_the_newest_spot_is_asked_for_again(running):
    """The spot that did not fit has left; no other one goes for it."""
    cloud = running.cloud
    host, other = cloud.add_host("a"), cloud.add_host("b")
    cloud.add(host, 6, 1024, spot=True)
    service = running.start()
    running.reconciles()
    cloud.refuse("/action", 409, times=1)
    with cloud.lock:
        newest = cloud.add(host, 4, 1024, spot=True)
        cloud.resize(newest, other)
    wait_until(lambda: not cloud.over(host), "it holds the host no more")
    actions = cloud.requests.count(f"POST /nova/servers/{newest}/action")
    assert (cloud.confirmed, cloud.deleted, actions) == ([newest], [], 2)
    wait_until(lambda: metric(service, "confirmed_resizes_total") == 1, "it is counted")


def test_moves_under_way_are_no_deletions_that_came_to_nothing(running):
    """Nova lists them when they are over; before, nothing tells them from what has just gone."""
    cloud = running.cloud
    host, other = cloud.add_host("a"), cloud.add_host("b")
    spots = [cloud.add(host, 2, 1024, spot=True) for _ in range(2)]
    cloud.add(host, 4, 1024, spot=True)
    running.start()
    with cloud.lock:
        for spot in spots:
            cloud.resize(spot, other)
            cloud.set(spot, status="RESIZE", vm_state="active", task_state="resize_finish")
        cloud.add(host, 4, 1024, spot=False)
    running.reconciles()
    assert cloud.deleted == []  # what holds 4 for them counts as about to go
    with cloud.lock:
        for spot in spots:
            cloud.set(spot, status="VERIFY_RESIZE", vm_state="resized", task_state=None)
    wait_until(lambda: not cloud.over(host), "the VM has its capacity")
    assert (sorted(cloud.confirmed), cloud.deleted) == (sorted(spots), [])
    assert running.events("host_stalled") == []


def test_a_spot_that_was_resized_on_its_own_host(running):
    """The host holds both sizes until the resize is confirmed."""
    cloud = running.cloud
    host = cloud.add_host("a")
    spot = cloud.add(host, 4, 1024, spot=True)
    cloud.resize(spot, host, {"CUSTOM_SPOT_VCPU": 2, "CUSTOM_SPOT_MEMORY_MB": 1024})
    running.start()
    cloud.add(host, 6, 1024, spot=False)
    wait_until(lambda: not cloud.over(host), "the VM has its capacity")
    assert (cloud.confirmed, cloud.deleted) == ([spot], [])


def test_one_that_may_become_a_vm_again_is_spared_while_others_suffice(running):
    """A VM's resize to a spot flavor: its owner may still revert it."""
    cloud = running.cloud
    old_host, host = cloud.add_host("a"), cloud.add_host("b")
    was_vm = cloud.add(old_host, 4, 1024, spot=True)
    cloud.set(was_vm, amounts={"VCPU": 4, "MEMORY_MB": 1024})
    cloud.resize(was_vm, host, {"CUSTOM_SPOT_VCPU": 4, "CUSTOM_SPOT_MEMORY_MB": 1024})
    was_spot = cloud.add(old_host, 2, 1024, spot=True)
    cloud.resize(was_spot, host)
    last = cloud.add(host, 2, 1024, spot=True)
    running.start()
    # FIFO would take was_vm, the oldest; a spot that awaits its confirmation is none the less one.
    cloud.add(host, 4, 1024, spot=False)
    wait_until(lambda: not cloud.over(host), "the VM has its capacity")
    assert sorted(cloud.deleted) == sorted([was_spot, last])
    cloud.add(host, 4, 1024, spot=False)
    wait_until(lambda: was_vm in cloud.deleted, "it goes where nothing else is left")


def test_the_limit_of_confirmations_is_their_own(running):
    cloud = running.cloud
    host, other = cloud.add_host("a"), cloud.add_host("b")
    for _ in range(4):
        cloud.resize(cloud.add(host, 2, 1024, spot=True), other)
    service = running.start(confirmations_per_minute=2, evictions_per_minute=1)
    cloud.add(host, 8, 1024, spot=False)
    wait_until(lambda: bool(running.events("held_back")), "the limit is reached")
    assert metric(service, "limit_hits_total", limit="limit") > 0
    # Half a minute later there is one more.
    kinds = [each["event"] for each in running.events("confirm_intent", "held_back")]
    assert kinds[:3] == ["confirm_intent", "confirm_intent", "held_back"]
    assert running.events("held_back")[0]["action"] == "confirm-resize"


def test_it_can_be_switched_off_and_then_who_holds_the_host_is_named(running, caplog):
    cloud = running.cloud
    host, other = cloud.add_host("a"), cloud.add_host("b")
    spot = cloud.add(host, 8, 1024, spot=True, project_id="e" * 32)
    holder = cloud.resize(spot, other)
    service = running.start(confirm_resizes=False)
    cloud.add(host, 8, 1024, spot=False)
    wait_until(lambda: bool(running.events("insufficient")), "it is written down")
    running.reconciles(5)
    assert cloud.confirmed == []
    lines = [each.message for each in caplog.records if "no spot can be evicted" in each.message]
    assert len(lines) == 1 and f"{spot} of project {'e' * 32}: moving" in lines[0]
    (record,) = running.events("insufficient")
    assert record["host"] == "a" and record["shortfall"] == {"VCPU": 8}
    assert record["held_by"] == [
        {
            "consumer": holder,
            "instance": spot,
            "name": "spot 1",
            "project_id": "e" * 32,
            "reason": "moving",
            "holds": {"CUSTOM_SPOT_VCPU": 8, "CUSTOM_SPOT_MEMORY_MB": 1024},
        }
    ]
    assert metric(service, "errors_total", where="insufficient") > 1


def test_a_dry_run_confirms_nothing(running):
    cloud = running.cloud
    host, other = cloud.add_host("a"), cloud.add_host("b")
    cloud.resize(cloud.add(host, 8, 1024, spot=True), other)
    running.start(dry_run=True)
    cloud.add(host, 8, 1024, spot=False)
    wait_until(lambda: bool(running.events("would_evict")), "it is written down")
    running.reconciles()
    assert cloud.confirmed == []
    assert running.events("would_evict")[0]["action"] == "confirm-resize"


def test_others_go_where_a_confirmation_is_refused_or_comes_to_nothing(running):
    cloud = running.cloud
    host, other = cloud.add_host("a"), cloud.add_host("b")
    hanging, refused = (cloud.add(host, 2, 1024, spot=True) for _ in range(2))
    stays = cloud.add(host, 4, 1024, spot=True)
    cloud.resize(hanging, other)
    cloud.resize(refused, other)
    cloud.never_confirms.add(hanging)
    cloud.refuse(f"POST /nova/servers/{refused}/action", 503)
    running.start(deletion_timeout=1)
    cloud.add(host, 4, 1024, spot=False)
    wait_until(lambda: stays in cloud.deleted, "the running spot goes in their place")
    assert cloud.confirmed == [hanging] and cloud.violations == []


def resized(cloud: Cloud, host: str, other: str) -> None:
    cloud.resize(cloud.add(host, 4, 1024, spot=True), other)


def a_spot(**fields: Any) -> Callable[[Cloud, str, str], None]:
    """Return what adds a spot; its times are given as ages, as of when it is added."""

    def add(cloud: Cloud, host: str, other: str) -> None:
        now = time.time()
        times = {name: now - fields[name] for name in ("created", "updated") if name in fields}
        cloud.add(host, 4, 1024, spot=True, **{**fields, **times})

    return add


def moving(cloud: Cloud, host: str, other: str) -> None:
    """Its migration holds the former host and Nova has not finished the move."""
    spot = cloud.add(host, 4, 1024, spot=True)
    cloud.resize(spot, other)
    cloud.set(spot, status="RESIZE", vm_state="active", task_state="resize_finish")


NEW = {"created": 5, "status": "BUILD", "vm_state": "building", "host": None}
#: States of the table, what is there of each, and what becomes of it: evicted, confirmed, counted
#: as gone or left alone; in all cases the VM has its capacity in the end.
STATES: dict[str, tuple[Callable[[Cloud, str, str], None], str]] = {
    "running": (a_spot(), "evicted"),
    "stopped, paused, suspended or shelved on its host": (
        a_spot(status="SHUTOFF", vm_state="stopped"),
        "evicted",
    ),
    "being deleted": (a_spot(task_state="deleting", updated=0), "gone"),
    "being offloaded after it was shelved": (a_spot(task_state="shelving_offloading"), "gone"),
    "soft-deleted": (a_spot(status="SOFT_DELETED", vm_state="soft-delete"), "evicted first"),
    "in ERROR on a host": (a_spot(status="ERROR", vm_state="error"), "evicted"),
    "in ERROR without a host": (
        a_spot(status="ERROR", vm_state="error", host=None),
        "evicted first",
    ),
    "being built": (a_spot(**NEW), "left"),
    "being built for longer than `deletion_timeout` without a host": (
        a_spot(**{**NEW, "created": 300}),
        "evicted first",
    ),
    "moving: a resize, cold or live migration under way": (moving, "left"),
    "resized or cold migrated, not confirmed: its former host": (resized, "confirmed"),
    "unknown to Nova": (a_spot(has_server=False), "left"),
}


@pytest.mark.parametrize("state", STATES)
def test_who_holds_what_in_each_state(running, state):
    """A host of 8 vCPUs: a running spot of 4, the odd one of 4, and a VM of 4 comes.

    The running spot was placed first, so FIFO takes it unless the odd one comes before.
    """
    make, outcome = STATES[state]
    cloud = running.cloud
    host, other = cloud.add_host("a"), cloud.add_host("b")
    usual = cloud.add(host, 4, 1024, spot=True)
    make(cloud, host, other)
    odd = [each for each in cloud.hosts[host].consumers if each != usual]
    running.start()
    running.reconciles()
    cloud.add(host, 4, 1024, spot=False)
    if outcome == "gone":
        running.reconciles(5)
        assert (cloud.deleted, cloud.confirmed) == ([], [])
        return
    wait_until(lambda: not cloud.over(host), "the VM has its capacity")
    assert cloud.violations == []
    assert bool(cloud.confirmed) == (outcome == "confirmed")
    if outcome in ("evicted", "left"):
        assert cloud.deleted == [usual]
    elif outcome == "evicted first":
        assert cloud.deleted == odd
    elif outcome == "confirmed":  # before a running spot is evicted
        assert cloud.deleted == []
    # Now only the odd one is left: who is evicted goes, too, for the next VM.
    if outcome == "evicted":
        cloud.add(host, 4, 1024, spot=False)
        wait_until(lambda: not cloud.over(host), "the second VM has its capacity")
        assert cloud.deleted == [usual, *odd]


def test_the_page_has_each_state():
    page = (ROOT / "docs" / "nova" / "evictor.md").read_text()
    section = page.split("\n## Who holds what in each state\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+?) \|", section, re.MULTILINE)[1:]
    assert set(STATES) <= set(rows)
