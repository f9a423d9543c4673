"""A bar where a person looks; none anywhere else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from cospot.progress import progress_function

SWEEP = """
import cospot, sys
progress = {"None": None, "True": True, "False": False}[sys.argv[2]]
study = {"workloads": [{"synthetic": "azure2020", "seed": 1, "scale": 0.001}],
         "host": {"vcpus": 10400, "memory_mb": 2250}, "headroom_percent": 2, "vm": ["UTIL", "COS"],
         "spot": "sDPD", "evictor": "FIFO", "saf": False, "otn": [1, 4]}
cospot.compare(study, db=sys.argv[1], progress=progress)
"""


def stderr_of(database: Path, progress: str, *, terminal: bool) -> str:
    command = [sys.executable, "-c", SWEEP, str(database), progress]
    if not terminal:
        return subprocess.run(command, check=True, capture_output=True, text=True).stderr
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stderr=theirs) as child:
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 4096):
                text += part
        except OSError:
            pass  # how Linux says that the other end is closed
        assert child.wait() == 0
    os.close(ours)
    return text.decode()


@pytest.mark.parametrize(
    ("progress", "terminal", "shown"),
    [
        ("None", True, True), ("None", False, False), ("True", False, True), ("False", True, False),
    ],
)  # fmt: skip
def test_who_sees_a_bar(tmp_path: Path, progress: str, terminal: bool, shown: bool) -> None:
    pytest.importorskip("tqdm")
    text = stderr_of(tmp_path / "r.db", progress, terminal=terminal)
    assert ("4/4" in text) == shown, text


def test_without_tqdm_there_is_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert progress_function(True) is None


def test_a_function_is_itself() -> None:
    assert progress_function(print) is print
    with pytest.raises(TypeError, match="progress is of type str, expected a function or a bool"):
        progress_function("yes")
