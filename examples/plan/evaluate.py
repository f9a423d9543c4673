#!/usr/bin/python3
"""Plans several histories, each judged on its own future, and prints what docs/plan.md has of them.

    PYTHONPATH=build/release/python /usr/bin/python3 examples/plan/evaluate.py WORKLOAD...

The prices are those of PRICES; hosts are as in CoSpot's evaluation, with 2 % headroom.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import cospot

if TYPE_CHECKING:
    from cospot.interval import Forecast

HOST = (10400, 2250)
MONTH = 365.25 / 12  # days
PRICES = {"on_demand": 0.04, "spot": 0.012, "economy": 0.02, "currency": "EUR"}


def share_of_bound(plan: cospot.SpotPlan, name: str) -> float | None:
    """Return what an alternative earned net, of what was earned by knowing the future."""
    nets = {one.name: one.net_per_day.mean for one in plan.alternatives if one.net_per_day}
    bound = nets["known afterwards"]
    return nets[name] / bound if bound > 0 else None


class Forecasts:
    """The errors of forecasts, and of the last part's amount in their place."""

    def __init__(self) -> None:
        self.errors = self.of_last = self.came = 0.0
        self.held = self.intervals = 0

    def add(self, record: Forecast) -> None:
        """Count what a plan's forecasts missed."""
        for one in record.origins:
            error = abs(one.came - one.forecast)
            self.errors += error
            self.of_last += abs(one.came - one.last_part)
            self.came += one.came
            if one.half_width_90 is not None:
                self.intervals += 1
                self.held += error <= one.half_width_90

    def cells(self) -> list[str]:
        """Return mean errors, as shares of what came, and the intervals that held it."""
        shares = [f"{100 * one / self.came:.1f}%" for one in (self.errors, self.of_last)]
        return [*shares, f"{self.held} of {self.intervals}"]


def main() -> None:
    """Print the table of docs/plan.md."""
    names = ["spots without cooperation", "cooperating spots", "the plan"]
    more = ["lead a month", "forecasts off by", "last part", "held", "classes sold", "broken"]
    print("| history | hosts | advice | " + " | ".join(names + more) + " |")
    print("|---|---:|---|" + "---:|" * len(names + more))
    shares: dict[str, list[float]] = {name: [] for name in names}
    forecasts = Forecasts()
    tested = broken = sold = failed = 0
    for workload in sys.argv[1:]:
        plan = cospot.plan(workload, price=PRICES, host=HOST, progress=False)
        cells = []
        for name in names:
            share = share_of_bound(plan, name)
            cells.append("" if share is None else f"{100 * share:.1f}%")
            if share is not None:
                shares[name].append(share)
        judged = [one for one in plan.classes if one.parts_sold and one.promises]
        bad = [one for one in judged if one.promises and one.promises.verdict == "broken"]
        sold += len(judged)
        failed += len(bad)
        tested += sum(one.promises.tested for one in judged if one.promises)
        broken += sum(one.promises.broken for one in judged if one.promises)
        lead = plan.lead_per_day
        told = "" if lead is None else f"{MONTH * lead.mean:+,.0f}"
        if lead is not None and lead.low is not None and lead.high is not None:
            told += f" ({MONTH * lead.low:+,.0f} to {MONTH * lead.high:+,.0f})"
        made = Forecasts()
        for every in (made, forecasts):
            every.add(plan.next_month)
        cells += [told, *made.cells(), f"{len(judged)}", f"{len(bad)}"]
        head = [Path(workload).name, str(plan.hosts), plan.advised]
        print("| " + " | ".join(head + cells) + " |", flush=True)
    means = []
    for name in names:
        mean, half = cospot.mean_interval(shares[name])
        means.append(f"{100 * mean:.1f}%" + ("" if half is None else f" +/- {100 * half:.1f}"))
    means += ["", *forecasts.cells(), f"{sold}", f"{failed}"]
    print("| **mean, 95 %** | | | " + " | ".join(means) + " |")
    print(f"\nPromises tested: {tested:,}, broken: {broken:,}.")


if __name__ == "__main__":
    main()
