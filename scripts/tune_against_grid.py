#!/usr/bin/env python3
"""Sets the recommendation of `cospot tune` beside the best of the whole grid of its settings.

For each seed `tune` says what to set, from the half of the workloads that the seed draws. Then
`cospot compare` runs every setting on every workload, with the hosts that `tune` gave it, and both
are compared on the half that chose and on the other one. Prints the table of docs/tune.md: spot
revenue, % of what spots requested, means over a half; "best" loses no VM revenue on any of it; and
how many points of the grid's front (more spot revenue only for more VM revenue lost, on the half
that chose) are on that of the settings that tune ran on all of it, and how much less spot revenue
that one has, at most, for the VM loss of a point of the grid's.
Standard library only; the runs are kept in the folder.

Example:
    scripts/tune_against_grid.py batched/*.csv.gz bernoulli/*.csv.gz --host 10400,2250 \
        --model lpkm.txt -o against
"""

import argparse
import collections
import csv
import fractions
import json
import os
import pathlib
import statistics
import subprocess
import sys

# What tune chooses from unless it is told otherwise.
AXES = {
    "vm": ["UTIL", "COS", "DPD"],
    "spot": ["sUTIL", "sCOS", "sDPD", "vmaUTIL", "vmaCOS", "vmaDPD"],
    "evictor": ["FIFO", "LPKM"],
    "saf": [False, True],
    "otn": [1, 2, 4, 8, 16, 32, "epsilon-0.2", "epsilon-0.7",
            "adaptive:at_low_load=32:at_high_load=1:from=0.9:to=0.97",
            "adaptive:at_low_load=64:at_high_load=1:from=0.93:to=0.97"],
}  # fmt: skip
SETTINGS = 720


def run(arguments, *command):
    """Return the output of a command of cospot; the user sees its errors."""
    done = subprocess.run(
        [arguments.cospot, *command], stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        sys.exit(done.returncode)
    return done.stdout


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def setting_of(row):
    return (row["vm"], row["spot"], row["evictor"], row["saf"] == "1", row["otn"])


def setting_found(found):
    """Return the findings of the search from the JSON of tune."""
    otn = found["otn"]
    return (found["vm"], found["spot"], found["evictor"], found["saf"], str(otn))


def tune(arguments, seed):
    """The recommendation, what chose it, the settings run on all of it, and the hosts."""
    path = arguments.output / f"tune-{seed}.csv"
    said = run(
        arguments,
        "tune",
        "--json",
        "--quiet",
        *arguments.workloads,
        "--host",
        arguments.host,
        "--folds",
        "1",
        "--seed",
        str(seed),
        "--model",
        str(arguments.model),
        "--csv",
        str(path),
    )
    found = json.loads(said)["found"]
    rows = rows_of(path)
    count = found["training"]["samples"]
    # Of the settings only the last few run on a sample that judges.
    by_runs = collections.Counter(row["workload"] for row in rows).most_common()
    if by_runs[count - 1][1] == by_runs[count][1]:
        sys.exit(f"seed {seed}: cannot tell by the number of runs which samples chose")
    if by_runs[0][1] != SETTINGS:
        sys.exit(f"tune chooses from {by_runs[0][1]} settings, expected {SETTINGS}")
    hosts = {row["workload"]: int(row["hosts"]) for row in rows}
    choosing = [workload for workload, _ in by_runs[:count]]
    ran = collections.Counter(setting_of(row) for row in rows if row["workload"] in choosing)
    complete = [setting for setting, runs in ran.items() if runs == count]
    return setting_found(found), choosing, complete, hosts


def grid_of(arguments, workload, number, hosts):
    """Every setting's runs on a workload: the shares of spot revenue and of VM revenue lost."""
    vcpus, memory_mb, *disk_gb = map(int, arguments.host.split(","))
    host = {"vcpus": vcpus, "memory_mb": memory_mb, **({"disk_gb": disk_gb[0]} if disk_gb else {})}
    model = {"name": "LPKM", "model": str(arguments.model)}
    evictor = [model if name == "LPKM" else name for name in AXES["evictor"]]
    sweep = {
        "workloads": os.path.abspath(workload),
        "host": host,
        "hosts": hosts,
        **AXES,
        "evictor": evictor,
    }
    path = arguments.output / f"grid-{number}.yaml"
    path.write_text(json.dumps(sweep), encoding="utf-8")  # JSON is YAML
    run(
        arguments,
        "compare",
        str(path),
        "-q",
        "--timing",
        "off",
        "--force",
        "--db",
        str(path.with_suffix(".db")),
        "--csv",
        str(path.with_suffix(".csv")),
    )
    grid = {}
    for row in rows_of(path.with_suffix(".csv")):
        share = float(row["spot_revenue"]) / float(row["spot_revenue_requested"])
        kept = fractions.Fraction(row["vm_revenue"]) / fractions.Fraction(
            row["vm_revenue_requested"]
        )
        grid[setting_of(row)] = (100 * share, 1 - kept)
    return grid


def mean_of(grids, workloads, setting):
    """A setting's mean over workloads, and on how many of them VMs lost revenue."""
    runs = [grids[workload][setting] for workload in workloads]
    return statistics.fmean(share for share, _ in runs), sum(lost > 0 for _, lost in runs)


def best_of(grids, workloads):
    """The most that a setting earns which loses nothing on any of the workloads."""
    means = [mean_of(grids, workloads, setting) for setting in grids[workloads[0]]]
    return max(share for share, lost in means if not lost)


def front_of(grids, workloads, settings):
    """The points (VM revenue lost, spot revenue) of which no other is as good in both."""
    points = set()
    for setting in settings:
        runs = [grids[workload][setting] for workload in workloads]
        points.add(
            (
                statistics.fmean(lost for _, lost in runs),
                statistics.fmean(share for share, _ in runs),
            )
        )
    front = []
    for loss, share in sorted(points, key=lambda point: (point[0], -point[1])):
        if not front or share > front[-1][1]:
            front.append((loss, share))
    return front


def line_of(grids, seed, recommendation, choosing, complete):
    held_out = [workload for workload in grids if workload not in choosing]
    vm, spot, evictor, saf, otn = recommendation
    cells = [str(seed), f"{vm}, {spot}, {evictor}, SAF {'on' if saf else 'off'}, {otn}"]
    for half in (choosing, held_out):
        share, lost = mean_of(grids, half, recommendation)
        cells += [f"{share:.1f}" + (f" (VMs lost on {lost})" if lost else "")]
        cells += [f"{best_of(grids, half):.1f}"]
    exact = front_of(grids, choosing, grids[choosing[0]])
    found = front_of(grids, choosing, complete)
    cells.append(f"{len(set(exact) & set(found))} of {len(exact)}")
    short = max(
        share - max((other for lost, other in found if lost <= loss), default=0)
        for loss, share in exact
    )
    cells[-1] += f" ({short:.1f} short)" if short > 0 else ""
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workloads", nargs="+", help="workload files")
    parser.add_argument("--host", required=True, help="VCPUS,MEMORY_MB[,DISK_GB]")
    parser.add_argument("--model", required=True, type=pathlib.Path, help="LPKM's")
    parser.add_argument("--seeds", type=int, default=8, help="1 to this one (8)")
    parser.add_argument("--cospot", default="cospot", help="the program (cospot)")
    parser.add_argument("-o", "--output", required=True, type=pathlib.Path, help="a folder")
    arguments = parser.parse_args()
    arguments.model = arguments.model.absolute()
    arguments.output.mkdir(parents=True, exist_ok=True)
    tuned = {seed: tune(arguments, seed) for seed in range(1, arguments.seeds + 1)}
    hosts = tuned[1][3]
    grids = {
        workload: grid_of(arguments, workload, number, hosts[workload])
        for number, workload in enumerate(hosts)
    }
    print(
        "| seed | recommendation | training | best of all | validation | best of all there "
        "| front |"
    )
    print("|---|---|---|---|---|---|---|")
    for seed, (recommendation, choosing, complete, _) in tuned.items():
        print(line_of(grids, seed, recommendation, choosing, complete))


if __name__ == "__main__":
    main()
