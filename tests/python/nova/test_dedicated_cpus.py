"""Dedicated CPUs are a class of their own, for the scheduler's plugin as for the evictor."""

from __future__ import annotations

from typing import Any

import pytest
from cospot.nova.evictor.model import HostUsage, Inventory
from cospot.nova.scheduler.claims import HostClaims
from cospot.nova.scheduler.cpu_classes import Cpus, cpus_of
from cospot.nova.scheduler.host_usage import usage_of
from cospot.nova.scheduler.instance_facts import NOTHING, InstanceFacts, Size
from cospot.nova.scheduler.inventories import InventoryCache
from cospot.nova.spot_flavors import spot_extra_specs
from cospot.nova.tools.cloud import Provider
from hypothesis import given, settings
from hypothesis import strategies as st
from nova import objects
from nova.scheduler import utils
from scheduler_cases import (
    RESERVED_MB,
    Plugin,
    inventories_of,
    make_flavor,
    make_instance,
    make_spec,
    make_state,
    new_uuid,
)

PINNED = {"hw:cpu_policy": "dedicated"}


def make_pinned(vcpus: int, memory_mb: int) -> Any:
    flavor = make_flavor(vcpus, memory_mb)
    flavor.extra_specs = dict(PINNED)
    return flavor


def make_image(**properties: Any) -> Any:
    return objects.ImageMeta(properties=objects.ImageMetaProps(**properties))


def plugin_on(state: Any, shared: int, dedicated: int) -> Plugin:
    """A plugin for one host, some of whose CPUs are dedicated ones."""
    plugin = Plugin([state])
    inventories = plugin.placement.known[state.uuid]
    inventories["VCPU"]["total"] = shared
    if dedicated:
        inventories["PCPU"] = {"total": dedicated, "reserved": 0, "allocation_ratio": 1.0}
    return plugin


CASES = [
    ({}, {}),
    (PINNED, {}),
    ({**PINNED, "hw:emulator_threads_policy": "isolate"}, {}),
    ({**PINNED, "hw:emulator_threads_policy": "share"}, {}),
    ({"hw:cpu_policy": "mixed", "hw:cpu_dedicated_mask": "2-3"}, {}),
    ({"hw:cpu_policy": "mixed", "hw:cpu_dedicated_mask": "^0"}, {}),
    ({"hw:cpu_policy": "mixed", "hw:cpu_realtime": "yes", "hw:cpu_realtime_mask": "^0-1"}, {}),
    ({"resources:PCPU": "4", "resources:VCPU": "0"}, {}),
    ({"resources:PCPU": "1", "resources:VCPU": "3"}, {}),
    ({}, {"hw_cpu_policy": "dedicated"}),
    ({"hw:cpu_policy": "shared"}, {}),
    ({"hw:numa_nodes": "2"}, {}),
]


@pytest.mark.parametrize(("specs", "image"), CASES)
def test_cpus_are_counted_as_nova_asks_placement_for_them(specs, image):
    flavor, meta = make_flavor(4, 1024), make_image(**image)
    flavor.extra_specs = specs
    spec = make_spec(flavor, image=meta, requested_resources=[])
    spec.request_level_params = objects.RequestLevelParams()
    asked = utils.ResourceRequest.from_request_spec(spec, enable_pinning_translate=True)
    merged = asked.merged_resources()
    assert cpus_of(flavor, meta) == Cpus(merged.get("VCPU", 0), merged.get("PCPU", 0))


def test_what_nova_refuses_and_what_is_a_spot_has_shared_cpus():
    flavor = make_flavor(4, 1024)
    flavor.extra_specs = {"hw:cpu_policy": "sometimes"}
    assert cpus_of(flavor, None) == Cpus(4, 0)
    flavor.extra_specs = spot_extra_specs(4, 1024, 0)
    assert cpus_of(flavor, make_image(hw_cpu_policy="dedicated")) == Cpus(4, 0)


def test_a_spot_is_not_offered_dedicated_cpus():
    # 16 CPUs: 8 shared ones, all in use by a VM, and 8 dedicated ones, all free.
    state = make_state("a", instances=[make_instance(make_flavor(8, 1024))])
    plugin = plugin_on(state, 8, 8)
    assert plugin.place([state], make_flavor(4, 1024, spot=True)) == []
    # The other way round: the pinned VM takes nothing of what spots could have.
    state = make_state("b", instances=[make_instance(make_pinned(8, 1024))])
    plugin = plugin_on(state, 8, 8)
    assert plugin.place([state], make_flavor(8, 1024, spot=True)) == ["b"]


def test_a_vm_evicts_for_shared_cpus_where_dedicated_ones_are_free():
    spots = [make_instance(make_flavor(4, 1024, spot=True), minute=i) for i in range(2)]
    state = make_state("a", instances=spots)
    plugin = plugin_on(state, 8, 8)
    plugin.hosts([state], make_spec(make_flavor(4, 1024)))
    [plan] = plugin.plans()
    assert plan["hosts"][0]["victims"] == [spots[0].uuid]


def test_a_pinned_vm_evicts_for_memory_and_for_no_cpu():
    # 8 shared CPUs and 16384 MiB, both full of two spots; 8 dedicated CPUs, 4 of them in use.
    spots = [make_instance(make_flavor(4, 7168, spot=True), minute=i) for i in range(2)]
    there = make_instance(make_pinned(4, 1024))
    state = make_state("a", (16, 16384 + RESERVED_MB, 1000), [*spots, there])
    plugin = plugin_on(state, 8, 8)
    plugin.hosts([state], make_spec(make_pinned(2, 1024)))
    assert plugin.plans() == []  # 15360 + 1024 MiB
    plugin.place([state], make_pinned(2, 2048))
    [plan] = plugin.plans()
    # 16384 MiB with the first VM, which the host does not show yet, so 2048 are short.
    assert plan["hosts"][0]["victims"] == [spots[0].uuid]


def test_pinned_vms_are_ranked_by_dedicated_cpus(set_option):
    # UTIL: more in use first. Of shared CPUs that is host a, of dedicated ones host b.
    set_option(vm_policy="UTIL")
    states = [
        make_state("a", instances=[make_instance(make_flavor(6, 1024))]),
        make_state("b", instances=[make_instance(make_pinned(4, 1024))]),
    ]
    plugin = Plugin(states)
    for inventories in plugin.placement.known.values():
        inventories["VCPU"]["total"] = 8
        inventories["PCPU"] = {"total": 8, "reserved": 0, "allocation_ratio": 1.0}
    assert plugin.place(states, make_flavor(2, 1024)) == ["a", "b"]
    assert plugin.place(states, make_pinned(2, 1024)) == ["b", "a"]


def test_a_host_without_dedicated_cpus_gives_pinned_vms_shared_ones():
    """As Nova's second question to placement does, for hosts that are configured as of old."""
    state = make_state("a", (8, 32768 + RESERVED_MB, 1000), [make_instance(make_pinned(6, 1024))])
    plugin = plugin_on(state, 8, 0)
    assert plugin.place([state], make_flavor(4, 1024, spot=True)) == []
    assert plugin.place([state], make_flavor(2, 1024, spot=True)) == ["a"]


def test_a_pinned_claim_that_is_not_reported_counts_once():
    claims = HostClaims(Size(0, 400, 0, 4), (), frozenset())
    facts = InstanceFacts(new_uuid(), Size(2, 200, 0), False, 0.0, False)
    # Before the host says so (2 reported), and when it does and does not list it yet (6).
    for reported in (2, 6):
        usage = usage_of(Size(reported, 100 * reported, 0), [facts], 0, claims)
        assert usage.vms == Size(2, 600, 0, 4)
    # 3 more of its vCPUs belong to nobody that is known.
    assert usage_of(Size(9, 900, 0), [facts], 0, claims).vms == Size(5, 900, 0, 4)
    assert usage_of(Size(4, 0, 0), [], 0, HostClaims(NOTHING, (), frozenset())).vms.pcpus == 0


@st.composite
def hosts(draw: st.DrawFn) -> tuple[int, int, list[tuple[int, str]], int]:
    kinds = st.sampled_from(["vm", "pinned", "spot"])
    instances = draw(st.lists(st.tuples(st.integers(1, 4), kinds), max_size=6))
    return draw(st.integers(1, 12)), draw(st.integers(1, 8)), instances, draw(st.integers(1, 6))


@settings(max_examples=60, deadline=None)
@given(hosts())
def test_both_sides_count_the_same(case):
    """A host takes a spot exactly when the evictor would find it within its capacity with it."""
    shared, dedicated, instances, size = case
    flavors = {"vm": make_flavor, "pinned": make_pinned}
    made, consumers = [], {}
    for vcpus, kind in instances:
        flavor = flavors[kind](vcpus, 64) if kind != "spot" else make_flavor(vcpus, 64, spot=True)
        made.append(make_instance(flavor))
        consumers[made[-1].uuid] = {
            "vm": {"VCPU": vcpus, "MEMORY_MB": 64},
            "pinned": {"PCPU": vcpus, "MEMORY_MB": 64},
            "spot": {"CUSTOM_SPOT_VCPU": vcpus, "CUSTOM_SPOT_MEMORY_MB": 64},
        }[kind]
    state = make_state("a", instances=made)
    plugin = plugin_on(state, shared, dedicated)
    offered = bool(plugin.hosts([state], make_spec(make_flavor(size, 64, spot=True))))
    assert plugin.filter.failures == 0
    inventories = plugin.placement.known[state.uuid]
    consumers["new"] = {"CUSTOM_SPOT_VCPU": size, "CUSTOM_SPOT_MEMORY_MB": 64}
    usage = HostUsage(
        "p", "a", {name: Inventory(**has) for name, has in inventories.items()}, consumers
    )
    assert offered == (not usage.shortfall(["VCPU", "MEMORY_MB"]))


def test_the_tools_count_the_same():
    state = make_state("a")
    inventories = inventories_of(state)
    inventories["VCPU"].update(total=7, reserved=2, allocation_ratio=1.5)  # 7.5
    inventories["PCPU"] = {"total": 3, "reserved": 0, "allocation_ratio": 1.0}
    provider = Provider(inventories, {})
    cache = InventoryCache(lambda _: inventories)
    cache.read_new(["a"], 1.0)
    capacity = cache.get("a")
    assert capacity is not None
    for name, amount in (("VCPU", capacity.total.vcpus), ("PCPU", capacity.total.pcpus)):
        has = inventories[name]
        assert provider.capacity(name) == Inventory(**has).capacity == amount
    assert (capacity.total.vcpus, capacity.total.pcpus) == (7, 3)
