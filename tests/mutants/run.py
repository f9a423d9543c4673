#!/usr/bin/env python3
"""Changes the source one operator, bound or statement at a time and lists what no test notices."""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from mutate import Mutant, mutate

sys.path.append(str(Path(__file__).resolve().parents[1]))
from tree_copy import ROOT, TreeCopy

FOLDERS = ("core/handshake", "core/provider", "evictors", "guarantees/sla")
WORK = ROOT / "build" / "mutants"
TREE = TreeCopy(WORK / "tree")
PROGRAM = TREE.build_folder / "tests" / "cpp" / "cospot_tests"
LISTENER = Path(__file__).parent / "test_mutant_reach.cpp"
EXPLAINED = Path(__file__).parent / "explained.txt"
MOST_MEMORY = 4 << 30
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


def write_mutants(left_out: dict[str, set[tuple[int, str]]], only: list[str]) -> list[Placed]:
    """Write the files, those that were asked for with their mutants in them."""
    placed: list[Placed] = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            name = str(path.relative_to(ROOT))
            if path.suffix in {".cpp", ".hpp"} and is_chosen(name, only):
                source = path.read_text(encoding="utf-8")
                text, mutants = mutate(source, len(placed) + 1, left_out.get(name, set()))
                placed += place(name, mutants, len(placed) + 1)
                TREE.write(name, text.encode())
            elif path.is_file():
                TREE.write(name, path.read_bytes())
    return placed


def build_all(jobs: int, only: list[str]) -> list[Placed]:
    """Build the mutants that compile, without those of whose line the compiler complains."""
    left_out: dict[str, set[tuple[int, str]]] = {}
    while True:
        placed = write_mutants(left_out, only)
        done = TREE.build("cospot_tests", jobs=jobs)
        if done.returncode == 0:
            return placed
        complained = {
            (str((TREE.build_folder / name).resolve().relative_to(TREE.folder)), int(line))
            for name, line in _PLACE.findall(done.stdout)
            if (TREE.build_folder / name).resolve().is_relative_to(TREE.folder)
        }
        on_lines = [one for one in placed if (one.file, one.mutant.line) in complained]
        bad = [one for one in on_lines if one.mutant.change[0] in "+-*/%"] or on_lines
        if not bad:
            sys.exit(f"{done.stdout[-4000:]}\nmutants: the copy of the tree does not compile")
        print(f"{len(bad)} mutants do not compile", flush=True)
        for one in bad:
            left_out.setdefault(one.file, set()).add((one.mutant.line, one.mutant.change))


def limit_memory() -> None:
    """End a mutant that fills the memory."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def run_tests(number: int, cases: list[Case]) -> str:
    """Return how the tests notice a mutant: failed, crashed or hung; '' if they do not."""
    # A comma would end a name.
    names = ",".join(case.name.replace(",", "?") for case in cases)
    command = [PROGRAM, f"--test-case={names}", "--abort-after=1"]
    limit = 10 + 5 * sum(case.seconds for case in cases)
    try:
        done = subprocess.run(
            command,
            env=os.environ | {"COSPOT_MUTANT": str(number)},
            cwd=WORK,
            check=False,
            capture_output=True,
            timeout=limit,
            preexec_fn=limit_memory,  # no lock is held in between
        )
    except subprocess.TimeoutExpired:
        return "hung"
    return {0: "", 1: "failed"}.get(done.returncode, "crashed")


def reached_cases(slowest: float) -> list[Case]:
    """Run all test cases without a mutant; return those that pass, quickest first."""
    file = WORK / "reached.tsv"
    file.unlink(missing_ok=True)
    environment = os.environ | {"COSPOT_MUTANTS_REACHED": str(file), "COSPOT_MUTANT": "0"}
    subprocess.run([PROGRAM], cwd=WORK, env=environment, check=False, stdout=subprocess.DEVNULL)
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


def explanations() -> dict[str, str]:
    """Return why a survivor is no fault, by its key."""
    found = {}
    key = ""
    for line in EXPLAINED.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            found[key] = line.strip()
        elif line and not line.startswith("#"):
            key = line
    return found


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
            if verdict in {"survived", "unreached"}:
                print(f"{verdict}: {one.file}:{one.mutant.line}: {one.mutant.change}", flush=True)
    return done


def report(mutants: list[Placed], done: dict[str, str]) -> int:
    """Print the count and the survivors that nobody has explained."""
    explained = explanations()
    counts: dict[str, int] = {}
    unexplained = []
    for one in mutants:
        verdict = done[one.key]
        if verdict in {"survived", "unreached"} and one.key in explained:
            verdict = "explained"
        elif verdict in {"survived", "unreached"}:
            unexplained.append(f"{verdict}: {one.file}:{one.mutant.line}\n{one.key}")
        counts[verdict] = counts.get(verdict, 0) + 1
    print("\n".join(unexplained))
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
    arguments = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    TREE.update(unlike=FOLDERS)
    TREE.write(f"tests/cpp/{LISTENER.name}", LISTENER.read_bytes())
    placed = build_all(arguments.j, arguments.only)
    cases = reached_cases(arguments.slowest)
    impossible = frozenset().union(*(case.impossible for case in cases))
    mutants = [one for one in placed if one.number not in impossible][:: arguments.every]
    print(
        f"{len(placed)} mutants, {len(mutants)} of them to run, by {len(cases)} test cases",
        flush=True,
    )
    results = WORK / "results.jsonl"
    if not arguments.resume:
        results.unlink(missing_ok=True)
    lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    done = dict(json.loads(line) for line in lines)
    return report(mutants, run_all(mutants, cases, arguments.j, done))


if __name__ == "__main__":
    sys.exit(main())
