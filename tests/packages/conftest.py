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

from chroot import DEBIAN_12, UBUNTU_24_04, Chroot, why_impossible  # noqa: E402  (after its folder)


def require_hardened(files):
    """Read in compiled files of a package whether they are hardened."""
    done = subprocess.run(
        [HERE / "check-hardening.sh", *files], stderr=subprocess.PIPE, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


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
    parser.addoption(
        "--ubuntu", action="store_true", help="test Debian packages that are built on Ubuntu 24.04"
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
def base(scratch, request):
    if reason := why_impossible():
        pytest.skip(reason)
    is_ubuntu = request.config.getoption("--ubuntu")
    name = "ubuntu-archives" if is_ubuntu else "debian-archives"
    cache = Path(os.environ.get("COSPOT_PACKAGES_CACHE") or ROOT / "build" / name)
    return Chroot.make(scratch / "base", cache, UBUNTU_24_04 if is_ubuntu else DEBIAN_12)


@pytest.fixture(scope="session")
def nova_base(base, scratch):
    """A machine with the distribution's nova-scheduler, to copy. No unit runs there."""
    chroot = base.copy(scratch / "nova")
    # Compiling the files of 300 packages takes longer than all the rest, and tests nothing of ours.
    compiler = chroot.path("/usr/bin/py3compile")
    kept = compiler.with_name("py3compile.kept")
    compiler.rename(kept)
    compiler.symlink_to("/bin/true")
    chroot.install("nova-scheduler", "systemd")
    compiler.unlink()
    kept.rename(compiler)
    return chroot


def build_in(builder, folder):
    """Build the packages with the compiler and the libraries of another system."""
    source = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True)
    builder.path("/cospot").mkdir()
    subprocess.run(["tar", "x", "-C", builder.path("/cospot")], input=source.stdout, check=True)
    builder.run("scripts/install-dependencies.sh", cwd="/cospot", timeout=1500)
    builder.install("dpkg-dev", "file")
    builder.run("scripts/build-deb.sh", "-o", "/packages", cwd="/cospot", timeout=5400)
    shutil.copytree(builder.path("/packages"), folder)
    shutil.rmtree(builder.root)
    return folder


@pytest.fixture(scope="session")
def packages(scratch, request):
    """The folder of the Debian packages."""
    if ready := request.config.getoption("--debs"):
        return ready.resolve()
    folder = scratch / "packages"
    if request.config.getoption("--ubuntu"):
        return build_in(request.getfixturevalue("base").copy(scratch / "builder"), folder)
    subprocess.run([ROOT / "scripts" / "build-deb.sh", "-o", folder], check=True, cwd=ROOT)
    return folder
