"""The flags with which what is shipped is compiled, read in what a build has made."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import cospot._core
import pytest

ROOT = Path(__file__).resolve().parents[2]
CHECK = ROOT / "tests" / "packages" / "check-hardening.sh"
#: The simulation of the datacenter, where the checks cost more than 2 %.
HOT = re.compile(
    r"(core|filters|weighers|evictors|guarantees)/|sim_harness/(provider|studies/(classes|promises))/"
)


def test_program_and_libraries_are_hardened(program: Path) -> None:
    if shutil.which("readelf") is None or not CHECK.exists():
        pytest.skip("readelf or the clone is missing")
    files = [program, Path(cospot._core.__file__), *program.parent.glob("*.so")]
    symbols = subprocess.check_output(["readelf", "--dyn-syms", "-W", program], text=True)
    if "__asan_init" in symbols:
        pytest.skip("a build with sanitizers has other checks")
    done = subprocess.run([CHECK, *files], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stderr


def sources_of(command: dict[str, str]) -> set[str]:
    """Return the files of ours that a command compiles: of a batch, those that it includes."""
    path = Path(command["file"])
    found: list[Any] = [path]
    if "Unity" in path.parts:
        found = re.findall(r'^#include "(.*)"$', path.read_text(), re.MULTILINE)
    ours = {Path(each) for each in found if Path(each).is_relative_to(ROOT)}
    return {each.relative_to(ROOT).as_posix() for each in ours}


def test_all_but_the_simulation_has_the_checks_of_the_library(program: Path) -> None:
    listed = program.parent / "compile_commands.json"
    if not listed.exists():
        pytest.skip("the program is not where it was built")
    sources: dict[bool, set[str]] = {True: set(), False: set()}
    for command in json.loads(listed.read_text()):
        sources["-D_GLIBCXX_ASSERTIONS" in command["command"]] |= sources_of(command)
    unchecked = {each for each in sources[False] if not each.startswith(("tests/", "build/"))}
    assert {each for each in unchecked if not HOT.match(each)} == set()
    wings = {each.split("/")[1] for each in sources[True]}
    assert wings >= {"base", "commands", "customer", "data", "report"}
