"""pareto_front and average_over_workloads against arithmetic and brute force."""

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
    # The second has less gain than the first at more loss; the fourth equals the third.
    frame = pd.DataFrame(
        {"gain": [0.1, 0.05, 0.4, 0.4, 0.3], "vm_loss": [0.0, 0.01, 0.02, 0.02, 0.03]}
    )
    assert cospot.pareto_front(frame).index.tolist() == [0, 2, 3]


def test_front_leaves_the_unknown_aside() -> None:
    frame = pd.DataFrame({"gain": [None, 0.2, 0.5], "vm_loss": [0.0, 0.0, None]})
    assert cospot.pareto_front(frame).index.tolist() == [1]


@pytest.mark.parametrize("seed", range(20))
def test_front_equals_brute_force(seed: int) -> None:
    generator = random.Random(seed)
    # Few values, so that there are ties in gain, in loss and in both.
    points = [(generator.randrange(6) / 4, generator.randrange(6) / 8) for _ in range(40)]
    frame = pd.DataFrame(points, columns=["gain", "vm_loss"])
    front = cospot.pareto_front(frame)
    assert set(front.index) == brute_force(points)
    assert front["vm_loss"].is_monotonic_increasing
    assert front["gain"].is_monotonic_increasing


def test_front_of_other_columns() -> None:
    frame = pd.DataFrame({"share": [0.5, 0.6], "evictions": [10, 20]})
    assert cospot.pareto_front(frame, gain="share", loss="evictions").index.tolist() == [0, 1]
    with pytest.raises(cospot.ConfigError, match="no column gain, vm_loss.*it has share, evict"):
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
