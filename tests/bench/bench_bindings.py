"""Measures what calling cospot from Python costs beside the work itself.

    PYTHONPATH=build/release/python /usr/bin/python3 tests/bench/bench_bindings.py build/release

prints one table. Needs the build's bench_chain_call and cospot programs. The numbers of C++ and
Python come from the same run of the same machine.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cospot
import numpy as np
from cospot import Chain, HostSpec, HostTable, Request, Workload

HOSTS = 1000
REPEATS = 15


def microseconds(call: Callable[[], object], calls: int) -> float:
    """Least over repeats of the mean CPU time of a call: a busy machine only adds."""
    times = []
    for _ in range(REPEATS):
        start = time.thread_time()
        for _ in range(calls):
            call()
        times.append((time.thread_time() - start) / calls * 1e6)
    return min(times)


def nearly_full(count: int) -> HostTable:
    """The hosts of bench_chain_call.cpp: host i has 64 vCPUs, 256 GiB and i % 61 % of it used."""
    hosts = []
    for i in range(count):
        used = (64 * (i % 61) // 61, 262144 * (i * 7 % 61) // 61)
        hosts.append(HostSpec(f"host-{i}", (64, 262144), vm_used=used, num_vms=i % 61))
    return HostTable(hosts)


class Constant(cospot.Weigher):
    """Does no work of its own: gives an array that already exists."""

    def __init__(self) -> None:
        self.weights = np.arange(HOSTS, dtype=np.float64)

    def weigh_all(self, hosts: Any, candidates: Any, request: Any) -> Any:
        return self.weights[: len(candidates)]


class Util(cospot.Weigher):
    """UTIL on columns."""

    def weigh_all(self, hosts: Any, candidates: Any, request: Any) -> Any:
        return (hosts.vcpus_total - hosts.vcpus_free_ignoring_spots)[candidates]


def cpp_times(build: Path) -> dict[str, float]:
    """Least CPU microseconds of the same calls in C++, by name of the benchmark."""
    done = subprocess.run(
        [build / "tests/bench/bench_chain_call", "--benchmark_format=json",
         f"--benchmark_repetitions={REPEATS}", "--benchmark_min_time=0.02"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    times: dict[str, float] = {}
    for item in json.loads(done.stdout)["benchmarks"]:
        if item["run_type"] == "iteration":
            name, time_us = item["run_name"], item["cpu_time"] / 1000
            times[name] = min(time_us, times.get(name, time_us))
    return times


def chain_rows(build: Path) -> list[tuple[str, float, float, str]]:
    hosts = nearly_full(HOSTS)
    request = Request(2, 4096)
    rows = []
    cpp = cpp_times(build)
    for policy in ("UTIL", "COS", "DPD"):
        chain = Chain([policy])
        python = microseconds(lambda c=chain: cospot.make_offer(c, hosts, request, 8), 2000)
        for way in ("scan", "order"):
            rows.append((f"decide, {policy}, top 8 of {HOSTS} hosts, C++ by {way}",
                         cpp[f"offer/{policy}_by_{way}"], python,
                         "us a decision; goal < 5 us more"))  # fmt: skip
    nothing = Chain(["FirstFit"])
    base = microseconds(lambda: cospot.make_offer(nothing, hosts, request, 8), 2000)
    for policy_class in (Constant, Util):
        chain = Chain([policy_class])
        python = microseconds(lambda c=chain: cospot.make_offer(c, hosts, request, 8), 2000)
        rows.append((f"batch weigher in Python, {policy_class.__name__}", base, python,
                     "us a decision (left: FirstFit); goal < 50 us more"))  # fmt: skip
    return rows


def simulate_rows(build: Path, scale: float) -> list[tuple[str, float, float, str]]:
    """Whole processes are not compared: the program's own time of the run is."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "w.csv.gz"
        Workload.generate(seed=1, scale=scale).save(path)
        workload = Workload.load(path)
        hosts = cospot.size(workload, host=(10400, 2250), vm="UTIL").hosts
        for vm, spot, evictor in (("UTIL", "sUTIL", "FIFO"), ("COS", "sDPD", "LPO")):
            scenario = Path(folder) / "s.yaml"
            scenario.write_text(
                f"workloads: w.csv.gz\nhost: {{vcpus: 10400, memory_mb: 2250}}\nhosts: {hosts}\n"
                f"vm: {vm}\nspot: {spot}\nevictor: {evictor}\nsaf: false\notn: 8\n"
            )
            program, python = [], []
            for _ in range(REPEATS):
                told = subprocess.run(
                    [build / "cospot", "run", scenario], check=True, capture_output=True, text=True
                ).stdout
                program.append(wall_ms(told))
                result = cospot.simulate(
                    workload, hosts=hosts, host=(10400, 2250), vm=vm, spot=spot, evictor=evictor,
                    otn=8,
                )  # fmt: skip
                python.append(result.wall_ms)
            rows.append((f"simulate {len(workload)} requests, {vm}/{spot}/{evictor}",
                         min(program), min(python),
                         "ms a run; goal: no longer"))  # fmt: skip
    return rows


def wall_ms(told: str) -> float:
    """The time of the run that `cospot run` prints."""
    for line in told.splitlines():
        words = line.split()
        if line.startswith("time to simulate:"):
            return float(words[words.index("ms") - 1])
    raise ValueError(f"no time of the run in:\n{told}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, help="a release build, such as build/release")
    parser.add_argument("--scale", type=float, default=0.01, help="part of the zone to simulate")
    arguments = parser.parse_args()
    rows = chain_rows(arguments.build) + simulate_rows(arguments.build, arguments.scale)
    print(f"{'what':<52} {'C++':>9} {'Python':>9} {'more':>8}  unit")
    for what, cpp, python, unit in rows:
        print(f"{what:<52} {cpp:>9.2f} {python:>9.2f} {python - cpp:>8.2f}  {unit}")


if __name__ == "__main__":
    main()
