"""Two-sample Kolmogorov-Smirnov tests of what was asked for: a plan's history, and a recent week.

Requests come in bursts, so thousands of them are no thousands of observations, and the tables of
the test would call every difference significant. So whole days are permuted between the two
samples: p is the share of permutations after which they differ as much. That holds however much the
requests of a day depend on each other, and with any number of equal values.
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
#: So many permutations of days, at most: all of them where there are no more.
DRAWS: Final = 9_999
_SEED: Final = 1
_AT_ONCE: Final = 500
#: How long an instance is looked at; who lives longer counts as if it ended then.
WATCHED_US: Final = DAY_US
_MINUTE_US: Final = 60 * US

Values = npt.NDArray[np.float64]
#: What was seen on each of some days.
Days = Sequence[Values]


@dataclass(frozen=True)
class Compared:
    """What a test says.

    Attributes:
        distance: the largest difference of the two distribution functions, 0 to 1.
        p: the share of permutations of days after which it is as large.
        least_p: no sample of so few days has a lower one.
        before, after: the means of the two samples.
    """

    distance: float
    p: float
    least_p: float
    before: float
    after: float


def compare(before: Days, after: Days) -> Compared | None:
    """Compare two samples; None where one is empty.

    Args:
        before: what was seen on each day of a plan's history.
        after: the same of recent days.
    """
    samples = [*before, *after]
    earlier, later = (np.concatenate([*each, np.empty(0)]) for each in (before, after))
    if not (earlier.size and later.size):
        return None
    points = np.unique(np.concatenate(samples))
    # Of each day: how many values are at most as large as each point.
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
    """Yield which days count as the recent ones."""
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
        # The last point is the largest value: there all are counted.
        shares = later / np.maximum(later[:, -1:], 1) - earlier / np.maximum(earlier[:, -1:], 1)
        found.append(np.abs(shares).max(axis=1))
    return np.concatenate(found)


@dataclass(frozen=True)
class Demand:
    """The VMs of a workload that were asked for in the last whole days of its window, by day."""

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


#: What is compared, for people, with how it is called in JSON and in `Demand`.
MEASURES: Final = {
    "vcpus": "vCPUs of a VM",
    "memory_mb": "memory of a VM, MiB",
    "hours": "life of a VM, h of 24",
    "per_hour": "VMs asked for per hour",
}


def demand(workload: cospot.Workload) -> Demand:
    """Return what was asked for, by day: of whole weeks where there is one, else of whole days.

    A week has each day of it once; half a one more would compare its days with others.
    """
    columns = workload.to_columns()
    days = whole_days(workload)
    window = days * DAY_US
    start = columns["start_us"] - (workload.window_us - window)
    counts = ~columns["is_spot"] & (start >= 0) & (start < window)
    start = start[counts]
    end = columns["end_us"][counts] - (workload.window_us - window)
    lived = np.minimum(np.maximum(end - start, 0), WATCHED_US) // _MINUTE_US / 60
    # Who came too late to be watched for long enough is not counted as having lived short.
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
    """Return of how many days a workload's demand is compared."""
    days = int(workload.window_us // DAY_US)
    return days - days % WEEK_DAYS if days >= WEEK_DAYS else days


def compare_week(before: Demand, after: Demand) -> dict[str, Compared | None]:
    """Compare a plan's history with a recent week, measure by measure."""
    found = {}
    for name in MEASURES:
        # A day on which nobody came says nothing of sizes; that nobody came, arrivals say.
        samples = [[day for day in getattr(each, name) if day.size] for each in (before, after)]
        found[name] = compare(*samples)
    return found
