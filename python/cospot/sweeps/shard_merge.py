"""Merges the results of shards into their sweep's database as they arrive.

Makes the same checks as ``cospot merge``, but adds rows to an existing database: at any moment it
is a results database that ``--resume`` can continue.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from cospot.errors import DatabaseError


@dataclass(frozen=True)
class SweepState:
    """The state of a sweep in its database.

    Attributes:
        run_count: Runs of the whole sweep.
        group_count: Groups of consecutive runs, all of equal size. Shards contain whole groups.
        finished: Indices of the finished runs.
    """

    run_count: int
    group_count: int
    finished: frozenset[int]

    def finished_part(self, number: int, count: int) -> float:
        """Return the finished fraction of part ``number`` of ``count``.

        Groups are assigned to shards in turn: group g is in shard g % count + 1.
        """
        length = self.run_count // self.group_count
        runs = [
            run
            for group in range(number - 1, self.group_count, count)
            for run in range(group * length, (group + 1) * length)
        ]
        return sum(run in self.finished for run in runs) / len(runs)


def read_state(database: Path) -> SweepState:
    """Read a sweep's size and progress."""
    with closing(sqlite3.connect(database)) as connection:
        run_count, groups = connection.execute(
            "SELECT run_count, group_count FROM sweep"
        ).fetchone()
        finished = frozenset(index for (index,) in connection.execute("SELECT run_index FROM run"))
    return SweepState(run_count, groups, finished)


def read_configuration(database: Path) -> dict[str, Any]:
    """Return the sweep with all defaults written out."""
    with closing(sqlite3.connect(database)) as connection:
        (text,) = connection.execute("SELECT configuration FROM sweep").fetchone()
    return cast("dict[str, Any]", json.loads(text))


def read_workloads(database: Path) -> list[tuple[str, str]]:
    """Return label and SHA-256 of every workload, in the order of the sweep."""
    with closing(sqlite3.connect(database)) as connection:
        return list(connection.execute("SELECT label, sha256 FROM input ORDER BY rowid"))


def extract_shard(database: Path, number: int, count: int) -> bytes:
    """Return the bytes of a database with the finished runs of part ``number`` of ``count``."""
    state = read_state(database)
    length = state.run_count // state.group_count
    with tempfile.NamedTemporaryFile(suffix=".db") as file:
        with (
            closing(sqlite3.connect(database)) as source,
            closing(sqlite3.connect(file.name, isolation_level=None)) as part,
        ):
            source.backup(part)
            part.execute(
                "DELETE FROM run WHERE (run_index / ?) % ? <> ?", [length, count, number - 1]
            )
            part.execute("VACUUM")
        return Path(file.name).read_bytes()


def append_shard(database: Path, shard: Path, *, version: str) -> int:
    """Copy the runs of a shard's database into the sweep's, in one transaction.

    Existing runs are left unchanged.

    Args:
        database: Of the sweep.
        shard: Of a part of it.
        version: The version of cospot that must have run it.

    Returns:
        The number of new runs.

    Raises:
        DatabaseError: The shard is from another sweep, other workloads or another version of
            cospot, or has a different result for an existing run.
    """
    try:
        with closing(sqlite3.connect(database, isolation_level=None)) as connection:
            connection.execute("ATTACH ? AS shard", (str(shard),))
            connection.execute("BEGIN IMMEDIATE")
            _require_same_sweep(connection, version)
            _require_same_results(connection)
            # By name: a continued database of an earlier format has another column order.
            names = ", ".join(_run_columns(connection))
            added = connection.execute(
                f"INSERT INTO run ({names}) SELECT {names} FROM shard.run AS new"
                " WHERE NOT EXISTS (SELECT 1 FROM main.run WHERE run_index = new.run_index)"
            ).rowcount
            connection.execute("COMMIT")
            return added
    except sqlite3.Error as error:
        raise DatabaseError(f"{database}: {error}") from error


def _require_same_sweep(connection: sqlite3.Connection, version: str) -> None:
    (found_version,) = connection.execute("SELECT version FROM shard.sweep").fetchone()
    if found_version != version:
        raise DatabaseError(f"it was run by cospot {found_version}; expected cospot {version}")
    for what, columns, table in (
        ("another study", "study, sha256, run_count", "sweep"),
        ("another version of a workload", "label, sha256", "input"),
    ):
        here, there = (
            connection.execute(f"SELECT {columns} FROM {where}.{table} ORDER BY rowid").fetchall()
            for where in ("main", "shard")
        )
        if here != there:
            found = next((row for row in there if row not in here), "nothing")
            raise DatabaseError(f"it ran {what}: found {found}, expected {here}")


def _run_columns(connection: sqlite3.Connection) -> list[str]:
    return [row[1] for row in connection.execute("PRAGMA main.table_info(run)")]


def _require_same_results(connection: sqlite3.Connection) -> None:
    # Columns in which two executions of the same run may differ.
    times = connection.execute("SELECT name FROM main.\"column\" WHERE role = 'time'")
    not_compared = {"version", *(name for (name,) in times)}
    compared = " OR ".join(
        f"old.{name} IS NOT new.{name}"
        for name in _run_columns(connection)
        if name not in not_compared
    )
    differing = connection.execute(
        "SELECT run_index FROM main.run AS old JOIN shard.run AS new USING (run_index)"
        f" WHERE {compared} LIMIT 1"
    ).fetchone()
    if differing is not None:
        raise DatabaseError(f"it has another result of run {differing[0]} than the database")
