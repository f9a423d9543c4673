"""Statistics of the share of broken promises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import cospot
from cospot.nova.promises.journal import PromiseCounts

#: Confidence of the bounds: that an alarm is not due to chance, if evictions are independent.
CONFIDENCE: Final = 0.95


@dataclass(frozen=True)
class BrokenShare:
    """The counts of one target, with bounds of the share of broken promises.

    Attributes:
        lower: from all promises: open ones may still be broken, so the share is at least this.
        upper: from promises whose term is over.
    """

    counts: PromiseCounts
    lower: float
    upper: float

    @property
    def alarm(self) -> bool:
        """True if significantly more promises are broken than allowed."""
        return self.lower > self.counts.target

    def as_json(self) -> dict[str, Any]:
        """Return the object printed with `--format json`."""
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
    """Return the Clopper-Pearson bounds."""
    lower = cospot.eviction_interval(counts.promised, counts.broken, confidence)[0]
    upper = cospot.eviction_interval(counts.due, counts.broken_due, confidence)[1]
    return BrokenShare(counts, lower, upper)
