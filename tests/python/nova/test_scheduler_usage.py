"""What counts as use by VMs, as a spot, and as gone, when reports and lists disagree."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pytest
from cospot.nova.scheduler.claims import ClaimBook, HostClaims
from cospot.nova.scheduler.host_usage import reported_use, usage_of
from cospot.nova.scheduler.instance_facts import (
    NOTHING,
    InstanceFacts,
    InstanceReader,
    Size,
    read_facts,
    size_of_flavor,
)
from cospot.nova.scheduler.inventories import capacity_of, capacity_of_host_state
from nova import objects
from scheduler_cases import RESERVED_MB, make_flavor, make_instance, make_state, new_uuid

NO_CLAIMS = HostClaims(NOTHING, (), frozenset())


def vm(vcpus: int) -> InstanceFacts:
    return InstanceFacts(new_uuid(), Size(vcpus, 100 * vcpus, 0), False, 0.0, False)


def spot(vcpus: int, started_at: float = 0.0, *, leaves: bool = False) -> InstanceFacts:
    return InstanceFacts(new_uuid(), Size(vcpus, 100 * vcpus, 0), True, started_at, leaves)


def claims(vcpus: int = 0, spots: Iterable[Any] = (), victims: Iterable[Any] = ()) -> HostClaims:
    """Claims of VMs with so many vCPUs and of spots, and whom these evict."""
    gone = frozenset(each.uuid for each in victims)
    return HostClaims(Size(vcpus, 100 * vcpus, 0), tuple(spots), gone)


OLD, YOUNG, LEAVING, PLACED = spot(2, 5.0), spot(3, 6.0), spot(2, leaves=True), spot(4, math.inf)


@pytest.mark.parametrize(
    ("reported", "listed", "more", "vms", "num_vms", "spots"),
    [
        # 12 vCPUs are reported: 4 + 2 + 3 are listed, so 3 belong to an instance that is not.
        (12, [YOUNG, vm(4), OLD], {}, 7, 2, (OLD, YOUNG)),
        # What is listed and not reported is there.
        (2, [vm(4), OLD], {}, 4, 1, (OLD,)),
        # The capacity of a spot that is being deleted is free (9 - 2), and it cannot be planned.
        (9, [vm(4), LEAVING, YOUNG], {}, 4, 1, (YOUNG,)),
        # A claim that is not reported counts with its evictions.
        (5, [OLD, YOUNG], {"claims": claims(4, victims=[OLD])}, 4, 1, (YOUNG,)),
        # The host uses 4 more than it lists: that is the claim, which counts once.
        (7, [YOUNG], {"claims": claims(4)}, 4, 1, (YOUNG,)),
        # It uses 6 more: the claim, and an instance of 2 from elsewhere.
        (9, [YOUNG], {"claims": claims(4)}, 6, 1, (YOUNG,)),
        # A spot that was just placed is no VM, before and after the host says so.
        (3, [vm(3)], {"claims": claims(spots=[PLACED])}, 3, 1, (PLACED,)),
        (7, [vm(3)], {"claims": claims(spots=[PLACED])}, 3, 1, (PLACED,)),
        # An instance is no victim of itself.
        (5, [OLD, YOUNG], {"asking": OLD.uuid}, 2, 1, (YOUNG,)),
        # Unknown instances are VMs: one, and what is used beyond what is listed.
        (5, [OLD], {"num_unknown": 1}, 3, 2, (OLD,)),
    ],
)
def test_who_uses_what_of_a_host(reported, listed, more, vms, num_vms, spots):
    more = {"num_unknown": 0, "claims": NO_CLAIMS, **more}
    usage = usage_of(Size(reported, 100 * reported, 0), listed, **more)
    assert (usage.vms, usage.num_vms, usage.spots) == (Size(vms, 100 * vms, 0), num_vms, spots)
    assert LEAVING not in listed or set(usage.listed_spots) == {LEAVING, YOUNG}


def test_spots_of_the_same_second_are_ordered_by_their_uuid():
    spots = [spot(1, 7.0) for _ in range(20)]
    usage = usage_of(Size(20, 2000, 0), spots, 0, NO_CLAIMS)
    assert [found.uuid for found in usage.spots] == sorted(found.uuid for found in spots)


def test_facts_of_nova_instances():
    flavor = make_flavor(2, 2048, 10, spot=True, swap_mb=1025)
    facts = read_facts(make_instance(flavor, minute=1))
    assert facts is not None
    # 10 GiB of root disk, and 1025 MiB of swap take 2 GiB.
    assert facts.size == Size(2, 2048, 12)
    assert facts.is_spot and not facts.is_leaving
    assert facts.started_at == 1780315260.0  # 2026-06-01 12:01:00 UTC
    building = read_facts(make_instance(flavor, minute=None))
    assert building is not None and building.started_at == float("inf")
    deleting = read_facts(make_instance(flavor, task_state="deleting"))
    assert deleting is not None and deleting.is_leaving
    vm_deleting = read_facts(make_instance(make_flavor(1, 1), task_state="deleting"))
    assert vm_deleting is not None and not vm_deleting.is_leaving
    assert read_facts(objects.Instance(uuid=new_uuid())) is None
    assert size_of_flavor(make_flavor(1, 1, 10), with_root_disk=False) == Size(1, 1, 0)


def test_what_a_tenant_writes_makes_no_spot():
    facts = read_facts(
        make_instance(
            make_flavor(1, 1024),
            metadata={"resources:CUSTOM_SPOT_VCPU": "1"},
            system_metadata={"resources:CUSTOM_SPOT_VCPU": "1"},
        )
    )
    assert facts is not None and not facts.is_spot


def test_stubs_are_looked_up_once_for_a_while(clock):
    asked: list[list[str]] = []
    instances = {i.uuid: i for i in (make_instance(make_flavor(1, 1)) for _ in range(3))}

    def load(context: object, uuids: list[str]) -> list[object]:
        asked.append(sorted(uuids))
        return [instances[uuid] for uuid in uuids]

    reader = InstanceReader(load, clock=clock)
    stubs = {}
    for uuid in instances:
        stubs[uuid] = objects.Instance(uuid=uuid)
        stubs[uuid]._context = "cell1"
    stubs["orphan"] = objects.Instance(uuid=new_uuid())  # has no context to be read with
    stubs["orphan"]._context = None
    known, unknown, kept = reader.read(stubs, {})
    assert (len(known), len(unknown), kept) == (0, 4, {})
    reader.look_up(unknown, 1.0)
    assert asked == [sorted(instances)]
    known, unknown, kept = reader.read(stubs, kept)
    assert {facts.uuid for facts in known} == set(instances)
    assert unknown == [stubs["orphan"]]
    # A stub does not say that its instance was resized, so it is asked about again in time.
    clock.now = 601.0
    assert len(reader.read(stubs, {})[1]) == 4


def test_a_look_up_that_fails_or_takes_too_long_ends(caplog, clock):
    def fail(context: object, uuids: list[str]) -> list[object]:
        raise RuntimeError("no such database")

    stub = objects.Instance(uuid=new_uuid())
    stub._context = "cell1"
    InstanceReader(fail).look_up([stub], 1.0)
    assert "1 instances could not be read; they count as VMs" in caplog.text
    assert "no such database" in caplog.text

    def take_long(context: object, uuids: list[str]) -> list[object]:
        clock.now += 10.0
        return []

    reader = InstanceReader(take_long, clock=clock)
    stubs = [objects.Instance(uuid=new_uuid()) for _ in range(1501)]
    for stub in stubs:
        stub._context = "cell1"
    reader.look_up(stubs, 15.0)  # 500 at a time, 10 s each: the third is not begun
    assert clock.now == 20.0


def test_claims_are_replaced_shown_and_forgotten(clock):
    book = ClaimBook(clock=clock)
    book.seconds = 60.0
    first, second = vm(2), spot(1)
    book.add("host-a", first, ["victim"])
    clock.now = 10.0
    book.add("host-a", second, [])
    assert book.take_changed() == {"host-a"}
    assert book.of_host("host-a", (), None) == HostClaims(
        Size(2, 200, 0), (second,), frozenset({"victim"})
    )
    # The host shows it: its size counts no more, its victim may still be there.
    assert book.of_host("host-a", {first.uuid}, None).vms == NOTHING
    assert book.of_host("host-a", {first.uuid}, None).victims == {"victim"}
    assert book.of_host("host-a", (), first.uuid).vms == NOTHING
    book.add("host-b", first, [])  # decided again
    assert book.take_changed() == {"host-a", "host-b"}
    assert book.provider_of(first.uuid) == "host-b"
    assert book.of_host("host-a", (), None).victims == frozenset()
    clock.now = 70.0
    book.expire()
    assert book.take_changed() == {"host-a", "host-b"} or book.provider_of(first.uuid) == "host-b"
    assert book.of_host("host-a", (), None) == NO_CLAIMS
    clock.now = 71.0
    book.expire()
    assert book.of_host("host-b", (), None) == NO_CLAIMS


def test_capacity_is_what_placement_hands_out():
    inventories = {
        "VCPU": {"total": 10, "reserved": 2, "allocation_ratio": 1.3},
        "PCPU": {"total": 4, "reserved": 0, "allocation_ratio": 1.0},
        "MEMORY_MB": {"total": 8192, "reserved": 512, "allocation_ratio": 1.5},
        "CUSTOM_SPOT_VCPU": {"total": 99},
    }
    capacity = capacity_of(inventories)
    # (10 - 2) * 1.3 = 10.4, and apart from them 4 dedicated ones; (8192 - 512) * 1.5; no disk.
    assert capacity.total == Size(10, 11520, 0, 4)
    assert capacity.reserved == Size(2, 512, 0)
    state = make_state("a", (16, 1000, 100), cpu_ratio=2.0)
    assert capacity_of_host_state(state).total == Size(32, 1000, 100)
    state.cpu_allocation_ratio = None  # has not reported yet
    assert capacity_of_host_state(state).total == Size(16, 1000, 100)


def test_what_a_host_reports_includes_what_is_reserved():
    state = make_state("a", (16, 10000, 100), [make_instance(make_flavor(3, 1000, 7))])
    assert reported_use(state) == Size(3, 1000 + RESERVED_MB, 7)
