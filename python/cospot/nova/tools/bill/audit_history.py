"""The month's records in the evictor's audit logs, including rotated ones."""

from __future__ import annotations

import gzip
import math
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cospot.nova.line_file import objects, seconds_of
from cospot.nova.spot_evictions import EVENTS, Eviction, SpotEvictions

_BROKEN: Final = "promise_broken"


@dataclass
class AuditHistory:
    """The contents of audit logs.

    Attributes:
        files: The files read.
        since: The time of their first record, seconds since the epoch; infinite if there is none.
        problems: What could not be read, or is missing.
        evictions: By the spot's UUID.
        broken: When a spot's promise was broken, by its UUID.
        projects: Of evicted spots, by UUID.
    """

    files: list[Path] = field(default_factory=list)
    since: float = math.inf
    problems: list[str] = field(default_factory=list)
    evictions: dict[str, SpotEvictions] = field(default_factory=dict)
    broken: dict[str, float] = field(default_factory=dict)
    projects: dict[str, str] = field(default_factory=dict)

    def take(self, event: str, record: Mapping[str, Any], at: float) -> None:
        """Process a record; records of one spot must be in order of time."""
        instance = str(record.get("instance"))
        if event == _BROKEN:
            self.broken.setdefault(instance, at)
            return
        if event == "intent":
            self.projects[instance] = str(record.get("project_id") or "")
        self.evictions.setdefault(instance, SpotEvictions()).take(event, record, at)

    def of(self, instance: str) -> Sequence[Eviction]:
        """Return the evictions of a spot, in order of time."""
        found = self.evictions.get(instance)
        return () if found is None else found.all


def read_history(paths: Sequence[Path]) -> AuditHistory:
    """Read audit logs with their rotated files: `log.1`, `log-20261001.gz` ..."""
    history = AuditHistory()
    records: list[tuple[float, int, str, Mapping[str, Any]]] = []
    for path in paths:
        for file in _with_rotated(path, history.problems):
            try:
                for record in _records(file):
                    at = seconds_of(record.get("time"))
                    if at is None:
                        continue
                    history.since = min(history.since, at)
                    event = str(record.get("event"))
                    if event in EVENTS or event == _BROKEN:
                        records.append((at, len(records), event, record))
                history.files.append(file)
            except FileNotFoundError:
                history.problems.append(f"there is no audit log at {file} here")
            except (OSError, EOFError, zlib.error) as error:
                why = getattr(error, "strerror", None) or error
                history.problems.append(f"audit log {file}: cannot be read to its end: {why}")
    for at, _, event, record in sorted(records, key=lambda each: each[:2]):
        history.take(event, record, at)
    return history


def _with_rotated(path: Path, problems: list[str]) -> list[Path]:
    """Return the files of a log, the current one last; it may be missing."""
    pattern = re.compile(rf"{re.escape(path.name)}[.-]([0-9][0-9A-Za-z_:-]*)(\.gz)?")
    found = {}
    try:
        for file in path.parent.iterdir():
            match = pattern.fullmatch(file.name)
            if match:
                found[file] = match[1]
            elif file.name.startswith((f"{path.name}.", f"{path.name}-")):
                problems.append(
                    f"{file} is not read: expected text, or .gz, as in {path.name}.1.gz"
                )
    except OSError:
        pass  # then the log is missing too
    numbers = {int(mark) for mark in found.values() if re.fullmatch(r"[0-9]{1,4}", mark)}
    missing = sorted(set(range(1, max(numbers, default=0))) - numbers)
    if missing:
        problems.append(f"of the rotated audit logs {path}.{missing[0]} is missing")
    return [*sorted(found), path]


def _records(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open("rb") as file:
        lines: Iterable[bytes] = gzip.GzipFile(fileobj=file) if path.suffix == ".gz" else file
        yield from objects(lines)
