"""The flags with which what is shipped is compiled, read in what a build has made."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import cospot._core
import pytest

CHECK = Path(__file__).parents[1] / "packages" / "check-hardening.sh"


def test_program_and_libraries_are_hardened(program: Path) -> None:
    if shutil.which("readelf") is None or not CHECK.exists():
        pytest.skip("readelf or the clone is missing")
    files = [program, Path(cospot._core.__file__), *program.parent.glob("*.so")]
    symbols = subprocess.check_output(["readelf", "--dyn-syms", "-W", program], text=True)
    if "__asan_init" in symbols:
        pytest.skip("a build with sanitizers has other checks")
    done = subprocess.run([CHECK, *files], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stderr
