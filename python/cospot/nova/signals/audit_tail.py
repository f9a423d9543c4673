"""Follows the evictor's audit log: which spots were evicted since the last call."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from cospot.nova.line_file import objects, seconds_of


class AuditRecord(NamedTuple):
    """A record: its time (seconds since the epoch), event and instance, and all its fields."""

    at: float
    event: str
    instance: str
    fields: Mapping[str, Any]


class AuditTail:
    """Not thread-safe. Follows the log across rotation by renaming.

    Args:
        path: of the log.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._file: BinaryIO | None = None

    def new(self) -> Iterator[AuditRecord]:
        """Yield each new record.

        Raises:
            OSError: it cannot be read; a missing log is not an error.
        """
        yield from self._records()
        if self._is_another():
            self.close()
            yield from self._records()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _is_another(self) -> bool:
        """Tell whether the path now refers to another file than the open one."""
        if self._file is None:
            return False
        try:
            now = self._path.stat()
        except FileNotFoundError:
            return False
        return not os.path.samestat(now, os.fstat(self._file.fileno()))

    def _records(self) -> Iterator[AuditRecord]:
        if self._file is None:
            try:
                self._file = self._path.open("rb")
            except FileNotFoundError:
                return
        if os.fstat(self._file.fileno()).st_size < self._file.tell():
            self._file.seek(0)  # truncated, as by logrotate's copytruncate
        while True:
            start = self._file.tell()
            line = self._file.readline()
            if not line.endswith(b"\n"):  # the end, or an incomplete line
                self._file.seek(start)
                return
            yield from records_of([line])


def records_of(lines: Iterable[bytes]) -> Iterator[AuditRecord]:
    """Yield the records among some lines of an audit log."""
    for record in objects(lines):
        when = seconds_of(record.get("time"))
        if when is not None and "event" in record:
            yield AuditRecord(when, str(record["event"]), str(record.get("instance", "")), record)
