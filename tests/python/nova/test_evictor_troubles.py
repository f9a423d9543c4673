"""What must not stop the evictor: spots that do not go or are stuck, floods."""

from __future__ import annotations

import time
import uuid
from typing import Any

import pytest
from cospot.nova.evictor.executor import FreedWatch
from cospot.nova.evictor.plans import ClaimWatch
from evictor_running import Running, kill_after_request, metric, plan_message, send
from waiting import wait_until


@pytest.mark.parametrize("status", [400, 403, 413, 500, 504])
def test_a_spot_that_nova_will_not_delete_is_passed_over(running, status):
    host, (odd, usual) = running.full_host(2)
    stubborn = f"POST /nova/servers/{odd}/action"
    running.cloud.refuse(stubborn, status)
    running.start()
    running.cloud.add(host, 4, 1024, spot=False)
    wait_until(lambda: running.cloud.deleted == [usual], "the other spot is evicted")
    # An answer counts three times, no answer six times, before another spot is evicted.
    tries = 6 if status == 504 else 3
    assert running.cloud.requests.count(stubborn) == tries
    failed = running.events("failed")
    assert len(failed) == tries and all(str(status) in each["error"] for each in failed)


def test_a_plan_with_thousands_of_strangers_costs_little(running):
    host, (first, second) = running.full_host(2)
    vm = running.cloud.add(host, 4, 1024, spot=False)
    service = running.start(reconcile_interval=600, plan_grace=600)
    strangers = [str(uuid.uuid4()) for _ in range(4000)]
    send(service, plan_message(vm, {host: [*strangers, second]}))
    wait_until(lambda: bool(running.events("freed")), "a spot is evicted")
    assert running.cloud.deleted == [second]  # the plan's own, behind all the strangers
    refused = [each["instance"] for each in running.events("refused")]
    assert sum(each in strangers for each in refused) == 20
    assert service._reconciler.failures == {}  # nothing is kept of what was only checked
    assert first in running.cloud.there


@pytest.mark.parametrize("watch", [FreedWatch, ClaimWatch])
def test_a_watch_outlives_an_unexpected_error(running, watch, monkeypatch):
    ask = watch._ask
    failures = []

    def fail_once(self: object, *arguments: object) -> object:
        if not failures:
            failures.append(1)
            raise RuntimeError("unexpected")
        return ask(self, *arguments)

    monkeypatch.setattr(watch, "_ask", fail_once)
    host, (first, _) = running.full_host(2)
    service = running.start(reconcile_interval=600, plan_grace=600)
    for _ in range(2):
        vm = running.cloud.add(host, 2, 1024, spot=False)
        send(service, plan_message(vm, {host: [first]}))
    wait_until(lambda: bool(running.events("freed")), "a spot is evicted, and that is seen")
    assert failures and running.cloud.deleted == [first]


def test_what_was_ordered_on_a_host_that_is_removed_is_gone(running):
    """Placement removes no provider of which anything is held."""
    running.cloud.add_host("b")
    host, (spot,) = running.full_host(1)
    running.cloud.add(host, 4, 1024, spot=False)
    running.cloud.never_goes.add(spot)
    service = running.start()
    wait_until(lambda: running.cloud.deleted == [spot], "the order")
    running.cloud.remove_host(host)
    wait_until(lambda: bool(running.events("freed")), "it is gone")
    assert metric(service, "late_spots") == 0


# -- deletions that Nova took and never carries out: the order to the compute was lost -----------

#: Seconds after which a deletion is stuck; Nova's times have whole seconds.
TIMEOUT = 2


def stuck_host(running: Running) -> tuple[str, str, str]:
    """Make a host of 8 vCPUs with two spots and a VM of 4; the deletion of one spot is stuck.

    Returns:
        the other spot, placed first; the stuck one; the VM.
    """
    running.cloud.stuck_after = TIMEOUT
    host = running.cloud.add_host("a")
    odd = {"task_state": "deleting", "updated": time.time() - 10}
    usual = running.cloud.add(host, 4, 1024, spot=True)
    stuck = running.cloud.add(host, 4, 1024, spot=True, **odd)
    vm = running.cloud.add(host, 4, 1024, spot=False)
    return usual, stuck, vm


def actions_on(running: Running, instance: str) -> int:
    return running.cloud.requests.count(f"POST /nova/servers/{instance}/action")


def start(running: Running, **settings: Any) -> Any:
    return running.start(deletion_timeout=TIMEOUT, **settings)


def test_its_deletion_is_ordered_again_before_any_other_spot_goes(running):
    usual, stuck, _ = stuck_host(running)
    start(running)
    wait_until(lambda: bool(running.events("freed")), "the stuck spot is evicted")
    running.reconciles()
    assert running.cloud.deleted == [stuck]
    assert usual in running.cloud.there
    (intent,) = running.events("intent")
    assert (intent["instance"], intent["chosen_by"]) == (stuck, "deletion-stuck")
    assert actions_on(running, stuck) == 2  # its state is reset, then it is deleted


@pytest.mark.parametrize("order", [1, 2], ids=["its state is reset", "it is deleted"])
def test_killed_right_after_an_order(running, order):
    usual, stuck, _ = stuck_host(running)
    kill_after_request(
        running, order, counts=lambda method: method == "POST", deletion_timeout=TIMEOUT
    )
    start(running)
    wait_until(lambda: stuck not in running.cloud.there, "the stuck spot is evicted")
    running.reconciles()
    assert running.cloud.deleted == [stuck]
    assert usual in running.cloud.there


def test_it_is_left_alone_where_nobody_needs_its_capacity(running):
    _, stuck, vm = stuck_host(running)
    running.cloud.remove(vm)
    start(running)
    running.reconciles(5)
    assert running.cloud.deleted == []
    assert actions_on(running, stuck) == 0


def test_switched_off_nothing_goes_in_its_place(running):
    """Whether its host would free another spot is not known, so none is lost to find out."""
    usual, stuck, _ = stuck_host(running)
    start(running, repeat_stuck_deletions=False)
    wait_until(lambda: bool(running.events("host_stalled")), "the alarm")
    running.reconciles(5)
    assert running.cloud.deleted == []
    assert usual in running.cloud.there
    assert actions_on(running, stuck) == 0


def test_not_allowed_to_reset_it_nothing_goes_in_its_place(running):
    usual, stuck, _ = stuck_host(running)
    running.cloud.may_reset = False
    start(running)
    wait_until(lambda: bool(running.events("failed")), "the order fails")
    running.reconciles(5)
    assert running.cloud.deleted == []
    assert {stuck, usual} <= running.cloud.there
    failed, *_ = running.events("failed")
    assert failed["instance"] == stuck
    assert "os-resetState" in failed["error"]


def test_stuck_a_second_time_nothing_goes_in_its_place(running):
    usual, stuck, _ = stuck_host(running)
    running.cloud.never_goes.add(stuck)
    start(running)
    wait_until(lambda: actions_on(running, stuck) >= 4, "it is ordered a third time")
    assert set(running.cloud.deleted) == {stuck}
    assert usual in running.cloud.there
    ways = {each["chosen_by"] for each in running.events("intent")}
    assert ways == {"deletion-stuck"}


def test_a_stuck_spot_stays_the_first_choice_when_its_second_order_fails(running):
    usual, stuck, _ = stuck_host(running)
    order = f"POST /nova/servers/{stuck}/action"

    def fail_second(method: str, path: str) -> int | None:
        # The first resets its state; it is in the list before it is answered.
        is_second = f"{method} {path}" == order and running.cloud.requests.count(order) == 2
        return 500 if is_second else None

    running.cloud.before = fail_second
    start(running)
    wait_until(lambda: bool(running.events("freed")), "the stuck spot is evicted")
    running.reconciles()
    assert running.cloud.deleted == [stuck]
    assert usual in running.cloud.there
