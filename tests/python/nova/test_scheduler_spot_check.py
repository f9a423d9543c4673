"""A spot whose host other schedulers have just filled goes elsewhere: placement knows claims."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from cospot.nova.scheduler.spot_check import SpotCheck
from scheduler_cases import (
    SPOT,
    VM,
    FakePlacement,
    Plugin,
    full_of_spots,
    make_instance,
    make_spec,
    make_state,
)
from waiting import PATIENCE_S


def spots_of(count: int, first: int = 0) -> dict[str, dict[str, int]]:
    """So many spots of 4 vCPUs and 8 GiB that a host has not reported."""
    held = {"CUSTOM_SPOT_VCPU": 4, "CUSTOM_SPOT_MEMORY_MB": 8192}
    return {f"other-{number}": held for number in range(first, first + count)}


def case(states: list[Any], **more: Any) -> tuple[Plugin, FakePlacement]:
    placement = FakePlacement(unknown={})  # who holds what of each host
    return Plugin(states, spot_check=SpotCheck(placement, **more)), placement


def test_a_spot_goes_where_nobody_was_faster():
    states = [make_state("a"), make_state("b")]
    plugin, placement = case(states)
    first = plugin.hosts(states, make_spec(SPOT))[0]
    [other] = [state for state in states if state.host != first.host]
    placement.known[first.uuid] = spots_of(4)  # 16 vCPUs, all that it has
    assert plugin.place(states, SPOT) == [other.host]


def test_a_spot_gets_no_host_where_others_were_faster_everywhere():
    states = [make_state("a"), make_state("b")]
    plugin, placement = case(states)
    placement.known = {state.uuid: spots_of(4) for state in states}
    assert plugin.place(states, SPOT) == []
    # It left no claim behind: once the others are gone, four fit on either host.
    placement.known = {}
    for _ in range(8):
        assert plugin.place(states, SPOT)
    assert plugin.place(states, SPOT) == []


@pytest.mark.parametrize(
    ("held", "placed"),
    [
        # 16 vCPUs: 8 that others hold, 4 and 4 that were decided here; a third finds no room.
        (spots_of(2), [True, True, False]),
        # VMs of other schedulers count too.
        ({"vm": {"VCPU": 13, "MEMORY_MB": 1024}}, [False]),
        ({"vm": {"VCPU": 12, "MEMORY_MB": 1024}}, [True, False]),
    ],
)
def test_decisions_that_have_no_claim_yet_count_with_those_of_others(held, placed):
    states = [make_state("a")]
    plugin, placement = case(states)
    placement.known[states[0].uuid] = held
    assert [bool(plugin.place(states, SPOT)) for _ in placed] == placed


def test_a_decision_that_has_its_claim_counts_once():
    states = [make_state("a")]
    plugin, placement = case(states)
    spec = make_spec(SPOT)
    assert plugin.place(states, spec)
    placement.known[states[0].uuid] = {
        spec.instance_uuid: {"CUSTOM_SPOT_VCPU": 4, "CUSTOM_SPOT_MEMORY_MB": 8192},
        **spots_of(2),
    }
    assert plugin.place(states, SPOT)


def test_a_spot_that_is_being_deleted_counts_as_gone():
    going = make_instance(SPOT, task_state="deleting")
    others = [make_instance(SPOT) for _ in range(3)]
    states = [make_state("a", instances=[going, *others])]
    plugin, placement = case(states)
    held = {"CUSTOM_SPOT_VCPU": 4, "CUSTOM_SPOT_MEMORY_MB": 8192}
    placement.known[states[0].uuid] = {each.uuid: held for each in (going, *others)}
    assert plugin.place(states, SPOT)
    assert placement.asked == [states[0].uuid]


def test_vms_are_not_asked_about():
    states = [full_of_spots("a")]
    plugin, placement = case(states)
    placement.known[states[0].uuid] = spots_of(9)
    assert plugin.place(states, VM) == ["a"]
    assert placement.asked == []


def test_without_placement_spots_are_placed_by_what_hosts_report(set_option, clock):
    clock.now = 100.0
    states = [make_state("a")]
    plugin, placement = case(states, clock=clock)
    placement.is_down = True
    assert plugin.place(states, SPOT)
    assert plugin.place(states, SPOT)
    assert len(placement.asked) == 1  # not again at once
    clock.now += 6
    assert plugin.place(states, SPOT)
    assert len(placement.asked) == 2


def test_a_spot_waits_no_longer_than_it_may(set_option):
    set_option(spot_check_wait=0.1)
    hangs = threading.Event()
    states = [make_state("a")]
    plugin = Plugin(states, spot_check=SpotCheck(lambda provider: hangs.wait(PATIENCE_S) and None))
    began = time.monotonic()
    assert plugin.place(states, SPOT)
    assert 0.1 <= time.monotonic() - began < PATIENCE_S
    hangs.set()


def test_nobody_is_asked_where_that_is_off(set_option):
    set_option(spot_check_wait=0.0)
    states = [make_state("a")]
    plugin, placement = case(states)
    placement.known[states[0].uuid] = spots_of(4)
    assert plugin.place(states, SPOT)
    assert placement.asked == []
