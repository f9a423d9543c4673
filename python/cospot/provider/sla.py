"""Promised lifetimes (docs/lifetime-sla.md): what a spot that starts now can be told."""

from __future__ import annotations

from dataclasses import dataclass

from cospot._core import quote_lifetimes as quote

__all__ = ["Quotes", "SizeQuote", "quote"]

#: Seconds; infinity: nobody was evicted that long; None: nothing can be promised.
Lifetime = float | None


@dataclass(frozen=True)
class SizeQuote:
    """The lifetimes to quote to spots of one size."""

    vcpus: int
    memory_mb: int
    slots_now: int  #: how many of them fit now
    lives_at_least_s: list[Lifetime]  #: the estimate for each probability of `Quotes.evicted`
    #: The same, no longer than the history supports with 95 % confidence: what may be promised.
    supported_s: list[Lifetime]
    slots: list[float]  #: numbers of free slots: an estimate holds from one up to the next
    samples: list[int]  #: lifetimes that were seen, for each of `slots`
    quantiles_s: list[list[Lifetime]]  #: for each probability of `Quotes.evicted`, by `slots`


@dataclass(frozen=True)
class Quotes:
    """The quotes of one moment."""

    at_s: float  #: seconds of trace time
    spot_delay_s: float  #: by how much later than in their file spots were asked for
    spots: int  #: that had started by then
    evictions: int  #: of them
    evicted: list[float]  #: probabilities of an eviction: the study's targets
    sizes: list[SizeQuote]
