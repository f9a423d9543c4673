"""Idle capacity in Python: periods, classes, held-out time, simulated jobs."""

from __future__ import annotations

from pathlib import Path

import cospot
import numpy as np
import pytest

pytest.importorskip("pandas", reason="pandas is not installed")

from cospot import classes
from cospot.errors import ConfigError, WorkloadError

#: As in tests/cli/classes: rank 2 is idle 17 h in five periods, rank 3 21 h in two, all of them
#: ended by revocations; rank 1 is always busy.
JOBS = """\
submission_s,duration_s,nodes
0,86400,1
0,3600,2
14400,3600,1
28800,3600,2
43200,7200,1
72000,3600,1
82800,3600,2
86400,3600,3
"""


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    path = tmp_path / "jobs.csv"
    path.write_text(JOBS)
    return path


def test_idle_periods(jobs: Path) -> None:
    found = cospot.idle_periods(jobs)
    assert (found["servers"], found["hours"]) == (3, 24.0)
    assert sorted(zip(found["rank"], found["begin_hours"], found["end_hours"], strict=True)) == [
        (1, 1.0, 4.0), (1, 5.0, 8.0), (1, 9.0, 12.0), (1, 14.0, 20.0), (1, 21.0, 23.0),
        (2, 1.0, 8.0), (2, 9.0, 23.0),
    ]  # fmt: skip
    assert found["revoked"].all()
    assert found["rank"].dtype == np.int64


def test_servers(jobs: Path) -> None:
    table = classes.servers(jobs)
    assert table["idle_hours"].tolist() == [0.0, 17.0, 21.0]
    assert table["revocations"].tolist() == [0, 5, 2]
    # sqrt(2 / 6 / 10.5) = 0.178174
    assert table["performance"][2] == pytest.approx(1 / 1.178174, rel=1e-5)
    assert np.isnan(table["performance"][0])


def test_price_classes(jobs: Path) -> None:
    priced = cospot.price_classes(jobs, classes=[1, 2], partition=["optimal"], value="equilibrium")
    assert priced.servers == 3
    assert priced.mean_mttr_hours == pytest.approx(38 / 7)
    one, two = priced.partitions
    assert [[offered.servers for offered in way.table] for way in (one, two)] == [[3], [1, 2]]
    assert two.revenue == pytest.approx(priced.maximum.revenue)
    # sqrt(1 / 3 * 7 / 38) = 0.247797
    assert one.performance == one.revenue == pytest.approx(1 / 1.247797, rel=1e-5)


def test_held_out(tmp_path: Path) -> None:
    # One server, busy for 2 h, then idle for 4, day after day; after day 10 idle for 10. The last
    # period of each part goes on to its end: 160 h in 39 revocations, 190 h in 18.
    path = tmp_path / "jobs.csv"
    rows = [(6 * i, 2) for i in range(40)] + [(240 + 12 * i, 2) for i in range(20)]
    path.write_text(
        "submission_s,duration_s\n" + "".join(f"{3600 * a},{3600 * b}\n" for a, b in rows)
    )
    judged = classes.held_out(str(path), split_day=10, classes=[1], partition=["equal"])
    assert len(judged) == 1
    row = judged.iloc[0]
    assert row["promised_mttr_hours"] == pytest.approx(160 / 39)
    assert row["measured_mttr_hours"] == pytest.approx(190 / 18)
    # The interval for 4.1026 h is 1.169411 h: 1 / (1 + 0.142522 + 1.169411 / 21.1111) = 0.834783
    assert row["measured_performance"] == pytest.approx(0.834783, rel=1e-5)
    assert row["worth"] == pytest.approx(cospot.transient_price(row["measured_performance"]))
    with pytest.raises(ConfigError, match="split_day: found 0"):
        classes.held_out(str(path), split_day=0)


def test_a_server_that_is_never_revoked_pays_for_its_checkpoints_alone() -> None:
    # 1 / (1 + 10 minutes in each 2 hours), and no checkpoint at the best interval.
    assert classes.performance(np.inf, 1 / 6, 2) == pytest.approx(12 / 13)
    assert classes.performance(np.inf, 1 / 6) == 1


def test_simulate_job() -> None:
    interval = cospot.optimal_interval(1 / 6, 100)
    run = cospot.simulate_job(100_000, interval, mttr_hours=100)
    formula = cospot.transient_performance(1 / 6, 100, interval)
    assert run["performance"] == pytest.approx(formula, rel=0.02)
    assert run["finished"]
    again = cospot.simulate_job(100_000, {"assumed_mttr_hours": 100}, mttr_hours=100)
    assert again == run
    oracle = cospot.simulate_job(100_000, "oracle", mttr_hours=100)
    assert oracle["performance"] > run["performance"]
    # 1 h of work, 10 minutes to save, 50 minutes lost: 2 h each.
    lives = cospot.simulate_job(5, "hourly", lives_hours=[2.0])
    assert lives["elapsed_hours"] == pytest.approx(9)
    cut = cospot.simulate_job(5, "hourly", available_hours=[(1, 2.5)])
    assert (cut["finished"], cut["useful_hours"], cut["waiting_hours"]) == (False, 1.0, 1.0)


def test_renewal_performance() -> None:
    # Each life is survived for 2 1/6 h with e^-0.582437: 3.72 x 0.790396 = 2.940273 h for 2 h.
    fast = cospot.renewal_performance(1 / 6, 3.72, 2)
    assert fast == pytest.approx(2 / 2.940273, rel=1e-5)
    slow = cospot.renewal_performance(1 / 6, 3.72, 2, restart_hours=0.2)
    run = cospot.simulate_job(300_000, 2.0, mttr_hours=3.72, restore_minutes=10, boot_minutes=2)
    assert run["performance"] == pytest.approx(slow, rel=0.01)
    with pytest.raises(ConfigError, match="the time to restart is -1"):
        cospot.renewal_performance(1 / 6, 3.72, 2, -1)


def test_bad_input(jobs: Path, tmp_path: Path) -> None:
    for bad, match in (
        ({"classes": [9]}, "classes is 9, expected at most 2"),
        ({"partition": ["best"]}, "unknown partition 'best'; valid names: equal"),
        ({"checkpoint_minutes": 0}, "checkpoint_minutes: found 0"),
        ({"mttr": "median"}, "unknown mttr 'median'"),
        ({"from_day": 5}, "from-day is 5"),
        ({"servers": 0}, "servers"),
    ):
        with pytest.raises(ConfigError, match=match):
            cospot.price_classes(jobs, **{"classes": [1], **bad})
    with pytest.raises(WorkloadError, match="missing"):
        cospot.idle_periods(tmp_path / "missing.csv")
    with pytest.raises(ConfigError, match="expected one of mttr_hours, lives_hours"):
        cospot.simulate_job(1, "hourly")
    with pytest.raises(ConfigError, match="overlaps the one before"):
        cospot.simulate_job(1, "hourly", available_hours=[(0, 2), (1, 3)])
    with pytest.raises(ConfigError, match="checkpoint: found 'daily'"):
        cospot.simulate_job(1, "daily", mttr_hours=1)
