"""The scripts that measure are run by hand or once a day: they start, from anywhere."""

from pathlib import Path

import pytest
from programs import run_python

TESTS = Path(__file__).resolve().parents[2]
SCRIPTS = sorted([*TESTS.glob("nova/measure_*.py"), *TESTS.glob("bench/bench_*.py")])


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_it_starts_and_says_what_it_takes(script, tmp_path):
    done = run_python(script, "--help", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "usage:" in done.stdout
