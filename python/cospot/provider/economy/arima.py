"""ARIMA: orders of least AIC, by the stepwise search of R's ``forecast::auto.arima``."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from statsmodels.tsa.arima.model import ARIMA
from statsmodels.tsa.stattools import kpss

from cospot.provider.economy.forecast import Forecast, NoModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Order = tuple[int, int]

_MOST_DIFFERENCES = 2
_MOST_TERMS = 5
_SIGNIFICANCE = 0.05


def _differences(training: NDArray[np.float64]) -> int:
    """Return how often to difference a series until it passes as stationary (KPSS test)."""
    for differences in range(_MOST_DIFFERENCES):
        values = np.diff(training, n=differences)
        if np.ptp(values) == 0 or kpss(values, regression="c", nlags="auto")[1] >= _SIGNIFICANCE:
            return differences
    return _MOST_DIFFERENCES


class _Search:
    """Fits models with a given degree of differencing and keeps the best."""

    def __init__(self, training: NDArray[np.float64], differences: int, season: int) -> None:
        self._training = training
        self.differences = differences
        # A constant of the differenced series; none after two differences, as in R.
        self._trend = {0: "c", 1: "t"}.get(differences, "n")
        self._seasonal = (1, 0, 0, season) if season > 1 else (0, 0, 0, 0)
        self._tried: set[Order] = set()
        self.best: Any = None
        self.order: Order = (0, 0)

    def try_order(self, order: Order) -> bool:
        """Fit a model; tell whether it is the best so far."""
        if order in self._tried or not all(0 <= terms <= _MOST_TERMS for terms in order):
            return False
        self._tried.add(order)
        ar, ma = order
        try:
            fitted = ARIMA(
                self._training,
                order=(ar, self.differences, ma),
                seasonal_order=self._seasonal,
                trend=self._trend,
            ).fit()
        except (ValueError, ArithmeticError, np.linalg.LinAlgError):
            return False
        if not fitted.mle_retvals.get("converged", True) or not np.isfinite(fitted.aic):
            return False
        if self.best is not None and fitted.aic >= self.best.aic:
            return False
        self.best, self.order = fitted, order
        return True

    def run(self) -> None:
        """Start at four orders, then step to better neighbours (Hyndman and Khandakar, 2008)."""
        for order in ((2, 2), (0, 0), (1, 0), (0, 1)):
            self.try_order(order)
        improved = self.best is not None
        while improved:
            ar, ma = self.order
            steps = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (1, 1))
            improved = any(self.try_order((ar + p, ma + q)) for p, q in steps)


def arima_forecast(training: NDArray[np.float64], horizon: int, season: int = 0) -> Forecast:
    """Forecast with the model found by the search, with errors by Box and Jenkins's formula."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # for models that do not converge, which are skipped
        search = _Search(training, _differences(training), season)
        search.run()
        if search.best is None:
            raise NoModelError("no ARIMA model converges")
        made = search.best.get_forecast(horizon)
    ar, ma = search.order
    name = f"ARIMA({ar};{search.differences};{ma})"
    if season > 1:
        name += f"(1;0;0)[{season}]"
    return Forecast(
        np.asarray(made.predicted_mean, dtype=float), np.asarray(made.se_mean, dtype=float), name
    )
