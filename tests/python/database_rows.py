"""The runs of a results database, without what differs from one time to the next."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

TIMES = {"wall_ms"} | {
    f"{of}alloc_{name}_ns" for of in ("", "spot_") for name in ("p50", "p99", "max")
}


def run_rows(database: Path) -> list[tuple[Any, ...]]:
    """Return all of the runs but their times."""
    with closing(sqlite3.connect(database)) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(run)")]
        kept = ", ".join(name for name in columns if name not in TIMES)
        return connection.execute(f"SELECT {kept} FROM run").fetchall()
