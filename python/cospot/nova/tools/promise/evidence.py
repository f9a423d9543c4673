"""What a history supports: promises no longer and no safer than the observation allows.

Thousands of fictitious spots in one history are not thousands of independent observations: they
share the same past. For a lifetime L and a number of free slots the history counts as the number of
starts at least L apart at times with that many free slots, and at most as the number of spots that
ran or of fictitious spots. A lifetime is promised if, with that few observations, the share of
fictitious spots that lived shorter keeps the upper end of the Clopper-Pearson interval at or below
the target.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import cospot
from cospot.nova.promises.asked_lifetime import lifetime_text
from cospot.nova.promises.promise_table import SizeKey

_US: Final = 1_000_000
_SHARES: Final = 20
#: A quantile this low is the shortest lifetime that ended in an eviction.
_LEAST: Final = 1e-9


def shares_below(targets: Iterable[float]) -> tuple[float, ...]:
    """Return the shares of evicted spots at which to evaluate lifetimes, ascending from 0."""
    found = {target * part / _SHARES for target in targets for part in range(1, _SHARES)}
    return (0.0, *sorted(found))


def probability_of(share: float) -> float:
    """Return the probability whose quantile is the lifetime not reached by this share."""
    return max(share, _LEAST)


@functools.cache
def observations_needed(target: float, share: float = 0.0) -> int | None:
    """Return the cached `cospot.observations_needed`, which is a search."""
    return cospot.observations_needed(target, share)


def observed_text(history: Mapping[str, Any]) -> str:
    """Return the length of observation as text, from a table of promises."""
    return lifetime_text(86400 * history["days"])


@dataclass(frozen=True)
class Evidence:
    """The number of spots that ran in the observed time."""

    spots: int

    def seconds(
        self,
        quantiles: cospot.LifetimeQuantiles,
        size: SizeKey,
        slots: int,
        target: float,
        shares: Sequence[float],
    ) -> float | None:
        """Return the longest lifetime that can be promised; None if there is none.

        Args:
            quantiles: for the probabilities of the shares.
            size: of the spot.
            slots: number of spots of its size that fit.
            target: the share of promises that may be broken.
            shares: from `shares_below`, including this target's.
        """
        longest = 0
        for share in shares:
            if share >= target:
                break
            needed = observations_needed(target, share)
            if needed is None or needed > self.spots:
                continue
            lifetime_us = quantiles.promised(size, slots, probability_of(share))
            if lifetime_us is not None:
                longest = max(longest, min(lifetime_us, quantiles.observed(size, slots, needed)))
        return float(longest // _US) or None  # 0 s is not a promise
