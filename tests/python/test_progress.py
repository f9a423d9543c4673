"""A bar where a person looks; none anywhere else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import warnings
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import cast

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


def test_without_tqdm_there_is_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.std", None)
    show = progress_function(True)
    assert show is not None
    for done in (0, 1, 1, 1000, 2000):  # 1 of 2000 is no further percent
        show(done, 2000)
    assert capsys.readouterr().err == (
        "\r  0% of 2,000 runs\r 50% of 2,000 runs\r100% of 2,000 runs\n"
    )


class ZMQInteractiveShell:
    """The shell of a notebook, to those who look at its name."""


@pytest.mark.parametrize("has_tqdm", [False, True])
def test_a_notebook_without_widgets_shows_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], has_tqdm: bool
) -> None:
    shell = type("Shell", (ZMQInteractiveShell,), {})()  # as of hosted notebooks
    ipython = SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", cast("ModuleType", ipython))
    monkeypatch.setattr("cospot.progress.find_spec", lambda _: None)
    if has_tqdm:
        pytest.importorskip("tqdm")
    else:
        monkeypatch.setitem(sys.modules, "tqdm.std", None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        show = progress_function(None)
        assert show is not None
        show(4, 4)
    assert "100%" in capsys.readouterr().err


def test_a_function_is_itself() -> None:
    assert progress_function(print) is print
    with pytest.raises(TypeError, match="progress is of type str, expected a function or a bool"):
        progress_function("yes")
