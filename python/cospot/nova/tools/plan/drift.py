"""Two-sample Kolmogorov-Smirnov tests of the demand: a plan's history, and a recent week.

Requests come in bursts, so thousands of requests are not thousands of independent observations, and
the standard tables of the test would call every difference significant. Instead, whole days are
permuted between the two samples: p is the share of permutations with at least the same distance.
This is valid for any dependence within a day, and for any number of ties.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import cospot

US: Final = 1_000_000
HOUR_US: Final = 3600 * US
DAY_US: Final = 24 * HOUR_US
WEEK_DAYS: Final = 7
#: Maximum number of permutations of days; all of them if there are no more.
DRAWS: Final = 9_999
_SEED: Final = 1
_AT_ONCE: Final = 500
#: Observation time of an instance; a longer life counts as ended then.
WATCHED_US: Final = DAY_US
_MINUTE_US: Final = 60 * US

Values = npt.NDArray[np.float64]
#: The values observed on each day.
Days = Sequence[Values]


@dataclass(frozen=True)
class Compared:
    """The result of a test.

    Attributes:
        distance: the maximum difference of the two distribution functions, 0 to 1.
        p: the share of permutations of days with at least this distance.
        least_p: the minimum p of samples with so few days.
        before, after: the means of the two samples.
    """

    distance: float
    p: float
    least_p: float
    before: float
    after: float


def compare(before: Days, after: Days) -> Compared | None:
    """Compare two samples; None if one is empty.

    Args:
        before: the values of each day of a plan's history.
        after: the same for recent days.
    """
    samples = [*before, *after]
    earlier, later = (np.concatenate([*each, np.empty(0)]) for each in (before, after))
    if not (earlier.size and later.size):
        return None
    points = np.unique(np.concatenate(samples))
    # For each day: the number of values at or below each point.
    counts = np.stack([np.searchsorted(np.sort(day), points, side="right") for day in samples])
    chosen = range(len(before), len(samples))
    distance = _distances(counts, [chosen])[0]
    ways = math.comb(len(samples), len(after))
    every = ways <= DRAWS
    distances = _distances(counts, _choices(len(samples), len(after), every=every))
    as_large = int(np.count_nonzero(distances >= distance - 1e-12))
    p = as_large / ways if every else (1 + as_large) / (1 + DRAWS)
    return Compared(
        float(distance), p, 1 / min(ways, 1 + DRAWS), float(earlier.mean()), float(later.mean())
    )


def _choices(days: int, count: int, *, every: bool) -> Iterator[Sequence[int]]:
    """Yield the days that count as recent."""
    if every:
        yield from itertools.combinations(range(days), count)
        return
    draws = random.Random(_SEED)
    for _ in range(DRAWS):
        yield draws.sample(range(days), count)


def _distances(counts: npt.NDArray[Any], choices: Any) -> Values:
    """Return the distance for each choice of recent days."""
    total = counts.sum(axis=0)
    found = []
    remaining = iter(choices)
    while some := list(itertools.islice(remaining, _AT_ONCE)):
        chosen = np.zeros((len(some), len(counts)))
        for row, days in enumerate(some):
            chosen[row, list(days)] = 1
        later = chosen @ counts
        earlier = total - later
        # The last point is the maximum, where all values count.
        shares = later / np.maximum(later[:, -1:], 1) - earlier / np.maximum(earlier[:, -1:], 1)
        found.append(np.abs(shares).max(axis=1))
    return np.concatenate(found)


@dataclass(frozen=True)
class Demand:
    """The demand for VMs in the last whole days of a workload's window, by day."""

    days: int
    vcpus: Days
    memory_mb: Days
    hours: Days
    per_hour: Days

    def last(self, week: int) -> Demand:
        """Return one week of it: 0 is the last."""
        end = self.days - WEEK_DAYS * week
        rows = slice(end - WEEK_DAYS, end)
        parts = (self.vcpus, self.memory_mb, self.hours, self.per_hour)
        return Demand(WEEK_DAYS, *(each[rows] for each in parts))


#: The compared measures: their title, and their names in JSON and in `Demand`.
MEASURES: Final = {
    "vcpus": "vCPUs of a VM",
    "memory_mb": "memory of a VM, MiB",
    "hours": "life of a VM, h of 24",
    "per_hour": "VMs asked for per hour",
}


def demand(workload: cospot.Workload) -> Demand:
    """Return the demand by day: in whole weeks if there is one, else in whole days.

    A week contains each weekday once; half a week more would compare different weekdays.
    """
    columns = workload.to_columns()
    days = whole_days(workload)
    window = days * DAY_US
    start = columns["start_us"] - (workload.window_us - window)
    counts = ~columns["is_spot"] & (start >= 0) & (start < window)
    start = start[counts]
    end = columns["end_us"][counts] - (workload.window_us - window)
    lived = np.minimum(np.maximum(end - start, 0), WATCHED_US) // _MINUTE_US / 60
    # Instances that came too late for full observation do not count as short-lived.
    is_watched = start + WATCHED_US <= window
    day = start // DAY_US
    hour = start // HOUR_US

    def by_day(values: npt.NDArray[Any], where: npt.NDArray[np.bool_] | None = None) -> Days:
        chosen = np.ones(day.shape, bool) if where is None else where
        return [values[(day == each) & chosen].astype(np.float64) for each in range(days)]

    per_hour = np.bincount(hour.astype(np.int64), minlength=24 * days).reshape(days, 24)
    return Demand(
        days,
        by_day(columns["vcpus"][counts]),
        by_day(columns["memory_mb"][counts]),
        by_day(lived, is_watched),
        [row.astype(np.float64) for row in per_hour],
    )


def whole_days(workload: cospot.Workload) -> int:
    """Return the number of days over which a workload's demand is compared."""
    days = int(workload.window_us // DAY_US)
    return days - days % WEEK_DAYS if days >= WEEK_DAYS else days


def compare_week(before: Demand, after: Demand) -> dict[str, Compared | None]:
    """Compare a plan's history with a recent week, measure by measure."""
    found = {}
    for name in MEASURES:
        # A day without requests has no sizes; the arrivals show that there were none.
        samples = [[day for day in getattr(each, name) if day.size] for each in (before, after)]
        found[name] = compare(*samples)
    return found
