"""Every study of which no run is done, one run, or all but one: as a kill or a shard leaves it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from programs import printed_by, run_program
from small_studies import SMALL_STUDIES

CLI = Path(__file__).parents[1] / "cli"

#: Which runs stay, as SQL over their number.
LEFT = {"none": "0", "one": "run_index = 0", "all but one": "run_index <> {last}"}


def test_every_study_is_among_them(program: Path) -> None:
    listed = json.loads(printed_by(program, "list", "studies", "--json"))
    assert {study["name"] for study in listed["studies"]} == {*SMALL_STUDIES}


@pytest.mark.parametrize("study", SMALL_STUDIES)
def test_an_unfinished_study_is_summarised(program: Path, tmp_path: Path, study: str) -> None:
    def call(*arguments: str, code: int = 0) -> str:
        done = run_program(program, *arguments, cwd=folder)
        assert done.returncode == code, (arguments, done.returncode, done.stderr)
        return done.stdout + done.stderr

    folder = tmp_path / "study"
    case, file = SMALL_STUDIES[study].split("/")
    shutil.copytree(CLI / case, folder)
    call("compare", file, "-q", "--db", "whole.db", "--no-timeline")
    for left, kept in LEFT.items():
        shutil.copy(folder / "whole.db", folder / "left.db")
        with closing(sqlite3.connect(folder / "left.db")) as connection, connection:
            count = connection.execute("SELECT count(*) FROM run").fetchone()[0]
            connection.execute(f"DELETE FROM run WHERE NOT ({kept.format(last=count - 1)})")
            rows = connection.execute("SELECT count(*) FROM run").fetchone()[0]
        missing = f"{count - rows} of the study's {count} runs are missing"
        assert rows < count
        assert missing in call("summary", "left.db", "--csv", "left.csv"), left
        assert len((folder / "left.csv").read_text().splitlines()) == 1 + rows
        assert json.loads(call("summary", "left.db", "--json"))["runs"] == rows
        told = call("report", "left.db", "-o", "left.html", code=0 if rows else 2)
        assert rows or f"has none of its {count} runs yet" in told
        # What is missing can still be run.
        call("compare", file, "-q", "--db", "left.db", "--resume")
        assert missing not in call("summary", "left.db")


def test_a_shard_without_runs_is_summarised(program: Path, tmp_path: Path) -> None:
    shutil.copytree(CLI / "broker", tmp_path / "study")
    words = ("compare", "deadline.yaml", "--shard", "49/49")
    printed = printed_by(program, *words, cwd=tmp_path / "study")
    assert "6 of the study's 6 runs are missing" in printed
