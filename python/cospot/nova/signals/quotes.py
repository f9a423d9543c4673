"""The lifetimes that new spots could be promised now, from `cospot-nova promise`'s table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from cospot.nova.promises.asked_lifetime import lifetime_text
from cospot.nova.promises.promise_table import PromiseTable, SizeKey, slots_of
from cospot.nova.promises.table_file import TableVersion, read_version
from cospot.nova.signals.flavor_signals import FlavorSignals, Signals

#: Default of nova-scheduler's promises_max_age: it ignores older tables.
_MAX_AGE_S: Final = 86400.0


class QuoteTable:
    """The table in a file, reread when it changes. Not thread-safe.

    Args:
        path: of the file.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._seen: TableVersion | None = None

    def with_quotes(self, signals: Signals, free: Sequence[SizeKey], *, with_disk: bool) -> Signals:
        """Return the signals with quotes, or with the reason why there are none.

        Args:
            signals: without quotes.
            free: free capacity on each host that takes spots.
            with_disk: whether disk counts.
        """
        table, problem = None, ""
        try:
            self._seen = read_version(self._path, self._seen)
            table, problem = self._seen.table, self._seen.problem
        except OSError as error:
            problem = str(error.strerror)
        if table is None:
            problem = f"the table of promises cannot be read: {problem}"
        else:
            problem = _age_problem(table, signals.now)
        flavors = {
            name: _quoted(each, table, free, with_disk)
            if table is not None and not problem
            else _refused(each, problem)
            for name, each in signals.flavors.items()
        }
        return replace(signals, flavors=flavors)


def _age_problem(table: PromiseTable, now: float) -> str:
    age = now - table.observed_until
    if age <= _MAX_AGE_S:
        return ""
    return f"the history behind the table of promises ended {lifetime_text(age)} ago"


def _refused(flavor: FlavorSignals, problem: str) -> FlavorSignals:
    return replace(flavor, unknown={**flavor.unknown, "quote": problem})


def _quoted(
    flavor: FlavorSignals, table: PromiseTable, free: Iterable[SizeKey], with_disk: bool
) -> FlavorSignals:
    vcpus, memory_mb, disk_gb = flavor.size
    sized = table.for_size((vcpus, memory_mb, disk_gb if with_disk else 0))
    if sized is None:
        return _refused(flavor, "its size is in no table of promises")
    slots = sum(slots_of(sized.size, each) for each in free)
    told: dict[str, float | str | None] = {}
    for number, target in sorted(enumerate(table.targets), key=lambda each: -each[1]):
        seconds = sized.promised(slots, number)
        told[f"{1 - target:g}"] = "never" if seconds == math.inf else seconds
    return replace(flavor, quote={"slots": slots, "lives_at_least_s": told})
