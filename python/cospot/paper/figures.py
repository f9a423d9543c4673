"""The paper's figures, and how they become files whose bytes repeat."""

from __future__ import annotations

import io
from collections.abc import Iterator

import matplotlib as mpl
from matplotlib.figure import Figure

from cospot.paper.box_figures import figure_8, figure_of_combination
from cospot.paper.evaluation import Evaluation
from cospot.paper.page import Picture
from cospot.paper.scatter_figures import figure_2, figure_4

# Names inside an SVG are drawn at random unless they are salted.
_REPEATABLE = {"svg.hashsalt": "cospot", "svg.fonttype": "path"}


def draw_figures(evaluation: Evaluation) -> Iterator[tuple[Picture, bytes]]:
    """Draw Figures 2, 4, 5, 6, 7 and 8, those whose runs are there.

    Yields:
        Each as a picture (SVG) and as PNG.
    """
    for name, caption, figure in _figures(evaluation):
        if figure is not None:
            yield Picture(name, caption, _bytes_of(figure, "svg")), _bytes_of(figure, "png")


def _figures(evaluation: Evaluation) -> Iterator[tuple[str, str, Figure | None]]:
    yield (
        "Figure 2",
        "VMs rejected when each is placed on a random one of the first N hosts of its ranking.",
        figure_2(evaluation),
    )
    yield (
        "Figure 4",
        "Spot revenue earned against VM revenue lost, by headroom; a point is a VM and a spot "
        "policy with one OTN and SAF, a line joins its OTNs.",
        figure_4(evaluation),
    )
    for number, spot, headroom in ((5, "sDPD", 2.0), (6, "vmaDPD", 2.0), (7, "sDPD", 0.0)):
        yield (
            f"Figure {number}",
            f"What OTN and SAF do to COS and {spot} at {headroom:g} % headroom, by evictor.",
            figure_of_combination(evaluation, vm="COS", spot=spot, headroom=headroom),
        )
    yield (
        "Figure 8",
        "What OTN and SAF do over all combinations of policies, by headroom.",
        figure_8(evaluation),
    )


def _bytes_of(figure: Figure, kind: str) -> bytes:
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with mpl.rc_context(_REPEATABLE), io.BytesIO() as file:
        figure.savefig(file, format=kind, metadata=metadata)
        return file.getvalue()
