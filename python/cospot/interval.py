"""A mean and its confidence interval."""

from __future__ import annotations

from dataclasses import dataclass


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
