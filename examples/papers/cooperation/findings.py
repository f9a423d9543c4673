"""Every finding and printed number of the paper beside what came out here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import pandas as pd
from cooperation.evaluation import BATCHED, BERNOULLI, Evaluation
from cooperation.settings import (
    Combination,
    best_without_vm_loss,
    describe_setting,
    mean_of,
    of_setting,
    setting_text,
)
from reproduction.page import Finding

#: What counts as a small N, for Hypothesis 1.
_SMALL_N = 4
_NOT_RUN = "not run"


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
        _finding_2,
        _finding_3,
        _finding_4,
        _finding_5,
        _finding_6,
    ]
    if times:
        parts.append(_finding_7)
    parts.append(_finding_8)
    return [finding for part in parts for finding in part(evaluation)]


def _percent(fraction: float, digits: int = 0) -> str:
    return f"{100 * fraction:.{digits}f} %"


def _extent(evaluation: Evaluation) -> Iterator[Finding]:
    runs = evaluation.runs
    yield Finding("Table 1", "runs", "64,800", f"{len(runs):,}")
    yield Finding("Table 1", "workloads", "20", str(runs["workload"].nunique()))
    combinations = runs.drop_duplicates(["vm", "spot", "evictor"])
    yield Finding(
        "section 5", "VM, spot and evictor policies combined", "54", str(len(combinations))
    )
    first = runs.drop_duplicates("workload")
    both = first["vm_requests"] + first["spot_requests"]
    yield Finding(
        "section 2",
        "VM requests of a workload, mean",
        "52,231",
        f"{first['vm_requests'].mean():,.0f}; with spots {both.mean():,.0f}",
    )


def _hypothesis_1(evaluation: Evaluation) -> Iterator[Finding]:
    frame = evaluation.degradation
    source = "Hypothesis 1"
    what = "a ranking followed loosely costs few VMs: largest mean rejected at any N and headroom"
    paper = "minuscule of all VMs (Fig. 2)"
    if frame is None:
        yield Finding(source, what, paper, _NOT_RUN)
        return
    by_n = frame.groupby(["headroom_percent", "vm", "host_subset_size"])
    means = by_n[["vm_rejected", "vm_requests"]].mean()
    share = (means["vm_rejected"] / means["vm_requests"]).max()
    yield Finding(
        source,
        what,
        paper,
        f"{means['vm_rejected'].max():.1f}, {_percent(share, 2)}",
        bool(share < 0.01),
    )
    easy = frame[(frame["host_subset_size"] <= _SMALL_N) | (frame["headroom_percent"] > 0)]
    none = (easy["vm_rejected"] == 0).mean()
    yield Finding(
        source,
        f"runs without a rejection where N is small (to {_SMALL_N}) or there is headroom",
        "usually (Fig. 2)",
        _percent(none),
        bool(none > 0.5),
    )


def _finding_1(evaluation: Evaluation) -> Iterator[Finding]:
    runs = evaluation.runs
    safe = runs[runs["without_vm_loss"]]
    source = "Finding 1"
    yield Finding(source, "gain, mean", "35 %", _percent(runs["gain"].mean()))
    yield Finding(source, "gain, largest", "245 %", _percent(runs["gain"].max()))
    yield Finding(source, "VM revenue lost, mean", "0.014 %", _percent(runs["vm_loss"].mean(), 4))
    yield Finding(source, "VM revenue lost, largest", "0.67 %", _percent(runs["vm_loss"].max(), 2))
    share = len(safe) / len(runs)
    yield Finding("Figure 4", "runs that reject no VM", "over 76 %", _percent(share))
    yield Finding(source, "gain of those, mean", "34 %", mean_of(safe["gain"]))
    largest = _percent(safe["gain"].max()) if len(safe) else "none"
    yield Finding(source, "gain of those, largest", "245 %", largest)


def _finding_1_one_percent(evaluation: Evaluation) -> Iterator[Finding]:
    runs = evaluation.burstier
    runs = runs[runs["headroom_percent"] == 1]
    if runs.empty:
        return
    source = "Finding 1, 1 % headroom, batched"
    best = best_without_vm_loss(runs)
    papers: tuple[tuple[str, str, Combination, bool, int], ...] = (
        ("least", "23 %", ("COS", "vmaUTIL", "FIFO"), False, 32),
        ("most", "59 %", ("UTIL", "sUTIL", "LPML"), True, 4),
    )
    for which, number, combination, saf, otn in papers:
        here = "no combination without VM loss"
        if not best.empty:
            chosen = best["gain"].idxmin() if which == "least" else best["gain"].idxmax()
            here = describe_setting(best.loc[chosen])
        told = setting_text(combination, saf=saf, otn=otn)
        yield Finding(
            source, f"the combination that gains {which}, at its best", f"{number} ({told})", here
        )
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
        )


def _finding_1_prior_work(evaluation: Evaluation) -> Iterator[Finding]:
    prior_work = evaluation.prior_work
    source, paper = "Finding 1, Figure 4", "CoSpot earns more (drawn)"
    if prior_work is None:
        yield Finding(source, "rankings of prior work", paper, _NOT_RUN)
        return
    runs = evaluation.runs
    runs = runs[(runs["vm"] == "UTIL") & (runs["evictor"] == "FIFO") & ~runs["saf"]]
    runs = runs[(runs["otn"] == 16) & runs["spot"].isin(prior_work["spot"].unique())]
    if runs.empty:
        return
    for name, group in prior_work.groupby("vm", observed=True):
        yield Finding(
            source,
            f"spot revenue earned (of requested) and VM revenue lost: UTIL with OTN 16, SAF off, "
            f"against {name} (partly: one of the two is worse)",
            paper,
            f"{_percent(runs['spot_share'].mean(), 1)}, {_percent(runs['vm_loss'].mean(), 4)}; "
            f"{_percent(group['spot_share'].mean(), 1)}, {_percent(group['vm_loss'].mean(), 4)}",
            _dominates(runs, group),
        )


def _dominates(ours: pd.DataFrame, theirs: pd.DataFrame) -> bool | Literal["partly"]:
    """Tell whether runs earn more from spots and lose no more VM revenue; partly: one of both."""
    earns_more = bool(ours["spot_share"].mean() > theirs["spot_share"].mean())
    loses_more = bool(ours["vm_loss"].mean() > theirs["vm_loss"].mean())
    if earns_more != loses_more:
        return earns_more
    return "partly"


def _typical(evaluation: Evaluation, spot: str) -> pd.DataFrame:
    """The runs of Figures 5 and 6."""
    runs = evaluation.burstier
    return runs[(runs["vm"] == "COS") & (runs["spot"] == spot) & (runs["headroom_percent"] == 2)]


def _finding_2(evaluation: Evaluation) -> Iterator[Finding]:
    runs = _typical(evaluation, "sDPD")
    if runs.empty:
        return
    means = runs.groupby(["saf", "otn"])[["spot_share", "vm_loss"]].mean()
    least, most = runs["otn"].min(), runs["otn"].max()
    plain, offered = means.loc[(False, least)], means.loc[(False, most)]
    avoiding, both = means.loc[(True, least)], means.loc[(True, most)]
    source = "Finding 2, Figure 5"
    yield Finding(
        source,
        "spot revenue earned: baseline, then SAF alone",
        "greatly improved (drawn)",
        f"{_percent(plain['spot_share'], 1)}, {_percent(avoiding['spot_share'], 1)}",
        bool(avoiding["spot_share"] > 1.1 * plain["spot_share"]),
    )
    yield Finding(
        source,
        "VM revenue lost with SAF, mean over OTN",
        "a minuscule loss for some workloads (drawn)",
        _percent(means["vm_loss"].xs(True).mean(), 4),
        bool(means["vm_loss"].xs(True).mean() < 0.001),
    )
    with_saf = both["spot_share"] - avoiding["spot_share"]
    without = offered["spot_share"] - plain["spot_share"]
    yield Finding(
        source,
        f"what OTN {most} adds with SAF on, percentage points",
        "little difference (drawn)",
        f"{100 * with_saf:.1f}",
        bool(abs(with_saf) < 0.5 * without),
    )
    steps = means["spot_share"].xs(False).diff().dropna()
    yield Finding(
        source,
        f"what OTN {least} to {most} adds with SAF off, in each step, percentage points",
        "gradual, approaching SAF's (drawn)",
        ", ".join(f"{100 * step:.1f}" for step in steps),
        bool((steps > 0).all()),
    )


def _finding_3(evaluation: Evaluation) -> Iterator[Finding]:
    runs = evaluation.runs
    is_avoiding = runs["spot"].astype(str).str.startswith("vma")
    if is_avoiding.all() or not is_avoiding.any():
        return
    baseline = runs[runs["is_baseline"]]["spot_share"].groupby(is_avoiding).mean()
    gain = runs[~runs["is_baseline"]]["gain"].groupby(is_avoiding).mean()
    source = "Finding 3"
    yield Finding(
        source,
        "spot revenue earned by the baseline: s* policies, vma* policies",
        "vma start higher",
        f"{_percent(baseline[False], 1)}, {_percent(baseline[True], 1)}",
        bool(baseline[True] > baseline[False]),
    )
    yield Finding(
        source,
        "gain of the others: s* policies, vma* policies",
        "vma still improve",
        f"{_percent(gain[False])}, {_percent(gain[True])}",
        bool(gain[True] > 0),
    )


def _finding_4(evaluation: Evaluation) -> Iterator[Finding]:
    shares = evaluation.runs.groupby("evictor", observed=True)["spot_share"].mean()
    if not {"FIFO", "LPO"} <= set(shares.index):
        return
    text = ", ".join(f"{name} {_percent(share, 1)}" for name, share in shares.items())
    in_order = shares["LPO"] >= shares.get("LPML", shares["LPO"]) >= shares["FIFO"]
    yield Finding(
        "Finding 4",
        "spot revenue earned, by evictor",
        "LPML and LPO slightly better than FIFO",
        text,
        bool(in_order and shares["LPO"] < 1.1 * shares["FIFO"]),
    )


def _finding_5(evaluation: Evaluation) -> Iterator[Finding]:
    groups = evaluation.runs[~evaluation.runs["is_baseline"]].groupby("headroom_percent")
    if groups.ngroups < 2:
        return
    source = "Finding 5"
    losing = 1 - groups["without_vm_loss"].mean()
    yield Finding(
        source,
        "runs that reject a VM, by headroom",
        "fewer with headroom",
        _by_headroom(losing),
        bool(losing.is_monotonic_decreasing),
    )
    gain = groups["gain"].mean()
    yield Finding(
        source,
        "gain, by headroom (partly: greatest with the most, but not greater in every step)",
        "greater with headroom (drawn)",
        _by_headroom(gain),
        _grows(gain),
    )
    safe = evaluation.burstier[~evaluation.burstier["is_baseline"]]
    best = pd.Series(
        {
            headroom: best_without_vm_loss(runs)["gain"].mean()
            for headroom, runs in safe.groupby("headroom_percent")
        }
    ).fillna(0.0)
    yield Finding(
        source,
        "gain at the best setting without VM loss, mean over the combinations (batched), by "
        "headroom",
        "",
        _by_headroom(best),
    )


def _grows(values: pd.Series[float]) -> bool | Literal["partly"]:
    """Tell whether values grow in every step, or partly: the last one is above all others."""
    if (values.diff().dropna() > 0).all():
        return True
    return "partly" if values.iloc[-1] > values.iloc[:-1].max() else False


def _by_headroom(values: pd.Series[float]) -> str:
    return ", ".join(f"{headroom:g} %: {_percent(value)}" for headroom, value in values.items())


def _finding_6(evaluation: Evaluation) -> Iterator[Finding]:
    safe = evaluation.runs[evaluation.runs["without_vm_loss"]]
    for sampling, number in ((BATCHED, "29 %"), (BERNOULLI, "37 %")):
        chosen = safe[safe["sampling"] == sampling]
        if not chosen.empty:
            yield Finding(
                "Finding 6",
                f"gain of runs that reject no VM, mean, {sampling} workloads",
                number,
                mean_of(chosen["gain"]),
            )


def _finding_7(evaluation: Evaluation) -> Iterator[Finding]:
    runs = evaluation.runs
    if not runs["alloc_max_ns"].any():
        return
    for evictor, group in runs.groupby("evictor", observed=True):
        here = f"{group['alloc_p99_ns'].max() / 1000:.1f} µs"
        what = f"VM allocation, 99th percentile, {evictor}: the largest of all runs'"
        yield Finding("Finding 7", what, "24 ms", here)
        longest = f"{group['alloc_max_ns'].max() / 1e6:.2f} ms"
        paper = "18 ms" if evictor == "FIFO" else "longer than FIFO's"
        yield Finding("Finding 7", f"longest VM allocation, {evictor}", paper, longest)


def _finding_8(evaluation: Evaluation) -> Iterator[Finding]:
    runs = evaluation.runs
    lost = runs["spot_revenue"] - runs["spot_revenue_first_hour_free"]
    for whole, name in (("spot_revenue_requested", "requested"), ("spot_revenue", "earned")):
        share = lost / runs[whole].where(runs[whole] != 0)
        yield Finding(
            "Finding 8",
            f"spot revenue lost to a free first hour, of what was {name}: mean, largest",
            "0.05 %, 0.5 %",
            f"{_percent(share.mean(), 3)}, {_percent(share.max(), 2)}",
        )
