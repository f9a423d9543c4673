"""Policies written in Python: their base classes, and how sweep files name them."""

from __future__ import annotations

from cospot.provider.policies.base import Evictor, Filter, Weigher

__all__ = ["Evictor", "Filter", "Weigher"]
