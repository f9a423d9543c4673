"""What Python policies cost in the program `cospot`, in processor time (user and system).

    /usr/bin/python3 tests/bench/bench_hosted_policies.py build/release/cospot

Prints the start-up, one call of weighers at 500 hosts, and a comparison of 96 runs. Processor time,
so that other work on the machine matters less.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "python_policy"
HOSTS = 500
# A workload and its beginning: their difference in time is that of the calls for the rest.
SCALES = ("0.0005", "0.002")
RAM = "nova:nova.scheduler.weights.ram.RAMWeigher"
DEFAULTS = [
    "nova:nova.scheduler.weights.cpu.CPUWeigher",
    "nova:nova.scheduler.weights.disk.DiskWeigher",
    "nova:nova.scheduler.weights.io_ops.IoOpsWeigher",
]
CALLED = {
    "compiled UTIL": "UTIL",
    "compiled RAMWeigher": "RAMWeigher",
    "one host at a time": "python:my_policies.PackByRam",
    "batch": "python:my_policies.PackByRamBatch",
    "Nova's RAMWeigher": RAM,
    "Nova's four default weighers": "{weighers: ['" + "', '".join([RAM, *DEFAULTS]) + "']}",
}


def seconds(command: list[str | Path]) -> tuple[float, float]:
    """Returns processor seconds and elapsed seconds of a command."""
    before, start = os.times(), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after, end = os.times(), time.perf_counter()
    used = after.children_user - before.children_user
    return used + after.children_system - before.children_system, end - start


def compare(program: Path, db: Path, *settings: str) -> list[str | Path]:
    """Returns the command of a comparison, one thread."""
    command = [program, "compare", EXAMPLE / "sweep.yaml", "-q", "-j", "1", "--force", "--db", db]
    return command + [part for setting in settings for part in ("--set", setting)]


def requests_of(program: Path, scale: str) -> int:
    """Returns how many VMs a workload has, each of which is one call of a VM weigher."""
    command = [program, "size", f"azure2020:seed=1:scale={scale}", "--vm", "UTIL"]
    done = subprocess.run([*command, "--host", "10400,2250"], capture_output=True, check=True)
    return int(done.stdout.split(b" VMs", 1)[0].split()[-1])


def print_start(program: Path, db: Path) -> None:
    """Prints what a start takes, without Python and with it."""
    count = 50
    used = sum(seconds([program, "--version"])[0] for _ in range(count)) / count
    print(f"start, no Python policy          {used * 1e3:8.1f} ms")
    few = ["workloads={synthetic: azure2020, seed: 1, scale: 0.0001}", "hosts=4", "saf=false"]
    few += ["otn=1", "evictor=FIFO"]
    plain = min(seconds(compare(program, db, *few, "vm=UTIL"))[0] for _ in range(5))
    for name in ("batch", "Nova's RAMWeigher"):
        used = min(seconds(compare(program, db, *few, f"vm={CALLED[name]}"))[0] for _ in range(5))
        print(f"starting Python, {name:<20}{(used - plain) * 1e3:4.0f} ms (with some calls)")


def print_calls(program: Path, db: Path) -> None:
    """Prints what one call takes."""
    calls = [requests_of(program, scale) for scale in SCALES]
    for name, vm in CALLED.items():
        used = []
        for scale in SCALES:
            one_run = [f"workloads={{synthetic: azure2020, seed: 1, scale: {scale}}}", "otn=1"]
            one_run += [f"hosts={HOSTS}", "saf=false", "evictor=FIFO", f"vm={vm}"]
            used.append(min(seconds(compare(program, db, *one_run))[0] for _ in range(3)))
        each = (used[1] - used[0]) / (calls[1] - calls[0])
        print(f"a VM, {name:<28}{each * 1e6:8.1f} us")


def print_comparison(program: Path, db: Path) -> None:
    """Prints what a comparison of 96 runs on 20 hosts takes."""
    runs = ["otn=[1, 2, 3, 4, 6, 8, 12, 16]", "spot=[sUTIL, sCOS, sDPD]", "evictor=[FIFO, LPO]"]
    for name in ("compiled UTIL", "batch", "Nova's RAMWeigher"):
        used, elapsed = seconds(compare(program, db, *runs, f"vm={CALLED[name]}"))
        print(f"96 runs, {name:<20} {used:8.1f} s processor, {elapsed:.1f} s elapsed, 1 thread")


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description="Measure Python policies in the program cospot.")
    parser.add_argument("program", type=Path)
    program = parser.parse_args().program.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        db = Path(scratch) / "out.db"
        print_start(program, db)
        sys.stdout.flush()
        print_calls(program, db)
        sys.stdout.flush()
        print_comparison(program, db)


if __name__ == "__main__":
    main()
