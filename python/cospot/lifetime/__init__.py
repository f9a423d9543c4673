"""Lifetime prediction for the evictor LPML: train models, tell how good they are.

The command line is ``cospot lifetime train`` and ``cospot lifetime eval``; docs/lifetime-model.md
describes the model, its file, and how unknown ends are treated. Training needs scikit-learn, the
plot of an evaluation Matplotlib (``pip install cospot[lifetime]``).
"""

from __future__ import annotations

from cospot.lifetime.model import LifetimeModel, parse_model, read_model
from cospot.lifetime.spots import SpotTable, read_spots
from cospot.lifetime.training import train

__all__ = ["LifetimeModel", "SpotTable", "parse_model", "read_model", "read_spots", "train"]
