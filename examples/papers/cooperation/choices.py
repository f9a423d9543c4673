"""What the choices that the paper leaves open are worth: a part of the grid under each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
from cospot.results import load_results
from reproduction.page import Section, Table

#: Names of the databases that run.sh makes, and what was chosen otherwise.
CHOICES = {
    "as_run": "as everywhere: hosts of 10400 x 2250, 14 days, ties to the first host",
    "host_9600": "hosts of 9600 x 2250",
    "host_6400": "hosts of 6400 x 3072",
    "window_90": "revenue of 90 days",
    "no_past": "requests before time 0 left out",
    "one_size": "every VM policy on the fewest hosts of any (`headroom_of: study`)",
    "normalised": "COS by fractions of the host (`capacity_normalised`)",
    "ties_by_vms": "ties of COS and DPD by UTIL, of UTIL by COS",
    "ties_by_memory": "ties of VMs to the most free memory, where spots count as in use",
}

_NUMBERS: tuple[tuple[str, Callable[[pd.DataFrame], float], int], ...] = (
    ("gain, mean", lambda runs: runs["gain"].mean(), 1),
    ("gain, largest", lambda runs: runs["gain"].max(), 0),
    ("runs that reject no VM", lambda runs: runs["without_vm_loss"].mean(), 0),
    ("VM revenue lost, mean", lambda runs: runs["vm_loss"].mean(), 4),
    ("spot revenue earned, mean", lambda runs: runs["spot_share"].mean(), 1),
)


def choices_section(folder: Path) -> Section:
    """Return the table of the choices whose databases are in a folder."""
    rows = []
    for name, told in CHOICES.items():
        path = folder / f"{name}.db"
        if path.exists():
            runs = load_results(path).runs
            numbers = [f"{100 * number(runs):.{digits}f} %" for _, number, digits in _NUMBERS]
            rows.append((told, *numbers))
    header = ("choice", *(name for name, _, _ in _NUMBERS))
    return Section("What the open choices are worth", [Table(header, rows, text_columns=1)])
