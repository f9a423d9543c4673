"""Every plot that docs/python.md tells of exists; tests/docs runs its code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("pandas", reason="pandas is not installed")
pytest.importorskip("matplotlib", reason="matplotlib is not installed")

from cospot import plots

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "python.md"


def test_its_functions_exist() -> None:
    text = DOCUMENT.read_text()
    told = re.findall(r"^\| `plots\.(\w+)\(", text, re.MULTILINE)
    assert sorted(told) == sorted(plots.__all__)
    assert all(callable(getattr(plots, function)) for function in told)
