"""The evictor policies inside Nova: the scheduler and the evictor service use the same ones."""

from __future__ import annotations

from typing import Final

import cospot
from cospot.errors import ConfigError

#: Times are given to the policies from here on; far from it they are refused.
_START_OF_2020: Final = 1_577_836_800
#: Policies that weigh how long each spot would have lived, which Nova does not know.
_NEED_LIFETIMES: Final = frozenset({"LPO", "LPML"})


def make_evictor_policy(name: str) -> cospot.CompiledEvictor:
    """Make an evictor by its name.

    Raises:
        ConfigError: it is unknown, or needs what Nova does not tell.
    """
    if name in _NEED_LIFETIMES:
        raise ConfigError(
            f"'{name}' needs to know how long spots will live, which Nova does not tell;"
            " expected FIFO or YJF"
        )
    return cospot.make_evictor(name)


def time_us(seconds: float) -> int:
    """Return a time since the epoch as the policies are told it."""
    return int((seconds - _START_OF_2020) * 1_000_000)
