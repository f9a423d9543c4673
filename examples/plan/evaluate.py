#!/usr/bin/python3
"""Plans several histories, each judged on its own future, and prints what docs/plan.md has of them.

    PYTHONPATH=build/release/python /usr/bin/python3 examples/plan/evaluate.py WORKLOAD...

The prices are those of PRICES; hosts are as in CoSpot's evaluation, with 2 % headroom.
"""

from __future__ import annotations

import sys
from pathlib import Path

import cospot

HOST = (10400, 2250)
PRICES = {"on_demand": 0.04, "spot": 0.012, "economy": 0.02, "currency": "EUR"}


def share_of_bound(plan: cospot.SpotPlan, name: str) -> float | None:
    """Return what an alternative earned net, of what was earned by knowing the future."""
    nets = {one.name: one.net_per_day.mean for one in plan.alternatives if one.net_per_day}
    bound = nets["known afterwards"]
    return nets[name] / bound if bound > 0 else None


def main() -> None:
    """Print the table of docs/plan.md."""
    names = ["spots without cooperation", "cooperating spots", "the plan"]
    print(
        "| history | hosts | advice | "
        + " | ".join(names)
        + " | lead a day | classes sold | broken |"
    )
    print("|---|---:|---|" + "---:|" * len(names) + "---:|---:|---:|")
    shares: dict[str, list[float]] = {name: [] for name in names}
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
        told = "" if lead is None else f"{lead.mean:+,.0f}"
        if lead is not None and lead.low is not None and lead.high is not None:
            told += f" ({lead.low:+,.0f} to {lead.high:+,.0f})"
        print(
            f"| {Path(workload).name} | {plan.hosts} | {plan.advised} | "
            + " | ".join(cells)
            + f" | {told} | {len(judged)} | {len(bad)} |",
            flush=True,
        )
    means = []
    for name in names:
        mean, half = cospot.mean_interval(shares[name])
        means.append(f"{100 * mean:.1f}%" + ("" if half is None else f" +/- {100 * half:.1f}"))
    print("| **mean, 95 %** | | | " + " | ".join(means) + f" | | {sold} | {failed} |")
    print(f"\nPromises tested: {tested:,}, broken: {broken:,}.")


if __name__ == "__main__":
    main()
