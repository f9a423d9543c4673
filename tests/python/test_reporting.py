"""``cospot.report``: the page of ``cospot report``."""

from __future__ import annotations

import subprocess
from pathlib import Path

import cospot
import pytest
from made_results import FOUR_RUNS, make_database


def test_it_is_the_page_of_the_command(tmp_path: Path, program: Path) -> None:
    database = tmp_path / "r.db"
    study = {"workloads": [{"synthetic": "azure2020", "seed": 1, "scale": 0.001}], "otn": [1, 4]}
    policies = {"vm": ["UTIL", "COS"], "spot": "sDPD", "evictor": "FIFO", "saf": False}
    host = {"host": {"vcpus": 10400, "memory_mb": 2250}, "headroom_percent": 2}
    cospot.compare({**study, **policies, **host}, db=database)
    made = cospot.report(database, tmp_path / "ours.html", title="<Ours>")
    assert made == cospot.Report(tmp_path / "ours.html", 4, (tmp_path / "ours.html").stat().st_size)
    theirs = tmp_path / "theirs.html"
    command = [program, "report", database, "-o", theirs, "--title", "<Ours>"]
    subprocess.run(command, check=True, capture_output=True)
    assert made.path.read_bytes() == theirs.read_bytes()


def test_what_cannot_be_written(tmp_path: Path) -> None:
    database = make_database(tmp_path / "r.db", FOUR_RUNS)
    with pytest.raises(cospot.InputError, match="is the results database; choose another file"):
        cospot.report(database, database)
    with pytest.raises(cospot.DatabaseError, match="has none of its"):
        cospot.report(make_database(tmp_path / "none.db", [], run_count=4))
    with pytest.raises(cospot.ArgumentError, match="did you mean 'title'"):
        cospot._core._write_report(database, "x.html", titles="x")
