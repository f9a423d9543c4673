"""The example with policies written in Python runs in every way there is to start a sweep."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "python_policy"
RUNS = 24  # 3 VM policies x 2 evictors x 2 SAF x 2 OTN, as its sweep.yaml says
WAYS = ("program", "console script", "python -m", "package")

#: What pip makes of `cospot = "cospot.__main__:main"` in pyproject.toml. Python then looks for
#: modules beside this file, not in the current folder.
CONSOLE_SCRIPT = """\
import sys
from cospot.__main__ import main
if __name__ == "__main__":
    sys.exit(main())
"""
PACKAGE_CALL = """\
import sys
import cospot
cospot.compare(sys.argv[1], db=sys.argv[2], csv=sys.argv[3], timing=False)
"""


def console_script(folder: Path) -> Sequence[str | Path]:
    """The installed one, else one like it."""
    installed = Path(sys.executable).parent / "cospot"
    if installed.exists():
        return [installed]
    (folder / "bin").mkdir()
    script = folder / "bin" / "cospot"
    script.write_text(CONSOLE_SCRIPT)
    return [sys.executable, script]


def command_of(
    way: str, folder: Path, sweep: str, csv: Path, request: pytest.FixtureRequest
) -> Sequence[str | Path]:
    db = folder / "out.db"
    if way == "package":
        # As a script, so that the current folder is not where Python looks anyway.
        (folder / "bin").mkdir()
        script = folder / "bin" / "call.py"
        script.write_text(PACKAGE_CALL)
        return [sys.executable, script, sweep, db, csv]
    if way == "program":
        program = request.getfixturevalue("program")
        if not (program.parent / "cospot_python_host.so").exists():
            pytest.skip("the program was built without Python policies")
        start: Sequence[str | Path] = [program]
    elif way == "console script":
        start = console_script(folder)
    else:
        start = [sys.executable, "-m", "cospot"]
    return [*start, "compare", sweep, "--db", db, "--csv", csv, "-q", "--timing", "off"]


@pytest.mark.parametrize("place", ["inside", "outside"])
@pytest.mark.parametrize("way", WAYS)
def test_the_example_runs(
    way: str, place: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    current, sweep = (
        (EXAMPLE, "sweep.yaml")
        if place == "inside"
        else (EXAMPLE.parent, "python_policy/sweep.yaml")
    )
    csv = tmp_path / "out.csv"
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    if way == "program":
        environment = {
            key: value for key, value in environment.items() if not key.startswith("PYTHONP")
        }
    done = subprocess.run(
        command_of(way, tmp_path, sweep, csv, request), cwd=current, env=environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert len(csv.read_text().splitlines()) == 1 + RUNS
