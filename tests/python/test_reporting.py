"""``cospot.report``: the page of ``cospot report``."""

from __future__ import annotations

from pathlib import Path

import cospot
import pytest
from made_results import FOUR_RUNS, make_database
from programs import printed_by


def compare(database: Path, evictor: str = "FIFO") -> Path:
    """Make results of four runs."""
    study = {"workloads": [{"synthetic": "azure2020", "seed": 1, "scale": 0.001}], "otn": [1, 4]}
    policies = {"vm": ["UTIL", "COS"], "spot": "sDPD", "evictor": evictor, "saf": False}
    host = {"host": {"vcpus": 10400, "memory_mb": 2250}, "headroom_percent": 2}
    cospot.compare({**study, **policies, **host}, db=database)
    return database


def test_it_is_the_page_of_the_command(tmp_path: Path, program: Path) -> None:
    database = compare(tmp_path / "r.db")
    made = cospot.report(database, tmp_path / "ours.html", title="<Ours>")
    assert made == cospot.Report(tmp_path / "ours.html", 4, (tmp_path / "ours.html").stat().st_size)
    theirs = tmp_path / "theirs.html"
    command = [program, "report", database, "-o", theirs, "--title", "<Ours>"]
    printed_by(*command)
    assert made.path.read_bytes() == theirs.read_bytes()
    prices = {"on_demand": 0.04, "spot": 0.012}
    made = cospot.report(database, made.path, title="<Ours>", price=prices)
    command += ["--price", "on-demand=0.04", "--price", "spot=0.012"]
    printed_by(*command)
    assert made.path.read_bytes() == theirs.read_bytes()
    assert b"0.012" in made.path.read_bytes()


def test_two_databases_beside_each_other(tmp_path: Path, program: Path) -> None:
    before, after = compare(tmp_path / "a.db", "FIFO"), compare(tmp_path / "b.db", "YJF")
    made = cospot.report(after, tmp_path / "ours.html", before=before)
    assert made.runs == 8
    theirs = tmp_path / "theirs.html"
    command = [program, "report", before, after, "-o", theirs]
    printed_by(*command)
    assert made.path.read_bytes() == theirs.read_bytes()


def test_what_cannot_be_written(tmp_path: Path) -> None:
    database = make_database(tmp_path / "r.db", FOUR_RUNS)
    with pytest.raises(cospot.InputError, match="is the results database; choose another file"):
        cospot.report(database, database)
    with pytest.raises(cospot.DatabaseError, match="has none of its"):
        cospot.report(make_database(tmp_path / "none.db", [], run_count=4))
    with pytest.raises(cospot.ArgumentError, match="did you mean 'title'"):
        cospot._core._write_report([database], "x.html", titles="x")
    with pytest.raises(cospot.ConfigError, match="price is empty, expected on_demand and spot"):
        cospot.report(database, tmp_path / "x.html", price={})
    with pytest.raises(cospot.ConfigError, match="spot"):
        cospot.report(database, tmp_path / "x.html", price={"on_demand": 1})
