"""Deletions that Nova took and never carries out: the order to the compute was lost."""

from __future__ import annotations

import time
from typing import Any

import pytest
from evictor_running import Running, kill_after_request
from waiting import wait_until

#: Seconds after which a deletion is stuck; Nova's times have whole seconds.
TIMEOUT = 2


def full_host(running: Running) -> tuple[str, str, str]:
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


def test_its_deletion_is_ordered_again_before_any_other_spot_goes(running: Running) -> None:
    usual, stuck, _ = full_host(running)
    start(running)
    wait_until(lambda: bool(running.events("freed")), "the stuck spot is evicted")
    running.reconciles()
    assert running.cloud.deleted == [stuck]
    assert usual in running.cloud.instances
    (intent,) = running.events("intent")
    assert (intent["instance"], intent["chosen_by"]) == (stuck, "deletion-stuck")
    assert actions_on(running, stuck) == 2  # its state is reset, then it is deleted


@pytest.mark.parametrize("order", [1, 2], ids=["its state is reset", "it is deleted"])
def test_killed_right_after_an_order(running: Running, order: int) -> None:
    usual, stuck, _ = full_host(running)
    kill_after_request(
        running, order, counts=lambda method: method == "POST", deletion_timeout=TIMEOUT
    )
    start(running)
    wait_until(lambda: stuck not in running.cloud.instances, "the stuck spot is evicted")
    running.reconciles()
    assert running.cloud.deleted == [stuck]
    assert usual in running.cloud.instances


def test_it_is_left_alone_where_nobody_needs_its_capacity(running: Running) -> None:
    _, stuck, vm = full_host(running)
    running.cloud.remove(vm)
    start(running)
    running.reconciles(5)
    assert running.cloud.deleted == []
    assert actions_on(running, stuck) == 0


def test_switched_off_nothing_goes_in_its_place(running: Running) -> None:
    """Whether its host would free another spot is not known, so none is lost to find out."""
    usual, stuck, _ = full_host(running)
    start(running, repeat_stuck_deletions=False)
    wait_until(lambda: bool(running.events("host_stalled")), "the alarm")
    running.reconciles(5)
    assert running.cloud.deleted == []
    assert usual in running.cloud.instances
    assert actions_on(running, stuck) == 0


def test_not_allowed_to_reset_it_nothing_goes_in_its_place(running: Running) -> None:
    usual, stuck, _ = full_host(running)
    running.cloud.may_reset = False
    start(running)
    wait_until(lambda: bool(running.events("failed")), "the order fails")
    running.reconciles(5)
    assert running.cloud.deleted == []
    assert {stuck, usual} <= set(running.cloud.instances)
    failed, *_ = running.events("failed")
    assert failed["instance"] == stuck
    assert "os-resetState" in failed["error"]


def test_stuck_a_second_time_nothing_goes_in_its_place(running: Running) -> None:
    usual, stuck, _ = full_host(running)
    running.cloud.never_goes.add(stuck)
    start(running)
    wait_until(lambda: actions_on(running, stuck) >= 4, "it is ordered a third time")
    assert set(running.cloud.deleted) == {stuck}
    assert usual in running.cloud.instances
    ways = {each["chosen_by"] for each in running.events("intent")}
    assert ways == {"deletion-stuck"}
