"""Intervals of age: the grid on which hazards are discrete, and which of its intervals a spot saw.

A hazard is the chance that a spot that has reached an interval ends in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cospot.lifetime.spots import Floats, Integers, SpotTable

_MINUTE = 60.0
_HOUR = 3600.0
_DAY = 86400.0

# (until, width) in seconds. Narrow where many spots end: within minutes, and around a day. No
# wider than a day, so that three days of training see whole intervals of old spots, too. Until day
# 120: the oldest spot of a 14-day window at day 90 is 104 days old, if it came inside the window.
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
        edges: Shape (k + 1,), seconds, from 0: where intervals start and end.
        segment: Shape (k,): intervals of one segment have the same width.
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
    """One row for each interval that was seen of each spot ("person-period" data).

    Attributes:
        spot: Shape (m,): the spot's row in its table.
        interval: Shape (m,): the interval.
        ended: Shape (m,): 1 when the spot ended in it, 0 when it survived it.
    """

    spot: Integers
    interval: Integers
    ended: Integers


def expand(spots: SpotTable, edges: Floats, until_s: float, from_s: float = 0.0) -> PersonPeriods:
    """List the intervals of age that were watched as a whole, and whether the spot ended in them.

    Watching starts at `from_s` and ends at `until_s`. A spot that was already running at `from_s`
    is there only because it had survived until then (left truncation), so it tells nothing of the
    intervals that began before. A spot that still runs at `until_s` has an unknown end (right
    censoring) and tells that it survived. An interval of which `until_s` lies inside is left out
    whether the spot ended before or not: to keep only those that ended would make lives look
    shorter than they are.

    Args:
        spots: n spots; what happened after `until_s` is not looked at.
        edges: Edges of k intervals, seconds, from 0.
        until_s: End of watching, seconds since window start.
        from_s: Start of watching.

    Returns:
        The rows, by spot, then by interval.
    """
    entry_age = np.maximum(from_s - spots.requested_s, 0.0)
    first = np.searchsorted(edges, entry_age, side="left")
    # The number of intervals whose end was reached before watching ended, had the spot lived on.
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
