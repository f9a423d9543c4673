"""The style of cospot's plots, and shared elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from cospot.argument_errors import checked
from cospot.errors import ArgumentError, ConfigError

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    #: The argument `ax` of a plot, which is also its result; without one, a new figure.
    Drawn = TypeVar(
        "Drawn", bound=Figure | Axes | Sequence[Axes] | npt.NDArray[Any], default=Figure
    )

#: Okabe and Ito's colours, distinguishable with any kind of colour vision.
BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
_APART = (BLUE, ORANGE, GREEN, "#CC79A7", "#56B4E9", VERMILION, "#000000")
DARK, LIGHT = "#333333", "#E3E3E3"

SAF_COLOURS = {False: BLUE, True: ORANGE}
SAF_NAMES = {False: "SAF off", True: "SAF on"}
SAF_MARKERS = {False: "o", True: "^"}
MARKERS = ("o", "s", "D", "v", "P", "X", "*")

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

#: One column of a two-column page, inches; its plots are higher in proportion, and at least this.
_COLUMN, _HIGHER, _LEAST_HEIGHT = 3.33, 1.25, 2.0
#: Vector output with text as text in the journals' usual fonts, readable at the size of a column.
_PAPER: dict[str, Any] = {
    **_STYLE,
    "figure.dpi": 200,
    "savefig.dpi": 600,
    "savefig.format": "pdf",
    "savefig.bbox": "standard",
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "none",
    "font.family": ["serif", "DejaVu Sans"],  # which has the check mark of a choice
    "font.serif": ["Times New Roman", "Liberation Serif", "Nimbus Roman", "STIXGeneral"],
    "mathtext.fontset": "stix",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.linewidth": 0.6,
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.1,
    "lines.markersize": 4,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.title_fontsize": 7,
}
_STYLES = {"notebook": _STYLE, "paper": _PAPER}
_current: ContextVar[str] = ContextVar("style", default="notebook")


@checked
@contextmanager
def style(name: Literal["notebook", "paper"] = "paper") -> Iterator[None]:
    """Draw the plots of a `with` block, and your own, in one of cospot's styles.

    Save figures inside the block too: ``figure.savefig("front")`` then writes a PDF.

    Args:
        name: ``"paper"``: as wide as one column of a two-column page (3.33 inches), with a serif
            font of 8 points, and saved as vectors with their text as text. ``"notebook"``: the
            usual style.

    Raises:
        ConfigError: There is no such style.
    """
    if name not in _STYLES:
        raise ConfigError(f"found style '{name}'; expected one of {', '.join(_STYLES)}")
    before = _current.set(name)
    try:
        with mpl.rc_context(_STYLES[name]):
            yield
    finally:
        _current.reset(before)


@contextmanager
def new_figure(size: tuple[float, float], rows: int = 1, **options: Any) -> Iterator[Figure]:
    """Make a figure with one or more axes above one another, in cospot's style.

    It is closed afterwards, so that a notebook shows it once, as the cell's value, and not twice.

    Args:
        size: Width and height, inches.
        rows: Number of axes.
        options: For ``pyplot.subplots``.
    """
    name = _current.get()
    if name == "paper":
        size = (_COLUMN, max(_LEAST_HEIGHT, _HIGHER * _COLUMN * size[1] / size[0]))
    with mpl.rc_context(_STYLES[name]):
        figure, _ = pyplot.subplots(rows, figsize=size, **options)
        try:
            yield figure
        finally:
            pyplot.close(figure)


@dataclass(frozen=True)
class Panels:
    """The axes to draw on: a caller's, or those of a new figure.

    Attributes:
        axes: From top to bottom.
        figure: The new figure; None: the axes are the caller's.
        drawn: The result of the plot: the figure, or what the caller gave.
    """

    axes: list[Axes]
    figure: Figure | None
    drawn: Any

    def note(self, text: str) -> None:
        """Add an explanation below a new figure; a caller's has its own."""
        if self.figure is not None:
            note(self.figure, text)


@contextmanager
def panels(ax: Any, size: tuple[float, float], rows: int = 1, **options: Any) -> Iterator[Panels]:
    """Draw on a caller's axes, in the caller's style, or else on a new figure.

    Args:
        ax: The caller's axes, or as many as there are rows; None: a new figure.
        size: Width and height of the new figure, inches.
        rows: Number of axes.
        options: For ``pyplot.subplots``.

    Raises:
        ArgumentError: `ax` is something else.
    """
    if ax is None:
        with new_figure(size, rows, **options) as figure:
            yield Panels(figure.axes, figure, figure)
        return
    given = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(given) != rows or not all(isinstance(one, Axes) for one in given):
        expected = "matplotlib Axes" if rows == 1 else f"{rows} matplotlib Axes, from top to bottom"
        found = f"{len(given)} of type {type(given[0]).__name__}" if given else "an empty list"
        raise ArgumentError(f"ax: found {found}, expected {expected}")
    yield Panels(given, None, ax)


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
    scale = (mpl.rcParams["font.size"] / _STYLE["font.size"]) ** 2
    return float(scale * np.clip(9000 / count, 12, 42))


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
    figure: Any = axes.figure
    while not isinstance(figure, Figure):  # a subfigure
        figure = figure.figure
    # Beside other axes it may reach over the axes' own labels only.
    least = 0.0 if len({one.get_position().x0 for one in figure.axes}) == 1 else axes.bbox.x0 - 50
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
        figure.draw_without_rendering()
        box = legend.get_window_extent()
        if box.x0 >= least:
            break
    title = axes.set_title(axes.get_title(loc=mpl.rcParams["axes.titlelocation"]))
    if title.get_text() and title.get_window_extent().overlaps(box):
        points = 72 * box.height / figure.dpi
        axes.set_title(title.get_text(), pad=points + mpl.rcParams["axes.titlepad"])


def note(figure: Figure, text: str) -> None:
    """Add an explanation below the figure."""
    size = 0.8 * mpl.rcParams["font.size"]
    figure.supxlabel(text, fontsize=size, color="#5A5A5A", x=0.99, ha="right")


def explain_boxes(drawn: Panels) -> None:
    """Add an explanation of box plots below a new figure."""
    words = "line: median, diamond: mean, whiskers: 5 % to 95 %"
    is_narrow = _current.get() == "paper"
    drawn.note(("box: middle half,\n" if is_narrow else "box: middle half of the runs, ") + words)
