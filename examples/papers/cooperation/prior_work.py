"""CoSpot's settings against the rankings of prior work, as Figure 4 draws them."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from cooperation.evaluation import Evaluation
from cooperation.judging import measured_on
from reproduction.finding import Finding, not_tested

#: What a point of Figure 4 is: means over evictors and workloads.
POINT = ["headroom_percent", "vm", "spot", "saf", "otn"]
_MEASURES = ["spot_share", "vm_loss", "hosts"]
_SOURCE, _PAPER = "Finding 1, Figure 4", "the spectrum outperforms prior work (drawn)"


def prior_work_findings(evaluation: Evaluation) -> Iterator[Finding]:
    """Yield for each ranking of prior work the settings of CoSpot that dominate it."""
    prior_work = evaluation.prior_work
    if prior_work is None:
        yield not_tested(
            _SOURCE, "rankings of prior work", _PAPER, "its results were not given to this page",
            "the spectrum of settings outperforms prior work",
        )  # fmt: skip
        return
    points = evaluation.runs.groupby(POINT, observed=True)[_MEASURES].mean().reset_index()
    for name, group in prior_work.groupby("vm", observed=True):
        rivals = group.groupby("headroom_percent")[_MEASURES].mean()
        yield _dominated(str(name), rivals, points, measured_on(evaluation.runs))


def _dominated(name: str, rivals: pd.DataFrame, points: pd.DataFrame, data: str) -> Finding:
    """Return the finding about one ranking; `rivals`: its means by headroom."""
    texts, counts = [], {}
    for headroom, rival in rivals.iterrows():
        of_size = points[points["headroom_percent"] == headroom]
        if of_size.empty:
            continue
        better = of_size[dominates(of_size, rival)]
        smaller = better[better["hosts"] <= rival["hosts"]]
        at = f"{headroom:g} %"
        counts[at] = len(smaller)
        texts.append(f"{at}: {len(better)} of {len(of_size)} ({len(smaller)})")
    what = f"settings that dominate {name}, prior work, by headroom (on no more hosts)"
    return Finding(
        _SOURCE,
        what,
        _PAPER,
        ", ".join(texts),
        "at least",
        1,
        counts,
        "prior work lies on or behind the Pareto front of CoSpot's settings",
        data=data,
        because="no setting earns as much and loses as little on as few hosts",
        headline=what,
    )


def dominates(points: pd.DataFrame, rival: pd.Series[float]) -> pd.Series[bool]:
    """Tell which points earn no less and lose no more than a rival, one of both strictly."""
    more, less = points["spot_share"] - rival["spot_share"], rival["vm_loss"] - points["vm_loss"]
    return (more >= 0) & (less >= 0) & ((more > 0) | (less > 0))
