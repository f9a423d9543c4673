"""The style of cospot's plots, and shared elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from cospot.errors import ConfigError

#: Okabe and Ito's colours, distinguishable with any kind of colour vision.
BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
_APART = (BLUE, ORANGE, GREEN, "#CC79A7", "#56B4E9", VERMILION, "#000000")
DARK, LIGHT = "#333333", "#E3E3E3"

SAF_COLOURS = {False: BLUE, True: ORANGE}
SAF_NAMES = {False: "SAF off", True: "SAF on"}
SAF_MARKERS = {False: "o", True: "^"}

GAIN = "spot revenue gain (%)"
LOSS = "VM revenue lost (%)"
SHARE = "spot revenue (% of what spots requested)"

_STYLE: dict[str, Any] = {
    "figure.dpi": 110,
    "savefig.dpi": 110,
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "boxplot.whiskers": (5, 95),
    "axes.formatter.limits": (-7, 7),
    "axes.formatter.useoffset": False,
    "grid.color": LIGHT,
    "grid.linewidth": 0.8,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
}
_BOX_WIDTH = 0.36


@contextmanager
def new_figure(size: tuple[float, float], rows: int = 1, **options: Any) -> Iterator[Figure]:
    """Make a figure with one or more axes above one another, in cospot's style.

    It is closed afterwards, so that a notebook shows it once, as the cell's value, and not twice.

    Args:
        size: Width and height, inches.
        rows: Number of axes.
        options: For ``pyplot.subplots``.
    """
    with mpl.rc_context(_STYLE):
        figure, _ = pyplot.subplots(rows, figsize=size, **options)
        try:
            yield figure
        finally:
            pyplot.close(figure)


def with_gain(frame: pd.DataFrame, value: str = "gain") -> pd.DataFrame:
    """Select the rows that have a gain (or another value); raise ConfigError if there are none."""
    known = frame[frame[value].notna() & frame["vm_loss"].notna()]
    if known.empty:
        raise ConfigError(
            f"no run has a {value}; for a gain, the runs with OTN 1 and SAF off are needed too"
        )
    return known


def count_text(count: int, noun: str) -> str:
    """Return ``1 run``, ``1,234 runs``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def in_order(values: pd.Series[Any]) -> list[Any]:
    """Return the distinct values, in category or ascending order, numbers before labels."""
    occurring = set(values.dropna().unique())
    if isinstance(values.dtype, pd.CategoricalDtype):
        return [value for value in values.cat.categories if value in occurring]
    return sorted(occurring, key=lambda value: (isinstance(value, str), value))


def colours_of(column: pd.Series[Any]) -> dict[Any, Any]:
    """Return a colour for every value: from dark to light for numbers, far apart for names.

    Raises:
        ConfigError: There are more names than distinguishable colours.
    """
    values = in_order(column)
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        positions = np.linspace(0.0, 0.92, len(values))
        return {
            value: mpl.colormaps["viridis"](at) for value, at in zip(values, positions, strict=True)
        }
    if len(values) > len(_APART):
        raise ConfigError(
            f"the column {column.name} has {len(values)} values; expected at most {len(_APART)} "
            f"to tell apart by colour"
        )
    return dict(zip(values, _APART, strict=False))


def marker_area(count: int) -> float:
    """Return the area of a point, in square points, at which `count` of them stay readable."""
    return float(np.clip(9000 / count, 12, 42))


def paired_boxes(
    axes: Axes, frame: pd.DataFrame, by: str, values: Sequence[Any], column: str
) -> None:
    """Draw a box plot of a column, in %, for every value of `by`: SAF off and on side by side.

    The box is the interquartile range, its line the median, the diamond the mean; whiskers reach
    the 5th and the 95th percentile.
    """
    safs = [saf for saf in (False, True) if (frame["saf"] == saf).any()]
    shifts = {False: -0.21, True: 0.21} if len(safs) == 2 else {safs[0]: 0.0}
    for saf in safs:
        of_saf = frame[frame["saf"] == saf]
        samples = [100 * of_saf.loc[of_saf[by] == value, column].to_numpy() for value in values]
        positions = [place + shifts[saf] for place in range(len(values))]
        drawn = axes.boxplot(
            samples,
            positions=positions,
            widths=_BOX_WIDTH,
            showfliers=False,
            showmeans=True,
            patch_artist=True,
            manage_ticks=False,
            medianprops={"color": DARK, "linewidth": 1.6},
            meanprops={
                "marker": "D",
                "markersize": 4,
                "markerfacecolor": "white",
                "markeredgecolor": DARK,
            },
            whiskerprops={"color": DARK},
            capprops={"color": DARK},
            boxprops={"edgecolor": DARK, "linewidth": 0.9},
        )
        for box in drawn["boxes"]:
            box.set_facecolor(SAF_COLOURS[saf])
            box.set_alpha(0.85)
            box.set_hatch("///" if saf else "")
    axes.set_xticks(range(len(values)), [str(value) for value in values])
    axes.set_xlim(-0.6, len(values) - 0.4)
    axes.grid(visible=False, axis="x")


def saf_patches(frame: pd.DataFrame) -> list[Patch]:
    """Return legend entries for boxes and bars: the SAF settings present."""
    return [
        Patch(
            facecolor=SAF_COLOURS[saf],
            edgecolor=DARK,
            hatch="///" if saf else "",
            alpha=0.85,
            label=SAF_NAMES[saf],
        )
        for saf in (False, True)
        if (frame["saf"] == saf).any()
    ]


def legend_above(axes: Axes, handles: Sequence[Any] | None = None) -> None:
    """Put a legend above the axes, at the right end of the title's line.

    It gets more lines where it is wider than the figure, and the title goes above it where both do
    not fit into one line.
    """
    if handles is None:
        handles, _ = axes.get_legend_handles_labels()
    for lines in range(1, len(handles) + 1):
        legend = axes.legend(
            handles=handles,
            loc="lower right",
            bbox_to_anchor=(1.0, 1.0),
            ncol=-(-len(handles) // lines),
            borderaxespad=0.1,
            handletextpad=0.4,
            columnspacing=1.2,
        )
        axes.figure.draw_without_rendering()
        box = legend.get_window_extent()
        if box.x0 >= 0:
            break
    title = axes.set_title(axes.get_title(loc="left"))
    if title.get_text() and title.get_window_extent().overlaps(box):
        points = 72 * box.height / axes.figure.dpi
        axes.set_title(title.get_text(), pad=points + mpl.rcParams["axes.titlepad"])


def note(figure: Figure, text: str) -> None:
    """Add an explanation below the figure."""
    figure.supxlabel(text, fontsize=8, color="#5A5A5A", x=0.99, ha="right")


def explain_boxes(figure: Figure) -> None:
    """Add an explanation of box plots below the figure."""
    note(figure, "box: middle half of the runs, line: median, diamond: mean, whiskers: 5 % to 95 %")
