"""Puts the results of shards into the database of their sweep as they come.

The same checks as ``cospot merge`` makes, but row by row into a database that already exists:
at every moment it is a results database that ``--resume`` can continue.
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
        group_count: Groups of as many consecutive runs each. Shards hold whole groups.
        finished: Indices of the finished runs.
    """

    run_count: int
    group_count: int
    finished: frozenset[int]

    def finished_part(self, number: int, count: int) -> float:
        """Return how much of part ``number`` of ``count`` is finished, from 0 to 1.

        Groups are dealt to shards in turn: group g is in shard g % count + 1.
        """
        length = self.run_count // self.group_count
        runs = [
            run
            for group in range(number - 1, self.group_count, count)
            for run in range(group * length, (group + 1) * length)
        ]
        return sum(run in self.finished for run in runs) / len(runs)


def read_state(database: Path) -> SweepState:
    """Read what a sweep is and how far it has come."""
    with closing(sqlite3.connect(database)) as connection:
        run_count, groups = connection.execute(
            "SELECT run_count, group_count FROM sweep"
        ).fetchone()
        finished = frozenset(index for (index,) in connection.execute("SELECT run_index FROM run"))
    return SweepState(run_count, groups, finished)


def read_configuration(database: Path) -> dict[str, Any]:
    """Return the sweep with every default written out."""
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

    Runs that it has already are left as they are.

    Args:
        database: Of the sweep.
        shard: Of a part of it.
        version: Of the cospot that must have run it.

    Returns:
        How many runs were new.

    Raises:
        DatabaseError: The shard is of another sweep, of other workloads, of another version of
            cospot, or has another result for a run that is there.
    """
    try:
        with closing(sqlite3.connect(database, isolation_level=None)) as connection:
            connection.execute("ATTACH ? AS shard", (str(shard),))
            connection.execute("BEGIN IMMEDIATE")
            _require_same_sweep(connection, version)
            _require_same_results(connection)
            # By name: a database of an earlier format that was continued has another order.
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
        ("another sweep", "study, sha256, run_count", "sweep"),
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
    # What two runs of the same thing may differ in.
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
