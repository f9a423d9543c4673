"""The quality of predictions after the training days, compared with simple baselines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from cospot.errors import InputError
from cospot.lifetime import curves
from cospot.lifetime.ages import default_intervals
from cospot.lifetime.baselines import KaplanMeier, flavor_means, kaplan_meier_hazards
from cospot.lifetime.concordance import Concordance, count_concordance
from cospot.lifetime.model import LifetimeModel
from cospot.lifetime.spots import DEFAULT_WINDOW_DAYS, Floats, SpotTable, watched_seconds
from cospot.lifetime.survival_model import SurvivalModel

_HOUR_S = 3600.0
_DAY_S = 86400.0

HORIZONS_S = {"10 min": 600.0, "1 h": _HOUR_S, "6 h": 6 * _HOUR_S, "20 h": 20 * _HOUR_S,
              "30 h": 30 * _HOUR_S}  # fmt: skip
"""Ages at which predicted and observed survival are compared, among the spots that were requested
so early that each of them, ended or not, was watched to that age."""

_GROUPS = 5


class Predictor(Protocol):
    """Predicts lifetimes of spots."""

    def expected_rest(self, spots: SpotTable, age: Floats, limit: Floats) -> Floats:
        """Return expected remaining lives, seconds; see `curves.expected_rest`."""

    def survival(self, spots: SpotTable, age_s: float) -> Floats:
        """Return the probability of each spot to reach an age."""


@dataclass(frozen=True)
class _Learned:
    model: LifetimeModel | SurvivalModel

    def expected_rest(self, spots: SpotTable, age: Floats, limit: Floats) -> Floats:
        return self.model.expected_rest(spots, age, limit)

    def survival(self, spots: SpotTable, age_s: float) -> Floats:
        age = np.full(len(spots), age_s)
        return curves.survival_at(self.model.edges, self.model.hazards(spots), age)


@dataclass(frozen=True)
class CalibrationGroup:
    """Spots with similar predictions: a fifth of all, by predicted survival."""

    horizon: str
    spots: int
    predicted: float
    observed: float


@dataclass(frozen=True)
class Score:
    """The scores of one predictor.

    Attributes:
        name: The predictor.
        at_request: Concordance of the expected life at the request, of spots requested after the
            training days.
        running: Concordance of the expected remaining life of simultaneously running spots, at the
            start of each day after the training days: the comparison that LPML makes.
        calibration: Groups for each horizon.
        mean_rest_days: Mean expected remaining life of those running spots, to the day on which
            observation stopped.
        true_mean_rest_days: Its true value, to that day.
    """

    name: str
    at_request: Concordance
    running: Concordance
    calibration: tuple[CalibrationGroup, ...]
    mean_rest_days: float
    true_mean_rest_days: float

    @property
    def calibration_error(self) -> float:
        """Mean absolute difference of predicted and observed survival, weighted by group size.

        NaN without groups.
        """
        if not self.calibration:
            return float("nan")
        spots = np.array([group.spots for group in self.calibration])
        errors = [abs(group.predicted - group.observed) for group in self.calibration]
        return float(np.average(errors, weights=spots))


@dataclass(frozen=True)
class Evaluation:
    """Scores of a model and of the baselines on one workload.

    Attributes:
        scores: The model first.
        spots: Spots requested after the training days.
        censored: Spots of these whose end is unknown.
        observed_until: The day on which observation stopped.
    """

    scores: tuple[Score, ...]
    spots: int
    censored: int
    observed_until: float

    def text(self) -> str:
        """Return the table that ``cospot lifetime eval`` prints."""
        head = ("predictor", "C at request", "C of running", "calibration", "mean rest", "true")
        rows = [head]
        for score in self.scores:
            rows.append(
                (
                    score.name,
                    f"{score.at_request.index:.3f}",
                    f"{score.running.index:.3f}",
                    f"{score.calibration_error:.3f}",
                    f"{score.mean_rest_days:.2f} d",
                    f"{score.true_mean_rest_days:.2f} d",
                )
            )
        widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
        lines = [
            f"{row[0]:<{widths[0]}}  "
            + "  ".join(f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
            for row in rows
        ]
        first = self.scores[0]
        return (
            f"{self.spots} spots requested after the training days, {self.censored} of them alive "
            f"at day {self.observed_until:g};\n{first.at_request.pairs} pairs at request, "
            f"{first.running.pairs} pairs running at the same time.\n\n" + "\n".join(lines) + "\n\n"
            "C: share of pairs in the right order; 0.5 is chance. calibration: mean difference "
            "between\npredicted and observed survival. rest: remaining life of running spots, to "
            f"day {self.observed_until:g}.\n"
        )

    def csv(self) -> str:
        """Return predicted and observed survival of every group."""
        lines = ["predictor,horizon,group,spots,predicted_survival,observed_survival"]
        for score in self.scores:
            number = 0
            horizon = ""
            for group in score.calibration:
                number = number + 1 if group.horizon == horizon else 1
                horizon = group.horizon
                lines.append(
                    f"{score.name},{horizon},{number},{group.spots},"
                    f"{group.predicted:.6f},{group.observed:.6f}"
                )
        return "\n".join(lines) + "\n"


def _seen_life(
    spots: SpotTable, from_s: Floats, watched_s: float
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the life observed after a time, and whether it ended during observation."""
    return np.minimum(spots.ended_s, watched_s) - from_s, spots.ended_s <= watched_s


def _calibrate(
    predictor: Predictor, spots: SpotTable, watched_s: float
) -> tuple[CalibrationGroup, ...]:
    groups = []
    for name, horizon in HORIZONS_S.items():
        # Select by request time only: leaving out just the spots that still lived when observation
        # stopped, but not others of their time, would bias lifetimes downwards.
        followed = spots.select(spots.requested_s + horizon <= watched_s)
        predicted = predictor.survival(followed, horizon)
        reached = followed.lifetime_s >= horizon
        order = np.argsort(predicted, kind="stable")
        for rows in np.array_split(order, _GROUPS):
            if len(rows):
                groups.append(
                    CalibrationGroup(
                        name, len(rows), float(predicted[rows].mean()), float(reached[rows].mean())
                    )
                )
    return tuple(groups)


def _score(
    name: str,
    predictor: Predictor,
    spots: SpotTable,
    late: SpotTable,
    days: float,
    watched_s: float,
    window_days: float,
) -> Score:
    life, ended = _seen_life(late, late.requested_s, watched_s)
    zero = np.zeros(len(late))
    # One limit for all: with the remaining observation time as the limit, a later request would
    # have a shorter expected life whatever the predictor says.
    limit = np.full(len(late), watched_s - days * _DAY_S)
    expected = predictor.expected_rest(late, zero, limit)
    at_request = count_concordance(expected, life, ended)

    running = Concordance(0.0, 0)
    rests: list[Floats] = []
    truths: list[Floats] = []
    # Compare all running spots day by day, from the end of training to the end of the window.
    for day in range(int(np.ceil(days)), int(np.floor(window_days)) + 1):
        now = day * _DAY_S
        if now >= watched_s:
            break
        there = spots.select((spots.requested_s <= now) & (spots.ended_s > now))
        limit = watched_s - there.requested_s
        rest = predictor.expected_rest(there, now - there.requested_s, limit)
        true_rest, rest_ended = _seen_life(there, np.full(len(there), now), watched_s)
        running = running + count_concordance(rest, true_rest, rest_ended)
        rests.append(rest)
        truths.append(true_rest)
    return Score(
        name,
        at_request,
        running,
        _calibrate(predictor, late, watched_s),
        float(np.concatenate(rests).mean()) / _DAY_S if rests else float("nan"),
        float(np.concatenate(truths).mean()) / _DAY_S if truths else float("nan"),
    )


def evaluate(
    spots: SpotTable,
    model: LifetimeModel | SurvivalModel,
    days: float = 3.0,
    observed_until: float | None = None,
    window_days: float = DEFAULT_WINDOW_DAYS,
) -> Evaluation:
    """Compare predictions with the lifetimes of spots after the first days of the window.

    The baselines (`KaplanMeier`, `FlavorMean`) learn from the first days of the same spots.

    Args:
        spots: All spots of a workload.
        model: The model.
        days: The training days, which are excluded.
        observed_until: The day on which observation stopped: a spot that had not ended by then has
            an unknown end. Default: the latest time in `spots`.
        window_days: The day up to which running spots are compared.

    Returns:
        Scores: concordance with censoring, calibration of the survival.

    Raises:
        InputError: No spot was requested between the training days and the end of observation.
    """
    watched_s = watched_seconds(spots, observed_until)
    is_late = (spots.requested_s >= days * _DAY_S) & (spots.requested_s < watched_s)
    if not is_late.any():
        raise InputError(
            f"no spot was requested from day {days:g} to day {watched_s / _DAY_S:g}, when watching "
            "stopped: there is nothing to compare (see `days` and `observed_until`)"
        )
    late = spots.select(is_late)
    edges = default_intervals().edges
    until_s = days * _DAY_S
    predictors: dict[str, Predictor] = {
        "model": _Learned(model),
        "Kaplan-Meier": KaplanMeier(edges, kaplan_meier_hazards(spots, edges, until_s)),
        "mean of the flavor": flavor_means(spots, until_s),
    }
    return Evaluation(
        tuple(
            _score(name, predictor, spots, late, days, watched_s, window_days)
            for name, predictor in predictors.items()
        ),
        len(late),
        int((late.ended_s > watched_s).sum()),
        watched_s / _DAY_S,
    )
