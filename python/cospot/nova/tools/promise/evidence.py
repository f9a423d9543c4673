"""What a history supports: no promise is longer, and none is surer, than what was observed.

Thousands of fictitious spots in one history are no thousands of observations: they share the same
past. For a lifetime of L the history counts as so many independent observations as stretches of L
follow one another in the observed time, and as no more than spots ran in it or fictitious ones were
looked at. A lifetime is promised if the share of fictitious spots that lived shorter would, in so
few observations, still leave the upper end of Clopper and Pearson's interval at or below the
target.
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
#: A quantile so low is the shortest lifetime that ended in an eviction.
_LEAST: Final = 1e-9


def shares_below(targets: Iterable[float]) -> tuple[float, ...]:
    """Return the shares of evicted spots at which lifetimes are looked for, ascending from 0."""
    found = {target * part / _SHARES for target in targets for part in range(1, _SHARES)}
    return (0.0, *sorted(found))


def probability_of(share: float) -> float:
    """Return the probability whose quantile is the lifetime that this share does not reach."""
    return max(share, _LEAST)


@functools.cache
def observations_needed(target: float, share: float = 0.0) -> int | None:
    """Return `cospot.observations_needed`, which takes a search."""
    return cospot.observations_needed(target, share)


def observed_text(history: Mapping[str, Any]) -> str:
    """Return for people how long was observed, from what is in a table of promises."""
    return lifetime_text(86400 * history["days"])


@dataclass(frozen=True)
class Evidence:
    """How long was observed, and how many spots ran meanwhile."""

    observed_us: int
    spots: int

    def seconds(
        self,
        quantiles: cospot.LifetimeQuantiles,
        size: SizeKey,
        slots: int,
        target: float,
        shares: Sequence[float],
        samples: int,
    ) -> float | None:
        """Return the longest lifetime that may be promised; None when none may.

        Args:
            quantiles: of the probabilities of the shares.
            size: of the spot.
            slots: how many of its size fit.
            target: the share of promises that may be broken.
            shares: from `shares_below`, of this target among others.
            samples: of the fictitious spots that were looked at.
        """
        most, longest = min(self.spots, samples), 0
        for share in shares:
            if share >= target:
                break
            needed = observations_needed(target, share)
            if needed is None or needed > most:
                continue
            lifetime_us = quantiles.promised(size, slots, probability_of(share))
            if lifetime_us is not None:
                longest = max(longest, min(lifetime_us, self.observed_us // needed))
        return float(longest // _US) or None  # 0 s are no promise
