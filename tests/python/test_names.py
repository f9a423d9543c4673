"""Names that two files give to different things, in one program or in one batch of the build.

Two types of one name in one namespace: the linker takes either's functions for both. What is in an
unnamed namespace meets that of every file that is compiled in the same batch
(cmake/precompiled_headers.cmake).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from source_names import Names, names_of

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("core", "filters", "weighers", "evictors", "guarantees", "bindings", "sim_harness")
DEFINITION = re.compile(
    r"^(?:template <.*> )?(?:struct|class|enum class|enum) (\w+)(?: final)?(?: : [^;]*)? \{", re.M
)
INCLUDE = re.compile(r'^#include "(.*)"$', re.M)
HIDDEN = re.compile(r"^namespace \{$.*?^\}  // namespace$", re.M | re.S)


def definitions(text: str) -> list[str]:
    """Return the types that a file defines for others to see."""
    return DEFINITION.findall(HIDDEN.sub("", text))


def test_what_counts_as_a_definition() -> None:
    hidden = "namespace {\nclass C {\n};\n}  // namespace\n"
    text = f"struct A {{\n}};\nclass B;\n{hidden}enum class D : int {{"
    assert definitions(text) == ["A", "D"]


def test_no_type_is_defined_twice() -> None:
    files: dict[str, set[str]] = defaultdict(set)
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
            for name in definitions(path.read_text(encoding="utf-8")):
                files[name].add(str(path.relative_to(ROOT)))
    assert len(files) > 100
    twice = {name: sorted(places) for name, places in files.items() if len(places) > 1}
    assert twice == {}, "in one program these are one type"


def test_which_names_can_meet() -> None:
    text = """#include "a.hpp"
namespace cospot {
constexpr int kForAll = 1'000;
namespace {
using Days = std::vector<int>;
enum Column { kFirst, kSecond };
template <class T>
struct Local { int member = 1; };
const std::map<int, int> kTable{{1, 2}, {3, 4}};  // not_this()
[[nodiscard]] double mean(const Days& days) { constexpr int kInside = 2; return days[kInside]; }
TEST_CASE("Mean: no_name()") { using Row = int; const auto local = mean({}); }
}  // namespace
}  // namespace cospot
"""
    names = names_of(text)
    unnamed = {name.removeprefix("cospot::") for name in names.unnamed}
    assert unnamed == {"Days", "Column", "kFirst", "kSecond", "Local", "kTable", "mean"}
    assert names.unnamed["cospot::Days"] == "std :: vector < int >"
    assert names.local == {"kInside", "Row"}
    assert names.shared == {"cospot::kForAll"}


@cache
def names_in(path: Path) -> Names:
    """Return the names of a file of the tree."""
    return names_of(path.read_text(encoding="utf-8"))


@cache
def included(path: Path) -> frozenset[Path]:
    """Return the headers of the tree that a file includes."""
    named = INCLUDE.findall(path.read_text(encoding="utf-8"))
    places = [place for name in named for place in (ROOT / name, path.parent / name)]
    return frozenset(place.resolve() for place in places if place.is_file())


def all_included(paths: list[Path]) -> set[Path]:
    """Return the headers that files include, however indirectly."""
    found: set[Path] = set()
    todo = list(paths)
    while todo:
        new = included(todo.pop()) - found
        found |= new
        todo += new
    return found


def batches() -> Iterator[list[Path]]:
    """Yield the files that may share a batch, by the rule of each CMakeLists.txt."""
    groups: dict[tuple[str, str], list[Path]] = defaultdict(list)
    for folder in (*FOLDERS, "tests/cpp"):
        rules = (ROOT / folder / "CMakeLists.txt").read_text(encoding="utf-8")
        together = re.search(r'^set\(together "(.*)"\)$', rules, re.M)
        for path in sorted((ROOT / folder).rglob("*.cpp")):
            name = str(path.relative_to(ROOT / folder))
            is_elsewhere = "python_host" in name or (folder == "tests/cpp" and name[:5] != "test_")
            if not is_elsewhere:
                part = re.match(together[1], name) if together else None
                groups[folder, part[0] if part else ""].append(path)
    yield from groups.values()


def collisions(files: list[Path]) -> Iterator[str]:
    """Yield what would not compile if files were one."""
    unnamed: dict[str, list[Path]] = defaultdict(list)
    for path in files:
        for name in names_in(path).unnamed:
            unnamed[name].append(path)
    shared = {name: path for path in all_included(files) for name in names_in(path).shared}
    for name, places in unnamed.items():
        where = f"{name} of {places[0].relative_to(ROOT)}"
        aliases = {names_in(path).unnamed[name] for path in places}
        if len(places) > 1 and (len(aliases) > 1 or aliases == {""}):
            yield f"{where} is another in {places[1].name}"
        if name in shared:
            yield f"{where} is another in {shared[name].relative_to(ROOT)}"
        word = name.rpartition("::")[2]
        for path in files:
            if path not in places and word in names_in(path).local:
                yield f"{where} is hidden by a local name in {path.name}"


def test_no_two_names_meet_in_a_batch() -> None:
    groups = list(batches())
    assert max(map(len, groups)) > 100
    found = [text for group in groups for text in collisions(group)]
    assert not found, "\n".join(found)
