"""Estimates from observed spots: the survival curve, and eviction rates by age.

A spot counts from the age at which it was first observed (delayed entry) to its eviction, or until
its owner ended it or observation stopped (censored).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

import cospot

#: Confidence level of every interval here. It assumes independent evictions.
CONFIDENCE: Final = 0.95
#: Two-sided quantile of the normal distribution.
_Z: Final = 1.959964
#: Minimum number of observed spots at an age; beyond the first age with fewer there are no
#: estimates.
LEAST_AT_RISK: Final = 10
#: Ages at which the eviction rate may change, seconds.
AGES_S: Final = (0.0, 600.0, 3600.0, 6 * 3600.0, 86400.0, 3 * 86400.0, math.inf)
#: A group's rate shrinks towards that of the larger group with the weight of this many evictions.
_PRIOR_EVICTIONS: Final = 10.0
_MOST_TRIALS: Final = 10_000_000


@dataclass(frozen=True)
class Observation:
    """The ages (seconds) at which observation of a spot began and ended, and how it ended."""

    entry_s: float
    exit_s: float
    evicted: bool


def rate_interval(evictions: int, hours: float) -> tuple[float, float]:
    """Return the 95 % interval of a rate per hour from a Poisson count (Garwood 1936).

    The limit of the Clopper-Pearson interval for many trials.
    """
    lower, upper = cospot.eviction_interval(_MOST_TRIALS, evictions, CONFIDENCE)
    return lower * _MOST_TRIALS / hours, upper * _MOST_TRIALS / hours


@dataclass(frozen=True)
class Survival:
    """The share of spots that reach an age if their owners keep them (Kaplan and Meier).

    Attributes:
        ages_s: at which spots were evicted, ascending.
        shares: that survive each of these ages.
        variances: of the logarithms of the shares, by Greenwood's formula.
        observed_s: up to this age enough spots were observed.
        entries_s, exits_s: ages at which observation of spots began and ended, each ascending.
    """

    ages_s: npt.NDArray[np.float64]
    shares: npt.NDArray[np.float64]
    variances: npt.NDArray[np.float64]
    observed_s: float
    entries_s: npt.NDArray[np.float64]
    exits_s: npt.NDArray[np.float64]

    def at(self, age_s: float) -> tuple[float, float, float] | None:
        """Return the share that reaches an age, with its interval; None: too few got so old."""
        if age_s > self.observed_s:
            return None
        index = int(np.searchsorted(self.ages_s, age_s, side="right")) - 1
        if index < 0:
            spots = int(_at_risk(self.entries_s, self.exits_s, [age_s])[0])
            return 1.0, 1 - cospot.eviction_interval(spots, 0, CONFIDENCE)[1], 1.0
        share = float(self.shares[index])
        if share <= 0:
            return 0.0, 0.0, 1.0
        # On the scale log(-log S), so that bounds stay within 0 and 1.
        log = math.log(share)
        width = _Z * math.sqrt(float(self.variances[index])) / abs(log)
        return share, share ** math.exp(width), share ** math.exp(-width)

    def reached_by(self, share: float) -> float | None:
        """Return the age that a share of the spots reaches; None: too few were observed so long."""
        below = self.shares < share
        if not below.any():
            return None
        return float(self.ages_s[int(np.argmax(below))])


def survival_of(observations: Sequence[Observation]) -> Survival:
    """Estimate the survival curve, up to the age reached by enough spots."""
    entries = np.sort([each.entry_s for each in observations])
    exits = np.sort([each.exit_s for each in observations])
    evicted = np.array([each.exit_s for each in observations if each.evicted], np.float64)
    ages, counts = np.unique(evicted, return_counts=True)
    at_risk = _at_risk(entries, exits, ages)
    observed = _observed_s(entries, exits)
    keep = ages <= observed
    ages, counts, at_risk = ages[keep], counts[keep], at_risk[keep]
    shares = np.cumprod(1 - counts / at_risk)
    with np.errstate(divide="ignore"):
        variances = np.cumsum(counts / (at_risk * (at_risk - counts)))
    return Survival(ages, shares, variances, observed, entries, exits)


def _at_risk(
    entries: npt.NDArray[np.float64], exits: npt.NDArray[np.float64], ages: npt.ArrayLike
) -> npt.NDArray[np.int64]:
    """Return how many spots are observed at each age, including those that end at it."""
    come = np.searchsorted(entries, ages, side="left")
    # A spot observed from its start is at risk at age 0.
    come = np.maximum(come, np.searchsorted(entries, 0.0, side="right"))
    gone = np.searchsorted(exits, ages, side="left")
    return np.asarray(come - gone, np.int64)


def _observed_s(entries: npt.NDArray[np.float64], exits: npt.NDArray[np.float64]) -> float:
    """Return the first age, counted from 0, beyond which too few spots are observed."""
    few = exits[_at_risk(entries, exits, exits) < LEAST_AT_RISK]
    # Between two exits the number only grows, so the last exit counts in full.
    if not few.size:
        return float(exits[-1]) if exits.size else 0.0
    index = int(np.searchsorted(exits, few[0], side="left"))
    return float(exits[index - 1]) if index > 0 else 0.0


@dataclass
class Exposure:
    """Evictions and observed spot-hours, by age."""

    evictions: list[int] = field(default_factory=lambda: [0] * (len(AGES_S) - 1))
    hours: list[float] = field(default_factory=lambda: [0.0] * (len(AGES_S) - 1))

    def add(self, observations: Iterable[Observation]) -> None:
        """Add observations of spots."""
        for each in observations:
            for number, (young, old) in enumerate(itertools.pairwise(AGES_S)):
                inside = min(each.exit_s, old) - max(each.entry_s, young)
                if inside > 0:
                    self.hours[number] += inside / 3600
                if each.evicted and young <= each.exit_s < old:
                    self.evictions[number] += 1

    @property
    def rate(self) -> float:
        """Return evictions per hour over all ages; 0 without hours."""
        hours = sum(self.hours)
        return sum(self.evictions) / hours if hours > 0 else 0.0


class Risk:
    """The probability that a spot of a flavor is evicted soon, by its age or by the base rate.

    The base rate is the flavor's over all ages, shrunk towards that of all flavors. By age, the
    eviction rate is constant between two of `AGES_S`. The rate of a flavor at an age shrinks
    towards the rate of all flavors at that age, times the flavor's relative eviction rate.

    Args:
        of_all: the exposure of all flavors together, with evictions.
        of_flavor: that of the flavor.
    """

    def __init__(self, of_all: Exposure, of_flavor: Exposure) -> None:
        overall = of_all.rate
        flavor = _drawn(sum(of_flavor.evictions), sum(of_flavor.hours), overall)
        self._base_per_hour = flavor
        self._per_hour = []
        for number in range(len(AGES_S) - 1):
            of_age = _drawn(of_all.evictions[number], of_all.hours[number], overall)
            prior = of_age * flavor / overall
            self._per_hour.append(
                _drawn(of_flavor.evictions[number], of_flavor.hours[number], prior)
            )

    def base_within(self, seconds: float) -> float:
        """Return the probability of an eviction within some time, at any age."""
        return -math.expm1(-self._base_per_hour * seconds / 3600)

    def within(self, age_s: float, seconds: float) -> float:
        """Return the probability of an eviction within some time, at an age."""
        expected, until = 0.0, age_s + seconds
        for rate, young, old in zip(self._per_hour, AGES_S[:-1], AGES_S[1:], strict=True):
            expected += rate * max(0.0, min(until, old) - max(age_s, young)) / 3600
        return -math.expm1(-expected)


def _drawn(evictions: float, hours: float, prior: float) -> float:
    """Return a rate shrunk towards a prior one: the mean of a gamma distribution."""
    return (evictions + _PRIOR_EVICTIONS) / (hours + _PRIOR_EVICTIONS / prior)
