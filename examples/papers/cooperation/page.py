"""Every finding, printed number and figure of the CoSpot paper, from results databases.

Source: Iqbal et al., "CoSpot: A Cooperative VM Allocation Framework for Increased Revenue from Spot
Instances", SoCC'22, sections 2, 4 and 5.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from cooperation.choices import choices_section
from cooperation.evaluation import BATCHED, BERNOULLI, Evaluation, load_evaluation
from cooperation.figures import drawings
from cooperation.findings import all_findings
from cooperation.spread import spread_table
from reproduction import command
from reproduction.page import Page, Section, Table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m cooperation.page", description=__doc__)
    parser.add_argument("grid", type=Path, help="results database of the grid")
    parser.add_argument("--prior-work", type=Path, help="results database of prior work")
    parser.add_argument("--degradation", type=Path, help="CSV of the study degradation")
    parser.add_argument("--sizes", type=Path, help="the release's server_vm_cores_ram.json")
    parser.add_argument("--again", type=Path, help="CSV of the runs that were run again")
    parser.add_argument("--choices", type=Path, help="folder of databases of the open choices")
    parser.add_argument(
        "--timing", choices=("on", "off"), default="on", help="off: leave out what never repeats"
    )
    return command.run(parser, _page, arguments)


def _page(options: argparse.Namespace) -> Page:
    evaluation = load_evaluation(
        options.grid, options.prior_work, options.degradation, options.sizes
    )
    if options.again:
        shortest = pd.read_csv(options.again, index_col="run_index")["alloc_max_ns"]
        evaluation.runs.loc[shortest.index, "alloc_max_ns"] = shortest
    findings = all_findings(evaluation, times=options.timing == "on")
    labels = [str(label) for label in evaluation.runs["workload"].unique()]
    return Page(
        title="CoSpot's evaluation, made again",
        paper=f"cospot {evaluation.version}, {len(labels)} workloads. "
        'The paper: Iqbal et al., "CoSpot", SoCC\'22.',
        sections=[
            Section("", [groups_table(evaluation.runs), spread_table(evaluation.runs)]),
            *([choices_section(options.choices)] if options.choices else []),
        ],
        drawings=drawings(evaluation),
        findings=findings,
        notes=[
            Section("Why numbers may differ", differences(evaluation)),
            Section("Workloads", labels),
        ],
    )


def groups_table(runs: pd.DataFrame) -> Table:
    """Return mean gain, runs that reject a VM and mean VM loss by several columns."""
    kinds = runs["spot"].astype(str).str.startswith("vma").map({True: "vma*", False: "s*"})
    columns: dict[str, pd.Series[Any]] = {
        "headroom": runs["size"],
        "workloads": runs["sampling"],
        "spot policy": kinds,
        "evictor": runs["evictor"],
        "SAF": runs["saf"].map({True: "on", False: "off"}),
        "OTN": runs["otn"],
    }
    rows = [
        (
            name,
            str(value),
            f"{len(group):,}",
            f"{100 * group['gain'].mean():.0f} %",
            f"{100 * (1 - group['without_vm_loss'].mean()):.0f} %",
            f"{100 * group['vm_loss'].mean():.4f} %",
        )
        for name, column in columns.items()
        for value, group in runs.groupby(column, observed=True)
    ]
    return Table(
        ("by", "", "runs", "gain, mean", "runs that reject a VM", "VM revenue lost, mean"), rows
    )


def differences(evaluation: Evaluation) -> list[str]:
    """Return why numbers differ from the paper's; docs/reproduction.md says more."""
    first = evaluation.runs.drop_duplicates("workload")
    counts = {name: int((first["sampling"] == name).sum()) for name in (BATCHED, BERNOULLI)}
    reasons = [
        f"Workloads: {counts[BATCHED]} batched and {counts[BERNOULLI]} Bernoulli ones here, ten of "
        f"each in the paper. Largest values are over fewer runs, and batched samples differ much.",
        "The paper leaves room: ties, the order of events at equal times, requests before the "
        "window, the host type, the end of revenue. docs/semantics.md says what was chosen.",
        "The paper trained LPML on the first three days of the full trace.",
        "Times are of another machine and another program; the paper's LPO tries all subsets.",
        "Of the quick allocations one in 64 is timed here: the longest may not be among them.",
    ]
    if evaluation.burstier["sampling"].iloc[0] != BATCHED:
        reasons.append(
            "No workload here is known to be batched: where the paper looks at those, all are."
        )
    return reasons


if __name__ == "__main__":
    sys.exit(main())
