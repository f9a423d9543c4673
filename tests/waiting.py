"""How tests wait: for the thing itself, and far longer than a busy machine needs."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

#: The longest that anything takes, on a machine with other work. A deletion that Nova lost is
#: ordered again after the evictor's `deletion_timeout`, 120 s, and is no failure.
PATIENCE_S = 300.0
Found = TypeVar("Found")


def wait_until(
    condition: Callable[[], Found], what: str | Callable[[], str] = "the condition"
) -> Found:
    """Return what `condition` returns as soon as that is true.

    A pause is a tenth of the wait so far, from 0.01 to 1 s: the processes that are waited for
    share the processors with this one.

    Raises:
        TimeoutError: it was not within PATIENCE_S; `what` (a function is asked then) says what.
    """
    began = time.monotonic()
    while not (found := condition()):
        waited = time.monotonic() - began
        if waited > PATIENCE_S:
            raise TimeoutError(f"not within {PATIENCE_S:g} s: {what() if callable(what) else what}")
        time.sleep(min(max(0.01, waited / 10), 1.0))
    return found


def written_records(path: Path, after: int = 0) -> list[dict[str, Any]]:
    """Return the records of a log that may be written to, after so many bytes of it.

    A line at the border of a page is there in two steps: one without its end is not there yet.
    """
    if not path.exists():
        return []
    data = path.read_bytes()[after:]
    return [json.loads(line) for line in data[: data.rfind(b"\n") + 1].splitlines()]


def stored_runs(database: Path) -> int:
    """Return how many runs a study that is under way has stored; 0 before its tables are there."""
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM run").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
