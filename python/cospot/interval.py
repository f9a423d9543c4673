"""A mean and its confidence interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cospot import _core


@dataclass(frozen=True)
class Interval:
    """A mean with its 95 % interval (Student's t); a single value has no interval."""

    mean: float
    low: float | None
    high: float | None

    def within(self, least: float, most: float) -> Interval:
        """Return the part of the interval that is possible, such as 0 to 1 of a share."""
        if self.low is None or self.high is None:
            return self
        return Interval(self.mean, max(self.low, least), min(self.high, most))


@dataclass(frozen=True)
class ForecastOrigin:
    """A forecast of one judged part, made when it began, and the amount that came."""

    by: str  #: "last part", "mean" or "trend"
    forecast: float
    half_width_90: float | None  #: of the 90 % interval; None before the first error is known
    last_part: float  #: the amount of the part before, by the same setting
    came: float


@dataclass(frozen=True)
class Forecast:
    """An amount of the next month, and how well such forecasts did in the judged parts."""

    next: float
    half_width_90: float | None
    by: str
    mean_error: float | None  #: as a fraction of the mean amount that came; None: of nothing
    origins: list[ForecastOrigin]


def half_width(values: Sequence[float] | Any) -> float:
    """Return half the width of the 95 % interval of the mean; NaN of fewer than two values."""
    half = _core.mean_interval(values)[1] if len(values) > 1 else None
    return float("nan") if half is None else half
