"""The study levels: its summary against means and intervals worked out here."""

from __future__ import annotations

import csv
import json
import math
import statistics
import sys
from pathlib import Path
from typing import Any

import cospot
import pytest
from programs import printed_by

STUDY = """
study: levels
workloads:
  - {synthetic: azure2020, seed: 1, scale: 0.002}
  - {synthetic: azure2020, seed: 2, scale: 0.002}
host: {vcpus: 10400, memory_mb: 2250}
headroom_percent: [2]
vm: COS
spot: vmaDPD
evictor: FIFO
saf: [false, true]
otn: 4
economy: COS
economy_percent: [0, 50]
promise: unlimited
period_hours: 1
training_days: 3
horizon_days: 1
seed: [1, 2, 3]
"""
#: Of Student's t, 97.5 %, with 1 and 2 degrees of freedom.
T_OF_TWO, T_OF_THREE = 12.7062, 4.3027


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("levels")
    (folder / "levels.yaml").write_text(STUDY)
    cospot.sweep(folder / "levels.yaml", db=folder / "levels.db")
    return folder / "levels.db"


def summary(database: Path) -> dict[str, Any]:
    words = (sys.executable, "-m", "cospot", "summary", database, "--json")
    made: dict[str, Any] = json.loads(printed_by(*words))
    return made


def shares(database: Path) -> dict[tuple[str, str], list[float]]:
    """Return which share of their revenue spots earn by SAF and workload, half being economy."""
    table = database.with_suffix(".csv")
    printed_by(sys.executable, "-m", "cospot", "summary", database, "--csv", table)
    found: dict[tuple[str, str], list[float]] = {}
    with table.open(newline="") as file:
        for row in csv.DictReader(file):
            if float(row["economy_percent"]) == 50:
                share = float(row["spot_revenue"]) / float(row["spot_revenue_requested"])
                found.setdefault((row["saf"], row["workload"]), []).append(share)
    return found


def test_intervals_are_over_the_workloads(results: Path) -> None:
    summed = summary(results)
    assert (summed["study"], summed["runs"], len(summed["combinations"])) == ("levels", 24, 4)
    by_workload = shares(results)
    for one in summed["combinations"]:
        if one["economy_percent"] != 50:
            continue
        saf = str(int(one["saf"]))
        means = [statistics.mean(values) for key, values in by_workload.items() if key[0] == saf]
        assert len(means) == 2
        half = T_OF_TWO * statistics.stdev(means) / math.sqrt(2)
        assert one["spot_revenue_share"]["mean"] == pytest.approx(statistics.mean(means))
        assert one["spot_revenue_share"]["half_width_95"] == pytest.approx(half, rel=1e-4)


def test_over_the_seeds_of_a_single_workload(tmp_path: Path) -> None:
    study = STUDY.replace("  - {synthetic: azure2020, seed: 2, scale: 0.002}\n", "")
    (tmp_path / "one.yaml").write_text(study)
    cospot.sweep(tmp_path / "one.yaml", db=tmp_path / "one.db")
    values = next(iter(shares(tmp_path / "one.db").values()))
    half = T_OF_THREE * statistics.stdev(values) / math.sqrt(3)
    one = next(
        each
        for each in summary(tmp_path / "one.db")["combinations"]
        if each["economy_percent"] == 50
    )
    assert one["spot_revenue_share"]["half_width_95"] == pytest.approx(half, rel=1e-4)


def test_income_beside_the_same_datacenter_without_an_economy_class(results: Path) -> None:
    runs = cospot.load_results(results).runs
    for one in summary(results)["combinations"]:
        if one["economy_percent"] == 0:
            ratio = one["income_ratio"]
            assert (ratio["mean"], ratio["half_width_95"]) == pytest.approx((1, 0))
            assert one["economy_eviction_ratio"]["mean"] is None
    run = runs[(runs["economy_percent"] == 50)].iloc[0]
    same = runs[(runs["economy_percent"] == 0) & (runs["workload"] == run["workload"])]
    spots = 0.318 * float(same[same["saf"] == run["saf"]].iloc[0]["spot_revenue"])
    income = 0.7 * float(run["economy_revenue"]) + 0.318 * float(run["spot_revenue"])
    assert float(run["income_ratio"]) == pytest.approx(income / spots, rel=1e-6)
