"""Figure 6 on Amazon EC2's spot prices of m1.large in us-east, of 2010 and 2011.

The paper's prices are of 2014; those of `spot_broker.prices` end on 2011-02-14.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import cospot
from spot_broker.prices import ON_DEMAND, files_in, read_prices

#: Begin and end, in hours.
Span = tuple[float, float]
#: To save 16 GB, in hours.
SAVE = 10 / 60


def in_bid(data: Path) -> tuple[list[Span], float]:
    """Return when the price was below on demand, and the hours of the history; none without it."""
    path = files_in(data / "spotsim" / "prices_csv")["m1.large"]
    if not path.exists():
        return [], 0.0
    prices = read_prices(path)
    hours = [(price.time - prices[0].time) / timedelta(hours=1) for price in prices]
    spans: list[Span] = []
    begin: float | None = None
    for hour, price in zip(hours, prices, strict=True):
        if price.usd < ON_DEMAND["m1.large"]:
            begin = hour if begin is None else begin
        elif begin is not None:
            spans.append((begin, hour))
            begin = None
    if begin is not None and begin < hours[-1]:
        spans.append((begin, hours[-1]))
    return spans, hours[-1]


def lost(spans: Sequence[Span], checkpoint: object) -> float:
    """Return the share of the time in bid that a job which never ends loses."""
    run = cospot.simulate_job(1e6, checkpoint, available_hours=spans)  # type: ignore[arg-type]
    overhead = run["checkpointing_hours"] + run["recomputing_hours"] + run["restarting_hours"]
    return float(overhead / (overhead + run["useful_hours"]))


def figure_6(data: Path) -> Iterator[tuple[str, str, float, str]]:
    """Return what a job lost: the policies, the interval, and the window of the estimate."""
    spans, hours = in_bid(data)
    if not spans:
        return
    revocations = sum(end < hours for _, end in spans)
    mttr = sum(end - begin for begin, end in spans) / revocations
    yield "V-A", "EC2's m1.large: revocations a year", revocations * 8760 / hours, "555"
    yield "V-A", "EC2's m1.large: MTTR, h", mttr, "~15 h"
    best = cospot.optimal_interval(SAVE, mttr)
    for name, checkpoint in (
        ("oracle", "oracle"),
        ("optimal interval", best),
        ("hourly", "hourly"),
    ):
        yield "6a", f"EC2's m1.large, {name}: time lost", lost(spans, checkpoint), ""
    for factor in (0.25, 0.5, 1, 2, 4):
        what = f"EC2's m1.large, {factor:g} x optimal interval: time lost"
        yield "6b", what, lost(spans, factor * best), ""
    for name, window in (("hour", 1), ("day", 24), ("week", 168), ("month", 720), ("year", 8760)):
        useful = wasted = 0.0
        for begin, end in spans:
            past = [(max(b, begin - window), e) for b, e in spans if begin - window < e <= begin]
            assumed = sum(e - b for b, e in past) / len(past) if past else mttr
            run = cospot.simulate_job(
                1e6, {"assumed_mttr_hours": assumed}, available_hours=[(0.0, end - begin)]
            )
            useful += run["useful_hours"]
            wasted += run["checkpointing_hours"] + run["recomputing_hours"]
        what = f"EC2's m1.large, MTTR of the past {name}: time lost"
        yield "6c", what, wasted / (useful + wasted), ""
