"""The spread of the grid's numbers from one workload to another."""

from __future__ import annotations

from collections.abc import Callable

import cospot
import pandas as pd
from cooperation.evaluation import BATCHED, BERNOULLI
from reproduction.page import Table

#: The quantities of some runs, by name.
QUANTITIES: dict[str, Callable[[pd.DataFrame], float]] = {
    "gain, mean": lambda runs: runs["gain"].mean(),
    "gain, largest": lambda runs: runs["gain"].max(),
    "runs that reject no VM": lambda runs: runs["without_vm_loss"].mean(),
    "VM revenue lost, mean": lambda runs: runs["vm_loss"].mean(),
    "VM revenue lost, largest": lambda runs: runs["vm_loss"].max(),
    "spot revenue earned, mean": lambda runs: runs["spot_share"].mean(),
}
#: Their decimals in percent.
_DIGITS = dict(zip(QUANTITIES, (1, 0, 1, 4, 2, 1), strict=True))


def spread_table(runs: pd.DataFrame) -> Table:
    """Return each number's mean over the workloads, its 95 % interval (Student's t) and extremes.

    The runs of a workload are not independent of each other; the workloads are samples.
    """
    kinds = [
        (name, part)
        for name, part in (
            ("all", runs),
            (BATCHED, runs[runs["sampling"] == BATCHED]),
            (BERNOULLI, runs[runs["sampling"] == BERNOULLI]),
        )
        if not part.empty
    ]
    rows = []
    for what, digits in _DIGITS.items():
        for kind, part in kinds:
            values = part.groupby("workload", observed=True)[part.columns].apply(QUANTITIES[what])
            mean, half_width = cospot.mean_interval(values.to_numpy(dtype=float))
            told = f"{100 * mean:.{digits}f}"
            if half_width is not None:
                told += f" ± {100 * half_width:.{digits}f}"
            extremes = [f"{100 * value:.{digits}f} %" for value in (values.min(), values.max())]
            rows.append((what, kind, str(len(values)), f"{told} %", *extremes))
    header = ("of a workload", "workloads", "number", "mean, 95 % interval", "least", "most")
    return Table(header, rows, text_columns=2)
