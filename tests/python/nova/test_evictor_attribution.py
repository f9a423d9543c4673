"""What an excess is attributed to: by cases worked out by hand, and against a brute force."""

from __future__ import annotations

import pytest
from cospot.nova.evictor.causes import Attribution, Reference, attribute, grown
from cospot.nova.evictor.hosts import HostHistory
from cospot.nova.evictor.model import HostUsage, Inventory
from cospot.nova.state.records import Metrics
from hypothesis import given
from hypothesis import strategies as st

Held = tuple[int, bool]  # vCPUs, is it a spot


def amounts(held: Held) -> dict[str, int]:
    vcpus, is_spot = held
    return {"CUSTOM_SPOT_VCPU" if is_spot else "VCPU": vcpus}


def attributed(
    capacity: int,
    before: dict[str, Held],
    since: dict[str, Held],
    times: dict[str, float] | None = None,
    capacity_before: int | None = None,
) -> Attribution:
    """Attribute what is short on a host of vCPUs only."""
    reference = Reference(
        {name: amounts(held) for name, held in before.items()},
        {"VCPU": capacity if capacity_before is None else capacity_before},
    )
    now = {**before, **since}
    usage = HostUsage(
        "p",
        "host",
        {"VCPU": Inventory(capacity, 0, 1.0)},
        {name: amounts(held) for name, held in now.items()},
    )
    # Those that came since did so in the order in which they are given.
    order = {name: float(number) for number, name in enumerate(since)}
    return attribute(reference, usage, usage.shortfall(["VCPU"]), times or order)


OLD = {"a": (4, True), "b": (4, True)}


def test_a_vm_is_owed_what_it_takes_beyond_the_capacity():
    # 8 vCPUs, 8 in use; a VM of 2: all of it is owed to it.
    found = attributed(8, OLD, {"vm": (2, False)})
    assert found == Attribution({"VCPU": 2}, ("vm",), (), {})
    # 10 vCPUs, 8 in use; a VM of 3: one of it is.
    assert attributed(10, OLD, {"vm": (3, False)}).for_vms == {"VCPU": 1}


def test_of_spots_that_raced_those_that_did_not_fit_are_to_go():
    # 12 vCPUs, 8 in use; spots of 2: the first two fit.
    since = {name: (2, True) for name in ("c", "d", "e", "f")}
    assert attributed(12, OLD, since) == Attribution({}, (), ("f", "e"), {})
    # 12 vCPUs, 8 in use; one of 2 fits, one of 4 does not, one of 2 does again.
    since = {"c": (2, True), "d": (4, True), "e": (2, True)}
    assert attributed(12, OLD, since).race == ("d",)


def test_a_vm_and_a_spot_at_once():
    # 10 vCPUs, 8 in use. The spot of 2 fits and the VM of 2 is owed its share; or, the other way
    # round, the VM fits and the spot does not.
    vm, spot = {"vm": (2, False)}, {"c": (2, True)}
    assert attributed(10, OLD, {**spot, **vm}) == Attribution({"VCPU": 2}, ("vm",), (), {})
    assert attributed(10, OLD, {**vm, **spot}) == Attribution({}, (), ("c",), {})
    # Within one second the spot counts as the first: the VM's plan knows of it.
    same = {"vm": 5.0, "c": 5.0}
    assert attributed(10, OLD, {**vm, **spot}, same).vms == ("vm",)
    # Of a VM that moves here Nova shows no time yet: it comes last.
    assert attributed(10, OLD, {**vm, **spot}, {"c": 5.0}).vms == ("vm",)


def test_a_capacity_that_shrank_is_no_claim():
    # 16 vCPUs became 4: of 8 in use 4 are too many, and nobody has come.
    assert attributed(4, OLD, {}, capacity_before=16) == Attribution({}, (), (), {"VCPU": 4})
    # A spot of 2 and a VM of 2 that came meanwhile would have fitted into the 16.
    found = attributed(4, OLD, {"c": (2, True), "vm": (2, False)}, capacity_before=16)
    assert found == Attribution({}, (), (), {"VCPU": 8})
    # 9 vCPUs became 4: 1 of the VM's 2 was free.
    found = attributed(4, OLD, {"vm": (2, False)}, capacity_before=9)
    assert found == Attribution({"VCPU": 1}, ("vm",), (), {"VCPU": 5})


def test_what_a_vm_was_given_is_not_owed_to_it_again():
    # 9 became 4, as above; with the spot `a` of 4 gone the VM fits, and 2 are left.
    after = {"b": OLD["b"]}
    found = attributed(4, after, {"vm": (2, False)}, capacity_before=9)
    assert found == Attribution({}, (), (), {"VCPU": 2})


def test_what_a_vm_grows_by_is_a_claim():
    # 8 vCPUs: a VM of 2 beside spots of 4 and 2 is resized to 4 in place.
    before = {"a": (4, True), "b": (2, True), "vm": (2, False)}
    assert attributed(8, before, {"vm": (4, False)}).for_vms == {"VCPU": 2}
    reference = Reference({"vm": {"VCPU": 2}}, {"VCPU": 8})
    usage = HostUsage("p", "host", {}, {"vm": {"VCPU": 4, "PCPU": 1}, "x": {"VCPU": 1}})
    assert grown(reference, usage) == {"vm": {"VCPU": 2, "PCPU": 1}, "x": {"VCPU": 1}}
    assert grown(reference, usage, {"vm"}) == {"x": {"VCPU": 1}}


def test_every_resource_for_itself():
    # vCPUs: 8 of 8 and a VM of 1: 1 is owed. Memory: 4 of 8 and the VM's 2: nothing is.
    held = {"CUSTOM_SPOT_VCPU": 8, "CUSTOM_SPOT_MEMORY_MB": 4}
    reference = Reference({"a": held}, {"VCPU": 8, "MEMORY_MB": 8})
    inventories = {"VCPU": Inventory(8, 0, 1.0), "MEMORY_MB": Inventory(8, 0, 1.0)}
    vm = {"VCPU": 1, "MEMORY_MB": 2}
    usage = HostUsage("p", "host", inventories, {"a": held, "vm": vm})
    found = attribute(reference, usage, usage.shortfall(["VCPU", "MEMORY_MB"]), {"vm": 1.0})
    assert found == Attribution({"VCPU": 1}, ("vm",), (), {})


@st.composite
def histories(draw: st.DrawFn) -> tuple[int, list[Held], list[Held]]:
    held = st.tuples(st.integers(1, 6), st.booleans())
    before = draw(st.lists(held, max_size=5))
    used = sum(vcpus for vcpus, _ in before)
    return used + draw(st.integers(0, 6)), before, draw(st.lists(held, max_size=6))


@given(histories())
def test_an_excess_at_an_unchanged_capacity_is_explained(history):
    capacity, before, since = history
    old = {f"old-{number}": held for number, held in enumerate(before)}
    new = {f"new-{number}": held for number, held in enumerate(since)}
    used = sum(vcpus for vcpus, _ in before + since)
    if used <= capacity:
        return
    found = attributed(capacity, old, new)
    assert found.unexplained == {}
    # Brute force: make the claims one after the other, and each time throw out as much as VMs
    # need and the spot that does not fit.
    level, owed, thrown_out = sum(vcpus for vcpus, _ in before), 0, []
    for name, (vcpus, is_spot) in new.items():
        if is_spot and level + vcpus > capacity:
            thrown_out.insert(0, name)
            continue
        level += vcpus
        if not is_spot and level > capacity:
            owed += level - capacity
            level = capacity
    assert found.race == tuple(thrown_out)
    # More was owed than is short where capacity was left by a spot that did not fit.
    assert found.for_vms.get("VCPU", 0) == min(owed, used - capacity)
    if not any(not is_spot for _, is_spot in since):
        assert found.for_vms == {} and found.race


def history_of_a_flap() -> HostHistory:
    """Return that of a full host of 8 vCPUs whose ratio was wrong at 10 s."""
    history = HostHistory(Metrics())
    assert not history.observe(vcpus_of(8), ["VCPU"], 0.0)
    assert history.observe(vcpus_of(4), ["VCPU"], 10.0)
    assert history.unexplained("p", 10.0, 10.0) == (0.0, True)
    return history


def vcpus_of(capacity: int, *, claimed: int = 0) -> HostUsage:
    """Return a host with spots of 8 vCPUs, and a VM."""
    held = {"a": {"CUSTOM_SPOT_VCPU": 8}, **({"vm": {"VCPU": claimed}} if claimed else {})}
    return HostUsage("p", "host", {"VCPU": Inventory(capacity, 0, 1.0)}, held)


@pytest.mark.parametrize("leaves", ["the cloud", "the pool of spots"])
def test_a_host_that_leaves_takes_its_metrics_along(leaves):
    metrics = Metrics()
    history = HostHistory(metrics)

    def shown(name: str, **labels: str) -> float | None:
        return metrics.registry.get_sample_value(f"cospot_evictor_{name}", labels)

    for asked_at in (0.0, 5.0):
        assert history.observe(vcpus_of(4), ["VCPU"], asked_at)  # 8 vCPUs of spots on 4
    history.unexplained("p", 5.0, 5.0)
    assert shown("overcommit_seconds_total", host="host") == 5.0
    assert shown("unexplained_hosts") == 1
    if leaves == "the cloud":
        history.keep({"another"})
    else:
        history.left("p")
    assert shown("overcommit_seconds_total", host="host") is None
    assert shown("unexplained_hosts") == 0
    # Back again, it begins anew: nobody has seen it meanwhile.
    assert history.observe(vcpus_of(4), ["VCPU"], 90.0)
    assert history.observe(vcpus_of(4), ["VCPU"], 92.0)
    assert shown("overcommit_seconds_total", host="host") == 2.0


def test_a_grace_ends_when_claims_explain_all_of_an_excess():
    # 20 s: 8 + 2 of 8 vCPUs, all of which the VM explains; 30 s: too little capacity again.
    history = history_of_a_flap()
    assert history.observe(vcpus_of(8, claimed=2), ["VCPU"], 20.0)
    assert history.observe(vcpus_of(4, claimed=2), ["VCPU"], 30.0)
    assert history.unexplained("p", 30.0, 30.0) == (0.0, True)


def test_a_grace_ends_by_an_answer_that_comes_after_a_later_one():
    # Asked at 20 s, when all fitted; answered after the question of 30 s.
    history = history_of_a_flap()
    assert history.observe(vcpus_of(4), ["VCPU"], 30.0)
    assert not history.observe(vcpus_of(8), ["VCPU"], 20.0)
    assert history.unexplained("p", 30.0, 31.0) == (0.0, True)
    # While it lasts it goes on, whatever order answers come in.
    assert history.observe(vcpus_of(4), ["VCPU"], 29.0)
    assert history.unexplained("p", 29.0, 35.0) == (4.0, False)
