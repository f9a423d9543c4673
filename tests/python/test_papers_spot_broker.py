"""examples/papers/spot_broker: verdicts by hand, and the whole evaluation on a small scale."""

from __future__ import annotations

import itertools
import json
import os
import sys
from pathlib import Path

import pytest

pytest.importorskip("scipy", reason="scipy is not installed")
pytest.importorskip("matplotlib", reason="matplotlib is not installed")
pytest.importorskip("pandas", minversion="1.5")

import pandas as pd
from cospot.errors import InputError
from programs import printed_by, run_program
from spot_broker.claims import Claim, Runs, differ, judge
from spot_broker.findings import CHEAPEST, rises_of_ec2

ROOT = Path(__file__).resolve().parents[2]
LOW, HIGH = ("none", "minimum", 2.0), ("none", "mean", 2.0)


def runs_of(low: list[float], high: list[float], market: str = "m") -> Runs:
    common = {"job_log": "j", "billing": "hourly", "market_choice": "preferred"}
    axes = ("fault_tolerance", "bid", "alpha", "market", "seed", "cost")
    rows = [
        {**common, **dict(zip(axes, (*cell, where, seed, cost), strict=True))}
        for cell, where, costs in ((LOW, market, low), (HIGH, "m", high))
        for seed, cost in enumerate(costs)
    ]
    return Runs(pd.DataFrame(rows))


def test_verdicts() -> None:
    claim = Claim("Figure 2a", "low is cheaper", "cost", [(LOW, HIGH)])
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
    assert runs_of([1, 2, 3], [0, 0]).mean(LOW, "cost") == pytest.approx((2, 2.48414), rel=1e-5)


def test_several_markets_are_refused() -> None:
    with pytest.raises(InputError, match="market: expected one value, found 2"):
        runs_of([1], [2], market="other")


@pytest.mark.slow
def test_the_whole_evaluation_on_a_small_scale(tmp_path: Path) -> None:
    environment = os.environ | {"COSPOT": os.environ["COSPOT_PROGRAM"]}
    environment["COSPOT_PYTHON"] = sys.executable
    script = ROOT / "examples" / "papers" / "spot_broker" / "run.sh"
    command = (script, "--synthetic", "-o", tmp_path)
    small = ["--jobs", "100", "--seeds", "2", "--cheapest-seeds", "3", "-j", "2"]
    for _ in range(2):  # the second time there is nothing left to do
        printed_by(*command, *small, env=environment)
    page = (tmp_path / "evaluation.html").read_text()
    # Without EC2's prices: two markets, and of each nine rows of late jobs.
    starts = [page.count(f"<tr><td>{market}</td>") for market in ("us_east_2011", "fitted")]
    assert starts == [1 + 1 + 9] * 2
    rows = json.loads((tmp_path / "findings.json").read_text())
    assert sum(row["source"] == "Table III" for row in rows) == 1 + 11 + 3
    # On the other reading too, but for what is said of the number of experiments.
    assert sum(CHEAPEST in row["readings"] for row in rows) == len(rows) - 1
    assert all(row["published"] and row["data"] and row["verdict"] for row in rows)
    for name, market in itertools.product(("2a", "2b", "3", "4"), ("us-east-2011", "fitted")):
        assert (tmp_path / f"figure-{name}-{market}.png").stat().st_size > 5000
    # Two markets, 120 combinations and two seeds.
    assert len((tmp_path / "results.csv").read_text().splitlines()) == 1 + 2 * 120 * 2
    bad = run_program(*command, "--seeds", "1")
    assert bad.returncode == 2 and "expected 2 to 31" in bad.stderr


def test_rises_are_counted_from_begin_to_end(tmp_path: Path) -> None:
    # On demand is 0.085. One rise of 2 hours, at two prices, up to 0.102 / 0.085 = 1.2; another of
    # an hour, exactly at 0.085; the last price is not known to have ended.
    usd = (0.03, 0.09, 0.102, 0.03, 0.085, 0.03, 0.09)
    rows = [f"2010-12-01T{hour:02}:00:00Z,{price}" for hour, price in enumerate(usd)]
    (path := tmp_path / "m1.small.csv").write_text("\n".join(["time,price", *rows]))
    found = rises_of_ec2(path)
    assert (found.here, found.measured) == ("2; 120 min; 20%", [2, 120, 0.2])
    assert found.differs


def test_the_ranking_leaves_out_what_the_paper_does() -> None:
    both = runs_of([1, 2], [3, 4])
    assert both.ranking("cost") == [LOW, HIGH]
    assert LOW in both and ("none", "high", 2.0) not in both
    assert differ(runs_of([1, 1], [2, 2]), HIGH, LOW, "cost")
    # Paired, 1 and 1.1: t = 1.05 / 0.05 = 21; not, 1.05 / sqrt(0.5 + 0.605) = 1.
    assert differ(near := runs_of([1, 2], [2, 3.1]), HIGH, LOW, "cost")
    assert not differ(near, HIGH, LOW, "cost", paired=False)
    assert not differ(runs_of([1, 2], [2, 1]), HIGH, LOW, "cost")
