"""The filter and the weigher as Nova's scheduler calls them."""

from __future__ import annotations

import threading

import pytest
from cospot.nova.plan_message import plan_from_message
from cospot.nova.scheduler.inventories import InventoryCache
from nova import objects
from nova.scheduler import utils
from programs import at_once
from scheduler_cases import (
    SPOT,
    VM,
    FakePlacement,
    Plugin,
    again,
    full_of_spots,
    make_flavor,
    make_instance,
    make_spec,
    make_state,
    names,
    new_uuid,
    nova_order,
    seen_again,
)
from waiting import wait_until


def test_nobody_is_evicted_where_there_is_room():
    plugin = Plugin(states := [make_state("a"), make_state("b")])
    assert plugin.place(states, VM) == ["a", "b"]
    assert plugin.plans() == []


def test_the_oldest_spot_goes_and_the_message_is_a_plan(set_option):
    plugin = Plugin(states := [full_of_spots("a", 5), full_of_spots("b", 0)])
    spec = make_spec(VM)
    assert plugin.place(states, spec) == ["a", "b"]
    (message,) = plugin.plans()
    plan = plan_from_message(message)
    assert plan.instance == spec.instance_uuid
    assert plan.project_id == spec.project_id
    assert [(host.host, host.provider) for host in plan.hosts] == [(s.host, s.uuid) for s in states]
    assert [host.victims for host in plan.hosts] == [(next(iter(s.instances)),) for s in states]


def test_a_spot_needs_room_beside_everything():
    plugin = Plugin(states := [full_of_spots("a"), make_state("b", instances=[make_instance(VM)])])
    assert plugin.place(states, SPOT) == ["b"]
    assert plugin.place([states[0]], SPOT) == []


def test_a_rebuild_keeps_its_host_whatever_it_holds():
    plugin = Plugin(states := [full_of_spots("a")])
    spec = make_spec(SPOT, scheduler_hints={"_nova_check_type": ["rebuild"]})
    assert plugin.hosts(states, spec) == states
    assert plugin.plans() == []


def test_a_host_without_room_beside_its_vms_is_tried_last_for_a_vm():
    """Placement has found room there: what looks like a VM may be a spot placed elsewhere."""
    unseen = make_state("a", unlisted=[make_flavor(14, 1024)])
    plugin = Plugin(states := [unseen, make_state("b")])
    assert plugin.place(states, VM) == ["b", "a"]
    assert plugin.place([unseen], VM) == ["a"]
    assert plugin.place([unseen], SPOT) == []


def test_a_host_that_has_not_reported_is_tried_last():
    fresh = make_state("a", (0, 0, 0))
    fresh.uuid = None
    fresh.free_ram_mb = 0
    plugin = Plugin(states := [fresh, make_state("b")])
    assert plugin.place(states, VM) == ["b", "a"]
    assert plugin.place(states, SPOT) == ["b"]


def test_decisions_come_faster_than_reports():
    """Four VMs find one host whose report does not change meanwhile: four spots go, one each."""
    plugin = Plugin(states := [full_of_spots("a")])
    spots = list(states[0].instances)
    for _ in range(4):
        assert plugin.place(states, VM) == ["a"]
    assert plugin.victims() == [[spot] for spot in spots]
    # A fifth finds VMs there: no spot is left to give its room a second time.
    plugin.place(states, VM)
    assert len(plugin.plans()) == 4


def test_spots_do_not_pile_up_on_a_host_that_has_not_reported_them():
    plugin = Plugin(states := [make_state("a")])
    placed = [bool(plugin.place(states, SPOT)) for _ in range(6)]
    assert placed == [True, True, True, True, False, False]


def test_a_spot_that_was_just_placed_may_make_room():
    plugin = Plugin(states := [make_state("a")])
    specs = [make_spec(SPOT) for _ in range(4)]
    for spec in specs:
        plugin.place(states, spec)
    plugin.place(states, VM)
    (plan,) = plugin.plans()
    (victim,) = plan["hosts"][0]["victims"]
    assert victim == min(spec.instance_uuid for spec in specs)  # all are equally young


def test_a_spot_that_is_deleted_soon_after_it_came_leaves_its_room():
    state = make_state("a")
    plugin = Plugin([state])
    spec = make_spec(make_flavor(16, 1024, spot=True))
    assert plugin.hosts([seen_again(state)], spec)
    assert plugin.place([state], SPOT) == []
    shown = make_instance(make_flavor(16, 1024, spot=True), uuid=spec.instance_uuid)
    assert plugin.place([make_state("a", instances=[shown])], SPOT) == []
    assert plugin.place([state], SPOT) == ["a"]


def test_a_decision_that_came_to_nothing_is_forgotten(set_option, clock):
    state = full_of_spots("a")
    plugin = Plugin([state], clock=clock)
    first, second = make_spec(VM), make_spec(VM)
    plugin.place([state], first)
    clock.now = 61.0  # claim_seconds is 60
    plugin.place([state], second)
    assert plugin.plans()[0]["hosts"] == plugin.plans()[1]["hosts"]


def test_multi_create_plans_each_instance_once():
    """Nova asks about each instance, then about the last one again, to find alternates."""
    states = again([full_of_spots("a"), full_of_spots("b", 10)])
    plugin = Plugin(states)
    spec = make_spec(VM, num_instances=3)
    uuids = [new_uuid() for _ in range(3)]
    for index, uuid in enumerate(uuids):
        spec.instance_uuid = uuid
        found = plugin.hosts(states, spec, index)
        found[0].consume_from_request(spec)
    assert names(found) == ["a", "b"]
    alternates = plugin.hosts(states, spec, 2)
    assert {state.host for state in alternates} == {"a", "b"}
    plans = plugin.plans()
    assert [plan["instance"] for plan in plans] == uuids
    victims = [victim for plan in plans for victim in plan["hosts"][0]["victims"]]
    assert victims == list(states[0].instances)[:3]


def test_a_stub_of_a_multi_create_is_its_own_claim():
    """With a server group Nova puts an Instance that has nothing but its UUID on the host."""
    states = [make_state("a")]
    plugin = Plugin(states)
    spec = make_spec(SPOT)
    found = plugin.hosts(states, spec)
    found[0].consume_from_request(spec)
    found[0].instances[spec.instance_uuid] = objects.Instance(uuid=spec.instance_uuid)
    plugin.hosts(states, make_spec(make_flavor(14, 1024)))
    assert plugin.victims() == [[spec.instance_uuid]]


def test_a_spot_that_becomes_a_vm_is_not_its_own_victim():
    """A resize on its own host: it holds its old size until the resize is confirmed."""
    state = full_of_spots("a")
    own, other = list(state.instances)[:2]
    plugin = Plugin([state])
    plugin.place([state], VM, instance_uuid=own)
    assert plugin.victims() == [[other]]


def test_a_spot_counts_as_such_again_after_its_own_request():
    state = full_of_spots("a")
    own = next(iter(state.instances))
    plugin = Plugin([state, full := make_state("b", instances=[make_instance(make_flavor(16, 1))])])
    plugin.place([state, full], SPOT, instance_uuid=own)
    plugin.place([state], VM)
    assert plugin.victims() == [[own]]


def test_a_vm_that_boots_from_a_volume_takes_no_local_disk(set_option):
    set_option(resources=["VCPU", "MEMORY_MB", "DISK_GB"])
    taken = make_state("a", (16, 33280, 100), [make_instance(make_flavor(1, 1024, 90))])
    # Its root disk of 90 GiB is a volume, and the host reports none.
    in_volume = make_instance(make_flavor(1, 1024, 90), image_ref="")
    free = make_state("b", (16, 33280, 100), [in_volume])
    free.disk_mb_used = 0
    plugin = Plugin([taken, free])
    assert plugin.place([taken, free], make_flavor(1, 1024, 50, spot=True)) == ["b"]
    vm = make_spec(make_flavor(1, 1024, 101), is_bfv=True)
    assert "a" in plugin.place([taken, free], vm)


def test_a_vm_takes_the_disk_that_its_flavor_asks_placement_for(set_option):
    """As of disks on shared storage: the host reports 90 GiB, and placement holds none."""
    set_option(resources=["VCPU", "MEMORY_MB", "DISK_GB"])
    shared = make_flavor(1, 1024, 90)
    shared.extra_specs = {"resources:DISK_GB": "0"}
    assert "DISK_GB" not in utils.resources_for_limits(shared, is_bfv=False)
    state = make_state("a", (16, 33280, 100), [make_instance(shared)])
    assert state.disk_mb_used == 90 * 1024
    plugin = Plugin([state])
    spot = make_spec(make_flavor(1, 1024, 100, spot=True))
    assert plugin.place([state], spot) == ["a"]
    # 10 GiB that belong to nobody who is known are a VM's.
    more = make_state("b", (16, 33280, 100), [make_instance(shared)])
    more.disk_mb_used += 10 * 1024
    assert Plugin([more]).hosts([more], spot) == []


def test_a_spot_takes_the_disk_that_its_flavor_asks_placement_for(set_option):
    """Nova leaves DISK_GB out for one that boots from a volume, and no other class."""
    set_option(resources=["VCPU", "MEMORY_MB", "DISK_GB"])
    state = make_state("a", (16, 33280, 100))
    plugin = Plugin([state])
    flavor = make_flavor(1, 1024, 101, spot=True)
    for is_bfv in (False, True):
        assert utils.resources_for_limits(flavor, is_bfv)["CUSTOM_SPOT_DISK_GB"] == 101
        assert plugin.place([state], flavor, is_bfv=is_bfv) == []
    del flavor.extra_specs["resources:CUSTOM_SPOT_DISK_GB"]  # as of --without-disk
    assert plugin.place([state], flavor) == ["a"]
    set_option(resources=["VCPU", "MEMORY_MB"])
    flavor = make_flavor(1, 1024, 101, spot=True)
    assert plugin.place([state], flavor) == ["a"]


def test_spots_stay_in_their_aggregates(set_option, caplog):
    set_option(aggregates=["spots", "more"])
    states = [make_state("a"), make_state("b"), make_state("c")]
    states[1].aggregates = [objects.Aggregate(name="other"), objects.Aggregate(name="spots")]
    plugin = Plugin(states)
    assert plugin.place(states, SPOT) == ["b"]
    assert "aggregates" not in caplog.text
    assert plugin.place([states[0]], SPOT) == []
    assert "none of the 1 hosts that a spot could have is in the aggregates more, spots" in (
        caplog.text
    )
    assert len(plugin.hosts(states, make_spec(VM))) == 3


def test_hosts_come_and_go():
    states = [full_of_spots("b", 1), make_state("d")]
    plugin = Plugin(states)
    assert plugin.place(states, VM) == ["b", "d"]
    more = [make_state("a", instances=[make_instance(VM)]), make_state("c")]
    plugin.placement.known.update(Plugin(more).placement.known)
    assert plugin.place([*again(states), *more], make_flavor(1, 1)) == ["a", "b", "c", "d"]
    assert plugin.place([more[1]], VM) == ["c"]


def test_threads_share_one_filter():
    """16 vCPUs a host and 40 hosts: 160 spots of 4 find room, and not one more."""
    states = [make_state(f"host-{i:02d}") for i in range(40)]
    plugin = Plugin(states)
    placed: list[str] = []
    lock = threading.Lock()

    def ask() -> None:
        for _ in range(45):
            found = plugin.hosts(again(states), make_spec(SPOT))
            if found:
                with lock:
                    placed.append(found[0].host)

    at_once(ask, 4)
    assert plugin.filter.failures == 0
    assert len(placed) == 160
    assert all(placed.count(state.host) == 4 for state in states)


# -- the operator's own weighers as the VM policy ------------------------------------------------


def test_novas_weighers_see_no_spots(set_option):
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


def test_novas_weighers_with_saf_and_an_offer(set_option):
    states = [
        make_state("a", instances=[make_instance(VM)]),
        full_of_spots("b"),
        make_state("c", instances=[make_instance(VM), make_instance(VM)]),
    ]
    set_option(vm_policy="nova", saf=True)
    assert Plugin(states).place(states, VM) == ["a", "c", "b"]
    set_option(vm_policy="nova", saf=False, otn=2)
    assert Plugin(states).place(states, VM) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("otn", "first"),
    [
        # Free memory without spots: 32, 24, 16 and 8 GiB, so weights 1, 2/3, 1/3 and 0.
        ("epsilon-0.3", "a"),
        ("epsilon-0.34", "b"),
        # VMs use 6 * 4 of 4 * 16 vCPUs, 0.375: half way from 0.25 to 0.5, floor(3 - 1 + 1/2) = 2.
        ("adaptive:at_low_load=3:at_high_load=1:from=0.25:to=0.5", "b"),
        ("adaptive:at_low_load=3:at_high_load=1:from=0.25:to=0.375", "a"),
    ],
)
def test_an_offer_of_novas_weighers_by_their_weights_or_the_load(otn, first, set_option):
    ram = ["nova.scheduler.weights.ram.RAMWeigher"]
    set_option(vm_policy="nova", vm_weighers=ram, otn=otn)
    of_vms = [[make_instance(VM) for _ in range(number)] for number in (1, 2, 3)]
    states = [make_state(name, instances=vms) for name, vms in zip("bcd", of_vms, strict=True)]
    states = [full_of_spots("a"), *states]
    rest = [name for name in "abcd" if name != first]
    assert Plugin(states).place(states, VM) == [first, *rest]


def test_an_offer_follows_the_load_of_all_hosts_as_last_seen(set_option, clock):
    """Placement leaves out f, full of VMs, and g, which a decision fills; z has nothing."""
    f = make_state("f", instances=[make_instance(VM) for _ in range(4)])
    g, z = make_state("g", (4, 9000, 0)), make_state("z", (0, 0, 0))
    rest = [full_of_spots("a"), make_state("b")]
    placement = FakePlacement([f, g, z, *rest])
    cache = InventoryCache(placement, clock=clock)

    def first(plugin: Plugin, load: float) -> str:
        """Returns a, where a spot must go, from that load on, else b."""
        step = f"adaptive:at_low_load=2:at_high_load=1:from={load}:to={load}"
        set_option(vm_policy="UTIL", otn=step)
        clock.now += 61.0  # claim_seconds are over
        return plugin.place(rest, VM)[0]

    for seen, load in (
        ([g], 4 / 36),
        ([f, z, *rest], 17 / 49),  # z counts as one vCPU that is in use
        ([f, *rest], 16 / 48),
    ):
        plugin = Plugin(inventories=cache, clock=clock)
        assert plugin.place(seen, make_flavor(64, 1024, spot=True)) == []
        plugin.place(seen, VM)
        assert first(plugin, load - 0.0001) + first(plugin, load + 0.0001) == "ab", load
        assert plugin.filter.failures == 0
    del placement.known[f.uuid]
    clock.now += 300.0  # inventory_seconds
    wait_until(lambda: cache.get(f.uuid) is None)
    assert first(plugin, 1 / 33 + 0.0001) == "b"  # as z


def test_novas_weighers_keep_their_multipliers(set_option):
    set_option(vm_policy="nova")
    set_option("filter_scheduler", ram_weight_multiplier=-5.0, cpu_weight_multiplier=-5.0)
    states = [make_state("a"), full_of_spots("b"), make_state("c", instances=[make_instance(VM)])]
    assert Plugin(states).place(states, VM)[0] == "c"


def test_novas_weighers_rank_spots_on_the_hosts_as_they_are(set_option):
    set_option(spot_policy="nova")
    states = [make_state("a", instances=[make_instance(SPOT)]), full_of_spots("b"), make_state("c")]
    spec = make_spec(SPOT)
    assert Plugin(states).place(states, spec) == ["c", "a"]
