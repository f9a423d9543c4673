"""Spots for the tests of lifetime models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from cospot.lifetime.spots import SpotTable


def spots_of(
    lives: Sequence[tuple[float, float]],
    flavors: Sequence[int] | None = None,
    previous: Sequence[float] | None = None,
) -> SpotTable:
    """Make spots from (requested_s, ended_s); a flavor is a number of vcpus."""
    times = np.array(lives, dtype=np.float64).reshape(-1, 2)
    ones = np.ones(len(times), dtype=np.int64)
    return SpotTable(
        np.array(flavors, dtype=np.int64) if flavors is not None else ones,
        ones,
        0 * ones,
        times[:, 0],
        times[:, 1],
        np.array(previous) if previous is not None else np.full(len(times), np.nan),
    )


def two_kinds(count: int, seed: int = 3) -> SpotTable:
    """Make spots of two flavors over 10 days: half live minutes, half about half a day."""
    random = np.random.default_rng(seed)
    requested = np.sort(random.uniform(-86400, 10 * 86400, count))
    flavor = random.integers(1, 3, count)
    life = random.exponential(np.where(flavor == 1, 600.0, 40000.0))
    previous = np.where(random.uniform(size=count) < 0.5, np.nan, life * 1.1)
    return spots_of(
        np.stack([requested, requested + life], axis=1).tolist(), flavor.tolist(), previous.tolist()
    )


def exponential_spots(count: int, mean_days: float, watched_days: float, seed: int) -> SpotTable:
    """Make spots that come evenly and live exponentially; later ends than day N are unknown."""
    random = np.random.default_rng(seed)
    requested = np.sort(random.uniform(0, watched_days * 86400, count))
    ended = requested + random.exponential(mean_days * 86400, count)
    ended[ended > watched_days * 86400] = np.inf
    return spots_of(np.stack([requested, ended], axis=1).tolist())
