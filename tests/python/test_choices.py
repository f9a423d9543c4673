"""Averages, the best to set and the Pareto front against arithmetic and brute force."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

pytest.importorskip("pandas", reason="pandas is not installed")

import cospot
import pandas as pd
from made_results import make_database


def brute_force(points: list[tuple[float, float]]) -> set[int]:
    """Rows (gain, loss) that no other row beats in one and equals or beats in the other."""

    def beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
        return one[0] >= other[0] and one[1] <= other[1] and one != other

    return {
        index
        for index, point in enumerate(points)
        if not any(beats(other, point) for other in points)
    }


def test_front_by_hand() -> None:
    # The second earns less than the first at more loss; the fourth equals the third.
    frame = pd.DataFrame(
        {"spot_share": [0.1, 0.05, 0.4, 0.4, 0.3], "vm_loss": [0.0, 0.01, 0.02, 0.02, 0.03]}
    )
    assert cospot.pareto_front(frame).index.tolist() == [0, 2, 3]


def test_front_leaves_the_unknown_aside() -> None:
    frame = pd.DataFrame({"spot_share": [None, 0.2, 0.5], "vm_loss": [0.0, 0.0, None]})
    assert cospot.pareto_front(frame).index.tolist() == [1]


@pytest.mark.parametrize("seed", range(20))
def test_front_equals_brute_force(seed: int) -> None:
    generator = random.Random(seed)
    # Few values, so that there are ties in gain, in loss and in both.
    points = [(generator.randrange(6) / 4, generator.randrange(6) / 8) for _ in range(40)]
    frame = pd.DataFrame(points, columns=["gain", "vm_loss"])
    front = cospot.pareto_front(frame, gain="gain")
    assert set(front.index) == brute_force(points)
    assert front["vm_loss"].is_monotonic_increasing
    assert front["gain"].is_monotonic_increasing


def test_front_of_other_columns() -> None:
    frame = pd.DataFrame({"share": [0.5, 0.6], "evictions": [10, 20]})
    assert cospot.pareto_front(frame, gain="share", loss="evictions").index.tolist() == [0, 1]
    with pytest.raises(cospot.ConfigError, match="no column spot_share, vm_loss.*it has share, "):
        cospot.pareto_front(frame)
    with pytest.raises(cospot.ConfigError, match="the frame has no rows"):
        cospot.pareto_front(frame.iloc[:0], gain="share", loss="evictions")


def test_averages_by_hand(tmp_path: Path) -> None:
    runs = [
        {"workload": "a", "otn": 1, "revenue": 100, "evictions": 4},
        {"workload": "a", "otn": 2, "revenue": 150, "evictions": 3, "vm_earned": 990,
         "vm_rejected": 1},
        {"workload": "b", "otn": 1, "revenue": 200, "evictions": 8},
        {"workload": "b", "otn": 2, "revenue": 220, "evictions": 2},
    ]  # fmt: skip
    database = make_database(tmp_path / "r.db", runs, workloads=["a", "b"])
    averages = cospot.average_over_workloads(cospot.load_results(database).runs)
    assert averages["otn"].tolist() == [1, 2]
    assert averages["workloads"].tolist() == [2, 2]
    assert averages["gain"].tolist() == pytest.approx([0.0, (0.5 + 0.1) / 2])
    assert averages["vm_loss"].tolist() == pytest.approx([0.0, (0.01 + 0.0) / 2])
    assert averages["spot_share"].tolist() == pytest.approx([(0.2 + 0.4) / 2, (0.3 + 0.44) / 2])
    assert averages["evictions"].tolist() == [6.0, 2.5]
    assert averages["without_vm_loss"].tolist() == [True, False]


def test_the_best_to_set_and_the_bound_by_hand(tmp_path: Path) -> None:
    runs = [
        {"workload": workload, "headroom_percent": size, "evictor": evictor, "otn": otn,
         "revenue": revenue, "vm_rejected": rejected}
        for workload, size, evictor, otn, revenue, rejected in [
            ("a", 0, "FIFO", 1, 100, 0), ("a", 0, "FIFO", 2, 300, 0), ("a", 0, "LPO", 2, 400, 0),
            ("b", 0, "FIFO", 1, 200, 0), ("b", 0, "FIFO", 2, 200, 1), ("b", 0, "LPO", 2, 300, 0),
            ("a", 2, "LPO", 1, 450, 0), ("b", 2, "LPO", 1, 350, 0),
        ]
    ]  # fmt: skip
    sizes = [{"headroom_percent": 0}, {"headroom_percent": 2}]
    database = make_database(
        tmp_path / "r.db", runs, sizes=sizes, workloads=["a", "b"], run_count=24
    )
    frame = cospot.load_results(database).runs
    assert frame["needs_true_lifetimes"].tolist() == (frame["evictor"] == "LPO").tolist()
    best = cospot.best_without_vm_loss(frame)
    assert best.index.tolist() == ["0 %", "2 %"]
    # FIFO with OTN 2 rejects a VM of b; with OTN 1 it earns (100 + 200)/2 of 500. LPO, which
    # cannot be set: (400 + 300)/2 and, at 2 %, (450 + 350)/2 of 500.
    assert best.loc["0 %", ["evictor", "otn"]].tolist() == ["FIFO", 1]
    assert best.loc["0 %", "spot_share"] == pytest.approx(0.3)
    assert best["upper_bound"].tolist() == pytest.approx([0.7, 0.8])
    # At 2 % nothing can be set.
    assert best.loc["2 %"].drop("upper_bound").isna().all()
    without = cospot.best_without_vm_loss(frame[frame["evictor"] == "FIFO"])
    assert without["upper_bound"].isna().all()


def test_a_label_hides_no_policy_that_knows_lifetimes(tmp_path: Path) -> None:
    sweep = tmp_path / "sweep.yaml"
    sweep.write_text(
        "workloads: {synthetic: azure2020, seed: 3, scale: 0.0003}\n"
        "host: {vcpus: 10400, memory_mb: 2250}\nheadroom_percent: 2\nvm: UTIL\nspot: sDPD\n"
        "evictor: [{name: LPO, label: oracle}, {name: FIFO, label: LPO}]\nsaf: true\notn: 1\n"
    )
    database = cospot.sweep(sweep, db=tmp_path / "r.db")
    runs = cospot.load_results(database).runs
    assert runs["evictor"].tolist() == ["oracle", "LPO"]
    assert runs["needs_true_lifetimes"].tolist() == [True, False]


def test_the_registry_says_which_policies_know_lifetimes() -> None:
    infos = [*cospot.list_filters(), *cospot.list_weighers(), *cospot.list_evictors()]
    assert [info.name for info in infos if info.needs_true_lifetimes] == ["LPO"]
    assert [info.name for info in infos if info.needs_lifetimes] == ["LPO", "LPML", "LPKM"]
    assert [info.name for info in infos if info.needs_lifetime_model] == ["LPML", "LPKM"]
    # Those that know lifetimes, and those that read a forecast which Nova has not.
    forecasts = {"EconomyPromise", "LifetimeSla", "LowRevocation", "TransientClass"}
    assert {info.name for info in infos if not info.is_for_nova} == {"LPO", "LPML", *forecasts}
    assert [info.name for info in infos if info.tune_choice == "spot"][:2] == ["sUTIL", "sCOS"]
    assert {info.tune_choice for info in infos} == {"vm", "spot", "evictor", None}
