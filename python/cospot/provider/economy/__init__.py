"""The Economy class: how much unused capacity can be promised for months (docs/economy.md).

ARIMA and ETS are from statsmodels, ``pip install cospot[economy]``; they run in a separate Python
process (``python -m cospot.provider.economy``).
"""

from __future__ import annotations

from cospot._core import economy_backtest as backtest
from cospot._core import economy_plan as plan
from cospot.provider.economy.promises import (
    Backtest,
    Past,
    Plan,
    Prediction,
    Promise,
    TradeOff,
    Usage,
)

__all__ = [
    "Backtest",
    "Past",
    "Plan",
    "Prediction",
    "Promise",
    "TradeOff",
    "Usage",
    "backtest",
    "plan",
]
