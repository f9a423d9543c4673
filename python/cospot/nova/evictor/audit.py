"""The audit log: one JSON object a line, only ever appended to, on disk before the deed."""

from __future__ import annotations

import json
import os
import socket
import threading
from datetime import datetime, timezone
from typing import Any

from cospot.nova.evictor.errors import AuditError


class AuditLog:
    """Appends records; several copies of the service may share the file.

    One write per record with O_APPEND: records of several processes do not mix, and a process that
    is killed leaves at most its last line unfinished.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._who = f"cospot-evictor@{socket.gethostname()}:{os.getpid()}"
        self._lock = threading.Lock()
        self._file = -1
        self.reopen()

    def reopen(self) -> None:
        """Open the file anew, after it was rotated, or for the first time.

        Raises:
            AuditError: it cannot be opened for appending.
        """
        try:
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o640)
        except OSError as error:
            raise AuditError(f"audit log {self._path}: {error.strerror}") from error
        with self._lock:
            old, self._file = self._file, file
        if old >= 0:
            os.close(old)

    def write(self, event: str, **fields: Any) -> None:
        """Append a record and wait until it is on disk.

        Args:
            event: what happened; docs/nova/evictor.md lists the events and their fields.
            fields: JSON values.

        Raises:
            AuditError: it could not be written.
        """
        moment = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        record = {"time": moment, "event": event, "who": self._who, **fields}
        line = json.dumps(record, separators=(",", ":"), default=str).encode() + b"\n"
        with self._lock:
            try:
                written = os.write(self._file, line)
                os.fsync(self._file)
            except OSError as error:
                raise AuditError(f"audit log {self._path}: {error.strerror}") from error
        if written != len(line):
            raise AuditError(f"audit log {self._path}: only {written} of {len(line)} bytes written")
