"""Spots that raced each other, capacities that shrink: what is evicted, when, and its record."""

from __future__ import annotations

import time
from typing import Any

import pytest
from cospot.nova.state.safeguards import Refusal
from evictor_running import Running, limits_of, metric
from waiting import wait_until

NEVER_S = 3600.0  # longer than any test


def service_that_knows_hosts(running: Running, **settings: Any) -> Any:
    """Return a service that has seen all hosts and is not started: the test does the iterations."""
    return running.unstarted(**{"overcommit_grace": NEVER_S, **settings})


@pytest.mark.parametrize("evictor", ["FIFO", "YJF"])
def test_spots_that_race_evict_no_older_ones(running, evictor):
    # Two of 4 fill the 8 vCPUs; four more of 4 come at once: they are 16 too many.
    host, old = running.full_host(2)
    service = service_that_knows_hosts(running, evictor=evictor)
    new = [running.cloud.add(host, 4, 1024, spot=True) for _ in range(4)]
    service._reconciler.free_host(host, "reconcile")
    assert running.cloud.deleted == new[::-1]
    assert set(old) <= running.cloud.there
    for intent in running.events("intent"):
        assert (intent["why"], intent["chosen_by"]) == ("spot-race", "newest")
        assert intent["instance"] in intent["claims"]
    assert metric(service, "evictions_by_reason_total", why="spot-race") == 4


def test_a_spot_that_is_not_on_its_host_yet_is_waited_for(running):
    host, old = running.full_host(2)
    service = service_that_knows_hosts(running)
    new = running.cloud.add(host, 4, 1024, spot=True, host=None)
    service._reconciler.free_host(host, "reconcile")
    assert running.cloud.deleted == []
    running.cloud.set(new, host=running.cloud.hosts[host])
    service._reconciler.free_host(host, "reconcile")
    assert running.cloud.deleted == [new] and len(old) == 2


def test_an_answer_that_waited_does_not_replace_what_was_asked_later(running):
    # 8 vCPUs: b of 4 is there before a of 8 moves here, which was created long before b.
    host = running.cloud.add_host("a")
    service = service_that_knows_hosts(running)
    late = service.context.observer.look(host)
    b = running.cloud.add(host, 4, 1024, spot=True)
    service._hosts.refresh()
    resources = service.context.settings.resources
    service._history.observe(late.usage, resources, late.asked_at)
    assert set(service._history.reference(host).consumers) == {b}
    a = running.cloud.add(host, 8, 1024, spot=True, created=time.time() - NEVER_S)
    service._reconciler.free_host(host, "reconcile")
    assert running.cloud.deleted == [a]


def test_a_vm_that_was_evacuated_and_is_deleted_elsewhere_counts_as_gone(running):
    # 12 of 8 vCPUs are used, 8 when it is gone: it holds 4 here until its new host has deleted it.
    host = running.cloud.add_host("a")
    spot = running.cloud.add(host, 4, 1024, spot=True)
    vm = running.cloud.add(host, 4, 1024, spot=False)
    service = service_that_knows_hosts(running)
    other = running.cloud.hosts[running.cloud.add_host("b")]
    running.cloud.set(vm, host=other, task_state="deleting")
    running.cloud.add(host, 4, 1024, spot=False)
    assert not service._reconciler.free_host(host, "reconcile").is_over
    running.cloud.set(vm, task_state=None)
    assert service._reconciler.free_host(host, "reconcile").evicted == [spot]


def test_a_spot_of_a_race_that_its_compute_did_not_delete_is_ordered_again(running):
    # Nothing else may go for it, so the host would stay overcommitted.
    host, old = running.full_host(2)
    service = service_that_knows_hosts(running, deletion_timeout=1)
    new = running.cloud.add(host, 4, 1024, spot=True)
    running.cloud.never_goes.add(new)
    service._reconciler.free_host(host, "reconcile")
    running.cloud.never_goes.clear()
    running.cloud.fail(new)

    def is_ordered_again() -> bool:
        service._reconciler.free_host(host, "reconcile")
        return running.cloud.orders == [new, new]

    wait_until(is_ordered_again, "it is ordered again after its pause")
    assert running.cloud.deleted == [new, new]
    assert set(old) <= running.cloud.there


@pytest.mark.parametrize("task", ["deleting", "shelving_offloading"])
def test_a_vm_that_is_leaving_costs_no_spot(running, task):
    # 8 vCPUs: a spot of 4 and a VM of 4, which is on its way out as the next VM of 4 comes.
    running.cloud.stuck_after = 1
    host = running.cloud.add_host("a")
    spot = running.cloud.add(host, 4, 1024, spot=True)
    leaving = running.cloud.add(host, 4, 1024, spot=False)
    service = service_that_knows_hosts(running, deletion_timeout=1)
    running.cloud.instances[leaving].task_state = task
    running.cloud.add(host, 4, 1024, spot=False)
    service._reconciler.free_host(host, "reconcile")
    assert running.cloud.orders == []

    def is_evicted() -> bool:
        service._reconciler.free_host(host, "reconcile")
        return running.cloud.deleted == [spot]

    wait_until(is_evicted, "the VM does not go within deletion_timeout, so the spot does")


def test_a_vm_gets_its_room_from_the_policy_and_the_race_goes_on(running):
    # 8 vCPUs in use of 8. A spot of 2 does not fit; a VM of 2 is owed 2: FIFO takes the oldest
    # spot, of 4, and with it gone the new spot fits.
    host, old = running.full_host(2)
    service = service_that_knows_hosts(running)
    running.cloud.add(host, 2, 1024, spot=True)
    vm = running.cloud.add(host, 2, 1024, spot=False)
    service._reconciler.free_host(host, "reconcile")
    assert running.cloud.deleted == old[:1]
    [intent] = running.events("intent")
    assert (intent["why"], intent["claims"], intent["chosen_by"]) == ("vm-claim", [vm], "FIFO")


def test_a_ratio_that_is_wrong_for_a_while_evicts_nothing(running):
    host, old = running.full_host(2)
    service = running.start(overcommit_grace=NEVER_S)
    running.reconciles()
    running.cloud.change(host, ratio=0.5)
    wait_until(lambda: bool(running.events("unexplained")), "the record")
    with running.cloud.lock:
        running.cloud.requests.clear()
    running.reconciles()
    # A wrong ratio is often everywhere, and Nova has other things to do then.
    with running.cloud.lock:
        assert not [each for each in running.cloud.requests if "/nova/servers" in each]
    assert metric(service, "unexplained_hosts") == 1
    [record] = running.events("unexplained")
    assert record["capacity"]["VCPU"] == 4 and record["capacity_before"]["VCPU"] == 8
    assert record["shortfall"] == {"VCPU": 4}
    running.cloud.change(host)
    wait_until(lambda: metric(service, "unexplained_hosts") == 0, "the host is within it again")
    assert running.cloud.deleted == [] and len(old) == 2


def test_a_vm_that_comes_meanwhile_gets_its_room_and_no_more(running):
    # 8 vCPUs become 6: two spots of 2 and four of 1 use 8. A VM of 1 comes: 1 is owed to it.
    host = running.cloud.add_host("a")
    old = [running.cloud.add(host, vcpus, 512, spot=True) for vcpus in (2, 2, 1, 1, 1, 1)]
    service = service_that_knows_hosts(running)
    running.cloud.change(host, ratio=0.75)
    service._reconciler.free_host(host, "reconcile")
    assert running.cloud.deleted == []
    running.cloud.add(host, 1, 512, spot=False)
    for _ in range(3):
        service._reconciler.free_host(host, "reconcile")
    assert running.cloud.deleted == old[:1]  # the oldest, of 2, and no other


def test_what_lasts_takes_the_newest(running):
    host, old = running.full_host(2)
    service = service_that_knows_hosts(running, overcommit_grace=0.5)
    running.cloud.change(host, ratio=0.5)
    service._reconciler.free_host(host, "reconcile")
    assert running.cloud.deleted == []

    def is_evicted() -> bool:
        service._reconciler.free_host(host, "reconcile")
        return bool(running.cloud.deleted)

    wait_until(is_evicted, "it lasts longer than overcommit_grace")
    assert running.cloud.deleted == old[1:]
    [intent] = running.events("intent")
    assert (intent["why"], intent["chosen_by"]) == ("capacity-shrank", "newest")


@pytest.mark.parametrize("off", [0.0, -2 * NEVER_S, 2 * NEVER_S])
def test_a_service_that_starts_judges_by_age(running, off):
    """It has not seen what came first: a VM of a moment ago gets its capacity, an old one waits.

    By Nova's clock, whatever the service's own clock says.
    """
    running.cloud.skew = off
    old_host, new_host = running.cloud.add_host("a"), running.cloud.add_host("b")
    spots = [running.cloud.add(host, 8, 1024, spot=True) for host in (old_host, new_host)]
    running.cloud.add(old_host, 2, 1024, spot=False)
    running.cloud.add(new_host, 2, 1024, spot=False, created=time.time())
    service = running.start(overcommit_grace=NEVER_S)
    wait_until(lambda: bool(running.events("freed")), "the new VM has its capacity")
    running.reconciles()
    assert running.cloud.deleted == spots[1:]
    assert metric(service, "unexplained_hosts") == 1


def test_vms_alone_beyond_one_resource_still_get_the_other(running, caplog):
    # vCPUs: VMs alone use 9 of 8, which no eviction can fix. Memory: 9216 of 8192 MiB with
    # the new VM; one spot frees 1024, and it need not be the one without memory.
    host = running.cloud.add_host("a")
    running.cloud.add(host, 5, 5120, spot=False)
    spots = [running.cloud.add(host, 1, memory_mb, spot=True) for memory_mb in (0, 1024, 1024)]
    service = service_that_knows_hosts(running)
    running.cloud.add(host, 4, 2048, spot=False)
    for _ in range(3):
        service._reconciler.free_host(host, "reconcile")
    assert running.cloud.deleted == spots[1:2]
    assert metric(service, "errors_total", where="insufficient") > 0
    lines = [each for each in caplog.records if "VMs alone use more VCPU" in each.getMessage()]
    assert len(lines) == 1


def test_what_is_not_ordered_counts_for_no_limit(clock):
    limits = limits_of(
        clock,
        evictions_per_minute=3,
        evictions_per_minute_per_project=2,
        evictions_per_host=2,
        reconcile_interval=5.0,
    )
    for _ in range(4):  # each time one of three, of two and of two
        assert limits.take("p", "a") is None
        limits.give_back("p", "a")
    assert [limits.take("p", "a") for _ in range(2)] == [None, None]
    assert limits.take("p", "a") == (Refusal.HOST_LIMIT, 5.0)
    assert limits.take("p", "b") == (Refusal.PROJECT_LIMIT, 30.0)
    assert limits.take("q", "b") is None
    assert limits.take("q", "b") == (Refusal.LIMIT, 20.0)


def test_limits_of_a_host_and_of_what_no_vm_claims(clock):
    limits = limits_of(clock, evictions_per_minute=4, evictions_per_host=2, reconcile_interval=5.0)
    # Two on one host within 5 s, and of 4 a minute only two for no VM.
    assert [limits.take("p", "a", for_vm=False) for _ in range(2)] == [None, None]
    assert limits.take("p", "a") == (Refusal.HOST_LIMIT, 5.0)
    # 2 of 4 are left; 3 would have to be there, and one comes back in 15 s.
    assert limits.take("p", "b", for_vm=False) == (Refusal.LIMIT, 15.0)
    assert [limits.take("p", "b") for _ in range(2)] == [None, None]
    assert limits.take("p", "c") == (Refusal.LIMIT, 15.0)
    clock.now = 15.0
    assert limits.take("p", "a") is None


def test_the_defaults_hold_something_back():
    """Nobody who has set nothing loses all spots at once."""
    from cospot.nova.evictor import options

    defaults = {option.name: option.default for option in options.OPTIONS}
    assert defaults["evict_if_insufficient"] is False
    assert 60 <= defaults["overcommit_grace"] <= 3600
    assert defaults["evictions_per_host"] > 0 and defaults["evictions_per_minute"] > 0
