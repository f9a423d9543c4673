"""examples/papers/spot_broker: verdicts by hand, and the whole evaluation on a small scale."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("scipy", reason="scipy is not installed")
pytest.importorskip("matplotlib", reason="matplotlib is not installed")
pytest.importorskip("pandas", minversion="1.5")

import pandas as pd
from cospot.errors import InputError
from spot_broker.page import Claim, Runs, judge

ROOT = Path(__file__).resolve().parents[2]
LOW, HIGH = ("none", "minimum", 2.0), ("none", "mean", 2.0)


def runs_of(low: list[float], high: list[float], market: str = "m") -> Runs:
    rows = []
    for cell, costs in ((LOW, low), (HIGH, high)):
        for seed, cost in enumerate(costs):
            rows.append(
                {
                    "market": market if cell == LOW else "m",
                    "job_log": "j",
                    "billing": "hourly",
                    "market_choice": "preferred",
                    "fault_tolerance": cell[0],
                    "bid": cell[1],
                    "alpha": cell[2],
                    "seed": seed,
                    "cost": cost,
                }
            )
    return Runs(pd.DataFrame(rows))


def test_verdicts() -> None:
    claim = Claim("low is cheaper", "cost", [(LOW, HIGH)])
    # Differences 1, 2, 3: t = 2 / (1 / sqrt 3) = 3.464 > 2.920 = t(0.95; 2).
    assert judge(runs_of([1, 1, 1], [2, 3, 4]), claim).word == "holds"
    # Differences 0, 1, 2: t = 1.732 < 2.920.
    assert judge(runs_of([1, 1, 1], [1, 2, 3]), claim).word == "holds, not significantly"
    assert judge(runs_of([1, 2, 3], [1, 1, 1]), claim).word == "does not hold, not significantly"
    assert judge(runs_of([2, 3, 4], [1, 1, 1]), claim).word == "does not hold"
    assert judge(runs_of([1, 1], [1, 1]), claim).word == "does not hold, not significantly"
    assert judge(runs_of([1, 1], [2, 2]), claim).word == "holds"


def test_means_have_students_interval() -> None:
    # 1, 2, 3: t(0.975; 2) = 4.30265, standard error 1 / sqrt 3.
    mean, width = runs_of([1, 2, 3], [0, 0, 0]).mean(LOW, "cost")
    assert mean == pytest.approx(2)
    assert width == pytest.approx(2.48414, rel=1e-5)


def test_several_markets_are_refused() -> None:
    with pytest.raises(InputError, match="market: expected one value, found 2"):
        runs_of([1], [2], market="other")


def test_the_whole_evaluation_on_a_small_scale(tmp_path: Path) -> None:
    program = os.environ["COSPOT_PROGRAM"]
    environment = dict(os.environ, COSPOT=program, COSPOT_PYTHON=sys.executable)
    command = [
        str(ROOT / "examples" / "papers" / "spot_broker" / "run.sh"),
        "--synthetic",
        "-o",
        str(tmp_path),
    ]
    small = ["--jobs", "100", "--seeds", "2", "-j", "2"]
    for _ in range(2):  # the second time there is nothing left to do
        finished = subprocess.run(
            [*command, *small], capture_output=True, text=True, check=False, env=environment
        )
        assert finished.returncode == 0, finished.stderr
    page = (tmp_path / "findings.md").read_text()
    assert page.count("\n| ") == 14
    assert "Seeds: 2." in page
    for name in ("figure-2a", "figure-2b", "figure-3", "figure-4"):
        assert (tmp_path / f"{name}.png").stat().st_size > 5000
    assert (tmp_path / "ranking.txt").read_text().count("migration") == 30
    bad = subprocess.run([*command, "--seeds", "1"], capture_output=True, text=True, check=False)
    assert bad.returncode == 2
    assert "expected 2 to 31" in bad.stderr
