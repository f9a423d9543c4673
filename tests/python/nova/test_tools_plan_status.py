"""`cospot-nova status --plan`: the tests against values by hand, and alarms of a small cloud."""

import itertools
import json
import os
import random
import time
from datetime import datetime, timedelta, timezone

import cospot
import numpy as np
import pytest
from cospot.nova.promises.journal import PromiseJournal
from cospot.nova.promises.promise_message import Promise
from cospot.nova.spot_flavors import spot_extra_specs
from cospot.nova.tools.bill.audit_history import read_log
from cospot.nova.tools.plan import drift, evictions
from cospot.nova.tools.plan.plan_file import read_plan
from plan_cases import ECONOMY, write_plan
from tool_cases import run, server

HOUR = 3600
DAY = 24 * HOUR
COLUMNS = "instance_id,tenant_id,class,vcpus,memory_mb,disk_gb,start_s,end_s"


def days(*values):
    return [np.array(each, float) for each in values]


def test_the_distance_and_all_permutations_by_hand():
    """Two days of 1 and two of 2: as far apart only these, and the other way round, of six."""
    found = drift.compare(days([1], [1]), days([2], [2]))
    assert (found.distance, found.p, found.least_p) == (1, 2 / 6, 1 / 6)
    assert (found.before, found.after) == (1, 2)
    # Up to 2 half of before, none of after. Any day could be the odd one out: 0.5, 0.5, and 1.
    found = drift.compare(days([1, 2], [3, 4]), days([3, 4]))
    assert (found.distance, found.p) == (0.5, 1)


def test_equal_samples_are_no_difference():
    found = drift.compare(days([1, 2], [1, 2]), days([1, 2]))
    assert (found.distance, found.p) == (0, 1)


def test_nothing_is_said_of_an_empty_sample():
    assert drift.compare(days([], []), days([1])) is None
    assert drift.compare([], days([1])) is None
    assert drift.compare(days([1]), []) is None


def test_permutations_by_brute_force():
    draws = random.Random(7)
    samples = [[draws.randrange(6) for _ in range(draws.randrange(1, 9))] for _ in range(7)]

    def distance(chosen):
        parts = [
            [value for at, day in enumerate(samples) if (at in chosen) is side for value in day]
            for side in (True, False)
        ]
        return max(
            abs(sum(v <= point for v in parts[0]) / len(parts[0])
                - sum(v <= point for v in parts[1]) / len(parts[1]))
            for point in range(6)
        )  # fmt: skip

    found = drift.compare(days(*samples[:4]), days(*samples[4:]))
    expected = distance({4, 5, 6})
    assert found.distance == pytest.approx(expected)
    every = [distance(set(chosen)) for chosen in itertools.combinations(range(7), 3)]
    assert found.p == sum(one >= expected - 1e-12 for one in every) / 35


def test_a_burst_of_one_day_is_no_drift():
    """10,000 requests of one day are one day: 1 of 21 days is among the 7 once in three times."""
    quiet = [[1.0] * 10 for _ in range(20)]
    found = drift.compare(days(*quiet[:14]), days([9.0] * 10_000, *quiet[14:]))
    assert found.distance == pytest.approx(10_000 / 10_060)
    assert found.p == pytest.approx(1 / 3, abs=0.02)


def test_two_weeks_and_one_that_differ_altogether():
    """Of 116,280 permutations 9,999 are drawn, and the same each time."""
    before, after = [[1.0]] * 14, [[2.0]] * 7
    found = drift.compare(days(*before), days(*after))
    assert found.p == found.least_p == 1 / 10_000
    assert drift.compare(days(*before), days(*after)) == found


def test_two_weeks_of_one_demand_seldom_differ():
    """Bursts and all. By the tables of the test nearly every pair would: requests are dependent."""
    alarms = 0
    for seed in range(1, 11):
        demand = drift.demand(cospot.Workload.generate(seed=seed, scale=0.001))
        found = drift.compare_week(demand.last(1), demand.last(0))
        alarms += min(one.p for one in found.values()) < 0.05 / 4
    assert alarms <= 2  # more than 2 of 10 happen once in 87 times at 5 %


def test_other_sizes_are_noticed_on_a_synthetic_cloud():
    columns = cospot.Workload.generate(seed=1, scale=0.001).to_columns()
    columns["vcpus"] = columns["vcpus"] * 2
    after = drift.demand(cospot.Workload.from_columns(columns, window_days=14)).last(0)
    before = drift.demand(cospot.Workload.generate(seed=1, scale=0.001)).last(1)
    found = drift.compare_week(before, after)
    assert found["vcpus"].p < 0.005 < found["memory_mb"].p


def workload(rows, window_days):
    names = ("is_spot", "vcpus", "memory_mb", "start_us", "end_us")
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    for name in ("start_us", "end_us"):
        columns[name] = [
            cospot.NEVER_US if one is None else int(one * 1_000_000) for one in columns[name]
        ]
    return cospot.Workload.from_columns(columns, window_days=window_days)


def test_demand_by_day():
    """Of a window of 8.5 days the last seven count: they begin at 1.5 days."""
    zero = 1.5 * DAY
    rows = [
        (False, 64, 1024, zero - 1, None),  # before
        (False, 2, 1024, zero, zero + 2 * HOUR),  # day 0, 2 h
        (False, 4, 2048, zero + 90, None),  # day 0, 24 h of 24
        (True, 8, 1024, zero + HOUR, None),  # a spot
        (False, 2, 4096, zero + 2.5 * DAY, zero + 9 * DAY),  # day 2, hour 12, 24 h of 24
        (False, 1, 512, zero + 6.5 * DAY, zero + 6.6 * DAY),  # too late to be watched for a day
        (False, 32, 1, zero + 7 * DAY, None),  # after
    ]
    found = drift.demand(workload(rows, 8.5))
    assert found.days == 7
    assert [list(day) for day in found.vcpus] == [[2, 4], [], [2], [], [], [], [1]]
    assert [list(day) for day in found.memory_mb] == [[1024, 2048], [], [4096], [], [], [], [512]]
    assert [list(day) for day in found.hours] == [[2, 24], [], [24], [], [], [], []]
    assert [sum(day) for day in found.per_hour] == [2, 0, 1, 0, 0, 0, 1]
    assert (found.per_hour[0][0], found.per_hour[2][12]) == (2, 1)
    assert all(len(day) == 24 for day in found.per_hour)


@pytest.mark.parametrize(("window", "expected"), [(0.5, 0), (3.9, 3), (7, 7), (13.9, 7), (14, 14)])
def test_whole_weeks_where_there_is_one(window, expected):
    found = drift.demand(workload([(False, 1, 1, 0, 1)], window))
    assert (found.days, len(found.vcpus), len(found.per_hour)) == (expected,) * 3


def test_rates_of_evictions():
    """A spot of 36 h, evicted at its end, and one of the second day alone."""
    hours = np.array([0, 24]) * HOUR * 1_000_000, np.array([36, 30]) * HOUR * 1_000_000
    evicted = np.array([36 * HOUR * 1_000_000])
    found = evictions.rates(*hours, evicted, [0, drift.DAY_US, 2 * drift.DAY_US])
    assert found.spot_hours == [24, 12 + 6, 0]
    assert found.evictions == [0, 1, 0]
    assert [list(day) for day in found.days] == [[0], [1 / 18]]
    assert found.rate == 1 / 42
    assert found.last(0) == found


def line(name, kind, vcpus, start, end):
    return f"{name},p,{kind},{vcpus},1024,0,{start:.0f},{end:.0f}"


def history(path, window_days, *, vcpus=3, spot_hours=12, prefix=""):
    """Each day a spot of 2 vCPUs comes at 0:00, and a VM at 12:00 for an hour.

    Args:
        spot_hours: how long the spot lasts.
    """
    rows = [line(f"{prefix}early", "vm", 1, -2 * HOUR, -HOUR)]
    for day in range(window_days):
        zero = day * DAY
        rows.append(line(f"{prefix}s{day}", "spot", 2, zero, zero + spot_hours * HOUR))
        rows.append(line(f"{prefix}v{day}", "vm", vcpus, zero + 12 * HOUR, zero + 13 * HOUR))
    path.write_text("\n".join([f"# window_days: {window_days}", COLUMNS, *rows, ""]))
    return path


@pytest.fixture
def plan(tmp_path):
    """Of 14 days in which each spot would last a day and is evicted after half of it."""
    history(tmp_path / "history.csv", 14, spot_hours=24)
    return write_plan(
        tmp_path / "plan.yaml",
        [(1, 0.9), (6, 0.9)],
        host="{vcpus: 4, memory_mb: 8192}",
        hosts="1",
        spot="[sCOS]",
        otn="[1]",
    )


def test_the_plan_on_its_own_history(plan):
    """A VM of 3 vCPUs on a host of 4 evicts the spot of 2 that has run for 12 hours."""
    found = evictions.planned_rates(read_plan(str(plan)), read_plan(str(plan)).workload())
    assert found.evictions == [1] * 14
    assert found.spot_hours == [12] * 14


@pytest.fixture
def cloud(empty_cloud):
    empty_cloud.add_host("h1", inventories={"VCPU": {"total": 4}, "MEMORY_MB": {"total": 8192}})
    return empty_cloud


class Case:
    """A plan, and a service with its folder, its audit log and a recent week."""

    def __init__(self, plan, folder, capsys):
        self.plan, self.capsys, self.path = plan, capsys, folder / "recent.csv"
        self.state = folder / "state"
        self.state.mkdir()
        self.config = folder / "cospot-evictor.conf"
        self.config.write_text(f"[cospot_evictor]\nstate_path = {self.state}\n")

    def recent(self, now=None, *, logged=True, evicted_after=12, **changes):
        """Have a week that ended now; return its audit log's records, which are there if logged."""
        now = time.time() if now is None else now
        history(self.path, 7, spot_hours=evicted_after, prefix="r", **changes)
        os.utime(self.path, (now, now))
        zero = now - 7 * DAY
        records = [{"time": moment(zero - 60), "event": "host_resumed", "host": "h1"}]
        for day in range(7):
            at = zero + day * DAY + evicted_after * HOUR
            fields = {"instance": f"rs{day}", "time": moment(at)}
            records += [{**fields, "event": "intent"}, {**fields, "event": "freed"}]
        if logged:
            self.log(records)
        return records

    def log(self, records):
        text = "".join(json.dumps(record) + "\n" for record in records)
        (self.state / "audit.jsonl").write_text(text)

    def promise(self, count, broken, *, hours=6.0, target=0.1, name="p"):
        """Promises that are a day old, of which some were broken in their first minute."""
        journal = PromiseJournal(str(self.state))
        made = time.time() - DAY
        for number in range(count):
            one = f"{name}{number}"
            journal.add(Promise(one, made, hours * HOUR, target))
            if number < broken:
                journal.evicted(one, made + 60)

    def status(self, *, of_nova=False):
        """Run it; return the exit code and what JSON has of the plan."""
        week = () if of_nova else ("--history", self.path)
        evictor = ("--evictor-config-file", self.config)
        code = run("status", "--plan", self.plan, "--format", "json", *evictor, *week)
        return code, json.loads(self.capsys.readouterr().out)["plan"]


@pytest.fixture
def case(cloud, plan, tmp_path, capsys):
    pytest.importorskip("oslo_log", reason="needs python3-oslo.log")
    return Case(plan, tmp_path, capsys)


def moment(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def test_a_cloud_that_does_as_planned(case):
    case.recent()
    case.promise(20, 1)
    code, found = case.status()
    assert (code, found["alarm"], found["notes"]) == (0, None, [])
    assert [(one["measure"], one["distance"], one["p"]) for one in found["drift"]] == [
        ("vcpus", 0, 1),
        ("memory_mb", 0, 1),
        ("hours", 0, 1),
        ("per_hour", 0, 1),
        ("evictions", 0, 1),
    ]
    rates = found["drift"][-1]
    assert rates["before"] == rates["after"] == pytest.approx(1 / 12)
    (six,) = found["promises"]
    assert (six["hours"], six["promised"], six["broken"], six["alarm"]) == (6, 20, 1, False)
    # Five tests and one class share 0.05.
    assert (found["judgements"], found["level"]) == (6, pytest.approx(0.05 / 6))


def test_demand_that_has_drifted_is_an_alarm(case):
    """VMs of 4 vCPUs in place of 3: no day of the plan's is like any of the week."""
    case.recent(vcpus=4)
    code, found = case.status()
    assert code == 1
    assert [one["measure"] for one in found["drift"] if one["alarm"]] == ["vcpus"]
    assert (found["drift"][0]["before"], found["drift"][0]["after"]) == (3, 4)
    assert found["drift"][0]["p"] == 1 / 10_000
    assert "vCPUs of a VM from " in found["alarm"] and ": 4, in the plan 3 (two-s" in found["alarm"]
    assert "of days: 0.0001 < 0.01)" in found["alarm"]  # 0.05 / 5

    evictor = ("--evictor-config-file", case.config)
    assert run("status", "--plan", case.plan, "--history", case.path, *evictor) == 1
    text = case.capsys.readouterr().out
    assert text.startswith("ALARM: not as in plan.yaml: vCPUs of a VM")
    assert sum(line.startswith("ALARM") for line in text.splitlines()) == 1
    assert "two-sample Kolmogorov-Smirnov test, p by permutation of days\n" in text
    assert "0.05 / 5 judgements (Bonferroni)" in text


def test_more_evictions_than_planned_are_an_alarm(case):
    """Spots are evicted after an hour: one eviction an hour in place of one in twelve."""
    case.recent(evicted_after=1)
    code, found = case.status()
    assert code == 1
    (rates,) = (one for one in found["drift"] if one["alarm"])
    assert (rates["measure"], rates["after"]) == ("evictions", pytest.approx(1))
    assert "evictions per spot-hour from " in found["alarm"]


def test_broken_promises_of_a_class_are_an_alarm(case):
    """9 of 20 broken: at least 16 % are, even with the intervals of six judgements."""
    case.recent()
    case.promise(20, 9)
    code, found = case.status()
    assert code == 1
    lower = cospot.eviction_interval(20, 9, 1 - 0.05 / 6)[0]
    assert found["promises"][0]["broken_share_lower"] == lower > 0.16
    assert "6 h with 90 %: 9 of 20 promises are broken, 10 % may be" in found["alarm"]


def test_promises_count_for_the_shortest_class_that_covers_them(case):
    case.recent(logged=False)
    case.promise(3, 0, hours=1, name="a")
    case.promise(4, 0, hours=2, name="b")
    case.promise(5, 0, hours=7, name="longer")
    case.promise(6, 0, hours=1, target=0.05, name="surer")
    found = case.status()[1]
    assert [(one["hours"], one["promised"]) for one in found["promises"]] == [(1, 3), (6, 4)]


def test_evictions_without_a_log_are_not_compared(case):
    case.recent(logged=False)
    code, found = case.status()
    assert (code, len(found["drift"])) == (0, 4)
    assert found["notes"][0] == "evictions are not compared: there is no audit log here"
    assert found["notes"][1].startswith("no promise of the plan was given yet")


def test_days_before_the_log_begins_are_left_out(case):
    """It begins after 4.5 of 7 days: two whole days are known, too few of 16 to be sure."""
    now = time.time()
    late = case.recent(now, evicted_after=1)[-4:]
    case.log([{"time": moment(now - 2.5 * DAY), "event": "host_resumed"}, *late])
    found = case.status()[1]
    rates = found["drift"][-1]
    assert (rates["measure"], rates["after"]) == ("evictions", pytest.approx(1))
    assert rates["p"] == rates["least_p"] == 1 / 120  # of C(16, 2); the level is 0.01
    case.log([])
    found = case.status()[1]
    assert "no spot ran on a whole day since the audit log begins" in found["notes"][0]


def test_each_week_is_compared(case, tmp_path):
    """Two weeks, the older one with VMs of another size."""
    now = time.time()
    old = history(tmp_path / "old.csv", 7, vcpus=4, prefix="o").read_text().splitlines()[3:]
    new = history(tmp_path / "new.csv", 14, prefix="n").read_text().splitlines()[3:][14:]
    case.path.write_text("\n".join(["# window_days: 14", COLUMNS, *old, *new, ""]))
    os.utime(case.path, (now, now))
    code, found = case.status()
    assert code == 1
    weeks = [moment(now - 7 * DAY * week)[:10] for week in (1, 2)]
    assert [one["week"] for one in found["drift"]] == [weeks[0]] * 4 + [weeks[1]] * 4
    (alarm,) = (one for one in found["drift"] if one["alarm"])
    assert (alarm["week"], alarm["measure"]) == (weeks[1], "vcpus")
    assert found["level"] == 0.05 / 8


def test_the_last_week_is_asked_of_nova(cloud, case):
    """A VM of 2 vCPUs and one spot, both running."""
    now = datetime.now(timezone.utc).replace(tzinfo=None, microsecond=0)
    specs = spot_extra_specs(2, 4096, 20)
    cloud.servers = [
        server("a", now - timedelta(days=3)),
        server("b", now - timedelta(days=2), extra_specs=specs),
    ]
    found = case.status(of_nova=True)[1]
    means = {one["measure"]: (one["before"], one["after"]) for one in found["drift"]}
    assert means["vcpus"] == (3, 2) and means["memory_mb"] == (1024, 4096)
    assert means["per_hour"] == (pytest.approx(1 / 24), pytest.approx(1 / 168))
    # On one of seven days there was a VM: that its size is another is one of 15 ways. That there
    # are fewer is seen on all days.
    p = {one["measure"]: one["p"] for one in found["drift"]}
    assert p["vcpus"] == 1 / 15 and p["per_hour"] < 0.01
    cloud.servers = []
    assert run("status", "--plan", case.plan) == 2
    assert "no instance ran in the last week" in case.capsys.readouterr().err


def test_a_history_that_the_plan_knows_already_is_said(case):
    history(case.path, 7)
    found = case.status()[1]
    assert "7 of 7 recent VMs are in the plan's history too" in found["notes"][-1]


def test_what_cannot_be_simulated_again_here_is_said(case):
    case.recent()
    write_plan(case.plan, **ECONOMY)
    found = case.status()[1]
    assert "the plan's runs had Economy instances" in found["notes"][0]
    write_plan(case.plan, disruptions="{}", schedulers="2")
    found = case.status()[1]
    assert "the plan's runs had disruptions, schedulers" in found["notes"][0]
    write_plan(case.plan, vm="[{name: COS, some: 1}]")
    found = case.status()[1]
    assert "expected a policy without options" in found["notes"][0]


def test_a_plan_that_sells_nothing(case):
    case.recent(logged=False)
    case.plan.write_text("# What `cospot plan` advises:\n#   Sell nothing.\n")
    code, found = case.status()
    assert (code, found["notes"]) == (0, ["the plan sells nothing, so nothing was promised"])


def test_bad_input_is_one_error(cloud, plan, said, tmp_path):
    short = history(tmp_path / "short.csv", 3)
    cases = [
        (["--history", short], "--history: expected --plan PLAN too"),
        (["--plan", tmp_path / "none.yaml"], "none.yaml: No such file or directory"),
        (["--plan", plan, "--history", tmp_path / "none.csv"], "none.csv"),
        (["--plan", plan, "--history", short], "has 3 days, expected 7 or more"),
        (["--plan", plan, "--history", plan], "plan.yaml"),
    ]
    for arguments, text in cases:
        error = said("status", *arguments, code=2)
        assert error.startswith("cospot-nova: error: ") and text in error
        assert len(error.splitlines()) == 1
    (tmp_path / "history.csv").unlink()
    week = history(tmp_path / "week.csv", 7)
    assert "history.csv" in said("status", "--plan", plan, "--history", week, code=2)


def test_eviction_times_of_a_log(tmp_path):
    """Ordered again it is one eviction; given up, or gone before, it is none."""
    path = tmp_path / "audit.jsonl"
    rows = [
        ("2026-05-01T00:00:00Z", "host_resumed", ""),
        ("2026-05-01T00:00:10Z", "intent", "a"),
        ("2026-05-01T00:00:20Z", "intent", "b"),
        ("2026-05-01T00:00:30Z", "failed", "b"),
        ("2026-05-01T00:00:40.5+00:00", "intent", "a"),
        ("yesterday", "intent", "c"),
        ("2026-05-01T00:01:00Z", "would_evict", "d"),
        ("2026-05-01T00:01:10Z", "intent", "e"),
        ("2026-05-01T00:01:11Z", "gone", "e"),
        ("2026-05-01T00:01:20Z", "intent", "f"),
        ("2026-05-01T00:01:21Z", "late", "f"),
        ("2026-05-01T00:01:22Z", "intent", "f"),
        ("2026-05-01T00:01:23Z", "gone", "f"),
    ]
    text = "".join(
        json.dumps({"time": at, "event": event, "instance": one}) + "\n" for at, event, one in rows
    )
    path.write_text("not JSON\n" + text + '{"time": "2026')
    found = read_log(path)
    zero = datetime(2026, 5, 1, tzinfo=timezone.utc).timestamp()
    assert (found.since, found.eviction_times) == (zero, [zero + 10, zero + 80])
