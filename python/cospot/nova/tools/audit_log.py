"""Reads the end of the evictor's audit log (docs/nova/evictor.md has its format).

Tolerant: what is no record of an eviction is passed over, as newer versions may write more.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from cospot.nova.line_file import seconds_of

#: Not read from further back: enough for thousands of evictions.
_MOST_BYTES: Final = 8 << 20
_FIRST_EVENTS: Final = {"intent": "ordered", "would_evict": "dry run"}
_LAST_EVENTS: Final = frozenset({"freed", "failed", "gone", "late"})


@dataclass(frozen=True)
class Eviction:
    """An eviction as the log tells it.

    Attributes:
        time: When it was ordered, ISO 8601, UTC.
        cause: What for: a plan, a look at all hosts, a reserve.
        for_instance: The VM that needs the room; empty when it is not known.
        state: ordered, late (its room is not free in time), freed, failed, gone (its owner was
            faster) or dry run.
        seconds: From the order until its room was free; None until then.
    """

    time: str
    instance: str
    name: str
    host: str
    cause: str
    for_instance: str
    state: str
    seconds: float | None = None


def last_evictions(path: Path, count: int) -> list[Eviction]:
    """Return the latest evictions, newest first.

    Args:
        path: Of the log.
        count: At most so many.

    Raises:
        OSError: The file is not there, or cannot be read.
    """
    evictions: dict[str, Eviction] = {}
    for record in _records(path):
        event, instance = str(record.get("event")), str(record.get("instance"))
        if event in _FIRST_EVENTS:
            # Asked for again, an eviction moves to the end.
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


@dataclass(frozen=True)
class EvictionTimes:
    """When spots were evicted, seconds since the epoch.

    Attributes:
        since: when the log begins; infinite where it is empty.
        times: of the orders that were not given up.
    """

    since: float
    times: Sequence[float]


def eviction_times(path: Path) -> EvictionTimes:
    """Return when spots were evicted, of the whole log.

    Raises:
        OSError: The file is not there, or cannot be read.
    """
    since = math.inf
    ordered: dict[str, float] = {}
    for record in _records(path, whole=True):
        event, instance = str(record.get("event")), str(record.get("instance"))
        at = seconds_of(record.get("time"))
        if at is None:
            continue
        since = min(since, at)
        if event == "intent":
            # Asked for again, it is one eviction, of when it was asked for first.
            ordered.setdefault(instance, at)
        elif event == "failed":
            ordered.pop(instance, None)
    return EvictionTimes(since, sorted(ordered.values()))


def _records(path: Path, *, whole: bool = False) -> Iterator[Mapping[str, Any]]:
    with path.open("rb") as file:
        if whole:
            yield from objects(file)
            return
        size = file.seek(0, 2)
        file.seek(max(0, size - _MOST_BYTES))
        lines = file.read().splitlines()
    yield from objects(lines)


def objects(lines: Iterable[bytes]) -> Iterator[Mapping[str, Any]]:
    """Yield the records among some lines; what is none is passed over."""
    for line in lines:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):  # the first line may be cut, the last one unfinished
            continue
        if isinstance(record, dict):
            yield record


def _eviction(record: Mapping[str, Any], state: str) -> Eviction:
    def text(key: str) -> str:
        value = record.get(key)
        return "" if value is None else str(value)

    return Eviction(
        time=text("time"),
        instance=text("instance"),
        name=text("name"),
        host=text("host"),
        cause=text("cause"),
        for_instance=text("for_instance"),
        state=state,
    )
