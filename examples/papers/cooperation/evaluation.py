"""The runs of the evaluation: the grid, prior work and the worse rankings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from cospot.errors import ConfigError
from cospot.results import load_results

BATCHED, BERNOULLI, OTHER = "batched", "Bernoulli", "other"

_DEGRADATION_COLUMNS = (
    "workload", "headroom_percent", "vm", "host_subset_size", "vm_requests", "vm_rejected"
)  # fmt: skip


@dataclass(frozen=True)
class Evaluation:
    """Everything the figures and the findings are made from.

    Attributes:
        runs: ``Results.runs`` of the grid, and ``sampling``: ``batched``, ``Bernoulli`` or
            ``other``, by the recipe or the label of the workload.
        prior_work: The same of the runs with rankings of prior work; None when they were not run.
        degradation: The CSV of the study ``degradation``; None when it was not run.
        version: Of the cospot that ran the grid.
        sizes: The release's ``server_vm_cores_ram.json``; None when it was not given.
    """

    runs: pd.DataFrame
    prior_work: pd.DataFrame | None
    degradation: pd.DataFrame | None
    version: str
    sizes: Path | None = None

    @property
    def burstier(self) -> pd.DataFrame:
        """The runs of the batched workloads, which the paper shows; all runs without any."""
        batched = self.runs[self.runs["sampling"] == BATCHED]
        return self.runs if batched.empty else batched


def load_evaluation(
    grid: Path,
    prior_work: Path | None = None,
    degradation: Path | None = None,
    sizes: Path | None = None,
) -> Evaluation:
    """Read the results of an evaluation.

    Args:
        grid: Results database of the grid (grid.yaml).
        prior_work: Results database of the rankings of prior work (prior_work.yaml).
        degradation: CSV of the study ``degradation`` (degradation.yaml).
        sizes: The release's ``server_vm_cores_ram.json``.

    Raises:
        DatabaseError: A database cannot be used.
        ConfigError: The grid has no run with a baseline, or an offer or a size that the paper's has
            not, or the CSV lacks a column or a row.
    """
    results = load_results(grid)
    _require_paper_axes(grid, results.runs)
    runs = _with_sampling(results.runs, results.settings)
    # Revenue lost and gained are fractions of something: nothing can be said of runs without.
    runs = runs[runs["gain"].notna() & runs["vm_loss"].notna()]
    if runs.empty:
        raise ConfigError(f"{grid}: no run has a gain; expected OTN 1 with SAF off among the runs")
    prior_work_runs = None
    if prior_work is not None:
        others = load_results(prior_work)
        prior_work_runs = _with_sampling(others.runs, others.settings)
    return Evaluation(
        runs=runs,
        prior_work=prior_work_runs,
        degradation=None if degradation is None else _read_degradation(degradation),
        version=results.version,
        sizes=sizes,
    )


def _require_paper_axes(grid: Path, runs: pd.DataFrame) -> None:
    """Refuse what the paper's grid has not, and its figures have no place for.

    Raises:
        ConfigError: An offer is no number of hosts, or a size is no headroom.
    """
    # pandas gives numbers as numbers, and labels of other offers as text.
    labels = [otn for otn in runs["otn"].unique() if isinstance(otn, str)]
    if labels:
        raise ConfigError(
            f"{grid}: has runs with the offer {labels[0]}, which is not part of the paper's grid; "
            "expected numbers of hosts as otn"
        )
    if runs["headroom_percent"].isna().any():
        raise ConfigError(
            f"{grid}: has runs with a number of hosts, which are not part of the paper's grid; "
            "expected headroom_percent"
        )


def _with_sampling(runs: pd.DataFrame, sweep: Mapping[str, Any]) -> pd.DataFrame:
    workloads = [one if isinstance(one, Mapping) else {"label": one} for one in sweep["workloads"]]
    samplings = {one["label"]: _sampling_of(one) for one in workloads}
    return runs.assign(sampling=[samplings[label] for label in runs["workload"]])


def _sampling_of(workload: Mapping[str, Any]) -> str:
    told = str(workload.get("sampling", workload["label"])).lower()
    if "batched" in told:
        return BATCHED
    return BERNOULLI if "bernoulli" in told else OTHER


def _read_degradation(path: Path) -> pd.DataFrame:
    try:
        frame = pd.read_csv(path)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}; expected the CSV of the study degradation") from error
    missing = [name for name in _DEGRADATION_COLUMNS if name not in frame.columns]
    if missing or frame.empty:
        what = f"has no column {', '.join(missing)}" if missing else "has no rows"
        raise ConfigError(f"{path}: {what}; expected the CSV of the study degradation")
    return frame
