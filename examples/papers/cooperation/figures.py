"""The paper's figures, those whose runs are there."""

from __future__ import annotations

from collections.abc import Iterator

from cooperation.box_figures import figure_8, figure_of_combination
from cooperation.evaluation import Evaluation
from cooperation.scatter_figures import figure_2, figure_4
from matplotlib.figure import Figure
from reproduction.page import Drawing


def drawings(evaluation: Evaluation) -> Iterator[Drawing]:
    """Draw Figures 2, 4, 5, 6, 7 and 8."""
    for name, caption, figure in _figures(evaluation):
        if figure is not None:
            yield Drawing(name, caption, figure)


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
