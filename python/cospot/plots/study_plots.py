"""Plots of a sweep's results.

Source of the plot types: CoSpot (Iqbal et al., SoCC'22), Figures 2 and 4 to 8.
"""

from __future__ import annotations

from typing import Any, Literal

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from cospot.argument_errors import checked
from cospot.plots.style import (
    DARK,
    GAIN,
    LOSS,
    SAF_COLOURS,
    SAF_MARKERS,
    SAF_NAMES,
    SHARE,
    VERMILION,
    colours_of,
    count_text,
    explain_boxes,
    in_order,
    legend_above,
    marker_area,
    new_figure,
    note,
    paired_boxes,
    saf_patches,
    with_gain,
)
from cospot.results.choices import pareto_front, require_columns


@checked
def gain_against_vm_loss(
    frame: pd.DataFrame,
    *,
    value: Literal["spot_share", "gain"] = "spot_share",
    colour: str = "otn",
    front: bool = True,
    title: str | None = None,
) -> Figure:
    """Plot each run's gain for spots against its VM revenue loss, and the Pareto front.

    Runs that need true lifetimes are shown but are not on the front, unless there are no others,
    because they cannot be deployed.

    Args:
        frame: ``Results.runs`` or a part of it, or its ``average_over_workloads``. Rows without a
            value are dropped.
        value: The column on y: ``spot_share``, the share of their requests that spots earned, or
            ``gain``, which compares a run only with its own baseline, hence neither policies nor
            sizes.
        colour: The column shown by colour: OTN, from dark to light, or a policy or the size, with
            at most seven values.
        front: Draw the Pareto front.
        title: Title above the plot; None: the number of points.

    Returns:
        One axes object; x: VM revenue lost, %; y: the value, %. One collection per SAF setting
        (circles
        and triangles), then the front as a line named ``Pareto front``.

    Raises:
        ConfigError: A column is missing, no row has a value, or there are too many colours.
    """
    require_columns(frame, [value, "vm_loss", "saf", colour])
    known = with_gain(frame, value)
    colours = colours_of(known[colour])
    with new_figure((7.2, 4.6)) as figure:
        axes = figure.axes[0]
        for saf, runs in known.groupby("saf", sort=True):
            axes.scatter(
                100 * runs["vm_loss"],
                100 * runs[value],
                c=[colours[item] for item in runs[colour]],
                marker=SAF_MARKERS[bool(saf)],
                s=marker_area(len(known)),
                linewidths=0.3,
                edgecolors="white",
                alpha=0.85,
                clip_on=False,
                zorder=3,
            )
        if front:
            _draw_front(axes, pareto_front(_to_choose_from(known), gain=value), value)
        # Keep the points without loss clear of the axis, and its length above 0.
        width = 100 * known["vm_loss"].max() or 0.01
        axes.set_xlim(-0.03 * width, 1.05 * width)
        axes.xaxis.set_major_locator(MaxNLocator(6))
        axes.set_xlabel(LOSS)
        axes.set_ylabel({"gain": GAIN, "spot_share": SHARE}[value])
        axes.set_title(title if title is not None else count_text(len(known), "point"))
        _scatter_legends(axes, known, colours, {"otn": "OTN", "vm": "VM"}.get(colour, colour))
    return figure


@checked
def gain_by_otn_and_saf(frame: pd.DataFrame, *, title: str | None = None) -> Figure:
    """Plot the gain as box plots by OTN, with SAF off and on side by side.

    A box is the interquartile range, its line the median, the diamond the mean; whiskers reach the
    5th and the 95th percentile.

    Args:
        frame: ``Results.runs`` or a part of it.
        title: Title above the plot; None: the number of runs.

    Returns:
        One axes object; x: OTN; y: gain, %.

    Raises:
        ConfigError: A column is missing, or no row has a gain.
    """
    require_columns(frame, ["gain", "vm_loss", "saf", "otn"])
    known = with_gain(frame)
    with new_figure((7.2, 4.2)) as figure:
        axes = figure.axes[0]
        paired_boxes(axes, known, "otn", in_order(known["otn"]), "gain")
        axes.set_xlabel("OTN (hosts the VM side offers)")
        axes.set_ylabel(GAIN)
        axes.set_title(title if title is not None else count_text(len(known), "run"))
        legend_above(axes, saf_patches(known))
        explain_boxes(figure)
    return figure


@checked
def gain_by_headroom(frame: pd.DataFrame, *, title: str | None = None) -> Figure:
    """Plot gain and VM loss as box plots by datacenter size, with SAF off and on side by side.

    Args:
        frame: ``Results.runs`` or a part of it.
        title: Title above the upper plot; None: the number of runs.

    Returns:
        Two axes, one above the other, with the size as x (headroom in %, or hosts): gain, %, and VM
        revenue lost, %.

    Raises:
        ConfigError: A column is missing, or no row has a gain.
    """
    require_columns(frame, ["gain", "vm_loss", "saf", "size"])
    known = with_gain(frame)
    sizes = in_order(known["size"])
    with new_figure((7.2, 5.6), 2, sharex=True, gridspec_kw={"height_ratios": [3, 2]}) as figure:
        upper, lower = figure.axes
        paired_boxes(upper, known, "size", sizes, "gain")
        paired_boxes(lower, known, "size", sizes, "vm_loss")
        upper.set_ylabel(GAIN)
        lower.set_ylabel(LOSS)
        lower.set_ylim(bottom=0)
        is_headroom = any(str(size).endswith("%") for size in sizes)
        lower.set_xlabel(
            "headroom (hosts beyond the fewest that hold all VMs)" if is_headroom else "datacenter"
        )
        upper.set_title(title if title is not None else count_text(len(known), "run"))
        legend_above(upper, saf_patches(known))
        explain_boxes(figure)
    return figure


@checked
def degradation_curve(frame: pd.DataFrame, *, title: str | None = None) -> Figure:
    """Plot the VMs' loss and the spots' gain against the offer length: means by OTN.

    The bands of the gain are interquartile ranges.

    Args:
        frame: ``Results.runs`` or a part of it. Runs whose offer has a label instead of a number
            are dropped.
        title: Title above the upper plot; None: the number of runs.

    Returns:
        Two axes, one above the other, with OTN as x (logarithmic): VM revenue lost, %, and gain, %.
        One line per SAF setting.

    Raises:
        ConfigError: A column is missing, or no row has a gain.

    Source: CoSpot's Figure 2, which has a random host among the top N in place of the spot side's
    choice in the upper plot.
    """
    require_columns(frame, ["gain", "vm_loss", "saf", "otn"])
    known = with_gain(frame)
    known = with_gain(known[known["otn"].map(lambda otn: not isinstance(otn, str))])
    known = known.assign(otn=known["otn"].astype("int64"))
    otns = sorted(known["otn"].unique())
    with new_figure((7.2, 5.6), 2, sharex=True) as figure:
        upper, lower = figure.axes
        for axes, column, label in ((upper, "vm_loss", LOSS), (lower, "gain", GAIN)):
            for saf, runs in known.groupby("saf", sort=True):
                by_otn = 100 * runs.groupby("otn")[column].describe()
                # A few runs have nearly all of the loss, so quartiles would be meaningless.
                _draw_line(axes, by_otn, bool(saf), band=column == "gain")
            axes.set_ylabel(label)
            axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
        lower.set_xscale("log", base=2)
        lower.set_xticks(otns, [str(otn) for otn in otns])
        lower.minorticks_off()
        lower.set_xlabel("OTN (hosts the VM side offers)")
        note(figure, "lines: means; bands: the middle half of the runs")
        upper.set_title(title if title is not None else count_text(len(known), "run"))
        legend_above(upper)
    return figure


def _to_choose_from(frame: pd.DataFrame) -> pd.DataFrame:
    """Drop runs that need true lifetimes, unless there are no others."""
    if "needs_true_lifetimes" not in frame.columns or frame["needs_true_lifetimes"].all():
        return frame
    return frame[~frame["needs_true_lifetimes"]]


def _draw_front(axes: Axes, front: pd.DataFrame, value: str) -> None:
    axes.plot(
        100 * front["vm_loss"],
        100 * front[value],
        drawstyle="steps-post",
        color=VERMILION,
        linewidth=1.4,
        marker="o",
        markersize=6,
        markerfacecolor="none",
        markeredgewidth=1.3,
        label="Pareto front",
        clip_on=False,
        zorder=4,
    )


def _scatter_legends(
    axes: Axes, known: pd.DataFrame, colours: dict[Any, Any], heading: str
) -> None:
    shapes = [
        Line2D([], [], linestyle="", marker=SAF_MARKERS[saf], color=DARK, label=SAF_NAMES[saf])
        for saf in (False, True)
        if (known["saf"] == saf).any()
    ]
    shapes += [line for line in axes.get_lines() if line.get_label() == "Pareto front"]
    legend_above(axes, shapes)
    shape_legend = axes.get_legend()
    dots = [
        Line2D([], [], linestyle="", marker="s", color=colour, label=str(item))
        for item, colour in colours.items()
    ]
    axes.legend(handles=dots, title=heading, loc="center left", bbox_to_anchor=(1.01, 0.5))
    axes.add_artist(shape_legend)


def _draw_line(axes: Axes, described: pd.DataFrame, saf: bool, *, band: bool) -> None:
    otn = described.index.to_numpy()
    if band:
        low, high = described["25%"], described["75%"]
        axes.fill_between(otn, low, high, color=SAF_COLOURS[saf], alpha=0.16, linewidth=0)
    axes.plot(
        otn,
        described["mean"],
        color=SAF_COLOURS[saf],
        marker=SAF_MARKERS[saf],
        linestyle="--" if saf else "-",
        label=SAF_NAMES[saf],
    )
