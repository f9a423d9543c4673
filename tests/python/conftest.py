"""What the tests of the compiled part share."""

from __future__ import annotations

import os
from pathlib import Path

import cospot
import pytest


@pytest.fixture(scope="session")
def workload() -> cospot.Workload:
    """About 4,900 requests; 34 to 40 hosts of (10400, 2250) are nearly full."""
    return cospot.Workload.generate(seed=1, scale=0.001)


@pytest.fixture(scope="session")
def program() -> Path:
    """The program `cospot` of the same build."""
    path = os.environ.get("COSPOT_PROGRAM", "")
    if not path or not Path(path).exists():
        pytest.skip("COSPOT_PROGRAM does not name the program cospot")
    return Path(path)
