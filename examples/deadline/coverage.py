#!/usr/bin/python3
"""Counts how often the interval of a strategy's saving holds its mean over all traces of a model.

    PATH=build/release:$PATH /usr/bin/python3 examples/deadline/coverage.py bursty 60 70 14

The arguments are the model, the number of traces (one study each), the hours from one start to the
next, and the number of starts. The truth is the mean saving over all of the traces.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

STRATEGIES = ("greedy", "uniform_progress")


def savings(folder: Path, model: str, seed: int, starts: list[int]) -> list[tuple[float, float]]:
    """Return mean and half width of the saving of each strategy on one trace."""
    study = folder / "study.yaml"
    days = max(60, (starts[-1] + 80) // 24 + 1)
    study.write_text(
        f"study: deadline\ntrace:\n  - {{synthetic: {model}, seed: {seed}, days: {days}}}\n"
        f"start_hours: {starts}\nstrategy: [on_demand, {', '.join(STRATEGIES)}]\n"
        "deadline_hours: 70\n"
    )
    results = folder / "results.db"
    subprocess.run(
        ["cospot", "compare", study, "--db", results, "--force"], check=True, capture_output=True
    )
    done = subprocess.run(
        ["cospot", "summary", results, "--json"], check=True, capture_output=True, text=True
    )
    found = {one["strategy"]: one for one in json.loads(done.stdout)["strategies"]}
    cells = [found[name]["saving_to_on_demand"] for name in STRATEGIES]
    return [(cell["mean"], cell["half_width_95"]) for cell in cells]


def main() -> None:
    """Print a line for each strategy."""
    model, traces, hours, count = sys.argv[1], *map(int, sys.argv[2:5])
    starts = [336 + hours * i for i in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        all_of = [savings(Path(folder), model, seed, starts) for seed in range(1, traces + 1)]
    for strategy, cells in zip(STRATEGIES, zip(*all_of, strict=True), strict=True):
        truth = statistics.fmean(mean for mean, _ in cells)
        held = sum(abs(mean - truth) <= half for mean, half in cells)
        print(f"{model}, {strategy}: saves {truth:.3f}; {held} of {traces} intervals hold it")


if __name__ == "__main__":
    main()
