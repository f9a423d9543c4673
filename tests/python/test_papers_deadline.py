"""What the page of "Can't Be Late" makes of costs."""

from __future__ import annotations

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed")
pytest.importorskip("pandas", minversion="1.5")

import pandas as pd
from deadline.page import findings, ours_in_parts, saving_of


def _costs(uniform_progress: float) -> pd.DataFrame:
    """Two windows that cost 20 USD more and less than the mean, but for on-demand."""
    means = {
        "greedy": 110.0, "uniform_progress": uniform_progress, "quoted": 95.0, "optimal": 90.0
    }  # fmt: skip
    windows = {name: [cost - 20, cost + 20] for name, cost in means.items()}
    return pd.DataFrame({"on_demand": [150.0, 150.0], **windows})


def test_the_findings_of_costs() -> None:
    # (110 - 90) / (100 - 90) = 2; Uniform Progress saves 70 and 30 of 150, a third on the mean.
    gap, bad, saved, ours = findings(_costs(uniform_progress=100))
    assert (gap.here, gap.verdict) == ("2.00", "holds")
    # (110 - 90) / (105 - 90) = 1.33, which is more than a tenth below 2.
    assert findings(_costs(uniform_progress=105))[0].differs
    # Both windows are as far from the optimum: so is each percentile.
    assert (bad.here, bad.verdict, bad.readings) == ("2.00", "holds", {"the 99th percentile": 2})
    # Student's t of 2 values: 12.706 x (40 / 150 / sqrt(2)) / sqrt(2) = 1.694.
    assert (saved.here, saved.verdict) == ("33.3 +/- 169.4%", "holds")
    # 5 of 100 in both windows.
    assert (ours.here, ours.verdict) == ("5.0 +/- 0.0%", None)


def test_a_saving_is_a_share_of_the_mean_of_the_dearer() -> None:
    costs = pd.DataFrame({"a": [40.0, 140.0], "b": [50.0, 150.0]})
    assert saving_of(costs, "a", "b") == pytest.approx((0.1, 0.0))


def test_our_saving_in_parts() -> None:
    # Folder a/b/c: 10 of 100 in one window and -10 in another of one trace; a/b/d: 30 of 100.
    runs = [
        {"trace": trace, "strategy": strategy, "cost": cost,
         "deadline_hours": 52.0, "overhead_hours": 0.05}
        for trace, quoted in (("a/b/c/1@0h", 90), ("a/b/c/1@70h", 110), ("a/b/d/2@0h", 70))
        for strategy, cost in (("uniform_progress", 100), ("quoted", quoted))
    ]  # fmt: skip
    rows = dict(ours_in_parts(pd.DataFrame(runs)).rows)
    # 10, -10 and 30 of 100: mean 10, standard deviation 20; 4.303 x 20 / sqrt(3) = 49.7.
    assert rows["3 windows as samples"] == "10.0 +/- 49.7%"
    # By trace 0 and 30: 12.706 x 15 = 190.6, half of 30 being the error of the mean.
    assert rows["2 traces as samples"] == "15.0 +/- 190.6%"
    assert rows["windows in which it is dearer"] == "1, by 10.0% at most"
    assert rows["traces of `a/b/c`"] == "0.0 +/- 127.1%"
    assert rows["traces of `a/b/d`"] == "30.0%"  # one window has no interval
    assert rows["deadline 52 h, overhead 3 min"] == "10.0 +/- 49.7%"
