"""Life curves: remaining lifetimes computed from a sequence of hazards.

The same arithmetic as guarantees/life_curve.cpp, on whole arrays.
"""

from __future__ import annotations

import numpy as np

from cospot.lifetime.spots import Floats

_LEAST_SURVIVAL = 1e-250


def survival_at_edges(hazards: Floats) -> Floats:
    """Return the share of spots that reach each edge.

    Args:
        hazards: Shape (n, k).

    Returns:
        Shape (n, k + 1); the first column is 1.
    """
    ones = np.ones((len(hazards), 1))
    survival = np.concatenate([ones, np.cumprod(1 - hazards, axis=1)], axis=1)
    floored: Floats = np.maximum(survival, _LEAST_SURVIVAL)
    return floored


def _at(edges: Floats, survival: Floats, rest: Floats, age: Floats) -> tuple[Floats, Floats]:
    """Return survival and mean rest (to the last edge) at one age per row, all shape (n,)."""
    rows = np.arange(len(age))
    interval = np.minimum(np.searchsorted(edges, age, side="right") - 1, len(edges) - 2)
    beyond = age >= edges[-1]
    before, after = survival[rows, interval], survival[rows, interval + 1]
    left = np.where(beyond, 0.0, edges[interval + 1] - age)
    here = after + (before - after) * left / (edges[interval + 1] - edges[interval])
    area = left * (here + after) / 2
    left_rest = (area + after * rest[rows, interval + 1]) / here
    return here, np.where(beyond, 0.0, left_rest)


def survival_at(edges: Floats, hazards: Floats, age: Floats) -> Floats:
    """Return the share of spots that reach an age.

    Args:
        edges: Shape (k + 1,), seconds, from 0.
        hazards: Shape (n, k).
        age: Shape (n,), seconds.

    Returns:
        Shape (n,).
    """
    survival = survival_at_edges(hazards)
    return _at(edges, survival, np.zeros_like(survival), age)[0]


def expected_rest(edges: Floats, hazards: Floats, age: Floats, limit: Floats) -> Floats:
    """Return the mean remaining life of spots that reach an age, counted to an age limit.

    Ends are spread evenly within an interval; after the last edge there are none.

    Args:
        edges: Shape (k + 1,), seconds, from 0.
        hazards: Shape (n, k).
        age: Shape (n,), seconds from 0.
        limit: Shape (n,), seconds: lifetime beyond this age does not count.

    Returns:
        Shape (n,), seconds, from 0 to ``limit - age``.
    """
    survival = survival_at_edges(hazards)
    widths = np.diff(edges)
    rest = np.zeros_like(survival)
    for k in range(len(widths), 0, -1):
        staying = survival[:, k] / survival[:, k - 1]
        rest[:, k - 1] = widths[k - 1] * (1 + staying) / 2 + staying * rest[:, k]
    here, left = _at(edges, survival, rest, age)
    there, left_there = _at(edges, survival, rest, np.minimum(limit, edges[-1]))
    beyond = np.maximum(limit - np.maximum(age, edges[-1]), 0.0)
    value = left - there / here * left_there + beyond * survival[:, -1] / here
    clipped: Floats = np.clip(value, 0.0, np.maximum(limit - age, 0.0))
    return clipped
