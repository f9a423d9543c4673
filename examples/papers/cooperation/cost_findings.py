"""Findings 7 and 8, and what the paper prints of traces."""

from __future__ import annotations

import json
from collections.abc import Iterator

from cooperation.evaluation import BERNOULLI, Evaluation
from cooperation.judging import RELEASED, measured_on, percent
from reproduction.finding import Finding, not_public, not_tested, of_series

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
        "Finding 7",
        "longest VM allocation, FIFO (above 10 ms: the shortest of four runs)",
        "18 ms",
        f"{fifo:.2f} ms",
        "value or less",
        18,
        fifo,
        "FIFO keeps the longest so short",
        because=_INTERRUPTED,
    )
    calm = runs[runs["alloc_max_ns"] <= 1e6].groupby("evictor", observed=True)["alloc_max_ns"]
    means = calm.mean() / 1000
    others = means.drop("FIFO", errors="ignore")
    if "FIFO" in means and not others.empty:
        yield Finding(
            "Finding 7",
            "longest VM allocation of a run, mean (without those above 1 ms: interruptions)",
            "LPML's and LPO's are outliers",
            ", ".join(f"{name} {value:.0f} µs" for name, value in means.items()),
            "direction",
            "<",
            {str(name): [means["FIFO"], value] for name, value in others.items()},
            "the subset search of the others takes longer than FIFO",
        )
    times = ["spot_alloc_p50_ns", "spot_alloc_p99_ns"]
    without, cooperating = (
        runs[runs["is_baseline"] == is_baseline].groupby("evictor", observed=True)[times]
        for is_baseline in (True, False)
    )
    # No means of the latter: a run times about a hundred spots, so that one interruption is its
    # 99th percentile.
    ratios = cooperating.median() / without.median()
    means = ratios.assign(spot_alloc_p50_ns=(cooperating.mean() / without.mean())[times[0]])
    if not ratios.empty:
        yield of_series(
            "Finding 7",
            "spot allocation, median and 99th percentile: medians of the runs with CoSpot by those "
            "of the runs without",
            "the same",
            {str(row[0]): list(row[1:]) for row in ratios.itertuples()},
            lambda both: " and ".join(f"{one:.3f}" for one in both),
            kind="value",
            target=[1, 1],
            claim="CoSpot leaves the latency of spots as it is",
            readings={
                "mean of the runs' medians, which are known to 6 %, and median of their 99th "
                "percentiles": {str(row[0]): list(row[1:]) for row in means.itertuples()}
            },
        )


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


def traces(evaluation: Evaluation) -> Iterator[Finding]:
    """Yield what is about the full trace of Azure and about Resource Central's."""
    full = "it takes the full Azure trace of 2020, which is not at hand"
    other = "it takes Resource Central's trace, which is not at hand"
    yield not_tested(
        "Figure 2", "VMs rejected, 50 samples of Resource Central", "drawn", other,
        "a loosely followed ranking costs few VMs there too",
    )  # fmt: skip
    yield not_public(
        "section 2", "VM requests of such a sample, mean", "19,793",
        "the 50 samples were not released", "counts requests",
    )  # fmt: skip
    yield _inconsistent_types(evaluation)
    yield not_tested("section 4.2", "their part of the trace", "< 6 %", full, "bounds the part")
    yield _events(evaluation, full)


def _inconsistent_types(evaluation: Evaluation) -> Finding:
    """Return how many of the release's VM types have memory and no vcpus, and of how many."""
    source, what, claim = "section 4.2", "VM types left out as inconsistent", "counts the types"
    if evaluation.sizes is None:
        return not_tested(source, what, "18 of 265", "the released sizes were not given", claim)
    sizes = json.loads(evaluation.sizes.read_text(encoding="utf-8"))
    names = {name for solution in sizes for name in solution}
    with_memory = {name for name in names if name.startswith("vm_ram[")}
    complete = {name for name in with_memory if name.replace("ram", "cores") in names}
    counts = [len(with_memory - complete), len(with_memory)]
    return Finding(
        source, what, "18 of 265", "{} of {}".format(*counts), "value", [18, 265], counts, claim,
        data="the released sizes of VM types (docs/reconstruct.md)",
    )  # fmt: skip


def _events(evaluation: Evaluation, full: str) -> Finding:
    """Return the number of events of the full trace, of which a Bernoulli sample has 1 %."""
    source, paper = "section 4.2", "about 10 million"
    what = "create and delete events of the full workload, of which a Bernoulli sample has 1 %"
    claim = "counts events"
    runs = evaluation.runs[evaluation.runs["sampling"] == BERNOULLI]
    first = runs.drop_duplicates("workload")
    if first.empty or not first["workload"].astype(str).str.contains(RELEASED).all():
        return not_tested(source, what, paper, full, claim)
    events = 2 * 100 * (first["vm_requests"] + first["spot_requests"]).mean()
    return Finding(
        source, what, paper, f"{events / 1e6:.1f} million, if all end", "value", 1e7, events, claim,
        data=measured_on(first),
    )  # fmt: skip
