#!/usr/bin/env python3
"""Changes valid inputs of every format at random and runs cospot on them, with fixed seeds.

Each run takes one of the inputs (inputs.py), changes it once to three times in a way that keeps
most of its structure (mutations.py), and starts a command that reads it. Whatever the input is,
cospot ends by itself with exit code 0 or 2 and, if 2, says why: no crash, no report of a sanitizer,
no "internal error", at most 20 s of processor time and 2 GB of memory.

    tests/fuzz/run.py build/dev/cospot --seconds 180     # what --slow runs
    tests/fuzz/run.py build/dev/cospot --case 4711       # one run again, shown
"""

from __future__ import annotations

import argparse
import collections
import itertools
import multiprocessing
import os
import random
import resource
import shlex
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import inputs
import mutations

MOST_CPU_S = 20
#: Of a process that waits for something that never comes; machines are busy.
MOST_WALL_S = 120
MOST_BYTES = 2 << 30
#: Other than what cospot ends with.
SANITIZER_EXIT = 99
#: What mutations raise on a file that is no longer of its format.
UNREADABLE = (
    ValueError,
    IndexError,
    KeyError,
    TypeError,
    OSError,
    RecursionError,
    EOFError,
    zlib.error,
    sqlite3.Error,
)
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("COSPOT_")},
    "COSPOT_PYTHON": "/nonexistent",
    "ASAN_OPTIONS": f"exitcode={SANITIZER_EXIT}:hard_rss_limit_mb={MOST_BYTES >> 20}",
    "UBSAN_OPTIONS": f"exitcode={SANITIZER_EXIT}:halt_on_error=1:print_stacktrace=1",
}


@dataclass(frozen=True)
class Outcome:
    """What one run did."""

    seed: int
    name: str
    command: str
    code: int
    cpu_s: float
    bytes: int
    fault: str  # empty: none
    told: str


def drawn(case: inputs.Case, seed: int) -> tuple[inputs.Files, str, str]:
    """The files, the changed one and the command of a run."""
    rng = random.Random(seed)
    changed = rng.choice(case.changed)
    readers = [one for one in case.commands if len(case.changed) == 1 or Path(changed).name in one]
    command = rng.choice(readers or case.commands)
    content = case.files[changed]
    mutate = mutations.mutation_of(changed)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        try:
            content = mutate(rng, content)
        except UNREADABLE:  # since the change before
            content = mutations.some_bytes(rng, content)
    return {**case.files, changed: content}, changed, command


def arguments_of(command: str, files: inputs.Files) -> list[str]:
    words = shlex.split(command)
    for name, content in files.items():
        if name.endswith(".arg"):
            text = content.replace(b"\0", b"").decode("utf-8", "surrogateescape")
            words = [word.replace(f"@{name}", text) for word in words]
    return words


def fault_of(code: int, cpu_s: float, size: int, told: str) -> str:
    if code < 0:
        name = signal.Signals(-code).name
        if name == "SIGKILL":
            return f"{cpu_s:.0f} s of processor time in {MOST_WALL_S} s"
        return f"more than {MOST_CPU_S} s" if name == "SIGXCPU" else f"ended by {name}"
    if code == SANITIZER_EXIT or "Sanitizer" in told or "runtime error:" in told:
        return "report of a sanitizer"
    if code not in (0, 2) or "internal error" in told:
        return f"exit code {code}"
    if code == 2 and not told.strip():
        return "no reason"
    if size > MOST_BYTES:
        return f"{size >> 20} MB"
    return f"{cpu_s:.0f} s" if cpu_s > MOST_CPU_S else ""


def run(
    program: Path, name: str, files: inputs.Files, command: str, seed: int, folder: Path
) -> Outcome:
    """Make the files in a folder and run the command there."""
    inputs.write_files(folder, files)
    with (folder / "told.txt").open("w+b") as told:
        process = subprocess.Popen(
            [program, *arguments_of(command, files)],
            cwd=folder,
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=told,
            stderr=told,
        )
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (MOST_CPU_S + 1, MOST_CPU_S + 2))
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))
        resource.prlimit(process.pid, resource.RLIMIT_CORE, (0, 0))
        # Not process.kill(), which would reap it and leave nothing to wait for.
        signal.signal(signal.SIGALRM, lambda *_: os.kill(process.pid, signal.SIGKILL))
        signal.alarm(MOST_WALL_S)
        _, status, used = os.wait4(process.pid, 0)
        signal.alarm(0)
        process.returncode = code = os.waitstatus_to_exitcode(status)
        told.seek(0)
        text = told.read(1 << 20).decode("utf-8", "replace")
    cpu_s, size = used.ru_utime + used.ru_stime, used.ru_maxrss << 10
    return Outcome(
        seed,
        name,
        command,
        code,
        cpu_s,
        size,
        fault_of(code, cpu_s, size, text),
        text,
    )


class Runner:
    """Runs by number. Those below 0 change nothing: a command that fails there tests nothing."""

    def __init__(self, program: Path) -> None:
        self.program = program
        self.cases = inputs.all_cases(program)
        self.valid = [(case, command) for case in self.cases for command in case.commands]
        mutations.know_words_of(
            [
                content.decode()
                for case in self.cases
                for name, content in case.files.items()
                if name.endswith(".yaml")
            ]
        )

    def __call__(self, seed: int, folder: Path) -> Outcome:
        if seed < 0:
            case, command = self.valid[seed]
            one = run(self.program, f"{case.name}: valid", case.files, command, seed, folder)
            return replace(one, fault=one.fault or "refused" * (one.code != 0))
        case = self.cases[seed % len(self.cases)]
        files, changed, command = drawn(case, seed)
        return run(self.program, f"{case.name}: {changed}", files, command, seed, folder)


#: Made once, before the processes that inherit it.
runners: list[Runner] = []


def run_number(seed: int) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="cospot-fuzz-") as folder:
        return runners[0](seed, Path(folder))


def numbers(first: int, count: int, seconds: float) -> Iterator[int]:
    began = time.monotonic()
    for number in range(first, first + count):
        if time.monotonic() - began > seconds:
            return
        yield number


def shown(outcome: Outcome, program: Path) -> str:
    told = "\n".join(f"    {line[:300]}" for line in outcome.told.splitlines()[:40])
    return (
        f"{outcome.fault}: {outcome.name}\n  cospot {outcome.command}\n"
        f"  again: tests/fuzz/run.py {program} --case {outcome.seed}\n{told}"
    )


def one_again(program: Path, seed: int) -> int:
    folder = Path(tempfile.mkdtemp(prefix=f"cospot-fuzz-{seed}-"))
    outcome = Runner(program)(seed, folder)
    print(f"{shown(outcome, program)}\n  files in {folder}; exit code {outcome.code}")
    return 1 if outcome.fault else 0


def report(outcomes: list[Outcome], cases: bool) -> None:
    """Tell how many runs there were, and how deep they came."""
    by_name: dict[str, collections.Counter[int]] = collections.defaultdict(collections.Counter)
    for one in outcomes:
        by_name[one.name][one.code] += 1
    for name, codes in sorted(by_name.items()) if cases else ():
        print(f"  {name}: {', '.join(f'{n} x exit {code}' for code, n in sorted(codes.items()))}")
    slowest = max(outcomes, key=lambda one: one.cpu_s)
    largest = max(outcomes, key=lambda one: one.bytes)
    read = sum(one.code == 0 for one in outcomes)
    print(
        f"{len(outcomes):,} runs on {len(by_name)} kinds of files: {read:,} were still read; "
        f"the slowest took {slowest.cpu_s:.1f} s (case {slowest.seed}), "
        f"the largest {largest.bytes >> 20} MB (case {largest.seed})"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path, help="the program cospot of a build")
    parser.add_argument(
        "--seconds", type=float, default=float("inf"), help="begin no run after these"
    )
    parser.add_argument("--runs", type=int, default=20_000, help="how many (default: 20000)")
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    parser.add_argument("--case", type=int, help="do this run alone again, and keep its files")
    parser.add_argument("-j", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--by-case", action="store_true", help="count the exit codes of each kind")
    parser.add_argument("--keep-going", action="store_true", help="go on after 20 faults")
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    if arguments.case is not None:
        return one_again(program, arguments.case)
    outcomes, faults = [], 0
    runners.append(Runner(program))
    with multiprocessing.get_context("fork").Pool(arguments.j) as pool:
        changed = numbers(arguments.first, arguments.runs, arguments.seconds)
        wanted = itertools.chain(range(-len(runners[0].valid), 0), changed)
        for outcome in pool.imap_unordered(run_number, wanted):
            outcomes.append(outcome)
            if outcome.fault:
                faults += 1
                print(shown(outcome, arguments.program), flush=True)
            if faults >= 20 and not arguments.keep_going:
                break
    report(outcomes, arguments.by_case)
    print(f"{faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
