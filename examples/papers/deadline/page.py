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
from reproduction.finding import Finding
from reproduction.page import Page, Section, Table, percent

_STRATEGIES = ("on_demand", "greedy", "uniform_progress", "quoted", "optimal")
_PUBLISHED_FACTOR = 2.0
_PUBLISHED_SAVINGS = (0.27, 0.84)
#: The keys that tell the jobs of a window apart.
_CASE = ["deadline_hours", "overhead_hours"]


def findings(costs: pd.DataFrame) -> list[Finding]:
    """Return what was published beside ours.

    Args:
        costs: Mean cost of a job: one row for each sample, one column for each strategy.
    """
    data = f"SkyPilot's public traces of AWS, second halves: {len(costs)} windows, 4 jobs in each"
    mean = costs.mean()
    factor = (mean["greedy"] - mean["optimal"]) / (mean["uniform_progress"] - mean["optimal"])
    saving = saving_of(costs, "uniform_progress", "on_demand")
    return [
        Finding(
            "abstract",
            "Uniform Progress: the distance of greedy to the optimum by its own, on the mean",
            "2",
            f"{factor:.2f}",
            "value or more",
            _PUBLISHED_FACTOR,
            factor,
            "it closes the gap to the optimum by so much, and more would be better",
            data=data,
            because="other windows of the traces and other jobs were run than the paper's",
            headline="gap to the optimum closed by Uniform Progress, over greedy's",
        ),
        Finding(
            "abstract",
            "the same in bad cases: the 90th percentile of each one's distances",
            "2",
            f"{_gap_at(costs, 0.9):.2f}",
            "value or more",
            _PUBLISHED_FACTOR,
            _gap_at(costs, 0.9),
            "it closes the gap by so much in bad cases too, whichever those are",
            readings={"the 99th percentile": _gap_at(costs, 0.99)},
            data=data,
            because="other windows of the traces and other jobs were run than the paper's",
        ),
        Finding(
            "abstract",
            "Uniform Progress: saved of the cost on-demand; the paper: by workload, on a cloud",
            "27% to 84%",
            _with_interval(saving),
            "range",
            _PUBLISHED_SAVINGS,
            saving[0],
            "savings lie in this range, by workload",
            data=data,
            because="one workload is simulated, at other prices than the paper's",
            headline="saved of the cost on demand by Uniform Progress",
        ),
        Finding(
            "docs/deadline.md",
            "`quoted`, ours: saved of the cost of Uniform Progress",
            "",
            _with_interval(saving_of(costs, "quoted", "uniform_progress")),
            data=data,
        ),
    ]


def _gap_at(costs: pd.DataFrame, share: float) -> float:
    """Return how many times farther from the optimum greedy is, at a percentile of both."""
    distances = costs[["greedy", "uniform_progress"]].sub(costs["optimal"], axis=0)
    greedy, uniform_progress = distances.quantile(share)
    return float(greedy / uniform_progress)


def saving_of(costs: pd.DataFrame, cheaper: str, dearer: str) -> tuple[float, float | None]:
    """Return what one strategy saves of what another costs, and half its 95 % interval.

    One sample has no interval.
    """
    savings = (costs[dearer] - costs[cheaper]) / costs[dearer].mean()
    return cospot.mean_interval(savings.to_numpy())


def ours_in_parts(runs: pd.DataFrame) -> Table:
    """Return what `quoted` saves of the cost of Uniform Progress: of all, and in parts.

    Args:
        runs: Of the study; ``trace`` is ``FOLDER/FILE@HOURh``, one for each window.
    """
    file = runs["trace"].str.split("@").str[0]
    known = runs.assign(file=file, folder=file.str.rsplit("/", n=1).str[0])
    windows, traces = costs_by(known, ["trace"]), costs_by(known, ["file"])
    dearer = windows["quoted"] - windows["uniform_progress"]
    worst = percent(dearer.max() / windows["uniform_progress"].mean())
    return Table(
        ("`quoted` against Uniform Progress", "saves"),
        [
            (f"{len(windows)} windows as samples", _saved(windows)),
            (f"{len(traces)} traces as samples", _saved(traces)),
            ("windows in which it is dearer", f"{(dearer > 0).sum()}, by {worst} at most"),
            *(
                (f"traces of `{_end_of(name)}`", _saved(part, "trace"))
                for name, part in known.groupby("folder")
            ),
            *(
                (f"deadline {deadline:g} h, overhead {60 * overhead:g} min", _saved(part, "trace"))
                for (deadline, overhead), part in known.groupby(_CASE)
            ),
        ],
        text_columns=1,
    )


def _saved(costs: pd.DataFrame, samples: str = "") -> str:
    wide = costs_by(costs, [samples]) if samples else costs
    return _with_interval(saving_of(wide, "quoted", "uniform_progress"))


def _end_of(folder: str) -> str:
    return "/".join(folder.split("/")[-3:])


def costs_by(runs: pd.DataFrame, samples: Sequence[str]) -> pd.DataFrame:
    """Return the mean cost of a job: one row for each sample, one column for each strategy."""
    keys = [*samples, "strategy"]
    return runs.groupby(keys, observed=True)["cost"].mean().unstack("strategy")


def _with_interval(saving: tuple[float, float | None]) -> str:
    mean, half_width = saving
    return percent(mean) if half_width is None else f"{100 * mean:.1f} +/- {percent(half_width)}"


def runs_of(database: Path) -> pd.DataFrame:
    """Return the runs of a database of the study ``deadline``, which has all that is compared."""
    results = cospot.load_results(database)
    if results.study != "deadline":
        raise InputError(f"{database}: expected the study deadline, found {results.study}")
    runs = results.runs.astype({"strategy": str, "trace": str})
    missing = sorted(set(_STRATEGIES) - set(runs["strategy"]))
    if missing:
        raise InputError(f"{database}: no runs of {', '.join(missing)}")
    return runs.astype({"deadline_hours": float, "overhead_hours": float})


def _page(options: argparse.Namespace) -> Page:
    runs = runs_of(options.results)
    found = findings(costs_by(runs, ["trace", "start_hours"]))
    return Page(
        title='"Can\'t Be Late" on public traces',
        paper='Wu et al., "Can\'t Be Late: Optimizing Spot Instance Savings under Deadlines", '
        "NSDI 2024.",
        sections=[Section("", [ours_in_parts(runs)])],
        findings=found,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m deadline.page", description=__doc__)
    parser.add_argument("results", type=Path, help="results database of the study deadline")
    return command.run(parser, _page, arguments)


if __name__ == "__main__":
    sys.exit(main())
