"""`cospot-nova bill`, against sums worked out by hand. All times are of March 2025, UTC."""

from __future__ import annotations

import csv
import gzip
import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from cospot.errors import ConfigError
from cospot.nova.promises.journal import PromiseJournal
from cospot.nova.promises.promise_message import Promise
from cospot.nova.spot_flavors import spot_extra_specs
from cospot.nova.tools.bill import audit_history
from cospot.nova.tools.bill.bill_command import month_of
from cospot.nova.tools.bill.month_bill import COLUMNS
from tool_cases import cloud_for, run, server

SPOT = spot_extra_specs(2, 4096, 20)  # as tool_cases.server: 2 vCPUs, 4 GiB
MARCH = datetime(2025, 3, 1)


def at(day: int, hour: float = 0, seconds: float = 0) -> datetime:
    """A time of March, day 0 being the last of February."""
    return MARCH + timedelta(days=day - 1, hours=hour, seconds=seconds)


def unix(moment: datetime) -> float:
    return moment.replace(tzinfo=timezone.utc).timestamp()


def action(name: str, began: datetime, noted: datetime | None = None, **fields: Any) -> Any:
    return {
        "action": name,
        "start_time": f"{began.isoformat()}.000000",
        "updated_at": f"{(noted or began).isoformat()}.000000",
        "message": None,
        "user_id": "somebody",
        **fields,
    }


class Case:
    """A cloud, and the files of an evictor whose log goes back to February."""

    def __init__(self, cloud: Any, folder: Path) -> None:
        self.cloud = cloud
        self.state = folder / "state"
        self.log = folder / "audit.jsonl"
        self.conf = folder / "evictor.conf"
        self.configure()
        PromiseJournal(str(self.state)).add(Promise("nobody", unix(at(-100)), 60, 0.05))
        self.note("host_resumed", at(-10))
        # What ends early in the month shows that Nova still knows such servers.
        self.spot("early", at(0), at(1))

    def configure(self, promise_days: int = 3650) -> None:
        self.conf.write_text(
            f"[cospot_evictor]\nstate_path = {self.state}\naudit_log = {self.log}\n"
            f"promise_days = {promise_days}\n"
        )

    def note(self, event: str, when: datetime, instance: str = "", **fields: Any) -> None:
        moment = when.replace(tzinfo=timezone.utc).isoformat(timespec="milliseconds")
        record = {"time": moment, "event": event, "instance": instance, **fields}
        with self.log.open("a") as file:
            file.write(json.dumps(record) + "\n")

    def spot(self, uuid: str, created: Any, ended: Any = None, *actions: Any, **more: Any) -> None:
        """A spot of 2 vCPUs whose deletion, if any, was asked for when it ended."""
        status = "ACTIVE" if ended is None else "DELETED"
        row = server(uuid, created, ended=ended, status=status, extra_specs=SPOT, **more)
        self.cloud.servers.append(row)
        ends = [action("delete", ended)] if ended is not None else []
        self.cloud.actions[uuid] = [*ends, *reversed(actions), action("create", created)]

    def evicts(self, uuid: str, when: datetime, **fields: Any) -> None:
        self.note("intent", when, uuid, project_id="blue", chosen_by="FIFO", **fields)
        self.note("freed", when + timedelta(seconds=2), uuid)

    def bill(self, capsys: Any, *arguments: str, code: int = 0, month: str = "2025-03") -> Any:
        config = ("--evictor-config-file", self.conf)
        assert run("bill", "--month", month, "--json", *config, *arguments) == code
        out = capsys.readouterr()
        return json.loads(out.out)


@pytest.fixture
def case(monkeypatch, tmp_path):
    with cloud_for(monkeypatch) as cloud:
        yield Case(cloud, tmp_path)


def only_row(bill: dict[str, Any]) -> dict[str, Any]:
    (row,) = bill["rows"]
    return row


def test_seconds_evictions_free_first_hours_and_broken_promises(case, capsys, tmp_path):
    case.spot("a", at(0, 23), at(1, 1))  # 1 h of it in March
    case.spot("b", at(10, 12), at(10, 12.5, 1))  # 1801 s, evicted in its first hour
    case.evicts("b", at(10, 12.5))
    case.spot("c", at(10, 12), at(10, 13.5))  # 5400 s, evicted after it
    case.evicts("c", at(10, 13.5))
    case.spot("d", at(31, 23))  # 1 h, and runs on in April
    case.spot("e", at(5), at(5, 2), tenant_id="red")  # 2 h
    case.cloud.servers.append(server("vm", at(2)))
    journal = PromiseJournal(str(case.state))
    journal.add(Promise("c", unix(at(10, 12)), 7200, 0.05))
    assert journal.evicted("c", unix(at(10, 13.5))) is not None
    found = case.bill(capsys, "--csv", str(tmp_path / "bill.csv"))
    assert found["not_known"] == [] and found["is_over"] and found["review"] == []
    blue, red = found["rows"]
    assert tuple(blue) == COLUMNS
    # 3600 + 1801 + 5400 + 3600; each has 2 vCPUs
    assert blue == {
        "month": "2025-03", "project_id": "blue", "flavor": "m1", "servers": 4,
        "spot_seconds": 14_401, "spot_vcpu_seconds": 28_802,
        "evictions": 2, "evicted_first_hour_seconds": 1801,
        "evicted_first_hour_vcpu_seconds": 3602, "evictions_known": "yes",
        "broken_promises": 1, "promises_known": "yes",
        "review_servers": 0, "review_seconds": 0, "review": "",
        # c's promise of 7200 s from its start: it ran for 5400 s of that, with 2 vCPUs.
        "promised_seconds": 5400, "promised_vcpu_seconds": 10_800, "promised_known": "yes",
    }  # fmt: skip
    assert (red["project_id"], red["servers"], red["spot_seconds"]) == ("red", 1, 7200)
    assert (red["evictions"], red["broken_promises"]) == (0, 0)
    with (tmp_path / "bill.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows == [{key: str(value) for key, value in row.items()} for row in (blue, red)]


def test_promised_seconds_are_those_of_the_term_in_which_it_ran(case, capsys):
    journal = PromiseJournal(str(case.state))
    # Ran from 23:00 to 01:00; promised for 90 minutes from 22:50: in March until 00:20.
    case.spot("a", at(0, 23), at(1, 1))
    journal.add(Promise("a", unix(at(0, 22, 3000)), 5400, 0.05))
    # Ran for 2 h and on until the end of March; promised for 1 h in April's direction.
    case.spot("b", at(31, 22))
    journal.add(Promise("b", unix(at(31, 23, 1800)), 3600, 0.05))
    # Shelved for the second of its three hours, all of which were promised.
    flavor = {**server("x", at(5), extra_specs=SPOT)["flavor"], "vcpus": 4}
    shelved = [action("shelve", at(5, 1)), action("unshelve", at(5, 2))]
    case.spot("c", at(5), at(5, 3), *shelved, flavor=flavor)
    journal.add(Promise("c", unix(at(5)), 3 * 3600, 0.05))
    # It never ran, so nothing was promised.
    case.spot("d", at(6), at(6, 1))
    journal.add(Promise("d", unix(at(6)), 3600, 0.05))
    journal.saw(Promise("d", unix(at(6)), 3600, 0.05), runs=False, now=unix(at(6, 1)))
    row = only_row(case.bill(capsys))
    # 1200 s of a, 1800 s of b, 7200 s of c; 2, 2 and 4 vCPUs.
    assert row["promised_seconds"] == 1200 + 1800 + 7200
    assert row["promised_vcpu_seconds"] == 2 * 1200 + 2 * 1800 + 4 * 7200
    case.configure(promise_days=1)
    row = only_row(case.bill(capsys))
    assert (row["promised_seconds"], row["promised_known"]) == (None, "no")


def test_a_first_hour_over_the_end_of_a_month_is_free_in_both(case, capsys):
    case.spot("a", at(0, 23, 2400), at(1, 0, 1200))  # 20 minutes in each
    case.evicts("a", at(1, 0, 1200))
    case.note("host_resumed", at(-60))
    row = only_row(case.bill(capsys))
    columns = ("spot_seconds", "evicted_first_hour_seconds", "evictions")
    assert [row[each] for each in columns] == [1200, 1200, 1]
    # `early` ran all of the day before: 86400 s.
    row = only_row(case.bill(capsys, month="2025-02", code=1))
    assert [row[each] for each in columns] == [86_400 + 1200, 1200, 0]


def relaunched(moment: datetime) -> dict[str, str]:
    """What Nova shows of a server that it started again."""
    return {"OS-SRV-USG:launched_at": f"{moment.isoformat()}.000000"}


def test_the_time_from_shelving_to_unshelving_is_not_billed(case, capsys):
    shelved = [action("shelve", at(10, 6)), action("shelveOffload", at(10, 6, 30))]
    unshelved = action("unshelve", at(10, 8), at(10, 8, 30))
    case.spot("a", at(10), at(10, 9), *shelved, unshelved, **relaunched(at(10, 8, 29)))
    row = only_row(case.bill(capsys))
    # 6 h, and an hour less 30 s.
    assert row["spot_seconds"] == 21_600 + 3570
    assert (row["review"], row["review_seconds"], row["review_servers"]) == ("shelved", 25_170, 1)


def test_spots_that_are_evicted_by_shelving(case, capsys):
    actions = [action("shelve", at(10, 6, 1)), action("unshelve", at(10, 8), at(10, 8, 30))]
    actions.append(action("shelve", at(10, 8, 90)))
    case.spot("a", at(10), None, *actions, **relaunched(at(10, 8, 29)))
    case.evicts("a", at(10, 6), action="shelve-offload")
    case.evicts("a", at(10, 8, 89), action="shelve-offload")
    row = only_row(case.bill(capsys))
    # 6 h and 1 s, which is more than an hour; then 60 s, which are free. Nobody else shelved it.
    assert (row["spot_seconds"], row["evicted_first_hour_seconds"]) == (21_661, 60)
    assert (row["evictions"], row["review"]) == (2, "")


@pytest.mark.parametrize(("day", "review"), [(-3, ""), (12, "resized"), (35, "resized")])
def test_a_resized_server_is_billed_by_its_flavor_of_now(case, capsys, day, review):
    """One that was resized before the month had that flavor all month."""
    resized = [action("resize", at(day), at(day, 0, 60)), action("confirmResize", at(day, 1))]
    ended = at(11) if day < 11 else None
    case.spot("a", at(-5), ended, *resized, **relaunched(at(day, 0, 50)))
    found = case.bill(capsys)
    row = only_row(found)
    days = 10 if day < 11 else 31
    assert (row["spot_seconds"], row["review"]) == (days * 86_400, review)
    assert row["review_seconds"] == (days * 86_400 if review else 0)
    assert [each["server"] for each in found["review"]] == (["a"] if review else [])


def test_it_starts_when_it_was_created_and_not_when_it_was_rebuilt(case, capsys):
    case.spot("a", at(10), at(10, 5), action("rebuild", at(10, 2)), **relaunched(at(10, 2, 9)))
    case.cloud.actions["a"][-1] = action("create", at(10), at(10, 0, 40))
    row = only_row(case.bill(capsys))
    assert (row["spot_seconds"], row["review"]) == (5 * 3600 - 40, "")
    # A build that failed on one host and not on the next one looks like one that failed.
    case.cloud.actions["a"][-1]["message"] = "Error"
    row = only_row(case.bill(capsys))
    assert (row["spot_seconds"], row["review"]) == (5 * 3600, "start unknown")


def test_it_ends_when_its_deletion_was_asked_for(case, capsys):
    """Nova reclaimed the soft-deleted one later; the other one was restored and runs."""
    case.spot("a", at(10), at(17))
    case.cloud.actions["a"][0] = action("delete", at(10, 1))
    case.spot("b", at(30), None, action("delete", at(30, 1)), action("restore", at(30, 3)))
    row = only_row(case.bill(capsys))
    # a: 1 h. b: 1 h, and from 3:00 of the 30th to the end of the 31st: 45 h.
    assert (row["spot_seconds"], row["review"]) == (3600 + 46 * 3600, "restored")


def test_a_failed_deletion_does_not_end_it(case, capsys):
    case.spot("a", at(31, 20), None, action("delete", at(31, 21), message="Error"))
    case.spot("b", at(31, 20), None, action("delete", at(31, 21)))
    found = case.bill(capsys)
    assert only_row(found)["spot_seconds"] == 2 * 4 * 3600
    assert [(each["server"], each["review"]) for each in found["review"]] == [
        ("b", ["deletion without end"])
    ]


def test_a_server_that_never_ran_or_ended_before_is_not_billed(case, capsys):
    case.spot("a", at(10), at(10, 1), **{"OS-SRV-USG:launched_at": None})
    case.spot("b", at(-2), at(0))
    case.spot("c", at(32))
    assert case.bill(capsys)["rows"] == []


def test_without_its_actions_nova_s_own_times_count(case, capsys):
    case.spot("a", at(10), at(10, 1))
    del case.cloud.actions["a"]
    row = only_row(case.bill(capsys))
    assert (row["spot_seconds"], row["review"]) == (3600, "actions unknown")


def test_without_an_audit_log_evictions_are_unknown_and_not_0(case, capsys):
    case.spot("a", at(10), at(10, 1))
    case.log.unlink()
    found = case.bill(capsys, code=1)
    row = only_row(found)
    assert row["spot_seconds"] == 3600
    unknown = ("evictions", "evicted_first_hour_seconds", "evicted_first_hour_vcpu_seconds")
    assert [row[key] for key in unknown] == [None] * 3 and row["evictions_known"] == "no"
    assert row["broken_promises"] == 0 and row["promises_known"] == "yes"  # of the journal
    assert found["not_known"] == [
        "evictions are not known: no audit log tells of this month",
        f"there is no audit log at {case.log} here",
    ]
    found = case.bill(capsys, "--logged-since", "2025-01-01", code=1)
    assert only_row(found)["evictions"] is None


def test_a_log_that_begins_within_the_month_tells_a_part(case, capsys):
    case.spot("a", at(10), at(10, 1))
    case.log.unlink()
    case.evicts("a", at(10, 1))
    found = case.bill(capsys, code=1)
    assert (only_row(found)["evictions"], only_row(found)["evictions_known"]) == (1, "partly")
    (said,) = found["not_known"]
    assert said.startswith("evictions before 2025-03-10T01:00:00Z are not known")
    # Its owner knows better.
    found = case.bill(capsys, "--logged-since", "2025-02-20")
    assert only_row(found)["evictions_known"] == "yes" and found["not_known"] == []
    assert run("bill", "--month", "2025-03", "--evictor-config-file", case.conf) == 1
    shown = capsys.readouterr().out.splitlines()
    assert shown[1].startswith("project  flavor  servers  spot seconds  vCPU-seconds")
    assert shown[2].split()[:7] == ["blue", "m1", "1", "3600", "7200", "0", ">="]
    assert shown[3].startswith("NOT KNOWN: evictions before 2025-03-10T01:00:00Z are not known")


def test_rotated_logs_are_read_and_a_gap_is_said(case, capsys):
    case.spot("a", at(10), at(10, 2))
    case.evicts("a", at(10, 2))
    rotated = case.log.with_name("audit.jsonl.2.gz")
    rotated.write_bytes(gzip.compress(case.log.read_bytes()))
    case.log.unlink()
    case.spot("b", at(11), at(11, 2))
    case.evicts("b", at(11, 2))
    found = case.bill(capsys, code=1)
    assert only_row(found)["evictions"] == 2
    assert only_row(found)["evictions_known"] == "partly"
    assert found["not_known"] == [f"of the rotated audit logs {case.log}.1 is missing"]
    case.log.with_name("audit.jsonl.1").write_text("")
    found = case.bill(capsys)
    assert only_row(found)["evictions_known"] == "yes"
    assert len(found["audit_logs"]) == 3
    rotated.write_bytes(rotated.read_bytes()[:-9])
    found = case.bill(capsys, code=1)
    assert only_row(found)["evictions_known"] != "yes"
    assert "cannot be read to its end" in " ".join(found["not_known"])


def test_logs_of_several_machines_count_together(case, capsys, tmp_path):
    case.spot("a", at(10), at(10, 2))
    case.evicts("a", at(10, 2))
    case.note("promise_broken", at(10, 2), "a")
    other = tmp_path / "other.jsonl"
    case.log.rename(other)
    case.spot("b", at(11), at(11, 2))
    case.evicts("b", at(11, 2))
    found = case.bill(capsys, "--audit-log", str(case.log), "--audit-log", str(other))
    assert (only_row(found)["evictions"], only_row(found)["broken_promises"]) == (2, 1)


def test_promises_that_the_journal_has_dropped_are_unknown(case, capsys):
    case.spot("a", at(10), at(10, 2))
    case.configure(promise_days=1)
    row = only_row(case.bill(capsys))
    assert (row["broken_promises"], row["promises_known"]) == (0, "yes")  # by the audit log
    case.log.unlink()
    found = case.bill(capsys, code=1)
    assert (only_row(found)["broken_promises"], only_row(found)["promises_known"]) == (None, "no")
    assert found["not_known"][-1] == (
        "broken promises are not known: the journal has dropped them (promise_days)"
    )


def test_evicted_spots_that_nova_does_not_show_are_said(case, capsys):
    case.spot("a", at(10), at(10, 2))
    case.evicts("archived", at(10, 2))
    found = case.bill(capsys, code=1)
    unseen, seen = found["rows"]
    assert (unseen["flavor"], unseen["project_id"], unseen["evictions"]) == ("", "blue", 1)
    assert unseen["spot_seconds"] is None and unseen["review"] == "not in Nova"
    assert seen["spot_seconds"] == 7200 and seen["evictions"] == 0
    assert "Nova does not show 1 of the evicted spots" in found["not_known"][0]


def test_a_month_of_which_nothing_ended_early_may_have_been_archived(case, capsys):
    case.cloud.servers.clear()
    case.spot("a", at(20), at(21))
    found = case.bill(capsys, code=1)
    assert found["not_known"] == [
        "Nova shows no server that ended in the first 20 days: if deleted ones were archived or"
        " purged since, they are missing"
    ]


def test_an_eviction_that_ended_nothing_is_reviewed(case, capsys):
    case.spot("a", at(31, 20))
    case.evicts("a", at(31, 20.5))
    row = only_row(case.bill(capsys))
    assert (row["evicted_first_hour_seconds"], row["review"]) == (0, "eviction does not fit")


def history(tmp_path: Path, *events: tuple[str, dict[str, Any]]) -> list[float]:
    """When a spot was evicted, in seconds after the first record."""
    lines = [
        json.dumps({"time": at(1, 0, n).isoformat(), "event": event, "instance": "a", **fields})
        for n, (event, fields) in enumerate(events)
    ]
    path = tmp_path / "log"
    path.write_text("\n".join([*lines, '{"unfinished']))
    found = audit_history.read_history([path])
    assert found.since == unix(at(1)) and found.problems == []
    return [each.at - found.since for each in found.of("a") if each.is_sure]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (["intent", "freed"], [0]),
        (["intent"], [0]),
        (["intent", "late", "intent", "freed"], [0]),
        (["intent", "failed"], []),
        (["intent", "gone"], []),
        (["intent", "failed", "intent", "freed"], [2]),
        (["intent", "freed", "intent", "freed"], [0, 2]),
        (["would_evict", "held_back", "refused"], []),
        # The first order was taken, so the spot went by it.
        (["intent", "late", "intent", "gone"], [0]),
        (["intent", "late", "intent", "failed", "freed"], [0]),
        (["intent", "intent", "gone"], [0]),  # the service was killed before an answer
        (["intent", "late", "intent", "gone", "intent", "gone"], [0]),
        (["intent", "gone", "intent", "late", "intent", "gone"], [2]),
    ],
)
def test_what_is_an_eviction(tmp_path, events, expected):
    assert history(tmp_path, *[(event, {}) for event in events]) == expected


TAKEN, REFUSED, UNANSWERED = (
    ("failed", {"order": order}) for order in ("taken", "refused", "unanswered")
)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([("late", {}), TAKEN], []),  # its compute did not delete it
        ([("late", {}), ("intent", {}), REFUSED], [0]),
        ([("late", {}), ("intent", {}), UNANSWERED], [0]),
        ([("late", {}), ("intent", {}), REFUSED, TAKEN], []),
        ([("late", {}), ("intent", {}), TAKEN, ("intent", {}), ("freed", {})], [4]),
        ([("late", {}), ("intent", {"who": "b"}), ("failed", {"order": "taken", "who": "a"})], [0]),
        ([("late", {}), ("failed", {"error": "its compute did not delete it"})], []),
        ([REFUSED], []),
        ([UNANSWERED], []),  # only Nova can tell: see the next tests
    ],
)
def test_what_became_of_an_order(tmp_path, events, expected):
    assert history(tmp_path, ("intent", {"who": "a"}), *_by_a(events)) == expected


def _by_a(events: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, dict[str, Any]]]:
    return [(event, {"who": "a", **fields}) for event, fields in events]


def test_a_spot_gone_by_an_earlier_order_was_evicted_in_its_first_hour(case, capsys):
    """Ordered after 30 minutes, late, ordered again 120 s later, and gone by then."""
    case.spot("a", at(2), at(2, 0.5, 100))
    case.note("intent", at(2, 0.5, 90), "a", project_id="blue", chosen_by="FIFO")
    case.note("late", at(2, 0.5, 150), "a")
    case.note("intent", at(2, 0.5, 210), "a", project_id="blue", chosen_by="note")
    case.note("gone", at(2, 0.5, 211), "a")
    row = only_row(case.bill(capsys))
    assert (row["servers"], row["evictions"]) == (1, 1)
    assert row["evicted_first_hour_seconds"] == row["spot_seconds"] == 1900


@pytest.mark.parametrize(("ended", "evictions"), [(100, 1), (2000, 0), (None, 0)])
def test_an_order_without_an_answer_is_an_eviction_if_the_spot_went(case, capsys, ended, evictions):
    """A server that ends 10 s after the order went by it; one that runs on did not."""
    case.spot("a", at(2), None if ended is None else at(2, 0, ended))
    case.note("intent", at(2, 0, 90), "a", project_id="blue", chosen_by="FIFO")
    case.note("failed", at(2, 0, 120), "a", order="unanswered")
    row = only_row(case.bill(capsys))
    assert (row["evictions"], row["review"]) == (evictions, "")
    assert row["evicted_first_hour_seconds"] == (100 if evictions else 0)


def test_an_order_that_is_repeated_for_want_of_an_answer_is_one_eviction(case, capsys):
    case.spot("a", at(2), at(2, 0, 130))
    case.note("intent", at(2, 0, 90), "a", project_id="blue", chosen_by="FIFO")
    case.note("failed", at(2, 0, 120), "a", order="unanswered")
    case.evicts("a", at(2, 0, 129))
    row = only_row(case.bill(capsys))
    assert (row["evictions"], row["evicted_first_hour_seconds"]) == (1, 130)


@pytest.mark.parametrize("chosen_by", ["soft-deleted", "deletion-stuck"])
def test_what_its_owner_deleted_was_not_evicted(tmp_path, chosen_by):
    assert history(tmp_path, ("intent", {"chosen_by": chosen_by}), ("freed", {})) == []
    again = ("intent", {"chosen_by": "deletion-stuck"})
    assert history(tmp_path, ("intent", {"chosen_by": "FIFO"}), ("late", {}), again) == [0]


def test_months():
    now = unix(datetime(2025, 12, 31, 23, 30))
    december = month_of(datetime(2025, 12, 1, tzinfo=timezone.utc), now)
    assert (december.end, december.until) == (unix(datetime(2026, 1, 1)), now)
    with pytest.raises(ConfigError, match="--month 2026-01: expected a month from 2010-01 to this"):
        month_of(datetime(2026, 1, 1, tzinfo=timezone.utc), now)


@pytest.mark.parametrize("text", ["2025", "2025-13", "25-03", "2025-3", "March"])
def test_a_month_that_is_none(case, said, text):
    assert "expected such as 2026-10" in said("bill", "--month", text, code=2)


def test_the_page_has_every_column():
    from sample_files import ROOT

    page = (ROOT / "docs" / "nova" / "selling.md").read_text()
    rows = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| `")]
    assert [name for name in rows if name.strip("`") in COLUMNS] == [f"`{c}`" for c in COLUMNS]
