"""The rooms of the house: which folder may include which, and that no folders use each other."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: Libraries without files, threads or printing: none of them knows the harness or Python.
LIBRARIES = ("core", "filters", "weighers", "evictors", "guarantees")
#: The wings of the harness, from the ground up: each uses only what is below its floor.
WINGS = (
    ("base",), ("data",), ("experiments",), ("provider", "customer"), ("studies",),
    ("advise",), ("report",), ("commands",),
)  # fmt: skip


#: An import of ours: the module, and the names from it, which may be modules too.
IMPORT = re.compile(
    r"^ *(?:from|import) (cospot\b[\w.]*)(?: import (\([^)]*\)|.*))?$", re.MULTILINE
)


def includes(folder: Path) -> set[str]:
    """Return the paths of our own that the sources of a folder include."""
    found: set[str] = set()
    for pattern in ("*.hpp", "*.cpp"):
        for source in folder.rglob(pattern):
            found |= set(re.findall(r'^#include "([^"]+)"', source.read_text(), re.MULTILINE))
    return found


def rooms_of(house: str, depth: int = 1) -> dict[str, set[str]]:
    """Return which rooms of a house each of them uses; a room is a folder so many floors down.

    A registry knows every row of its table, so what it includes makes no room depend on another.
    """
    graph: dict[str, set[str]] = {}
    for source in (ROOT / house).rglob("*.[ch]pp"):
        if source.name == "registry.cpp":
            continue
        folders = source.relative_to(ROOT / house).parts[:-1]
        if not folders:
            continue
        used = graph.setdefault("/".join(folders[:depth]), set())
        for path in re.findall(rf'^#include "{house}/([^"]+)"', source.read_text(), re.MULTILINE):
            used.add("/".join(path.split("/")[:-1][:depth]))
    return {room: used - {room} for room, used in graph.items()}


def python_files() -> dict[str, set[str]]:
    """Return which files of python/cospot each of them imports, at once or when it needs them.

    ``cospot`` is the package itself, which shows the names of all others.
    """
    house = ROOT / "python" / "cospot"
    files = {
        "cospot." + ".".join(path.relative_to(house).with_suffix("").parts): path
        for path in house.rglob("*.py")
        if path.parent != house
    }
    graph = {}
    for name, path in files.items():
        used = set()
        for module, names in IMPORT.findall(path.read_text()):
            found = {f"{module}.{each}" for each in re.findall(r"\w+", names)} & files.keys()
            used |= found or {each for each in (module, f"{module}.__init__") if each in files}
            if module == "cospot" and names != "_core":
                used.add(module)
        graph[name] = used - {name}
    return graph


def rooms_of_python(depth: int) -> dict[str, set[str]]:
    """Return which folders of python/cospot, so many levels deep, each of them imports."""
    graph: dict[str, set[str]] = {}
    for name, used in python_files().items():
        room, *others = (
            ".".join(each.split(".")[1:-1][:depth]) or each for each in (name, *sorted(used))
        )
        graph.setdefault(room, set()).update({*others} - {room})
    return graph


def require_no_cycle(graph: dict[str, set[str]]) -> None:
    """Fail when some of these use each other."""
    left = dict(graph)
    while left:
        free = [name for name, used in left.items() if not used & left.keys()]
        assert free, f"a cycle among {sorted(left)}"
        for name in free:
            del left[name]


def test_each_wing_of_the_harness_uses_only_those_below_it() -> None:
    graph = rooms_of("sim_harness")
    assert graph.keys() == {wing for floor in WINGS for wing in floor}
    below: set[str] = set()
    for floor in WINGS:
        for wing in floor:
            assert graph[wing] <= below, (wing, graph[wing] - below)
        below |= set(floor)


def test_no_rooms_of_the_harness_use_each_other() -> None:
    graph = rooms_of("sim_harness", depth=2)
    assert {"base/tables", "provider/loop", "studies/compare"} <= graph.keys()
    require_no_cycle(graph)


def test_no_folders_of_the_core_use_each_other() -> None:
    graph = rooms_of("core")
    assert {"model", "policy", "ranking", "handshake", "provider"} <= graph.keys()
    require_no_cycle({name: used & graph.keys() for name, used in graph.items()})


def test_no_packages_of_python_use_each_other() -> None:
    graph = rooms_of_python(1)
    names = {"results", "plots", "sweeps", "provider", "customer", "lifetime", "nova"}
    assert graph.keys() == names
    require_no_cycle(graph)
    assert not (graph["results"] | graph["sweeps"]) & names
    # Whoever uses the whole package is on top of it.
    assert [name for name, used in graph.items() if "cospot" in used] == ["nova"]
    assert not any("nova" in used for used in graph.values())


def test_no_folders_of_python_use_each_other() -> None:
    graph = rooms_of_python(2)
    assert {"nova", "nova.evictor", "nova.state", "nova.tools", "sweeps"} <= graph.keys()
    assert "nova.state" in graph["nova.evictor"]  # imports are seen at all
    require_no_cycle(graph)


def test_no_files_of_python_use_each_other() -> None:
    graph = python_files()
    assert "cospot.sweeps.shard_task" in graph["cospot.sweeps.dask_sweep"]
    require_no_cycle(graph)


def test_the_libraries_know_neither_the_harness_nor_python() -> None:
    for library in LIBRARIES:
        for path in includes(ROOT / library):
            assert path.split("/")[0] in LIBRARIES, (library, path)
    policies = {path.split("/")[0] for path in includes(ROOT / "core")}
    assert policies == {"core"}


def test_no_library_file_of_python_prints() -> None:
    """What the package has to say goes to ``logging``, warnings or the progress bar."""
    house = ROOT / "python" / "cospot"
    prints = re.compile(r"^[^#\n]*(?<![\w.])(print\(|(sys\.)?stdout\.write\()", re.MULTILINE)
    printing = {
        str(path.relative_to(house))
        for path in house.rglob("*.py")
        if prints.search(path.read_text())
    }
    commands = {"lifetime/__main__.py", "provider/economy/__main__.py", "nova/evictor/command.py"}
    library = {path for path in printing - commands if not path.startswith("nova/tools/")}
    assert not library, "expected logging.getLogger(__name__)"
    assert printing & commands  # prints are seen at all
