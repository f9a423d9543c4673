"""The lifetime that a spot asks for: how users write it, and how it is displayed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

#: Name of the scheduler hint, and of the extra spec of a flavor.
NAME: Final = "cospot:lifetime"
#: The maximum promise: 100 years.
MOST_SECONDS: Final = 100 * 365 * 86400.0

_UNITS: Final[Mapping[str, float]] = {
    "s": 1,
    "m": 60,
    "min": 60,
    "h": 3600,
    "d": 86400,
    "w": 604800,
}
_PART: Final = r"\d{1,12}(?:\.\d{1,6})?"
_WHOLE: Final = re.compile(rf"{_PART}|(?:{_PART}\s*(?:min|s|m|h|d|w)\s*)+")
_PARTS: Final = re.compile(rf"({_PART})\s*(min|s|m|h|d|w)?")
_EXPECTED: Final = "seconds, or a number with s, min, h, d or w, such as 3h or 1h 30min"


class LifetimeError(ValueError):
    """A text that is not a lifetime; says what was expected."""


def read_lifetime(text: str) -> float:
    """Parse a lifetime; return seconds.

    Args:
        text: "5400", "90min", "1.5h", "1h 30min".

    Raises:
        LifetimeError: it is not a lifetime, is 0, or exceeds 100 years.
    """
    shown = f"{text!r:.60}"
    if not text.isascii() or not _WHOLE.fullmatch(text.strip()):
        raise LifetimeError(f"found {shown}, expected {_EXPECTED}")
    parts = _PARTS.findall(text)
    seconds = sum(float(number) * _UNITS[unit or "s"] for number, unit in parts)
    if not 0 < seconds <= MOST_SECONDS:
        raise LifetimeError(f"found {shown}, expected more than 0 s and at most 100 years")
    return seconds


def asked_lifetime(spec: Any) -> float | None:
    """Return the lifetime that a request for a spot asks for, seconds; None if it asks for none.

    The user's hint takes precedence over the flavor's extra spec, the default set by an
    administrator.

    Args:
        spec: Nova's RequestSpec.

    Raises:
        LifetimeError: the value is not a lifetime.
    """
    if is_hinted(spec):
        given = spec.scheduler_hints[NAME]
        values = [given] if isinstance(given, str) else list(given)
        if len(values) != 1:
            raise LifetimeError(f"found {len(values)} values, expected one")
        return read_lifetime(values[0])
    default = (spec.flavor.extra_specs or {}).get(NAME)
    return None if default is None else read_lifetime(default)


def is_hinted(spec: Any) -> bool:
    """Tell whether a request asks by a hint of its own, which takes precedence over its flavor."""
    return "scheduler_hints" in spec and (spec.scheduler_hints or {}).get(NAME) is not None


def lifetime_text(seconds: float) -> str:
    """Return a lifetime as text, rounded down: "45 s", "12 min", "3 h 20 min", "5 d 2 h"."""
    minutes, hours = int(seconds // 60), int(seconds // 3600)
    if minutes < 1:
        return f"{int(seconds)} s"
    if hours < 1:
        return f"{minutes} min"
    if hours < 48:
        return _two(hours, "h", minutes % 60, "min")
    return _two(hours // 24, "d", hours % 24, "h")


def _two(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large} {large_unit}" + (f" {small} {small_unit}" if small else "")
