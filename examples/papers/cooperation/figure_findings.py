"""Findings 2 to 6, which the paper draws in Figures 5 to 8."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from cooperation.evaluation import BATCHED, BERNOULLI, Evaluation
from cooperation.judging import TINY, gain, measured_on, percent
from cooperation.settings import best_without_vm_loss
from reproduction.finding import Finding


def _typical(evaluation: Evaluation, spot: str, headroom: int = 2) -> pd.DataFrame:
    """Return the runs of Figures 5, 6 and, without headroom, 7."""
    runs = evaluation.burstier
    chosen = (runs["vm"] == "COS") & (runs["spot"] == spot)
    return runs[chosen & (runs["headroom_percent"] == headroom)]


def finding_2(evaluation: Evaluation) -> Iterator[Finding]:
    """Yield what SAF and OTN do in Figure 5."""
    runs = _typical(evaluation, "sDPD")
    if runs.empty:
        return
    means = runs.groupby(["saf", "otn"])[["spot_share", "vm_loss"]].mean()
    least, most = runs["otn"].min(), runs["otn"].max()
    plain, offered = means.loc[(False, least)], means.loc[(False, most)]
    avoiding, both = means.loc[(True, least)], means.loc[(True, most)]
    source, data = "Finding 2, Figure 5", measured_on(runs)
    yield Finding(
        source,
        "spot revenue earned: baseline, then SAF alone",
        "greatly improved (drawn)",
        f"{percent(plain['spot_share'], 1)}, {percent(avoiding['spot_share'], 1)}",
        "direction",
        "<",
        [plain["spot_share"], avoiding["spot_share"]],
        "SAF earns more",
        data=data,
    )
    yield Finding(
        source,
        "VM revenue lost with SAF, mean over OTN",
        "a minuscule loss for some workloads (drawn)",
        percent(means["vm_loss"].xs(True).mean(), 4),
        "at most",
        TINY,
        means["vm_loss"].xs(True).mean(),
        f"minuscule: at most the {percent(TINY, 2)} that the paper calls tiny",
        data=data,
    )
    with_saf = both["spot_share"] - avoiding["spot_share"]
    without = offered["spot_share"] - plain["spot_share"]
    yield Finding(
        source,
        f"what OTN {most} adds with SAF on, percentage points",
        "little difference (drawn)",
        f"{100 * with_saf:.1f}",
        "direction",
        "<",
        [abs(with_saf), without],
        "OTN makes less difference with SAF on than with SAF off",
        data=data,
    )
    earned = means["spot_share"].xs(False)
    steps = earned.diff().dropna()
    yield Finding(
        source,
        f"what OTN {least} to {most} adds with SAF off, in each step, percentage points",
        "gradual, approaching SAF's (drawn)",
        ", ".join(f"{100 * step:.1f}" for step in steps),
        "ordering",
        "<",
        [*earned, both["spot_share"]],
        "each OTN earns more than the one before, and less than SAF does",
        data=data,
    )


def finding_3(evaluation: Evaluation) -> Iterator[Finding]:
    """Yield how the policies that avoid VMs fare, with Figure 6."""
    runs = evaluation.runs
    is_avoiding = runs["spot"].astype(str).str.startswith("vma")
    if is_avoiding.all() or not is_avoiding.any():
        return
    baseline = runs[runs["is_baseline"]]["spot_share"].groupby(is_avoiding).mean()
    gained = runs[~runs["is_baseline"]]["gain"].groupby(is_avoiding).mean()
    source = "Finding 3"
    yield Finding(
        source,
        "spot revenue earned by the baseline: s* policies, vma* policies",
        "vma start higher",
        f"{percent(baseline[False], 1)}, {percent(baseline[True], 1)}",
        "direction",
        "<",
        [baseline[False], baseline[True]],
        "vma policies start higher",
    )
    yield Finding(
        source,
        "gain of the others: s* policies, vma* policies",
        "vma still improve",
        f"{percent(gained[False])}, {percent(gained[True])}",
        "direction",
        "<",
        [0, gained[True]],
        "they gain something",
    )
    yield from _figure_6(evaluation)


def _figure_6(evaluation: Evaluation) -> Iterator[Finding]:
    plain, avoiding = _typical(evaluation, "sDPD"), _typical(evaluation, "vmaDPD")
    if plain.empty or avoiding.empty:
        return
    start = plain[plain["is_baseline"]]["spot_share"].mean()
    means = avoiding.groupby(["saf", "otn"])["spot_share"].mean()
    first, best = means.loc[(False, avoiding["otn"].min())], means.max()
    yield Finding(
        "Finding 3, Figure 6",
        "spot revenue earned, COS at 2 % headroom: baseline of sDPD, of vmaDPD, vmaDPD's best",
        "each higher than the one before (drawn)",
        f"{percent(start, 1)}, {percent(first, 1)}, {percent(best, 1)}",
        "ordering",
        "<",
        [start, first, best],
        "each is higher than the one before",
        data=measured_on(pd.concat([plain, avoiding])),
    )


def finding_4(evaluation: Evaluation) -> Iterator[Finding]:
    """Yield what the evictors earn."""
    shares = evaluation.runs.groupby("evictor", observed=True)["spot_share"].mean()
    if not {"FIFO", "LPO"} <= set(shares.index):
        return
    text = ", ".join(f"{name} {percent(part, 1)}" for name, part in shares.items())
    yield Finding(
        "Finding 4",
        "spot revenue earned, by evictor",
        "LPML and LPO slightly better than FIFO",
        text,
        "ordering",
        "<=",
        [shares[name] for name in ("FIFO", "LPML", "LPO") if name in shares],
        "the others work better than FIFO",
    )


def finding_5(evaluation: Evaluation) -> Iterator[Finding]:
    """Yield what headroom does, with Figures 7 and 8."""
    others = evaluation.runs[~evaluation.runs["is_baseline"]]
    groups = others.groupby("headroom_percent")
    if groups.ngroups < 2:
        return
    source = "Finding 5"
    losing = 1 - groups["without_vm_loss"].mean()
    yield Finding(
        source,
        "runs that reject a VM, by headroom",
        "fewer with headroom",
        _by_headroom(losing),
        "ordering",
        ">=",
        list(losing),
        "more headroom avoids losses",
    )
    # A run's baseline earned its share / (1 + gain): what it gained is the rest of its share.
    points = others["spot_share"] * (1 - 1 / (1 + others["gain"]))
    gained = points.groupby(others["headroom_percent"]).mean()
    yield Finding(
        source,
        "gain in points of the spot revenue requested, by headroom",
        "greater with headroom (drawn)",
        ", ".join(f"{headroom:g} %: {100 * value:.1f}" for headroom, value in gained.items()),
        "ordering",
        "<",
        list(gained),
        "more headroom, more benefit; the figures draw shares of what was requested",
    )
    yield Finding(
        source,
        "gain relative to the baseline, which earns more with headroom, by headroom",
        "",
        _by_headroom(groups["gain"].mean()),
    )
    safe = evaluation.burstier[~evaluation.burstier["is_baseline"]]
    yield from _figure_7(evaluation)
    yield from _figure_8(safe)
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
        data=measured_on(safe),
    )


def _figure_7(evaluation: Evaluation) -> Iterator[Finding]:
    both = [_typical(evaluation, "sDPD"), _typical(evaluation, "sDPD", 0)]
    if any(frame.empty for frame in both):
        return
    best = [frame.groupby(["saf", "otn"])["spot_share"].mean().max() for frame in both]
    lost = [frame["vm_loss"].mean() for frame in both]
    earned = ", ".join(percent(value, 1) for value in best)
    yield Finding(
        "Finding 5, Figure 7",
        "COS and sDPD at 2 % headroom, then 0 %: most spot revenue earned; mean VM revenue lost",
        "less earned and more lost without headroom (drawn)",
        f"{earned}; {', '.join(percent(value, 4) for value in lost)}",
        "direction",
        "<",
        {"earned": [best[1], best[0]], "lost": lost},
        "less is earned and more lost without headroom",
        data=measured_on(pd.concat(both)),
    )


def _figure_8(runs: pd.DataFrame) -> Iterator[Finding]:
    """Yield what the caption says of a datacenter without headroom."""
    runs = runs[runs["headroom_percent"] == 0]
    if runs.empty:
        return
    gained, lost = runs["gain"].mean(), runs["vm_loss"].mean()
    yield Finding(
        "Finding 5, Figure 8",
        "all combinations at 0 % headroom: mean gain, mean VM revenue lost",
        "can improve, with some VM revenue loss (drawn)",
        f"{percent(gained)}, {percent(lost, 4)}",
        "direction",
        "<",
        {"gain": [0, gained], "lost": [0, lost]},
        "spot revenue improves, and some VM revenue is lost",
        data=measured_on(runs),
    )


def _by_headroom(values: pd.Series[float]) -> str:
    return ", ".join(f"{headroom:g} %: {percent(value)}" for headroom, value in values.items())


def finding_6(evaluation: Evaluation) -> Iterator[Finding]:
    """Yield the gain by how the workloads were sampled."""
    safe = evaluation.runs[evaluation.runs["without_vm_loss"]]
    means = {}
    for sampling, published in ((BATCHED, 0.29), (BERNOULLI, 0.37)):
        chosen = safe[safe["sampling"] == sampling]
        if not chosen.empty:
            what = f"gain of runs that reject no VM, mean, {sampling} workloads"
            means[sampling] = chosen["gain"].mean()
            yield gain("Finding 6", what, published, means[sampling], data=measured_on(chosen))
    if len(means) == 2:
        yield Finding(
            "Finding 6",
            "gain of runs that reject no VM, mean, batched, then Bernoulli workloads",
            "less with batched",
            ", ".join(map(percent, means.values())),
            "direction",
            "<",
            list(means.values()),
            "CoSpot gains less on batched workloads",
        )
