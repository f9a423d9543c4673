"""``cospot economy plan`` and ``backtest`` from Python: their JSON as dictionaries."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from cospot.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

_BAD_INPUT = 2


def plan(
    usage: str | os.PathLike[str],
    *,
    forecaster: str = "ets",
    confidences: Iterable[float] = (0.5, 0.6, 0.7, 0.8, 0.9),
    price: float = 0.7,
    **settings: object,
) -> dict[str, Any]:
    """Return how much of the capacity can be promised from now on (docs/economy.md).

    Args:
        usage: a CSV of usage over time, a workload file, or a workload spec.
        forecaster: mean, minimum, arima or ets; the last two need statsmodels.
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
    forecasters: Iterable[str] = ("mean", "minimum", "ets", "oracle"),
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

    words = [sys.executable, "-m", "cospot", "economy", command, os.fspath(usage), "--json"]
    words += ["--forecaster", joined(forecasters), "--confidence", joined(confidences)]
    words += ["--price", joined(prices)]
    for key, value in settings.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        words += ["--set", f"{key}={text}"]
    environment = {"COSPOT_PYTHON": sys.executable, **os.environ}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    if done.returncode == _BAD_INPUT:
        raise InputError(done.stderr.strip().removeprefix("cospot: "))
    done.check_returncode()
    made: dict[str, Any] = json.loads(done.stdout)
    return made
