"""Results whose rows are not those of their sweep, study files that are none, a full disk."""

from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from cospot import load_results
from cospot.errors import DatabaseError
from programs import run_program
from waiting import stored_runs, wait_until

STUDY = "study: deadline\ntrace: [{synthetic: bursty, seed: 7, days: 30}]\nduration_hours: 48\n"


def call(program: Path, folder: Path, command: str) -> tuple[int, str]:
    done = run_program(program, *command.split(), cwd=folder)
    return done.returncode, done.stderr


def test_rows_of_another_sweep_are_neither_summarised_nor_continued(
    program: Path, tmp_path: Path
) -> None:
    (tmp_path / "s.yaml").write_text(STUDY + "deadline_hours: [52, 70]\n")
    assert call(program, tmp_path, "compare s.yaml -q --db r.db")[0] == 0
    with closing(sqlite3.connect(tmp_path / "r.db")) as connection:
        connection.execute("UPDATE run SET deadline_hours = 60 WHERE run_index = 1")
        connection.commit()
    for command in (
        "summary r.db",
        "compare s.yaml -q --db r.db --resume",
        "report r.db",
        "merge all.db r.db",
    ):
        code, error = call(program, tmp_path, command)
        assert (code, "is not what the study in it has there" in error) == (2, True), error
    assert not (tmp_path / "all.db").exists()


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("ALTER TABLE run RENAME TO old; CREATE VIEW run AS SELECT * FROM old", "view 'run'"),
        (
            "DROP TABLE sweep; CREATE VIEW Sweep AS WITH RECURSIVE n(i) AS"
            " (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
            "view 'Sweep'",
        ),
        ("DROP TABLE input; CREATE VIRTUAL TABLE input USING fts5(a)", "virtual table 'input'"),
        (
            "CREATE TRIGGER t AFTER INSERT ON run BEGIN UPDATE run SET version = 'x'; END",
            "trigger 't'",
        ),
        (
            "UPDATE \"column\" SET name = 'a); DROP TABLE run; --' WHERE rowid = 1",
            "column 'a); DROP",
        ),
        ("INSERT INTO axis_value SELECT 'x', 0, 'x', 1, '1', '1', 0", "the axes of its study"),
    ],
)
def test_what_only_looks_like_results_is_refused(
    program: Path, tmp_path: Path, change: str, found: str
) -> None:
    (tmp_path / "s.yaml").write_text(STUDY + "deadline_hours: 52\n")
    assert call(program, tmp_path, "compare s.yaml -q --db r.db")[0] == 0
    with closing(sqlite3.connect(tmp_path / "r.db")) as connection:
        connection.executescript(change)
    content = (tmp_path / "r.db").read_bytes()
    for command in (
        "summary r.db",
        "merge all.db r.db",
        "report r.db",
        "compare s.yaml -q --db r.db --resume",
    ):
        if "axes" in found and "resume" in command:
            continue  # has the axes of its file
        code, error = call(program, tmp_path, command)
        assert (code, found in error) == (2, True), (command, error)
    assert (tmp_path / "r.db").read_bytes() == content
    assert not (tmp_path / "all.db").exists()
    if "column" not in found and "axes" not in found:
        with pytest.raises(DatabaseError, match="expected the tables of a results database alone"):
            load_results(tmp_path / "r.db")


def test_the_views_of_a_database_reach_no_other_file(program: Path, tmp_path: Path) -> None:
    """What merge takes over from a database is SQL; nothing in it opens a second one."""
    (tmp_path / "s.yaml").write_text(STUDY + "deadline_hours: 52\n")
    assert call(program, tmp_path, "compare s.yaml -q --db r.db")[0] == 0
    with closing(sqlite3.connect(tmp_path / "r.db")) as connection:
        connection.execute("CREATE VIEW extra AS SELECT 1 AS one")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_schema SET sql = sql || ? WHERE name = 'extra'",
            (f"; ATTACH '{tmp_path}/reached' AS r; CREATE TABLE r.t (a)",),
        )
        connection.commit()
    call(program, tmp_path, "merge all.db r.db")
    assert not (tmp_path / "reached").exists()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE sweep SET run_count = 1e308", "run_count is 9223372036854775807, expected"),
        ("UPDATE sweep SET run_count = -1", "run_count is -1, expected"),
        ("UPDATE sweep SET group_count = 4611686018427387904", "group_count is 46116860184273"),
        ('UPDATE "column" SET decimals = 2000000000', "decimals is 2000000000, expected"),
    ],
)
def test_numbers_that_a_database_states_of_itself_are_bounded(
    program: Path, tmp_path: Path, change: str, told: str
) -> None:
    (tmp_path / "s.yaml").write_text(STUDY + "deadline_hours: [52, 70]\n")
    assert call(program, tmp_path, "compare s.yaml -q --db r.db")[0] == 0
    with closing(sqlite3.connect(tmp_path / "r.db")) as connection, connection:
        connection.execute(change)
    commands = ("summary r.db", "summary r.db --csv s.csv", "report r.db", "merge m.db r.db")
    for command in (*commands, "compare s.yaml -q --db r.db --resume"):
        code, error = call(program, tmp_path, command)
        assert (code, told in error) == (2, True), (command, error)


def test_a_damaged_database_is_told_with_what_to_do(program: Path, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(STUDY + "deadline_hours: 52\n")
    assert call(program, tmp_path, "compare s.yaml -q --db r.db")[0] == 0
    (tmp_path / "cut.db").write_bytes((tmp_path / "r.db").read_bytes()[:5000])
    code, error = call(program, tmp_path, "compare s.yaml -q --db cut.db --force")
    assert (code, "delete it, or choose another file" in error) == (2, True), error


def test_a_wrong_study_file_is_not_echoed_as_a_whole(program: Path, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("workload,vm,spot\n" + "a.csv,UTIL,sDPD\n" * 1000)
    code, error = call(program, tmp_path, "compare r.csv")
    assert (code, len(error) < 600) == (2, True), error


def test_a_list_that_cannot_be_written_is_bad_input(program: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([program, "list"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, b"standard output cannot be written" in done.stderr) == (2, True)


def test_a_sweep_whose_database_was_replaced_stops(program: Path, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(STUDY + "deadline_hours: 52\n")
    seeds = ", ".join(f"{{synthetic: azure2020, seed: {i}, scale: 0.002}}" for i in range(1, 41))
    # Many runs: on a busy machine too it is not done before the other begins.
    (tmp_path / "long.yaml").write_text(
        f"workloads: [{seeds}]\nhost: {{vcpus: 10400, memory_mb: 2250}}\nheadroom_percent: [0, 2]\n"
        "vm: [COS, DPD]\nspot: sDPD\nevictor: FIFO\nsaf: [false, true]\n"
        f"otn: {list(range(1, 101))}\n"
    )
    command = [program, "compare", "long.yaml", "-q", "-j1", "--db", "r.db"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as first:
        wait_until(lambda: stored_runs(tmp_path / "r.db") or first.poll() is not None, "a run")
        assert call(program, tmp_path, "compare s.yaml -q --db r.db --force") == (0, "")
        error = first.communicate()[1]
    assert (first.returncode, "another process has replaced the study" in error) == (2, True), error
    assert call(program, tmp_path, "summary r.db")[0] == 0
