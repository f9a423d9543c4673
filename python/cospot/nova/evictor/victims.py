"""The choice among a host's spots: the evictor policy names them, those without a promise first.

A spot that was promised a lifetime which is not over goes only where all others of its host
together do not free enough, and then only if the other promised ones do not do without it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import cospot
from cospot.nova.evictor.model import Amounts
from cospot.nova.evictor.snapshot import Spot
from cospot.nova.evictor_policy import make_evictor_policy, promised_until_us, time_us
from cospot.nova.spot_flavors import DISK_GB, MEMORY_MB, VCPU
from cospot.nova.state.errors import SettingError

if TYPE_CHECKING:
    from cospot._core import ReservedHosts


@dataclass(frozen=True)
class Stage:
    """The spots of which the next one goes.

    Attributes:
        spots: any others stay for now.
        short: what these are to free, by resource; without zeros.
        are_promised: nobody else does, and all of them go.
    """

    spots: Sequence[Spot]
    short: Amounts
    are_promised: bool = False


class SpotChooser:
    """An evictor policy by name, on what Nova says of the spots. Thread-safe.

    Args:
        policy: its name.
        model: file of the lifetime model, for one that needs it.
        promised_until: tells of a spot until when it is promised to live, seconds since the epoch;
            0: nothing is promised.
    """

    def __init__(
        self,
        policy: str,
        model: str = "",
        promised_until: Callable[[str], float] = lambda spot: 0.0,
    ) -> None:
        self._promised_until = promised_until
        try:
            self._policy = make_evictor_policy(policy, model)
        except cospot.CospotError as error:
            raise SettingError(f"[cospot_evictor] evictor: {error}") from error

    @property
    def name(self) -> str:
        """Return the policy's name."""
        return self._policy.name

    def is_promised(self, spot: str) -> bool:
        """Tell whether a spot was promised to live on."""
        return self._promised_until(spot) > time.time()

    def choose(self, spots: Sequence[Spot], shortfall: Amounts, now: float) -> list[Spot] | None:
        """Return the spots to evict in order; None when all together do not suffice.

        Args:
            spots: those that may be evicted, the one placed first first; all of them are promised
                to live on, or none.
            shortfall: what must become free, by VCPU, MEMORY_MB, DISK_GB.
            now: time, seconds since the epoch.
        """
        running = self._running(spots, now)
        plan = self._policy.make_plan(running, _vector(shortfall), time_us(now))
        return None if plan is None else [spots[row] for row in plan.victims]

    def for_reserve(
        self, hosts: ReservedHosts, row: int, spots: Sequence[Spot], now: float
    ) -> tuple[int, float, int, list[int]] | None:
        """Return the spots of a host to evict for one more VM of a reserve, as `hosts` says it.

        They are named by their positions among `spots`; the other arguments are those of `choose`.
        """
        return hosts.candidate(row, self._policy, self._running(spots, now), time_us(now))

    def _running(self, spots: Sequence[Spot], now: float) -> list[cospot.RunningSpot]:
        ends = [self._promised_until(spot.uuid) for spot in spots]
        return [
            cospot.RunningSpot(
                row,
                _vector(spot.amounts),
                placed_at_us=time_us(min(spot.server.placed_at, now)),
                promised_until_us=promised_until_us(until) if until > now else None,
            )
            for row, (spot, until) in enumerate(zip(spots, ends, strict=True))
        ]

    def stage(
        self, spots: Sequence[Spot], short: Amounts, now: float, preferred: Collection[str] = ()
    ) -> Stage | None:
        """Return those of which the next spot goes; None when all together do not suffice.

        Args:
            spots: those that may be evicted, the one placed first first.
            short: what must become free, by resource; without zeros.
            now: time, seconds since the epoch.
            preferred: UUIDs of spots that should be taken before others of their kind.
        """
        others = [spot for spot in spots if self._promised_until(spot.uuid) <= now]
        rest = missing(short, others)
        if not rest:
            return Stage(others, short)
        promised = [spot for spot in spots if self._promised_until(spot.uuid) > now]
        first = [spot for spot in promised if spot.uuid in preferred]
        victims = needed(first, rest)
        if victims is None:
            chosen = self.choose(promised, rest, now)
            victims = None if chosen is None else needed(chosen, rest)
        if victims is None:
            return None
        left = missing(short, victims)
        return Stage(others, left) if left else Stage(victims, short, are_promised=True)

    def promised_last(
        self, newest: Sequence[str], frees: Mapping[str, Amounts], short: Amounts
    ) -> tuple[str, ...]:
        """Return spots in the order in which they are to be evicted where no policy chooses.

        Args:
            newest: their UUIDs, the newest first.
            frees: what each of them frees, by resource.
            short: what must become free.
        """
        promised = [spot for spot in newest if self.is_promised(spot)]
        if not promised:
            return tuple(newest)
        others = [spot for spot in newest if spot not in promised]
        rest = _without(short, (frees[spot] for spot in others))
        first: list[str] = []
        for spot in promised:
            if any(frees[spot].get(each, 0) > 0 for each in rest):
                first.append(spot)
                rest = _without(rest, [frees[spot]])
        # Where promised ones have to go anyway, they may do without the others.
        first_do = bool(first) and not _without(short, (frees[spot] for spot in first))
        order = [*first, *others] if first_do else [*others, *first]
        return (*order, *(spot for spot in promised if spot not in first))


def frees_some(spot: Spot, shortfall: Mapping[str, int]) -> bool:
    """Tell whether evicting a spot frees any of what is short."""
    return any(spot.amounts.get(resource, 0) > 0 for resource in shortfall)


def missing(short: Amounts, spots: Sequence[Spot]) -> dict[str, int]:
    """Return what spots together leave of a shortfall, by resource; without zeros."""
    return _without(short, (spot.amounts for spot in spots))


def needed(spots: Sequence[Spot], short: Amounts) -> list[Spot] | None:
    """Return the spots without those that the others do without; None: all do not suffice."""
    if missing(short, spots):
        return None
    kept = list(spots)
    for spot in spots:
        others = [each for each in kept if each is not spot]
        if not missing(short, others):
            kept = others
    return kept


def _without(short: Amounts, freed: Iterable[Amounts]) -> dict[str, int]:
    left = dict(short)
    for amounts in freed:
        for each in left:
            left[each] -= amounts.get(each, 0)
    return {each: amount for each, amount in left.items() if amount > 0}


def _vector(amounts: Amounts) -> tuple[int, int, int]:
    return (amounts.get(VCPU, 0), amounts.get(MEMORY_MB, 0), amounts.get(DISK_GB, 0))
