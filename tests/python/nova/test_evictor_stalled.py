"""Hosts that free nothing, and clocks that differ: one order, not one spot after the other."""

from __future__ import annotations

import json
import time
from types import SimpleNamespace
from typing import Any

import pytest
from cospot.nova.evictor.deletions import Deletions
from cospot.nova.evictor.stalled_hosts import Observed, StalledHosts, _Flow
from cospot.nova.state.pending import GRACE_S, PendingDeletions
from cospot.nova.state.records import AuditLog
from cospot.nova.state.stores import StalledHostStore
from evictor_running import Running, bare_context, metric, stores_in
from waiting import wait_until

#: Seconds after which a deletion is stuck.
TIMEOUT = 1


def hang(running: Running, spots: list[str]) -> None:
    """Have the compute take every order and carry out none."""
    running.cloud.never_goes.update(spots)


def resume(running: Running) -> None:
    """Have the compute carry out what was ordered meanwhile, one after the other."""
    running.cloud.never_goes.clear()
    for spot in dict.fromkeys(running.cloud.orders):
        running.cloud.remove(spot)


def stalled(service: Any, host: str = "a") -> float:
    return metric(service, "stalled_host", host=host)


def stalled_host(running: Running) -> tuple[str, list[str]]:
    """Return a host that frees nothing for a VM, after the alarm, and its four spots."""
    host, spots = running.full_host(4)
    hang(running, spots)
    running.start(deletion_timeout=TIMEOUT)
    running.cloud.add(host, 2, 1024, spot=False)
    wait_until(lambda: bool(running.events("host_stalled")), "the alarm")
    return host, spots


@pytest.mark.parametrize("off", [-400.0, 400.0])
def test_clocks_that_differ_cost_no_spot(running, off):
    """Nova's time of the last change would be 400 s ago, or yet to come."""
    host, spots = running.full_host(4)
    running.cloud.skew = off
    running.cloud.freeing_takes = 1.0  # several reconciles find it under way
    service = running.start(deletion_timeout=120)
    running.cloud.add(host, 2, 1024, spot=False)
    wait_until(lambda: bool(running.events("freed")), "the spot is freed")
    running.reconciles()
    assert running.cloud.orders == [spots[0]]
    assert stalled(service) == 0


def test_a_compute_that_hangs_costs_one_spot_however_long(running):
    host, spots = running.full_host(4)
    hang(running, spots)
    service = running.start(deletion_timeout=TIMEOUT, freed_timeout=1)
    running.cloud.add(host, 2, 1024, spot=False)
    wait_until(lambda: bool(running.events("host_stalled")), "the alarm")
    # Ordered again after 1 s, 1 s and 2 s more: its pauses grow, and nothing else is ordered.
    wait_until(lambda: running.cloud.orders.count(spots[0]) >= 3, "it is ordered again")
    assert set(running.cloud.orders) == {spots[0]}
    assert stalled(service) == 1
    (alarm,) = running.events("host_stalled")
    assert (alarm["host"], alarm["spots"]) == ("a", [spots[0]])
    resume(running)
    wait_until(lambda: bool(running.events("host_resumed")), "the end of the alarm")
    wait_until(lambda: stalled(service) == 0, "the metric says so too")
    assert not list((running.folder / "state" / "stalled").glob("*.json"))
    running.cloud.add(host, 2, 1024, spot=False)
    wait_until(lambda: spots[1] in running.cloud.deleted, "the next VM has its capacity again")
    assert set(running.cloud.deleted) == set(spots[:2])


def test_what_goes_late_takes_nothing_else_with_it(running):
    """Three were ordered, the compute hung, and now carries the orders out one after the other."""
    host, spots = running.full_host(4)
    hang(running, spots)
    running.start(deletion_timeout=TIMEOUT, repeat_stuck_deletions=False)
    running.cloud.add(host, 6, 1024, spot=False)
    wait_until(lambda: bool(running.events("host_stalled")), "the alarm")
    running.cloud.remove(spots[0])
    running.reconciles(3)
    for spot in spots[1:3]:
        running.cloud.remove(spot)
    wait_until(lambda: bool(running.events("host_resumed")), "the end of the alarm")
    running.reconciles()
    assert running.cloud.deleted == spots[:3]
    assert spots[3] in running.cloud.there


def test_other_hosts_go_on(running):
    _host, _spots = stalled_host(running)
    other = running.cloud.add_host("b")
    spot = running.cloud.add(other, 8, 1024, spot=True)
    running.cloud.add(other, 8, 1024, spot=False)
    wait_until(lambda: spot in running.cloud.deleted, "another host is freed")


def test_started_again_it_goes_on_where_it_was(running):
    host, spots = stalled_host(running)
    running.services.pop().stop()
    # Its successor has seen no deletion for long, and is told all the same.
    running.cloud.add(host, 2, 1024, spot=False)
    service = running.start(deletion_timeout=120)
    wait_until(lambda: stalled(service) == 1, "the alarm is there again")
    running.reconciles(5)
    assert set(running.cloud.orders) == {spots[0]}
    assert len(running.events("host_stalled")) == 1
    resume(running)
    wait_until(lambda: bool(running.events("host_resumed")), "the end of the alarm")


def test_a_compute_that_fails_at_every_deletion_costs_two_spots(running):
    """It puts them in the state ERROR again, without a task, within the reconcile that follows."""
    host, spots = running.full_host(4)
    hang(running, spots)

    def after(method: str, path: str) -> None:
        for spot in spots:
            if method == "POST" and spot in path:
                running.cloud.fail(spot)

    running.cloud.after = after
    service = running.start(deletion_timeout=120)
    running.cloud.add(host, 2, 1024, spot=False)
    wait_until(lambda: bool(running.events("host_stalled")), "the alarm")
    running.reconciles(10)
    assert running.cloud.orders == spots[:2]
    failed = [(each["instance"], each["error"]) for each in running.events("failed")]
    assert failed == [(spot, "its compute did not delete it") for spot in spots[:2]]
    assert metric(service, "failed_evictions_total") == 2


def test_a_note_counts_from_when_it_is_read(tmp_path, monkeypatch, clock):
    """Whatever the clock of the day says: it may be set between a service and its successor."""
    clock.now = 1000.0
    PendingDeletions(str(tmp_path)).add("host", "spot")
    monkeypatch.setattr(time, "time", lambda: 0.0)
    pending = PendingDeletions(str(tmp_path), clock)
    assert pending.recent("host") == {"spot"}
    clock.now += GRACE_S - 1
    assert pending.recent("host") == {"spot"}
    clock.now += 1
    assert pending.recent("host") == frozenset()
    pending.add("host", "other")
    assert json.loads((tmp_path / "host.json").read_text()) == ["other"]
    pending.remove("host", "other")
    assert not (tmp_path / "host.json").exists()


def test_pending_deletions_of_an_earlier_version_count(tmp_path):
    (tmp_path / "host.json").write_text('{"spot": 1700000000.0}')
    assert PendingDeletions(str(tmp_path)).recent("host") == {"spot"}


def test_a_deletion_counts_from_when_it_was_seen_first(clock):
    clock.now = 50.0
    deletions = Deletions(10.0, True, clock)
    assert deletions.age("host", "a") == 0
    clock.now = 60.0
    assert (deletions.age("host", "a"), deletions.age("host", "b")) == (10, 0)
    deletions.keep("host", {"b"})  # a is not being deleted any more
    clock.now = 65.0
    assert (deletions.age("host", "a"), deletions.age("host", "b")) == (0, 5)
    deletions.restart("host", "b")
    assert deletions.age("host", "b") == 0


def test_a_deletion_that_another_copy_orders_again_counts_anew(clock):
    clock.now = 50.0
    deletions = Deletions(10.0, True, clock)
    assert deletions.age("host", "a", "12:00:00") == 0
    clock.now = 60.0
    assert deletions.age("host", "a", "12:00:00") == 10
    assert deletions.age("host", "a", "12:00:10") == 0  # Nova has changed the server
    clock.now = 65.0
    deletions.restart("host", "a")  # ordered by this copy: what Nova says then is no news
    clock.now = 66.0
    assert deletions.age("host", "a", "12:00:15") == 1
    clock.now = 70.0
    assert deletions.age("host", "a", "12:00:15") == 5


NOBODY: frozenset[str] = frozenset()


def flow_of(*stuck: str) -> _Flow:
    """A host of spots a to d of which some are silent."""
    flow = _Flow()
    flow.observe(frozenset("abcd"), NOBODY, frozenset(stuck), frozenset("abcd") - set(stuck))
    return flow


def test_a_host_with_a_stuck_deletion_is_stalled_until_something_goes():
    flow = flow_of("a")
    assert flow.frees_nothing
    observed = flow.observe(frozenset("bcd"), NOBODY, NOBODY, frozenset("bcd"))
    assert not flow.frees_nothing
    assert observed == Observed(NOBODY, NOBODY)


def test_what_was_silent_beside_what_went_has_its_turn_once():
    flow = flow_of("a", "b")
    observed = flow.observe(frozenset("bcd"), NOBODY, frozenset("b"), frozenset("cd"))
    assert observed.pardoned == {"b"}
    assert not flow.frees_nothing
    # Silent again, the host is stalled again; c goes, and b says nothing of the host any more.
    flow.observe(frozenset("bcd"), frozenset("c"), frozenset("b"), frozenset("d"))
    assert flow.frees_nothing
    observed = flow.observe(frozenset("bd"), NOBODY, frozenset("b"), frozenset("d"))
    assert observed.pardoned == NOBODY
    assert not flow.frees_nothing
    assert flow.suspects == {"b"}


def test_what_is_ordered_and_alive_has_failed():
    flow = _Flow(going={"a", "b"})
    observed = flow.observe(frozenset("abcd"), frozenset("b"), NOBODY, frozenset("acd"))
    assert observed.failed == {"a"}
    assert not flow.frees_nothing
    assert flow.observe(frozenset("abcd"), NOBODY, NOBODY, frozenset("abcd")).failed == {"b"}
    assert flow.frees_nothing


def test_a_spot_that_nova_does_not_know_any_more_has_not_failed():
    """It is neither alive nor leaving: gone, but for its allocation."""
    flow = _Flow(going={"a"})
    assert flow.observe(frozenset("ab"), NOBODY, NOBODY, frozenset("b")).failed == NOBODY


def make_stalled(folder: Any, clock: Any = lambda: 0.0) -> StalledHosts:
    folder.mkdir(exist_ok=True)
    context = bare_context(
        settings=SimpleNamespace(deletion_timeout=10.0),
        stores=stores_in(folder),
        deletions=Deletions(10.0, repeat=True),
        audit=AuditLog(str(folder / "audit.jsonl")),
    )
    return StalledHosts(context, clock)


def seen(here: str, *, stuck: str = "", pending: str = "") -> Any:
    """A snapshot of a host with some spots, none of which goes."""
    spots = SimpleNamespace(evictable=dict.fromkeys(here), stuck=frozenset(stuck), leaving=NOBODY)
    return SimpleNamespace(
        usage=SimpleNamespace(provider="host", consumers=dict.fromkeys(here)),
        spots=spots,
        pending=frozenset(pending),
        host=SimpleNamespace(host="a"),
        just_gone=NOBODY,
    )


def test_what_another_copy_ordered_too_has_failed_all_the_same(tmp_path):
    """The other copy was killed before it heard an answer, so a, c and d may be ordered already."""
    hosts = make_stalled(tmp_path / "state")
    for spot in "ab":
        hosts.ordered("host", spot)
    assert hosts.observe(seen("abcd", pending="acd")).failed == {"a", "b"}
    assert hosts.is_stalled("host")
    assert not hosts.may_order("host", "c")


def test_what_was_reset_for_an_order_without_an_answer_is_still_stuck(tmp_path):
    hosts = make_stalled(tmp_path / "state")
    hosts.ordered("host", "a")
    hosts.observe(seen("ab", stuck="a"))
    assert hosts.observe(seen("ab", pending="a")).failed == NOBODY
    assert hosts.is_stalled("host")
    assert hosts.observe(seen("ab")).failed == {"a"}  # it was not ordered: it only runs on
    assert not hosts.is_stalled("host")


def test_the_pauses_between_orders_of_the_same_spot_double(tmp_path, clock):
    hosts = make_stalled(tmp_path / "state", clock)
    assert hosts.may_order("host", "other")
    hosts.did_not_go("host", "spot")
    assert not hosts.may_order("host", "other")
    waits = []
    for _ in range(12):
        assert hosts.may_order("host", "spot")
        hosts.ordered("host", "spot")
        began = clock.now
        while not hosts.may_order("host", "spot"):
            clock.now += 5.0
        waits.append(clock.now - began)
    # 10 s doubled each time, at most an hour.
    assert waits == [10.0 * 2**n for n in range(9)] + [3600.0] * 3


def test_a_host_that_placement_left_out_for_a_while_is_still_stalled(tmp_path):
    folder = tmp_path / "state"
    hosts = make_stalled(folder)
    store = StalledHostStore(str(folder))
    for spot in "ab":
        hosts.ordered("host", spot)
    hosts.observe(seen("abc"))  # its compute has given up both
    assert hosts.is_stalled("host") and list(store.all()) == ["host"]
    hosts.forget("host")
    assert not store.all()
    assert hosts.is_stalled("host") and not hosts.may_order("host", "c")
    hosts.observe(seen("abc"))
    assert list(store.all()) == ["host"]


def test_a_stored_host_that_cannot_be_read_at_the_start_stays(running):
    host, spots = running.full_host(4)
    folder = running.folder / "state"
    StalledHostStore(str(folder)).put(host, "a", spots[:1])
    question = f"GET /placement/resource_providers/{host}/inventories"
    running.cloud.refuse(question)
    running.start(reconcile_interval=0.1)
    wait_until(lambda: running.cloud.requests.count(question) >= 9, "three looks, of three tries")
    assert list(StalledHostStore(str(folder)).all()) == [host]


def test_a_host_that_is_none_any_more_is_forgotten(running):
    folder = running.folder / "state" / "stalled"
    service = running.make()
    StalledHostStore(str(running.folder / "state")).put("no-such-provider", "gone", ["spot"])
    assert list(folder.glob("*.json"))
    service.start()
    wait_until(lambda: not list(folder.glob("*.json")), "the stored host is gone")


def test_a_node_of_nova_s_database_that_is_behind_costs_no_other_spot(running):
    """What Nova shows may be from before the order that it took (Galera without causal reads)."""
    running.cloud.freeing_takes, running.cloud.behind_s = 3.0, 1.0
    host, spots = running.full_host(4)
    service = running.start(deletion_timeout=120)
    running.cloud.add(host, 2, 1024, spot=False)
    wait_until(lambda: bool(running.cloud.orders), "the order")
    running.reconciles(8)
    assert running.cloud.orders == spots[:1]
    wait_until(lambda: bool(running.events("freed")), "it is gone")
    assert running.events("failed") == []
    assert metric(service, "failed_evictions_total") == 0
