"""The conclusions of `tune` and `plan` from histories whose next weeks are known.

COSPOT_HISTORIES names a folder with `services.csv.gz`: every eighth service of a public trace of
inference services (Alibaba cluster-trace-gpu-v2025), of which VMs grow from 70 to 89 % of the
capacity in 31 days.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType
from typing import Any

import cospot
import pytest

PARTS = [5, 7, 10, 14, 21, 28]
#: None of Economy instances: a plan that divides answers another question than `tune`.
PRICE = {"on_demand": 0.04, "spot": 0.012, "currency": "EUR"}
MONTH = 365.25 / 12


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    folder = os.environ.get("COSPOT_HISTORIES")
    if not folder:
        pytest.skip("COSPOT_HISTORIES is not set")
    return {"history": Path(folder) / "services.csv.gz", "host": (192, 983040), "hosts": 232}


def both(given: dict[str, Any], parts: int) -> tuple[cospot.Tuning, cospot.SpotPlan]:
    where = {key: value for key, value in given.items() if key != "history"}
    options = {**where, "price": PRICE, "parts": parts, "progress": False}
    return cospot.tune(given["history"], **options), cospot.plan(given["history"], **options)


def check_they_agree(tuned: cospot.Tuning, plan: cospot.SpotPlan) -> None:
    """Check that both set the same, and that cooperation was worth the same to the cent."""
    assert tuned.verdict.advice == "cooperate"
    assert plan.advised == "cooperating spots"
    for key in ("vm", "spot", "evictor", "saf", "otn"):
        assert str(getattr(tuned.recommendation, key)) == str(getattr(plan.chosen, key))
    assert plan.next_best == "spots without cooperation"
    assert tuned.money is not None and tuned.money.gain_per_month is not None
    assert plan.lead_per_day is not None and tuned.money.next_month_gain is not None
    lead = MONTH * plan.lead_per_day.mean
    assert tuned.money.gain_per_month.mean == pytest.approx(lead, abs=0.01)
    assert tuned.money.next_month_gain.next == pytest.approx(plan.next_month_lead.next, abs=0.01)


@pytest.mark.parametrize("parts", PARTS)
def test_services_that_grow(services: dict[str, Any], parts: int) -> None:
    tuned, plan = both(services, parts)
    check_they_agree(tuned, plan)
    # Counted from the file: idle capacity earned 113,000 a month early and 33,400 in the last part
    # of seven. The mean, 77,017, was no forecast of what comes next.
    assert 20_000 < plan.next_month.next < 42_000
    # The gain fell to 1,600 a month in the last seventh.
    assert 0 < plan.next_month_lead.next < 3_000
    assert tuned.expected.over_limit == 0
    stretches = plan.next_month.origins
    assert len(stretches) == parts - max(2, -(-2 * parts // 7))


class Record:
    """The errors of forecasts, those of the last part's amount, and the intervals that held."""

    def __init__(self) -> None:
        self.errors = self.of_last = 0.0
        self.held = self.intervals = 0

    def add(self, plan: cospot.SpotPlan) -> None:
        for one in plan.next_month.origins:
            error = abs(one.came - one.forecast)
            self.errors += error
            self.of_last += abs(one.came - one.last_part)
            if one.half_width_90 is not None:
                self.intervals += 1
                self.held += error <= one.half_width_90


def test_forecasts_are_no_worse_than_the_last_part(services: dict[str, Any]) -> None:
    record = Record()
    for parts in PARTS:
        record.add(both(services, parts)[1])
    assert record.errors <= record.of_last


def histories() -> ModuleType:
    path = Path(__file__).parents[2] / "examples/plan/histories.py"
    spec = importlib.util.spec_from_file_location("histories", path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_changes_of_demand_are_named(services: dict[str, Any]) -> None:
    made = histories()
    where: dict[str, Any] = {"host": (64, 262144), "headroom_percent": 5, "price": PRICE}
    where |= {"vm": ["UTIL"], "spot": ["sUTIL"], "otn": [1], "progress": False}
    step = cospot.plan(made.requests(made.step, seed=2), parts=5, **where)
    assert step.vm_demand.step_day == 20
    assert step.vm_demand.step == pytest.approx(0.15, abs=0.04)
    assert step.vm_demand.season is None and step.vm_demand.growth_per_month is None
    # VMs live for two days: their use has 1 / sqrt(1 + (4 pi / 7) ** 2) = 0.49 of the +/- 20 %.
    season = cospot.plan(made.requests(made.season, seed=1), parts=5, **where)
    assert season.vm_demand.season == pytest.approx(0.098, abs=0.025)
    assert season.vm_demand.growth_per_month == pytest.approx(1.03 ** (MONTH / 7) - 1, abs=0.05)
    assert season.vm_demand.step_day is None
    assert "has a week's season" in str(season)
    flat = cospot.plan(made.requests(lambda _: 1.0, seed=1), parts=5, **where)
    assert "VM demand" not in str(flat)
    grows = cospot.plan(services["history"], **{**where, "host": (192, 983040)}).vm_demand
    assert grows.growth_per_month > 0.05 and grows.season is None


@pytest.mark.slow
def test_a_step_a_season_and_growth(services: dict[str, Any]) -> None:
    made = histories()
    record = Record()
    for demand in (made.step, made.season):
        history = made.requests(demand, seed=1)
        chosen = set()
        for parts in PARTS:
            given = {"history": history, "host": (64, 262144), "headroom_percent": 5}
            tuned, plan = both(given, parts)
            check_they_agree(tuned, plan)
            chosen.add(plan.chosen.label)
            record.add(plan)
        assert len(chosen) == 1
    whole = cospot.Workload.load(services["history"])
    for days in (15.5, 31):
        for parts in PARTS:
            record.add(both({**services, "history": whole.with_window_days(days)}, parts)[1])
    assert 0.85 <= record.held / record.intervals <= 0.95
    assert record.errors <= record.of_last
