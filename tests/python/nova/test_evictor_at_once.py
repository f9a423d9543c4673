"""What the evictor asks and orders at once, and what it must not: tests of its latency's limits."""

from __future__ import annotations

import errno
import threading
import time
import uuid
from typing import Any

import pytest
from cospot.nova.evictor.plans import pause_after
from cospot.nova.state.pending import PendingDeletions
from evictor_running import Running, metric, plan_message, send
from waiting import PATIENCE_S, wait_until


def start(running: Running, **settings: Any) -> Any:
    """Start a service and wait until it has seen the hosts, which are within their capacity."""
    service = running.start(**{"reconcile_interval": 30, "orders_at_once": 16, **settings})
    wait_until(lambda: len(service._hosts.usages()) == len(running.cloud.hosts), "hosts are known")
    return service


def claim(running: Running, service: Any, host: str, victims: list[str], vcpus: int) -> str:
    """Send a plan, and claim the host for its VM."""
    vm = str(uuid.uuid4())
    send(service, plan_message(vm, {host: victims}))
    running.cloud.add(host, vcpus, 1024, spot=False, uuid=vm)
    return vm


def orders_of(running: Running) -> list[str]:
    return [each for each in running.cloud.requests if each.startswith("POST")]


def test_a_claim_is_asked_for_often_at_first():
    assert pause_after(0.0, 0) == 0.02
    assert pause_after(0.1, 1) == 0.02
    assert pause_after(1.0, 1) == pytest.approx(0.1)
    assert pause_after(60.0, 1) == 0.5
    assert pause_after(0.0, 50) == pytest.approx(0.1)  # 500 questions a second at most
    assert pause_after(0.0, 9999) == 0.5


def test_the_evidence_for_a_claim_is_asked_for_at_once(running):
    host, spots = running.full_host(2)
    at_once = {
        f"/placement/resource_providers/{host}/inventories",
        f"/placement/allocations/{spots[0]}",
        "/nova/servers/detail",
    }
    barrier, is_claimed = threading.Barrier(len(at_once)), threading.Event()

    def before(method: str, path: str) -> None:
        # Only the first of each: a barrier that was passed would wait for others again.
        short = path.partition("?")[0]
        if is_claimed.is_set() and short in at_once:
            at_once.discard(short)
            barrier.wait(PATIENCE_S)

    service = start(running)
    running.cloud.before = before
    is_claimed.set()
    claim(running, service, host, [spots[0]], 4)
    wait_until(lambda: running.cloud.deleted == [spots[0]], "the spot is evicted")
    assert not barrier.broken and at_once == set()
    # What was answered a moment ago is not asked for again.
    assert f"GET /nova/servers/{spots[0]}" not in running.cloud.requests


def test_the_evidence_is_asked_for_before_the_claim_that_is_expected(running):
    # Nova is asked once, before the VM has its claim; afterwards only placement, who holds what.
    host, spots = running.full_host(2)
    service = start(running)
    vm = str(uuid.uuid4())
    listing, asked = "GET /nova/servers/detail", running.cloud.requests
    send(service, plan_message(vm, {host: [spots[0]]}))
    wait_until(lambda: any(each.startswith(listing) for each in asked), "Nova is asked")
    running.cloud.add(host, 4, 1024, spot=False, uuid=vm)
    wait_until(lambda: bool(running.events("freed")), "the spot is freed")
    assert running.cloud.deleted == [spots[0]]
    [freed] = running.events("freed")
    assert (freed["cause"], freed["for_instance"]) == ("plan", vm)
    assert freed["seconds_since_claim"] is not None
    before = asked[: asked.index(f"POST /nova/servers/{spots[0]}/action")]
    assert sum(each.startswith(listing) for each in before) == 1


def test_a_claim_that_is_expected_and_comes_elsewhere_is_found_there(running):
    hosts = [running.cloud.add_host(name) for name in ("a", "b")]
    spots = [running.cloud.add(host, 8, 1024, spot=True) for host in hosts]
    service = start(running)
    vm = str(uuid.uuid4())
    send(service, plan_message(vm, dict(zip(hosts, ([each] for each in spots), strict=True))))
    running.cloud.add(hosts[1], 4, 1024, spot=False, uuid=vm)
    wait_until(lambda: bool(running.events("freed")), "the spot is freed")
    assert running.cloud.deleted == [spots[1]]
    [freed] = running.events("freed")
    assert (freed["cause"], freed["chosen_by"]) == ("plan", "plan")


def test_slow_evidence_is_asked_for_again(running):
    # While Nova takes its time, the planned spot becomes a VM: what placement said is too old.
    host, spots = running.full_host(2)
    is_resized = threading.Event()

    def after(method: str, path: str) -> None:
        if path.startswith("/nova/servers/detail") and not is_resized.is_set():
            time.sleep(0.7)
            with running.cloud.lock:
                amounts = {"VCPU": 4, "MEMORY_MB": 1024}
                running.cloud.set(spots[0], amounts=amounts, extra_specs={})
                running.cloud.hosts[host].consumers[spots[0]] = amounts
            is_resized.set()

    service = start(running)
    running.cloud.after = after
    claim(running, service, host, [spots[0]], 4)
    wait_until(lambda: bool(running.cloud.deleted), "a spot is evicted")
    assert running.cloud.deleted == [spots[1]] and running.cloud.violations == []
    [refused] = running.events("refused")
    assert refused["instance"] == spots[0] and refused["reason"] == "not-a-spot-allocation"


def test_a_vm_that_leaves_while_nova_takes_its_time_costs_no_spot(running):
    host, spots = running.full_host(2)
    has_left = threading.Event()

    def after(method: str, path: str) -> None:
        if path == f"/nova/servers/{spots[0]}" and not has_left.is_set():
            time.sleep(0.7)  # what placement said before is too old
            running.cloud.remove(vm)
            has_left.set()

    start(running, reconcile_interval=0.2)
    running.cloud.after = after
    vm = running.cloud.add(host, 4, 1024, spot=False)
    wait_until(has_left.is_set, "the VM has left")
    wait_until(lambda: bool(running.events("refused")), "the eviction is refused")
    assert running.cloud.deleted == [] and running.cloud.violations == []
    assert {each["reason"] for each in running.events("refused")} == {"not-needed"}


def test_what_one_vm_needs_is_ordered_at_once(running):
    host, spots = running.full_host(4)
    barrier = threading.Barrier(4)

    def before(method: str, path: str) -> None:
        if method == "POST" and not barrier.broken:
            barrier.wait(PATIENCE_S)

    running.cloud.before = before
    service = start(running)
    claim(running, service, host, spots[:2], 8)  # the policy names the others
    wait_until(lambda: len(running.events("freed")) == 4, "all spots are freed")
    assert not barrier.broken and set(running.cloud.deleted) == set(spots)
    intents = running.events("intent")
    assert [each["instance"] for each in intents] == spots
    assert [each["chosen_by"] for each in intents] == ["plan", "plan", "FIFO", "FIFO"]
    assert [each["shortfall"]["VCPU"] for each in intents] == [8, 6, 4, 2]


def test_what_is_needed_less_by_now_is_ordered_one_by_one(running):
    # 8 vCPUs: spots of 1, 3, 2, 2 and a VM of 4 are 4 too many, so the first two go. The third has
    # gone when slow evidence is asked for again: the second frees the 2 that are missing alone.
    host = running.cloud.add_host("a")
    spots = [running.cloud.add(host, vcpus, 1024, spot=True) for vcpus in (1, 3, 2, 2)]
    has_gone = threading.Event()

    def after(method: str, path: str) -> None:
        if path.startswith("/nova/servers/detail") and not has_gone.is_set():
            has_gone.set()
            time.sleep(0.7)
            running.cloud.remove(spots[2])

    service = start(running)
    running.cloud.after = after
    claim(running, service, host, spots[:2], 4)
    wait_until(lambda: len(running.events("freed")) == 2, "the spots are freed")
    asked = running.cloud.requests
    [first, second] = [
        asked.index(f"POST /nova/servers/{spot}/action") for spot in running.cloud.deleted
    ]
    assert running.cloud.deleted == spots[:2]
    assert f"GET /placement/resource_providers/{host}/allocations" in asked[first:second]


def test_nova_is_given_no_more_orders_at_once_than_it_may(running):
    hosts = [running.full_host(4, name)[0] for name in "ab"]
    three, under_way = threading.Condition(), [0, 0]  # now, and at most

    def before(method: str, path: str) -> None:
        if method == "POST":
            with three:
                under_way[0] += 1
                under_way[1] = max(under_way)
                three.notify_all()
                three.wait_for(lambda: under_way[1] >= 3, PATIENCE_S)
            time.sleep(0.05)  # a fourth would come meanwhile
            with three:
                under_way[0] -= 1

    running.cloud.before = before
    service = start(running, orders_at_once=3)
    for host in hosts:
        claim(running, service, host, [], 8)
    wait_until(lambda: len(running.events("freed")) == 8, "all spots are freed")
    assert under_way[1] == 3


#: So long an order waits for its turn that it is checked again.
LONG_S = 3.0


def first_order_waits(running: Running) -> tuple[threading.Event, threading.Event]:
    """Have Nova hold the first order; return what is set when it came, and what lets it go on."""
    came, go_on = threading.Event(), threading.Event()

    def before(method: str, path: str) -> None:
        if method == "POST" and not came.is_set():
            came.set()
            go_on.wait(PATIENCE_S)

    running.cloud.before = before
    return came, go_on


def test_orders_that_wait_for_their_turn_stop_with_the_switch(running):
    host, spots = running.full_host(8)
    stop = running.folder / "stop"
    service = start(running, orders_at_once=1, disable_file=stop)
    came, go_on = first_order_waits(running)
    claim(running, service, host, spots, 8)
    assert came.wait(PATIENCE_S)
    stop.touch()
    go_on.set()
    wait_until(lambda: len(running.events("failed")) == 7, "seven are not ordered")
    assert {each["order"] for each in running.events("failed")} == {"none"}
    assert len(running.cloud.orders) == 1
    stop.unlink()
    wait_until(lambda: len(running.events("freed")) == 8, "all spots are freed")


def test_an_order_that_was_kept_back_is_no_error_of_its_host(running):
    """After errors pauses grow, up to a minute, and a busy Nova may keep an order back often."""
    host, spots = running.full_host(2)
    service = start(running, orders_at_once=1)
    came, go_on = first_order_waits(running)
    claim(running, service, host, spots, 8)
    assert came.wait(PATIENCE_S)
    time.sleep(LONG_S)
    go_on.set()
    wait_until(lambda: len(running.events("freed")) == 2, "both spots are freed")
    assert [each["order"] for each in running.events("failed")] == ["none"]
    assert metric(service, "errors_total", where="pass") == 0


def test_a_refusal_keeps_no_other_order_from_being_followed(running):
    host, spots = running.full_host(4)
    running.cloud.refuse(f"/nova/servers/{spots[1]}/action", 409, times=1)
    service = start(running)
    claim(running, service, host, spots, 8)
    wait_until(lambda: len(running.events("freed")) == 4, "all spots are freed")
    [failed] = running.events("failed")
    assert failed["instance"] == spots[1]
    assert len(orders_of(running)) == 5 and len(running.cloud.orders) == 4


def test_what_may_turn_out_needless_is_not_ordered_at_once(running):
    # Of 7 vCPUs and 8192 MiB three are short, and 1024 MiB. The oldest spot frees 1 and 3072, the
    # next one 3 and 1024: had the next one gone first, the oldest could have stayed.
    host = running.cloud.add_host("a", vcpus=7)
    first = running.cloud.add(host, 1, 3072, spot=True)
    spots = [first, *(running.cloud.add(host, 3, 1024, spot=True) for _ in range(2))]
    service = start(running)
    vm = str(uuid.uuid4())
    send(service, plan_message(vm, {host: spots[:2]}))
    running.cloud.add(host, 3, 4096, spot=False, uuid=vm)
    wait_until(lambda: len(running.events("freed")) == 2, "two spots are freed")
    assert running.cloud.deleted == spots[:2] and running.cloud.violations == []
    requests = running.cloud.requests
    first_order, second = (
        requests.index(f"POST /nova/servers/{spot}/action") for spot in spots[:2]
    )
    asked = f"GET /placement/resource_providers/{host}/allocations"
    assert (
        asked in requests[first_order:second]
    )  # by the evictor; its watch asks too, and harms nothing


def test_no_more_goes_at_once_than_a_host_may_lose(running):
    host, _ = running.full_host(4)
    service = start(running, reconcile_interval=60, evictions_per_host=3)
    claim(running, service, host, [], 8)
    wait_until(lambda: bool(running.events("held_back")), "the limit is reached")
    assert len(running.events("intent")) == 3
    [held_back] = running.events("held_back")
    assert held_back["reason"] == "host-limit"
    assert metric(service, "limit_hits_total", limit="host-limit") == 1
    wait_until(lambda: len(running.events("freed")) == 3, "three spots are freed")


def test_a_disk_that_is_full_after_the_orders_leaves_them_followed(running, monkeypatch):
    """Two are stored and ordered at once; the first answer cannot be taken off the disk."""
    host, spots = running.full_host(4)
    service = start(running)
    write = PendingDeletions._write

    def fails_once_ordered(self: PendingDeletions, provider: str, left: list[str]) -> None:
        if len(running.cloud.orders) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(self, provider, left)

    monkeypatch.setattr(PendingDeletions, "_write", fails_once_ordered)
    claim(running, service, host, spots[:2], 4)
    wait_until(lambda: len(running.events("freed")) == 2, "both are followed")
    assert sorted(running.cloud.orders) == sorted(spots[:2])


def test_an_order_that_cannot_be_stored_is_not_given(running, monkeypatch):
    host, spots = running.full_host(4)
    service = start(running)

    def fails(self: PendingDeletions, provider: str, left: list[str]) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(PendingDeletions, "_write", fails)
    claim(running, service, host, spots[:1], 2)
    wait_until(lambda: bool(running.events("failed")), "it is written down")
    assert running.events("failed")[0]["order"] == "none"
    assert not running.cloud.orders
