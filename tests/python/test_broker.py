"""The customer's broker in Python, and markets made of what a run of cospot evicted."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path
from typing import Any

import cospot
import pytest
from cospot.errors import ConfigError, WorkloadError

#: A month of a price that never changes: 0.03 USD an hour, in two zones.
PRICES = "time,price\n0,0.03\n2592000,0.03\n"
#: Run times of 7,000, 3,000 and 500 s on one processor.
JOBS = """\
1 0 -1 7000 1 -1 -1 -1 -1 -1 1 1 1 -1 -1 1 -1 -1
2 600 -1 3000 1 -1 -1 -1 -1 -1 1 1 1 -1 -1 1 -1 -1
3 1200 -1 500 1 -1 -1 -1 -1 -1 1 2 1 -1 -1 1 -1 -1
"""
DAYS = 14


@pytest.fixture
def study(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "a.csv").write_text(PRICES)
    (tmp_path / "jobs.swf").write_text(JOBS)
    return {
        "study": "broker",
        "market": [
            {
                "type": "m1.small", "os": "Linux/UNIX", "datacenter": "a",
                "prices": str(tmp_path / "a.csv"),
            }
        ],
        "jobs": {"swf": str(tmp_path / "jobs.swf"), "count": 3, "days": 7},
        "bid": "on_demand",
        "alpha": 2,
        "fault_tolerance": "none",
        "seed": 1,
    }  # fmt: skip


def test_one_run(study: dict[str, Any], tmp_path: Path) -> None:
    events = tmp_path / "events.csv"
    run = cospot.broker_run(study, events=events)
    assert (run["jobs"], run["completed"], run["revocations"]) == (3, 3, 0)
    # Every hour costs 0.03; what was paid is useful, lost, overhead or idle.
    assert run["cost"] == pytest.approx(0.03 * run["hours_paid"])
    parts = ("hours_useful", "hours_lost", "hours_overhead", "hours_idle")
    assert sum(run[part] for part in parts) == pytest.approx(run["hours_paid"], rel=1e-12)
    # One compute unit, so the jobs take as long as in the log.
    assert run["hours_useful"] == pytest.approx(10_500 / 3600)
    with events.open() as file:
        money = sum(round(1e6 * float(row["amount_usd"] or 0)) for row in csv.DictReader(file))
    assert money == round(1e6 * run["cost"])


def test_overrides(study: dict[str, Any]) -> None:
    dear = cospot.broker_run(study, overrides=["billing=per_second"])
    assert dear["hours_paid"] < cospot.broker_run(study)["hours_paid"]
    with pytest.raises(ConfigError, match="more than one value of: bid, seed"):
        cospot.broker_run(study, overrides=["bid=[mean,high]", "seed=[1,2]"])
    with pytest.raises(TypeError, match="overrides is of type str, expected a list of texts"):
        cospot.broker_run(study, overrides="bid=mean")
    with pytest.raises(ConfigError, match="expected a study file with study: broker"):
        cospot.broker_run({**study, "study": "deadline"})


def test_recommendation(study: dict[str, Any]) -> None:
    found = cospot.broker_recommend(study, overrides=["bid=[mean,on_demand]"], max_late_percent=50)
    # On-demand costs 0.085 an hour, for the same hours.
    saving = 1 - 0.03 / 0.085
    assert found.recommendation.saving.mean == pytest.approx(saving)
    assert found.bids[0].bid in (0.03, 0.085)
    assert found.cost_per_month.mean > 4 * found.best.cost.mean
    # The best runs on spots; on-demand would cost 0.085 instead of 0.03 for what falls back.
    assert not found.best.on_demand_fallback
    assert found.best.unfinished == 0
    assert 0 <= found.fallback.added_cost.mean <= found.fallback.cost_without * (0.085 / 0.03 - 1)
    assert cospot.broker_recommend(study, threads=1) == cospot.broker_recommend(study, threads=3)
    # Two bids; three choices of a market and the fallback on or off, which the study does not say.
    assert len(found.within_risk) + len(found.beyond_risk) == 12
    # Of 30 days, 15 choose and 15 are held out, at the same price.
    assert (found.held_out.choosing_days, found.held_out.days) == (15, 15)
    assert found.held_out.setting.saving.mean == pytest.approx(saving)
    assert found.held_out.keeps_limit
    assert found.held_out.setting.bid == found.best.bid
    assert found.held_out.on_demand.market_choice == found.on_demand.market_choice
    assert cospot.broker_recommend(study, hold_out_percent=0).held_out is None
    for name, wrong in ("max_late_percent", 101), ("hold_out_percent", 91):
        with pytest.raises(ConfigError, match=f"{name}: found {wrong}, expected a number from 0"):
            cospot.broker_recommend(study, **{name: wrong})


# A market made of a run's evictions.


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The event log of a run that evicts: a real one, as `cospot run --events` writes it."""
    file = tmp_path_factory.mktemp("run") / "events.csv"
    cospot.simulate(
        cospot.Workload.generate(seed=1, scale=0.001), hosts=36, host=(10400, 2250), vm="UTIL",
        spot="sCOS", evictor="FIFO", events=file,
    )  # fmt: skip
    return file


def closed_times(events: Path) -> tuple[list[tuple[float, float]], float]:
    """Return when there was no capacity for spots, and when the log ends: by the log alone."""
    closed: list[tuple[float, float]] = []
    since = None
    end = 0.0
    with events.open() as file:
        for row in csv.DictReader(file):
            if row["class"] != "spot" or row["event"] in ("request", "departure"):
                continue
            end = float(row["time_s"])  # nothing is known once no spot asks any more
            if row["event"] in ("eviction", "rejection"):
                since = end if since is None else since
            elif row["event"] == "placement" and since is not None:
                closed.append((since, end))
                since = None
    if since is not None:
        closed.append((since, end))
    return closed, end


def test_market_of_a_run(events: Path) -> None:
    """Spot-only work done by each hour is what the log's own times without capacity leave."""
    tick = 300.0
    closed, end = closed_times(events)
    assert len(closed) > 20, "the run must evict"
    ticks = int(end // tick)
    open_ticks = [True] * ticks
    for begin, until in closed:
        for i in range(max(0, int(begin // tick)), min(ticks, int(until // tick) + 1)):
            open_ticks[i] = False
    done = list(itertools.accumulate(open_ticks))
    assert 0 < done[-1] < ticks
    for start_hours in (0, 24, 100):
        first = int(start_hours * 3600 / tick)
        before = done[first - 1] if first else 0
        for duration in (1, 6, 24):
            found = deadline_run(events, start_hours, duration, ticks - first)
            needed = before + int(duration * 3600 / tick)
            finished = next((i for i, work in enumerate(done) if work >= needed), None)
            assert finished is not None
            assert found["finished_hours"] == pytest.approx((finished + 1 - first) * tick / 3600)


def deadline_run(events: Path, start_hours: int, duration: int, ticks: int) -> dict[str, float]:
    database = events.with_suffix(f".{start_hours}.{duration}.db")
    table = database.with_suffix(".csv")
    cospot.compare(
        {
            "study": "deadline", "trace": {"events": str(events), "gap_seconds": 300},
            "strategy": "spot_only", "duration_hours": duration, "deadline_hours": ticks / 12,
            "overhead_hours": 0, "start_hours": start_hours,
        },
        db=database,
        csv=table,
        threads=1,
    )  # fmt: skip
    with table.open() as file:
        row = next(csv.DictReader(file))
    return {"finished_hours": float(row["finished_hours"])}


def test_jobs_on_a_market_of_a_run(study: dict[str, Any], events: Path, tmp_path: Path) -> None:
    """Jobs of days are revoked when the run's spots are; the rest stays undone."""
    closed, _ = closed_times(events)
    later = [begin for begin, _ in closed if begin > 7.5 * 86_400]
    assert later, "there must be evictions after the week that bids look at"
    line = "{} 0 -1 {} 1 -1 -1 -1 -1 -1 1 1 1 -1 -1 1 -1 -1\n"
    lengths = [later[-1] - 7 * 86_400 + 3600, 3600, 30 * 86_400]
    log = tmp_path / "long.swf"
    log.write_text("".join(line.format(i + 1, int(s)) for i, s in enumerate(lengths)))
    market = {
        "type": "m1.small", "os": "Linux/UNIX", "datacenter": "cospot", "events": str(events),
        "price": 0.03,
    }  # fmt: skip
    given = {**study, "market": [market], "jobs": {"swf": str(log), "count": 3, "days": 7}}
    for mechanism in ("none", "checkpoint", "migration"):
        run = cospot.broker_run(given, overrides=[f"fault_tolerance={mechanism}"])
        assert run["completed"] + run["unfinished"] == 3
        assert run["revocations"] > 0
        # No hour costs another price than the market's, and hours that are refunded cost none.
        assert run["cost"] == pytest.approx(0.03 * run["hours_paid"])


def test_an_event_log_without_spots_is_no_market(study: dict[str, Any], tmp_path: Path) -> None:
    log = tmp_path / "events.csv"
    log.write_text(
        "time_s,event,instance_id,class,vcpus,memory_mb,disk_gb,host,place_in_offer,"
        "for_instance_id\n0,request,a,vm,1,1,0,,,\n900,placement,a,vm,1,1,0,host-0,,\n"
    )
    market = {"type": "m1.small", "datacenter": "a", "events": str(log), "price": 0.03}
    with pytest.raises(WorkloadError, match="expected a log with spots in it"):
        cospot.broker_run({**study, "market": [market]})
