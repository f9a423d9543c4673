"""The table of promises as the scheduler reads it: again when the file has changed.

Whatever is wrong with the file, no request waits for it longer than a moment: a thread of the
operating system reads it. Where it is broken, or does not answer, what was read before counts on;
where there is none, spots are placed as if nothing had been asked.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from cospot.nova import log as logging
from cospot.nova.promises.asked_lifetime import lifetime_text
from cospot.nova.promises.promise_table import PromiseTable
from cospot.nova.promises.table_file import TableVersion, read_version
from cospot.nova.scheduler.native_thread import start_native_thread

LOG = logging.getLogger(__name__)

#: A fault that stays is reported again after so many seconds, if somebody asks for a lifetime.
_SAY_EVERY_SECONDS: Final = 60.0
#: The clock of the table's maker may be so far ahead of this machine's, seconds.
_CLOCK_SKEW_SECONDS: Final = 300.0


#: A request waits so long for the file, once: as long as it does not answer, none waits again.
_PATIENCE_S: Final = 0.5
_PAUSE_S: Final = 0.001


@dataclass
class _Look:
    """A look at the file, by a thread of its own.

    Attributes:
        started_at: by a clock that never goes back.
        seen: what was found; the same object as before when the file is the same.
        problem: why nothing was; empty when something was.
        is_missing: there is no such file.
        took: seconds.
        is_done: set last, by that thread.
        is_taken: what was found counts.
    """

    path: str
    started_at: float
    seen: TableVersion | None
    problem: str = ""
    is_missing: bool = False
    took: float = 0.0
    is_done: bool = False
    is_taken: bool = False

    def run(self) -> None:
        """Look. Raises nothing, logs nothing."""
        began = time.monotonic()
        try:
            self.seen = read_version(self.path, self.seen)
        except FileNotFoundError as error:
            self.problem, self.is_missing = str(error.strerror or error), True
        except OSError as error:
            self.problem = str(error.strerror or error)
        except Exception as error:
            self.problem = f"{type(error).__name__}: {error}"
        finally:
            self.took = time.monotonic() - began
            self.is_done = True


class PromiseFile:
    """Not for threads: its owner has a lock.

    Args:
        now: seconds since the epoch.
        clock: seconds that never go back.
        patience: how long to wait for the file at most, seconds.
    """

    def __init__(
        self,
        now: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.monotonic,
        patience: float = _PATIENCE_S,
    ) -> None:
        self._now = now
        self._clock = clock
        self._patience = patience
        self._look: _Look | None = None
        self._seen: TableVersion | None = None
        self._good: TableVersion | None = None
        self._said_at = float("-inf")

    def table(self, path: str, max_age: float) -> PromiseTable | None:
        """Return the table; None when there is none to go by. What is wrong is logged.

        Args:
            path: of the file.
            max_age: the age at which what it was made of says nothing any more, seconds.
        """
        table, problem = self.look(path, max_age)
        if problem:
            self.say(problem, table)
        return table

    def look(self, path: str, max_age: float) -> tuple[PromiseTable | None, str]:
        """Return the table to go by, if there is one, and what is wrong with the file."""
        if not path:
            return None, "no file is set"
        problem = self._look_at(path)
        if self._good is None or self._good.mark[0] != path:
            return None, f"{path}: {problem}"
        too_old = self._age_problem(self._good.table, max_age)
        if too_old:
            return None, f"{path}: {problem or too_old}"
        return self._good.table, f"{path}: {problem}" if problem else ""

    def _look_at(self, path: str) -> str:
        """See what the file is now, as far as it answers; return what is wrong with it."""
        look = last = self._look
        if look is None or look.is_done or look.path != path:
            late = last if last is not None and last.path == path and not last.is_taken else None
            problem = self._found(late) if late is not None else ""
            look = self._look = _Look(path, self._clock(), self._seen)
            start_native_thread(look.run)
            if late is not None and late.took > self._patience:
                return problem  # it came too late for who asked, and so may this one
            until = time.monotonic() + self._patience
            while not look.is_done and time.monotonic() < until:
                time.sleep(_PAUSE_S)
        if not look.is_done:
            waited = self._clock() - look.started_at
            return f"it has not answered for {waited:.1f} s (is its file system hanging?)"
        return self._found(look)

    def _found(self, look: _Look) -> str:
        """Go by what a look has found; return what is wrong with it."""
        look.is_taken = True
        if look.problem:
            self._seen = None
            if look.is_missing:
                self._good = None
            return look.problem
        if look.seen is not self._seen and look.seen is not None:
            self._take(look.seen)
        return "" if look.seen is None else look.seen.problem

    def _take(self, seen: TableVersion) -> None:
        self._seen = seen
        if seen.table is None:
            return
        self._good = seen
        LOG.info(
            "cospot: lifetime_promises: read %s: %d sizes of spots, targets %s",
            seen.mark[0],
            len(seen.table.sizes),
            ", ".join(f"{target:g}" for target in seen.table.targets),
        )

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

    def say(self, problem: str, table: PromiseTable | None = None) -> None:
        """Log what is wrong, not more often than people can read it.

        Args:
            problem: what.
            table: that counts all the same, if there is one.
        """
        now = self._clock()
        if now < self._said_at + _SAY_EVERY_SECONDS:
            return
        self._said_at = now
        if table is None:
            LOG.warning(
                "cospot: lifetime_promises: %s. Nothing is promised, and no spot is refused for the"
                " lifetime that it asks for",
                problem,
            )
            return
        age = self._now() - table.observed_until
        LOG.warning(
            "cospot: lifetime_promises: %s. The table is stale: the one that was read before counts"
            " on, whose history ended %s ago",
            problem,
            lifetime_text(max(age, 0.0)),
        )
