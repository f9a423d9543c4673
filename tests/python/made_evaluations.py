"""Evaluations of a few invented runs, as examples/papers/cooperation reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cooperation.evaluation import Evaluation, load_evaluation
from made_results import RUN_COLUMNS, make_database

Runs = Sequence[Mapping[str, Any]]

#: Of the study `degradation`, where a row does not say otherwise.
DEGRADATION_COLUMNS = {
    "workload": "day1", "headroom_percent": 0, "vm": "UTIL", "host_subset_size": 1,
    "vm_requests": 1000, "vm_rejected": 0,
}  # fmt: skip


def made_evaluation(
    folder: Path, runs: Runs, *, prior_work: Runs = (), degradation: Runs = ()
) -> Evaluation:
    """Write what was run, and read it; a run says only where it differs from RUN_COLUMNS.

    Of 1000 vcpu-seconds that VMs request and 500 that spots request, ``vm_earned`` and ``revenue``
    of a run are earned. Policies are in the order in which the runs name them.
    """
    csv = folder / "degradation.csv"
    if degradation:
        rows = [{**DEGRADATION_COLUMNS, **row}.values() for row in degradation]
        lines = [",".join(map(str, row)) for row in (DEGRADATION_COLUMNS, *rows)]
        csv.write_text("\n".join(lines) + "\n")
    return load_evaluation(
        _database(folder / "grid.db", runs),
        _database(folder / "prior_work.db", prior_work) if prior_work else None,
        csv if degradation else None,
    )


def _database(path: Path, runs: Runs) -> Path:
    def named(column: str) -> list[Any]:
        return list(dict.fromkeys(run.get(column, RUN_COLUMNS[column]) for run in runs))

    return make_database(
        path,
        runs,
        sizes=[{"headroom_percent": percent} for percent in named("headroom_percent")],
        workloads=named("workload"),
        vm=named("vm"),
        spot=named("spot"),
        evictor=named("evictor"),
    )
