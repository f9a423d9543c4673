"""Promised lifetimes (docs/lifetime-sla.md): quotes for a spot that starts now."""

from __future__ import annotations

from dataclasses import dataclass

from cospot._core import quote_lifetimes as quote

__all__ = ["Quotes", "SizeQuote", "quote"]

#: Seconds; infinity: no eviction within that time was observed; None: no promise is possible.
Lifetime = float | None


@dataclass(frozen=True)
class SizeQuote:
    """The lifetimes to quote to spots of one size."""

    vcpus: int
    memory_mb: int
    slots_now: int  #: number that fit now
    lives_at_least_s: list[Lifetime]  #: the estimate for each probability of `Quotes.evicted`
    #: The same, capped at what the history supports with 95 % confidence: what may be promised.
    supported_s: list[Lifetime]
    slots: list[float]  #: numbers of free slots; an estimate applies from one up to the next
    samples: list[int]  #: observed lifetimes, for each of `slots`
    quantiles_s: list[list[Lifetime]]  #: for each probability of `Quotes.evicted`, by `slots`


@dataclass(frozen=True)
class Quotes:
    """The quotes of one moment."""

    at_s: float  #: in trace time, seconds
    spot_delay_s: float  #: delay added to the spots' request times
    spots: int  #: spots that had started by then
    evictions: int  #: of those spots
    #: the target by which spots were admitted; None: all that fit, as where nothing is promised
    admitted_by: float | None
    evicted: list[float]  #: probabilities of an eviction: the study's targets
    sizes: list[SizeQuote]
