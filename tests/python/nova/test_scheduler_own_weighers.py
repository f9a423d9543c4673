"""The operator's own weighers as the VM policy."""

from __future__ import annotations

from typing import Any

from scheduler_cases import (
    SPOT,
    VM,
    Plugin,
    full_of_spots,
    make_instance,
    make_spec,
    make_state,
    nova_order,
)


def test_novas_weighers_see_no_spots(set_option: Any) -> None:
    set_option(vm_policy="nova")
    # b is full of spots and has no VM; to Nova's weighers it is the emptiest host.
    states = [
        make_state("a", instances=[make_instance(VM)]),
        full_of_spots("b"),
        make_state("c", instances=[make_instance(VM), make_instance(VM)]),
    ]
    plugin = Plugin(states)
    spec = make_spec(VM)
    without_spots = [states[0], make_state("b"), states[2]]
    assert plugin.place(states, spec) == nova_order(without_spots, spec) == ["b", "a", "c"]
    assert plugin.plans()[0]["hosts"][0]["victims"] == [next(iter(states[1].instances))]


def test_novas_weighers_with_saf_and_an_offer(set_option: Any) -> None:
    states = [
        make_state("a", instances=[make_instance(VM)]),
        full_of_spots("b"),
        make_state("c", instances=[make_instance(VM), make_instance(VM)]),
    ]
    set_option(vm_policy="nova", saf=True)
    assert Plugin(states).place(states, VM) == ["a", "c", "b"]
    set_option(vm_policy="nova", saf=False, otn=2)
    assert Plugin(states).place(states, VM) == ["a", "b", "c"]


def test_novas_weighers_keep_their_multipliers(set_option: Any) -> None:
    set_option(vm_policy="nova")
    set_option("filter_scheduler", ram_weight_multiplier=-5.0, cpu_weight_multiplier=-5.0)
    states = [make_state("a"), full_of_spots("b"), make_state("c", instances=[make_instance(VM)])]
    assert Plugin(states).place(states, VM)[0] == "c"


def test_novas_weighers_rank_spots_on_the_hosts_as_they_are(set_option: Any) -> None:
    set_option(spot_policy="nova")
    states = [
        make_state("a", instances=[make_instance(SPOT)]),
        full_of_spots("b"),
        make_state("c"),
    ]
    spec = make_spec(SPOT)
    assert Plugin(states).place(states, spec) == ["c", "a"]
