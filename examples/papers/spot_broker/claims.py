"""The claims of the broker's paper about the direction of its measures, and their tests.

A direction is tested over the seeds: paired, one-sided Student's t at 5 %.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import cospot
import numpy as np
import pandas as pd
from cospot.errors import InputError
from scipy import stats

#: The settings of a run, beside its seed.
CELL = ["fault_tolerance", "bid", "alpha"]
Cell = tuple[str, str, float]
MECHANISMS = ("none", "checkpoint", "migration", "duplication")
BIDS = ("minimum", "mean", "on_demand", "high", "current")
LEVEL = 0.05
USEFUL = "cost_per_useful_job"
LATE = "deadline_violations"


@dataclass(frozen=True)
class Claim:
    """One published direction: in each pair, the first cell's measure is below the second's."""

    source: str
    sentence: str
    measure: str
    pairs: list[tuple[Cell, Cell]]
    is_least: bool = False  #: it says that one cell is the least of all
    also: str = ""  #: another measure that the sentence may mean


@dataclass(frozen=True)
class Verdict:
    """Count the pairs of a claim that hold."""

    claim: Claim
    holding: int
    significant: int
    against: int

    @property
    def word(self) -> str:
        """``holds``: every pair, each significantly; ``does not``: one significantly reversed."""
        pairs = len(self.claim.pairs)
        if self.significant == pairs:
            return "holds"
        if self.holding == pairs:
            return "holds, not significantly"
        return "does not hold" if self.against else "does not hold, not significantly"


class Runs:
    """The runs of a study on one market, a value for each seed of each cell."""

    def __init__(self, frame: pd.DataFrame) -> None:
        """Take the frame of ``load_results(...)``; one market, log, billing and choice."""
        for axis in ("market", "job_log", "billing", "market_choice"):
            if frame[axis].nunique() > 1:
                raise InputError(f"{axis}: expected one value, found {frame[axis].nunique()}")
        plain = frame.assign(**{axis: frame[axis].astype(str) for axis in CELL[:2]})
        plain["alpha"] = plain["alpha"].astype(float)
        self._cells = {key: group.set_index("seed") for key, group in plain.groupby(CELL)}
        self.seeds = plain["seed"].nunique()

    def __contains__(self, cell: object) -> bool:
        """Tell whether there are runs of a cell."""
        return cell in self._cells

    def alphas(self) -> list[float]:
        """Return the values of alpha, ascending."""
        return sorted({alpha for _, _, alpha in self._cells})

    def values(self, cell: Cell, measure: str) -> pd.Series[float]:
        """Return a measure by seed."""
        return self._cells[cell][measure].astype(float).sort_index()

    def mean(self, cell: Cell, measure: str) -> tuple[float, float]:
        """Return the mean over the seeds and half the width of its 95 % interval."""
        mean, half_width = cospot.mean_interval(self.values(cell, measure).to_numpy())
        return mean, half_width or 0.0

    def ranking(self, measure: str = USEFUL) -> list[Cell]:
        """Return the cells by the mean of a measure, without those that the paper leaves out.

        It combines High, whose instances never fail, with no fault tolerance (section V.A).
        """
        cells = [
            cell
            for cell in itertools.product(MECHANISMS, BIDS, self.alphas())
            if cell in self and (cell[0] == "none" or cell[1] != "high")
        ]
        return sorted(cells, key=lambda cell: self.mean(cell, measure)[0])


def judge(runs: Runs, claim: Claim) -> Verdict:
    """Test every pair of a claim over the seeds that both have."""
    holding = significant = against = 0
    for below, above in claim.pairs:
        both = pd.concat(
            [runs.values(below, claim.measure), runs.values(above, claim.measure)], axis=1
        ).dropna()
        difference = (both.iloc[:, 1] - both.iloc[:, 0]).to_numpy()
        p = _p_value(difference)
        holding += difference.mean() > 0
        significant += p < LEVEL
        against += _p_value(-difference) < LEVEL
    return Verdict(claim, int(holding), int(significant), int(against))


def is_below(runs: Runs, one: Cell, other: Cell, measure: str) -> bool:
    """Tell whether a cell's measure is significantly below another's (one-sided)."""
    difference = runs.values(other, measure) - runs.values(one, measure)
    return _p_value(difference.dropna().to_numpy()) < LEVEL


def differ(runs: Runs, one: Cell, other: Cell, measure: str, paired: bool = True) -> bool:
    """Tell whether two cells differ significantly, whichever is below (two-sided)."""
    if not paired:
        both = [runs.values(cell, measure).to_numpy() for cell in (one, other)]
        return bool(stats.ttest_ind(*both, equal_var=False).pvalue < LEVEL)
    difference = (runs.values(one, measure) - runs.values(other, measure)).dropna().to_numpy()
    return 2 * min(_p_value(difference), _p_value(-difference)) < LEVEL


def _p_value(difference: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """Return the p-value of ``the mean is not above 0``, one-sided."""
    if len(difference) < 2:
        return 1.0
    if np.ptp(difference) == 0:  # the t statistic has no variance to divide by
        return 0.0 if difference[0] > 0 else 1.0
    return float(stats.ttest_1samp(difference, 0, alternative="greater").pvalue)


def claims(runs: Runs) -> list[Claim]:
    """Return what the paper found, as far as the results hold the cells."""
    stated = [*_without_fault_tolerance(runs.alphas()), *_with_fault_tolerance(runs.alphas())]
    kept = []
    for claim in stated:
        pairs = [pair for pair in claim.pairs if pair[0] in runs and pair[1] in runs]
        if pairs:
            kept.append(replace(claim, pairs=pairs))
    return kept


def _without_fault_tolerance(alphas: list[float]) -> Iterator[Claim]:
    low, high = [a for a in alphas if a <= 2], [a for a in alphas if a >= 4]

    def bids_of(below: str, above: str) -> list[tuple[Cell, Cell]]:
        return [(("none", below, a), ("none", above, a)) for a in alphas]

    yield Claim(
        "Figure 2a",
        "Without fault tolerance, alpha = 2 is cheaper than 4 and more, for every bid",
        "cost",
        [(("none", b, 2.0), ("none", b, a)) for b in BIDS for a in high],
    )
    yield Claim(
        "Figure 2b",
        "Without fault tolerance, alpha 1 and 2 violate more deadlines than 4 and more",
        LATE,
        [(("none", b, h), ("none", b, lo)) for b in BIDS for h in high for lo in low],
    )
    start = "Without fault tolerance, "
    higher = start + "higher bids are cheaper: "
    late = start + "higher bids violate fewer deadlines: On-demand than Minimum"
    yield Claim(
        "Figure 2a", start + "On-demand is cheaper than High", "cost", bids_of("on_demand", "high")
    )
    yield Claim("Figure 2a", higher + "Mean than Minimum", "cost", bids_of("mean", "minimum"))
    yield Claim("Figure 2a", higher + "On-demand than Mean", "cost", bids_of("on_demand", "mean"))
    yield Claim("Figure 2b", late, LATE, bids_of("on_demand", "minimum"))


def _with_fault_tolerance(alphas: list[float]) -> Iterator[Claim]:
    best = [a for a in (2.0, 4.0, 8.0) if a in alphas]
    winner: Cell = ("migration", "minimum", 2.0)
    rest = [
        (winner, cell)
        for cell in itertools.product(MECHANISMS, BIDS, alphas)
        if cell != winner and (cell[0] == "none" or cell[1] != "high")
    ]
    yield Claim(
        "Figure 3",
        "Migration is cheaper with Minimum and Current than with Mean and On-demand",
        "cost",
        [
            (("migration", lo, a), ("migration", hi, a))
            for lo in ("minimum", "current")
            for hi in ("mean", "on_demand")
            for a in best
        ],
    )
    yield Claim(
        "Figure 3",
        "Checkpointing is cheaper with Mean and On-demand than with Minimum",
        "cost",
        [
            (("checkpoint", hi, a), ("checkpoint", "minimum", a))
            for hi in ("mean", "on_demand")
            for a in best
        ],
        also=USEFUL,
    )
    yield Claim(
        "Figure 3",
        "Duplication is dearer than no fault tolerance",
        "cost",
        [(("none", b, a), ("duplication", b, a)) for b in BIDS for a in best],
    )
    for below, above, words in (
        ("migration", "checkpoint", "migration costs less per useful job than checkpointing"),
        ("checkpoint", "none", "checkpointing costs less per useful job than no fault tolerance"),
    ):
        pairs = [((below, "minimum", a), (above, "minimum", a)) for a in best]
        yield Claim("section V.C", f"With Minimum, {words}", USEFUL, pairs)
    yield Claim("Figure 4", "Migration, Minimum, alpha = 2 costs least of all", "cost", rest, True)
    yield Claim(
        "section V.C",
        "With migration and Minimum, alpha = 8 violates fewer deadlines than 2 and 4",
        LATE,
        [(("migration", "minimum", 8.0), ("migration", "minimum", a)) for a in (2.0, 4.0)],
    )
