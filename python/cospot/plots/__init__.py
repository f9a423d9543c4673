"""Plots of results, hosts and offers, with matplotlib.

Every function returns a ``matplotlib.figure.Figure``. A notebook shows it as the last expression of
a cell; ``figure.savefig("x.png")`` saves it. Colours are never the only distinction: SAF has its
own markers and hatching.
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

__all__ = [
    "degradation_curve",
    "gain_against_vm_loss",
    "gain_by_headroom",
    "gain_by_otn_and_saf",
    "host_occupancy",
    "offered_hosts",
]
