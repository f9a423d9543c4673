"""Does what the broker's paper found hold in results of the study ``broker``?

Every published direction is tested over the seeds (paired, one-sided Student's t at 5 %); Figures 2
to 4 are drawn again. Source: Voorsluys and Buyya, "Reliable Provisioning of Spot Instances".
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cospot
import numpy as np
import pandas as pd
from cospot.errors import InputError
from cospot.plots.style import new_figure
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from reproduction import command
from reproduction.page import Drawing, Page, Section, Table
from scipy import stats

#: What a run is of, beside its seed.
CELL = ["fault_tolerance", "bid", "alpha"]
Cell = tuple[str, str, float]
MECHANISMS = ("none", "checkpoint", "migration", "duplication")
BIDS = ("minimum", "mean", "on_demand", "high", "current")
LEVEL = 0.05


@dataclass(frozen=True)
class Claim:
    """One published direction: in each pair, the first cell's measure is below the second's."""

    sentence: str
    measure: str
    pairs: list[tuple[Cell, Cell]]


@dataclass(frozen=True)
class Verdict:
    """How many of a claim's pairs hold."""

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
    """The runs of a study, a value for each seed of each cell."""

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


def _p_value(difference: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """Return the p-value of ``the mean is not above 0``, one-sided."""
    if len(difference) < 2:
        return 1.0
    if np.ptp(difference) == 0:  # the t statistic has no variance to divide by
        return 0.0 if difference[0] > 0 else 1.0
    return float(stats.ttest_1samp(difference, 0, alternative="greater").pvalue)


def claims(runs: Runs) -> list[Claim]:
    """Return what the paper found, as far as the results hold the cells."""
    alphas = runs.alphas()
    useful = "cost_per_useful_job"
    low, high = [a for a in alphas if a <= 2], [a for a in alphas if a >= 4]
    best = [a for a in (2.0, 4.0, 8.0) if a in alphas]

    def made(
        sentence: str,
        measure: str,
        pairs: Iterator[tuple[Cell, Cell]],
    ) -> Claim:
        known = [pair for pair in pairs if pair[0] in runs and pair[1] in runs]
        return Claim(sentence, measure, known)

    return [
        made(
            "Without fault tolerance, alpha = 2 is cheaper than 4 and more, for every bid",
            "cost",
            ((("none", b, 2.0), ("none", b, a)) for b in BIDS for a in high),
        ),
        made(
            "Without fault tolerance, alpha 1 and 2 violate more deadlines than 4 and more",
            "deadline_violations",
            ((("none", b, h), ("none", b, lo)) for b in BIDS for h in high for lo in low),
        ),
        made(
            "Without fault tolerance, On-demand is cheaper than High",
            "cost",
            ((("none", "on_demand", a), ("none", "high", a)) for a in alphas),
        ),
        made(
            "Without fault tolerance, higher bids are cheaper: Mean than Minimum",
            "cost",
            ((("none", "mean", a), ("none", "minimum", a)) for a in alphas),
        ),
        made(
            "Without fault tolerance, higher bids are cheaper: On-demand than Mean",
            "cost",
            ((("none", "on_demand", a), ("none", "mean", a)) for a in alphas),
        ),
        made(
            "Without fault tolerance, higher bids violate fewer deadlines: On-demand than Minimum",
            "deadline_violations",
            ((("none", "on_demand", a), ("none", "minimum", a)) for a in alphas),
        ),
        made(
            "Migration is cheaper with Minimum and Current than with Mean and On-demand",
            "cost",
            (
                (("migration", lo, a), ("migration", hi, a))
                for lo in ("minimum", "current")
                for hi in ("mean", "on_demand")
                for a in best
            ),
        ),
        made(
            "Checkpointing is cheaper per useful job with Mean and On-demand than with Minimum",
            useful,
            (
                (("checkpoint", hi, a), ("checkpoint", "minimum", a))
                for hi in ("mean", "on_demand")
                for a in best
            ),
        ),
        made(
            "Duplication is dearer than no fault tolerance",
            "cost",
            ((("none", b, a), ("duplication", b, a)) for b in BIDS for a in best),
        ),
        made(
            "With Minimum, migration costs less per useful job than checkpointing",
            useful,
            ((("migration", "minimum", a), ("checkpoint", "minimum", a)) for a in best),
        ),
        made(
            "With Minimum, checkpointing costs less per useful job than no fault tolerance",
            useful,
            ((("checkpoint", "minimum", a), ("none", "minimum", a)) for a in best),
        ),
        made(
            "Migration, Minimum, alpha = 2 costs least per useful job of all",
            useful,
            (
                (("migration", "minimum", 2.0), (m, b, a))
                for m, b, a in itertools.product(MECHANISMS, BIDS, alphas)
                if (m, b, a) != ("migration", "minimum", 2.0)
            ),
        ),
        made(
            "With migration and Minimum, alpha = 8 violates fewer deadlines than 2 and 4",
            "deadline_violations",
            ((("migration", "minimum", 8.0), ("migration", "minimum", a)) for a in (2.0, 4.0)),
        ),
    ]


def verdicts(runs: Runs) -> Table:
    """Return what became of every claim for which there are runs."""
    rows = []
    for claim in claims(runs):
        if not claim.pairs:
            continue
        verdict = judge(runs, claim)
        rows.append(
            (
                claim.sentence,
                f"`{claim.measure}`",
                f"{verdict.holding} of {len(claim.pairs)}",
                str(verdict.significant),
                str(verdict.against),
                f"**{verdict.word}**",
            )
        )
    header = (
        "published",
        "measure",
        "pairs that show it",
        "of them significantly",
        "reversed significantly",
        "verdict",
    )
    return Table(header, rows)


def drawings(runs: Runs) -> Iterator[Drawing]:
    """Draw the paper's Figures 2 to 4."""
    for name, measure, label in (
        ("Figure 2a", "cost", "Cost (USD)"),
        ("Figure 2b", "deadline_violations", "Deadline violations (jobs)"),
    ):
        with new_figure((6, 4)) as figure:
            (axes,) = figure.axes
            _draw_bids(axes, runs, "none", measure, runs.alphas())
            axes.set(ylabel=label)
            axes.legend()
        yield Drawing(name, f"{label} by alpha, without fault tolerance.", figure)
    alphas = [a for a in (2.0, 4.0, 8.0) if a in runs.alphas()]
    with new_figure((12, 4), 1, ncols=3, sharey=True) as figure:
        for axes, mechanism in zip(
            figure.axes, ("migration", "checkpoint", "duplication"), strict=True
        ):
            _draw_bids(axes, runs, mechanism, "cost", alphas)
        figure.axes[0].set_ylabel("Cost (USD)")
        figure.axes[0].legend()
    yield Drawing("Figure 3", "Cost by alpha, with fault tolerance.", figure)
    yield Drawing("Figure 4", "The most economical combinations.", _draw_cheapest(runs))


def _draw_bids(
    axes: Axes, runs: Runs, mechanism: str, measure: str, alphas: Sequence[float]
) -> None:
    for bid in BIDS:
        known = [a for a in alphas if (mechanism, bid, a) in runs]
        points = [runs.mean((mechanism, bid, a), measure) for a in known]
        axes.errorbar(known, [p[0] for p in points], [p[1] for p in points], label=bid, capsize=3)
    axes.set(xlabel="alpha", title=mechanism)


def _draw_cheapest(runs: Runs) -> Figure:
    cells = [c for c in itertools.product(MECHANISMS, BIDS, runs.alphas()) if c in runs]
    ranked = sorted(cells, key=lambda cell: runs.mean(cell, "cost")[0])[:10]
    points = [runs.mean(cell, "cost") for cell in ranked]
    names = [f"{m}, {b}, {a:g}" for m, b, a in ranked]
    with new_figure((7, 4)) as figure:
        (axes,) = figure.axes
        axes.barh(names[::-1], [p[0] for p in points][::-1], xerr=[p[1] for p in points][::-1])
        axes.set(xlabel="Cost (USD)")
    return figure


def _runs_of(database: Path) -> pd.DataFrame:
    """Return the runs of a database of the study ``broker``."""
    results = cospot.load_results(database)
    if results.study != "broker":
        raise InputError(f"{database}: expected the study broker, found {results.study}")
    return results.runs


def _page(options: argparse.Namespace) -> Page:
    runs = Runs(pd.concat([_runs_of(path) for path in options.results], ignore_index=True))
    told = (
        "Means over seeds, compared pairwise on the same seeds; a direction *holds* if every pair "
        "of cells shows it with p < 0.05 (one-sided Student's t). The paper's price history is "
        f"not public, so exact prices cannot be compared. Seeds: {runs.seeds}."
    )
    return Page(
        title="What the broker's paper found, tested",
        paper='Voorsluys and Buyya, "Reliable Provisioning of Spot Instances for '
        'Compute-intensive Applications", AINA 2012.',
        sections=[Section("", [told, verdicts(runs)])],
        drawings=drawings(runs),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m spot_broker.page", description=__doc__)
    parser.add_argument(
        "results",
        type=Path,
        nargs="+",
        help="results databases of the study broker; several: each with seeds of its own",
    )
    return command.run(parser, _page, arguments)


if __name__ == "__main__":
    sys.exit(main())
