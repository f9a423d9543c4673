"""``cospot economy plan`` and ``backtest`` from Python: their JSON as dictionaries."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from cospot.json_command import read_json

if TYPE_CHECKING:
    from collections.abc import Iterable


def plan(
    usage: str | os.PathLike[str],
    *,
    forecaster: str = "ses",
    confidences: Iterable[float] = (0.5, 0.6, 0.7, 0.8, 0.9),
    price: float = 0.7,
    **settings: object,
) -> dict[str, Any]:
    """Return how much of the capacity can be promised from now on (docs/economy.md).

    Args:
        usage: a CSV of usage over time, a workload file, or a workload spec.
        forecaster: ses, mean, minimum, arima or ets; the last two need statsmodels.
        confidences: that the slack is not lower; 0: no interval.
        price: of the Economy class; on-demand is 1.
        settings: keys of the study ``economy``, such as ``horizon_days=30``.

    Raises:
        InputError: what is given cannot be used.
    """
    return _run("plan", usage, [forecaster], confidences, [price], settings)


def backtest(
    usage: str | os.PathLike[str],
    *,
    forecasters: Iterable[str] = ("ses", "mean", "minimum", "oracle"),
    confidences: Iterable[float] = (0.5, 0.6, 0.7, 0.8, 0.9),
    prices: Iterable[float] = (0.7,),
    **settings: object,
) -> dict[str, Any]:
    """Return what promises made in the past would have come to; arguments as for :func:`plan`."""
    return _run("backtest", usage, forecasters, confidences, prices, settings)


def _run(
    command: str,
    usage: str | os.PathLike[str],
    forecasters: Iterable[str],
    confidences: Iterable[float],
    prices: Iterable[float],
    settings: dict[str, object],
) -> dict[str, Any]:
    def joined(values: Iterable[object]) -> str:
        return ",".join(str(value) for value in values)

    words = ["economy", command, os.fspath(usage)]
    words += ["--forecaster", joined(forecasters), "--confidence", joined(confidences)]
    words += ["--price", joined(prices)]
    return read_json(words, settings)
