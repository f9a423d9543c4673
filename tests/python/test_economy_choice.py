"""The forecaster that `economy plan` chooses, against a search in plain Python."""

from __future__ import annotations

import csv
import gzip
import os
import random
from collections.abc import Sequence
from math import floor, sqrt
from pathlib import Path
from statistics import NormalDist, fmean, stdev
from typing import Any

import pytest
from cospot import economy

CONFIDENCES = [0.5, 0.7, 0.9]
Chosen = dict[float, tuple[str, int, int, float]]


def least_slack(file: Path, hours: float) -> tuple[list[float], list[float]]:
    """Return the least slack of each period, and its last capacity."""
    slack: dict[int, float] = {}
    capacity: dict[int, float] = {}
    with (gzip.open if file.suffix == ".gz" else open)(file, "rt") as lines:
        for row in csv.DictReader(lines):
            period = int(float(row["time_s"]) // (3600 * hours))
            capacity[period] = float(row["capacity"])
            left = capacity[period] - float(row["used"])
            slack[period] = min(left, slack.get(period, left))
    return list(slack.values()), list(capacity.values())


def forecasts(known: Sequence[float], horizon: int) -> dict[str, tuple[float, float]]:
    """Return value and largest error by forecaster."""
    best = (float("inf"), 0.0, 0.0)
    for thousandths in range(1, 1000):
        alpha = thousandths / 1000
        level, squares = fmean(known[:10]), 0.0
        for value in known:
            error = value - level
            squares += error * error
            level += alpha * error
        best = min(best, (squares, alpha, level))
    sigma = sqrt(best[0] / (len(known) - 1) * (1 + (horizon - 1) * best[1] ** 2))
    mean = (fmean(known), stdev(known))
    return {"ses": (best[2], sigma), "mean": mean, "minimum": (min(known), 0.0)}


def is_kept(promise: float, actual: Sequence[float], bill: int) -> bool:
    """Say whether something was promised, and over 99 % of each bill's periods had no shortage."""
    bills = [actual[i : i + bill] for i in range(0, len(actual), bill)]
    return promise > 0 and all(
        sum(slack >= promise for slack in one) > 0.99 * len(one) for one in bills
    )


def expected(file: Path, hours: float, training_days: float, horizon_days: float) -> Chosen:
    """Return forecaster, kept promises, tests and promised share for each confidence."""
    slack, capacity = least_slack(file, hours)
    training, horizon, bill = (round(d * 24 / hours) for d in (training_days, horizon_days, 30))
    begins = range(training, len(slack) - horizon + 1, horizon)
    shares = {
        begin: [one / capacity[begin - 1] for one in slack] for begin in (*begins, len(slack))
    }
    made = {begin: forecasts(shares[begin][:begin], horizon) for begin in shares}
    found: Chosen = {}
    for confidence in CONFIDENCES:
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        records = {}
        for name in ("ses", "mean", "minimum"):
            at = {begin: max(0.0, of[name][0] - z * of[name][1]) for begin, of in made.items()}
            kept = [is_kept(at[one], shares[one][one : one + horizon], bill) for one in begins]
            records[name] = (sum(kept), at[len(slack)])
        enough = [one for one in records if records[one][0] >= confidence * len(begins) - 1e-9]
        if enough:
            chosen = max(enough, key=lambda one: records[one][1])
        else:
            chosen = max(records, key=lambda one: records[one][0])
        count, share = records[chosen]
        found[confidence] = (chosen, count, len(begins), share if count else 0)
    return found


def check(file: Path, hours: float, training_days: float, horizon_days: float) -> Chosen:
    days: dict[str, Any] = {"training_days": training_days, "horizon_days": horizon_days}
    plan = economy.plan(file, confidences=CONFIDENCES, period_hours=hours, **days)
    wanted = expected(file, hours, **days)
    for promise in plan.promises:
        forecaster, kept, tests, share = wanted[promise.confidence]
        assert promise.forecaster == forecaster
        assert promise.backtest is not None
        assert (promise.backtest.kept, promise.backtest.cycles) == (kept, tests)
        assert promise.quantity == pytest.approx(share, abs=1e-9)
        assert promise.amount == pytest.approx(share * plan.capacity, abs=1e-5)
        amount = f"{floor(promise.amount):,} of {floor(plan.capacity):,} "
        if plan.capacity < 10:
            amount = f"{promise.amount:.3g} of {plan.capacity:g} "
        told = f"Promise {amount}(forecaster {forecaster} at {promise.confidence:g}): "
        told += f"kept in {kept} of {tests} past tests."
        if kept == 0 or amount.startswith("0 "):
            told = f"Nothing can be promised{'' if kept else f' at {promise.confidence:g}'}, "
        assert promise.answer.startswith(told)
    assert (plan.answer, plan.forecaster) == (promise.answer, promise.forecaster)
    return wanted


def test_the_choice_is_that_of_a_search(tmp_path: Path) -> None:
    chosen = set()
    for seed in range(20):
        draw = random.Random(seed)
        noise, walk = draw.choice([0, 1, 8]), draw.choice([0, 3])
        trend = draw.choice([0, 0, 0.3, 3])
        used, text = 500.0, "time_s,capacity,used\n"
        for day in range(150):
            used = min(max(used + draw.gauss(trend, walk), 0), 990)
            now = min(max(used + draw.gauss(0, noise), 0), 1000)
            text += f"{86400 * day},1000,{now:.6f}\n"
        file = tmp_path / f"{seed}.csv"
        file.write_text(text)
        chosen |= {(one[0], one[1] == 0) for one in check(file, 24, 60, 20).values()}
    # Each forecaster is the best of some history, and for some none kept a promise.
    assert {name for name, _ in chosen} == {"ses", "mean", "minimum"}
    assert any(is_broken for _, is_broken in chosen)


@pytest.mark.parametrize(("name", "forecaster"), [("azure-v2", "minimum"), ("google-2019", "ses")])
def test_the_choice_on_public_clouds(name: str, forecaster: str) -> None:
    folder = os.environ.get("COSPOT_HISTORIES")
    if not folder:
        pytest.skip("COSPOT_HISTORIES does not name a folder of histories")
    wanted = check(Path(folder) / f"{name}-usage.csv.gz", 1, 14, 7)
    assert wanted[0.9][:3] == (forecaster, 2, 2)


def test_nothing_is_promised_from_a_short_history(tmp_path: Path) -> None:
    file = tmp_path / "short.csv"
    rows = "".join(f"{86400 * day},100,{50 + day}\n" for day in range(9))
    file.write_text("time_s,capacity,used\n" + rows)
    days: dict[str, Any] = {"training_days": 6, "horizon_days": 4}
    plan = economy.plan(file, confidences=[0.9], **days)
    assert plan.answer == (
        "Nothing can be promised, because the history is too short to test a promise on: "
        "9 periods of 24 h, expected at least 10 (training_days 6 and horizon_days 4)."
    )
    assert (plan.forecaster, plan.promises[0].amount) == ("", 0)
    assert plan.promises[0].backtest is None
    # A given forecaster promises all the same: 100 - 58 is the minimum.
    given = economy.plan(file, forecaster="minimum", confidences=[0.9], **days)
    assert given.answer == (
        "Promise 42 of 100 (forecaster minimum at 0.9): the history is too short for a past test."
    )
