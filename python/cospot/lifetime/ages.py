"""Age intervals: the grid on which hazards are discrete, and the intervals observed of each spot.

A hazard is the probability that a spot that reaches an interval ends in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cospot.lifetime.spots import Floats, Integers, SpotTable

_MINUTE = 60.0
_HOUR = 3600.0
_DAY = 86400.0

# (until, width) in seconds. Narrow where many spots end: in the first minutes, and around one day.
# At most a day wide, so that three days of training contain whole intervals of old spots. They
# extend to day 120: the oldest spot of a 14-day window, if requested inside it, is 104 days old at
# day 90.
_SEGMENTS = (
    (10 * _MINUTE, _MINUTE),
    (1 * _HOUR, 5 * _MINUTE),
    (6 * _HOUR, 30 * _MINUTE),
    (2 * _DAY, 1 * _HOUR),
    (4 * _DAY, 6 * _HOUR),
    (14 * _DAY, 12 * _HOUR),
    (120 * _DAY, 1 * _DAY),
)


@dataclass(frozen=True)
class AgeIntervals:
    """Consecutive intervals of age.

    Attributes:
        edges: Shape (k + 1,), seconds, from 0: boundaries of the intervals.
        segment: Shape (k,): intervals in one segment have the same width.
    """

    edges: Floats
    segment: Integers

    def __len__(self) -> int:
        return len(self.segment)


def first_intervals(intervals: AgeIntervals, count: int) -> AgeIntervals:
    """Return the first `count` intervals."""
    return AgeIntervals(intervals.edges[: count + 1], intervals.segment[:count])


def default_intervals() -> AgeIntervals:
    """Return the intervals that ``cospot lifetime train`` uses."""
    edges = [np.zeros(1)]
    segments = []
    start = 0.0
    for number, (until, width) in enumerate(_SEGMENTS):
        count = round((until - start) / width)
        edges.append(start + width * np.arange(1, count + 1))
        segments.append(np.full(count, number))
        start = until
    return AgeIntervals(np.concatenate(edges), np.concatenate(segments))


@dataclass(frozen=True)
class PersonPeriods:
    """One row for each observed interval of each spot ("person-period" data).

    Attributes:
        spot: Shape (m,): the spot's row in its table.
        interval: Shape (m,): the interval.
        ended: Shape (m,): 1 if the spot ended in it, 0 if it survived it.
    """

    spot: Integers
    interval: Integers
    ended: Integers


def expand(spots: SpotTable, edges: Floats, until_s: float, from_s: float = 0.0) -> PersonPeriods:
    """List the fully observed age intervals of each spot, and whether it ended in them.

    Observation lasts from `from_s` to `until_s`. A spot that is already running at `from_s` is
    included only because it survived until then (left truncation), so intervals that began earlier
    are left out. A spot that still runs at `until_s` has an unknown end (right censoring) and
    counts as surviving. The interval that contains `until_s` is left out whether the spot ended
    earlier in it or not: keeping only the spots that ended would bias lifetimes downwards.

    Args:
        spots: n spots; events after `until_s` are ignored.
        edges: Edges of k intervals, seconds, from 0.
        until_s: End of observation, seconds since window start.
        from_s: Start of observation.

    Returns:
        The rows, by spot, then by interval.
    """
    entry_age = np.maximum(from_s - spots.requested_s, 0.0)
    first = np.searchsorted(edges, entry_age, side="left")
    # The number of intervals that would be fully observed if the spot lived on.
    watched = np.searchsorted(edges, until_s - spots.requested_s, side="right") - 1
    lifetime = np.where(spots.ended_s <= until_s, spots.lifetime_s, np.inf)
    died_in = np.where(
        np.isfinite(lifetime), np.searchsorted(edges, lifetime, side="right") - 1, len(edges)
    )
    last = np.minimum(watched, died_in + 1)  # one past the last interval
    counts = np.maximum(last - first, 0)
    spot = np.repeat(np.arange(len(spots)), counts)
    offset = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    interval = first[spot] + offset
    return PersonPeriods(spot, interval, (interval == died_in[spot]).astype(np.int64))
