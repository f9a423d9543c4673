"""What Nova's scheduler does when cospot does not decide: failures, switches, wrong options."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from cospot.nova.scheduler.decision import Decision, keep_decision
from cospot.nova.scheduler.filter import CospotFilter
from cospot.nova.scheduler.host_usage import HostUsage
from nova.scheduler import weights
from scheduler_cases import (
    CONF,
    SPOT,
    VM,
    Plugin,
    full_of_spots,
    make_flavor,
    make_instance,
    make_spec,
    make_state,
    names,
    nova_order,
)


def broken_plugin(states: list[Any]) -> Plugin:
    plugin = Plugin(states)

    def fail(*arguments: Any, **options: Any) -> Any:
        raise RuntimeError("a bug in cospot")

    plugin.filter._decider.decide = fail
    return plugin


def test_a_failure_leaves_vms_to_novas_weighers(caplog):
    states = [full_of_spots("a"), make_state("b"), make_state("c", (64, 99999, 10))]
    plugin = broken_plugin(states)
    spec = make_spec(VM)
    assert plugin.place(states, spec) == nova_order(states, spec) == ["c", "b", "a"]
    assert plugin.filter.failures == 1
    assert "cospot: failure 1: no decision for instance" in caplog.text
    assert "RuntimeError: a bug in cospot" in caplog.text  # with its traceback
    assert plugin.plans() == []


def test_a_failure_leaves_spots_without_a_host(caplog):
    states = [make_state("a")]
    assert broken_plugin(states).hosts(states, make_spec(SPOT)) == []
    assert "a spot gets no host" in caplog.text


def test_a_failure_does_not_outlive_its_request():
    states = [full_of_spots("a"), make_state("b")]
    plugin = Plugin(states)
    real = HostUsage.__init__
    try:
        HostUsage.__init__ = lambda *arguments, **more: 1 / 0
        assert len(plugin.hosts(states, make_spec(VM))) == 2
        assert plugin.filter.failures == 1
    finally:
        HostUsage.__init__ = real
    assert plugin.place(states, SPOT) != []
    assert plugin.place([states[0]], SPOT) == []


def test_switched_off_it_is_as_if_absent(set_option):
    set_option(enabled=False)
    states = [full_of_spots("a"), make_state("b"), make_state("c", (64, 99999, 10))]
    plugin = Plugin(states)
    for flavor in (VM, SPOT):
        spec = make_spec(flavor)
        assert plugin.place(states, spec) == nova_order(states, spec)
    assert plugin.plans() == [] and plugin.filter.failures == 0
    set_option(enabled=True)
    assert plugin.place(states, VM)[0] == "a"


def test_a_dry_run_decides_and_logs_and_changes_nothing(set_option, caplog):
    caplog.set_level("INFO")
    set_option(dry_run=True)
    states = [full_of_spots("a"), make_state("c", (64, 99999, 10))]
    plugin = Plugin(states)
    spec = make_spec(VM)
    assert plugin.place(states, spec) == ["c", "a"]
    victim = next(iter(states[0].instances))
    assert f"cospot (dry run): instance {spec.instance_uuid}: first of 2 hosts is a" in caplog.text
    assert f"evicting ['{victim}']" in caplog.text
    assert plugin.plans() == []
    set_option(dry_run=False)
    # Nothing of it counts as placed.
    plugin.place([states[0]], VM)
    assert plugin.plans()[0]["hosts"][0]["victims"] == [victim]


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("vm_policy", "FOO", "[cospot] vm_policy: unknown weigher 'FOO'; valid names: UTIL, COS"),
        ("spot_policy", "FOO", "[cospot] spot_policy: unknown weigher 'FOO'; valid names: UTIL"),
        ("evictor", "FOO", "[cospot] evictor: unknown evictor 'FOO'; valid names: FIFO, LPKM, YJF"),
        ("evictor", "LPO", "'LPO' needs to know how long spots will live"),
        ("evictor", "LPKM", "[cospot] evictor: 'LPKM' needs a lifetime model"),
        ("resources", ["VCPU"], "[cospot] resources: found VCPU, expected VCPU, MEMORY_MB"),
        ("vm_weighers", ["nope"], "[cospot] vm_weighers: nope: "),
    ],
)
def test_a_wrong_setting_is_said_and_vms_go_on(option, value, expected, set_option, caplog):
    states = [full_of_spots("a"), make_state("c", (64, 99999, 10))]
    plugin = Plugin(states)
    set_option(**{"vm_policy": "nova"} if option == "vm_weighers" else {})
    set_option(**{option: value})
    for _ in range(2):
        caplog.clear()
        assert plugin.place(states, VM) == ["c", "a"]
        assert expected in caplog.text
    assert plugin.place(states, SPOT) == []
    assert plugin.filter.failures == 3
    caplog.clear()
    Plugin(states)
    assert expected in caplog.text  # at the start too


WRONG_TYPES = [
    ("otn = many", "[cospot] otn: found 'many', expected an OTN such as 8, epsilon-0.05 or adap"),
    ("otn = 0", "[cospot] otn: otn is 0, expected at least 1"),
    ("otn = epsilon-2", "[cospot] otn: epsilon is 2.000000, expected 0, or a fraction from 0.0001"),
    ("enabled = maybe", "[cospot] enabled: expected true or false, found 'maybe'"),
    ("resources = VCPU,GPU", "[cospot] resources: Valid values are [VCPU, "),
    ("inventory_wait = long", "[cospot] inventory_wait: expected a number, found 'long'"),
    ("plan_hosts = 0", "[cospot] plan_hosts: found '0': Should be greater"),
    ("plan_queue = many", "[cospot] plan_queue: expected a whole number, found 'many'"),
]


@pytest.mark.parametrize(("line", "expected"), WRONG_TYPES)
def test_a_value_of_the_wrong_type_is_said_and_vms_go_on(caplog, scheduler_file, line, expected):
    _, conf = scheduler_file(f"[cospot]\n{line}\n")
    conf.log_opt_values(logging.getLogger("nova"), logging.DEBUG)  # as Nova's services do
    states = [full_of_spots("a"), make_state("c", (64, 99999, 10))]
    plugin = Plugin(states)
    CospotFilter()  # as Nova makes it, with a publisher of its own
    assert expected in caplog.text and "until this is fixed" in caplog.text
    assert plugin.place(states, VM) == ["c", "a"]
    assert plugin.place(states, SPOT) == []
    assert plugin.plans() == []


def test_a_decision_about_other_hosts_is_none(set_option):
    """A forced host skips the filters, so the weigher may meet hosts that were not decided on."""
    states = [make_state("a"), make_state("b", (64, 99999, 10))]
    plugin = Plugin(states)
    spec = make_spec(VM)
    weighed = weights.HostWeightHandler().get_weighed_objects([plugin.weigher], states, spec)
    assert [host.obj.host for host in weighed] == ["b", "a"]
    keep_decision(spec, Decision(spec.instance_uuid, [states[0]]))
    weighed = weights.HostWeightHandler().get_weighed_objects([plugin.weigher], states, spec)
    assert [host.obj.host for host in weighed] == ["b", "a"]
    # One filter more behind ours, against the rules: the order of those that are left is kept.
    third = make_state("c")
    keep_decision(spec, Decision(spec.instance_uuid, [third, states[0], states[1]]))
    weighed = weights.HostWeightHandler().get_weighed_objects([plugin.weigher], states, spec)
    assert [host.obj.host for host in weighed] == ["a", "b"]


def test_fallback_weighers_that_are_none_keep_the_hosts(set_option, caplog):
    set_option(enabled=False, fallback_weighers=["nova.no.Such"])
    states = [make_state("a"), make_state("b", (64, 99999, 10))]
    assert Plugin(states).place(states, VM) == ["a", "b"]
    assert "the fallback weighers failed" in caplog.text


def test_beside_novas_weighers_the_decision_still_holds(set_option):
    """As where server groups have soft affinity: Nova wants all its weighers named then."""
    set_option(
        "filter_scheduler",
        weight_classes=[
            "nova.scheduler.weights.all_weighers",
            "cospot.nova.scheduler.weigher.CospotWeigher",
        ],
    )
    handler = weights.HostWeightHandler()
    weighers = [cls() for cls in handler.get_matching_classes(CONF.filter_scheduler.weight_classes)]
    states = [
        make_state(f"host-{i:04d}", (64 + i, 99999, 10), [make_instance(make_flavor(1 + i % 7, 1))])
        for i in range(2000)
    ]
    plugin = Plugin(states)
    spec = make_spec(VM)
    decided = plugin.filter.filter_all(states, spec)
    found = handler.get_weighed_objects(weighers, decided, spec)
    assert [host.obj for host in found] == decided
    assert names(decided) != nova_order(states, spec)
    # Without a decision Nova's own decide, once.
    keep_decision(spec, None)
    found = handler.get_weighed_objects(weighers, states, spec)
    assert [host.obj.host for host in found] == nova_order(states, spec)
