"""The filter and the weigher as Nova's scheduler calls them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nova.scheduler", reason="OpenStack Nova is not installed")

from cospot.nova.plan_message import plan_from_message
from cospot.nova.scheduler import options
from cospot.nova.scheduler.decider import Decider
from cospot.nova.scheduler.decision import Decision, keep_decision
from cospot.nova.scheduler.filter import CospotFilter
from cospot.nova.scheduler.host_usage import HostUsage
from cospot.nova.scheduler.nova_settings import faults_of_nova_settings
from cospot.nova.scheduler.plan_publisher import PlanPublisher, make_plan
from nova import objects
from nova.scheduler import weights
from scheduler_cases import (
    CONF,
    Plugin,
    make_flavor,
    make_instance,
    make_spec,
    make_state,
    names,
    new_uuid,
    seen_again,
)

SetOption = Callable[..., None]
VM = make_flavor(4, 8192)
SPOT = make_flavor(4, 8192, spot=True)


def full_of_spots(name: str, minute: float = 0) -> Any:
    """A host of 16 vCPUs with four spots of 4, the first launched at `minute`."""
    return make_state(name, instances=[make_instance(SPOT, minute=minute + i) for i in range(4)])


def again(states: list[Any]) -> list[Any]:
    return [seen_again(state) for state in states]


def nova_order(states: list[Any], spec: Any) -> list[str]:
    handler = weights.HostWeightHandler()
    weighers = [
        cls() for cls in handler.get_matching_classes(["nova.scheduler.weights.all_weighers"])
    ]
    return [host.obj.host for host in handler.get_weighed_objects(weighers, states, spec)]


def broken_plugin(states: list[Any]) -> Plugin:
    plugin = Plugin(states)

    def fail(*arguments: Any, **options: Any) -> Any:
        raise RuntimeError("a bug in cospot")

    plugin.filter._decider.decide = fail
    return plugin


def test_nobody_is_evicted_where_there_is_room() -> None:
    plugin = Plugin(states := [make_state("a"), make_state("b")])
    assert names(plugin.hosts(states, make_spec(VM))) == ["a", "b"]
    assert plugin.plans() == []


def test_the_oldest_spot_goes_and_the_message_is_a_plan(set_option: SetOption) -> None:
    plugin = Plugin(states := [full_of_spots("a", 5), full_of_spots("b", 0)])
    spec = make_spec(VM)
    assert names(plugin.hosts(states, spec)) == ["a", "b"]
    (message,) = plugin.plans()
    plan = plan_from_message(message)
    assert plan.instance == spec.instance_uuid
    assert plan.project_id == spec.project_id
    assert [(host.host, host.provider) for host in plan.hosts] == [(s.host, s.uuid) for s in states]
    assert [host.victims for host in plan.hosts] == [(next(iter(s.instances)),) for s in states]


def test_a_spot_needs_room_beside_everything() -> None:
    plugin = Plugin(states := [full_of_spots("a"), make_state("b", instances=[make_instance(VM)])])
    assert names(plugin.hosts(states, make_spec(SPOT))) == ["b"]
    assert plugin.hosts([states[0]], make_spec(SPOT)) == []


def test_a_rebuild_keeps_its_host_whatever_it_holds() -> None:
    plugin = Plugin(states := [full_of_spots("a")])
    spec = make_spec(SPOT, scheduler_hints={"_nova_check_type": ["rebuild"]})
    assert plugin.hosts(states, spec) == states
    assert plugin.plans() == []


def test_a_host_without_room_beside_its_vms_is_tried_last_for_a_vm() -> None:
    """Placement has found room there: what looks like a VM may be a spot placed elsewhere."""
    unseen = make_state("a", unlisted=[make_flavor(14, 1024)])
    plugin = Plugin(states := [unseen, make_state("b")])
    assert names(plugin.hosts(states, make_spec(VM))) == ["b", "a"]
    assert names(plugin.hosts([unseen], make_spec(VM))) == ["a"]
    assert plugin.hosts([seen_again(unseen)], make_spec(SPOT)) == []


def test_a_host_that_has_not_reported_is_tried_last() -> None:
    fresh = make_state("a", (0, 0, 0))
    fresh.uuid = None
    fresh.free_ram_mb = 0
    plugin = Plugin(states := [fresh, make_state("b")])
    assert names(plugin.hosts(states, make_spec(VM))) == ["b", "a"]
    assert names(plugin.hosts(states, make_spec(SPOT))) == ["b"]


def test_decisions_come_faster_than_reports() -> None:
    """Four VMs find one host whose report does not change meanwhile: four spots go, one each."""
    plugin = Plugin(states := [full_of_spots("a")])
    spots = list(states[0].instances)
    for _ in range(4):
        assert names(plugin.hosts(again(states), make_spec(VM))) == ["a"]
    assert [plan["hosts"][0]["victims"] for plan in plugin.plans()] == [[spot] for spot in spots]
    # A fifth finds VMs there: no spot is left to give its room a second time.
    plugin.hosts(again(states), make_spec(VM))
    assert len(plugin.plans()) == 4


def test_spots_do_not_pile_up_on_a_host_that_has_not_reported_them() -> None:
    plugin = Plugin(states := [make_state("a")])
    placed = [bool(plugin.hosts(again(states), make_spec(SPOT))) for _ in range(6)]
    assert placed == [True, True, True, True, False, False]


def test_a_spot_that_was_just_placed_may_make_room() -> None:
    plugin = Plugin(states := [make_state("a")])
    specs = [make_spec(SPOT) for _ in range(4)]
    for spec in specs:
        plugin.hosts(again(states), spec)
    plugin.hosts(again(states), make_spec(VM))
    (plan,) = plugin.plans()
    (victim,) = plan["hosts"][0]["victims"]
    assert victim == min(spec.instance_uuid for spec in specs)  # all are equally young


def test_a_spot_that_is_deleted_soon_after_it_came_leaves_its_room() -> None:
    state = make_state("a")
    plugin = Plugin([state])
    spec = make_spec(make_flavor(16, 1024, spot=True))
    assert plugin.hosts([seen_again(state)], spec)
    assert plugin.hosts([seen_again(state)], make_spec(SPOT)) == []
    shown = make_instance(make_flavor(16, 1024, spot=True), uuid=spec.instance_uuid)
    assert plugin.hosts([make_state("a", instances=[shown])], make_spec(SPOT)) == []
    assert names(plugin.hosts([seen_again(state)], make_spec(SPOT))) == ["a"]


def test_a_decision_that_came_to_nothing_is_forgotten(set_option: SetOption) -> None:
    now = [0.0]
    state = full_of_spots("a")
    plugin = Plugin([state], clock=lambda: now[0])
    first, second = make_spec(VM), make_spec(VM)
    plugin.hosts([seen_again(state)], first)
    now[0] = 61.0  # claim_seconds is 60
    plugin.hosts([seen_again(state)], second)
    assert plugin.plans()[0]["hosts"] == plugin.plans()[1]["hosts"]


def test_multi_create_plans_each_instance_once() -> None:
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


def test_a_stub_of_a_multi_create_is_its_own_claim() -> None:
    """With a server group Nova puts an Instance that has nothing but its UUID on the host."""
    states = [make_state("a")]
    plugin = Plugin(states)
    spec = make_spec(SPOT)
    found = plugin.hosts(states, spec)
    found[0].consume_from_request(spec)
    found[0].instances[spec.instance_uuid] = objects.Instance(uuid=spec.instance_uuid)
    plugin.hosts(states, make_spec(make_flavor(14, 1024)))
    (plan,) = plugin.plans()
    assert plan["hosts"][0]["victims"] == [spec.instance_uuid]


def test_a_spot_that_becomes_a_vm_is_not_its_own_victim() -> None:
    """A resize on its own host: it holds its old size until the resize is confirmed."""
    state = full_of_spots("a")
    own, other = list(state.instances)[:2]
    plugin = Plugin([state])
    plugin.hosts([seen_again(state)], make_spec(VM, instance_uuid=own))
    (plan,) = plugin.plans()
    assert plan["hosts"][0]["victims"] == [other]


def test_a_spot_counts_as_such_again_after_its_own_request() -> None:
    state = full_of_spots("a")
    own = next(iter(state.instances))
    plugin = Plugin([state, full := make_state("b", instances=[make_instance(make_flavor(16, 1))])])
    plugin.hosts(again([state, full]), make_spec(SPOT, instance_uuid=own))
    plugin.hosts(again([state]), make_spec(VM))
    (plan,) = plugin.plans()
    assert plan["hosts"][0]["victims"] == [own]


def test_a_boot_from_volume_takes_no_local_disk(set_option: SetOption) -> None:
    set_option(resources=["VCPU", "MEMORY_MB", "DISK_GB"])
    state = make_state("a", (16, 33280, 100))
    plugin = Plugin([state])
    flavor = make_flavor(1, 1024, 101, spot=True)
    assert plugin.hosts([state], make_spec(flavor)) == []
    assert names(plugin.hosts([state], make_spec(flavor, is_bfv=True))) == ["a"]
    set_option(resources=["VCPU", "MEMORY_MB"])
    assert names(plugin.hosts([state], make_spec(flavor))) == ["a"]


def test_spots_stay_in_their_aggregates(set_option: SetOption) -> None:
    set_option(aggregates=["spots", "more"])
    states = [make_state("a"), make_state("b"), make_state("c")]
    states[1].aggregates = [objects.Aggregate(name="other"), objects.Aggregate(name="spots")]
    plugin = Plugin(states)
    assert names(plugin.hosts(states, make_spec(SPOT))) == ["b"]
    assert plugin.hosts([states[0]], make_spec(SPOT)) == []
    assert len(plugin.hosts(states, make_spec(VM))) == 3


def test_hosts_come_and_go() -> None:
    states = [full_of_spots("b", 1), make_state("d")]
    plugin = Plugin(states)
    assert names(plugin.hosts(states, make_spec(VM))) == ["b", "d"]
    more = [make_state("a", instances=[make_instance(VM)]), make_state("c")]
    plugin.placement.inventories.update(Plugin(more).placement.inventories)
    assert names(plugin.hosts([*again(states), *more], make_spec(make_flavor(1, 1)))) == [
        "a",
        "b",
        "c",
        "d",
    ]
    assert names(plugin.hosts([more[1]], make_spec(VM))) == ["c"]


# What happens when cospot does not decide.


def test_a_failure_leaves_vms_to_novas_weighers(caplog: pytest.LogCaptureFixture) -> None:
    states = [full_of_spots("a"), make_state("b"), make_state("c", (64, 99999, 10))]
    plugin = broken_plugin(states)
    spec = make_spec(VM)
    assert names(plugin.hosts(states, spec)) == nova_order(states, spec) == ["c", "b", "a"]
    assert plugin.filter.failures == 1
    assert "cospot: failure 1: no decision for instance" in caplog.text
    assert "RuntimeError: a bug in cospot" in caplog.text  # with its traceback
    assert plugin.plans() == []


def test_a_failure_leaves_spots_without_a_host(caplog: pytest.LogCaptureFixture) -> None:
    states = [make_state("a")]
    assert broken_plugin(states).hosts(states, make_spec(SPOT)) == []
    assert "a spot gets no host" in caplog.text


def test_a_failure_does_not_outlive_its_request() -> None:
    states = [full_of_spots("a"), make_state("b")]
    plugin = Plugin(states)
    real = HostUsage.__init__
    try:
        HostUsage.__init__ = lambda *arguments, **more: 1 / 0
        assert len(plugin.hosts(states, make_spec(VM))) == 2
        assert plugin.filter.failures == 1
    finally:
        HostUsage.__init__ = real
    assert plugin.hosts(again(states), make_spec(SPOT)) != []
    assert plugin.hosts([seen_again(states[0])], make_spec(SPOT)) == []


def test_switched_off_it_is_as_if_absent(set_option: SetOption) -> None:
    set_option(enabled=False)
    states = [full_of_spots("a"), make_state("b"), make_state("c", (64, 99999, 10))]
    plugin = Plugin(states)
    for flavor in (VM, SPOT):
        spec = make_spec(flavor)
        assert names(plugin.hosts(states, spec)) == nova_order(states, spec)
    assert plugin.plans() == [] and plugin.filter.failures == 0
    set_option(enabled=True)
    assert names(plugin.hosts(states, make_spec(VM)))[0] == "a"


def test_a_dry_run_decides_and_logs_and_changes_nothing(
    set_option: SetOption, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    set_option(dry_run=True)
    states = [full_of_spots("a"), make_state("c", (64, 99999, 10))]
    plugin = Plugin(states)
    spec = make_spec(VM)
    assert names(plugin.hosts(again(states), spec)) == ["c", "a"]
    victim = next(iter(states[0].instances))
    assert f"cospot (dry run): instance {spec.instance_uuid}: first of 2 hosts is a" in caplog.text
    assert f"evicting ['{victim}']" in caplog.text
    assert plugin.plans() == []
    set_option(dry_run=False)
    # Nothing of it counts as placed.
    plugin.hosts([seen_again(states[0])], make_spec(VM))
    assert plugin.plans()[0]["hosts"][0]["victims"] == [victim]


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("vm_policy", "FOO", "[cospot] vm_policy: unknown weigher 'FOO'; valid names: UTIL, COS"),
        ("spot_policy", "FOO", "[cospot] spot_policy: unknown weigher 'FOO'; valid names: UTIL"),
        ("evictor", "FOO", "[cospot] evictor: unknown evictor 'FOO'; valid names: FIFO"),
        ("evictor", "LPO", "'LPO' needs to know how long spots will live"),
        ("resources", ["VCPU"], "[cospot] resources: found VCPU, expected VCPU, MEMORY_MB"),
    ],
)
def test_a_wrong_setting_is_said_and_vms_go_on(
    option: str,
    value: Any,
    expected: str,
    set_option: SetOption,
    caplog: pytest.LogCaptureFixture,
) -> None:
    states = [full_of_spots("a"), make_state("c", (64, 99999, 10))]
    plugin = Plugin(states)
    set_option(**{option: value})
    assert names(plugin.hosts(states, make_spec(VM))) == ["c", "a"]
    assert expected in caplog.text
    assert plugin.hosts(states, make_spec(SPOT)) == []
    assert plugin.filter.failures == 2


def read_conf(path: Path, option: str) -> Any:
    from oslo_config import cfg

    conf = cfg.ConfigOpts()
    options.register(conf)
    path.write_text(f"[cospot]\n{option}\n")
    conf(["--config-file", str(path)], project="nova")
    return conf


def test_a_value_of_the_wrong_type_is_said_and_vms_go_on(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    conf = read_conf(tmp_path / "nova.conf", "otn = many")
    states = [full_of_spots("a"), make_state("c", (64, 99999, 10))]
    plugin = Plugin(states)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cospot.nova.scheduler.filter.CONF", conf)
        assert names(plugin.hosts(states, make_spec(VM))) == ["c", "a"]
    assert "the group [cospot] of nova.conf is wrong" in caplog.text
    assert "'many'" in caplog.text or "many" in caplog.text


def test_options_that_are_read_again_count(tmp_path: Path) -> None:
    """SIGHUP makes Nova's services call mutate_config_files."""
    path = tmp_path / "nova.conf"
    conf = read_conf(path, "enabled = true")
    states = [full_of_spots("a"), make_state("c", (64, 99999, 10))]
    plugin = Plugin(states)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cospot.nova.scheduler.filter.CONF", conf)
        assert names(plugin.hosts(states, make_spec(VM))) == ["a", "c"]
        path.write_text("[cospot]\nenabled = false\n")
        conf.mutate_config_files()
        assert names(plugin.hosts(states, make_spec(VM))) == ["c", "a"]


def test_a_decision_about_other_hosts_is_none(set_option: SetOption) -> None:
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


def test_fallback_weighers_that_are_none_keep_the_hosts(
    set_option: SetOption, caplog: pytest.LogCaptureFixture
) -> None:
    set_option(enabled=False, fallback_weighers=["nova.no.Such"])
    states = [make_state("a"), make_state("b", (64, 99999, 10))]
    assert names(Plugin(states).hosts(states, make_spec(VM))) == ["a", "b"]
    assert "the fallback weighers failed" in caplog.text


def test_beside_novas_weighers_the_decision_still_holds(set_option: SetOption) -> None:
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


# The operator's own weighers as the VM policy.


def test_novas_weighers_see_no_spots(set_option: SetOption) -> None:
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
    assert names(plugin.hosts(states, spec)) == nova_order(without_spots, spec) == ["b", "a", "c"]
    assert plugin.plans()[0]["hosts"][0]["victims"] == [next(iter(states[1].instances))]


def test_novas_weighers_with_saf_and_an_offer(set_option: SetOption) -> None:
    states = [
        make_state("a", instances=[make_instance(VM)]),
        full_of_spots("b"),
        make_state("c", instances=[make_instance(VM), make_instance(VM)]),
    ]
    set_option(vm_policy="nova", saf=True)
    assert names(Plugin(states).hosts(again(states), make_spec(VM))) == ["a", "c", "b"]
    set_option(vm_policy="nova", saf=False, otn=2)
    assert names(Plugin(states).hosts(again(states), make_spec(VM))) == ["a", "b", "c"]


def test_novas_weighers_keep_their_multipliers(set_option: SetOption) -> None:
    set_option(vm_policy="nova")
    set_option("filter_scheduler", ram_weight_multiplier=-5.0, cpu_weight_multiplier=-5.0)
    states = [make_state("a"), full_of_spots("b"), make_state("c", instances=[make_instance(VM)])]
    assert names(Plugin(states).hosts(states, make_spec(VM)))[0] == "c"


def test_novas_weighers_rank_spots_on_the_hosts_as_they_are(set_option: SetOption) -> None:
    set_option(spot_policy="nova")
    states = [
        make_state("a", instances=[make_instance(SPOT)]),
        full_of_spots("b"),
        make_state("c"),
    ]
    spec = make_spec(SPOT)
    assert names(Plugin(states).hosts(states, spec)) == ["c", "a"]


# Threads, the message bus, the options.


def test_threads_share_one_filter() -> None:
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

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert plugin.filter.failures == 0
    assert len(placed) == 160
    assert all(placed.count(state.host) == 4 for state in states)


def some_plan() -> Any:
    return make_plan(new_uuid(), "project", {}, ())


def test_a_message_bus_that_is_away_costs_the_request_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hangs = threading.Event()

    def make_sender() -> Any:
        return lambda message: hangs.wait(30)

    publisher = PlanPublisher(make_sender, most_waiting=2)
    for _ in range(6):
        publisher.publish(some_plan())
    # One is being sent, unless its thread has not come to it yet; two wait.
    assert publisher.dropped in (3, 4)
    assert "was dropped, because 2 plans wait for the message bus" in caplog.text
    hangs.set()
    assert publisher.wait_until_sent(10)


def test_a_plan_that_cannot_be_sent_is_logged_and_the_next_one_goes(
    caplog: pytest.LogCaptureFixture,
) -> None:
    sent: list[str] = []
    tries = [0]

    def make_sender() -> Any:
        tries[0] += 1
        if tries[0] == 1:
            raise ConnectionError("no RabbitMQ")
        return lambda message: sent.append(message["plan_id"])

    publisher = PlanPublisher(make_sender, most_waiting=10)
    plans = [some_plan(), some_plan()]
    for plan in plans:
        publisher.publish(plan)
    assert publisher.wait_until_sent(10)
    assert sent == [plans[1].plan_id]
    assert f"plan {plans[0].plan_id}" in caplog.text and "no RabbitMQ" in caplog.text


def test_a_plan_names_the_request_that_made_it() -> None:
    from oslo_context import context

    context.RequestContext(request_id="req-1", overwrite=True)
    try:
        assert some_plan().request_id == "req-1"
    finally:
        context._request_store.context = None
    assert some_plan().request_id == ""


def test_novas_own_options_are_checked(set_option: SetOption) -> None:
    set_option(
        "filter_scheduler",
        enabled_filters=["ComputeFilter", "CospotFilter"],
        weight_classes=["cospot.nova.scheduler.weigher.CospotWeigher"],
    )
    assert faults_of_nova_settings(CONF) == []
    set_option(
        "filter_scheduler",
        enabled_filters=["CospotFilter", "ComputeFilter"],
        weight_classes=["nova.scheduler.weights.all_weighers"],
        host_subset_size=9,
        track_instance_changes=False,
    )
    faults = " ".join(faults_of_nova_settings(CONF))
    for word in (
        "must end with",
        "weight_classes must be",
        "host_subset_size is 9",
        "track_instance_changes",
    ):
        assert word in faults


def test_nova_loads_the_plugin_by_its_names() -> None:
    from nova.scheduler import filters

    found = filters.HostFilterHandler().get_matching_classes(
        ["cospot.nova.scheduler.filter.CospotFilter"]
    )
    assert found == [CospotFilter]
    classes = weights.HostWeightHandler().get_matching_classes(
        ["cospot.nova.scheduler.weigher.CospotWeigher"]
    )
    assert [cls.__name__ for cls in classes] == ["CospotWeigher"]
    assert isinstance(CospotFilter()._decider, Decider)
