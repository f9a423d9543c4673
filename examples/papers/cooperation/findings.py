"""Every finding and printed number of the paper beside what came out here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import pandas as pd
from cooperation.cost_findings import data_not_at_hand, finding_7, finding_8
from cooperation.evaluation import BERNOULLI, Evaluation
from cooperation.figure_findings import finding_2, finding_3, finding_4, finding_5, finding_6
from cooperation.judging import complete, measured_on, percent, share
from cooperation.settings import (
    Combination,
    best_without_vm_loss,
    describe_setting,
    mean_of,
    of_setting,
    setting_text,
)
from reproduction.judging import is_near, not_tested
from reproduction.page import Finding

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
        _finding_1_prior_work,
        finding_2,
        finding_3,
        finding_4,
        finding_5,
        finding_6,
    ]
    if times:
        parts.append(finding_7)
    parts += [finding_8, data_not_at_hand]
    found = (finding for part in parts for finding in part(evaluation))
    return [complete(finding, evaluation.runs) for finding in found]


def _extent(evaluation: Evaluation) -> Iterator[Finding]:
    runs = evaluation.runs
    workloads = runs["workload"].nunique()
    yield Finding("Table 1", "runs", "64,800", f"{len(runs):,}", len(runs) == 64800)
    yield Finding("Table 1", "workloads", "20", str(workloads), workloads == 20)
    combinations = len(runs.drop_duplicates(["vm", "spot", "evictor"]))
    what = "VM, spot and evictor policies combined"
    yield Finding("section 4", what, "54", str(combinations), combinations == 54)
    first = runs.drop_duplicates("workload")
    both = first["vm_requests"] + first["spot_requests"]
    sampled = both[first["sampling"] == BERNOULLI]
    text = f"{first['vm_requests'].mean():,.0f}; with spots {both.mean():,.0f}"
    if not sampled.empty:
        text += f", of the Bernoulli samples {sampled.mean():,.0f}"
    yield Finding(
        "section 2",
        "VM requests of a workload, mean",
        "52,231",
        text,
        is_near(first["vm_requests"].mean(), 52231),
        because="the paper's is the mean of all requests of the Bernoulli samples, spots included",
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
        bool(rejected < 0.01),
        data=data,
    )
    easy = frame[(frame["host_subset_size"] <= _SMALL_N) | (frame["headroom_percent"] > 0)]
    none = (easy["vm_rejected"] == 0).mean()
    yield Finding(
        source,
        f"runs without a rejection where N is small (to {_SMALL_N}) or there is headroom",
        "usually (Fig. 2)",
        percent(none),
        bool(none > 0.5),
        data=data,
    )


def _finding_1(evaluation: Evaluation) -> Iterator[Finding]:
    runs = evaluation.runs
    source = "Finding 1"
    yield share(source, "gain, mean", 0.35, runs["gain"].mean())
    yield share(source, "gain, largest", 2.45, runs["gain"].max())
    yield share(source, "VM revenue lost, mean", 0.00014, runs["vm_loss"].mean(), 4)
    yield share(source, "VM revenue lost, largest", 0.0067, runs["vm_loss"].max(), 2)
    safe = runs[runs["without_vm_loss"]]
    none = len(safe) / len(runs)
    yield Finding("Figure 4", "runs that reject no VM", "over 76 %", percent(none), none > 0.76)
    if safe.empty:
        yield not_tested(source, "gain of those", "mean 34 %", "every run rejects a VM")
        return
    yield share(source, "gain of those, mean", 0.34, safe["gain"].mean())
    yield share(source, "gain of those, largest", 2.45, safe["gain"].max())


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
        here, holds = "no combination without VM loss", False
        told = setting_text(combination, saf=saf, otn=otn)
        if not best.empty:
            row = best["gain"].idxmin() if which == "least" else best["gain"].idxmax()
            here = describe_setting(best.loc[row])
            holds = told in here and is_near(float(best["gain"][row]), published)
        what = f"the combination that gains {which}, at its best"
        yield Finding(source, what, f"{number} ({told})", here, holds, data=data)
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
            rejected == 0 and is_near(same["gain"].mean(), published),
            data=data,
        )


def _finding_1_prior_work(evaluation: Evaluation) -> Iterator[Finding]:
    prior_work = evaluation.prior_work
    source, paper = "Finding 1, Figure 4", "CoSpot earns more (drawn)"
    if prior_work is None:
        yield not_tested(source, "rankings of prior work", paper, _NOT_RUN)
        return
    runs = evaluation.runs
    runs = runs[(runs["vm"] == "UTIL") & (runs["evictor"] == "FIFO") & ~runs["saf"]]
    runs = runs[(runs["otn"] == 16) & runs["spot"].isin(prior_work["spot"].unique())]
    if runs.empty:
        return
    for name, group in prior_work.groupby("vm", observed=True):
        told = f"{measured_on(runs)}; of prior work {measured_on(group)}"
        yield Finding(
            source,
            f"spot revenue earned (of requested) and VM revenue lost: UTIL with OTN 16, SAF off, "
            f"against {name} (partly: one of the two is worse)",
            paper,
            f"{percent(runs['spot_share'].mean(), 1)}, {percent(runs['vm_loss'].mean(), 4)}; "
            f"{percent(group['spot_share'].mean(), 1)}, {percent(group['vm_loss'].mean(), 4)}",
            _dominates(runs, group),
            data=told,
            because=_compared(runs, group),
        )


def _dominates(ours: pd.DataFrame, theirs: pd.DataFrame) -> bool | Literal["partly"]:
    """Tell whether runs earn more from spots and lose no more VM revenue; partly: one of both."""
    earns_more = bool(ours["spot_share"].mean() > theirs["spot_share"].mean())
    loses_more = bool(ours["vm_loss"].mean() > theirs["vm_loss"].mean())
    if earns_more != loses_more:
        return earns_more
    return "partly"


def _compared(ours: pd.DataFrame, theirs: pd.DataFrame) -> str:
    """Say which of the two earns more from spots, and which loses more VM revenue."""
    spots = ours["spot_share"].mean() - theirs["spot_share"].mean()
    lost = ours["vm_loss"].mean() - theirs["vm_loss"].mean()
    more = ["less" if value < 0 else "more" if value > 0 else "as much" for value in (spots, lost)]
    return f"CoSpot at this setting earns {more[0]} from spots and loses {more[1]} VM revenue"
