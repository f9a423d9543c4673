"""Switches and limits of the evictor service, its configuration and its audit log."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cospot.nova.evictor import command
from cospot.nova.state.errors import AuditError
from cospot.nova.state.records import AuditLog
from cospot.nova.state.safeguards import Refusal
from evictor_running import Running, limits_of, metric, write_configuration
from waiting import PATIENCE_S, wait_until


def overcommit(running: Running, spots: int, projects: int = 1) -> list[str]:
    """A host of 8 vCPUs with a VM of 8 and so many spots of 1, all of which must be evicted."""
    host = running.cloud.add_host("a")
    made = [
        running.cloud.add(host, 1, 1, spot=True, project_id=f"{number % projects:032x}")
        for number in range(spots)
    ]
    running.cloud.add(host, 8, 1, spot=False)
    return made


def test_a_dry_run_only_writes_down_what_it_would_do(running):
    spots = overcommit(running, 2)
    running.start(dry_run=True)
    wait_until(lambda: len(running.events("would_evict")) >= 2, "the records")
    running.reconciles(5)
    assert running.cloud.orders == []
    written = [each["instance"] for each in running.events("would_evict")]
    assert written == spots  # once each, however often the host is reconciled


def test_the_file_stops_evictions_at_once_and_lets_them_go_on(running):
    spots = overcommit(running, 1)
    switch = running.folder / "stop"
    switch.touch()
    service = running.start(disable_file=switch)
    wait_until(lambda: metric(service, "refusals_total", reason="disabled") > 0, "the refusal")
    running.reconciles()
    assert running.cloud.orders == [] and metric(service, "enabled") == 0
    assert len(running.events("held_back")) == 1
    switch.unlink()
    wait_until(lambda: running.cloud.deleted == spots, "the spot is evicted")


def test_a_file_that_cannot_be_seen_stops_evictions(running, monkeypatch, caplog):
    """A folder above it may be closed to the service, as those of others are by its unit."""
    spots = overcommit(running, 1)
    switch = str(running.folder / "closed" / "stop")
    lstat, is_closed = os.lstat, [True]

    def of_no_root(path: Any, **more: Any) -> os.stat_result:
        if is_closed[0] and str(path) == switch:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return lstat(path, **more)

    monkeypatch.setattr("cospot.nova.state.safeguards.os.lstat", of_no_root)
    caplog.set_level("INFO")
    service = running.start(disable_file=switch)
    wait_until(lambda: metric(service, "refusals_total", reason="disabled") > 0, "the refusal")
    running.reconciles()
    assert running.cloud.orders == [] and metric(service, "enabled") == 0
    said = f"evictions are off: whether the file {switch} exists cannot be seen: Permission denied"
    assert said in caplog.text
    is_closed[0] = False
    wait_until(lambda: running.cloud.deleted == spots, "the spot is evicted")


def test_a_spot_that_is_gone_when_it_is_ordered_is_no_eviction(running):
    spots = overcommit(running, 1)

    def before(method: str, path: str) -> int | None:
        if method == "POST":
            running.cloud.remove(spots[0])
        return None

    running.cloud.before = before
    service = running.start()
    wait_until(lambda: bool(running.events("gone")), "the record")
    running.reconciles()
    assert metric(service, "evictions_total", cause="reconcile") == 0
    assert running.events("freed", "failed") == []


def test_limits_hold_back_and_let_go_on(running):
    spots = overcommit(running, 5)
    service = running.start(evictions_per_minute=2)
    wait_until(lambda: metric(service, "limit_hits_total", limit="limit") > 0, "the limit")
    running.reconciles(3)
    assert running.cloud.deleted == spots[:2]
    assert len(running.events("held_back")) == 1


def test_a_project_at_its_limit_does_not_hold_back_another(running):
    overcommit(running, 4, projects=2)
    service = running.start(evictions_per_minute_per_project=1)
    wait_until(lambda: len(running.cloud.deleted) == 2, "one of each project is evicted")
    running.reconciles(3)
    gone = {running.cloud.instances[each].project_id for each in running.cloud.deleted}
    assert len(running.cloud.deleted) == len(gone) == 2
    assert metric(service, "limit_hits_total", limit="project-limit") > 0


def test_tokens_come_back_evenly(clock):
    # 6 a minute: after 6 at once one more every 10 s.
    limits = limits_of(clock, evictions_per_minute=6)
    assert [limits.take("p") for _ in range(6)] == [None] * 6
    assert limits.take("p") == (Refusal.LIMIT, 10.0)
    clock.now = 9.5
    assert limits.take("p") == (Refusal.LIMIT, pytest.approx(0.5))
    clock.now = 10.0
    assert limits.take("p") is None
    clock.now = 10_000.0
    assert [limits.take("p") for _ in range(7)][-1] == (Refusal.LIMIT, 10.0)


def test_nothing_is_evicted_while_the_audit_log_cannot_be_written(running):
    overcommit(running, 1)
    running.start(audit_log="/dev/full")
    running.reconciles(5)
    assert running.cloud.orders == []


def start_process(path: Path) -> subprocess.Popen[bytes]:
    log = (path.parent / "log").open("ab")
    return subprocess.Popen(
        [sys.executable, "-m", "cospot.nova.evictor", "--config-file", str(path)],
        stderr=log,
        stdout=log,
    )


def test_sighup_reads_the_switches_again_and_opens_the_audit_log_anew(running):
    spots = overcommit(running, 1)
    path = write_configuration(running.folder, running.server.url, enabled=False)
    process = start_process(path)
    try:
        running.reconciles()
        assert running.cloud.orders == []
        audit = running.folder / "state" / "audit.jsonl"
        wait_until(lambda: "held_back" in audit.read_text(), "the record")
        os.rename(audit, running.folder / "rotated")
        write_configuration(running.folder, running.server.url, enabled=True)
        process.send_signal(signal.SIGHUP)
        wait_until(lambda: running.cloud.deleted == spots, "the spot is evicted")
        wait_until(lambda: bool(running.events("freed")), "the new log")
        assert "intent" not in (running.folder / "rotated").read_text()
    finally:
        process.terminate()
        assert process.wait(PATIENCE_S) == 0


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"evictor": "OLDEST"}, "valid names: FIFO"),
        ({"evictor": "LPO"}, "needs to know how long spots will live"),
        ({"evictor": "LPKM"}, "needs a lifetime model; expected evictor_model"),
        ({"evictor": "LPKM", "evictor_model": "/nowhere/m.txt"}, "/nowhere/m.txt"),
        ({"resources": "VCPU,GPU"}, "resources"),
        ({"workers": 0}, "workers"),
        ({"mode": "eager"}, "mode"),
        ({"mode": "proactive"}, "proactive needs a reserve"),
        ({"reserve": "agg"}, "expected aggregate:vcpus:memory_mb"),
        ({"reserve": "agg:1"}, "expected vcpus:memory_mb"),
        ({"reserve": "agg:0:0"}, "not both sizes 0"),
        ({"reserve": "agg:1:67108865"}, "expected numbers up to 67108864"),  # 2^26
        ({"reserve": "a:1:1,a:2:2"}, "named twice"),
        ({"default_reserve": "1:x"}, "default_reserve"),
        ({"coordination_url": "nonsense://"}, "coordination_url"),
        ({"audit_log": "/nowhere/at/all"}, "/nowhere/at/all: No such file"),
        ({"state_path": "/proc/nowhere"}, "state_path"),
    ],
)
def test_a_bad_setting_is_one_error(tmp_path, settings, expected, capsys):
    path = write_configuration(tmp_path, "http://127.0.0.1:1", **settings)
    assert command.main(["--config-file", str(path)]) == 2
    error = capsys.readouterr().err
    assert expected in error and error.count("\n") == 1 and error.startswith("cospot-evictor: ")


def test_missing_credentials_are_one_error(tmp_path, capsys):
    path = tmp_path / "empty.conf"
    path.write_text(f"[cospot_evictor]\nstate_path = {tmp_path}/state\n")
    assert command.main(["--config-file", str(path)]) == 2
    assert "[placement] auth_type: not set" in capsys.readouterr().err
    assert not (tmp_path / "state").exists()
    path.write_text(f"[cospot_evictor]\nstate_path = {tmp_path}\n[nova]\nauth_type = magic\n")
    assert command.main(["--config-file", str(path)]) == 2
    assert "magic" in capsys.readouterr().err


def test_a_missing_file_and_an_unknown_argument_are_errors(tmp_path, capsys):
    assert command.main(["--config-file", str(tmp_path / "none.conf")]) == 2
    assert "none.conf" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        command.main(["--nonsense"])
    assert stopped.value.code == 2


# -- an audit log that cannot be written for a while: nothing is lost of it, nothing garbled ------


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
