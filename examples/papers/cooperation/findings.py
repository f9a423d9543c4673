"""Every finding and printed number of the paper beside what came out here."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cooperation.cost_findings import finding_7, finding_8, traces
from cooperation.evaluation import BERNOULLI, Evaluation
from cooperation.figure_findings import finding_2, finding_3, finding_4, finding_5, finding_6
from cooperation.judging import TINY, complete, gain, loss, measured_on, percent
from cooperation.prior_work import prior_work_findings
from cooperation.settings import (
    Combination,
    best_without_vm_loss,
    describe_setting,
    mean_of,
    of_setting,
    setting_text,
)
from reproduction.finding import Finding, not_tested

#: The largest N that counts as small, for Hypothesis 1.
_SMALL_N = 4
_NOT_RUN = "its results were not given to this page"


def all_findings(evaluation: Evaluation, *, times: bool = True) -> list[Finding]:
    """Compare everything that the paper prints.

    Args:
        evaluation: What was run.
        times: Include what differs from one run to the next: the time of an allocation.
    """
    parts: list[Callable[[Evaluation], Iterator[Finding]]] = [
        _extent,
        _hypothesis_1,
        _finding_1,
        _finding_1_one_percent,
        prior_work_findings,
        finding_2,
        finding_3,
        finding_4,
        finding_5,
        finding_6,
    ]
    if times:
        parts.append(finding_7)
    parts += [finding_8, traces]
    found = (finding for part in parts for finding in part(evaluation))
    return [complete(finding, evaluation.runs) for finding in found]


def _extent(evaluation: Evaluation) -> Iterator[Finding]:
    runs = evaluation.runs
    workloads = runs["workload"].nunique()
    combinations = len(runs.drop_duplicates(["vm", "spot", "evictor"]))
    for source, what, published, count in (
        ("Table 1", "runs", 64800, len(runs)),
        ("Table 1", "workloads", 20, workloads),
        ("section 4", "VM, spot and evictor policies combined", 54, combinations),
    ):
        yield Finding(
            source, what, f"{published:,}", f"{count:,}", "value", published, count,
            "counts what was run", flag="definition" if count == published else "not tested",
            because="the sweep is the paper's grid" if count == published else
            "other workloads or a part of the grid were run",
        )  # fmt: skip
    first = runs.drop_duplicates("workload")
    both = first["vm_requests"] + first["spot_requests"]
    sampled = both[first["sampling"] == BERNOULLI]
    readings = {"requests of VMs and spots": both.mean()}
    if not sampled.empty:
        readings["those of the Bernoulli samples"] = sampled.mean()
    yield Finding(
        "section 2",
        "VM requests of a workload, mean",
        "52,231",
        f"{first['vm_requests'].mean():,.0f}",
        "value",
        52231,
        first["vm_requests"].mean(),
        "says the mean number of VM requests",
        readings=readings,
    )


def _hypothesis_1(evaluation: Evaluation) -> Iterator[Finding]:
    frame = evaluation.degradation
    source = "Hypothesis 1"
    what = "a ranking followed loosely costs few VMs: largest mean rejected at any N and headroom"
    paper = "minuscule of all VMs (Fig. 2)"
    if frame is None:
        yield not_tested(source, what, paper, _NOT_RUN)
        return
    data = measured_on(frame)
    by_n = frame.groupby(["headroom_percent", "vm", "host_subset_size"])
    means = by_n[["vm_rejected", "vm_requests"]].mean()
    rejected = (means["vm_rejected"] / means["vm_requests"]).max()
    yield Finding(
        source,
        what,
        paper,
        f"{means['vm_rejected'].max():.1f}, {percent(rejected, 2)}",
        "at most",
        TINY,
        rejected,
        f"minuscule: at most the {percent(TINY, 2)} that the paper calls tiny",
        data=data,
    )
    easy = frame[(frame["host_subset_size"] <= _SMALL_N) | (frame["headroom_percent"] > 0)]
    none = (easy["vm_rejected"] == 0).mean()
    yield Finding(
        source,
        f"runs without a rejection where N is small (to {_SMALL_N}) or there is headroom",
        "usually (Fig. 2)",
        percent(none),
        "at least",
        0.5,
        none,
        "usually none is rejected: in at least half of the runs",
        data=data,
    )


def _finding_1(evaluation: Evaluation) -> Iterator[Finding]:
    runs = evaluation.runs
    source = "Finding 1"
    yield gain(source, "gain, mean", 0.35, runs["gain"].mean())
    yield gain(source, "gain, largest", 2.45, runs["gain"].max())
    yield loss(source, "VM revenue lost, mean", 0.00014, runs["vm_loss"].mean(), 4)
    yield loss(source, "VM revenue lost, largest", 0.0067, runs["vm_loss"].max(), 2)
    safe = runs[runs["without_vm_loss"]]
    none = len(safe) / len(runs)
    yield Finding(
        "Figure 4", "runs that reject no VM", "over 76 %", percent(none), "at least", 0.76, none,
        "more than this share of the runs rejects none", headline="runs that reject no VM",
    )  # fmt: skip
    if safe.empty:
        yield not_tested(source, "gain of those", "mean 34 %", "every run rejects a VM", "gains")
        return
    told = "gain of runs that reject no VM, "
    yield gain(source, "gain of those, mean", 0.34, safe["gain"].mean(), headline=told + "mean")
    most = safe["gain"].max()
    yield gain(source, "gain of those, largest", 2.45, most, headline=told + "largest")


def _finding_1_one_percent(evaluation: Evaluation) -> Iterator[Finding]:
    runs = evaluation.burstier
    runs = runs[runs["headroom_percent"] == 1]
    if runs.empty:
        return
    source = "Finding 1, 1 % headroom, batched"
    best = best_without_vm_loss(runs)
    data = measured_on(runs)
    papers: tuple[tuple[str, float, Combination, bool, int], ...] = (
        ("least", 0.23, ("COS", "vmaUTIL", "FIFO"), False, 32),
        ("most", 0.59, ("UTIL", "sUTIL", "LPML"), True, 4),
    )
    for which, published, combination, saf, otn in papers:
        number = percent(published)
        here, gained = "no combination without VM loss", None
        told = setting_text(combination, saf=saf, otn=otn)
        if not best.empty:
            row = best["gain"].idxmin() if which == "least" else best["gain"].idxmax()
            here = describe_setting(best.loc[row])
            gained = float(best["gain"][row])
        what = f"the combination that gains {which}, at its best without VM loss"
        yield Finding(
            source, what, f"{number} ({told})", here, "value or more", published, gained,
            f"gains so much, the {which} of all combinations", data=data,
        )  # fmt: skip
        same = of_setting(runs, combination, saf=saf, otn=otn)
        if same.empty:
            continue
        rejected = int(same["vm_rejected"].sum())
        yield Finding(
            source,
            f"the paper's own, {told}",
            f"{number}, no VM lost",
            f"{mean_of(same['gain'])}, {rejected or 'no'} VM{'s' * (rejected > 1)} lost "
            f"over {len(same)} workloads",
            "value or more",
            published,
            None if rejected else same["gain"].mean(),
            "gains so much and loses no VM",
            data=data,
        )
