"""Plots of results, hosts and offers, with matplotlib.

Every function returns a ``matplotlib.figure.Figure``, or draws on the axes ``ax`` and returns them.
A notebook shows a figure as the last expression of a cell; ``figure.savefig("x.png")`` saves it.
With `style`, figures fit a column of a paper. Colours are never the only distinction: markers,
hatching and brightness tell the same.
"""

from __future__ import annotations

from cospot.plots.host_plots import host_occupancy
from cospot.plots.offer_plot import offered_hosts
from cospot.plots.study_plots import (
    degradation_curve,
    gain_against_vm_loss,
    gain_by_headroom,
    gain_by_otn_and_saf,
)
from cospot.plots.style import style

__all__ = [
    "degradation_curve",
    "gain_against_vm_loss",
    "gain_by_headroom",
    "gain_by_otn_and_saf",
    "host_occupancy",
    "offered_hosts",
    "style",
]
