"""Baselines that a learned model must beat: predictions without a network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cospot.lifetime import curves
from cospot.lifetime.spots import Floats, Integers, SpotTable


def kaplan_meier_hazards(spots: SpotTable, edges: Floats, until_s: float) -> Floats:
    """Estimate the hazard of each age interval from all spots together.

    The product-limit estimate with unknown ends (alive at `until_s`) and late entries (running at
    time 0), evaluated at the edges. Beyond the last age at which any spot was observed, hazards are
    0.

    Args:
        spots: The spots; events after `until_s` are ignored.
        edges: Edges of k intervals, seconds, from 0.
        until_s: End of observation.

    Returns:
        Hazards, shape (k,).

    Source: Kaplan and Meier, JASA 1958.
    """
    known = spots.select(spots.requested_s < until_s)
    entry = np.sort(np.maximum(-known.requested_s, 0.0))
    is_end = known.ended_s <= until_s
    exit_age = np.minimum(known.ended_s, until_s) - known.requested_s
    ages, ends = np.unique(exit_age[is_end], return_counts=True)
    # At risk at an age: entered before it (or at it, for lifetimes of 0) and not left before it.
    entered: Integers = np.asarray(np.searchsorted(entry, ages, side="left"))
    entered = np.where(ages == 0, np.searchsorted(entry, 0.0, side="right"), entered)
    left = np.searchsorted(np.sort(exit_age), ages, side="left")
    factors = 1 - ends / np.maximum(entered - left, ends)
    # An end at an edge belongs to the interval after it.
    interval: Integers = np.asarray(np.searchsorted(edges, ages, side="right")) - 1
    inside = interval < len(edges) - 1
    staying = np.ones(len(edges) - 1)
    # Compute interval by interval: after an age that no spot survived, others may still be
    # observed.
    np.multiply.at(staying, interval[inside], factors[inside])
    hazards: Floats = 1 - staying
    return hazards


@dataclass(frozen=True)
class KaplanMeier:
    """Every spot has the same life curve."""

    edges: Floats
    hazards: Floats

    def expected_rest(self, spots: SpotTable, age: Floats, limit: Floats) -> Floats:
        """Return the expected remaining life, seconds; see `curves.expected_rest`."""
        return curves.expected_rest(self.edges, self._rows(len(spots)), age, limit)

    def survival(self, spots: SpotTable, age_s: float) -> Floats:
        """Return the probability of reaching an age, shape (n,)."""
        age = np.full(len(spots), age_s)
        return curves.survival_at(self.edges, self._rows(len(spots)), age)

    def _rows(self, count: int) -> Floats:
        return np.broadcast_to(self.hazards, (count, len(self.hazards)))


@dataclass(frozen=True)
class FlavorMean:
    """Predicts the mean lifetime of the ended spots of the same size.

    This is what a first script would do. It ignores spots that still run, so its predictions are
    too low.
    """

    means: dict[tuple[int, ...], float]
    overall: float

    def lifetime(self, spots: SpotTable) -> Floats:
        """Return the mean lifetime of each spot's size, seconds, shape (n,)."""
        return np.array([self.means.get(tuple(size), self.overall) for size in spots.flavors])

    def expected_rest(self, spots: SpotTable, age: Floats, limit: Floats) -> Floats:
        """Return the rest of the mean, seconds, up to the limit."""
        return np.clip(np.minimum(self.lifetime(spots), limit) - age, 0.0, None)

    def survival(self, spots: SpotTable, age_s: float) -> Floats:
        """Return 1 for spots whose mean is beyond an age, else 0."""
        return (self.lifetime(spots) > age_s).astype(np.float64)


def flavor_means(spots: SpotTable, until_s: float) -> FlavorMean:
    """Average the lifetimes that ended by `until_s`, by size."""
    ended = spots.select(spots.ended_s <= until_s)
    sizes, which = np.unique(ended.flavors, axis=0, return_inverse=True)
    sums = np.bincount(which.reshape(-1), weights=ended.lifetime_s, minlength=len(sizes))
    counts = np.bincount(which.reshape(-1), minlength=len(sizes))
    means = {tuple(size): float(mean) for size, mean in zip(sizes, sums / counts, strict=True)}
    overall = float(ended.lifetime_s.mean()) if len(ended) else 0.0
    return FlavorMean(means, overall)
