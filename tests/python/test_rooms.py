"""The rooms of the house: which folder may include which, and that no folders use each other."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: Libraries without files, threads or printing: none of them knows the harness or Python.
LIBRARIES = ("core", "filters", "weighers", "evictors", "guarantees")


def includes(folder: Path) -> set[str]:
    """Return the paths of our own that the sources of a folder include."""
    found: set[str] = set()
    for pattern in ("*.hpp", "*.cpp"):
        for source in folder.rglob(pattern):
            found |= set(re.findall(r'^#include "([^"]+)"', source.read_text(), re.MULTILINE))
    return found


def rooms_of_the_harness() -> dict[str, set[str]]:
    """Return which folders of sim_harness each of them uses."""
    graph = {}
    for folder in sorted((ROOT / "sim_harness").iterdir()):
        if not folder.is_dir():
            continue
        used = {path.split("/")[1] for path in includes(folder) if path.startswith("sim_harness/")}
        graph[folder.name] = used - {folder.name}
    return graph


def test_no_folders_of_the_harness_use_each_other() -> None:
    left = rooms_of_the_harness()
    assert {"workloads", "engine", "experiments", "studies", "results"} <= left.keys()
    while left:
        free = [name for name, used in left.items() if not used & left.keys()]
        assert free, f"a cycle among {sorted(left)}"
        for name in free:
            del left[name]


def test_the_experiments_know_no_study() -> None:
    graph = rooms_of_the_harness()
    for room in ("experiments", "results"):
        assert not graph[room] & {"studies", "engine", "workloads", "policies", "report"}


def test_the_libraries_know_neither_the_harness_nor_python() -> None:
    for library in LIBRARIES:
        for path in includes(ROOT / library):
            assert path.split("/")[0] in LIBRARIES, (library, path)
    policies = {path.split("/")[0] for path in includes(ROOT / "core")}
    assert policies == {"core"}
