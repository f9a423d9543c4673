"""Forecasting methods by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cospot.errors import InputError
from cospot.extras import install_hint
from cospot.provider.economy.forecast import Forecast, NoModelError, mean_forecast

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

#: Minimum number of values for estimating a model's parameters.
_LEAST_TRAINING = 10


def _methods() -> dict[str, Callable[[NDArray[np.float64], int, int], Forecast]]:
    try:
        from cospot.provider.economy.arima import arima_forecast
        from cospot.provider.economy.ets import ets_forecast
    except ImportError as error:
        raise InputError(
            f"the forecasters arima and ets need statsmodels ({error}); "
            f"{install_hint('economy')} (Debian: python3-statsmodels); "
            "mean, minimum and oracle do without"
        ) from error
    return {"arima": arima_forecast, "ets": ets_forecast}


def forecast(method: str, training: NDArray[np.float64], horizon: int, season: int = 0) -> Forecast:
    """Forecast the next periods of a series.

    If no model can be fitted, or none converges, this is the mean forecast, with a note that says
    so.

    Args:
        method: ``arima`` or ``ets``.
        training: the series so far.
        horizon: number of periods.
        season: periods in a season, such as 7; 0: none.
    """
    methods = _methods()
    if method not in methods:
        raise InputError(f"forecaster is '{method}', expected one of: {', '.join(sorted(methods))}")
    if len(training) < _LEAST_TRAINING:
        return mean_forecast(
            training, horizon, f"{len(training)} values are too few for {method}: mean used"
        )
    if np.ptp(training) == 0:
        return mean_forecast(training, horizon, f"the series is constant: mean used, not {method}")
    try:
        made = methods[method](training, horizon, season)
    except NoModelError as error:
        return mean_forecast(training, horizon, f"{error}: mean used, not {method}")
    if np.isfinite(made.point).all() and np.isfinite(made.sigma).all():
        return made
    return mean_forecast(training, horizon, f"{made.model} diverges: mean used, not {method}")
