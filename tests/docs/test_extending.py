"""The examples of docs/extending.md, added to the tree as a contributor adds them."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from pages import text_of
from tree_copy import TreeCopy

_EXAMPLE = re.compile(r"<!-- example: (\S+) -->\n```cpp\n(.*?)```", re.DOTALL)
_ROW = re.compile(r"^ {6}registry_entry<Weigher, \w+>\(\),\n", re.MULTILINE)
_FIRST_INCLUDE = '#include "weighers/registry.hpp"\n'
_FIRST_ROW = "std::array kRegistry{\n"
_SWEEP = """\
workloads: {synthetic: azure2020, seed: 2, scale: 0.001}
host: {vcpus: 10400, memory_mb: 2250}
headroom_percent: 2
vm: [UTIL, FewestVms, MostVms]
spot: sDPD
evictor: FIFO
saf: off
otn: 1
"""


def add_examples(tree: TreeCopy) -> None:
    """Write the files of the page, and the includes and rows of the registry."""
    page = text_of("docs/extending.md")
    examples = dict(_EXAMPLE.findall(page))
    assert len(examples) == 3
    for name, text in examples.items():
        tree.write(name, text.encode())
    registry = "weighers/registry.cpp"
    includes = "".join(f'#include "{name}"\n' for name in examples if name.startswith("weighers/"))
    text = (tree.folder / registry).read_text()
    text = text.replace(_FIRST_INCLUDE, _FIRST_INCLUDE + includes)
    text = text.replace(_FIRST_ROW, _FIRST_ROW + "".join(_ROW.findall(page)))
    tree.write(registry, text.encode())


def run(tree: TreeCopy, *command: str) -> str:
    """Run a program of the copy's build, which has to succeed; return what it prints."""
    program, *rest = command
    done = subprocess.run(
        [tree.build_folder / program, *rest], cwd=tree.folder, text=True, capture_output=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def batches(tree: TreeCopy) -> dict[str, str]:
    """Return the files that are compiled together, by target and name."""
    return {
        str(path.relative_to(tree.build_folder)): path.read_text()
        for path in tree.build_folder.rglob("Unity/unity_*.cxx")
    }


@pytest.mark.slow
def test_the_examples_are_built_in_the_tree(tmp_path: Path) -> None:
    """A compiler cache that has the tree's own build compiles two batches and links here."""
    tree = TreeCopy(tmp_path / "tree")
    tree.update()
    tree.configure()
    before = batches(tree)
    add_examples(tree)
    done = tree.build("cospot", "cospot_tests", jobs=os.cpu_count() or 1)
    assert done.returncode == 0, done.stdout[-5000:]

    # Only the batch of tests that the new file joins changes, or the two halves of it.
    changed = dict(batches(tree).items() - before.items())
    assert 1 <= len(changed) <= 2
    assert all("cospot_tests.dir/" in name for name in changed), changed.keys()

    listed = run(tree, "cospot", "list", "weighers")
    assert "Hosts with the fewest VMs first." in listed and "MostVms" in listed
    (tree.folder / "sweep.yaml").write_text(_SWEEP)
    run(tree, "cospot", "compare", "sweep.yaml", "-q", "--csv", "r.csv", "--db", "r.db")
    csv = (tree.folder / "r.csv").read_text()
    assert re.findall(r"^[^\n,]*,2,(\w+),", csv, re.MULTILINE) == ["UTIL", "FewestVms", "MostVms"]
    tests = "*/test_fewest_vms_weigher.cpp,*/test_keyed_ranking.cpp,*/test_conformance.cpp"
    assert "Status: SUCCESS" in run(tree, "tests/cpp/cospot_tests", f"--source-file={tests}")
    assert "| 1 passed" in run(tree, "tests/cpp/cospot_tests", "--test-case=FewestVms*")
