"""What the tests of the pages share, and what they print at the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import clone
import pytest
import what_runs


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stand-ins for the public data, made by the program of the build."""
    if not clone.PROGRAM.is_file():
        pytest.skip("COSPOT_PROGRAM does not name the program cospot")
    folder = tmp_path_factory.mktemp("data")
    clone.make_data(folder)
    return folder


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say what is not run, and why: here, since a worker's output is lost."""
    for line in what_runs.report():
        terminalreporter.write_line(line)
