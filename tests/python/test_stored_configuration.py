"""The configuration that a database keeps is a study file that makes the same results."""

import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from programs import printed_by
from small_studies import SMALL_STUDIES

CLI = Path(__file__).parents[1] / "cli"
#: Values of other forms: a study's file, what it says, and what it says instead.
MORE = {
    "labelled jobs": ("broker/broker.yaml", "jobs: {swf:", "jobs: {label: mine, swf:"),
    "another type": (
        "broker/broker.yaml", "alpha: 2",
        "alpha: 2\ntypes: {m1.small: {ecu: 2, memory_mb: 2000, on_demand: 0.1}}",
    ),
    "labelled traces": (
        "broker/deadline.yaml", "trace: trace.json",
        "trace: [{label: one, file: trace.json}, {label: two, file: trace.json, instances: 1,\n"
        "  quote: {up_hours: 5, down_hours: 1}}]",
    ),
    "labelled workloads": (
        "compare/sweep.yaml", "workloads: requests.csv",
        "workloads: [{label: mine, path: requests.csv}]",
    ),
    "windows": (
        "broker/deadline.yaml", "trace: trace.json",
        "trace: {file: trace.json, windows: {hours: 9.5, every_hours: 1}}",
    ),
    "synthetic trace": (
        "broker/deadline.yaml", "trace: trace.json", "trace: {synthetic: daily, seed: 3, days: 2}"
    ),
}  # fmt: skip
MEASURED = re.compile(r"^(wall|alloc|spot_alloc|refresh)_|_per_s$")
CASES = {**{name: (file, "", "") for name, file in SMALL_STUDIES.items()}, **MORE}


def compared(program: Path, file: Path) -> tuple[str, dict[str, object], list[dict[str, object]]]:
    """Return the name of a study, its configuration, and what its database holds but for times."""
    printed_by(program, "compare", file.name, "-q", "--db", "runs.db", cwd=file.parent)
    database = file.parent / "runs.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.row_factory = sqlite3.Row
        (name, text), *_ = connection.execute("SELECT study, configuration FROM sweep")
        tables = ("run", "input", "axis_value")
        found = [
            dict(row) for table in tables for row in connection.execute(f"SELECT * FROM {table}")
        ]
    rows = [{key: each for key, each in row.items() if not MEASURED.search(key)} for row in found]
    database.unlink()
    return name, json.loads(text), rows


@pytest.mark.parametrize("case", CASES)
def test_it_makes_the_same_results(program: Path, tmp_path: Path, case: str) -> None:
    path, old, new = CASES[case]
    folder, name = path.split("/")
    shutil.copytree(CLI / folder, tmp_path / "study")
    file = tmp_path / "study" / name
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new) if old else text)
    study, configuration, rows = compared(program, file)
    stored = file.with_name("stored.yaml")
    stored.write_text(json.dumps({"study": study, **configuration}))
    assert compared(program, stored) == (study, configuration, rows)
