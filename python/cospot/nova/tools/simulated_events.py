"""The event log of a simulation (docs/event-log-format.md), row by row."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import cospot

US: Final = 1_000_000


def simulate_events(
    workload: cospot.Workload, take: Callable[[dict[str, Any], int], None], **settings: Any
) -> cospot.RunResult:
    """Simulate, then give each event with its time in microseconds to a function, in order.

    Args:
        workload: as for `cospot.simulate`.
        take: gets a row and its time.
        settings: the other arguments of `cospot.simulate`.
    """
    with tempfile.TemporaryDirectory() as folder:
        events = Path(folder) / "events.csv"
        result = cospot.simulate(workload, events=events, **settings)
        with events.open(newline="", encoding="utf-8-sig") as file:
            for row in csv.DictReader(file):
                take(row, round(float(row["time_s"]) * US))
    return result
