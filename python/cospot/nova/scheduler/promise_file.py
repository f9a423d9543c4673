"""The table of promises as the scheduler reads it: again when the file has changed.

Whatever is wrong with the file, spots are placed as if nothing had been asked.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from oslo_log import log as logging

from cospot.nova.promises.asked_lifetime import lifetime_text
from cospot.nova.promises.promise_table import (
    MOST_BYTES,
    PromiseTable,
    PromiseTableError,
    table_from_text,
)

LOG = logging.getLogger(__name__)

#: What stays wrong is said again after so many seconds, if somebody asks for a lifetime.
_SAY_EVERY_SECONDS: Final = 60.0
#: How far ahead of this machine's clock the one may be that made the table, seconds.
_CLOCK_SKEW_SECONDS: Final = 300.0


@dataclass(frozen=True)
class _Seen:
    """A version of the file: what it is known by, and what is in it, or why nothing is."""

    mark: tuple[str, int, int, int]
    table: PromiseTable | None
    problem: str = ""


class PromiseFile:
    """Not for threads: its owner has a lock.

    Args:
        now: seconds since the epoch.
        clock: seconds that never go back.
    """

    def __init__(
        self,
        now: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._now = now
        self._clock = clock
        self._seen: _Seen | None = None
        self._said_at = float("-inf")

    def table(self, path: str, max_age: float) -> PromiseTable | None:
        """Return the table; None when there is none to go by, which is logged.

        Args:
            path: of the file.
            max_age: the age at which what it was made of says nothing any more, seconds.
        """
        table, problem = self.look(path, max_age)
        if problem:
            self.say(problem)
        return table

    def look(self, path: str, max_age: float) -> tuple[PromiseTable | None, str]:
        """Return the table, or None and why there is none to go by."""
        if not path:
            return None, "no file is set"
        try:
            found = os.stat(path)
            mark = (path, found.st_mtime_ns, found.st_size, found.st_ino)
            if self._seen is None or self._seen.mark != mark:
                self._seen = _read(path, mark)
        except OSError as error:
            self._seen = None
            return None, f"{path}: {error.strerror or error}"
        problem = self._seen.problem or self._age_problem(self._seen.table, max_age)
        return (None, f"{path}: {problem}") if problem else (self._seen.table, "")

    def _age_problem(self, table: PromiseTable | None, max_age: float) -> str:
        """Return why a table says nothing of now; empty when it does."""
        age = self._now() - (table.observed_until if table is not None else 0.0)
        if age > max_age:
            return (
                f"its history ended {lifetime_text(age)} ago; promises_max_age is"
                f" {lifetime_text(max_age)}; make it anew: cospot-nova promise"
            )
        if age < -_CLOCK_SKEW_SECONDS:
            return "its history ends in the future: is this clock right?"
        return ""

    def say(self, problem: str) -> None:
        """Log why lifetimes are not promised, not more often than people can read it."""
        now = self._clock()
        if now < self._said_at + _SAY_EVERY_SECONDS:
            return
        self._said_at = now
        LOG.warning(
            "cospot: lifetime_promises: %s. Nothing is promised, and no spot is refused for the"
            " lifetime that it asks for",
            problem,
        )


def _read(path: str, mark: tuple[str, int, int, int]) -> _Seen:
    if mark[2] > MOST_BYTES:
        return _Seen(mark, None, f"it has {mark[2]} bytes, expected at most {MOST_BYTES}")
    try:
        with Path(path).open("rb") as file:
            text = file.read(MOST_BYTES + 1)
        table = table_from_text(text)
    except PromiseTableError as error:
        return _Seen(mark, None, f"cannot be used: {str(error)[:200]}")
    LOG.info(
        "cospot: lifetime_promises: read %s: %d sizes of spots, targets %s",
        path,
        len(table.sizes),
        ", ".join(f"{target:g}" for target in table.targets),
    )
    return _Seen(mark, table)
