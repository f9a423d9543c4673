"""The survival model: Kaplan-Meier curves by spot type, with training and file format."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cospot.argument_errors import checked
from cospot.errors import ConfigError, InputError
from cospot.lifetime import curves
from cospot.lifetime.ages import AgeIntervals, default_intervals, expand, first_intervals
from cospot.lifetime.baselines import kaplan_meier_hazards
from cospot.lifetime.model_lines import ModelLines
from cospot.lifetime.spots import Floats, Integers, SpotTable, require_enough, training_spots
from cospot.values import ByContents

MAGIC = "cospot-survival-model"

# The minimum number of observed spots: at an age, for a curve to count there; in total, for a spot
# type to have its own curve. On the training data of examples/lifetime_models/ no larger share
# proved better.
LEAST_SPOTS = 20


@dataclass(frozen=True, eq=False)
class SurvivalModel(ByContents):
    """Life curves by spot type.

    Attributes:
        flavors: Shape (f, 3): the sizes with a curve of their own.
        interval_ends: Shape (k,), seconds of age.
        hazards_by_flavor: Shape (f + 1, k): the hazard of each interval; the last row is for any
            other size.
        note: Its origin, one line.
    """

    flavors: Integers
    interval_ends: Floats
    hazards_by_flavor: Floats
    note: str = ""

    @property
    def edges(self) -> Floats:
        """Edges of the intervals of age, shape (k + 1,), seconds."""
        return np.concatenate([np.zeros(1), self.interval_ends])

    def hazards(self, spots: SpotTable) -> Floats:
        """Return the hazard of each interval: shape (n, k)."""
        rows = np.full(len(spots), len(self.flavors))
        for number, known in enumerate(self.flavors):
            rows[(spots.flavors == known).all(axis=1)] = number
        result: Floats = self.hazards_by_flavor[rows]
        return result

    def expected_rest(self, spots: SpotTable, age: Floats, limit: Floats) -> Floats:
        """Return the expected remaining life in seconds; see `curves.expected_rest`."""
        return curves.expected_rest(self.edges, self.hazards(spots), age, limit)

    def text(self) -> str:
        """Return the content of the model's file; deterministic."""
        lines = [f"{MAGIC} 1"]
        if self.note:
            lines.append(f"# {self.note}")
        lines.append(f"flavors {len(self.flavors)}")
        lines += [" ".join(str(int(amount)) for amount in size) for size in self.flavors]
        lines.append(f"intervals {len(self.interval_ends)}")
        lines += [
            f"{end:.15g} " + " ".join(f"{hazard:.9g}" for hazard in hazards)
            for end, hazards in zip(self.interval_ends, self.hazards_by_flavor.T, strict=True)
        ]
        return "\n".join([*lines, "end", ""])

    def summary(self) -> str:
        """Return a text about the trained model."""
        return f"{len(self.flavors) + 1} curves, {len(self.interval_ends)} intervals of age"


def _watched(spots: SpotTable, edges: Floats, until_s: float) -> Integers:
    """Return the number of spots observed throughout each interval."""
    watched: Integers = np.bincount(
        expand(spots, edges, until_s).interval, minlength=len(edges) - 1
    )
    return watched


def _known_ages(watched: Integers, spots: int, least_share: float) -> AgeIntervals:
    """Return the contiguous intervals from 0 in which enough spots were observed."""
    intervals = default_intervals()
    is_known = watched >= max(least_share * spots, LEAST_SPOTS)
    count = len(intervals) if is_known.all() else int(np.argmin(is_known))
    return first_intervals(intervals, max(count, 1))


def _curve(spots: SpotTable, edges: Floats, until_s: float, watched: Integers) -> Floats:
    """Return hazards below 1: where all spots ended, half a spot counts as surviving.

    A curve that reaches 0 would say nothing about spots that do live longer.
    """
    hazards = kaplan_meier_hazards(spots, edges, until_s)
    capped: Floats = np.minimum(hazards, 1 - 0.5 / np.maximum(watched, 1))
    return capped


@checked
def train_survival(
    spots: SpotTable,
    days: float = 3.0,
    by: str = "flavor",
    least_share: float = 0.0,
    note: str = "",
    observed_until: float | None = None,
) -> SurvivalModel:
    """Estimate life curves from the first days of a workload.

    Spots with unknown ends (alive at the end of the training days, even if they ended later) count
    until the age at which observation ended; late entries (running at time 0) count from the age at
    which it began. A spot type's own curve applies at ages at which at least `LEAST_SPOTS` of its
    spots were observed, the curve of all spots elsewhere.

    Args:
        spots: The workload's spots. Events after the training days are ignored.
        days: Training days, from the start of the window.
        by: "flavor": a curve for each spot type with at least `LEAST_SPOTS` spots; "all": one
            curve.
        least_share: Ages are learned up to the first at which fewer than this share of the spots,
            or fewer than `LEAST_SPOTS`, were observed. Beyond it no ends are expected.
        note: Its origin, stored in the model's file.
        observed_until: The day on which observation stopped; default: the latest time in `spots`.

    Returns:
        The model.

    Raises:
        InputError: The training days exceed the observed time, or have too few spots or no ends.
        ConfigError: An argument is out of range.

    Source: Kaplan and Meier, JASA 1958.
    """
    if by not in ("flavor", "all"):
        raise ConfigError(f"by is {by!r}, expected 'flavor' or 'all'")
    if not 0 <= least_share <= 1:
        raise ConfigError(f"least_share is {least_share}, expected a number from 0 to 1")
    # A spot that ended before observation began was never at risk during it.
    is_seen = (spots.ended_s > 0) | (spots.requested_s >= 0)
    known = training_spots(spots.select(is_seen), days, observed_until)
    until_s = days * 86400.0
    periods = expand(known, default_intervals().edges, until_s)
    require_enough(known, days, int(periods.ended.sum()), len(periods.ended), LEAST_SPOTS)
    watched = np.bincount(periods.interval, minlength=len(default_intervals()))
    intervals = _known_ages(watched, len(known), least_share)
    edges, count = intervals.edges, len(intervals)
    of_all = _curve(known, edges, until_s, watched[:count])
    sizes, counts = np.unique(known.flavors, axis=0, return_counts=True)
    sizes = sizes[counts >= LEAST_SPOTS] if by == "flavor" else sizes[:0]
    rows = []
    for size in sizes:
        own = known.select((known.flavors == size).all(axis=1))
        own_watched = _watched(own, edges, until_s)
        curve = _curve(own, edges, until_s, own_watched)
        rows.append(np.where(own_watched >= LEAST_SPOTS, curve, of_all))
    return SurvivalModel(sizes, edges[1:], np.array([*rows, of_all]), note)


@checked
def parse_survival_model(text: str, name: str) -> SurvivalModel:
    """Parse a model file's text.

    Args:
        text: Content of the file.
        name: Its name in errors.

    Raises:
        InputError: The text is not a model of this version.
    """
    lines = ModelLines(text, name)
    if lines.take(MAGIC, 1) != ["1"]:
        raise InputError(f"{name}:1: another version, expected version 1")
    flavors = [lines.numbers("", 3) for _ in range(lines.count("flavors"))]
    count = lines.count("intervals")
    rows = np.array([lines.numbers("", len(flavors) + 2) for _ in range(count)])
    lines.take("end", 0)
    return SurvivalModel(
        np.array(flavors, dtype=np.int64).reshape(-1, 3), rows[:, 0], rows[:, 1:].T
    )
