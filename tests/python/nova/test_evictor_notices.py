"""Notices of reserves when something comes in between: crashes, errors, moves, other changes."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from cospot.nova.evictor import reserve_keeper, reserves, service
from cospot.nova.evictor.command import read_configuration
from cospot.nova.evictor.notices import Notices
from cospot.nova.state import opened_stores
from cospot.nova.state.errors import AuditError
from cospot.nova.state.safeguards import HostLocks
from cospot.nova.state.stores import Notice, NoticeStore, StoreError
from evictor_running import PROACTIVE, Running, bare_context, metric, stores_in
from waiting import wait_until

SHELVING = {**PROACTIVE, "notice_seconds": 0, "action": "shelve-offload"}


@pytest.fixture
def running(monkeypatch, running):
    monkeypatch.setattr(reserve_keeper, "_READ_ALL_S", 0.05)
    monkeypatch.setattr(service, "_LAST_PATIENCE_S", 0.1)
    yield running
    running.check_evictions_of_reserves()


def wait_for(running: Running, event: str, count: int = 1) -> None:
    wait_until(lambda: len(running.events(event)) >= count, f"{count} of {event}")


def wait_for_stored(running: Running, count: int) -> None:
    wait_until(lambda: len(running.stored()) == count, f"{count} stored notices")


def wait_until_told(running: Running) -> None:
    wait_until(lambda: [each["is_told"] for each in running.stored()] == [True], "the notice")


def shelves(
    running: Running, state: dict[str, Any], later: int = 202
) -> Callable[[str, str], int | None]:
    """Answers an order to shelve by putting the spot in a state, and later orders as told."""
    done = set()

    def before(method: str, path: str) -> int | None:
        if method != "POST" or not path.endswith("/action"):
            return None
        spot = path.split("/")[3]
        if spot in done:
            return later
        done.add(spot)
        running.cloud.set(spot, **state)
        return 202

    return before


def test_a_snapshot_may_take_longer_than_a_deletion(running):
    running.full_host(4)
    running.cloud.before = shelves(running, {"task_state": "shelving_image_uploading"})
    running.start(**SHELVING, deletion_timeout=1)
    wait_for(running, "intent")
    began = time.time()
    wait_until(lambda: time.time() > began + 1.2, "the time-out of deletions")
    running.reconciles(5)
    assert len(running.events("notice")) == 1
    assert [each["ordered_at"] > 0 for each in running.stored()] == [True]


@pytest.mark.parametrize(
    "state",
    [
        pytest.param({"vm_state": "shelved", "status": "SHELVED"}, id="shelved"),
        pytest.param({"task_state": "shelving"}, id="shelving"),
    ],
)
def test_a_spot_that_never_leaves_does_not_block_its_reserve(running, state):
    _, spots = running.full_host(4)
    running.cloud.before = shelves(running, state, later=409)
    made = running.start(**SHELVING, shelve_timeout=1)
    wait_for(running, "intent", 2)
    assert [each["instance"] for each in running.events("notice")] == spots[:2]
    assert (metric(made, "errors_total", where="reserve") > 0) == ("vm_state" in state)
    # It is as good as evicted, so nobody is told that it stays.
    assert running.events("notice_withdrawn") == []


def test_room_that_comes_by_itself_on_one_host_saves_the_spot_of_another(running):
    running.full_host(4)
    running.full_host(4, "b")
    running.start(mode="proactive", default_reserve="2:0:2", notice_seconds=1)
    wait_for(running, "notice", 2)
    with running.cloud.lock:
        noticed = {each["instance"] for each in running.events("notice")}
        provider = running.cloud.hosts[running.events("notice")[0]["provider"]]
        for spot in [each for each in provider.consumers if each not in noticed][:2]:
            running.cloud.set(spot, task_state="deleting", updated=time.time())
    wait_for(running, "notice_withdrawn", 2)
    assert running.cloud.orders == []


def test_hosts_without_spots_do_not_hide_one_with_spots(running):
    for number in range(25):
        host = running.cloud.add_host(f"vms{number}")
        running.cloud.add(host, 7, 1024, spot=False)  # lacks 1 vCPU, the other host 2
    _, spots = running.full_host(2)
    running.start(**PROACTIVE, notice_seconds=600)
    wait_for(running, "notice")
    assert running.events("notice")[0]["instance"] in spots


def test_a_host_without_inventory_is_left_out_of_its_reserve(running):
    bad = running.cloud.add_host("bad")
    running.cloud.change(bad, missing=("MEMORY_MB",))
    _, spots = running.full_host(4)
    running.start(mode="proactive", default_reserve="2:1024", notice_seconds=600)
    wait_for(running, "notice")
    assert running.events("notice")[0]["instance"] == spots[0]


def test_an_error_after_a_notice_does_not_lose_it(running):
    _, spots = running.full_host(4)
    is_down: list[bool] = []

    def before(method: str, path: str) -> int | None:
        if method == "PUT":
            is_down.append(True)
        return 500 if len(is_down) > 1 else None

    running.cloud.before = before
    made = running.start(mode="proactive", default_reserve="2:0:2", notice_seconds=600)
    wait_until(lambda: metric(made, "errors_total", where="reserve") > 0, "the error")
    assert {each["spot"]: each["is_told"] for each in running.stored()} == {
        spots[0]: True,
        spots[1]: False,
    }
    running.reconciles(5)
    told = [each["instance"] for each in running.events("notice")]
    assert told.count(spots[0]) == 1


class _Crash(BaseException):
    """As if killed."""


class _Recorder:
    """Stands for the audit log and Nova; crashes or fails at a call."""

    def __init__(self, at: str, error: BaseException) -> None:
        self.at = at
        self.error = error

    def _do(self, name: str) -> None:
        if name == self.at:
            raise self.error

    def write(self, event: str, **_: Any) -> None:
        self._do(event)

    def set_metadata(self, *_: Any) -> None:
        self._do("give")

    def remove_metadata(self, *_: Any) -> None:
        self._do("withdraw")


def _give_and_withdraw(notices: Notices) -> None:
    notices.give(notices.new("spot", "host", "reserve"), "project")
    notices.withdraw(notices.all()[0])


@pytest.mark.parametrize("error", [_Crash(), AuditError("full")])
@pytest.mark.parametrize("at", ["notice", "give", "withdraw", "notice_withdrawn"])
def test_a_crash_leaves_a_notice_that_evicts_nothing(tmp_path, at, error):
    recorder: Any = _Recorder(at, error)
    settings = SimpleNamespace(notice_seconds=60, action="delete")
    context = bare_context(
        settings=settings, stores=stores_in(tmp_path), servers=recorder, audit=recorder,
        conf=read_configuration([]),
    )  # fmt: skip
    notices = Notices(context)
    with pytest.raises(type(error)):
        _give_and_withdraw(notices)
    [left] = NoticeStore(f"{tmp_path}/notices.json").load()
    assert (left.spot, left.is_told) == ("spot", False)


def test_a_store_that_cannot_be_written_changes_nothing(tmp_path):
    store = NoticeStore(f"{tmp_path}/none/notices.json")
    with pytest.raises(StoreError):
        store.put(Notice("spot", "host", "reserve", 1.0, 2.0))
    assert store.all() == []


def store_notice(running: Running, provider: str, spot: str, **more: Any) -> None:
    then = time.time() - 100
    notice = {"spot": spot, "provider": provider, "reserve": "default"}
    text = json.dumps([{**notice, "given_at": then, "evict_at": then, **more}])
    (running.folder / "state").mkdir(exist_ok=True)
    (running.folder / "state" / "notices.json").write_text(text)


def test_a_notice_perhaps_not_sent_is_given_anew_with_its_full_time(running):
    host, spots = running.full_host(4)
    store_notice(running, host, spots[2], is_told=False)
    began = time.time()
    running.start(**PROACTIVE, notice_seconds=600)
    wait_for(running, "notice")
    running.reconciles(3)
    [notice] = running.events("notice")
    assert notice["instance"] == spots[2] and notice["evict_at"] >= began + 600
    assert running.cloud.instances[spots[2]].metadata != {} and running.cloud.orders == []
    assert [each["is_told"] for each in running.stored()] == [True]


def test_an_order_that_never_reached_nova_is_given_again(running):
    host, spots = running.full_host(4)
    store_notice(running, host, spots[2], ordered_at=time.time())
    running.start(**PROACTIVE)
    wait_for(running, "freed")
    assert running.cloud.deleted == [spots[2]] and running.events("notice") == []


def test_an_order_that_reached_nova_is_not_given_again(running):
    host, spots = running.full_host(4)
    running.cloud.set(spots[2], task_state="deleting", updated=time.time())
    store_notice(running, host, spots[2])  # of a version that wrote the order down afterwards
    running.start(**PROACTIVE)
    wait_until(lambda: any(each.get("ordered_at") for each in running.stored()), "the mark")
    running.reconciles(3)
    assert running.cloud.orders == []
    running.cloud.remove(spots[2])
    wait_for_stored(running, 0)
    assert running.events("notice", "notice_withdrawn") == []


@pytest.mark.parametrize(
    "held_back", [{"disable_file": "stop"}, {"evictions_per_minute": 1, "default_reserve": "4:0"}]
)
def test_a_notice_stands_while_its_eviction_is_held_back(running, held_back):
    """Of two spots the limit lets one be evicted, and the switch none."""
    _, spots = running.full_host(4)
    stop = running.folder / "stop"
    if "disable_file" in held_back:
        held_back = {"disable_file": stop, "default_reserve": "4:0"}
    service = running.start(**{**SHELVING, "notice_seconds": 2, **held_back})
    wait_until(lambda: [each["is_told"] for each in running.stored()] == [True] * 2, "the notices")
    stop.touch()
    wait_until(lambda: bool(running.events("held_back")), "what is held back")
    running.reconciles(4)
    gone = running.cloud.shelved
    assert len(gone) == (0 if "disable_file" in held_back else 1)
    for spot in set(spots[:2]) - set(gone):
        assert "cospot_evict_at" in running.cloud.instances[spot].metadata
    assert all(not each["ordered_at"] for each in running.stored() if each["spot"] not in gone)
    if "disable_file" in held_back:
        stop.unlink()
        wait_until(lambda: sorted(gone) == sorted(spots[:2]), "both are evicted")
        assert metric(service, "notices_total", outcome="given") == 2


def test_the_switch_stops_the_second_half_of_shelving(running):
    """Where Nova leaves a shelved server on its host for a while."""
    _, spots = running.full_host(4)
    stop = running.folder / "stop"
    shelve = shelves(running, {"vm_state": "shelved", "task_state": None})

    def before(method: str, path: str) -> int | None:
        status = shelve(method, path)
        if status is not None and not stop.exists():
            stop.touch()
        return status

    running.cloud.before = before
    order = f"POST /nova/servers/{spots[0]}/action"
    running.start(**SHELVING, disable_file=stop)
    wait_until(stop.exists, "it is shelved")
    running.reconciles(4)
    assert running.cloud.requests.count(order) == 1
    stop.unlink()
    wait_until(lambda: running.cloud.requests.count(order) > 1, "it is taken off its host")


@pytest.mark.parametrize("whose", ["its host's", "the reserves'"])
def test_a_lock_that_another_copy_holds_delays_nothing_else(running, whose):
    host, spots = running.full_host(4)
    service = running.start(**PROACTIVE, notice_seconds=1, lock_timeout=60)
    wait_for(running, "notice")
    other = HostLocks(f"file://{running.folder}/state/locks", 5)
    with other.hold(host if whose == "its host's" else "notices"):
        began = time.time()
        wait_until(lambda: time.time() > began + 1.5, "the time of the notice")
        running.reconciles(4)  # more than a spot may fail
        assert running.cloud.orders == []
    wait_for(running, "freed")
    assert running.cloud.deleted == spots[:1]
    assert metric(service, "errors_total", where="reserve") == 0
    other.close()


@pytest.mark.parametrize("later", [{"mode": "reactive"}, {**PROACTIVE, "reserve": "few:1:0"}])
def test_a_change_of_mode_says_nothing_of_spots_that_are_going(running, later):
    host, spots = running.full_host(4)
    running.cloud.aggregates["old"] = str(uuid.uuid4())
    running.cloud.aggregates["few"] = str(uuid.uuid4())
    running.cloud.hosts[host].aggregates.add(running.cloud.aggregates["old"])
    running.cloud.never_goes.add(spots[0])
    before = running.start(mode="proactive", reserve="old:2:0", notice_seconds=0)
    wait_until(lambda: any(each.get("ordered_at") for each in running.stored()), "the order")
    wait_until(lambda: running.cloud.orders == spots[:1], "the order")
    before.stop()
    running.start(**later)
    wait_until(lambda: all(each["spot"] != spots[0] for each in running.stored()), "it is dropped")
    assert running.events("notice_withdrawn") == []


def move(running: Running, host: str, spot: str) -> None:
    running.cloud.move(spot, running.cloud.add_host("b"))


def leave_aggregate(running: Running, host: str, spot: str) -> None:
    running.cloud.hosts[host].aggregates.clear()


def shelve(running: Running, host: str, spot: str) -> None:
    running.cloud.shelve(running.cloud.instances[spot])


@pytest.mark.parametrize("happens", [move, leave_aggregate, shelve])
def test_a_notice_is_withdrawn_when_its_spot_is_elsewhere(running, happens):
    host, spots = running.full_host(4)
    running.cloud.aggregates["gold"] = str(uuid.uuid4())
    running.cloud.hosts[host].aggregates.add(running.cloud.aggregates["gold"])
    running.start(mode="proactive", reserve="gold:2:0", notice_seconds=600)
    wait_until_told(running)
    with running.cloud.lock:
        happens(running, host, spots[0])
    wait_for(running, "notice_withdrawn")
    assert running.events("notice_withdrawn")[0]["instance"] == spots[0]
    assert happens is shelve or running.cloud.instances[spots[0]].metadata == {}


def test_nothing_is_said_of_a_spot_that_its_owner_deletes(running):
    _, spots = running.full_host(4)
    running.start(**PROACTIVE, notice_seconds=600)
    wait_for_stored(running, 1)
    running.cloud.remove(spots[0])
    wait_for_stored(running, 0)
    assert running.events("notice_withdrawn") == []


def test_a_dry_run_writes_of_a_spot_once_until_something_changes(running):
    host, spots = running.full_host(4)
    running.start(**PROACTIVE, notice_seconds=0, dry_run=True)
    wait_for(running, "would_notify")
    running.reconciles(10)
    assert running.cloud.instances[spots[0]].metadata == {} and running.cloud.orders == []
    assert [each["instance"] for each in running.events("would_notify")] == spots[:1]
    running.cloud.remove(spots[3])
    running.reconciles(5)
    running.cloud.add(host, 2, 1024, spot=False)
    wait_for(running, "would_notify", 2)


def check_goes_after_its_notice(running: Running, spot: str, told_at: float) -> None:
    """Check that a spot goes alone, half a second after it was told at the earliest."""
    wait_for(running, "freed")
    [intent] = running.events("intent")
    assert intent["instance"] == spot and intent["notice_s"] >= 0.5
    assert time.time() >= told_at + 0.5


def test_a_notice_that_nova_did_not_take_is_none(running):
    """While Nova is away nobody is told, so nobody's time runs, and another one gets no notice."""
    _, spots = running.full_host(4)
    running.cloud.refuse("PUT", 503)
    service = running.start(**PROACTIVE, notice_seconds=0.5)
    wait_for(running, "notice", 3)
    running.reconciles(3)
    assert {each["instance"] for each in running.events("notice")} == {spots[0]}
    assert running.cloud.orders == [] and metric(service, "notices_total", outcome="given") == 0
    assert metric(service, "errors_total", where="reserve") > 0
    told_at = time.time()
    running.cloud.accept()
    check_goes_after_its_notice(running, spots[0], told_at)


def test_one_that_cannot_be_told_keeps_no_other_from_its_notice(running):
    _, spots = running.full_host(4)
    running.cloud.refuse(f"PUT /nova/servers/{spots[0]}")
    running.start(mode="proactive", default_reserve="2:0:2", notice_seconds=0.5)
    wait_for(running, "freed", 2)
    running.reconciles(3)
    assert running.cloud.deleted == [spots[1], spots[2]]  # a third gets the notice in its place


def test_a_spot_of_which_nova_says_nothing_takes_nobodys_place(running, caplog):
    """It was told; since then each question about it is answered by 500."""
    _, spots = running.full_host(4)
    service = running.start(**PROACTIVE, notice_seconds=0.5)
    wait_until_told(running)
    running.cloud.refuse(f"/servers/{spots[0]}")
    wait_for(running, "freed")
    running.reconciles(10)
    assert running.cloud.deleted == [spots[1]]
    assert running.events("notice_withdrawn") == []
    (notice,) = running.stored()  # its owner may read it still, but it evicts nothing
    assert notice["spot"] == spots[0] and not notice["is_told"]
    assert service.context.stores.notices.told(spots[0]) is None
    said = [each for each in caplog.messages if each.startswith("reserve default: spot")]
    assert len(said) == 1 and metric(service, "errors_total", where="reserve") > 10
    running.cloud.remove(spots[0])
    wait_for_stored(running, 0)


def test_a_spot_that_was_given_up_has_another_chance_later(running, monkeypatch):
    _, (spot,) = running.full_host(1)
    running.cloud.refuse("/action")
    running.start(**PROACTIVE, notice_seconds=0)
    wait_for(running, "notice_withdrawn")
    assert len(running.events("failed")) == 3
    running.reconciles(3)
    assert len(running.events("notice")) == 1
    running.cloud.accept()
    monkeypatch.setattr(reserves, "_GIVEN_UP_S", 0.1)
    wait_until(lambda: running.cloud.deleted == [spot], "the eviction")


def test_one_whose_metadata_nova_does_not_change_is_told_otherwise(running):
    """As of a server in rescue: vendordata and the notification tell it."""
    _, spots = running.full_host(4)
    running.cloud.instances[spots[0]].vm_state = "rescued"
    running.cloud.refuse("PUT", 409)
    service = running.start(**PROACTIVE, notice_seconds=0.5)
    wait_for(running, "freed")
    assert running.cloud.deleted == [spots[0]]
    assert metric(service, "notices_total", outcome="given") == 1


def test_a_withdrawal_that_nova_did_not_take_is_tried_again(running):
    _, spots = running.full_host(4)
    running.cloud.refuse("DELETE", 503)
    running.start(**PROACTIVE, notice_seconds=600)
    wait_until_told(running)
    running.cloud.remove(spots[3])
    wait_until(lambda: [each["is_told"] for each in running.stored()] == [False], "the attempt")
    running.reconciles(3)
    assert running.events("notice_withdrawn") == []
    running.cloud.accept()
    wait_for_stored(running, 0)
    assert running.cloud.instances[spots[0]].metadata == {} and running.cloud.orders == []
    assert len(running.events("notice_withdrawn")) == 1


@pytest.mark.parametrize("happens", [None, move], ids=["in rescue", "resized"])
def test_a_withdrawn_notice_is_not_left_in_metadata_that_nova_does_not_change_now(running, happens):
    """As of a server in rescue, or one whose resize is to be confirmed; it is told elsewhere."""
    host, spots = running.full_host(4)
    service = running.start(**PROACTIVE, notice_seconds=600)
    wait_until_told(running)
    running.cloud.refuse("DELETE", 409)
    with running.cloud.lock:
        if happens is not None:
            happens(running, host, spots[0])
        running.cloud.remove(spots[3])
    wait_for(running, "notice_withdrawn")
    running.reconciles(5)
    assert "cospot_evict_at" in running.cloud.instances[spots[0]].metadata
    running.cloud.accept()
    wait_for_stored(running, 0)
    assert running.cloud.instances[spots[0]].metadata == {}
    running.reconciles(3)
    assert [each["instance"] for each in running.events("notice_withdrawn")] == spots[:1]
    assert [each["instance"] for each in running.events("notice")] == spots[:1]
    assert running.cloud.orders == []
    assert metric(service, "notices_total", outcome="withdrawn") == 1
    assert metric(service, "errors_total", where="reserve") == 0


def test_one_that_its_owner_shelves_as_its_time_comes_reads_nothing_afterwards(running):
    _, spots = running.full_host(4)
    running.start(**PROACTIVE, notice_seconds=1)
    wait_until_told(running)
    spot = running.cloud.instances[spots[0]]
    spot.task_state = "shelving_image_uploading"
    wait_until(lambda: any(each["ordered_at"] for each in running.stored()), "its time")
    with running.cloud.lock:
        running.cloud.shelve(spot)
        spot.task_state = None
    wait_for(running, "notice_withdrawn")
    running.reconciles(3)
    running.cloud.move(spots[0], running.cloud.add_host("b"))
    wait_for_stored(running, 0)
    assert spot.metadata == {} and running.cloud.orders == []


def test_one_that_nova_is_busy_with_is_told_afterwards(running):
    """A Nova that refuses the metadata of a server with a task is asked again."""
    _, spots = running.full_host(4)
    running.cloud.set(spots[0], task_state="image_uploading")
    running.cloud.refuse("PUT", 409)
    running.start(**PROACTIVE, notice_seconds=0.5)
    wait_for(running, "notice", 2)
    began = time.time()
    wait_until(lambda: time.time() > began + 1.0, "the time of a notice")
    running.reconciles(3)
    assert running.cloud.orders == []
    told_at = time.time()
    running.cloud.set(spots[0], task_state=None)
    running.cloud.accept()
    check_goes_after_its_notice(running, spots[0], told_at)


def test_one_that_nova_shows_idle_after_it_refused_its_notice_is_told_afterwards(running):
    """Its task has ended since, or a Nova that is behind does not show it."""
    _, spots = running.full_host(4)
    running.cloud.refuse("PUT", 409, times=1)
    running.start(**PROACTIVE, notice_seconds=600)
    wait_until_told(running)
    assert "cospot_evict_at" in running.cloud.instances[spots[0]].metadata
    assert len(running.events("notice")) == 2
    assert sum(each.startswith("PUT") for each in running.cloud.requests) == 2


def test_a_compute_that_fails_costs_no_third_spot_for_a_reserve(running):
    """Two were ordered for a VM that is gone as the second one fails: nobody else looks there."""
    host, spots = running.full_host(4)
    running.cloud.never_goes.update(spots)
    running.cloud.refuse("PUT", 503)

    def after(method: str, path: str) -> None:
        if method == "POST" and spots[0] in path:
            running.cloud.fail(spots[0])

    running.cloud.after = after
    vm = running.cloud.add(host, 2, 1024, spot=False)
    running.start(**PROACTIVE, notice_seconds=0.2, deletion_timeout=120)
    wait_until(lambda: running.cloud.orders == spots[:2], "the orders for the VM")
    running.reconciles(3)
    with running.cloud.lock:
        running.cloud.remove(vm)
        running.cloud.fail(spots[1])
    running.cloud.accept()
    wait_until(lambda: bool(running.events("host_stalled")), "the alarm")
    running.reconciles(5)
    assert running.cloud.orders == spots[:2]
    assert running.events("held_back")[0]["reason"] == "host-stalled"


def test_an_eviction_that_could_not_begin_counts_for_no_limit(running):
    """Before it shelves a spot the service takes the notice out of the spot's metadata."""
    _, spots = running.full_host(4)
    running.cloud.refuse("DELETE", 503)
    running.start(**SHELVING, evictions_per_minute=1)
    wait_for(running, "failed", 3)
    running.cloud.accept()
    wait_for(running, "freed")
    assert running.cloud.shelved == [spots[0]]
    assert {each["order"] for each in running.events("failed")} == {"none"}
    assert running.events("held_back") == []


@pytest.fixture
def clock_is_off(monkeypatch):
    """How far the clock of notices is ahead of what it was, seconds."""
    off = [0.0]
    clock = SimpleNamespace(time=lambda: time.time() + off[0])
    monkeypatch.setattr(opened_stores, "time", clock)
    return off


def test_a_clock_that_is_set_back_stops_no_reserve(running, clock_is_off):
    host, spots = running.full_host(4)
    running.start(**PROACTIVE, notice_seconds=600)
    wait_until_told(running)
    clock_is_off[0] = -3600.0
    running.cloud.remove(spots[0])  # as its owner does; a VM has what it held
    running.cloud.add(host, 2, 1024, spot=False)
    wait_until(lambda: len(running.events("notice")) == 2, "the next notice")
