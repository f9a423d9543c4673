"""Concordance: how often the spot predicted to live longer does live longer."""

from __future__ import annotations

import bisect
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cospot.lifetime.spots import Floats


@dataclass(frozen=True)
class Concordance:
    """Counts of pairs; counts of several groups can be added.

    Attributes:
        right: Comparable pairs in the right order; equal predictions count one half.
        pairs: Comparable pairs: it is known which of the two lived longer.
    """

    right: float
    pairs: int

    def __add__(self, other: Concordance) -> Concordance:
        return Concordance(self.right + other.right, self.pairs + other.pairs)

    @property
    def index(self) -> float:
        """Share of pairs in the right order: 1 is perfect, 0.5 is chance; NaN without pairs."""
        return self.right / self.pairs if self.pairs else float("nan")


def count_concordance(
    predicted: Floats, lifetime: Floats, ended: npt.NDArray[np.bool_]
) -> Concordance:
    """Count the correctly predicted orders of pairs (Harrell's C, with censoring).

    A pair is comparable if one spot ended and the other was seen alive later, or at the same time
    without ending then.

    Args:
        predicted: Shape (n,): predicted lifetimes, in any unit.
        lifetime: Shape (n,): observed lifetime.
        ended: Shape (n,): whether it ended then; false: its end is unknown and later (censored).

    Source: Harrell et al., Evaluating the yield of medical tests, JAMA 1982.
    """
    order = np.lexsort((ended, -lifetime))  # longest first; ties: censored ones first
    longer: list[float] = []  # predictions of spots observed longer, sorted
    waiting: list[float] = []  # predictions of spots that ended at the current time
    right, pairs = 0.0, 0
    now = float("nan")
    for row in order:
        if lifetime[row] != now:
            for value in waiting:
                bisect.insort(longer, value)
            waiting, now = [], lifetime[row]
        value = float(predicted[row])
        if not ended[row]:
            bisect.insort(longer, value)
            continue
        above = bisect.bisect_right(longer, value)
        equal = above - bisect.bisect_left(longer, value)
        right += len(longer) - above + equal / 2
        pairs += len(longer)
        waiting.append(value)
    return Concordance(right, pairs)
