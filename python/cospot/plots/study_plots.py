"""Plots of a sweep's results.

Source of the plot types: CoSpot (Iqbal et al., SoCC'22), Figures 2 and 4 to 8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from cospot.argument_errors import checked
from cospot.plots.style import (
    DARK,
    GAIN,
    LOSS,
    MARKERS,
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
    paired_boxes,
    panels,
    saf_patches,
    with_gain,
)
from cospot.results.choices import pareto_front, require_columns

if TYPE_CHECKING:
    from cospot.plots.style import Drawn


@checked
def gain_against_vm_loss(
    frame: pd.DataFrame,
    *,
    value: Literal["spot_share", "gain"] = "spot_share",
    colour: str = "otn",
    front: bool = True,
    ax: Drawn | None = None,
    title: str | None = None,
) -> Drawn:
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
        ax: The axes to draw on; None: a new figure.
        title: Title above the plot; None: the number of points.

    Returns:
        `ax`, or a figure with one axes; x: VM revenue lost, %; y: the value, %. One collection per
        SAF setting (circles and triangles), or, of colours that are names, per name (one marker
        each) and SAF setting (filled and hollow); then the front as a line named ``Pareto front``.

    Raises:
        ConfigError: A column is missing, no row has a value, or there are too many colours.
    """
    require_columns(frame, [value, "vm_loss", "saf", colour])
    known = with_gain(frame, value)
    colours = colours_of(known[colour])
    with panels(ax, (7.2, 4.6)) as drawn:
        (axes,) = drawn.axes
        _draw_points(axes, known, value, colour, colours)
        if front:
            _draw_front(axes, pareto_front(_to_choose_from(known), gain=value), value)
        # Keep the points without loss clear of the axis, and its length above 0.
        width = 100 * known["vm_loss"].max() or 0.01
        axes.set_xlim(-0.03 * width, 1.05 * width)
        axes.xaxis.set_major_locator(MaxNLocator(6))
        axes.set_xlabel(LOSS)
        axes.set_ylabel({"gain": GAIN, "spot_share": SHARE}[value])
        axes.set_title(title if title is not None else count_text(len(known), "point"))
        _scatter_legends(axes, known, colour, colours)
    return drawn.drawn  # type: ignore[no-any-return]


@checked
def gain_by_otn_and_saf(
    frame: pd.DataFrame, *, ax: Drawn | None = None, title: str | None = None
) -> Drawn:
    """Plot the gain as box plots by OTN, with SAF off and on side by side.

    A box is the interquartile range, its line the median, the diamond the mean; whiskers reach the
    5th and the 95th percentile.

    Args:
        frame: ``Results.runs`` or a part of it.
        ax: The axes to draw on; None: a new figure.
        title: Title above the plot; None: the number of runs.

    Returns:
        `ax`, or a figure with one axes; x: OTN; y: gain, %.

    Raises:
        ConfigError: A column is missing, or no row has a gain.
    """
    require_columns(frame, ["gain", "vm_loss", "saf", "otn"])
    known = with_gain(frame)
    with panels(ax, (7.2, 4.2)) as drawn:
        (axes,) = drawn.axes
        paired_boxes(axes, known, "otn", in_order(known["otn"]), "gain")
        axes.set_xlabel("OTN (hosts the VM side offers)")
        axes.set_ylabel(GAIN)
        axes.set_title(title if title is not None else count_text(len(known), "run"))
        legend_above(axes, saf_patches(known))
        explain_boxes(drawn)
    return drawn.drawn  # type: ignore[no-any-return]


@checked
def gain_by_headroom(
    frame: pd.DataFrame, *, ax: Drawn | None = None, title: str | None = None
) -> Drawn:
    """Plot gain and VM loss as box plots by datacenter size, with SAF off and on side by side.

    Args:
        frame: ``Results.runs`` or a part of it.
        ax: The two axes to draw on, from top to bottom; None: a new figure.
        title: Title above the upper plot; None: the number of runs.

    Returns:
        `ax`, or a figure with two axes, one above the other, with the size as x (headroom in %, or
        hosts): gain, %, and VM revenue lost, %.

    Raises:
        ConfigError: A column is missing, or no row has a gain.
    """
    require_columns(frame, ["gain", "vm_loss", "saf", "size"])
    known = with_gain(frame)
    sizes = in_order(known["size"])
    with panels(ax, (7.2, 5.6), 2, sharex=True, gridspec_kw={"height_ratios": [3, 2]}) as drawn:
        upper, lower = drawn.axes
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
        explain_boxes(drawn)
    return drawn.drawn  # type: ignore[no-any-return]


@checked
def degradation_curve(
    frame: pd.DataFrame, *, ax: Drawn | None = None, title: str | None = None
) -> Drawn:
    """Plot the VMs' loss and the spots' gain against the offer length: means by OTN.

    The bands of the gain are interquartile ranges.

    Args:
        frame: ``Results.runs`` or a part of it. Runs whose offer has a label instead of a number
            are dropped.
        ax: The two axes to draw on, from top to bottom; None: a new figure.
        title: Title above the upper plot; None: the number of runs.

    Returns:
        `ax`, or a figure with two axes, one above the other, with OTN as x (logarithmic): VM
        revenue lost, %, and gain, %. One line per SAF setting.

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
    with panels(ax, (7.2, 5.6), 2, sharex=True) as drawn:
        upper, lower = drawn.axes
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
        drawn.note("lines: means; bands: the middle half of the runs")
        upper.set_title(title if title is not None else count_text(len(known), "run"))
        legend_above(upper)
    return drawn.drawn  # type: ignore[no-any-return]


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


def _are_names(column: pd.Series[Any]) -> bool:
    """Tell whether colours are of names, so that each has a marker too, or from dark to light."""
    is_number = pd.api.types.is_numeric_dtype(column)
    return not is_number or pd.api.types.is_bool_dtype(column)


def _draw_points(
    axes: Axes, known: pd.DataFrame, value: str, colour: str, colours: dict[Any, Any]
) -> None:
    common: dict[str, Any] = {
        "s": marker_area(len(known)), "alpha": 0.85, "clip_on": False, "zorder": 3
    }  # fmt: skip
    for saf, runs in known.groupby("saf", sort=True):
        x, y = 100 * runs["vm_loss"], 100 * runs[value]
        if not _are_names(known[colour]):
            shades = [colours[item] for item in runs[colour]]
            edge: dict[str, Any] = {"linewidths": 0.3, "edgecolors": "white"}
            axes.scatter(x, y, c=shades, marker=SAF_MARKERS[bool(saf)], **edge, **common)
            continue
        for marker, (item, shade) in zip(MARKERS, colours.items(), strict=False):
            these = runs[colour] == item
            face = "none" if saf else shade
            edge = {"linewidths": 0.8, "edgecolors": shade}
            axes.scatter(x[these], y[these], marker=marker, facecolors=face, **edge, **common)


def _scatter_legends(axes: Axes, known: pd.DataFrame, colour: str, colours: dict[Any, Any]) -> None:
    are_names = _are_names(known[colour])
    markers = MARKERS if are_names else "s" * len(colours)
    dots = [
        Line2D([], [], linestyle="", marker=marker, color=shade, label=str(item))
        for marker, (item, shade) in zip(markers, colours.items(), strict=False)
    ]
    heading = {"otn": "OTN", "vm": "VM"}.get(colour, colour)
    beside = axes.legend(handles=dots, title=heading, loc="center left", bbox_to_anchor=(1.01, 0.5))
    axes.add_artist(beside)
    beside.set_clip_on(False)  # so that the layout leaves room for it
    point: dict[str, Any] = {"linestyle": "", "marker": "o", "color": DARK}
    shapes = [
        Line2D([], [], **point, fillstyle="none" if saf else "full", label=SAF_NAMES[saf])
        if are_names
        else Line2D([], [], **{**point, "marker": SAF_MARKERS[saf]}, label=SAF_NAMES[saf])
        for saf in (False, True)
        if (known["saf"] == saf).any()
    ]
    shapes += [line for line in axes.get_lines() if line.get_label() == "Pareto front"]
    legend_above(axes, shapes)


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
