"""Figures 5, 6, 7 and 8 of the paper: boxes by OTN, without and with SAF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from cooperation.evaluation import Evaluation
from cospot.plots.style import BLUE, DARK, ORANGE, colours_of, in_order, new_figure, note
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

_EVICTOR_COLOURS = {"FIFO": BLUE, "LPML": ORANGE, "LPO": "#009E73"}
_GROUP_WIDTH = 0.8
_SPOT, _VM = "spot revenue\n(% of requested)", "VM revenue lost\n(% of requested)"
_NOTE = "box: middle half, line: median, whiskers: within 1.5 boxes, circles: beyond"


def figure_of_combination(
    evaluation: Evaluation, *, vm: str, spot: str, headroom: float
) -> Figure | None:
    """Draw what OTN and SAF do to one VM and spot policy at one headroom, batched workloads.

    Returns:
        Two axes above each other with OTN as x, SAF off at the left and on at the right: spot
        revenue and VM revenue lost, %. A box per evictor; a dashed line per workload. None when
        there are no such runs.
    """
    runs = evaluation.burstier
    runs = runs[
        (runs["vm"] == vm) & (runs["spot"] == spot) & (runs["headroom_percent"] == headroom)
    ]
    if runs.empty:
        return None
    evictors = in_order(runs["evictor"])
    colours = {name: _EVICTOR_COLOURS.get(str(name), DARK) for name in evictors}
    title = f"{vm}, {spot}, {headroom:g} % headroom, {runs['workload'].nunique()} workloads"
    return _boxes_by_setting(runs, "evictor", evictors, colours, title, with_workloads=True)


def figure_8(evaluation: Evaluation) -> Figure:
    """Draw what OTN and SAF do over all combinations, batched workloads.

    Returns:
        As `figure_of_combination`, with a box per headroom.
    """
    runs = evaluation.burstier
    headrooms = in_order(runs["size"])
    palette = colours_of(pd.Series(range(len(headrooms))))
    colours = {size: palette[i] for i, size in enumerate(headrooms)}
    combinations = len(runs.drop_duplicates(["vm", "spot", "evictor"]))
    title = f"{combinations} combinations, {runs['workload'].nunique()} workloads, by headroom"
    return _boxes_by_setting(runs, "size", headrooms, colours, title, with_workloads=False)


def _boxes_by_setting(
    runs: pd.DataFrame,
    by: str,
    groups: Sequence[Any],
    colours: dict[Any, Any],
    title: str,
    *,
    with_workloads: bool,
) -> Figure:
    settings = list(runs.groupby(["saf", "otn"]).groups)
    # A gap parts the settings with SAF from those without.
    places = [i + 0.6 * bool(saf) for i, (saf, _) in enumerate(settings)]
    # cospot's own boxes have other whiskers than the paper's.
    with (
        new_figure((9.0, 5.6), 2, sharex=True) as figure,
        mpl.rc_context({"boxplot.whiskers": 1.5}),
    ):
        upper, lower = figure.axes
        for axes, column, label in ((upper, "spot_share", _SPOT), (lower, "vm_loss", _VM)):
            if with_workloads:
                _join_workloads(axes, runs, settings, places, column)
            for i, group in enumerate(groups):
                of_group = runs[runs[by] == group].groupby(["saf", "otn"])[column]
                _draw_boxes(axes, of_group, settings, places, i, len(groups), colours[group])
            axes.set_ylabel(label)
            axes.grid(visible=False, axis="x")
        lower.set_ylim(bottom=0)
        lower.set_xticks(places, [str(otn) for _, otn in settings])
        lower.set_xlabel("OTN; left: SAF off, right: SAF on")
        upper.set_title(title)
        handles = [
            Patch(facecolor=colours[group], edgecolor=DARK, label=str(group)) for group in groups
        ]
        upper.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1.0))
        note(figure, _NOTE)
    return figure


def _draw_boxes(
    axes: Axes,
    values: Any,
    settings: list[Any],
    places: list[float],
    index: int,
    count: int,
    colour: Any,
) -> None:
    width = _GROUP_WIDTH / count
    shift = (index - (count - 1) / 2) * width
    drawn = axes.boxplot(
        [100 * values.get_group(setting).to_numpy() for setting in settings],
        positions=[place + shift for place in places],
        widths=0.85 * width,
        patch_artist=True,
        manage_ticks=False,
        medianprops={"color": DARK, "linewidth": 1.3},
        flierprops={"marker": "o", "markersize": 2.2, "markeredgewidth": 0.5},
        boxprops={"edgecolor": DARK, "linewidth": 0.7},
        whiskerprops={"color": DARK, "linewidth": 0.7},
        capprops={"color": DARK, "linewidth": 0.7},
    )
    for box in drawn["boxes"]:
        box.set_facecolor(colour)
        box.set_alpha(0.85)


def _join_workloads(
    axes: Axes, runs: pd.DataFrame, settings: list[Any], places: list[float], column: str
) -> None:
    for _, of_workload in runs.groupby("workload", observed=True):
        means = 100 * of_workload.groupby(["saf", "otn"])[column].mean()
        heights = np.array([means.loc[setting] for setting in settings])
        for saf in (False, True):
            chosen = [i for i, setting in enumerate(settings) if bool(setting[0]) == saf]
            axes.plot(
                [places[i] for i in chosen],
                heights[chosen],
                color="#9A9A9A",
                linestyle="--",
                linewidth=0.7,
                zorder=1,
            )
