#!/usr/bin/env python3
"""Measures how the time of a request grows with the hosts, and what the engine saves of a scan.

    tests/bench/curve.py [BUILD] [--large] [--commands] [--check]

prints one table. A ratio is of two times of one run of bench_simulation: processor time, the least
of repetitions that alternate. A row is allowed a third more than its goal, or than what was reached
where that is more; with --check a row that is beyond that five times makes the exit code 1.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

POLICIES = ("UTIL", "COS", "DPD")
BASE = 963
GOALS = {1115: 1.15, 1582: 1.3, 3154: 1.6, 7578: 1.8}  # by hosts: times a request on BASE hosts
REACHED = {  # the most that was measured
    "UTIL": {1115: 1.29, 1582: 1.42, 3154: 1.88, 7578: 2.27},
    "DPD": {3154: 1.75, 7578: 3.19},
}
HOSTS = (100, 300, 528, BASE, *GOALS)
LARGE = (30_000, 100_000)
LINEAR = 1.3  # times linear in the size of the input
SCAN = 0.75  # times the plain simulator with vector instructions
WAYS = {
    "pass": "one pass over the hosts for each request",
    "plain": "plain simulator",
    "vectors": "plain simulator with vector instructions",
    "engine": "engine alone",
    "group": "engine as `compare` runs it",
}
TRIES = 5


def passes(
    what: str, time: str, ratio: float | None = None, goal: float | None = None, reached: float = 0
) -> bool:
    """Print a row; tell whether its ratio is allowed."""
    bound = None if goal is None else max(goal, reached) * 4 / 3
    numbers = ["" if n is None else f"{n:.2f}" for n in (ratio, goal, bound)]
    print(f"| {what} | {time} | {' | '.join(numbers)} |", flush=True)
    if ratio is None or bound is None or ratio <= bound:
        return True
    print(f"beyond its bound: {what}", file=sys.stderr)
    return False


def simulate(build: Path, names: str, repeats: int) -> dict[str, dict[str, float]]:
    """Run bench_simulation; return the quickest repetition of each benchmark."""
    command = [build / "tests/bench/bench_simulation", f"--benchmark_filter=^({names})$"]
    command += ["--benchmark_format=json", "--benchmark_min_time=0.001"]
    command += [f"--benchmark_repetitions={repeats}"]
    command += ["--benchmark_enable_random_interleaving=true"]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    runs = [run for run in json.loads(told)["benchmarks"] if run["run_type"] == "iteration"]
    runs.sort(key=lambda run: run["a_run"], reverse=True)
    return {run["run_name"]: run for run in runs}


def curve(build: Path, policy: str, hosts: list[int], repeats: int) -> bool:
    name = f"{policy}_s{policy}/group/curve:"
    best = simulate(build, f"{name}({'|'.join(map(str, hosts))})", repeats)
    base = best.get(f"{name}{BASE}")
    rows = []
    for count in hosts:
        time = best[f"{name}{count}"]["a_request"]
        ratio = time / base["a_request"] if base and count != BASE else None
        row = (f"{policy}, {count:,} hosts", f"{time * 1e9:.0f} ns a request")
        reached = REACHED.get(policy, {}).get(count, 0)
        rows.append(passes(*row, ratio, GOALS.get(count), reached))
    return all(rows)


def scan(build: Path, policy: str, ways: list[str], repeats: int) -> bool:
    """The released workload when COSPOT_DATA names the folder of the data; else a small one."""
    name = f"{policy}_s{policy}/"
    best = simulate(build, f"{name}({'|'.join(ways)})", repeats)
    rows = []
    for way in ways:
        run = best[name + way]
        ratio = run["a_run"] / best[f"{name}vectors"]["a_run"] if way != "vectors" else None
        row = (f"{policy}, {run['hosts']:,.0f} hosts, {WAYS[way]}", f"{run['a_run'] * 1e3:.2f} ms")
        rows.append(passes(*row, ratio, SCAN if way == "group" else None))
    return all(rows)


def seconds(program: Path, words: str) -> float:
    """Return the user time of a command."""
    child = subprocess.Popen([program, *words.split()], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status != 0:
        raise SystemExit(f"curve.py: failed: {words}")
    return used.ru_utime


def commands(program: Path) -> None:
    price = " --price on-demand=0.04,spot=0.012,economy=0.02"
    for command, more, scales in (("tune", "", (0.01, 0.03, 0.1)), ("plan", price, (0.003, 0.01))):
        times = {}
        for scale in scales:
            words = f"{command} azure2020:seed=1:scale={scale} --host 10400,2250{more} -q -j 1"
            times[scale] = seconds(program, words)
            ratio = times[scale] / times[scales[0]] / (scale / scales[0])
            passes(f"`{words}`, times linear", f"{times[scale]:.1f} s", ratio, LINEAR)
    cloud = "azure2020:seed=1:scale=0.01 --host 10400,2250"
    size = seconds(program, f"size {cloud}")
    quote = seconds(program, f"sla quote {cloud} -j 1")
    passes(f"`sla quote {cloud} -j 1`, times `size {cloud}`", f"{quote:.1f} s", quote / size)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, nargs="?", default=Path("build/release"))
    parser.add_argument("--hosts", type=int, nargs="+", choices=HOSTS + LARGE, default=[*HOSTS])
    parser.add_argument("--large", action="store_true", help=f"also {LARGE} hosts: minutes")
    parser.add_argument("--commands", action="store_true", help="also whole commands: minutes")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--check", action="store_true", help="a few rows; 1 if one is too slow")
    arguments = parser.parse_args()
    build, repeats = arguments.build, arguments.repeats
    print("| what | time | ratio | goal | bound |\n|---|---|---|---|---|")
    if arguments.check:
        few = [BASE, 3154]
        passed = [
            any(curve(build, policy, few, repeats) for _ in range(TRIES))
            and any(scan(build, policy, ["vectors", "group"], repeats) for _ in range(TRIES))
            for policy in POLICIES
        ]
        return 0 if all(passed) else 1
    for policy in POLICIES:
        curve(build, policy, arguments.hosts + [*LARGE] * arguments.large, repeats)
    for policy in POLICIES:
        scan(build, policy, [*WAYS], repeats)
    if arguments.commands:
        commands(build / "cospot")
    return 0


if __name__ == "__main__":
    sys.exit(main())
