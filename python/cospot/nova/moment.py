"""Dates and times as Nova, people and our own records write them."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from typing import Final

# datetime takes +01:99 for +02:39.
_OFFSET: Final = re.compile(r"[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?$")


def moment_of(text: str) -> datetime:
    """Parse a time in ISO 8601, of UTC unless it has an offset.

    Raises:
        ValueError: it is none.
    """
    found = datetime.fromisoformat(text.removesuffix("Z"))
    if found.tzinfo is None:
        return found.replace(tzinfo=timezone.utc)
    if text.endswith("Z") or not _OFFSET.search(text):
        raise ValueError(f"{text!r} has no offset from UTC such as +02:00")
    return found


def seconds_of(text: str) -> float:
    """Parse a time as moment_of() does to seconds since the epoch."""
    return moment_of(text).timestamp()
