"""Chooses spots by a compiled evictor policy when no plan names enough of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cospot
from cospot.nova.evictor.errors import SettingError
from cospot.nova.evictor.room import Amounts
from cospot.nova.evictor.spots import Spot
from cospot.nova.evictor_policy import make_evictor_policy, time_us
from cospot.nova.spot_flavors import DISK_GB, MEMORY_MB, VCPU


class SpotChooser:
    """An evictor policy by name, on what Nova says of the spots."""

    def __init__(self, policy: str) -> None:
        try:
            self._policy = make_evictor_policy(policy)
        except cospot.CospotError as error:
            raise SettingError(f"[cospot_evictor] evictor: {error}") from error

    @property
    def name(self) -> str:
        """Return the policy's name."""
        return self._policy.name

    def choose(
        self, spots: Sequence[Spot], shortfall: Amounts, now: float
    ) -> tuple[list[Spot], float] | None:
        """Return the spots to evict in order, and the policy's score (lower is better).

        Args:
            spots: those that may be evicted, the one placed first first.
            shortfall: what must become free, by VCPU, MEMORY_MB, DISK_GB.
            now: time, seconds since the epoch.

        Returns:
            None when all of them together would not suffice.
        """
        running = [
            cospot.RunningSpot(
                row,
                _vector(spot.amounts),
                placed_at_us=time_us(min(spot.server.placed_at, now)),
            )
            for row, spot in enumerate(spots)
        ]
        plan = self._policy.make_plan(running, _vector(shortfall), time_us(now))
        if plan is None:
            return None
        return [spots[row] for row in plan.victims], plan.score


def frees_some(spot: Spot, shortfall: Mapping[str, int]) -> bool:
    """Tell whether evicting a spot frees any of what is short."""
    return any(spot.amounts.get(resource, 0) > 0 for resource in shortfall)


def _vector(amounts: Amounts) -> tuple[int, int, int]:
    return (amounts.get(VCPU, 0), amounts.get(MEMORY_MB, 0), amounts.get(DISK_GB, 0))
