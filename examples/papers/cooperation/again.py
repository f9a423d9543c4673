"""The runs with the longest allocations, run again: interruptions of the machine do not recur.

A run that is repeated searches the same, so the shortest of its longest allocations is closest to
the cost of a search. They are written as CSV: the index of a run, nanoseconds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from cospot.results import load_results

_LIMIT_NS, _REPEATS, _MOST_RUNS = 1e7, 3, 60


def longest_again(database: Path, program: Path) -> pd.Series[int]:
    """Run again what had an allocation above 10 ms; return the shortest by the index of the run."""
    results = load_results(database)
    long = results.runs.nlargest(_MOST_RUNS, "alloc_max_ns")
    shortest = {}
    for index, run in long[long["alloc_max_ns"] > _LIMIT_NS].iterrows():
        study = database.with_name("again.yaml")  # beside the grid, whose model it may name
        study.write_text(json.dumps(study_of(run.to_dict(), results.settings)), encoding="utf-8")
        times = [int(run["alloc_max_ns"])]
        for _ in range(_REPEATS):
            output = study.with_suffix(".db")
            command = [program, "compare", study, "--db", output, "--force", "-q", "-j", "1"]
            subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
            times.append(int(load_results(output).runs["alloc_max_ns"].iloc[0]))
        shortest[index] = min(times)
    return pd.Series(shortest, name="alloc_max_ns", dtype="int64").rename_axis("run_index")


def study_of(run: Mapping[Any, Any], sweep: Mapping[str, Any]) -> dict[str, Any]:
    """Return a study of one run of a sweep."""
    named = {"workloads": "workload", "vm": "vm", "spot": "spot", "evictor": "evictor"}
    axes = {
        axis: [next(one for one in sweep[axis] if str(run[column]) in _names_of(one))]
        for axis, column in named.items()
    }
    numbers = {"headroom_percent": float(run["headroom_percent"]), "otn": int(run["otn"])}
    return {**sweep, **axes, **numbers, "saf": bool(run["saf"])}


def _names_of(entry: str | Mapping[str, Any]) -> list[str]:
    """Return what results may call an entry of a sweep."""
    if isinstance(entry, str):
        return [entry]
    told = " ".join(f"{key}={value}" for key, value in entry.items() if key != "synthetic")
    return [str(entry.get("label", entry.get("name"))), f"{entry.get('synthetic')} {told}"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m cooperation.again", description=__doc__)
    parser.add_argument("grid", type=Path, help="results database of the grid")
    parser.add_argument("program", type=Path, help="cospot")
    parser.add_argument("-o", "--output", type=Path, required=True, help="CSV to write")
    options = parser.parse_args(arguments)
    longest_again(options.grid, options.program).to_csv(options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
