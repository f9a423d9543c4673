#!/usr/bin/env python3
"""Changes the source one operator, bound or statement at a time and lists what no test notices."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from mutate import Mutant, mutate

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("core/handshake", "core/provider", "evictors", "guarantees/sla")
WORK = ROOT / "build" / "mutants"
RELEASE = ROOT / "build" / "release"
PROGRAM = WORK / "tests"
EXPLAINED = Path(__file__).parent / "explained.txt"
UNNOTICED = {"survived", "unreached"}
MOST_MEMORY = 4 << 30
MOST_OF_FILE = 500  # numbers that a file has; kMost of mutant.hpp is for all
# Floating point as in the build; quick to compile rather than to run.
FLAGS = (
    "-std=c++20",
    "-fPIE",
    "-ffp-contract=off",
    "-DFMT_SHARED",
    "-D_GLIBCXX_ASSERTIONS",
    "-w",
    "-c",
)
# Of these subjects tests know more than what they tell by the way.
TESTS = (
    *("cover_search", "evict*", "evidence", "fifo_evictor", "handshake", "kept_promises"),
    *("level_engine", "lifetime_*", "lp*_evictor", "offer_rule", "ranked_evictions"),
    *("simulation_engine", "youngest_first_evictor"),
)
_PLACE = re.compile(r"([\w./+-]+\.[ch]pp):(\d+)")


class Case(NamedTuple):
    """A test case: how long it takes and what it reaches."""

    name: str
    seconds: float
    reached: frozenset[int]
    impossible: frozenset[int]  # what has no other operator


class Placed(NamedTuple):
    """A mutant of a file."""

    number: int
    file: str
    mutant: Mutant
    key: str  # the same in later runs and in explained.txt: file, change and text of the line


def place(name: str, mutants: list[Mutant], first: int) -> Iterator[Placed]:
    """Number the mutants of a file."""
    seen: Counter[str] = Counter()
    for number, mutant in enumerate(mutants, first):
        key = f"{name}: {mutant.change}: {mutant.text}"
        seen[key] += 1
        yield Placed(number, name, mutant, key if seen[key] == 1 else f"{key} #{seen[key]}")


def is_chosen(name: str, only: list[str]) -> bool:
    """Tell whether a file is among those that were asked for."""
    return not only or any(name.startswith(part) or fnmatch(name, part) for part in only)


def compiled(name: str, level: str, source: str) -> str:
    """Compile a source in the place of a file of the tree; return what the compiler complains."""
    path = WORK / "sources" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, encoding="utf-8")
    cache = ["ccache"] if shutil.which("ccache") else []
    command = [*cache, "c++", *FLAGS, level, f"-I{ROOT}", str(path), "-o", f"{path}.o"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode != 0 else ""


def compile_mutants(name: str, first: int) -> list[Placed]:
    """Compile a file with those of its mutants that compile, numbered from `first` on."""
    source = (ROOT / name).read_text(encoding="utf-8")
    left_out: set[tuple[int, str]] = set()
    while True:
        text, mutants = mutate(source, first, left_out)
        complaints = compiled(name, "-O1", text)
        if not complaints:
            return list(place(name, mutants, first))
        lines = {int(line) for file, line in _PLACE.findall(complaints) if file.endswith(name)}
        on_lines = [one for one in mutants if one.line in lines]
        bad = [one for one in on_lines if one.change[0] in "+-*/%"] or on_lines
        if not bad:
            sys.exit(f"{complaints[-4000:]}\nmutants: {name} does not compile")
        print(f"{name}: {len(bad)} mutants do not compile", flush=True)
        left_out |= {(one.line, one.change) for one in bad}


def compile_as_is(path: Path) -> list[Placed]:
    """Compile a test, which has no mutants."""
    name = str(path.relative_to(ROOT))
    complaints = compiled(name, "-O0", path.read_text(encoding="utf-8"))
    if complaints:
        sys.exit(f"{complaints[-4000:]}\nmutants: {name} does not compile")
    return []


def test_files(wanted: list[str]) -> list[Path]:
    """Return the unit tests of some subjects, and what notes which mutants they reach."""
    folder = ROOT / "tests" / "cpp"
    files = sorted({path for subject in wanted for path in folder.glob(f"test_{subject}.cpp")})
    if not files:
        sys.exit(f"mutants: tests/cpp has no test_{wanted[0]}.cpp")
    return [*files, ROOT / "tests" / "mutants" / "test_mutant_reach.cpp"]


def link(sources: list[Path]) -> None:
    """Link the program of the tests with objects that come before those of its libraries."""
    command = ["ninja", "-t", "commands", "tests/cpp/cospot_tests"]
    listed = subprocess.run(command, cwd=RELEASE, check=True, capture_output=True, text=True)
    last = listed.stdout.splitlines()[-1]
    libraries = last.split("-o tests/cpp/cospot_tests")[1].split(" && ")[0]
    objects = [f"{WORK / 'sources' / path.relative_to(ROOT)}.o" for path in sources]
    first = ["c++", "-pie", "-Wl,--allow-multiple-definition", "-o", str(PROGRAM)]
    subprocess.run([*first, *objects, *libraries.split()], cwd=RELEASE, check=True)


def build_all(jobs: int, tests: list[str]) -> list[Placed]:
    """Build the program of the tests with the mutants in it; all else is of the release build."""
    build = ["cmake", "--build", "--preset", "release", "-j", str(jobs), "--target"]
    if not (RELEASE / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True)
    subprocess.run([*build, "cospot_test_support"], cwd=ROOT, check=True)
    sources = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.cpp"))
    cases = test_files(tests)
    with ThreadPoolExecutor(jobs) as pool:
        # All, for the library has some of them built into their callers.
        tasks = [
            pool.submit(compile_mutants, str(path.relative_to(ROOT)), 1 + number * MOST_OF_FILE)
            for number, path in enumerate(sources)
        ]
        tasks += [pool.submit(compile_as_is, path) for path in cases]
        placed = [one for task in tasks for one in task.result()]
    link(sources + cases)
    return placed


def run_tests(number: int, cases: list[Case]) -> str:
    """Return how the tests notice a mutant: failed, crashed or hung; '' if they do not."""
    # A comma would end a name.
    names = ",".join(case.name.replace(",", "?") for case in cases)
    command = [str(PROGRAM), f"--test-case={names}", "--abort-after=1"]
    limit = int(10 + 5 * sum(case.seconds for case in cases))

    def limit_use() -> None:
        # Of the processor: how busy others keep it says nothing about the mutant.
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))

    try:
        done = subprocess.run(
            command,
            env=os.environ | {"COSPOT_MUTANT": str(number)},
            cwd=WORK,
            check=False,
            capture_output=True,
            timeout=20 * limit,  # it waits for something
            preexec_fn=limit_use,  # no lock is held in between
        )
    except subprocess.TimeoutExpired:
        return "hung"
    by_code = {0: "", 1: "failed", -signal.SIGXCPU: "hung", -signal.SIGKILL: "hung"}
    return by_code.get(done.returncode, "crashed")


def reached_cases(slowest: float) -> list[Case]:
    """Run the test cases without a mutant, once; return those that pass, quickest first."""
    file = WORK / f"reached-{hashlib.sha256(PROGRAM.read_bytes()).hexdigest()[:16]}.tsv"
    if not file.exists():
        part = file.with_suffix(".part")
        part.unlink(missing_ok=True)
        environment = os.environ | {"COSPOT_MUTANTS_REACHED": str(part), "COSPOT_MUTANT": "0"}
        subprocess.run([PROGRAM], cwd=WORK, env=environment, check=False, stdout=subprocess.DEVNULL)
        part.rename(file)
    cases = []
    for line in file.read_text(encoding="utf-8").splitlines():
        seconds, passed, name, *marks = line.split("\t")
        if passed == "1" and float(seconds) <= slowest:
            reached, impossible = (frozenset(map(int, numbers.split())) for numbers in marks)
            cases.append(Case(name, float(seconds), reached, impossible))
    return sorted(cases, key=lambda case: case.seconds)


def judge(one: Placed, cases: list[Case]) -> str:
    """Return how a mutant was noticed; 'unreached' or 'survived' if it was not."""
    reaching = [case for case in cases if one.number in case.reached]
    if not reaching:
        return "unreached"
    quick = sum(case.seconds < 0.2 for case in reaching)
    return (
        run_tests(one.number, reaching[: max(quick, 1)])
        or (quick < len(reaching) and run_tests(one.number, reaching[quick:]))
        or "survived"
    )


def explained_keys() -> set[str]:
    """Return the keys of the survivors that are no fault."""
    lines = EXPLAINED.read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith(("#", "  "))}


def run_all(
    mutants: list[Placed], cases: list[Case], jobs: int, done: dict[str, str]
) -> dict[str, str]:
    """Judge the mutants that were not judged before, and note each at once."""
    todo = [one for one in mutants if one.key not in done]
    with (
        ThreadPoolExecutor(jobs) as pool,
        (WORK / "results.jsonl").open("a", encoding="utf-8") as log,
    ):
        judged = {pool.submit(judge, one, cases): one for one in todo}
        for future in as_completed(judged):
            one, verdict = judged[future], future.result()
            done[one.key] = verdict
            log.write(json.dumps([one.key, verdict]) + "\n")
            log.flush()
            if verdict in UNNOTICED:
                print(f"{verdict}: {one.file}:{one.mutant.line}: {one.mutant.change}", flush=True)
    return done


def report(mutants: list[Placed], done: dict[str, str]) -> int:
    """Print the count and the survivors that nobody has explained."""
    explained = explained_keys()
    counts: dict[str, int] = {}
    unexplained = []
    for one in mutants:
        verdict = done[one.key]
        if verdict in UNNOTICED and one.key in explained:
            verdict = "explained"
        elif verdict in UNNOTICED:
            unexplained.append(f"{verdict}: {one.file}:{one.mutant.line}\n{one.key}")
        counts[verdict] = counts.get(verdict, 0) + 1
    print("\n".join(unexplained))
    stale = [key for key in sorted(explained) if done.get(key, "survived") not in UNNOTICED]
    print("\n".join(f"explained, but noticed: {key}" for key in stale))
    print(
        f"{len(mutants)} mutants: "
        + ", ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items()))
    )
    return 1 if unexplained else 0


def main() -> int:
    """Run the mutants that the arguments choose."""
    parser = argparse.ArgumentParser(prog="tests/mutants.sh", description=__doc__)
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="FILES",
        help="of these files, a folder or a pattern such as evictors/*.cpp; may be repeated",
    )
    parser.add_argument(
        "--every", type=int, default=1, metavar="N", help="every n-th (default: all)"
    )
    parser.add_argument(
        "--tests",
        action="append",
        default=[],
        metavar="SUBJECT",
        help="by tests/cpp/test_SUBJECT.cpp, such as 'lp*' or '*'; may be repeated (default: "
        + " ".join(TESTS)
        + ")",
    )
    parser.add_argument(
        "--slowest",
        type=float,
        default=60,
        metavar="SECONDS",
        help="leave out test cases that take longer (default: 60)",
    )
    parser.add_argument(
        "-j", type=int, default=os.cpu_count() or 1, metavar="N", help="so many at a time"
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="keep what an earlier run has found; the sources and tests must be the same",
    )
    parser.add_argument(
        "--survivors",
        action="store_true",
        help="only what no test noticed in an earlier run, after tests were added",
    )
    arguments = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    placed = build_all(arguments.j, arguments.tests or TESTS)
    cases = reached_cases(arguments.slowest)
    impossible = frozenset().union(*(case.impossible for case in cases))
    possible = [one for one in placed if one.number not in impossible]
    mutants = [one for one in possible if is_chosen(one.file, arguments.only)][:: arguments.every]
    results = WORK / "results.jsonl"
    if not (arguments.resume or arguments.survivors):
        results.unlink(missing_ok=True)
    lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    done = dict(json.loads(line) for line in lines)
    if arguments.survivors:
        mutants = [one for one in mutants if done.get(one.key) in UNNOTICED]
        done = {}
    print(
        f"{len(placed)} mutants, {len(mutants)} of them to run, by {len(cases)} test cases",
        flush=True,
    )
    return report(mutants, run_all(mutants, cases, arguments.j, done))


if __name__ == "__main__":
    sys.exit(main())
