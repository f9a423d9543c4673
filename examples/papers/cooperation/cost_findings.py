"""Findings 7 and 8, and what the paper prints of data that are not at hand."""

from __future__ import annotations

from collections.abc import Iterator

from cooperation.evaluation import Evaluation
from cooperation.judging import percent
from reproduction.finding import Finding, not_tested

_INTERRUPTED = (
    "the machine had other work: where such runs were repeated, the longest allocation was an "
    "interruption and no search (docs/reproduction.md)"
)


def finding_7(evaluation: Evaluation) -> Iterator[Finding]:
    """Yield the times of VM allocations; none where the runs were not timed."""
    runs = evaluation.runs
    if not runs["alloc_max_ns"].any():
        return
    groups = runs.groupby("evictor", observed=True)
    p99 = groups["alloc_p99_ns"].max() / 1000
    yield Finding(
        "Finding 7",
        "VM allocation, 99th percentile, the largest of all runs', by evictor",
        "24 ms",
        ", ".join(f"{name} {value:.1f} µs" for name, value in p99.items()),
        "value or less",
        24,
        (p99 / 1000).to_dict(),
        "calls the latency negligible",
        headline="99th percentile of the time of a VM allocation",
    )
    longest = groups["alloc_max_ns"].max() / 1e6
    fifo = longest.get("FIFO")
    if fifo is None:
        return
    yield Finding(
        "Finding 7", "longest VM allocation, FIFO", "18 ms", f"{fifo:.2f} ms", "value or less", 18,
        fifo, "FIFO keeps the longest so short", because=_INTERRUPTED,
    )  # fmt: skip
    others = longest.drop("FIFO")
    if not others.empty:
        yield Finding(
            "Finding 7",
            "longest VM allocation, other evictors",
            "longer than FIFO's",
            ", ".join(f"{name} {value:.2f} ms" for name, value in others.items()),
            "direction",
            "<",
            {str(name): [fifo, value] for name, value in others.items()},
            "outliers are due to the subset search of the others",
            because=_INTERRUPTED,
        )
    yield not_tested(
        "Finding 7", "spot allocation latency", "the same with CoSpot",
        "only allocations of VMs are timed; it takes a timer around those of spots",
        "CoSpot leaves the latency of spots as it is",
    )  # fmt: skip


def finding_8(evaluation: Evaluation) -> Iterator[Finding]:
    """Yield what spots that are free in their first hour cost."""
    runs = evaluation.runs
    lost = runs["spot_revenue"] - runs["spot_revenue_first_hour_free"]
    parts = {}
    for whole, name in (("spot_revenue_requested", "requested"), ("spot_revenue", "earned")):
        part = lost / runs[whole].where(runs[whole] != 0)
        parts[name] = [part.mean(), part.max()]
    requested = parts["requested"]
    yield Finding(
        "Finding 8",
        "spot revenue lost to a free first hour, of what was requested: mean, largest",
        "0.05 %, 0.5 %",
        f"{percent(requested[0], 3)}, {percent(requested[1], 2)}",
        "value or less",
        [0.0005, 0.005],
        requested,
        "calls so small a loss negligible",
        readings={"of what was earned": parts["earned"]},
    )


def data_not_at_hand(_: Evaluation) -> Iterator[Finding]:
    """Yield what only the full trace of Azure or Resource Central's could tell."""
    full = "it takes the full Azure trace of 2020, which is not at hand"
    other = "it takes Resource Central's trace, which is not at hand"
    yield not_tested(
        "Figure 2", "VMs rejected, 50 samples of Resource Central", "drawn", other,
        "a loosely followed ranking costs few VMs there too",
    )  # fmt: skip
    yield not_tested(
        "section 2", "VM requests of such a sample, mean", "19,793", other, "counts requests"
    )
    yield Finding(
        "section 4.2",
        "VM types left out as inconsistent",
        "18 of 265",
        "18 of 265",
        "value",
        [18, 265],
        [18, 265],
        "counts the types",
        data="the released sizes of VM types (docs/reconstruct.md)",
    )
    yield not_tested("section 4.2", "their part of the trace", "< 6 %", full, "bounds the part")
    yield not_tested(
        "section 4.2", "events of the synthesized workload", "about 10 million", full,
        "counts events",
    )  # fmt: skip
