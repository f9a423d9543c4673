"""Lifetime prediction for the evictors LPML and LPKM: trains and evaluates models.

The command line is ``cospot lifetime train`` and ``cospot lifetime eval``; docs/lifetime-model.md
describes the models, their files, and the treatment of unknown ends. Training a network requires
scikit-learn, plotting an evaluation Matplotlib (``pip install cospot[lifetime]``).
"""

from __future__ import annotations

from cospot.lifetime.model import LifetimeModel, parse_model, read_model
from cospot.lifetime.spots import SpotTable, read_spots
from cospot.lifetime.survival_model import SurvivalModel, parse_survival_model, train_survival
from cospot.lifetime.training import train

__all__ = [
    "LifetimeModel",
    "SpotTable",
    "SurvivalModel",
    "parse_model",
    "parse_survival_model",
    "read_model",
    "read_spots",
    "train",
    "train_survival",
]
