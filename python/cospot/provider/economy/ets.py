"""Exponential smoothing: the model of least AIC, chosen as in R's ``forecast::ets``."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from statsmodels.tsa.exponential_smoothing.ets import ETSModel

from cospot.provider.economy.forecast import Forecast, NoModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Number of simulated paths, and their seed, for a model without a closed formula for the error.
_PATHS = 2000
_SEED = 1


@dataclass(frozen=True)
class _Form:
    """The error, trend and season of a model: ``add``, ``mul`` or none."""

    error: str
    trend: str | None
    damped: bool
    seasonal: str | None

    @property
    def name(self) -> str:
        letters = {"add": "A", "mul": "M", None: "N"}
        trend = letters[self.trend] + ("d" if self.damped else "")
        return f"ETS({letters[self.error]};{trend};{letters[self.seasonal]})"


def _forms(training: NDArray[np.float64], season: int) -> list[_Form]:
    """Return the candidates; multiplicative ones only for a series of positive values."""
    positive = bool((training > 0).all())
    trends: list[tuple[str | None, bool]] = [(None, False), ("add", False), ("add", True)]
    seasons: list[str | None] = [None]
    if season > 1 and len(training) >= 2 * season:
        seasons += ["add", "mul"] if positive else ["add"]
    forms = []
    for error, (trend, damped), seasonal in itertools.product(("add", "mul"), trends, seasons):
        if error == "mul" and not positive:
            continue
        if error == "add" and seasonal == "mul":
            continue  # numerically unstable, excluded as in R
        forms.append(_Form(error, trend, damped, seasonal))
    return forms


def _fit(training: NDArray[np.float64], form: _Form, season: int) -> Any:
    """Return the fitted model, or None if it does not converge."""
    model = ETSModel(
        pd.Series(training),
        error=form.error,
        trend=form.trend,
        damped_trend=form.damped,
        seasonal=form.seasonal,
        seasonal_periods=season if form.seasonal else None,
    )
    try:
        fitted = model.fit(disp=False)
    except (ValueError, ArithmeticError, np.linalg.LinAlgError):
        return None
    retvals = fitted.mle_retvals
    converged = bool(retvals.get("converged", True)) if isinstance(retvals, dict) else True
    return fitted if converged and np.isfinite(fitted.aic) else None


def _sigma(fitted: Any, form: _Form, horizon: int) -> NDArray[np.float64]:
    """Return the standard deviation of the error: by Hyndman's formula, or simulated."""
    if form.error == "add" and form.seasonal != "mul":
        count = len(fitted.model.endog)
        prediction = fitted.get_prediction(start=count, end=count + horizon - 1)
        variance: NDArray[np.float64] = np.asarray(prediction.forecast_variance, dtype=float)
        return np.sqrt(variance)
    paths = fitted.simulate(horizon, anchor="end", repetitions=_PATHS, random_state=_SEED)
    simulated: NDArray[np.float64] = np.asarray(paths, dtype=float)
    return np.asarray(np.std(simulated, axis=1, ddof=1))


def ets_forecast(training: NDArray[np.float64], horizon: int, season: int = 0) -> Forecast:
    """Forecast by the model of least AIC among those that converge; ties: the first."""
    best: Any = None
    best_form: _Form | None = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # for models that do not converge, which are skipped
        for form in _forms(training, season):
            fitted = _fit(training, form, season)
            if fitted is not None and (best is None or fitted.aic < best.aic):
                best, best_form = fitted, form
        if best is None or best_form is None:
            raise NoModelError("no model of exponential smoothing converges")
        point = np.asarray(best.forecast(horizon), dtype=float)
        return Forecast(point, _sigma(best, best_form, horizon), best_form.name)
