"""Whoever can write to the message bus can send plans. None of them does harm."""

import json
import time
import uuid

import oslo_messaging
import pytest
from cospot.nova.plan_message import DEFAULT_TOPIC, EVENT_TYPE, Plan, PlannedHost, plan_to_message
from oracle import Policy, state_of
from oslo_config import cfg
from states import fill_with_spots
from waiting import wait_until
from watch import audit_lines, intents

POLICY = Policy(vm_policy="UTIL")


@pytest.fixture(autouse=True)
def full_of_spots(cloud):
    fill_with_spots(cloud, POLICY)


@pytest.fixture(scope="module")
def send(cloud):
    """Sends what it is given as a plan."""
    conf = cfg.ConfigOpts()
    conf([], default_config_files=[], default_config_dirs=[])
    transport = oslo_messaging.get_notification_transport(conf, url=cloud.settings.message_url)
    notifier = oslo_messaging.Notifier(
        transport, publisher_id="forger", driver="messagingv2", topics=[DEFAULT_TOPIC], retry=3
    )
    yield lambda message, event=EVENT_TYPE: notifier.info({}, event, message)
    transport.cleanup()


def plan_for(instance, hosts, made_at=None):
    return plan_to_message(
        Plan(
            plan_id=str(uuid.uuid4()),
            made_at=time.time() if made_at is None else made_at,
            instance=instance,
            project_id="forged",
            request_id="",
            policy={},
            hosts=tuple(hosts),
        )
    )


def planned_host(cloud, name, victims, provider=None):
    provider = provider or cloud.providers()[name]
    return PlannedHost(host=name, node=name, provider=provider, victims=tuple(victims), score=0.0)


def plans_received(cloud):
    return sum(
        value
        for name, value in cloud.evictor_metrics().items()
        if name.startswith("cospot_evictor_plans_total")
    )


def wait_for_plans(cloud, count):
    """Wait until the evictor has taken or refused that many plans, and reconciled all hosts twice.

    Twice, so that what it might have done in consequence has been done.
    """
    wait_until(lambda: plans_received(cloud) >= count, f"{count} plans arrive")
    cloud.wait_until_evictor_has_reconciled()


@pytest.mark.keeps_instances
def test_plans_that_name_vms_or_spots_that_need_not_go(cloud, send):
    vms = [instance for instance in cloud.instances() if not instance.is_spot]
    spots = [instance for instance in cloud.instances() if instance.is_spot]
    here = cloud.providers()
    before = {instance.id for instance in cloud.instances()}
    cloud.start_evictor()
    running = vms[0].id  # has its claim in placement, as every plan's instance must
    forged = [
        plan_for(running, [planned_host(cloud, vms[0].host, [vms[0].id])]),
        plan_for(vms[1].id, [planned_host(cloud, vms[1].host, [vms[1].id, vms[0].id])]),
        plan_for(vms[2].id, [planned_host(cloud, vms[2].host, [s.id for s in spots])]),
        plan_for(spots[0].id, [planned_host(cloud, spots[0].host, [s.id for s in spots])]),
        plan_for(
            str(uuid.uuid4()), [planned_host(cloud, name, [s.id for s in spots]) for name in here]
        ),
        plan_for(
            str(uuid.uuid4()), [planned_host(cloud, "nowhere", [spots[0].id], str(uuid.uuid4()))]
        ),
        plan_for(str(uuid.uuid4()), []),
    ]
    for message in forged:
        send(message)
    wait_for_plans(cloud, len(forged))
    assert {instance.id for instance in cloud.instances()} == before
    assert intents(cloud) == []


MALFORMED = [
    {},
    [],
    "plan",
    None,
    17,
    {"version": 2},
    {"version": 1, "hosts": "all of them"},
    {"version": 1, "plan_id": "x" * 10000},
    json.loads('{"a":' * 50 + "1" + "}" * 50),
]


@pytest.mark.keeps_instances
def test_messages_that_are_no_plans(cloud, send):
    spots = cloud.spots()
    vm = next(instance for instance in cloud.instances() if not instance.is_spot)
    whole = plan_for(vm.id, [planned_host(cloud, vm.host, sorted(spots))])
    messages = list(MALFORMED)
    messages += [{key: value for key, value in whole.items() if key != left} for left in whole]
    messages += [{**whole, key: wrong} for key in whole for wrong in (None, [], {"x": 1}, -1)]
    messages += [{**whole, "made_at": 1e400}, {**whole, "made_at": "now"}]
    before = {instance.id for instance in cloud.instances()}
    cloud.start_evictor()
    for message in messages:
        send(message)
    send(whole, "something.else")
    wait_for_plans(cloud, len(messages) + 1)
    assert {instance.id for instance in cloud.instances()} == before
    log = (cloud.processes.logs / "cospot-evictor-1.log").read_text()
    assert "malformed" in log
    assert "Traceback" not in log
    # It still works.
    expected = state_of(cloud).place_vm(POLICY, 4, 4096)
    cloud.boot("vm", 4, 4096)
    cloud.wait_until_gone(expected.victims)


@pytest.mark.keeps_instances
def test_a_forged_plan_for_a_vm_to_come(cloud, send):
    """A forger who knows a VM that needs capacity may choose among the spots there, and no more.

    The VM is on h5 and needs 4 vCPUs and 4096 MiB, which one spot of that size frees. A plan names
    all spots of all hosts and two VMs. The real plan is there too.
    """
    cloud.boot("vm", 4, 4096, host="h5")
    vm = next(i for i in cloud.instances() if not i.is_spot and i.host == "h5" and i.vcpus == 4)
    everything = [instance.id for instance in cloud.instances()]
    before = cloud.spots()
    send(plan_for(vm.id, [planned_host(cloud, name, everything) for name in cloud.providers()]))
    cloud.start_evictor()
    cloud.wait_until_not_overcommitted()
    wait_for_plans(cloud, 1)
    gone = before - cloud.spots()
    # Every evicted one freed something that was short; 4096 MiB of h5 are at most two spots.
    assert 1 <= len(gone) <= 2
    on_h5 = {line["instance"] for line in audit_lines(cloud) if line.get("host") == "h5"}
    assert gone <= on_h5


@pytest.mark.keeps_instances
def test_a_replayed_plan(cloud, send):
    """A plan that was carried out once does nothing when it comes again, also to a new evictor."""
    expected = state_of(cloud).place_vm(POLICY, 4, 4096)
    vm = cloud.boot("vm", 4, 4096)
    cloud.start_evictor()
    cloud.wait_until_gone(expected.victims)
    cloud.wait_until_not_overcommitted()
    left = cloud.spots()
    remaining = sorted(i.id for i in cloud.instances() if i.is_spot and i.host == expected.host)
    again = plan_for(vm, [planned_host(cloud, expected.host, [*expected.victims, *remaining])])
    for _ in range(3):
        send(again)
    wait_for_plans(cloud, 4)
    cloud.stop_evictors()
    cloud.start_evictor()
    send(again)
    send(plan_for(vm, [planned_host(cloud, expected.host, remaining)], made_at=time.time() - 1e6))
    wait_for_plans(cloud, 2)
    assert cloud.spots() == left
