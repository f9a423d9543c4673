"""cospot.difference: pairs, means and intervals against arithmetic."""

from __future__ import annotations

import math
import statistics
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pandas", reason="pandas is not installed")

import cospot
import pandas as pd
from made_results import make_database

#: Student's t, 2 degrees of freedom, 97.5 %.
T2 = 4.302652729749462


def database_of(folder: Path, name: str, revenues: dict[str, float], **same: Any) -> Path:
    """A database with a run of each workload."""
    runs = [{"workload": label, "revenue": earned, **same} for label, earned in revenues.items()]
    return make_database(folder / name, runs, workloads=list(revenues))


def test_two_databases_as_one_frame(tmp_path: Path) -> None:
    # Of 500 requested: 30, 40 and 60 % against 20, 20 and 20 %.
    a = database_of(tmp_path, "a.db", {"x": 150, "y": 200, "z": 300})
    b = database_of(tmp_path, "b.db", {"z": 100, "y": 100, "x": 100})
    found = cospot.difference(a, b)
    axes = ["size", "vm", "spot", "evictor", "saf", "otn"]
    assert found.index.names == [*axes, "measure"]
    row = found.loc[("0 %", "UTIL", "sDPD", "FIFO", False, 1, "spot_share")]
    differences = [0.1, 0.2, 0.4]
    half = T2 * statistics.stdev(differences) / math.sqrt(3)
    mean = statistics.mean(differences)
    assert row["a"] == pytest.approx(1.3 / 3)
    assert row["b"] == pytest.approx(0.2)
    assert row["difference"] == pytest.approx(mean)
    assert (row["low"], row["high"]) == pytest.approx((mean - half, mean + half))
    assert row["samples"] == 3
    measured = found.index.get_level_values("measure")
    assert {"spot_revenue", "vm_loss", "evictions"} <= set(measured)
    assert not {"alloc_p50_ns", "wall_ms", "without_vm_loss", "headroom_percent"} & set(measured)
    results = (cospot.load_results(a), cospot.load_results(b))
    assert cospot.difference(*results).equals(found)
    assert cospot.difference(results[0].runs, results[1].runs).equals(found)
    back = cospot.difference(b, a, measures=["spot_share"])
    assert back["difference"].tolist() == pytest.approx([-mean])


def test_what_differs_is_what_is_compared(tmp_path: Path) -> None:
    runs = [
        {"workload": workload, "evictor": evictor, "otn": otn, "revenue": revenue}
        for workload, evictor, otn, revenue in [
            ("x", "FIFO", 1, 100), ("x", "FIFO", 2, 150), ("x", "LPO", 1, 110),
            ("x", "LPO", 2, 200), ("y", "FIFO", 1, 100), ("y", "FIFO", 2, 100),
            ("y", "LPO", 1, 120), ("y", "LPO", 2, 200),
        ]
    ]  # fmt: skip
    database = make_database(tmp_path / "r.db", runs, workloads=["x", "y"])
    every = cospot.load_results(database).runs
    by_evictor = dict(list(every.groupby("evictor", observed=True)))
    found = cospot.difference(by_evictor["LPO"], by_evictor["FIFO"], measures=["spot_revenue"])
    # OTN 1: 10 and 20; OTN 2: 50 and 100.
    assert found.index.get_level_values("otn").tolist() == [1, 2]
    assert "evictor" not in found.index.names
    assert found["difference"].tolist() == pytest.approx([15, 75])
    # An axis with several values in one of them counts: FIFO pairs with FIFO, or with nothing.
    with pytest.warns(cospot.ResultsWarning, match="4 runs of a and 0 of b.*evictor LPO"):
        assert not cospot.difference(every, by_evictor["FIFO"])["difference"].any()
    with pytest.raises(cospot.ConfigError, match=r"8 runs of a and 4 of b.*agree on .*evictor"):
        cospot.difference(every, by_evictor["LPO"].assign(evictor="YJF"))
    with pytest.raises(cospot.ConfigError, match=r"a: several runs have size 0 %, workload x; .*"
                       "keep one value of evictor, otn, or give by="):  # fmt: skip
        cospot.difference(every, every, by=["size"])


def test_runs_without_a_partner_are_counted(tmp_path: Path) -> None:
    a = database_of(tmp_path, "a.db", {"x": 150, "y": 200, "z": 300})
    b = database_of(tmp_path, "b.db", {"x": 100, "other": 100})
    with pytest.warns(cospot.ResultsWarning, match="2 runs of a and 1 of b have no .*workload y,"):
        found = cospot.difference(a, b, measures=["spot_revenue"])
    # One pair has no interval.
    assert found["difference"].tolist() == [50]
    assert found["samples"].tolist() == [1]
    assert found[["low", "high"]].isna().all(axis=None)
    c = database_of(tmp_path, "c.db", {"nothing": 1})
    with pytest.raises(cospot.ConfigError, match="3 runs of a and 1 of b have no partner"):
        cospot.difference(a, c)


def test_workloads_of_one_name_must_be_the_same(tmp_path: Path) -> None:
    databases = []
    for vcpus in (1, 2):
        workload = cospot.Workload.from_columns(
            {"is_spot": [False], "vcpus": [vcpus], "memory_mb": [1], "start_us": [0],
             "end_us": [cospot.DAY_US]}
        )  # fmt: skip
        study = {"workloads": workload, "host": (8, 8), "hosts": 1, "vm": "COS", "spot": "sCOS",
                 "evictor": "FIFO"}  # fmt: skip
        databases.append(tmp_path / f"{vcpus}.db")
        cospot.compare(study, db=databases[-1])
    with pytest.raises(cospot.ConfigError, match=r"workload 'columns' has the SHA-256 .* in a"):
        cospot.difference(*databases)


def test_seeds_are_samples_of_one_workload_and_means_of_several() -> None:
    frame = pd.DataFrame(
        {"workload": ["x", "x", "y", "y"], "seed": [1, 2, 1, 2], "earned": [1.0, 3.0, 5.0, 9.0]}
    )
    frame.attrs["cospot roles"] = {"workload": "axis", "seed": "axis", "earned": "measure"}
    zero = frame.assign(earned=0.0)
    found = cospot.difference(frame, zero)
    # Means of x and y: 2 and 7.
    assert found.index.tolist() == ["earned"]
    assert (found["difference"].item(), found["samples"].item()) == (4.5, 2)
    one = cospot.difference(frame[frame["workload"] == "x"], zero)
    assert (one["difference"].item(), one["samples"].item()) == (2, 2)


def test_frames_of_other_sources_say_how_they_pair() -> None:
    frame = pd.DataFrame({"day": ["mon", "tue"], "kind": ["k", "k"], "x": [1.0, 2.0]})
    with pytest.raises(cospot.ConfigError, match="share no axis of a study.*by="):
        cospot.difference(frame, frame)
    found = cospot.difference(frame, frame.assign(x=0.5), by=["kind"], over="day")
    assert found.loc[("k", "x"), "difference"] == 1.0
    with pytest.raises(cospot.ConfigError, match="no column size"):
        cospot.difference(frame, frame, by=["size"], over="day")
    with pytest.raises(cospot.ConfigError, match="measures: found the column kind, which is no"):
        cospot.difference(frame, frame, by=["kind"], over="day", measures=["kind"])
    with pytest.raises(cospot.ConfigError, match="measures: found nothing"):
        cospot.difference(frame, frame, by=["kind"], over="day", measures=[])
    # A yes or no counts as 1 or 0.
    good = frame.assign(x=[True, False])
    share = cospot.difference(good, good.assign(x=True), by=["kind"], over="day", measures=["x"])
    assert share["difference"].tolist() == [-0.5]
    with pytest.raises(cospot.ConfigError, match="b: the frame has no rows"):
        cospot.difference(frame, frame.iloc[:0])
    with pytest.raises(cospot.ArgumentError, match="a is of type int, expected"):
        cospot.difference(3, frame)  # type: ignore[arg-type]
