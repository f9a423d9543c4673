"""Chooses spots by a compiled evictor policy when no plan names enough of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import cospot
from cospot.nova.evictor.errors import SettingError
from cospot.nova.evictor.room import Amounts
from cospot.nova.evictor.spots import Spot
from cospot.nova.spot_flavors import DISK_GB, MEMORY_MB, VCPU

#: The policies' times count from here, in microseconds, as the scheduler plugin's do.
_START_OF_2020: Final = 1_577_836_800
_US_PER_S: Final = 1_000_000
#: Policies that weigh how long each spot would have lived, which Nova does not know.
_NEED_LIFETIMES: Final = frozenset({"LPO", "LPML"})


class SpotChooser:
    """An evictor policy by name, on what Nova says of the spots."""

    def __init__(self, policy: str) -> None:
        if policy in _NEED_LIFETIMES:
            raise SettingError(
                f"[cospot_evictor] evictor: {policy} needs to know how long spots will live, which "
                "Nova does not say; expected one that does not, such as FIFO or YJF"
            )
        try:
            self._policy = cospot.make_evictor(policy)
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
                placed_at_us=_time_us(min(spot.server.placed_at, now)),
            )
            for row, spot in enumerate(spots)
        ]
        plan = self._policy.make_plan(running, _vector(shortfall), _time_us(now))
        if plan is None:
            return None
        return [spots[row] for row in plan.victims], plan.score


def frees_some(spot: Spot, shortfall: Mapping[str, int]) -> bool:
    """Tell whether evicting a spot frees any of what is short."""
    return any(spot.amounts.get(resource, 0) > 0 for resource in shortfall)


def _time_us(seconds: float) -> int:
    return int((seconds - _START_OF_2020) * _US_PER_S)


def _vector(amounts: Amounts) -> tuple[int, int, int]:
    return (amounts.get(VCPU, 0), amounts.get(MEMORY_MB, 0), amounts.get(DISK_GB, 0))
