"""Policies written in Python: a weigher for one host, one for all hosts at once, and an evictor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import cospot
import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


class PackByRam(cospot.Weigher):
    """Prefers the host whose memory is fullest (best fit on memory), spots not counted.

    One call for each host: easy to read, slow.
    """

    def weigh_host(self, host: cospot.HostRow, request: cospot.Request) -> float:
        """Return the used memory in MiB."""
        return host.memory_mb_total - host.memory_mb_free_ignoring_spots


class PackByRamBatch(cospot.Weigher):
    """The same, in one call for all hosts: a few NumPy operations."""

    def __init__(self, *, spots_count: bool = False) -> None:
        """Take the options that the sweep file gives.

        Args:
            spots_count: Whether memory that spots use counts, too.
        """
        self._spots_count = spots_count

    def weigh_all(
        self,
        hosts: cospot.HostView,
        candidates: npt.NDArray[np.uint32],
        request: cospot.Request,
    ) -> npt.NDArray[np.float64]:
        """Return the used memory of each candidate in MiB."""
        free = hosts.memory_mb_free if self._spots_count else hosts.memory_mb_free_ignoring_spots
        return (hosts.memory_mb_total[candidates] - free[candidates]).astype(np.float64)


class NewestFirst(cospot.Evictor):
    """Evicts the spots that were placed last; the score is the number of victims."""

    def make_plan(
        self,
        spots: Sequence[cospot.RunningSpot],
        shortfall: cospot.ResourceVector,
        now_us: int,
    ) -> tuple[list[int], float] | None:
        """Return victims from the newest on, until what is missing is free."""
        victims: list[int] = []
        missing = shortfall
        nothing = cospot.ResourceVector(0, 0)
        for position in reversed(range(len(spots))):
            if missing.fits_in(nothing):
                break
            victims.append(position)
            missing = missing - spots[position].resources
        return (victims, len(victims)) if missing.fits_in(nothing) else None

    def victims_have_positive_cost(self) -> bool:
        """Return True: a plan with a victim scores at least 1."""
        return True
