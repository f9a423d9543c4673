"""A mean and its confidence interval."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """A mean with its 95 % interval (Student's t); a single value has no interval."""

    mean: float
    low: float | None
    high: float | None
