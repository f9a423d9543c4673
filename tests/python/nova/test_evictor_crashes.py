"""kill -9 at each step, and two copies at once: nothing is evicted twice, in vain, or left undone.

The cloud judges each deletion when it arrives (`violations`); the service that is killed is a
process of its own.
"""

from __future__ import annotations

import signal
import threading
import time

import pytest
from cospot.nova.evictor import reserve_keeper
from evictor_running import PROACTIVE, Running, kill_after_request, plan_message, start_process
from waiting import PATIENCE_S, wait_until

#: More requests than the whole eviction takes; the last steps kill a service that is done.
STEPS = range(1, 24)


def two_must_go(running: Running) -> tuple[str, list[str], list[dict[str, object]]]:
    """A host of 8 vCPUs with 4 spots of 2 and a VM of 4, and the plan for it: the two youngest."""
    host, spots = running.full_host(4)
    vm = running.cloud.add(host, 4, 1024, spot=False)
    return host, spots, [plan_message(vm, {host: [spots[3], spots[2]]})]


def settle(running: Running, host: str) -> None:
    wait_until(lambda: not running.cloud.over(host), "the host has enough")
    running.reconciles(3)


@pytest.mark.parametrize("step", STEPS)
def test_killed_after_any_request_and_started_again(running, step):
    host, _, plans = two_must_go(running)
    kill_after_request(running, step, plans)
    running.start()
    settle(running, host)
    assert len(running.cloud.deleted) == 2
    assert all(running.cloud.orders.count(each) == 1 for each in running.cloud.deleted)
    intents = [each["instance"] for each in running.events("intent")]
    assert set(running.cloud.deleted) <= set(intents)


@pytest.mark.parametrize("order", [1, 2])
def test_killed_while_nova_has_not_yet_taken_the_order(running, order):
    # Nova takes the order only when the service's successor is already at work.
    host, _, plans = two_must_go(running)
    orders, late = [0], threading.Event()

    def before(method: str, path: str) -> int | None:
        if method != "POST":
            return None
        orders[0] += 1
        if orders[0] == order:
            process.send_signal(signal.SIGKILL)
            late.wait(PATIENCE_S)
        return None

    with running.cloud.lock:
        running.cloud.before = before
        process = start_process(running, plans)
    wait_until(lambda: orders[0] == order, "the order")
    assert process.wait(PATIENCE_S) == -signal.SIGKILL
    running.start(reconcile_interval=0.1)
    wait_until(lambda: orders[0] > order, "the successor asks for the same")
    late.set()
    settle(running, host)
    assert len(running.cloud.deleted) == 2


def test_three_copies_at_once(running):
    hosts = [running.full_host(4, name)[0] for name in "abcd"]
    running.cloud.freeing_takes = 0.3
    processes = [start_process(running, []) for _ in range(2)]
    running.start()

    def after(method: str, path: str) -> None:
        if method == "GET" and "/nova/servers/" in path and "detail" not in path:
            time.sleep(0.2)  # the last check is old when it arrives: only the lock helps

    try:
        asked = "GET /nova/os-hypervisors/detail?limit=1000"  # once by each, when it is ready
        wait_until(lambda: running.cloud.requests.count(asked) == 3, "three copies are ready")
        running.cloud.after = after
        for host in hosts:
            running.cloud.add(host, 4, 1024, spot=False)
        wait_until(lambda: not any(running.cloud.over(each) for each in hosts), "all have enough")
        running.reconciles(5)
        assert len(running.cloud.deleted) == 8
        assert sorted(running.cloud.orders) == sorted(running.cloud.deleted)
        assert len(running.events("intent")) == 8
    finally:
        for process in processes:
            process.send_signal(signal.SIGTERM)
        for process in processes:
            process.wait(PATIENCE_S)


# -- a notice, its withdrawal, and the eviction after it ------------------------------------------


@pytest.fixture
def reserve(monkeypatch, running):
    """The cloud and services, where the reserve lacks capacity and is seen to at once."""
    monkeypatch.setattr(reserve_keeper, "_READ_ALL_S", 0.05)
    yield running
    running.check_evictions_of_reserves()


def has_notice(running: Running) -> bool:
    return any(each.metadata and not each.deleted for each in running.cloud.instances.values())


@pytest.mark.parametrize("step", range(1, 10))
def test_killed_before_a_notice_was_told(reserve, step):
    _, spots = reserve.full_host(4)
    settings = {**PROACTIVE, "notice_seconds": 1}
    kill_after_request(reserve, step, **settings)
    began = time.time()
    reserve.start(**settings)
    wait_until(lambda: reserve.cloud.deleted == spots[:1], "the spot is evicted")
    assert time.time() >= began + 1  # its owner has all of the time
    reserve.reconciles(3)
    assert reserve.cloud.orders == spots[:1]


@pytest.mark.parametrize("step", range(1, 16))
@pytest.mark.parametrize("action", ["delete", "shelve-offload"])
def test_killed_at_a_step_of_an_eviction_with_notice(reserve, action, step):
    _, spots = reserve.full_host(4)
    settings = {**PROACTIVE, "notice_seconds": 0, "action": action}
    begun = []

    def counts(method: str) -> bool:
        begun.extend(["notice"] * has_notice(reserve))
        return bool(begun)

    kill_after_request(reserve, step, counts=counts, **settings)
    reserve.start(**settings)
    gone = reserve.cloud.deleted if action == "delete" else reserve.cloud.shelved
    wait_until(lambda: gone == spots[:1], "the spot is evicted")
    wait_until(lambda: reserve.stored() == [], "its notice is done with")
    reserve.reconciles(5)
    assert gone == spots[:1]
    assert reserve.cloud.orders == (gone if action == "delete" else [])
    assert {each["instance"] for each in reserve.events("notice")} == set(spots[:1])
    assert not has_notice(reserve)


@pytest.mark.parametrize("step", range(1, 8))
def test_killed_at_a_step_of_a_withdrawal(reserve, step):
    _, spots = reserve.full_host(4)
    settings = {**PROACTIVE, "notice_seconds": 600}

    def counts(method: str) -> bool:
        if has_notice(reserve):
            reserve.cloud.remove(spots[3])
        return spots[3] not in reserve.cloud.there

    kill_after_request(reserve, step, counts=counts, **settings)
    reserve.start(**settings)
    wait_until(lambda: reserve.stored() == [], "the notice is withdrawn")
    reserve.reconciles(3)
    assert not has_notice(reserve)
    assert reserve.cloud.orders == []
    assert reserve.events("notice_withdrawn")
