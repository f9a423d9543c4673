"""Base classes of policies written in Python.

A policy says how one host does (``host_passes``, ``weigh_host``), or it overrides the batch method
(``filter_all``, ``weigh_all``) and works on whole NumPy columns, which is faster by orders of
magnitude. The same class runs in the Python package and, named ``python:module.Class`` in a sweep
file, in the program ``cospot``.

Policies have no state between calls: the same arguments give the same answer, or a comparison does
not repeat. A class is made anew for every run; an object that is given instead is shared by all of
them, and its methods may be called from several threads, one at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from cospot._core import HostRow, HostView, Request, ResourceVector, RunningSpot

    Passes = npt.NDArray[np.bool_] | Sequence[bool]
    Weights = npt.NDArray[np.float64] | Sequence[float]

#: Which hosts a weigher puts before all others, whatever their weights.
Tier = Literal["none", "holds_vm", "holds_instance", "holds_no_vm"]

#: The fate of hosts that do not pass: they are dropped, or rank after all that pass.
FilterMode = Literal["drop", "prefer"]


class Filter:
    """Decides which hosts may take a request.

    Subclasses override ``host_passes`` or ``filter_all``. Hosts without room for the request are
    left out before any filter of a chain is asked.

    Source: nova/filters.py, BaseFilter.
    """

    def host_passes(self, host: HostRow, request: Request) -> bool:
        """Return whether one host may take the request.

        Args:
            host: The host as it is now. Amounts in vCPUs, MiB, GB.
            request: The request to place.
        """
        raise NotImplementedError(
            f"{type(self).__name__} has neither host_passes nor filter_all; expected one of them"
        )

    def filter_all(
        self, hosts: HostView, candidates: npt.NDArray[np.uint32], request: Request
    ) -> Passes:
        """Return which candidate hosts may take the request, in one call.

        Args:
            hosts: All n hosts. Each column (``hosts.num_vms``) is a read-only array, shape (n,).
            candidates: uint32, shape (m,): rows of ``hosts``, ascending.
            request: The request to place.

        Returns:
            bool, shape (m,), in candidate order.
        """
        return [bool(self.host_passes(hosts[host], request)) for host in candidates.tolist()]

    def mode(self) -> FilterMode:
        """Return what becomes of hosts that do not pass: ``drop`` (as in Nova) or ``prefer``."""
        return "drop"


class Weigher:
    """Says how suitable each host is; the higher weight wins.

    Subclasses override ``weigh_host`` or ``weigh_all``.

    Source: nova/weights.py, BaseWeigher.
    """

    def weigh_host(self, host: HostRow, request: Request) -> float:
        """Return the weight of one host: finite, the higher the better.

        Args:
            host: The host as it is now. Amounts in vCPUs, MiB, GB.
            request: The request to place.
        """
        raise NotImplementedError(
            f"{type(self).__name__} has neither weigh_host nor weigh_all; expected one of them"
        )

    def weigh_all(
        self, hosts: HostView, candidates: npt.NDArray[np.uint32], request: Request
    ) -> Weights:
        """Return the weights of candidate hosts, in one call.

        Args:
            hosts: All n hosts. Each column (``hosts.num_vms``) is a read-only array, shape (n,).
            candidates: uint32, shape (m,): rows of ``hosts``, ascending.
            request: The request to place.

        Returns:
            float64, shape (m,), in candidate order: finite, neither normalised nor multiplied
            (the chain does both).
        """
        return [float(self.weigh_host(hosts[host], request)) for host in candidates.tolist()]

    def tier(self) -> Tier:
        """Return which hosts rank before all others, whatever their weights; ``none``: none."""
        return "none"

    def minval(self) -> float | None:
        """Return the lower bound for Nova's normalisation; None: the batch's least weight."""
        return None

    def maxval(self) -> float | None:
        """Return the upper bound for Nova's normalisation; None: the batch's greatest weight."""
        return None

    def default_multiplier(self) -> float:
        """Return the multiplier in a chain that gives none."""
        return 1.0


class Evictor:
    """Chooses the spots that a VM displaces. Subclasses override ``make_plan``.

    Source: CoSpot, section 3.
    """

    def make_plan(
        self, spots: Sequence[RunningSpot], shortfall: ResourceVector, now_us: int
    ) -> tuple[Sequence[int], float] | None:
        """Return which spots of one host to evict, and what that costs.

        Args:
            spots: The spots on the host, oldest placement first.
            shortfall: The amounts that are still missing for the VM; an amount <= 0 is not scarce.
                At least one is positive.
            now_us: Time of the VM's request, microseconds since the start of the window.

        Returns:
            The positions in ``spots`` of the victims, in any order, whose resources cover every
            positive amount of the shortfall, and a finite score: the offered host with the least
            wins. None when no set of spots covers it.
        """
        raise NotImplementedError(f"{type(self).__name__} has no make_plan")

    def victims_have_positive_cost(self) -> bool:
        """Return whether every plan with a victim has a score above 0.

        Then hosts that need no eviction win without plans being made, and runs that differ in OTN
        or SAF share their beginning.
        """
        return False
