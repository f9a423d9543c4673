"""The month's records in the evictor's audit logs, including rotated ones."""

from __future__ import annotations

import gzip
import math
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cospot.nova.signals.audit_tail import AuditRecord, records_of
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

    def take(self, records: Iterable[AuditRecord]) -> None:
        """Process records, whatever their order."""
        for at, event, instance, fields in sorted(records, key=lambda each: each.at):
            if event == _BROKEN:
                self.broken.setdefault(instance, at)
                continue
            if event == "intent":
                self.projects[instance] = str(fields.get("project_id") or "")
            self.evictions.setdefault(instance, SpotEvictions()).take(event, fields, at)

    def of(self, instance: str) -> Sequence[Eviction]:
        """Return the evictions of a spot, in order of time."""
        found = self.evictions.get(instance)
        return () if found is None else found.all

    @property
    def eviction_times(self) -> list[float]:
        """The first order of each eviction that happened as far as the logs tell, ascending."""
        found = (each for spot in self.evictions.values() for each in spot.all)
        return sorted(each.at for each in found if each.is_sure)


def read_log(path: Path) -> AuditHistory:
    """Read one audit log, without its rotated files.

    Raises:
        OSError: It is not there, or cannot be read.
    """
    history = AuditHistory(files=[path])
    history.take(_records(path, history))
    return history


def read_history(paths: Sequence[Path]) -> AuditHistory:
    """Read audit logs with their rotated files: `log.1`, `log-20261001.gz` ..."""
    history = AuditHistory()
    records: list[AuditRecord] = []
    for path in paths:
        for file in _with_rotated(path, history.problems):
            try:
                records.extend(_records(file, history))
                history.files.append(file)
            except FileNotFoundError:
                history.problems.append(f"there is no audit log at {file} here")
            except (OSError, EOFError, zlib.error) as error:
                why = getattr(error, "strerror", None) or error
                history.problems.append(f"audit log {file}: cannot be read to its end: {why}")
    history.take(records)
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


def _records(path: Path, history: AuditHistory) -> Iterator[AuditRecord]:
    """Yield the records of a file that matter, and note in `history` when they begin."""
    with path.open("rb") as file:
        lines: Iterable[bytes] = gzip.GzipFile(fileobj=file) if path.suffix == ".gz" else file
        for record in records_of(lines):
            history.since = min(history.since, record.at)
            if record.event in EVENTS or record.event == _BROKEN:
                yield record
