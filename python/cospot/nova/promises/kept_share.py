"""What counts of promises say of the share that is broken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import cospot
from cospot.nova.promises.journal import PromiseCounts

#: Of the bounds: so sure is each alarm that it is none of chance, were evictions independent.
CONFIDENCE: Final = 0.95


@dataclass(frozen=True)
class BrokenShare:
    """The counts of one target and the bounds of the share of promises that are broken.

    Attributes:
        lower: from all promises: those that are open may be broken yet, so the share of them is no
            lower than this.
        upper: from those whose term is over.
    """

    counts: PromiseCounts
    lower: float
    upper: float

    @property
    def alarm(self) -> bool:
        """Whether more are broken than may be, beyond chance."""
        return self.lower > self.counts.target

    def as_json(self) -> dict[str, Any]:
        """Return it as it is printed with `--format json`."""
        counts = self.counts
        return {
            "target": counts.target,
            "promised": counts.promised,
            "kept": counts.kept,
            "broken": counts.broken,
            "open": counts.open,
            "broken_share_lower": self.lower,
            "broken_share_upper": self.upper,
            "alarm": self.alarm,
        }


def broken_share(counts: PromiseCounts, confidence: float = CONFIDENCE) -> BrokenShare:
    """Return the bounds, by Clopper and Pearson."""
    lower = cospot.eviction_interval(counts.promised, counts.broken, confidence)[0]
    upper = cospot.eviction_interval(counts.due, counts.broken_due, confidence)[1]
    return BrokenShare(counts, lower, upper)
