"""Figures 6 to 9 of the paper, drawn of the usage at hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd
from cospot.plots.style import new_figure
from cospot.provider.economy import Backtest
from economy_class.findings import Reports
from matplotlib.axes import Axes
from reproduction.page import Drawing

_FORECASTERS = ("mean", "minimum", "arima", "ets")
_WIDTH, _HEIGHT = 2.6, 2.2
_DAY_S = 86400


def drawings(
    reports: Reports, usage: Mapping[str, Path], horizons: Mapping[str, int]
) -> Iterator[Drawing]:
    """Draw the figures one by one.

    Args:
        reports: Backtests by the name of their usage.
        usage: The files of those that are usage over time, by name.
        horizons: Days that are promised, by name.
    """
    yield _figure_6(reports)
    if usage:
        yield _figure_7(reports, usage, horizons)
    yield _figure_8(reports)
    yield _figure_9(reports)


def _figure_6(reports: Reports) -> Drawing:
    size = (_WIDTH * len(reports), _HEIGHT * len(_FORECASTERS))
    with new_figure(size, len(_FORECASTERS), ncols=len(reports), squeeze=False) as figure:
        for place, axes in enumerate(figure.axes):
            forecaster = _FORECASTERS[place // len(reports)]
            name = list(reports)[place % len(reports)]
            for one in reports[name].trade_offs:
                dashed = one.forecaster == "oracle"  # the same at every confidence
                if one.forecaster != forecaster and not (dashed and one.confidence == 0.9):
                    continue
                axes.plot(
                    [100 * error for error in one.error_quantiles.values()],
                    list(one.error_quantiles),
                    linestyle="--" if dashed else "-",
                    color="black" if dashed else str(one.confidence - 0.4),
                    linewidth=1,
                )
            axes.axvline(0, color="gray", linewidth=0.5)
            axes.set(
                title=f"{forecaster}, {name}", xlabel="error, % of capacity", ylabel="% of days"
            )
    caption = (
        "Errors of predictions (slack less promise); the lighter a line, the higher its "
        "confidence; dashed: the oracle."
    )
    return Drawing("Figure 6", caption, figure)


def _figure_7(reports: Reports, usage: Mapping[str, Path], horizons: Mapping[str, int]) -> Drawing:
    with new_figure((9, _HEIGHT * len(usage)), len(usage), squeeze=False) as figure:
        for axes, (name, path) in zip(figure.axes, usage.items(), strict=True):
            slack = daily_slack(path)
            first = int(slack.index[0])
            axes.plot(slack.index - first, 100 * slack, color="black", linewidth=0.8)
            _draw_predictions(axes, reports[name], first, horizons[name])
            axes.set(title=name, xlabel="day", ylabel="slack, % of capacity")
    return Drawing(
        "Figure 7",
        "Least slack of every day, and what ETS promised (dark: 0.5, light: 0.9).",
        figure,
    )


def daily_slack(path: Path) -> pd.Series[float]:
    """Return the least slack of every day of the clock of its file, as a share of the capacity."""
    frame = pd.read_csv(path)
    slack = 1 - frame["used"] / frame["capacity"]
    return slack.groupby(frame["time_s"] // _DAY_S).min()


def _draw_predictions(axes: Axes, past: Backtest, first: int, horizon: int) -> None:
    """Draw what ETS promised, on days from the first one."""
    for one in past.predictions:
        if one.forecaster != "ets":
            continue
        begin = one.first_period - first
        for confidence, quantity in zip(past.confidences, one.quantities, strict=True):
            days = (begin, begin + horizon)
            shade = str(confidence - 0.4)
            axes.plot(days, 2 * [100 * quantity], color=shade, linestyle="--", linewidth=1)
        axes.axvline(begin, color="lightgray", linewidth=0.5)


def _figure_8(reports: Reports) -> Drawing:
    with new_figure(
        (_WIDTH * len(reports), 2 * _HEIGHT), 2, ncols=len(reports), squeeze=False
    ) as figure:
        for place, (name, past) in enumerate(reports.items()):
            ets = [one for one in past.trade_offs if one.forecaster == "ets"]
            levels = [one.confidence for one in ets]
            promised, available = figure.axes[place], figure.axes[place + len(reports)]
            promised.errorbar(
                levels,
                [100 * one.result.quantity for one in ets],
                [100 * one.result.quantity_sd for one in ets],
                marker="o",
            )
            for one in past.trade_offs:
                if one.forecaster == "oracle":
                    promised.axhline(100 * one.result.quantity, linestyle="--", color="black")
            promised.set(title=name, ylabel="promised, %")
            available.plot(levels, [100 * one.result.availability for one in ets], marker="o")
            available.set(xlabel="confidence", ylabel="availability, %")
    caption = "What ETS promises (dashed: the oracle) and in how many of the days it was there."
    return Drawing("Figure 8", caption, figure)


def _figure_9(reports: Reports) -> Drawing:
    with new_figure(
        (_WIDTH * len(reports), 1.3 * _HEIGHT), 1, ncols=len(reports), squeeze=False
    ) as figure:
        for axes, (name, past) in zip(figure.axes, reports.items(), strict=True):
            for one in past.trade_offs:
                if one.forecaster != "ets":
                    continue
                for price, theta in zip(past.prices, one.theta, strict=True):
                    if theta is not None:
                        axes.scatter(
                            theta, 100 * one.result.availability, s=40 * price,
                            marker="osD^v"[past.confidences.index(one.confidence) % 5],
                            color="black", facecolors="none", linewidths=0.8,
                        )  # fmt: skip
            axes.axvline(1, linestyle="--", color="gray")
            axes.axvline(1 / 0.318, color="gray")
            axes.set(title=name, xlabel="theta", ylabel="availability, %")
    caption = (
        "Profit over that of spots alone, by ETS' confidence (circle 0.5, square 0.6, diamond 0.7, "
        "up 0.8, down 0.9) and price (size: 0.3, 0.5, 0.7, 1)."
    )
    return Drawing("Figure 9", caption, figure)
