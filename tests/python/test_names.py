"""Two types of one name in one namespace: the linker takes either's functions for both."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("core", "filters", "weighers", "evictors", "guarantees", "bindings", "sim_harness")
DEFINITION = re.compile(
    r"^(?:template <.*> )?(?:struct|class|enum class|enum) (\w+)(?: final)?(?: : [^;]*)? \{", re.M
)
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
