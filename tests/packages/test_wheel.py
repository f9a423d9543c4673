"""The wheel of scripts/build-wheel.sh on a Debian that has Python and none of the libraries."""

import shutil
import ssl
import subprocess

import pytest
import range_server
from conftest import ROOT, without_libraries

COSPOT = "/env/bin/cospot"
CERTIFICATES = "/etc/pki/tls/certs/ca-bundle.crt"  # where Fedora has them, and Debian has not

TAG = "import sys; print('cp%d%d' % sys.version_info[:2])"
LIBRARIES = """
import sqlite3

import cospot

for line in open("/proc/self/maps"):
    if ".so" in line and ("cospot" in line or "sqlite" in line):
        print(line.split()[-1])
"""


@pytest.fixture(scope="module")
def machine(base, scratch, wheel_python, request):
    """A machine with that Python, and the wheel in a virtual environment."""
    wheels = scratch / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    wheels.mkdir()
    if ready := request.config.getoption("--wheels"):
        tag = subprocess.check_output([wheel_python, "-c", TAG], text=True).strip()
        (wheel,) = ready.glob(f"cospot-*-{tag}-{tag}-manylinux*.whl")
        shutil.copy(wheel, wheels)
    else:
        build = ROOT / "scripts" / "build-wheel.sh"
        subprocess.run([build, "-o", wheels, wheel_python], check=True, cwd=ROOT)
        (wheel,) = wheels.glob("cospot-*manylinux*.whl")
    subprocess.run(
        [wheel_python, "-m", "pip", "download", "-q", "--only-binary", ":all:", "-d", wheels, "numpy"],
        check=True,
    )  # fmt: skip
    chroot = base.copy(scratch / "machine")
    chroot.mounts[wheels] = "/wheels"
    if wheel_python == "/usr/bin/python3":
        chroot.install("python3-venv")
    else:  # one that is in a folder of its own
        prefix = subprocess.check_output(
            [wheel_python, "-c", "import sys; print(sys.base_prefix)"], text=True
        ).strip()
        chroot.mounts[prefix] = prefix
    chroot.run(wheel_python, "-m", "venv", "/env")
    chroot.run("/env/bin/pip", "install", "--no-index", "--find-links", "/wheels", f"/wheels/{wheel.name}")
    without_libraries_but_the_wheels(chroot)
    yield chroot
    shutil.rmtree(chroot.root)


def without_libraries_but_the_wheels(chroot):
    found = chroot.path("/env").rename(chroot.root.with_name("env"))
    without_libraries(chroot)
    found.rename(chroot.path("/env"))


def test_it_brings_its_libraries(machine):
    mapped = set(machine.output("/env/bin/python", "-c", LIBRARIES).split())
    own = {path for path in mapped if "/cospot.libs/" in path}
    for library in ("yaml-cpp", "fmt", "crypto", "curl", "sqlite3"):
        assert any(f"lib{library}" in path for path in own), library
    # Python's own SQLite is another copy in the same process (docs/results-format.md).
    licences = machine.output("sh", "-c", "ls /env/lib/python*/site-packages/cospot-*/licenses/libraries")
    assert "libyaml-cpp0.7" in licences


def test_it_compares_and_reports(machine):
    machine.write("/tmp/grid.yaml", (ROOT / "examples" / "small_grid.yaml").read_text())
    text = machine.output(COSPOT, "compare", "/tmp/grid.yaml", "--db", "/tmp/grid.db", "--force")
    assert "432 runs of 2 workloads" in text
    machine.run(COSPOT, "report", "/tmp/grid.db", "-o", "/tmp/report.html")
    read = "import cospot; print(len(cospot.load_results('/tmp/grid.db').configurations))"
    done = machine.run("/env/bin/python", "-c", read, check=False)
    assert done.returncode == 0 or "pandas" in done.stdout  # which is an extra


def test_it_finds_certificates_where_debian_has_none(machine, scratch):
    # Without them: what libcurl, built on Debian, would look for.
    machine.run("rm", "-rf", "/etc/ssl/certs")
    key, certificate = scratch / "key.pem", scratch / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=local", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    with range_server.RangeServer({"/trace.csv": b"a trace"}, tls=tls) as server:
        fetch = (COSPOT, "workload", "fetch", f"{server.url}/trace.csv", "--to", "/tmp/fetched")
        refused = machine.run(*fetch, check=False)
        assert refused.returncode == 2
        assert "certificate" in refused.stdout
        machine.write(CERTIFICATES, certificate.read_text())
        machine.run(*fetch)
    assert machine.path("/tmp/fetched/trace.csv").read_bytes() == b"a trace"


def test_it_can_be_removed(machine):
    machine.run("/env/bin/pip", "check")
    machine.run("/env/bin/pip", "uninstall", "-q", "-y", "cospot")
    assert [path for path in machine.find("*cospot*") if path.startswith("/env")] == []
