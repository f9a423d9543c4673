"""kill -9 at each step of a notice, its withdrawal, and the eviction after it."""

from __future__ import annotations

import time

import pytest
from cospot.nova.evictor import reserve_keeper
from evictor_running import Running, check_evictions_of_reserves, kill_after_request
from waiting import wait_until

RESERVE = {"mode": "proactive", "default_reserve": "2:0"}


@pytest.fixture
def running(monkeypatch, running):
    monkeypatch.setattr(reserve_keeper, "_READ_ALL_S", 0.05)
    yield running
    check_evictions_of_reserves(running)


def has_notice(running: Running) -> bool:
    return any(each.metadata for each in running.cloud.instances.values())


@pytest.mark.parametrize("step", range(1, 10))
def test_killed_before_a_notice_was_told(running, step):
    _, spots = running.full_host(4)
    settings = {**RESERVE, "notice_seconds": 1}
    kill_after_request(running, step, **settings)
    began = time.time()
    running.start(**settings)
    wait_until(lambda: running.cloud.deleted == spots[:1], "the spot is evicted")
    assert time.time() >= began + 1  # its owner has all of the time
    running.reconciles(3)
    assert running.cloud.orders == spots[:1]


@pytest.mark.parametrize("step", range(1, 16))
@pytest.mark.parametrize("action", ["delete", "shelve-offload"])
def test_killed_at_a_step_of_an_eviction_with_notice(running, action, step):
    _, spots = running.full_host(4)
    settings = {**RESERVE, "notice_seconds": 0, "action": action}
    begun = []

    def counts(method: str) -> bool:
        begun.extend(["notice"] * has_notice(running))
        return bool(begun)

    kill_after_request(running, step, counts=counts, **settings)
    running.start(**settings)
    gone = running.cloud.deleted if action == "delete" else running.cloud.shelved
    wait_until(lambda: gone == spots[:1], "the spot is evicted")
    wait_until(lambda: running.stored() == [], "its notice is done with")
    running.reconciles(5)
    assert gone == spots[:1]
    assert running.cloud.orders == (gone if action == "delete" else [])
    assert {each["instance"] for each in running.events("notice")} == set(spots[:1])
    assert not has_notice(running)


@pytest.mark.parametrize("step", range(1, 8))
def test_killed_at_a_step_of_a_withdrawal(running, step):
    _, spots = running.full_host(4)
    settings = {**RESERVE, "notice_seconds": 600}

    def counts(method: str) -> bool:
        if has_notice(running):
            running.cloud.remove(spots[3])
        return spots[3] in running.cloud.gone

    kill_after_request(running, step, counts=counts, **settings)
    running.start(**settings)
    wait_until(lambda: running.stored() == [], "the notice is withdrawn")
    running.reconciles(3)
    assert not has_notice(running)
    assert running.cloud.orders == []
    assert running.events("notice_withdrawn")
