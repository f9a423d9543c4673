"""The spread of the grid's numbers from one workload to another."""

from __future__ import annotations

from collections.abc import Callable

import cospot
import pandas as pd
from cooperation.evaluation import BATCHED, BERNOULLI
from reproduction.page import Table

#: The quantities of one workload's runs: their name, their number, and its decimals in percent.
_NUMBERS: tuple[tuple[str, Callable[[pd.DataFrame], float], int], ...] = (
    ("gain, mean", lambda runs: runs["gain"].mean(), 1),
    ("gain, largest", lambda runs: runs["gain"].max(), 0),
    ("runs that reject no VM", lambda runs: runs["without_vm_loss"].mean(), 1),
    ("VM revenue lost, mean", lambda runs: runs["vm_loss"].mean(), 4),
    ("VM revenue lost, largest", lambda runs: runs["vm_loss"].max(), 2),
    ("spot revenue earned, mean", lambda runs: runs["spot_share"].mean(), 1),
)


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
    for what, number, digits in _NUMBERS:
        for kind, part in kinds:
            values = part.groupby("workload", observed=True)[part.columns].apply(number)
            mean, half_width = cospot.mean_interval(values.to_numpy(dtype=float))
            told = f"{100 * mean:.{digits}f}"
            if half_width is not None:
                told += f" ± {100 * half_width:.{digits}f}"
            extremes = [f"{100 * value:.{digits}f} %" for value in (values.min(), values.max())]
            rows.append((what, kind, str(len(values)), f"{told} %", *extremes))
    header = ("of a workload", "workloads", "number", "mean, 95 % interval", "least", "most")
    return Table(header, rows, text_columns=2)
