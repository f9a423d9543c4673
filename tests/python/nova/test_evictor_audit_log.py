"""An audit log that cannot be written for a while: nothing is lost of it, and nothing garbled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cospot.nova.state.errors import AuditError
from cospot.nova.state.records import AuditLog
from evictor_running import metric
from waiting import wait_until


def readable(path: Path) -> list[str]:
    found = []
    for line in path.read_text().splitlines():
        try:
            found.append(json.loads(line)["event"])
        except ValueError:
            continue
    return found


def test_a_record_begins_a_line_though_the_last_one_was_torn(tmp_path):
    path = tmp_path / "audit.jsonl"
    log, other = AuditLog(str(path)), AuditLog(str(path))
    log.write("first")
    with path.open("a") as file:  # as a full disk, or the death of another copy, leaves it
        file.write('{"time":"2026')
    other.write("second")
    log.write("third")
    assert readable(path) == ["first", "second", "third"]


def test_what_was_freed_is_written_once_the_log_can_be_written(running, monkeypatch):
    host, _ = running.full_host(1)
    running.cloud.add(host, 4, 1024, spot=False)
    write, refused = AuditLog.write, [0]

    def no_space(self: AuditLog, event: str, **fields: Any) -> None:
        if event == "freed" and refused[0] < 3:
            refused[0] += 1
            raise AuditError("no space left on device")
        write(self, event, **fields)

    monkeypatch.setattr(AuditLog, "write", no_space)
    service = running.start()
    wait_until(lambda: bool(running.events("freed")), "it is written after all")
    assert refused == [3]
    wait_until(lambda: metric(service, "delete_to_freed_seconds_count") == 1, "it is counted, once")
