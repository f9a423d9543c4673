"""The evictor policies inside Nova: the scheduler and the evictor service use the same ones."""

from __future__ import annotations

import os
from typing import Final

import cospot
from cospot.errors import ConfigError

#: Times are given to the policies from here on; far from it they are refused.
_START_OF_2020: Final = 1_577_836_800

#: A cloud has no last day: life is counted to so many days from now, as far as models were judged.
_LOOKAHEAD_DAYS: Final = 90


def make_evictor_policy(name: str, model: str = "") -> cospot.CompiledEvictor:
    """Make an evictor by its name.

    Args:
        name: as in `cospot list evictors`.
        model: file of the lifetime model for an evictor that needs one.

    Raises:
        ConfigError: it is unknown, needs what Nova does not tell, or its model cannot be used.
    """
    infos = cospot.list_evictors()
    if any(info.name == name and not info.is_for_nova for info in infos):
        valid = " or ".join(info.name for info in infos if info.is_for_nova)
        raise ConfigError(
            f"'{name}' needs to know how long spots will live, which Nova does not tell;"
            f" expected {valid}"
        )
    if not any(info.name == name and info.needs_lifetime_model for info in infos):
        return cospot.make_evictor(name)
    if not model:
        # What is built in knows a synthetic workload, not the spots of this cloud.
        raise ConfigError(
            f"'{name}' needs a lifetime model; expected evictor_model, a file that `cospot lifetime"
            " train --kind kaplan-meier` wrote"
        )
    if os.path.exists(model) and not os.path.isfile(model):
        # A named pipe would keep whoever opens it waiting for a writer.
        raise ConfigError(f"evictor_model {model} is no regular file")
    return cospot.make_evictor(name, model=model, lookahead_days=_LOOKAHEAD_DAYS)


#: A promise that ends later than this never ends: a policy is told no times so late.
_LAST_US: Final = 9_000 * 86_400 * 1_000_000


def promised_until_us(seconds: float) -> int:
    """Return until when a spot is promised to live as the policies are told it."""
    moment = time_us(seconds)
    return moment if moment < _LAST_US else cospot.NEVER_US


def time_us(seconds: float) -> int:
    """Return a time since the epoch as the policies are told it."""
    return int((seconds - _START_OF_2020) * 1_000_000)
