"""The evictor policies inside Nova: the scheduler and the evictor service use the same ones."""

from __future__ import annotations

from typing import Final

import cospot
from cospot.errors import ConfigError

#: Times are given to the policies from here on; far from it they are refused.
_START_OF_2020: Final = 1_577_836_800


def make_evictor_policy(name: str) -> cospot.CompiledEvictor:
    """Make an evictor by its name.

    Raises:
        ConfigError: it is unknown, or needs what Nova does not tell.
    """
    infos = cospot.list_evictors()
    if any(info.name == name and not info.is_for_nova for info in infos):
        valid = " or ".join(info.name for info in infos if info.is_for_nova)
        raise ConfigError(
            f"'{name}' needs to know how long spots will live, which Nova does not tell;"
            f" expected {valid}"
        )
    return cospot.make_evictor(name)


def time_us(seconds: float) -> int:
    """Return a time since the epoch as the policies are told it."""
    return int((seconds - _START_OF_2020) * 1_000_000)
