"""Base classes of policies written in Python.

A policy either judges one host (``host_passes``, ``weigh_host``), or overrides the batch method
(``filter_all``, ``weigh_all``) and works on whole NumPy columns, which is faster by orders of
magnitude. The same class runs in the Python package and, named ``python:module.Class`` in a sweep
file, in the program ``cospot``.

Policies have no state between calls: the same arguments must give the same answer, or comparisons
are not repeatable. A class is instantiated for every run; an object given instead is shared by all
runs, and its methods may be called from several threads, one at a time.
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

#: The hosts that a weigher ranks first regardless of their weights.
Tier = Literal["none", "holds_vm", "holds_instance", "holds_no_vm"]

#: The fate of hosts that do not pass: they are dropped, or rank after all that pass.
FilterMode = Literal["drop", "prefer"]


class _Policy:
    def __repr__(self) -> str:
        """Return its class and attributes, as a call would have them."""
        named = getattr(self, "__dict__", {}).items()
        attributes = ", ".join(f"{name}={value!r}" for name, value in named)
        return f"{type(self).__qualname__}({attributes})"


class Filter(_Policy):
    """Decides which hosts can take a request.

    Subclasses override ``host_passes`` or ``filter_all``. Hosts without enough free capacity are
    excluded before a chain calls its filters.

    Source: nova/filters.py, BaseFilter.
    """

    def host_passes(self, host: HostRow, request: Request) -> bool:
        """Return whether one host can take the request.

        Args:
            host: The host's current state. Amounts in vCPUs, MiB, GB.
            request: The request to place.
        """
        raise NotImplementedError(
            f"{type(self).__name__} has neither host_passes nor filter_all; expected one of them"
        )

    def filter_all(
        self, hosts: HostView, candidates: npt.NDArray[np.uint32], request: Request
    ) -> Passes:
        """Return which candidate hosts can take the request, in one call.

        Args:
            hosts: All n hosts. Each column (``hosts.num_vms``) is a read-only array, shape (n,).
            candidates: uint32, shape (m,): rows of ``hosts``, ascending.
            request: The request to place.

        Returns:
            bool, shape (m,), in candidate order.
        """
        return [bool(self.host_passes(hosts[host], request)) for host in candidates.tolist()]

    def mode(self) -> FilterMode:
        """Return what happens to hosts that do not pass: ``drop`` (as in Nova) or ``prefer``."""
        return "drop"


class Weigher(_Policy):
    """Rates the suitability of hosts; the highest weight wins.

    Subclasses override ``weigh_host`` or ``weigh_all``.

    Source: nova/weights.py, BaseWeigher.
    """

    def weigh_host(self, host: HostRow, request: Request) -> float:
        """Return the weight of one host: finite, the higher the better.

        Args:
            host: The host's current state. Amounts in vCPUs, MiB, GB.
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
        """Return the hosts that rank first regardless of their weights; ``none``: none."""
        return "none"

    def minval(self) -> float | None:
        """Return the lower bound for Nova's normalisation; None: the minimum of the batch."""
        return None

    def maxval(self) -> float | None:
        """Return the upper bound for Nova's normalisation; None: the maximum of the batch."""
        return None

    def default_multiplier(self) -> float:
        """Return the multiplier for chains that give none."""
        return 1.0


class Evictor(_Policy):
    """Chooses the spots that a VM displaces. Subclasses override ``make_plan``.

    Source: CoSpot, section 3.
    """

    def make_plan(
        self, spots: Sequence[RunningSpot], shortfall: ResourceVector, now_us: int
    ) -> tuple[Sequence[int], float] | None:
        """Return which spots of one host to evict, and the cost.

        Args:
            spots: The spots on the host, oldest placement first.
            shortfall: The amounts that the VM still lacks; an amount <= 0 is not scarce. At least
                one is positive.
            now_us: Time of the VM's request, microseconds since the start of the window.

        Returns:
            The positions of the victims in ``spots``, in any order, whose resources cover every
                positive amount of the shortfall, and a finite score: the offered host with the
                lowest score wins. None if no set of spots covers it.
        """
        raise NotImplementedError(f"{type(self).__name__} has no make_plan")

    def victims_have_positive_cost(self) -> bool:
        """Return whether every plan with a victim has a score above 0.

        If so, hosts that need no eviction win without a plan, and runs that differ in OTN or SAF
        share their beginning.
        """
        return False
