"""Reads the end of the evictor's audit log (docs/nova/operating.md has its format).

Tolerant: skips whatever is not a record of an eviction, since newer versions may write more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from cospot.nova.line_file import objects

#: Maximum number of bytes read from the end: enough for thousands of evictions.
_MOST_BYTES: Final = 8 << 20
_FIRST_EVENTS: Final = {"intent": "ordered", "would_evict": "dry run"}
_LAST_EVENTS: Final = frozenset({"freed", "failed", "gone", "late"})


@dataclass(frozen=True)
class LastEviction:
    """An eviction from the log.

    Attributes:
        time: When it was ordered, ISO 8601, UTC.
        cause: A plan, a reconcile, or a reserve.
        for_instance: The VM that needs the capacity; empty if unknown.
        state: ordered, late (its capacity was not freed in time), freed, failed, gone (its owner
            or an earlier order deleted it first) or dry run.
        seconds: From the order until its capacity was free; None until then.
    """

    time: str
    instance: str
    name: str
    host: str
    cause: str
    for_instance: str
    state: str
    seconds: float | None = None


def last_evictions(path: Path, count: int) -> list[LastEviction]:
    """Return the latest evictions, newest first.

    Args:
        path: Of the log.
        count: The maximum number.

    Raises:
        OSError: The file is not there, or cannot be read.
    """
    evictions: dict[str, LastEviction] = {}
    for record in _records(path):
        event, instance = str(record.get("event")), str(record.get("instance"))
        if event in _FIRST_EVENTS:
            # A repeated order moves the eviction to the end.
            evictions.pop(instance, None)
            evictions[instance] = _eviction(record, _FIRST_EVENTS[event])
        elif event in _LAST_EVENTS and instance in evictions:
            seconds = record.get("seconds")
            evictions[instance] = replace(
                evictions[instance],
                state=event,
                seconds=seconds if isinstance(seconds, int | float) else None,
            )
    return list(evictions.values())[::-1][:count]


def _records(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _MOST_BYTES))
        lines = file.read().splitlines()
    yield from objects(lines)


def _eviction(record: Mapping[str, Any], state: str) -> LastEviction:
    names = ("time", "instance", "name", "host", "cause", "for_instance")
    values = {name: record.get(name) for name in names}
    texts: dict[str, Any] = {
        name: "" if value is None else str(value) for name, value in values.items()
    }
    return LastEviction(**texts, state=state)
