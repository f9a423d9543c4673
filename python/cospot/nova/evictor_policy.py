"""The evictor policies in Nova, shared by the scheduler and the evictor service."""

from __future__ import annotations

import os
from typing import Final

import cospot
from cospot.errors import ConfigError

#: The origin of the policies' times; times far from it are rejected.
_START_OF_2020: Final = 1_577_836_800

#: A cloud has no last day: remaining life counts up to this many days, the range on which models
#: were evaluated.
_LOOKAHEAD_DAYS: Final = 90


def make_evictor_policy(name: str, model: str = "") -> cospot.CompiledEvictor:
    """Make an evictor by name.

    Args:
        name: as in `cospot list evictors`.
        model: file of the lifetime model for an evictor that needs one.

    Raises:
        ConfigError: it is unknown, needs information that Nova does not have, or its model is
        unusable.
    """
    infos = {info.name: info for info in cospot.list_evictors()}
    valid = ", ".join(info.name for info in infos.values() if info.is_for_nova)
    if name not in infos:
        raise ConfigError(f"unknown evictor '{name}'; valid names: {valid}")
    if not infos[name].is_for_nova:
        raise ConfigError(
            f"'{name}' needs to know how long spots will live, which Nova does not tell;"
            f" valid names: {valid}"
        )
    if not infos[name].needs_lifetime_model:
        return cospot.make_evictor(name)
    if not model:
        # The built-in model is for a synthetic workload, not for this cloud's spots.
        raise ConfigError(
            f"'{name}' needs a lifetime model; expected evictor_model, a file that `cospot lifetime"
            " train --kind kaplan-meier` wrote"
        )
    if os.path.exists(model) and not os.path.isfile(model):
        # Opening a named pipe would block until a writer opens it.
        raise ConfigError(f"evictor_model {model} is no regular file")
    return cospot.make_evictor(name, model=model, lookahead_days=_LOOKAHEAD_DAYS)


#: A promise that ends after this counts as endless: policies do not accept such late times.
_LAST_S: Final = _START_OF_2020 + 9_000 * 86_400


def promised_until_us(seconds: float) -> int:
    """Convert the end of a promised lifetime to the policies' time."""
    return cospot.NEVER_US if seconds >= _LAST_S else time_us(seconds)


def time_us(seconds: float) -> int:
    """Convert a time since the epoch to the policies' time."""
    return int((seconds - _START_OF_2020) * 1_000_000)
