"""examples/nova/guest: a guest acts on the notice that the evictor writes into its metadata."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from programs import run_python
from sample_files import ROOT
from served import Served
from waiting import wait_until

FOLDER: Final = ROOT / "examples" / "nova" / "guest"
PROGRAM: Final = FOLDER / "cospot-notice"
TIME: Final = "2026-10-03T14:30:00+00:00"
LATER: Final = "2026-10-03T15:00:00+00:00"


class MetadataServer:
    """Answers as Nova's metadata service does; counts the questions."""

    def __init__(self) -> None:
        self.body = b""
        self.status = 200
        self.questions = 0
        self.set({})
        self.server = Served(self.answer)
        self.url = f"{self.server.url}/openstack/latest/meta_data.json"

    def answer(self, *_: object) -> tuple[int, bytes]:
        self.questions += 1
        return self.status, self.body

    def set(self, meta: dict[str, str]) -> None:
        """Have these entries in the server's metadata. Nova leaves out `meta` if there are none."""
        self.status = 200
        document = {"uuid": "5", "name": "worker", **({"meta": meta} if meta else {})}
        self.body = json.dumps(document).encode()


class Guest:
    """The program, with a command that writes down what it was called with."""

    def __init__(self, folder: Path, metadata: MetadataServer, ends_with: int) -> None:
        self.metadata = metadata
        self.calls_file = folder / "calls"
        self.calls_file.touch()
        command = folder / "command"
        command.write_text(f'#!/bin/sh\necho "$@" >> {self.calls_file}\nexit {ends_with}\n')
        command.chmod(0o755)
        self.log = folder / "log"
        arguments = ["--url", metadata.url, "--interval", "0.05", str(command), "our", "words"]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(PROGRAM), *arguments],
                stdout=log,
                stderr=subprocess.STDOUT,
                # A proxy of the environment is not asked.
                env={**os.environ, "http_proxy": "http://127.0.0.1:9"},
            )
        self.sees()

    def calls(self) -> list[str]:
        return self.calls_file.read_text().splitlines()

    def sees(self) -> None:
        """Wait until it has acted on what the server says now.

        The third question from now on comes after an answer to one asked from now on.
        """
        before = self.metadata.questions
        wait_until(lambda: self.metadata.questions >= before + 3)


@pytest.fixture
def metadata():
    made = MetadataServer()
    yield made
    made.server.close()


@pytest.fixture
def start(tmp_path, metadata):
    guests: list[Guest] = []

    def make(ends_with: int = 0) -> Guest:
        guests.append(Guest(tmp_path, metadata, ends_with))
        return guests[-1]

    yield make
    for guest in guests:
        guest.process.kill()
        guest.process.wait()


def test_a_notice_runs_the_command_once(metadata, start):
    guest = start()
    metadata.set({"role": "worker"})
    guest.sees()
    assert guest.calls() == []
    metadata.set({"role": "worker", "cospot_evict_at": TIME})
    guest.sees()
    guest.sees()
    assert guest.calls() == [f"our words notice {TIME}"]


def test_a_withdrawal_and_another_notice_are_told(metadata, start):
    metadata.set({"cospot_evict_at": TIME})
    guest = start()
    metadata.set({})
    guest.sees()
    metadata.set({"cospot_evict_at": LATER})
    guest.sees()
    expected = [f"notice {TIME}", "withdrawn", f"notice {LATER}"]
    assert guest.calls() == [f"our words {each}" for each in expected]


@pytest.mark.parametrize(
    ("status", "body"), [(500, b""), (404, b""), (200, b"<html>"), (200, b"[]"), (200, b"\xff")]
)
def test_an_answer_that_says_nothing_withdraws_nothing(metadata, start, status, body):
    metadata.set({"cospot_evict_at": TIME})
    guest = start()
    metadata.status, metadata.body = status, body
    guest.sees()
    metadata.set({"cospot_evict_at": TIME})
    guest.sees()
    assert guest.calls() == [f"our words notice {TIME}"]
    assert guest.log.read_text().count("cannot read") == 1


def test_a_command_that_fails_ends_nothing(metadata, start):
    guest = start(ends_with=3)
    metadata.set({"cospot_evict_at": TIME})
    guest.sees()
    metadata.set({})
    guest.sees()
    assert guest.calls() == [f"our words notice {TIME}", "our words withdrawn"]
    assert "ended with 3" in guest.log.read_text()


@pytest.mark.parametrize(
    "arguments", [[], ["--interval", "0", "true"], ["--interval", "x", "true"]]
)
def test_bad_usage_is_one_error(arguments):
    done = run_python(PROGRAM, *arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_the_entry_is_the_one_that_the_evictor_writes():
    pytest.importorskip("oslo_messaging", reason="needs python3-oslo.messaging")
    pytest.importorskip("keystoneauth1", reason="needs python3-keystoneauth1")
    pytest.importorskip("prometheus_client", reason="needs python3-prometheus-client")
    from cospot.nova.evictor.notices import METADATA_KEY, NOTICE_EVENT, WITHDRAWN_EVENT

    assert re.findall(r'^KEY = "(.*)"$', PROGRAM.read_text(), re.MULTILINE) == [METADATA_KEY]
    page = (ROOT / "docs" / "nova" / "customers.md").read_text()
    for name in (METADATA_KEY, NOTICE_EVENT, WITHDRAWN_EVENT):
        assert f"`{name}`" in page


def test_the_unit_runs_what_the_readme_installs():
    unit = (FOLDER / "cospot-notice.service").read_text()
    readme = (FOLDER / "README.md").read_text()
    (line,) = re.findall(r"^ExecStart=(.*)$", unit, re.MULTILINE)
    for path in line.split():
        folder, name = path.rsplit("/", 1)
        assert (FOLDER / name).stat().st_mode & 0o111
        assert f"install -m 0755 {name} {folder}/\n" in readme


@pytest.mark.parametrize("words", [["notice", TIME], ["withdrawn"]])
def test_the_sample_command_takes_both_calls(tmp_path, words):
    logged = tmp_path / "logged"
    logger = tmp_path / "logger"
    logger.write_text(f'#!/bin/sh\necho "$@" >> {logged}\n')
    logger.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run([FOLDER / "on-eviction-notice", *words], check=True, env=environment)
    assert ("will be evicted" in logged.read_text()) == (words[0] == "notice")
