"""Claims of planned VMs: seen although placement hangs for others, within bounds."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from cospot.nova import plan_message as messages
from cospot.nova.evictor import plans
from cospot.nova.evictor.plans import ClaimWatch
from cospot.nova.state.errors import CloudError
from cospot.nova.state.stores import KnownPlan
from evictor_running import bare_context, metric, plan_message, send
from waiting import PATIENCE_S, wait_until

PROVIDER = str(uuid.UUID(int=1))


class Allocations:
    """Placement, as far as a watch asks it; hangs for some instances until it is let go."""

    def __init__(self) -> None:
        self.held: dict[str, dict[str, Any]] = {}
        self.hanging: set[str] = set()
        self.go_on = threading.Event()
        self.asked: list[str] = []
        self.patience: set[float] = set()

    def allocation(self, consumer: str, patience: float) -> dict[str, Any]:
        self.asked.append(consumer)
        self.patience.add(patience)
        if consumer in self.hanging:
            self.go_on.wait(PATIENCE_S)
            raise CloudError("placement GET /allocations: no answer")
        return self.held.get(consumer, {})


class Watched:
    """A watch over such a placement."""

    def __init__(self, timeout: float = 60.0, most: int = 100) -> None:
        self.placement: Any = Allocations()
        settings = SimpleNamespace(claim_timeout=timeout, max_plans=most)
        context = bare_context(placement=self.placement, settings=settings)
        self.metrics = context.metrics
        self.found: list[str] = []
        self.watch = ClaimWatch(context, self.found.append, lambda provider: None)

    def add(self) -> str:
        """Watch one more instance; return its UUID."""
        vm = str(uuid.uuid4())
        self.watch.watch(KnownPlan(messages.plan_from_message(plan_message(vm, {PROVIDER: []}))))
        return vm

    def errors(self) -> float:
        found = self.metrics.registry.get_sample_value(
            "cospot_evictor_errors_total", {"where": "claim-watch"}
        )
        return found or 0.0


@pytest.fixture
def make_watch():
    made: list[Watched] = []

    def make(**options: Any) -> Watched:
        made.append(Watched(**options))
        return made[-1]

    yield make
    for each in made:
        each.placement.go_on.set()
        each.watch.stop()


MakeWatch = Callable[..., Watched]


def test_questions_that_hang_hold_up_no_other_claim(make_watch):
    watched = make_watch()
    for _ in range(plans._THREADS - 1):
        watched.placement.hanging.add(watched.add())
    watched.watch.start()
    wait_until(lambda: set(watched.placement.asked) == watched.placement.hanging, "they hang")
    vm = watched.add()
    watched.placement.held[vm] = {PROVIDER: {"VCPU": 1}}
    wait_until(lambda: watched.found == [PROVIDER], "its claim is seen")
    assert not watched.placement.go_on.is_set()


def test_a_question_is_asked_once_and_shortly(make_watch):
    watched = make_watch()
    watched.add()
    watched.watch.start()
    wait_until(lambda: len(watched.placement.asked) > 2, "questions")
    assert watched.placement.patience == {plans._PATIENCE_S}
    assert plans._PATIENCE_S <= 5


def test_a_claim_is_seen_after_a_question_that_failed(make_watch):
    watched = make_watch()
    vm = watched.add()
    watched.placement.hanging.add(vm)
    watched.placement.go_on.set()  # it fails at once
    watched.watch.start()
    wait_until(lambda: watched.errors() >= 1, "an error")
    watched.placement.held[vm] = {PROVIDER: {"VCPU": 1}}
    watched.placement.hanging.clear()
    wait_until(lambda: PROVIDER in watched.found, "its claim is seen")


def test_an_outage_of_placement_is_one_line_for_each_claim(make_watch, caplog):
    watched = make_watch()
    watched.placement.hanging.add(watched.add())
    watched.placement.go_on.set()  # each question fails at once
    watched.watch.start()
    wait_until(lambda: watched.errors() >= 3, "errors")
    assert len([each for each in caplog.messages if "cannot see the claim" in each]) == 1


def test_an_instance_without_a_claim_is_given_up_at_its_deadline(make_watch):
    watched = make_watch(timeout=0.2)
    watched.add()
    watched.watch.start()
    wait_until(lambda: watched.watch._heap == [] and watched.watch._asking == 0, "it is given up")
    assert watched.placement.asked
    assert watched.found == []


def test_there_are_no_more_watches_than_there_may_be(make_watch):
    watched = make_watch(most=3)
    for _ in range(5):
        watched.add()
    assert len(watched.watch._heap) == 3
    assert watched.errors() == 2


def test_placement_hanging_for_one_instance_holds_up_no_plan(running):
    """Through HTTP: the answer about one VM never comes, the other's claim is found by its plan."""
    host, (spot,) = running.full_host(1)
    unlucky, vm = str(uuid.uuid4()), str(uuid.uuid4())
    go_on = threading.Event()

    def before(method: str, path: str) -> int | None:
        if path.endswith(f"/allocations/{unlucky}"):
            go_on.wait(PATIENCE_S)
        return None

    running.cloud.before = before
    try:
        service = running.start(reconcile_interval=600)
        send(service, plan_message(unlucky, {host: [spot]}))
        question = f"GET /placement/allocations/{unlucky}"
        wait_until(lambda: question in running.cloud.requests, "it hangs")
        # Only its plan can find the second VM's claim: the next reconcile is far away.
        wait_until(lambda: metric(service, "reconcile_seconds_count") >= 1, "the first reconcile")
        send(service, plan_message(vm, {host: [spot]}))
        running.cloud.add(host, 8, 1024, spot=False, uuid=vm)
        wait_until(lambda: bool(running.events("freed")), "the spot is freed")
        (freed,) = running.events("freed")
        assert (freed["cause"], freed["for_instance"]) == ("plan", vm)
        # The first question has no answer within 3 s; it is asked again and again meanwhile.
        wait_until(lambda: metric(service, "errors_total", where="claim-watch") >= 1, "its end")
        wait_until(lambda: running.cloud.requests.count(question) >= 2, "it is asked again")
    finally:
        go_on.set()


@pytest.mark.parametrize("is_below", [True, False])
def test_a_claim_of_a_device_is_no_host_to_free(running, is_below):
    """A VM may hold a device of a provider below its host's, or disk of one that hosts share.

    Neither has what the service watches, and asking again would not change that.
    """
    host, (spot,) = running.full_host(1)
    other = running.cloud.add_host("other")
    device = running.cloud.hosts[other]
    device.is_compute, device.root = False, host if is_below else None
    running.cloud.change(other, missing=tuple(device.real.body()))
    service = running.start()
    running.reconciles(1)
    vm = str(uuid.uuid4())
    send(service, plan_message(vm, {host: [spot]}))
    running.cloud.add(host, 4, 1024, spot=False, uuid=vm, also_on=other)
    wait_until(lambda: bool(running.events("freed")), "the spot is freed")
    wait_until(lambda: not service._queue.is_waiting(other), "it waits no more")
    running.reconciles(3)
    assert not service._queue.is_waiting(other) and running.cloud.deleted == [spot]
    assert metric(service, "errors_total", where="pass") == 0


def test_a_claim_on_a_host_that_is_new_waits_for_no_reconcile(running):
    """The plan names no spot there, so nothing else leads to that host before the reconcile."""
    running.cloud.add_host("a")
    service = running.start(reconcile_interval=600)
    wait_until(lambda: metric(service, "reconcile_seconds_count") >= 1, "the first reconcile")
    host, (spot,) = running.full_host(1, "new")
    vm = str(uuid.uuid4())
    send(service, plan_message(vm, {host: []}))
    running.cloud.add(host, 4, 1024, spot=False, uuid=vm)
    wait_until(lambda: running.cloud.deleted == [spot], "the eviction")


def test_what_a_new_provider_is_is_asked_once(running):
    host = running.cloud.add_host("a")
    service = running.start(reconcile_interval=600)
    wait_until(lambda: metric(service, "reconcile_seconds_count") >= 1, "the first reconcile")
    device = running.cloud.add_host("device")
    running.cloud.hosts[device].root = host
    question = f"GET /placement/resource_providers/{device}"
    running.cloud.refuse(question)
    assert not service._hosts.may_be_host(device)  # the reconcile of all hosts sees what it is
    running.cloud.accept()
    asked = running.cloud.requests.count(question)
    for _ in range(3):
        assert not service._hosts.may_be_host(device)
    assert running.cloud.requests.count(question) == asked + 1


def test_a_host_that_is_removed_is_not_asked_for_ever(running):
    host, _ = running.full_host(1)
    running.cloud.add_host("b")
    running.cloud.refuse("/servers/detail", 503)
    service = running.start()
    running.reconciles(1)
    running.cloud.add(host, 4, 1024, spot=False)
    wait_until(lambda: metric(service, "errors_total", where="pass") > 0, "it waits")
    running.cloud.remove_host(host)
    running.reconciles(1)
    wait_until(lambda: not service._queue.is_waiting(host), "it waits no more")
    running.reconciles(3)
    assert not service._queue.is_waiting(host)
