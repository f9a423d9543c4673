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


def rooms_of(house: str) -> dict[str, set[str]]:
    """Return which folders of a folder each of them uses."""
    graph = {}
    for folder in sorted((ROOT / house).iterdir()):
        if not folder.is_dir():
            continue
        used = {path.split("/")[1] for path in includes(folder) if path.startswith(f"{house}/")}
        graph[folder.name] = used - {folder.name}
    return graph


def packages_of_python() -> dict[str, set[str]]:
    """Return which packages of python/cospot each of them imports, at once or when it needs them.

    ``cospot`` is the package itself, which shows the names of all others.
    """
    graph = {}
    for package in sorted((ROOT / "python" / "cospot").iterdir()):
        if not (package / "__init__.py").exists():
            continue
        used: set[str] = set()
        for source in package.rglob("*.py"):
            text = source.read_text()
            used |= set(re.findall(r"^ *(?:from|import) cospot\.(\w+)", text, re.MULTILINE))
            whole = r"^ *(?:import cospot$|from cospot import (?!_core$))"
            if re.search(whole, text, re.MULTILINE):
                used.add("cospot")
        graph[package.name] = used - {package.name, "_core", "errors", "interval"}
    return graph


def require_no_cycle(graph: dict[str, set[str]]) -> None:
    """Fail when some of these use each other."""
    left = dict(graph)
    while left:
        free = [name for name, used in left.items() if not used & left.keys()]
        assert free, f"a cycle among {sorted(left)}"
        for name in free:
            del left[name]


def test_no_folders_of_the_harness_use_each_other() -> None:
    graph = rooms_of("sim_harness")
    assert {"workloads", "engine", "experiments", "studies", "results"} <= graph.keys()
    require_no_cycle(graph)


def test_no_folders_of_the_core_use_each_other() -> None:
    graph = rooms_of("core")
    assert {"model", "policy", "ranking", "handshake", "provider"} <= graph.keys()
    require_no_cycle({name: used & graph.keys() for name, used in graph.items()})


def test_no_packages_of_python_use_each_other() -> None:
    graph = packages_of_python()
    names = {"results", "plots", "sweeps", "provider", "customer", "lifetime", "nova"}
    assert graph.keys() == names
    require_no_cycle(graph)
    assert not graph["results"] | graph["sweeps"]
    # Whoever uses the whole package is on top of it.
    assert [name for name, used in graph.items() if "cospot" in used] == ["nova"]
    assert not any("nova" in used for used in graph.values())


def test_the_experiments_know_no_study() -> None:
    graph = rooms_of("sim_harness")
    for room in ("experiments", "results"):
        assert not graph[room] & {"studies", "engine", "workloads", "policies", "report"}


def test_the_libraries_know_neither_the_harness_nor_python() -> None:
    for library in LIBRARIES:
        for path in includes(ROOT / library):
            assert path.split("/")[0] in LIBRARIES, (library, path)
    policies = {path.split("/")[0] for path in includes(ROOT / "core")}
    assert policies == {"core"}
