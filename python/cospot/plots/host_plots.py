"""Plots of hosts: the usage of a datacenter over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from cospot.argument_errors import checked
from cospot.plots.style import BLUE, DARK, ORANGE, VERMILION, legend_above, panels
from cospot.results.choices import require_columns

if TYPE_CHECKING:
    from cospot.plots.style import Drawn

_RESOURCES = {"vcpus": "vCPUs", "memory_mb": "memory"}


@checked
def host_occupancy(
    occupancy: pd.DataFrame, *, ax: Drawn | None = None, title: str | None = None
) -> Drawn:
    """Plot the usage of the datacenter over time, with spots stacked on VMs.

    Args:
        occupancy: The result of ``cospot.occupancy_over_time``.
        ax: The three axes to draw on, from top to bottom; None: a new figure.
        title: Title above the plot.

    Returns:
        `ax`, or a figure with three axes, one above another, with the day as x: vCPUs in use and
        memory in use (% of the datacenter), and evictions (spots per hour).

    Raises:
        ConfigError: A column is missing.
    """
    needed = [f"{kind}_{unit}" for unit in _RESOURCES for kind in ("vm", "spot", "total")]
    require_columns(occupancy, ["day", "evictions", *needed])
    day = occupancy["day"].to_numpy()
    ratios = {"height_ratios": [3, 3, 1.3]}
    with panels(ax, (7.2, 5.8), 3, sharex=True, gridspec_kw=ratios) as drawn:
        for axes, (unit, name) in zip(drawn.axes, _RESOURCES.items(), strict=False):
            total = occupancy[f"total_{unit}"]
            vms, spots = (
                (100 * occupancy[f"{kind}_{unit}"] / total).to_numpy() for kind in ("vm", "spot")
            )
            axes.fill_between(day, vms, step="post", color=BLUE, linewidth=0, label="VMs")
            axes.fill_between(
                day, vms, vms + spots, step="post", color=ORANGE, linewidth=0, label="spots"
            )
            axes.axhline(100, color=DARK, linewidth=1)
            axes.set_ylim(0, 105)
            axes.set_ylabel(f"{name} in use (%)")
        upper, _, lower = drawn.axes
        hours = 24 * np.diff(day, prepend=2 * day[0] - day[1] if len(day) > 1 else day[0] - 1)
        lower.bar(
            day, occupancy["evictions"] / hours, width=-hours / 24, align="edge", color=VERMILION
        )
        lower.set_ylabel("evictions\nper hour")
        lower.set_xlabel("day")
        lower.set_xlim(day[0], day[-1])
        upper.set_title(title if title is not None else "")
        legend_above(upper)
    return drawn.drawn  # type: ignore[no-any-return]
