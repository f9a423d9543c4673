"""Types of option values; argparse prints the error in one line with the option's name."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import datetime
from typing import Final

from cospot.nova.moment import moment_of

#: Maximum length of the input quoted in an error.
_MOST_SHOWN: Final = 60


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Return a parser for a whole number in a range."""

    def read(text: str) -> int:
        digits = text.lstrip("0") or "0"
        # A longer number is not parsed at all: Python refuses very long ones.
        if text.isdecimal() and len(digits) <= len(str(most)) and least <= int(text) <= most:
            return int(text)
        raise _unexpected(text, f"a whole number from {least} to {most}")

    return read


def number(least: float, most: float) -> Callable[[str], float]:
    """Return a parser for a number in a range."""

    def read(text: str) -> float:
        try:
            found = float(text)
        except ValueError:
            found = float("nan")
        if least <= found <= most:  # false for nan
            return found
        raise _unexpected(text, f"a number from {least:g} to {most:g}")

    return read


def moment(first: datetime, last: datetime) -> Callable[[str], float]:
    """Return a parser for a time in ISO 8601 (default UTC) that gives Unix time."""

    def read(text: str) -> float:
        try:
            found = moment_of(text)
        except ValueError:
            raise _unexpected(text, "such as 2026-05-01 or 2026-05-01T00:00 (UTC)") from None
        if not first <= found <= last:
            raise _unexpected(text, f"a time from {first:%Y-%m-%d} to {last:%Y-%m-%d}")
        return found.timestamp()

    return read


def add_list(parser: argparse._ActionsContainer, option: str, metavar: str, text: str) -> None:
    """Add an option that may be given again; none is an empty list."""
    parser.add_argument(option, metavar=metavar, action="append", default=[], help=text)


def _unexpected(text: str, expected: str) -> argparse.ArgumentTypeError:
    shown = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
    return argparse.ArgumentTypeError(f"'{shown}', expected {expected}")
