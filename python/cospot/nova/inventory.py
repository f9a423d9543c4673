"""How much of an inventory placement hands out."""

from __future__ import annotations


def granted(total: int, reserved: int, allocation_ratio: float) -> int:
    """Return how much consumers may hold together; truncated, as placement does it."""
    return int((total - reserved) * allocation_ratio)
