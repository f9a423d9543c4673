"""Findings 7 and 8, and what the paper prints of data that are not at hand."""

from __future__ import annotations

from collections.abc import Iterator

from cooperation.evaluation import Evaluation
from cooperation.judging import percent
from reproduction.judging import is_near, not_tested
from reproduction.page import Finding

_FASTER = "another program ran on another machine"
_INTERRUPTED = (
    "the machine had other work: where such runs were repeated, the longest allocation was an "
    "interruption and no search (docs/reproduction.md)"
)


def finding_7(evaluation: Evaluation) -> Iterator[Finding]:
    """Yield the times of VM allocations; none where the runs were not timed."""
    runs = evaluation.runs
    if not runs["alloc_max_ns"].any():
        return
    longest = runs.groupby("evictor", observed=True)["alloc_max_ns"].max() / 1e6
    for evictor, group in runs.groupby("evictor", observed=True):
        p99 = group["alloc_p99_ns"].max() / 1000
        what = f"VM allocation, 99th percentile, {evictor}: the largest of all runs'"
        near = is_near(p99, 24000)
        yield Finding("Finding 7", what, "24 ms", f"{p99:.1f} µs", near, because=_FASTER)
        what, here = f"longest VM allocation, {evictor}", f"{longest[evictor]:.2f} ms"
        if evictor == "FIFO":
            holds, paper = is_near(longest[evictor], 18), "18 ms"
        else:
            holds, paper = bool(longest[evictor] > longest.get("FIFO", 0)), "longer than FIFO's"
        yield Finding("Finding 7", what, paper, here, holds, because=_INTERRUPTED)
    yield not_tested(
        "Finding 7", "spot allocation latency", "the same with CoSpot", "only VMs' are timed"
    )


def finding_8(evaluation: Evaluation) -> Iterator[Finding]:
    """Yield what spots that are free in their first hour cost."""
    runs = evaluation.runs
    lost = runs["spot_revenue"] - runs["spot_revenue_first_hour_free"]
    for whole, name in (("spot_revenue_requested", "requested"), ("spot_revenue", "earned")):
        part = lost / runs[whole].where(runs[whole] != 0)
        yield Finding(
            "Finding 8",
            f"spot revenue lost to a free first hour, of what was {name}: mean, largest",
            "0.05 %, 0.5 %",
            f"{percent(part.mean(), 3)}, {percent(part.max(), 2)}",
            is_near(part.mean(), 0.0005) and is_near(part.max(), 0.005),
        )


def data_not_at_hand(_: Evaluation) -> Iterator[Finding]:
    """Yield what only the full trace of Azure or Resource Central's could tell."""
    full, other = "the full Azure trace is not at hand", "Resource Central's trace is not at hand"
    yield not_tested("Figure 2", "VMs rejected, 50 samples of Resource Central", "drawn", other)
    yield not_tested("section 2", "VM requests of such a sample, mean", "19,793", other)
    yield Finding(
        "section 4.2",
        "VM types left out as inconsistent",
        "18 of 265",
        "18 of 265",
        True,
        data="the released sizes of VM types (docs/reconstruct.md)",
    )
    yield not_tested("section 4.2", "their part of the trace", "< 6 %", full)
    yield not_tested("section 4.2", "events of the synthesized workload", "about 10 million", full)
    yield not_tested(
        "section 4.6",
        "LPML trained on the first three days of the full trace",
        "as trained",
        f"{full}; here it is trained on those days of the workloads that were run, or built in",
    )
