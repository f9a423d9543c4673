"""The worth of the choices that the paper leaves open: a part of the grid under each."""

from __future__ import annotations

from pathlib import Path

from cooperation.spread import QUANTITIES
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

#: The quantities of the table, with their decimals in percent.
_DIGITS = {
    "gain, mean": 1,
    "gain, largest": 0,
    "runs that reject no VM": 0,
    "VM revenue lost, mean": 4,
    "spot revenue earned, mean": 1,
}


def choices_section(folder: Path) -> Section:
    """Return the table of the choices whose databases are in a folder."""
    rows = []
    for name, told in CHOICES.items():
        path = folder / f"{name}.db"
        if path.exists():
            runs = load_results(path).runs
            numbers = [f"{100 * QUANTITIES[what](runs):.{_DIGITS[what]}f} %" for what in _DIGITS]
            rows.append((told, *numbers))
    header = ("choice", *_DIGITS)
    return Section("What the open choices are worth", [Table(header, rows, text_columns=1)])
