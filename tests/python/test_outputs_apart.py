"""No command writes an output over one of its inputs, whatever name the output goes by."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from programs import run_program
from small_studies import FIRST_FIT, REQUESTS

STUDY = FIRST_FIT.replace("r.csv", "a.csv")
BROKER = """\
study: broker
market: [{synthetic: us_east_2011, seed: 1}]
jobs: [log.swf]
bid: mean
alpha: 2
fault_tolerance: none
billing: hourly
seed: 1
"""
COMMANDS = [
    "compare s.yaml -q --db new.db --csv s.yaml",
    "compare s.yaml -q --db new.db --csv ./a.csv",
    "compare s.yaml -q --db new.db --csv link.csv",
    "compare s.yaml -q --db a.csv --force",
    "compare s.yaml -q --db new.db --csv prices.csv --price prices.csv",
    "run s.yaml --events a.csv",
    "tune a.csv --host 10,10 --csv ./a.csv",
    "tune a.csv --host 10,10 --db a.csv --force",
    "workload sample a.csv --probability 1 -o link.csv",
    "workload convert a.csv -o ./a.csv",
    "lifetime spots a.csv -o a.csv",
    "lifetime train a.csv -o a.csv",
    "economy tasks a.csv -o a.csv",
    "broker run b.yaml --events log.swf",
    "broker run b.yaml --events b.yaml",
]


def call(program: Path, folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    return run_program(program, *command.split(), cwd=folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.csv").write_text(REQUESTS)
    (tmp_path / "link.csv").symlink_to("a.csv")
    (tmp_path / "s.yaml").write_text(STUDY)
    (tmp_path / "b.yaml").write_text(BROKER)
    (tmp_path / "log.swf").write_text("1 0 0 3600 1 -1 -1 1 -1 -1 1 1 1 1 1 -1 -1 -1\n")
    (tmp_path / "prices.csv").write_text("not a table of prices\n")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("command", COMMANDS)
def test_an_input_is_refused_as_an_output(command: str, program: Path, folder: Path) -> None:
    before = contents(folder)
    done = call(program, folder, command)
    assert done.returncode == 2, done.stderr
    assert "is an input of this run; choose another file" in done.stderr
    assert contents(folder) == before


def test_a_report_replaces_neither_its_database_nor_the_workload(
    program: Path, folder: Path
) -> None:
    assert call(program, folder, "compare s.yaml -q --db r.db").returncode == 0
    before = contents(folder)
    for output, reason in [
        ("./r.db", "is the results database"),
        ("a.csv", "is an input of this run"),
    ]:
        done = call(program, folder, f"report r.db -o {output}")
        assert (done.returncode, reason in done.stderr) == (2, True), done.stderr
    assert contents(folder) == before
    done = call(program, folder, "report r.db -o new.html")
    assert done.stdout.startswith("1 run in new.html"), done.stdout
