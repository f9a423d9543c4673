"""The skill of risk over the base rate, on held-out time.

The observed time is halved. Risk by age and flavor is learned from the first half. In the second
half it is computed for running spots at most once per hour, and compared with the following 60
minutes by the Brier score. So is the base rate, that of the flavor at all ages. The skill is 1
minus the ratio of the scores: 1 is perfect, 0 no better than the base rate. Its interval is over
folds of the second half, as in `cospot signals` (guarantees/signals/forecast_score.cpp).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from cospot.nova.signals.spot_lives import SpotLife

WITHIN_S: Final = 3600.0
_FOLDS: Final = 10
_MOST_MOMENTS: Final = 100
_MOST_SPOTS: Final = 200
#: Minimum number of evictions among the cases for a verdict.
LEAST_EVICTED: Final = 10

#: For a spot and a moment: the probability of eviction within 60 minutes.
Forecast = Callable[[SpotLife, float], float]


@dataclass(frozen=True)
class RiskScore:
    """The quality of risk.

    Attributes:
        at: when it was computed, seconds since the epoch.
        cases: spots at moments of the second half.
        evicted: cases with an eviction within 60 minutes.
        skill: over the base rate; None: too few evictions.
        half_width: of its 95 % interval.
    """

    at: float
    cases: int = 0
    evicted: int = 0
    skill: float | None = None
    half_width: float | None = None

    @property
    def is_told(self) -> bool:
        """Tell whether the skill differs significantly from 0."""
        if self.skill is None or self.half_width is None:
            return False
        return self.skill - self.half_width > 0

    def as_json(self) -> dict[str, Any]:
        """Return the object in the signals file."""
        return {
            "cases": self.cases,
            "evicted": self.evicted,
            "skill": self.skill,
            "half_width": self.half_width,
            "is_told": self.is_told,
        }


def score_risk(
    lives: Sequence[SpotLife], start: float, now: float, risk: Forecast, base: Forecast
) -> RiskScore:
    """Compare two forecasts.

    Args:
        lives: of all spots.
        start: of the second half, seconds since the epoch; observation ends now.
        now: seconds since the epoch.
        risk: learned from the time before `start`.
        base: likewise.
    """
    span = now - WITHIN_S - start
    moments = max(0, min(_MOST_MOMENTS, int(span // WITHIN_S)))
    began = np.array([math.inf if each.started_at is None else each.started_at for each in lives])
    ended = np.array([math.inf if each.over_at is None else each.over_at for each in lives])
    losses, references = [0.0] * _FOLDS, [0.0] * _FOLDS
    cases = evicted = 0
    for number in range(moments):
        moment = start + span * number / moments
        fold = number * _FOLDS // moments
        running = np.flatnonzero((began <= moment) & (ended > moment))
        step = max(1, -(-len(running) // _MOST_SPOTS))
        for life in (lives[index] for index in running[::step]):
            happened = life.over_at is not None and life.over_at < moment + WITHIN_S
            if happened and life.evicted_at is None:
                continue  # ended by its owner: whether it would have been evicted is unknown
            cases += 1
            evicted += happened
            losses[fold] += (risk(life, moment) - happened) ** 2
            references[fold] += (base(life, moment) - happened) ** 2
    if evicted < LEAST_EVICTED:
        return RiskScore(now, cases, evicted)
    from cospot._core import _forecast_skill  # if it does not load, the evictor reports that itself

    found = _forecast_skill(losses, references)
    if found is None:
        return RiskScore(now, cases, evicted)
    return RiskScore(now, cases, evicted, *found)
