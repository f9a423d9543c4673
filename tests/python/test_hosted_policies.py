"""The program `cospot` hosting Python policies: as in the package, and with Debian's Python."""

from __future__ import annotations

import importlib.util
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import cospot
import pytest
from waiting import PATIENCE_S, stored_runs, wait_until

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SWEEP = """\
workloads: {synthetic: azure2020, seed: 1, scale: 0.0003}
host: {vcpus: 10400, memory_mb: 2250}
hosts: 12
vm: "python:policies.Policy"
spot: sUTIL
evictor: FIFO
saf: false
otn: 1
"""
POLICY = """\
import cospot

class Policy(cospot.Weigher):
    def weigh_all(self, hosts, candidates, request):
        return hosts.num_vms[candidates]
"""


@pytest.fixture(scope="session")
def hosting_program(program: Path) -> Path:
    if not (program.parent / "cospot_python_host.so").exists():
        pytest.skip("the program was built without Python policies")
    return program


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sweep.yaml").write_text(SWEEP)
    (tmp_path / "policies.py").write_text(POLICY)
    return tmp_path


def environment(**more: str) -> dict[str, str]:
    """A user's environment: nothing in it says where the package or Python is."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return kept | more


def compare(
    program: Path, sweep: Path, *arguments: str, **more: str
) -> subprocess.CompletedProcess[str]:
    command = [program, "compare", sweep, "-q", "--timing", "off", "--force", *arguments]
    return subprocess.run(
        command, env=environment(**more), capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("example", ["python_policy/sweep.yaml", "nova_today.yaml"])
def test_same_bytes_as_in_the_package(
    hosting_program: Path, tmp_path: Path, example: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if example.startswith("nova") and importlib.util.find_spec("nova") is None:
        pytest.skip("Nova is not installed (Debian: python3-nova)")
    monkeypatch.setattr(sys, "path", list(sys.path))
    found = []
    for threads in ("1", "2"):
        db, csv = tmp_path / f"{threads}.db", tmp_path / f"{threads}.csv"
        done = compare(
            hosting_program, EXAMPLES / example, "-j", threads, "--db", str(db), "--csv", str(csv)
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        found.append(csv.read_bytes())
    package_csv = tmp_path / "package.csv"
    cospot.compare(EXAMPLES / example, db=tmp_path / "p.db", csv=package_csv, timing=False)
    assert found == [package_csv.read_bytes()] * 2
    assert found[0].count(b"\n") > 8


def test_uses_the_python_it_was_built_for(hosting_program: Path, folder: Path) -> None:
    """Neither a python3 that is first in PATH nor an active virtual environment counts."""
    says = "import sys\nprint(sys.prefix, sys.executable, '%d.%d' % sys.version_info[:2])\n"
    (folder / "policies.py").write_text(says + POLICY)
    other = folder / "venv" / "bin" / "python3"
    other.parent.mkdir(parents=True)
    other.write_text("#!/bin/sh\nexit 1\n")
    other.chmod(other.stat().st_mode | stat.S_IXUSR)
    (folder / "venv" / "pyvenv.cfg").write_text("home = /nowhere\nversion = 3.9.1\n")
    done = compare(
        hosting_program, folder / "sweep.yaml", "--db", str(folder / "out.db"),
        PATH=f"{other.parent}:{os.environ['PATH']}", VIRTUAL_ENV=str(folder / "venv"),
        PYENV_VERSION="3.9.1",
    )  # fmt: skip
    # What the policy's module prints comes out, although standard output is no terminal.
    expected = f"{sys.base_prefix} {os.path.realpath(sys.executable)}"
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert done.stderr == ""
    prefix, executable, found_version = done.stdout.split()
    assert f"{prefix} {os.path.realpath(executable)}" == expected
    assert found_version == version


def test_modules_are_found_beside_the_sweep_and_in_pythonpath(
    hosting_program: Path, folder: Path
) -> None:
    library = folder / "library"
    library.mkdir()
    (library / "lent.py").write_text(POLICY)
    (folder / "policies.py").write_text("from lent import Policy\n")
    arguments = ["--db", str(folder / "out.db")]
    done = compare(hosting_program, folder / "sweep.yaml", *arguments, PYTHONPATH=str(library))
    assert (done.returncode, done.stderr) == (0, "")
    done = compare(hosting_program, folder / "sweep.yaml", *arguments)
    assert done.returncode == 2
    assert "ModuleNotFoundError: No module named 'lent' (policies.py:1)" in done.stderr


def test_leaves_the_folder_as_it_was_and_is_not_misled_by_it(
    hosting_program: Path, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (folder / "cospot.py").write_text("raise RuntimeError('the wrong module')\n")
    before = sorted(path.name for path in folder.rglob("*"))
    db = tmp_path_factory.mktemp("results") / "out.db"
    done = compare(hosting_program, folder / "sweep.yaml", "--db", str(db))
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(path.name for path in folder.rglob("*")) == before


def test_ctrl_c_ends_a_long_run_and_keeps_what_is_done(hosting_program: Path, folder: Path) -> None:
    # Sleeps 0.1 s for each of about 2,000 VMs: the second group of runs takes 200 seconds.
    slow = "\n    def weigh_all(self, hosts, candidates, request):\n        time.sleep(0.1)\n"
    (folder / "policies.py").write_text(
        "import time\n"
        + POLICY.replace("\n    def weigh_all(self, hosts, candidates, request):\n", slow)
    )
    sweep = SWEEP.replace('vm: "python:policies.Policy"', 'vm: [UTIL, "python:policies.Policy"]')
    (folder / "sweep.yaml").write_text(sweep)
    db = folder / "out.db"
    with subprocess.Popen(
        [hosting_program, "compare", folder / "sweep.yaml", "-j", "1", "--db", db],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        wait_until(lambda: stored_runs(db) or running.poll() is not None, "the first run")
        running.send_signal(signal.SIGINT)
        interrupted = time.monotonic()
        _, errors = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 130
    assert "interrupted: 1 of 2 runs are in" in errors
    assert time.monotonic() - interrupted < 60


def test_starts_without_python_when_none_is_named(hosting_program: Path) -> None:
    needed = subprocess.run(
        ["ldd", hosting_program], capture_output=True, text=True, check=True
    ).stdout
    assert "libpython" not in needed
    assert "boost" not in needed
