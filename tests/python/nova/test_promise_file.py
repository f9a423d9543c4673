"""The file of promises: no request waits for one that does not answer."""

from __future__ import annotations

import logging
import os
import re
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from cospot.nova.scheduler import promise_file
from cospot.nova.scheduler.promise_file import PromiseFile
from programs import run_python
from promise_cases import make_table, write_table
from waiting import PATIENCE_S, wait_until

DAY = 86400.0


class Hanging:
    """A file system that does not answer any more; `again` lets it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.again = threading.Event()
        self.reads = 0
        real = promise_file.read_version

        def read(path: str, before: Any) -> Any:
            self.reads += 1
            self.again.wait()
            return real(path, before)

        monkeypatch.setattr(promise_file, "read_version", read)


@pytest.fixture
def hanging(monkeypatch):
    made = Hanging(monkeypatch)
    yield made
    made.again.set()


def test_a_named_pipe_is_refused_at_once(tmp_path):
    path = tmp_path / "promises.json"
    os.mkfifo(path)
    file = PromiseFile(patience=PATIENCE_S)
    began = time.monotonic()
    table, problem = file.look(str(path), DAY)
    assert table is None and problem == f"{path}: it is no regular file"
    assert time.monotonic() - began < PATIENCE_S


def test_a_named_pipe_in_its_place_leaves_the_last_table(tmp_path, caplog):
    path = write_table(tmp_path / "promises.json", make_table(time.time() - 3600))
    file = PromiseFile()
    first = file.table(str(path), DAY)
    assert first is not None and "stale" not in caplog.text
    path.unlink()
    os.mkfifo(path)
    assert file.table(str(path), DAY) is first
    assert "it is no regular file. The table is stale: the one that was read before" in caplog.text
    assert "whose history ended 1 h ago" in caplog.text
    # It counts for as long as it would have without the pipe.
    table, problem = file.look(str(path), 3000.0)
    assert table is None and "it is no regular file" in problem


def test_a_mount_that_hangs_makes_one_request_wait_and_none_after_it(tmp_path, hanging, caplog):
    path = write_table(tmp_path / "promises.json")
    file = PromiseFile(patience=0.2)
    began = time.monotonic()
    assert file.table(str(path), DAY) is None
    assert 0.2 <= time.monotonic() - began < PATIENCE_S
    assert re.search(r"it has not answered for \d+\.\d s \(is its file system hanging", caplog.text)
    assert "Nothing is promised, and no spot is refused" in caplog.text
    began = time.monotonic()
    for _ in range(100):
        assert file.table(str(path), DAY) is None
    assert time.monotonic() - began < 10  # and not 20 s
    assert hanging.reads == 1
    hanging.again.set()
    wait_until(lambda: file.table(str(path), DAY), "the table")


def test_a_mount_that_hangs_later_leaves_the_last_table(tmp_path, monkeypatch, caplog, clock):
    path = write_table(tmp_path / "promises.json")
    clock.now = 100.0
    file = PromiseFile(clock=clock, patience=0.05)
    first = file.table(str(path), DAY)
    hanging = Hanging(monkeypatch)
    write_table(path, make_table(targets=(0.2,)))
    assert file.table(str(path), DAY) is first
    clock.now += 61
    assert file.table(str(path), DAY) is first
    assert "it has not answered for 61.0 s" in caplog.text
    assert caplog.text.count("The table is stale") == 2  # once a minute
    hanging.again.set()
    wait_until(lambda: file.table(str(path), DAY) is not first, "the new table")
    table = file.table(str(path), DAY)
    assert table is not None and list(table.targets) == [0.2]


def test_a_slow_mount_makes_one_request_wait_and_is_read_all_the_same(tmp_path, monkeypatch):
    """Each answer takes longer than a request waits."""
    path = write_table(tmp_path / "promises.json")
    real = promise_file.read_version

    def read(name: str, before: Any) -> Any:
        time.sleep(0.7)
        return real(name, before)

    monkeypatch.setattr(promise_file, "read_version", read)
    file = PromiseFile(patience=0.5)
    assert file.table(str(path), DAY) is None
    for _ in range(3):
        wait_until(lambda: file._look is not None and file._look.is_done, "the late answer")
        began = time.monotonic()
        table, problem = file.look(str(path), DAY)
        assert table is not None and problem == ""
        assert time.monotonic() - began < 0.5
    write_table(path, make_table(targets=(0.2,)))
    wait_until(lambda: list(_targets(file, path)) == [0.2], "the new table")


def _targets(file: PromiseFile, path: Path) -> Any:
    table = file.look(str(path), DAY)[0]
    assert table is not None
    return table.targets


def test_another_file_is_read_while_the_first_hangs(tmp_path, monkeypatch):
    one, two = (write_table(tmp_path / name) for name in ("one.json", "two.json"))
    again, real = threading.Event(), promise_file.read_version

    def read(path: str, before: Any) -> Any:
        if path == str(one):
            again.wait()
        return real(path, before)

    monkeypatch.setattr(promise_file, "read_version", read)
    file = PromiseFile(patience=0.05)
    assert file.table(str(one), DAY) is None
    wait_until(lambda: file.table(str(two), DAY), "the other table")
    again.set()


def test_what_is_broken_leaves_the_last_table_and_what_is_gone_does_not(tmp_path, caplog):
    path = write_table(tmp_path / "promises.json")
    file = PromiseFile(patience=10)
    first = file.table(str(path), DAY)
    path.write_text("{")
    caplog.set_level(logging.INFO)
    assert file.table(str(path), DAY) is first
    assert "cannot be used" in caplog.text and "The table is stale" in caplog.text
    path.unlink()
    table, problem = file.look(str(path), DAY)
    assert table is None and problem == f"{path}: No such file or directory"


GREEN = """
import ctypes
import eventlet

eventlet.monkey_patch()
import os, sys, time
from eventlet import hubs, patcher
from cospot.nova.scheduler import promise_file
from cospot.nova.scheduler.promise_file import PromiseFile

real = promise_file.read_version
way_in, way_out = os.pipe()

def read(path, before):
    # As a hanging mount: the call does not come back, and knows nothing of green threads.
    ctypes.CDLL(None).read(way_in, ctypes.create_string_buffer(1), 1)
    return real(path, before)

promise_file.read_version = read
ticks = []
# A hub is the thread's own, so one that is made elsewhere would serve nobody.
thread = patcher.original("_thread").get_ident
hubs_made, use_hub = [], hubs.use_hub
hubs.use_hub = lambda *args: (hubs_made.append(thread()), use_hub(*args))

def tick():
    while True:
        ticks.append(time.monotonic())
        eventlet.sleep(0.01)

eventlet.spawn(tick)
file = PromiseFile(patience=0.5)
table, problem = file.look(sys.argv[1], 86400.0)
assert table is None and "has not answered" in problem, problem
assert len(ticks) > 10, len(ticks)
os.write(way_out, b"x")
for _ in range(1000):
    if file.look(sys.argv[1], 86400.0)[0] is not None:
        break
    os.write(way_out, b"x")
    eventlet.sleep(0.01)
else:
    raise SystemExit("it did not come back")
assert set(hubs_made) <= {thread()}, hubs_made
print("done")
"""


def test_in_nova_on_eventlet_other_requests_go_on_meanwhile(tmp_path):
    pytest.importorskip("eventlet", reason="needs python3-eventlet")
    path = write_table(tmp_path / "promises.json")
    done = run_python("-c", GREEN, path)
    assert done.stdout == "done\n", done.stderr
