"""Inventories are read at once when they are new, then in the background."""

from __future__ import annotations

import threading
import time

from cospot.nova.scheduler.instance_facts import Size
from cospot.nova.scheduler.inventories import Inventories, InventoryCache
from scheduler_cases import FakePlacement, Plugin, make_flavor, make_spec, make_state
from waiting import PATIENCE_S, wait_until


def test_a_new_host_is_read_once():
    state = make_state("a")
    placement = FakePlacement([state])
    cache = InventoryCache(placement)
    cache.read_new([state.uuid], 10.0)
    cache.read_new([state.uuid], 10.0)
    assert placement.asked == [state.uuid]
    capacity = cache.get(state.uuid)
    assert capacity is not None and capacity.total.vcpus == 16
    assert cache.take_changed() == {state.uuid}
    assert cache.take_changed() == set()


def test_what_there_is_no_time_for_is_read_in_the_background():
    states = [make_state(f"host-{i}") for i in range(5)]
    placement = FakePlacement(states)
    cache = InventoryCache(placement)
    cache.read_new([state.uuid for state in states], 0.0)
    wait_until(lambda: len(placement.asked) == 5)
    wait_until(lambda: all(cache.get(state.uuid) is not None for state in states))


def test_a_placement_that_never_answers_is_waited_for_in_vain_no_longer_than_allowed():
    state = make_state("a")
    placement = FakePlacement([state])
    answers = threading.Event()

    def fetch(provider: str) -> Inventories | None:
        answers.wait(PATIENCE_S)
        return placement(provider)

    cache = InventoryCache(fetch)
    began = time.monotonic()
    cache.read_new([state.uuid], 0.2)
    cache.read_new([state.uuid], PATIENCE_S)  # no request waits for it a second time
    assert 0.1 < time.monotonic() - began < PATIENCE_S
    assert cache.get(state.uuid) is None
    answers.set()
    wait_until(lambda: cache.get(state.uuid) is not None)


def test_inventories_are_read_again_in_time_and_changes_are_told(clock):
    state = make_state("a")
    placement = FakePlacement([state])
    cache = InventoryCache(placement, clock=clock)
    cache.max_age = 300.0
    cache.read_new([state.uuid], 10.0)
    cache.take_changed()
    placement.known[state.uuid]["VCPU"]["allocation_ratio"] = 4.0
    assert cache.due() == []
    clock.now = 301.0
    wait_until(lambda: len(placement.asked) == 2)
    wait_until(lambda: cache.take_changed() == {state.uuid})
    capacity = cache.get(state.uuid)
    assert capacity is not None and capacity.total == Size(64, 32768, 1000)


def test_a_placement_that_is_down_is_left_alone_for_a_while(caplog, clock):
    states = [make_state(f"host-{i}") for i in range(3)]
    placement = FakePlacement(states)
    placement.is_down = True
    cache = InventoryCache(placement, clock=clock)
    cache.read_new([state.uuid for state in states], 10.0)
    assert len(placement.asked) == 1
    assert "could not be read (ConnectionError: placement is down)" in caplog.text
    placement.is_down = False
    clock.now = 6.0
    wait_until(lambda: all(cache.get(state.uuid) is not None for state in states))


def test_malformed_inventories_leave_what_the_host_says(caplog):
    state = make_state("a", (8, 8704, 10))
    plugin = Plugin([state])
    plugin.placement.known[state.uuid] = {"VCPU": {"total": "many"}}
    assert plugin.place([state], make_flavor(8, 8192, spot=True)) == ["a"]
    assert "could not be read" in caplog.text
    assert plugin.place([state], make_flavor(9, 1024, spot=True)) == []


def test_a_host_that_placement_does_not_know_is_what_it_says_of_itself():
    state = make_state("a", (8, 8704, 10))
    plugin = Plugin([])
    assert plugin.place([state], make_flavor(8, 1024, spot=True)) == ["a"]


def test_the_first_allocation_ratio_of_a_compute_node_is_a_placeholder():
    """A fresh HostState says 16.0; placement has the operator's 1.0 (and what is reserved)."""
    state = make_state("a", (8, 8704, 10))
    plugin = Plugin([state])
    state.cpu_allocation_ratio = 16.0
    spec = make_spec(make_flavor(9, 1024, spot=True))
    assert plugin.place([state], spec) == []
    # 8704 MiB are there, 512 of them reserved.
    assert plugin.place([state], make_flavor(1, 8193, spot=True)) == []
    assert plugin.place([state], make_flavor(1, 8192, spot=True)) == ["a"]


def test_a_capacity_that_changes_changes_decisions(clock):
    state = make_state("a", (8, 8704, 10))
    placement = FakePlacement([state])
    cache = InventoryCache(placement, clock=clock)
    plugin = Plugin(inventories=cache)
    flavor = make_flavor(9, 1024, spot=True)
    assert plugin.place([state], flavor) == []
    placement.known[state.uuid]["VCPU"]["allocation_ratio"] = 2.0
    clock.now = 301.0
    wait_until(lambda: len(placement.asked) == 2)
    wait_until(lambda: plugin.place([state], flavor) == ["a"])
