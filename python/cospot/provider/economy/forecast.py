"""Forecasts, and the one that needs no model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Forecast:
    """A value for each of the next periods, and the standard deviation of its error."""

    point: NDArray[np.float64]
    sigma: NDArray[np.float64]
    model: str  #: the chosen model, such as ``ARIMA(1;1;0)``
    note: str = ""  #: why it is not the requested method


class NoModelError(Exception):
    """No model of a method can be fitted to a series; the text says why."""


def mean_forecast(training: NDArray[np.float64], horizon: int, note: str) -> Forecast:
    """Return the mean and standard deviation of the training series, for every period."""
    sigma = float(np.std(training, ddof=1)) if len(training) > 1 else 0.0
    return Forecast(
        np.full(horizon, float(np.mean(training))), np.full(horizon, sigma), "mean", note
    )
