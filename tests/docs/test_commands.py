"""The commands of the pages: those that can run do, in the order of the page; all others exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import clone
import pytest
from command_names import calls, faults, is_there
from pages import PAGES, ROOT, blocks, spans, text_of
from what_runs import runnable, shell_blocks


@pytest.mark.parametrize("page", [page for page in PAGES if runnable(page)])
def test_the_commands_run(page: str, tmp_path: Path, data: Path) -> None:
    shell = clone.Clone(tmp_path, data, page)
    done = shell.run(runnable(page))
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]


@pytest.mark.parametrize("page", [page for page in PAGES if shell_blocks(page) or spans(page)])
def test_the_commands_exist(page: str) -> None:
    found = []
    for block in [*shell_blocks(page), *spans(page)]:
        for program, _ in calls(block.text):
            if not is_there(program):
                pytest.skip(f"{program} cannot say what its commands are")
        found += [f"{block.place}: {fault}" for fault in faults(block.text)]
    assert found == []


def test_the_inputs_are_made_by_their_script() -> None:
    command = [sys.executable, str(ROOT / "examples" / "inputs" / "make.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_most_blocks_are_run() -> None:
    assert sum(len(runnable(page)) for page in PAGES) >= 40


@pytest.mark.skipif(not is_there("cospot"), reason="COSPOT_PROGRAM does not name cospot")
def test_a_renamed_option_is_found() -> None:
    assert faults("cospot compare a.yaml --data out.db") == ["cospot compare has no --data"]
    assert faults("cospot workload guess w.csv") == ["cospot workload has no command 'guess'"]
    assert faults("python3 -m cospot tune w.csv --host 1,2 -o a.yaml") == []
    assert faults("cat x | cospot size w.csv --headroom-percent 2 && ls --all") == []
    assert faults("cospot run examples/no-such.yaml") == ["there is no examples/no-such.yaml"]
    assert faults("for x in 1 2; do cospot sla quote w.csv --hours $x; done") == [
        "cospot sla quote has no --hours"
    ]


def test_markers_stand_before_a_block() -> None:
    for page in PAGES:
        marked = len(re.findall(r"^ *<!-- not run: ", text_of(page), re.MULTILINE))
        assert marked == sum(bool(block.not_run) for block in blocks(page)), page
