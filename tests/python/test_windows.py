"""The window of a workload in Python: stated, derived, kept, warned of."""

from __future__ import annotations

import sqlite3
import warnings
from pathlib import Path
from typing import Any

import cospot
import pytest
from cospot import Workload, WorkloadWarning

DAY = cospot.DAY_US
RUN: dict[str, Any] = {
    "hosts": 2, "host": (8, 16), "vm": "UTIL", "spot": "sUTIL", "evictor": "FIFO",
}  # fmt: skip


def columns(*starts_days: float) -> dict[str, Any]:
    """VMs of 1 vCPU that never end."""
    return {
        "is_spot": [False] * len(starts_days),
        "vcpus": [1] * len(starts_days),
        "memory_mb": [1] * len(starts_days),
        "start_us": [round(start * DAY) for start in starts_days],
        "end_us": [cospot.NEVER_US] * len(starts_days),
    }


def month(**window: Any) -> Workload:
    """A VM from before time 0, one from day 20 on."""
    return Workload.from_columns(columns(-1, 20), **window)


def test_the_window_follows_from_the_requests_unless_stated() -> None:
    assert month().window_days == 21
    assert month().window_us == 21 * DAY
    assert Workload.from_columns(columns(0)).window_days == 14
    assert month(window_days=30).window_days == 30
    assert month(window_us=DAY // 2).window_days == 0.5
    assert month().with_window_days(14).window_days == 14
    assert Workload.generate(scale=0.0003).window_days == 14
    assert Workload.generate(scale=0.0003, window_days=3).window_days == 3


def test_what_is_no_window_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    month().save(path)
    expected = "expected a number of days more than 0, at most 10001"
    for bad in (0, -1, float("nan"), float("inf"), 10_002, 1e-12):
        for call in (month, lambda **w: Workload.load(path, **w), month().with_window_days):
            with pytest.raises(cospot.ConfigError, match=expected):
                call(window_days=bad)
    with pytest.raises(TypeError, match="window_days is a str|window_days is of type str"):
        month(window_days="30")
    with pytest.raises(cospot.ConfigError, match="both given"):
        month(window_days=1, window_us=DAY)
    with pytest.raises(cospot.ConfigError, match="window_days is None"):
        month().with_window_days(None)  # type: ignore[arg-type]


def test_save_and_sample_keep_it(tmp_path: Path) -> None:
    for name in ("w.csv", "w.csv.gz"):
        month(window_days=30).save(tmp_path / name)
        assert Workload.load(tmp_path / name).window_days == 30
        assert Workload.load(tmp_path / name, window_days=7).window_days == 7
    month().save(tmp_path / "w.csv")
    assert (tmp_path / "w.csv").read_text().startswith("instance_id,")
    assert month(window_days=30).sample(1.0).window_days == 30
    with pytest.raises(cospot.WorkloadError, match="has no place for the window of 30 days"):
        month(window_days=30).save(tmp_path / "w.csv", "socc22")
    info = month(window_days=14).info()
    assert (info["window_days"], info["window_stated"]) == (14, True)
    assert info["vms"]["outside_window"] == 1


@pytest.mark.filterwarnings("ignore::cospot.WorkloadWarning")
def test_revenue_and_size_are_those_of_the_window() -> None:
    # Each 1 vcpu: 21 and 1 days of 86,400 s; 30 and 10 days; 14 days and nothing.
    for days, vcpu_days, vms in ((None, 22, 2), (30, 40, 2), (14, 14, 1)):
        workload = month(window_days=days)
        result = cospot.simulate(workload, **RUN)
        assert result.vm_revenue == vcpu_days * 86_400
        assert (result.vm_requests, result.vm_rejected) == (vms, 0)
        size = cospot.size(workload, host=(1, 1), vm="UTIL")
        assert size.hosts == vms
    simulation = cospot.Simulation(month(window_days=14), **RUN)
    assert simulation.window_us == 14 * DAY
    simulation.run()
    assert simulation.host_of(1) is None
    with pytest.raises(cospot.InputError, match="the window of workload 'columns' ends after 14"):
        cospot.explain(month(window_days=14), "1", **RUN)


def test_warnings_come_once_for_a_workload_at_its_first_use() -> None:
    workload = month(window_days=14)
    with pytest.warns(WorkloadWarning, match="columns: 1 VM and 0 spots start at the window's end"):
        cospot.simulate(workload, **RUN)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cospot.simulate(workload, **RUN)
        cospot.size(workload, host=(8, 16), vm="UTIL")
        cospot.simulate(month(window_days=30), **RUN)
        cospot.simulate(Workload.generate(scale=0.0003), **(RUN | {"host": (10400, 2250)}))
    with pytest.warns(WorkloadWarning, match="no request precedes time 0"):
        cospot.size(Workload.from_columns(columns(0, 13)), host=(8, 16), vm="UTIL")
    with pytest.warns(WorkloadWarning, match="nothing is observed after day 2, but 2 VMs"):
        cospot.Simulation(Workload.from_columns(columns(-1, 2)), **RUN)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(WorkloadWarning):
            cospot.simulate(month(window_days=14), **RUN)


def sweep(path: Path, **keys: Any) -> dict[str, Any]:
    return {
        "workloads": str(path), "host": {"vcpus": 8, "memory_mb": 16}, "hosts": 2, "vm": "UTIL",
        "spot": "sUTIL", "evictor": "FIFO", "saf": False, "otn": 1, **keys,
    }  # fmt: skip


def test_compare_takes_the_window_warns_and_keeps_sweeps_apart(tmp_path: Path) -> None:
    path, db = tmp_path / "w.csv", tmp_path / "r.db"
    month().save(path)

    def revenue_days() -> float:
        with sqlite3.connect(db) as connection:
            return connection.execute("SELECT vm_revenue FROM run").fetchone()[0] / 86_400

    cospot.compare(sweep(path), db=db)
    assert revenue_days() == 22
    with pytest.raises(cospot.DatabaseError, match="differs in workloads"):
        cospot.compare(sweep(path), db=db, resume=True, overrides=["window_days=30"])
    cospot.compare(sweep(path, window_days=30), db=db, force=True)
    assert revenue_days() == 40
    with pytest.warns(WorkloadWarning, match="1 VM and 0 spots start at the window's end"):
        cospot.compare(sweep(path), db=db, force=True, overrides=["window_days=14"])
    assert revenue_days() == 14
    with pytest.raises(cospot.ConfigError, match="window_days: found .*expected a number of days"):
        cospot.compare(sweep(path, window_days=0), db=db, force=True)


@pytest.mark.filterwarnings("ignore::cospot.WorkloadWarning")
def test_occupancy_is_watched_until_the_window_ends(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    events = tmp_path / "events.csv"
    cospot.simulate(month(), events=events, **RUN)
    # A row a day, from day 0 to day 21, and one for what it begins with.
    logged = cospot.occupancy_over_time(events, host=(8, 16), hosts=2, step_hours=24)
    watched = cospot.watch_occupancy(cospot.Simulation(month(), **RUN), step_hours=24)
    for frame in (logged, watched):
        assert frame["day"].tolist() == list(range(22))
        assert frame["vm_vcpus"].tolist() == [1] * 20 + [2, 2]
    week = cospot.Simulation(month(window_days=7), **RUN)
    assert cospot.watch_occupancy(week, step_hours=24)["day"].tolist() == list(range(8))
