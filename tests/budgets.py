#!/usr/bin/env python3
"""Compares the lines of each folder with its budget in budgets.txt; 1 when one is exceeded.

The lines of files count that git tracks or would track.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUDGETS = ROOT / "tests" / "budgets.txt"


def lines_of(paths: list[str], suffixes: tuple[str, ...]) -> int:
    """Return how many lines the files below these paths have."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    files = [ROOT / name for name in listed.split("\0") if name.endswith(suffixes)]
    return sum(file.read_bytes().count(b"\n") for file in files if file.is_file())


def main() -> int:
    """Print a row for each budget."""
    exceeded = 0
    for row in BUDGETS.read_text().splitlines():
        if not row or row.startswith("#"):
            continue
        budget, suffixes, *paths = row.split()
        lines = lines_of(paths, tuple(suffixes.split(",")))
        exceeded += lines > int(budget)
        mark = "  EXCEEDED" if lines > int(budget) else ""
        print(f"{lines:7,} of {int(budget):7,}  {suffixes:15}  {' '.join(paths)}{mark}")
    return 1 if exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
