"""Does what "Can't Be Late" found hold on windows of SkyPilot's public traces?

It reads results of the study ``deadline``. A sample is one window of one trace: the runs of one see
the same capacity. Source: Wu et al., "Can't Be Late: Optimizing Spot Instance Savings under
Deadlines", NSDI'24, abstract.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import cospot
import pandas as pd
from cospot.errors import InputError
from reproduction import command
from reproduction.page import Finding, Page, Section, findings_table, percent

_STRATEGIES = ("on_demand", "greedy", "uniform_progress", "quoted", "optimal")
_PUBLISHED_FACTOR = 2.0
_PUBLISHED_SAVINGS = (0.27, 0.84)
#: How near a number has to be to the published one.
_TOLERANCE = 0.1


def findings(costs: pd.DataFrame) -> list[Finding]:
    """Return what was published beside ours.

    Args:
        costs: Mean cost of a job: one row for each sample, one column for each strategy.
    """
    data = f"SkyPilot's public traces of AWS, second halves: {len(costs)} windows, 4 jobs in each"
    mean = costs.mean()
    factor = (mean["greedy"] - mean["optimal"]) / (mean["uniform_progress"] - mean["optimal"])
    holds = bool(factor >= (1 - _TOLERANCE) * _PUBLISHED_FACTOR)
    saving = saving_of(costs, "uniform_progress", "on_demand")
    within = bool(_PUBLISHED_SAVINGS[0] <= saving[0] <= _PUBLISHED_SAVINGS[1])
    return [
        Finding(
            "abstract",
            "Uniform Progress: the distance of greedy to the optimum by its own, on the mean",
            "2",
            f"{factor:.2f}",
            holds,
            data,
            "" if holds else "other windows of the traces and other jobs were run than the paper's",
        ),
        Finding(
            "abstract",
            "the same in bad cases",
            "2",
            "",
            "not tested",
            "none",
            "which cases are bad is not in the abstract, which is all of the paper at hand",
        ),
        Finding(
            "abstract",
            "Uniform Progress: saved of the cost on-demand; the paper: by workload, on a cloud",
            "27% to 84%",
            _with_interval(saving),
            within,
            data,
            "" if within else "one workload is simulated, at other prices than the paper's",
        ),
        Finding(
            "docs/deadline.md",
            "`quoted`, ours: saved of the cost of Uniform Progress",
            "",
            _with_interval(saving_of(costs, "quoted", "uniform_progress")),
            None,
            data,
        ),
    ]


def saving_of(costs: pd.DataFrame, cheaper: str, dearer: str) -> tuple[float, float]:
    """Return what one strategy saves of what another costs, and half its 95 % interval."""
    savings = (costs[dearer] - costs[cheaper]) / costs[dearer].mean()
    mean, half_width = cospot.mean_interval(savings.to_numpy())
    return mean, half_width or 0.0


def _with_interval(saving: tuple[float, float]) -> str:
    return f"{100 * saving[0]:.1f} +/- {percent(saving[1])}"


def costs_of(database: Path) -> pd.DataFrame:
    """Return the mean cost of a job by window and strategy."""
    results = cospot.load_results(database)
    if results.study != "deadline":
        raise InputError(f"{database}: expected the study deadline, found {results.study}")
    runs = results.runs.astype({"strategy": str, "trace": str})
    samples = ["trace", "start_hours", "strategy"]
    costs = runs.groupby(samples, observed=True)["cost"].mean().unstack("strategy")
    missing = [name for name in _STRATEGIES if name not in costs]
    if missing:
        raise InputError(f"{database}: no runs of {', '.join(missing)}")
    return costs


def _page(options: argparse.Namespace) -> Page:
    found = findings(costs_of(options.results))
    told = (
        "Numbers of the paper's abstract; a number holds if it is within a tenth of the published "
        "one or better, or in the published range."
    )
    return Page(
        title='"Can\'t Be Late" on public traces',
        paper="Wu et al., \"Can't Be Late: Optimizing Spot Instance Savings under Deadlines\", "
        "NSDI 2024.",
        sections=[Section("", [told, findings_table(found, "paper")])],
        findings=found,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m deadline.page", description=__doc__)
    parser.add_argument("results", type=Path, help="results database of the study deadline")
    return command.run(parser, _page, arguments)


if __name__ == "__main__":
    sys.exit(main())
