"""The Economy class from Python: how much unused capacity can be promised (docs/economy.md).

:func:`plan` and :func:`backtest` run the commands of those names. ARIMA and ETS are statsmodels',
``pip install cospot[economy]``; the program runs ``python -m cospot.economy`` for them.
"""

from __future__ import annotations

from cospot.economy.commands import backtest, plan

__all__ = ["backtest", "plan"]
