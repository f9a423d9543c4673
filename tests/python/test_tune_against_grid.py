"""scripts/tune_against_grid.py: the table of docs/tune.md, of two small synthetic workloads."""

import csv
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("COSPOT_PROGRAM", "")

pytestmark = pytest.mark.skipif(
    not os.access(PROGRAM, os.X_OK), reason="COSPOT_PROGRAM does not name the program"
)


def _share(row):
    return 100 * float(row["spot_revenue"]) / float(row["spot_revenue_requested"])


def _loss(row):
    return 1 - Fraction(row["vm_revenue"]) / Fraction(row["vm_revenue_requested"])


def _rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def _cell(row):
    saf = "on" if row["saf"] == "1" else "off"
    return f"{row['vm']}, {row['spot']}, {row['evictor']}, SAF {saf}, {row['otn']}"


def test_the_line_of_a_seed_is_its_advice_beside_the_best_of_either_half(tmp_path):
    names = []
    for seed in ("1", "2"):
        names.append(f"{seed}.csv")
        recipe = ["azure2020", "--seed", seed, "--scale", "0.0004", "--sampling", "bernoulli"]
        subprocess.run(
            [PROGRAM, "workload", "generate", *recipe, "-o", names[-1]], cwd=tmp_path, check=True
        )
    model = ROOT / "guarantees/models/azure2020_survival.txt"
    done = subprocess.run(
        [sys.executable, ROOT / "scripts/tune_against_grid.py", *names, "--host", "10400,2250",
         "--model", model, "--seeds", "2", "--cospot", PROGRAM, "-o", "out"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()[2:]]
    assert [line[0] for line in lines] == ["1", "2"]
    tables = [_rows(path) for path in (tmp_path / "out").glob("grid-*.csv")]
    grids = {rows[0]["workload"]: rows for rows in tables}
    assert {Path(name).name for name in grids} == set(names)
    # Or the rule about lost VMs would go untested.
    assert "VMs lost on 1" in done.stdout
    assert all(len(rows) == 3 * 6 * 2 * 2 * 10 for rows in grids.values())
    for seed, recommendation, *cells in lines:
        tuned = _rows(tmp_path / f"out/tune-{seed}.csv")
        # Half of two samples is one: all 720 settings ran on it, the last few on the other.
        runs = [sum(row["workload"] == name for row in tuned) for name in names]
        assert sorted(runs)[1] == 720 > sorted(runs)[0]
        halves = sorted(grids, key=lambda name: runs[names.index(Path(name).name)], reverse=True)
        for half, (earned, best) in zip(halves, (cells[:2], cells[2:4]), strict=True):
            advised = next(row for row in grids[half] if _cell(row) == recommendation)
            kept = [row for row in grids[half] if row["vm_revenue"] == row["vm_revenue_requested"]]
            assert earned.split()[0] == f"{_share(advised):.1f}"
            assert ("VMs lost on 1" in earned) == (advised not in kept)
            assert best == f"{max(map(_share, kept)):.1f}"
        # One sample chose, and every setting ran on it: the front is the grid's.
        points = [(_loss(row), _share(row)) for row in grids[halves[0]]]
        exact = {(loss, share) for loss, share in points
                 if not any(a <= loss and b >= share and (a, b) != (loss, share)
                            for a, b in points)}  # fmt: skip
        assert cells[4] == f"{len(exact)} of {len(exact)}"
