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


def text_of(seconds: float) -> str:
    """Return seconds since the epoch as a time of UTC: 2026-05-01T00:00:00Z."""
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def offset_text_of(seconds: float) -> str:
    """Return the same with the offset from UTC: 2026-05-01T00:00:00+00:00."""
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="seconds")


def seconds_of(text: str) -> float:
    """Parse a time as moment_of() does to seconds since the epoch."""
    return moment_of(text).timestamp()
