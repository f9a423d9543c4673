"""Policies written in Python that the tests use, also by name: python:sample_policies.Util."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cospot
import numpy as np
import numpy.typing as npt


class Util(cospot.Weigher):
    """UTIL on columns: used vCPUs, ignoring spots."""

    def weigh_all(self, hosts: Any, candidates: Any, request: Any) -> npt.NDArray[np.float64]:
        used = hosts.vcpus_total[candidates] - hosts.vcpus_free_ignoring_spots[candidates]
        return used.astype(np.float64)


class UtilByHost(cospot.Weigher):
    """UTIL, one host at a time."""

    def weigh_host(self, host: Any, request: Any) -> float:
        return float(host.vcpus_total - host.vcpus_free_ignoring_spots)


class SpotUtil(cospot.Weigher):
    """sUTIL: used vCPUs, spots included."""

    def weigh_host(self, host: Any, request: Any) -> float:
        return float(host.total.vcpus - host.free.vcpus)


class Scaled(cospot.Weigher):
    """UTIL times an option: the order is that of UTIL whatever the factor."""

    def __init__(self, factor: float = 2.0) -> None:
        if factor <= 0:
            raise cospot.ConfigError(f"factor is {factor}, expected a number above 0")
        self.factor = factor

    def weigh_all(self, hosts: Any, candidates: Any, request: Any) -> npt.NDArray[np.float64]:
        return (hosts.vcpus_total - hosts.vcpus_free_ignoring_spots)[candidates] * self.factor


class FewSpots(cospot.Filter):
    """Passes hosts with fewer than `most` spots."""

    def __init__(self, most: int = 3) -> None:
        self.most = most

    def host_passes(self, host: Any, request: Any) -> bool:
        return bool(host.num_spots < self.most)


class Fifo(cospot.Evictor):
    """FIFO: the oldest first until every resource suffices; the score is their number."""

    def make_plan(
        self, spots: Sequence[Any], shortfall: Any, now_us: int
    ) -> tuple[list[int], float] | None:
        missing = shortfall
        for position, spot in enumerate(spots):
            missing = missing - spot.resources
            if missing.fits_in(cospot.ResourceVector(0, 0)):
                return list(range(position + 1)), float(position + 1)
        return None


class ChargingFifo(Fifo):
    """The same, and it says that every victim costs something."""

    def victims_have_positive_cost(self) -> bool:
        return True
