"""The evictor service against a small cloud over HTTP: what it evicts, and what it does not."""

from __future__ import annotations

import time
import uuid

import pytest
from evictor_running import metric, plan_message, send
from waiting import wait_until


def test_reconcile_evicts_the_oldest_spot_of_an_overcommitted_host(running):
    # 8 vCPUs: two spots of 2, a VM of 6. 10 - 8 = 2 are short, one spot suffices, the older one.
    host = running.cloud.add_host("a")
    spots = [running.cloud.add(host, 2, 1024, spot=True) for _ in range(2)]
    running.cloud.add(host, 6, 1024, spot=False)
    service = running.start()
    wait_until(lambda: bool(running.events("freed")), "the spot is freed")
    running.reconciles()
    assert running.cloud.deleted == [spots[0]]
    [intent] = running.events("intent")
    assert intent["instance"] == spots[0]
    assert intent["cause"] == "reconcile" and intent["chosen_by"] == "FIFO"
    assert intent["shortfall"] == {"VCPU": 2}
    assert intent["frees"] == {"VCPU": 2, "MEMORY_MB": 1024, "DISK_GB": 0}
    assert metric(service, "evictions_total", cause="reconcile") == 1
    assert metric(service, "overcommit_seconds_total", host="a") > 0


def test_metrics_say_nothing_of_a_host_without_an_inventory_of_spots(running):
    """As its spots stay, it remains overcommitted, and nobody evicts there."""
    host, _ = running.full_host(2)
    running.cloud.add(host, 6, 1024, spot=False)
    service = running.start(dry_run=True)
    name = "overcommit_seconds_total"
    wait_until(lambda: metric(service, name, host="a") > 0, "it is seen overcommitted")
    running.cloud.change(host, missing=("CUSTOM_SPOT_VCPU", "CUSTOM_SPOT_MEMORY_MB"))
    wait_until(lambda: metric(service, name, host="a") == 0, "its time is shown no more")


def test_a_plan_is_preferred_to_the_policy(running):
    host = running.cloud.add_host("a")
    spots = [running.cloud.add(host, 2, 1024, spot=True) for _ in range(2)]
    service = running.start(reconcile_interval=30)
    vm = str(uuid.uuid4())
    send(service, plan_message(vm, {host: [spots[1]]}))
    running.cloud.add(host, 6, 1024, spot=False, uuid=vm)  # the claim comes after the plan
    wait_until(lambda: bool(running.events("freed")), "the planned spot is freed")
    assert running.cloud.deleted == [spots[1]]
    [freed] = running.events("freed")
    assert freed["chosen_by"] == "plan" and freed["for_instance"] == vm and freed["plan_id"]
    assert freed["seconds_since_claim"] >= 0
    wait_until(  # it is counted after it is written
        lambda: metric(service, "claim_to_freed_seconds_count") == 1, "the time is counted"
    )


def test_a_planned_spot_that_has_gone_is_refused_to_nobody(running, caplog):
    """After each eviction the plan still names what went by it."""
    host, spots = running.full_host(4)
    service = running.start()
    vm = str(uuid.uuid4())
    send(service, plan_message(vm, {host: spots[:2]}))
    running.cloud.add(host, 4, 1024, spot=False, uuid=vm)
    wait_until(lambda: len(running.events("freed")) == 2, "the planned spots are freed")
    # Another VM comes, for which the policy chooses; the old plan is looked at again.
    running.cloud.add(host, 2, 1024, spot=False)
    wait_until(lambda: len(running.events("freed")) == 3, "a third one is freed")
    assert running.cloud.deleted == spots[:3]
    assert running.events("refused") == []
    assert [each.message for each in caplog.records if "refusing" in each.message] == []


def test_a_claim_on_an_unplanned_host_is_reconciled(running):
    planned, claimed = running.cloud.add_host("a"), running.cloud.add_host("b")
    spots = [running.cloud.add(each, 8, 1024, spot=True) for each in (planned, claimed)]
    service = running.start(reconcile_interval=30)
    vm = str(uuid.uuid4())
    send(service, plan_message(vm, {planned: [spots[0]]}))
    running.cloud.add(claimed, 8, 1024, spot=False, uuid=vm)
    wait_until(lambda: bool(running.events("freed")), "the spot of the claimed host is evicted")
    assert running.cloud.deleted == [spots[1]]


def test_a_plan_whose_host_has_room_evicts_nothing(running):
    host = running.cloud.add_host("a")
    spot = running.cloud.add(host, 2, 1024, spot=True)
    vm = running.cloud.add(host, 6, 1024, spot=False)
    service = running.start()
    for made_at in (time.time() - 20, time.time() - 10, time.time()):
        send(service, plan_message(vm, {host: [spot]}, made_at))
    running.reconciles(5)
    assert running.cloud.deleted == [] and running.events("intent", "refused") == []
    assert metric(service, "plans_total", outcome="accepted") == 3


def test_a_forged_plan_that_names_vms_is_refused(running):
    # The host is overcommitted, so the plan is read: its VM and a stranger are refused, and
    # the spot that the policy names is evicted.
    host, other = running.cloud.add_host("a"), running.cloud.add_host("b")
    spot = running.cloud.add(host, 4, 1024, spot=True)
    elsewhere = running.cloud.add(other, 4, 1024, spot=True)
    victim = running.cloud.add(host, 2, 1024, spot=False)
    vm = running.cloud.add(host, 6, 1024, spot=False)
    service = running.make()
    send(service, plan_message(vm, {host: [victim, elsewhere, str(uuid.uuid4()), vm]}))
    service.start()
    wait_until(lambda: bool(running.events("freed")), "the spot is freed")
    assert running.cloud.deleted == [spot]
    refused = [(each["instance"], each["reason"]) for each in running.events("refused")]
    assert refused[0] == (victim, "not-a-spot-allocation")
    assert refused[1] == (elsewhere, "gone")
    assert refused[3] == (vm, "not-a-spot-allocation")
    assert metric(service, "refusals_total", reason="not-a-spot-allocation") == 2


@pytest.mark.parametrize(
    "message",
    [None, 1, "plan", [], {}, {"version": 1}, {"version": 2, "plan_id": "x"}, {"hosts": [{}]}],
)
def test_a_malformed_plan_is_one_log_line(running, message, caplog):
    service = running.start()
    send(service, message)
    lines = [each for each in caplog.records if "malformed plan" in each.getMessage()]
    assert len(lines) == 1 and "expected" in lines[0].getMessage()
    send(service, {}, event_type="compute.instance.update")
    assert metric(service, "plans_total", outcome="malformed") == 2


def test_an_old_plan_is_dropped(running):
    service = running.start(plan_ttl=10)
    for age, outcome in ((11, "expired"), (-120, "from-the-future")):
        send(service, plan_message(str(uuid.uuid4()), {}, time.time() - age))
        assert metric(service, "plans_total", outcome=outcome) == 1


def test_the_first_plan_of_a_multi_create_is_kept(running):
    host = running.cloud.add_host("a")
    spots = [running.cloud.add(host, 2, 1024, spot=True) for _ in range(3)]
    service = running.start(reconcile_interval=30)
    vm = str(uuid.uuid4())
    send(service, plan_message(vm, {host: [spots[2]]}))
    send(service, plan_message(vm, {host: [spots[1]]}))
    assert metric(service, "plans_total", outcome="duplicate") == 1
    running.cloud.add(host, 4, 1024, spot=False, uuid=vm)
    wait_until(lambda: bool(running.events("freed")), "a spot is freed")
    assert running.cloud.deleted == [spots[2]]


def test_a_look_asks_about_hosts_that_changed_and_a_few_others(running):
    for number in range(20):
        running.cloud.add(running.cloud.add_host(str(number)), 1, 1, spot=True)
    asked = running.cloud.requests
    service = running.unstarted(full_reconcile_every=20)
    assert len(asked) == 1 + 2 * 20  # the list, then inventories and allocations of each
    # In the next 20 reconciles each host has its turn once, and is all that is read.
    turns = set()
    for _ in range(20):
        asked.clear()
        service._hosts.refresh()
        assert len(asked) == 3
        turns.add(asked[1])
    assert len(turns) == 20
    # The next turn is the last host's again; the first has a new claim.
    running.cloud.add(next(iter(running.cloud.hosts)), 1, 1, spot=False)
    asked.clear()
    service._hosts.refresh()
    assert len(asked) == 5


def test_a_host_that_cannot_be_read_is_one_line(running, caplog):
    """Placement's answers have the id of the request, so no two texts are the same."""
    running.cloud.add_host("b")
    host = running.cloud.add_host("a")
    running.cloud.refuse(f"/placement/resource_providers/{host}/inventories", 404)
    service = running.start()
    wait_until(lambda: metric(service, "errors_total", where="reconcile") >= 3, "errors")
    assert len([each for each in caplog.messages if "cannot read host a" in each]) == 1
    running.cloud.accept()
    wait_until(lambda: metric(service, "hosts") == 2, "it is read")
