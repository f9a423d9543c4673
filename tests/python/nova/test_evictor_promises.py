"""Promises of a lifetime: counted, broken, and the alarm when too many are."""

from __future__ import annotations

import time
import uuid
from pathlib import Path
from typing import Any

import pytest
from cospot.nova.evictor.promise_keeper import PromiseKeeper
from cospot.nova.promises.journal import PromiseJournal
from cospot.nova.promises.kept_share import broken_share
from cospot.nova.promises.promise_message import EVENT_TYPE, Promise, promise_to_message
from cospot.nova.state.errors import CloudError
from cospot.nova.state.records import AuditLog, Metrics
from evictor_running import audit_records, events, metric, send, stores_in
from waiting import PATIENCE_S, wait_until

HOUR = 3600.0
DAY = 86400.0


def new_promise(made_at: float, lifetime_s: float = HOUR, target: float = 0.1) -> Promise:
    return Promise(str(uuid.uuid4()), made_at, lifetime_s, target)


class Allocations:
    """What placement says that spots hold."""

    def __init__(self) -> None:
        self.running: set[str] = set()
        self.failing: set[str] = set()
        self.asked = 0

    def allocation(self, consumer: str, patience: float) -> dict[str, Any]:
        self.asked += 1
        if consumer in self.failing:
            raise CloudError(f"placement GET /allocations/{consumer}: 500", 500)
        return {"provider": {}} if consumer in self.running else {}


class Keeper:
    """A keeper whose thread does not run; its metrics and audit log."""

    def __init__(self, folder: Path) -> None:
        (folder / "state").mkdir(exist_ok=True)
        self.folder = folder
        self.placement: Any = Allocations()
        self.metrics = Metrics()
        stores = stores_in(folder / "state", promise_days=30, claim_timeout=60.0)
        audit = AuditLog(str(folder / "state" / "audit.jsonl"))
        self.keeper = PromiseKeeper(stores, self.placement, audit, self.metrics)

    def metric(self, name: str, **labels: str) -> float | None:
        return self.metrics.registry.get_sample_value(f"cospot_evictor_{name}", labels)

    def promise(self, count: int, age: float, lifetime_s: float = HOUR) -> list[str]:
        made = [new_promise(time.time() - age, lifetime_s) for _ in range(count)]
        for each in made:
            self.keeper.take(each)
        found = [each.instance for each in made]
        self.placement.running.update(found)
        return found


def test_who_is_promised_what(tmp_path):
    journal = PromiseJournal(str(tmp_path))
    promise, other = new_promise(1000.0), new_promise(2000.0)
    journal.add(promise)
    assert journal.promised_until(promise.instance) == 1000.0 + HOUR
    assert journal.promised_until("nobody") == 0
    # What another copy, or a former service, was told of.
    another = PromiseJournal(str(tmp_path))
    assert another.promised_until(promise.instance) == 1000.0 + HOUR
    journal.add(other)
    assert another.promised_until(other.instance) == 0
    another.refresh()
    assert another.promised_until(other.instance) == 2000.0 + HOUR
    journal.saw(other, runs=False, now=2100.0)  # it never got capacity
    assert journal.promised_until(other.instance) == 0


def test_a_promise_is_open_then_kept_unless_its_spot_is_evicted_before(tmp_path):
    journal = PromiseJournal(str(tmp_path))
    one, two, three = (new_promise(1000.0) for _ in range(3))
    for each in (one, two, three):
        assert journal.add(each)
    assert not journal.add(Promise(one.instance, 2000.0, DAY, 0.5))  # the first counts
    (counts,) = journal.counts(1000.0, DAY)
    assert (counts.promised, counts.open, counts.due) == (3, 3, 0)
    known = journal.evicted(two.instance, 1000.0 + HOUR - 1)
    assert known is not None and known.promise == two
    assert journal.evicted(two.instance, 1000.0 + HOUR - 1) is None  # ordered once more
    assert journal.evicted(three.instance, 1000.0 + HOUR) is None  # it had its hour
    assert journal.evicted("not promised", 1001.0) is None
    (counts,) = journal.counts(1000.0 + HOUR - 1, DAY)
    assert (counts.open, counts.broken, counts.broken_due, counts.kept) == (2, 1, 0, 0)
    (counts,) = journal.counts(1000.0 + HOUR, DAY)
    assert (counts.open, counts.broken, counts.broken_due, counts.kept) == (0, 1, 1, 2)


def test_another_service_reads_on_where_one_was_killed(tmp_path):
    first, second = (PromiseJournal(str(tmp_path)) for _ in range(2))
    promise, later = new_promise(1000.0), new_promise(3 * DAY)
    first.add(promise)
    assert second.evicted(promise.instance, 1001.0) is not None  # of which it was not told
    first.add(later)
    file = next((tmp_path / "promises").glob("1970-01-01.jsonl"))
    file.write_bytes(file.read_bytes() + b'junk\n[]\n{"event":"broken"}\n{"event":"promised","inst')
    third = PromiseJournal(str(tmp_path))
    for journal in (second, third):
        journal.refresh()
        assert [each.broken for each in journal.counts(4 * DAY, 9 * DAY)] == [1]
        assert [each.kept for each in journal.counts(4 * DAY, 9 * DAY)] == [1]
    # What comes next begins a line of its own: nothing is lost with the line that was torn.
    second.add(new_promise(1000.0))
    third.refresh()
    assert [each.kept for each in third.counts(4 * DAY, 9 * DAY)] == [2]


def test_what_was_over_long_ago_counts_no_more_and_its_file_goes(tmp_path):
    journal = PromiseJournal(str(tmp_path))
    old, long, young = new_promise(0.0), new_promise(1.0, 20 * DAY), new_promise(9 * DAY)
    for each in (old, new_promise(3 * DAY), young):
        journal.add(each)
    (counts,) = journal.counts(10 * DAY, 5 * DAY)
    assert counts.promised == 1
    journal.drop_old(10 * DAY, 5 * DAY)
    assert [path.stem for path in (tmp_path / "promises").iterdir()] == ["1970-01-10"]
    journal.add(long)  # one that is not over keeps its day
    journal.drop_old(10 * DAY, 5 * DAY)
    assert len(list((tmp_path / "promises").iterdir())) == 2


def test_bounds_and_alarm(tmp_path):
    """Clopper-Pearson for 4 of 20: 0.0573 to 0.4366 (Clopper and Pearson 1934)."""
    journal = PromiseJournal(str(tmp_path))
    made = [new_promise(0.0, HOUR, 0.05) for _ in range(20)]
    for each in made:
        journal.add(each)
    for each in made[:4]:
        journal.evicted(each.instance, 10.0)
    due = broken_share(journal.counts(HOUR, DAY)[0])
    assert (due.lower, due.upper) == pytest.approx((0.0573, 0.4366), abs=1e-4)
    assert due.alarm
    # Not over yet: of what will come nothing is known but that 4 of 20 are broken.
    early = broken_share(journal.counts(20.0, DAY)[0])
    assert early.lower == due.lower and early.upper == 1.0


def test_the_few_that_are_broken_first_raise_no_alarm(tmp_path):
    """2 of 100 promises of a month are broken on its first day: 2 of 2 that are known."""
    journal = PromiseJournal(str(tmp_path))
    made = [new_promise(0.0, 30 * DAY, 0.05) for _ in range(100)]
    for each in made:
        journal.add(each)
    for each in made[:2]:
        journal.evicted(each.instance, DAY)
    assert not broken_share(journal.counts(DAY, DAY)[0]).alarm


def test_metrics_and_audit_log_tell_of_the_alarm_once_and_of_its_end(tmp_path):
    case = Keeper(tmp_path)
    spots = case.promise(20, age=30.0)
    for spot in spots[:8]:
        case.keeper.evicted(spot)
    case.keeper.evicted(str(uuid.uuid4()))
    case.keeper.count()
    case.keeper.count()
    assert case.metric("promises_broken_total", target="0.1") == 8
    assert case.metric("promises_kept_total", target="0.1") == 0
    assert case.metric("promises_open", target="0.1") == 12
    assert case.metric("promises_alarm", target="0.1") == 1
    # Clopper-Pearson for 8 of 20
    lower = case.metric("promises_broken_share", target="0.1", bound="lower")
    assert lower == pytest.approx(0.1912, abs=1e-4)
    assert len(events(tmp_path, "promise_broken")) == 8
    broken = events(tmp_path, "promise_broken")[0]
    assert (broken["instance"], broken["lifetime_s"]) == (spots[0], HOUR)
    assert 29 <= broken["lived_s"] < 30 + PATIENCE_S
    assert [each["broken"] for each in events(tmp_path, "promise_alarm")] == [8]
    case.promise(500, age=2 * HOUR)
    case.keeper.count()
    assert case.metric("promises_alarm", target="0.1") == 0
    assert case.metric("promises_kept_total", target="0.1") == 500
    assert len(events(tmp_path, "promise_alarm_over")) == 1


def test_the_alarm_ends_with_the_last_promise_of_its_target(tmp_path):
    case = Keeper(tmp_path)
    for spot in case.promise(20, age=30.0):
        case.keeper.evicted(spot)
    case.keeper.count()
    assert case.metric("promises_alarm", target="0.1") == 1
    case.keeper._settings.promise_days = -1  # their terms end within an hour: outside of it
    case.keeper.count()
    assert case.metric("promises_alarm", target="0.1") == 0
    assert case.metric("promises_broken_total", target="0.1") == 20  # a counter only grows
    assert len(events(tmp_path, "promise_alarm_over")) == 1


def test_a_service_that_is_started_again_goes_on_counting(tmp_path):
    case = Keeper(tmp_path)
    spots = case.promise(3, age=30.0)
    case.keeper.evicted(spots[0])
    again = Keeper(tmp_path)
    again.keeper.evicted(spots[1])  # before it has counted once
    again.keeper.count()
    assert again.metric("promises_broken_total", target="0.1") == 2


def test_a_spot_that_was_never_built_is_not_counted(tmp_path):
    case = Keeper(tmp_path)
    built, failed, young = [], case.promise(1, age=70.0), case.promise(1, age=30.0)
    built = case.promise(1, age=70.0)
    case.placement.running.difference_update(failed + young)
    case.keeper.count()
    assert case.metric("promises_open", target="0.1") == 2
    case.placement.asked = 0
    case.keeper.count()
    assert case.placement.asked == 0  # once is enough
    case.keeper.evicted(built[0])
    assert case.metric("promises_broken_total", target="0.1") in (0, None)
    case.keeper.count()
    assert case.metric("promises_broken_total", target="0.1") == 1


def test_spots_of_which_placement_says_nothing_keep_no_other_from_being_seen(tmp_path, caplog):
    """Of 4 first ones every question is answered by 500; the 2 after them were never built."""
    case = Keeper(tmp_path)
    case.placement.failing.update(case.promise(4, age=70.0))
    case.placement.running.difference_update(case.promise(2, age=70.0))
    # 3 failures end a count, as placement may be away: the first is over before the 2, the second
    # begins with the 3 that were not asked about.
    case.keeper.count()
    case.keeper.count()
    assert case.metric("promises_open", target="0.1") == 4
    assert case.metric("errors_total", where="promises") == 6
    for _ in range(10):
        case.keeper.count()
    said = [each for each in caplog.records if each.levelname == "WARNING"]
    assert len(said) == 4 and "cannot see whether spot" in said[0].getMessage()
    case.placement.failing.clear()
    for _ in range(2):
        case.keeper.count()
    case.placement.asked = 0
    case.keeper.count()
    assert case.placement.asked == 0  # all are seen


def test_nothing_that_goes_wrong_is_raised(tmp_path, monkeypatch):
    case = Keeper(tmp_path)
    (spot,) = case.promise(1, age=30.0)
    folder = tmp_path / "state" / "promises"
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    folder.write_text("no folder")
    case.keeper.evicted(spot)
    case.keeper.take(new_promise(time.time()))
    case.keeper.count()
    assert case.metric("errors_total", where="promises") == 3
    case.keeper.take(new_promise(time.time() + HOUR))  # of the future


def test_the_service_counts_what_it_is_told_and_evicts(running):
    """Two spots of 4 vCPUs fill a host; both were promised an hour; a VM of 4 comes."""
    host, spots = running.full_host(2, "h1")
    service = running.start()
    for spot in spots:
        promise = Promise(spot, time.time() - 1, HOUR, 0.1)
        send(service, promise_to_message(promise), EVENT_TYPE)
    send(service, {"no": "promise"}, EVENT_TYPE)
    running.cloud.add(host, 4, 1024, spot=False)
    wait_until(lambda: len(running.cloud.deleted) == 1, "the eviction")
    wait_until(lambda: len(running.events("promise_broken")) == 1, "that it is noted")
    (broken,) = running.events("promise_broken")
    assert broken["instance"] == running.cloud.deleted[0]
    service.context.promises.count()
    assert metric(service, "promises_broken_total", target="0.1") == 1
    assert metric(service, "promises_open", target="0.1") == 1
    assert [each["event"] for each in audit_records(running.folder)][:2] == [
        "intent",
        "promise_broken",
    ]


@pytest.mark.parametrize("hears", ["the same copy", "another copy"])
def test_a_promise_of_which_is_heard_after_the_eviction_is_broken(tmp_path, hears):
    """The message bus was slow; each message goes to one copy."""
    evicts = Keeper(tmp_path)
    hearing = evicts if hears == "the same copy" else Keeper(tmp_path)
    late, over = new_promise(time.time() - 30), new_promise(time.time() - 30, 5.0)
    for promise in (late, over):
        evicts.keeper.evicted(promise.instance)
        hearing.keeper.take(promise)
    hearing.keeper.take(new_promise(time.time() - 30))  # of a spot that is there
    assert len(events(tmp_path, "promise_broken")) == (hearing is evicts)
    for _ in range(2):
        evicts.keeper.count()
        hearing.keeper.count()
    (broken,) = events(tmp_path, "promise_broken")
    assert broken["instance"] == late.instance  # the other had lived as long as promised
    assert 29 <= broken["lived_s"] < 30 + PATIENCE_S
    for case in (evicts, hearing):
        assert case.metric("promises_broken_total", target="0.1") == 1
