#!/usr/bin/env python3
"""Put the numbers CoSpot (SoCC'22) printed beside those of a results database.

    cospot compare examples/full_grid.yaml --db full.db
    scripts/compare_with_paper.py full.db

Prints a Markdown table. The database holds the full grid over some of the released workloads;
their labels say how they were sampled ("batched" or "bernoulli"). Needs only the standard library.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import sys
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """One run, with its spot revenue gain over the run with OTN 1 and SAF off."""

    batched: bool
    headroom: float
    combination: tuple[str, str, str]  # VM, spot, evictor
    saf: bool
    otn: int
    rejected: int
    vm_loss: float  # share of the requested VM revenue
    gain: float
    p99_ns: int
    max_ns: int


def read_runs(database: str) -> list[Run]:
    """Read every run that has a baseline."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    rows = connection.execute("SELECT * FROM run ORDER BY run_index").fetchall()

    def key(row: sqlite3.Row) -> tuple[str, float, str, str, str]:
        return row["workload"], row["headroom_percent"], row["vm"], row["spot"], row["evictor"]

    baselines = {
        key(row): row["spot_revenue"] for row in rows if row["otn"] == 1 and not row["saf"]
    }
    return [
        Run(
            batched="batched" in row["workload"],
            headroom=row["headroom_percent"],
            combination=(row["vm"], row["spot"], row["evictor"]),
            saf=bool(row["saf"]),
            otn=row["otn"],
            rejected=row["vm_rejected"],
            vm_loss=1 - row["vm_revenue"] / row["vm_revenue_requested"],
            gain=row["spot_revenue"] / baselines[key(row)] - 1,
            p99_ns=row["alloc_p99_ns"],
            max_ns=row["alloc_max_ns"],
        )
        for row in rows
        if baselines.get(key(row))
    ]


def mean_gain(runs: Iterable[Run]) -> str:
    return f"{statistics.fmean(run.gain for run in runs):.0%}"


def best_settings(runs: list[Run]) -> dict[tuple[str, str, str], tuple[float, bool, int]]:
    """For each combination: its best mean gain over the workloads without any VM loss."""
    groups: dict[tuple[tuple[str, str, str], bool, int], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.combination, run.saf, run.otn), []).append(run)
    best: dict[tuple[str, str, str], tuple[float, bool, int]] = {}
    for (combination, saf, otn), members in groups.items():
        if any(run.rejected for run in members):
            continue
        candidate = (statistics.fmean(run.gain for run in members), saf, otn)
        best[combination] = max(best.get(combination, (-1.0, False, 1)), candidate)
    return best


def describe(combination: tuple[str, str, str], setting: tuple[float, bool, int]) -> str:
    gain, saf, otn = setting
    return f"{gain:.0%} ({', '.join(combination)}; OTN {otn}, SAF {'on' if saf else 'off'})"


def settings_text(runs: list[Run], combination: tuple[str, str, str], saf: bool, otn: int) -> str:
    """The mean gain and the VM loss of one combination with one OTN and SAF."""
    chosen = [r for r in runs if (r.combination, r.saf, r.otn) == (combination, saf, otn)]
    if not chosen:
        return "not in the database"
    rejected = sum(run.rejected for run in chosen)
    loss = f"{rejected} VMs rejected over {len(chosen)} workloads" if rejected else "no VM loss"
    return f"{mean_gain(chosen)}, {loss}"


def table(runs: list[Run]) -> list[tuple[str, str, str]]:
    """Rows of (what, the paper's number, this database's)."""
    lossless = [run for run in runs if run.rejected == 0]
    one_percent = [run for run in runs if run.batched and run.headroom == 1]
    rows = [
        ("mean gain, all runs", "35 %", mean_gain(runs)),
        ("largest gain", "245 %", f"{max(run.gain for run in runs):.0%}"),
        ("VM revenue lost, mean", "0.014 %", f"{statistics.fmean(r.vm_loss for r in runs):.4%}"),
        ("VM revenue lost, largest", "0.67 %", f"{max(run.vm_loss for run in runs):.2%}"),
        ("runs that reject no VM", "over 76 %", f"{len(lossless) / len(runs):.0%}"),
        ("mean gain of those", "34 %", mean_gain(lossless)),
        ("largest gain of those", "245 %", f"{max(run.gain for run in lossless):.0%}"),
    ]
    for name, paper, batched in (("batched", "29 %", True), ("Bernoulli", "37 %", False)):
        chosen = [run for run in lossless if run.batched == batched]
        if chosen:
            rows.append((f"mean gain of those, {name} workloads", paper, mean_gain(chosen)))
    best = best_settings(one_percent)
    if best:
        least = min(best, key=lambda combination: best[combination])
        most = max(best, key=lambda combination: best[combination])
        rows += [
            (
                "1 % headroom, batched: the combination that gains least at its best setting",
                "23 % (COS, vmaUTIL, FIFO; OTN 32, SAF off)",
                describe(least, best[least]),
            ),
            (
                "the paper's least, with the paper's setting",
                "23 %, no VM loss",
                settings_text(one_percent, ("COS", "vmaUTIL", "FIFO"), False, 32),
            ),
            (
                "the combination that gains most at its best setting",
                "59 % (UTIL, sUTIL, LPML; OTN 4, SAF on)",
                describe(most, best[most]),
            ),
            (
                "the paper's most, with the paper's setting (LPO here)",
                "59 %, no VM loss",
                settings_text(one_percent, ("UTIL", "sUTIL", "LPO"), True, 4),
            ),
        ]
    rows.append(
        (
            "VM allocation, 99th percentile (the largest of all runs')",
            "24 ms",
            f"{max(run.p99_ns for run in runs) / 1e6:.4f} ms",
        )
    )
    fifo = [run.max_ns for run in runs if run.combination[2] == "FIFO"]
    if fifo:
        rows.append(("longest VM allocation with FIFO", "18 ms", f"{max(fifo) / 1e6:.1f} ms"))
    return rows


def trends(runs: list[Run]) -> list[str]:
    """Mean gain and share of runs that lose VMs, by headroom, sampling and evictor."""
    lines = []
    for what, groups in (
        ("headroom", {f"{h:g} %": [r for r in runs if r.headroom == h] for h in range(5)}),
        (
            "workloads",
            {
                "batched": [r for r in runs if r.batched],
                "Bernoulli": [r for r in runs if not r.batched],
            },
        ),
        ("evictor", {e: [r for r in runs if r.combination[2] == e] for e in ("FIFO", "LPO")}),
        (
            "spot policy",
            {
                "s*": [r for r in runs if r.combination[1].startswith("s")],
                "vma*": [r for r in runs if r.combination[1].startswith("vma")],
            },
        ),
    ):
        for name, members in groups.items():
            if not members:
                continue
            losing = sum(run.rejected > 0 for run in members) / len(members)
            loss = statistics.fmean(run.vm_loss for run in members)
            lines.append(f"| {what} | {name} | {mean_gain(members)} | {losing:.0%} | {loss:.4%} |")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("database", help="results database of the full grid")
    arguments = parser.parse_args()
    try:
        runs = read_runs(arguments.database)
    except sqlite3.Error as error:
        print(f"{arguments.database}: {error}", file=sys.stderr)
        return 2
    if not runs:
        print(f"{arguments.database}: no runs with a baseline", file=sys.stderr)
        return 2
    print("| what | CoSpot, printed | here |\n|---|---|---|")
    for row in table(runs):
        print("| " + " | ".join(row) + " |")
    print("\n| by | | mean gain | runs that reject a VM | VM revenue lost |\n|---|---|---|---|---|")
    print("\n".join(trends(runs)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
