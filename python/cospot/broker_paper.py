"""``python -m cospot.broker_paper``: does what the broker's paper found hold in a study's results?

Reads a results database of the study ``broker`` (examples/paper-broker) and writes a page with
every published direction, tested over the seeds (paired, one-sided Student's t at 5 %), and the
paper's Figures 2 to 4. Source: Voorsluys and Buyya, "Reliable Provisioning of Spot Instances".
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from cospot.errors import InputError
from cospot.results import load_results

#: What a run is of, beside its seed.
CELL = ["fault_tolerance", "bid", "alpha"]
LEVEL = 0.05


@dataclass(frozen=True)
class Claim:
    """One published direction: in each pair, the first cell's measure is below the second's."""

    sentence: str
    measure: str
    pairs: list[tuple[tuple[str, str, float], tuple[str, str, float]]]


@dataclass(frozen=True)
class Verdict:
    """How many of a claim's pairs hold, and the largest p-value among them."""

    claim: Claim
    holding: int
    significant: int
    against: int
    worst_p: float

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

    def values(self, cell: tuple[str, str, float], measure: str) -> pd.Series[float]:
        """Return a measure by seed."""
        return self._cells[cell][measure].astype(float).sort_index()

    def mean(self, cell: tuple[str, str, float], measure: str) -> tuple[float, float]:
        """Return the mean over the seeds and half the width of its 95 % interval."""
        values = self.values(cell, measure)
        if len(values) < 2:
            return float(values.mean()), 0.0
        width = stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
        return float(values.mean()), float(width)


def judge(runs: Runs, claim: Claim) -> Verdict:
    """Test every pair of a claim over the seeds that both have."""
    holding = significant = against = 0
    worst = 0.0
    for below, above in claim.pairs:
        both = pd.concat(
            [runs.values(below, claim.measure), runs.values(above, claim.measure)], axis=1
        ).dropna()
        difference = (both.iloc[:, 1] - both.iloc[:, 0]).to_numpy()
        p = _p_value(difference)
        holding += difference.mean() > 0
        significant += p < LEVEL
        against += _p_value(-difference) < LEVEL
        worst = max(worst, p)
    return Verdict(claim, int(holding), int(significant), int(against), worst)


def _p_value(difference: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """Return the p-value of ``the mean is not above 0``, one-sided."""
    if len(difference) < 2:
        return 1.0
    if np.ptp(difference) == 0:  # the t statistic has no variance to divide by
        return 0.0 if difference[0] > 0 else 1.0
    return float(stats.ttest_1samp(difference, 0, alternative="greater").pvalue)


def claims(runs: Runs) -> list[Claim]:
    """Return what the paper found, as far as the results hold the cells."""
    bids = ["minimum", "mean", "on_demand", "high", "current"]
    alphas = runs.alphas()
    useful = "cost_per_useful_job"
    low, high = [a for a in alphas if a <= 2], [a for a in alphas if a >= 4]
    best = [a for a in (2.0, 4.0, 8.0) if a in alphas]

    def made(
        sentence: str,
        measure: str,
        pairs: Iterator[tuple[tuple[str, str, float], tuple[str, str, float]]],
    ) -> Claim:
        known = [pair for pair in pairs if pair[0] in runs and pair[1] in runs]
        return Claim(sentence, measure, known)

    return [
        made(
            "Without fault tolerance, alpha = 2 is cheaper than 4 and more, for every bid",
            "cost",
            ((("none", b, 2.0), ("none", b, a)) for b in bids for a in high),
        ),
        made(
            "Without fault tolerance, alpha 1 and 2 violate more deadlines than 4 and more",
            "deadline_violations",
            ((("none", b, h), ("none", b, lo)) for b in bids for h in high for lo in low),
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
            ((("none", b, a), ("duplication", b, a)) for b in bids for a in best),
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
                for m, b, a in itertools.product(
                    ("none", "checkpoint", "migration", "duplication"), bids, alphas
                )
                if (m, b, a) != ("migration", "minimum", 2.0)
            ),
        ),
        made(
            "With migration and Minimum, alpha = 8 violates fewer deadlines than 2 and 4",
            "deadline_violations",
            ((("migration", "minimum", 8.0), ("migration", "minimum", a)) for a in (2.0, 4.0)),
        ),
    ]


def page(runs: Runs) -> str:
    """Return the Markdown page."""
    lines = [
        "# What the paper found, tested",
        "",
        "Voorsluys and Buyya, 2012. Means over seeds, compared pairwise on the same seeds; a",
        "direction *holds* if every pair of cells shows it with p < 0.05 (one-sided Student's t).",
        "The paper's price history is not public, so exact prices cannot be compared.",
        f"Seeds: {runs.seeds}.",
        "",
        "| published | measure | pairs that show it | of them significantly "
        "| reversed significantly | verdict |",
        "|---|---|---|---|---|---|",
    ]
    for claim in claims(runs):
        if not claim.pairs:
            continue
        verdict = judge(runs, claim)
        lines.append(
            f"| {claim.sentence} | `{claim.measure}` | {verdict.holding} of {len(claim.pairs)} "
            f"| {verdict.significant} | {verdict.against} | **{verdict.word}** |"
        )
    return "\n".join(lines) + "\n"


def draw(runs: Runs, folder: Path) -> None:
    """Write the paper's Figures 2 to 4 as PNG files."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    bids = ["minimum", "mean", "on_demand", "high", "current"]
    panels: list[tuple[str, str, str, Callable[[str], str]]] = [
        ("figure2a", "cost", "Cost (USD)", lambda _: "none"),
        ("figure2b", "deadline_violations", "Deadline violations (jobs)", lambda _: "none"),
    ]
    for name, measure, label, mechanism in panels:
        figure, axes = pyplot.subplots(figsize=(6, 4))
        for bid in bids:
            known = [a for a in runs.alphas() if (mechanism(bid), bid, a) in runs]
            points = [runs.mean((mechanism(bid), bid, a), measure) for a in known]
            axes.errorbar(
                known, [p[0] for p in points], [p[1] for p in points], label=bid, capsize=3
            )
        axes.set(xlabel="alpha", ylabel=label, title="Without fault tolerance")
        axes.legend()
        figure.tight_layout()
        figure.savefig(folder / f"{name}.png", dpi=120)
        pyplot.close(figure)
    alphas = [a for a in (2.0, 4.0, 8.0) if a in runs.alphas()]
    figure, many = pyplot.subplots(1, 3, figsize=(12, 4), sharey=True)
    for axes, mechanism_name in zip(many, ("migration", "checkpoint", "duplication"), strict=True):
        for bid in bids:
            known = [a for a in alphas if (mechanism_name, bid, a) in runs]
            points = [runs.mean((mechanism_name, bid, a), "cost") for a in known]
            axes.errorbar(
                known, [p[0] for p in points], [p[1] for p in points], label=bid, capsize=3
            )
        axes.set(xlabel="alpha", title=mechanism_name)
    many[0].set_ylabel("Cost (USD)")
    many[0].legend()
    figure.tight_layout()
    figure.savefig(folder / "figure3.png", dpi=120)
    pyplot.close(figure)
    cells = [
        c
        for c in itertools.product(("none", "checkpoint", "migration", "duplication"), bids, alphas)
        if c in runs
    ]
    ranked = sorted(cells, key=lambda cell: runs.mean(cell, "cost")[0])[:10]
    figure, axes = pyplot.subplots(figsize=(7, 4))
    points = [runs.mean(cell, "cost") for cell in ranked]
    names = [f"{m}, {b}, {a:g}" for m, b, a in ranked]
    axes.barh(names[::-1], [p[0] for p in points][::-1], xerr=[p[1] for p in points][::-1])
    axes.set(xlabel="Cost (USD)", title="Most economical combinations")
    figure.tight_layout()
    figure.savefig(folder / "figure4.png", dpi=120)
    pyplot.close(figure)


def _runs_of(database: Path) -> pd.DataFrame:
    """Return the runs of a database of the study ``broker``."""
    results = load_results(database)
    if results.study != "broker":
        raise InputError(f"{database}: expected the study broker, found {results.study}")
    return results.runs


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code: 0, or 2 for input that cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m cospot.broker_paper")
    parser.add_argument(
        "results",
        type=Path,
        nargs="+",
        help="results databases of the study broker; several: each with seeds of its own",
    )
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder to write to")
    options = parser.parse_args(arguments)
    try:
        runs = Runs(pd.concat([_runs_of(path) for path in options.results], ignore_index=True))
        options.output.mkdir(parents=True, exist_ok=True)
        text = page(runs)
        (options.output / "verdicts.md").write_text(text, encoding="utf-8")
        draw(runs, options.output)
        print(text, end="")
    except (InputError, OSError) as error:
        print(f"cospot: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
