"""The packages, and the Debian that they are installed into."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path += [str(HERE), str(ROOT / "tests" / "workloads")]

from chroot import Chroot, why_impossible  # noqa: E402  (after its folder)


def pytest_addoption(parser):
    parser.addoption(
        "--wheel-python", action="append", help="an interpreter to test a wheel for, of several"
    )
    parser.addoption("--wheels", type=Path, help="the folder of wheels that are built already")
    parser.addoption(
        "--built-wheels", type=Path, help="the folder of wheels that only pip has built"
    )
    parser.addoption(
        "--debs", type=Path, help="the folder of Debian packages that are built already"
    )


def pytest_generate_tests(metafunc):
    if "wheel_python" in metafunc.fixturenames:
        pythons = metafunc.config.getoption("--wheel-python") or ["/usr/bin/python3"]
        metafunc.parametrize("wheel_python", pythons, scope="module")


@pytest.fixture(scope="session")
def scratch():
    """A folder for whole machines, which does not stay."""
    folder = Path(tempfile.mkdtemp(prefix="machines.", dir=ROOT / "build"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def base(scratch):
    if reason := why_impossible():
        pytest.skip(reason)
    cache = Path(os.environ.get("COSPOT_PACKAGES_CACHE") or ROOT / "build" / "debian-archives")
    return Chroot.make(scratch / "base", cache)


@pytest.fixture(scope="session")
def packages(scratch, request):
    """The folder of the Debian packages."""
    if ready := request.config.getoption("--debs"):
        return ready.resolve()
    folder = scratch / "packages"
    subprocess.run([ROOT / "scripts" / "build-deb.sh", "-o", folder], check=True, cwd=ROOT)
    return folder
