"""The wheel of scripts/build-wheel.sh on a Debian that has Python and none of the libraries."""

import shutil
import ssl
import subprocess

import pytest
import range_server
from conftest import ROOT, require_hardened

COSPOT = "/env/bin/cospot"
CERTIFICATES = "/etc/pki/tls/certs/ca-bundle.crt"  # where Fedora has them, and Debian has not

TAG = "import sys; print('cp%d%d' % sys.version_info[:2])"
LIBRARIES = """
import cospot

print(*(line.split()[-1] for line in open("/proc/self/maps") if ".so" in line))
"""
# Another thread looks at a database while it is written.
SQLITE = """
import contextlib
import os
import sqlite3
import threading

import cospot

study = {
    "workloads": [{"synthetic": "azure2020", "seed": seed, "scale": 0.0003} for seed in range(20)],
    "host": {"vcpus": 10400, "memory_mb": 2250},
    "hosts": [6, 7, 8, 9],
    "vm": ["UTIL", "COS", "DPD"], "spot": "sDPD", "evictor": "FIFO", "saf": False, "otn": 1,
}
writer = threading.Thread(
    target=cospot.compare, args=(study,), kwargs={"db": "/tmp/shared.db", "threads": 1}
)
writer.start()
looks = 0
while writer.is_alive():
    if os.path.exists("/tmp/shared.db"):
        with contextlib.suppress(sqlite3.Error):
            with contextlib.closing(sqlite3.connect("/tmp/shared.db", timeout=0.01)) as connection:
                connection.execute("SELECT count(*) FROM run").fetchone()
            looks += 1
with contextlib.closing(sqlite3.connect("/tmp/shared.db")) as connection:
    print(looks > 0, *connection.execute("SELECT count(*) FROM run").fetchone())
maps = open("/proc/self/maps").read().split()
print("SQLites:", *sorted({path for path in maps if "libsqlite3" in path}))
"""


@pytest.fixture(scope="module")
def machine(base, scratch, wheel_python, request):
    """A machine with that Python, and the wheel in a virtual environment."""
    wheels = scratch / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    wheels.mkdir()
    tag = subprocess.check_output([wheel_python, "-c", TAG], text=True).strip()
    ready, built = map(request.config.getoption, ("--wheels", "--built-wheels"))
    if ready:
        (wheel,) = ready.glob(f"cospot-*-{tag}-{tag}-manylinux*.whl")
        shutil.copy(wheel, wheels)
    else:
        source = [*built.glob(f"cospot-*-{tag}-{tag}-linux*.whl")] if built else []
        build = [ROOT / "scripts" / "build-wheel.sh", "-o", wheels, *(source or [wheel_python])]
        subprocess.run(build, check=True, cwd=ROOT)
        (wheel,) = wheels.glob("cospot-*manylinux*.whl")
    subprocess.run(
        [wheel_python, "-m", "pip", "download", "-q", "--only-binary", ":all:",
         "-d", wheels, "numpy"],
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
    for library in ("libyaml-cpp*", "libfmt*", "libClp*"):
        assert chroot.find(library) == [], "the machine has what the wheel should bring"
    chroot.run(wheel_python, "-m", "venv", "/env")
    chroot.run(
        "/env/bin/pip", "install", "--no-index", "--find-links", "/wheels", f"/wheels/{wheel.name}"
    )
    yield chroot
    shutil.rmtree(chroot.root)


def test_it_brings_its_libraries(machine):
    mapped = set(machine.output("/env/bin/python", "-c", LIBRARIES).split())
    own = {path for path in mapped if "/cospot.libs/" in path}
    for library in ("yaml-cpp", "fmt", "crypto", "curl"):
        assert any(f"lib{library}" in path for path in own), library
    licences = machine.output(
        "sh", "-c", "ls /env/lib/python*/site-packages/cospot-*/licenses/libraries"
    )
    assert {"libyaml-cpp0.7", "libsqlite3-0"} <= set(licences.split())


def test_what_is_compiled_is_hardened(machine):
    require_hardened(
        [machine.path(path) for path in machine.find("_core*.so") if "/cospot/" in path]
    )


def test_editors_see_the_docstrings(machine):
    (stub,) = [path for path in machine.find("_core.pyi") if "/cospot/" in path]
    assert '"""Replay a workload under one' in machine.path(stub).read_text()


def test_it_compares_and_reports(machine):
    machine.write("/tmp/grid.yaml", (ROOT / "examples" / "small_grid.yaml").read_text())
    text = machine.output(COSPOT, "compare", "/tmp/grid.yaml", "--db", "/tmp/grid.db", "--force")
    assert "Policies compared: 1440 runs" in text
    machine.run(COSPOT, "report", "/tmp/grid.db", "-o", "/tmp/report.html")
    read = "import cospot; print(len(cospot.load_results('/tmp/grid.db').configurations))"
    done = machine.run("/env/bin/python", "-c", read, check=False)
    assert done.returncode == 0 or "pandas" in done.stdout  # which is an extra


def test_a_database_can_be_read_while_it_is_written(machine):
    loads = "import _sqlite3; print('libsqlite3' in open('/proc/self/maps').read())"
    if machine.output("/env/bin/python", "-c", loads).strip() == "False":
        pytest.skip("this Python has SQLite compiled in, so there are two (docs/install.md)")
    read = machine.output("/env/bin/python", "-c", SQLITE).splitlines()
    assert read[-2] == "True 240"  # 20 workloads, 4 sizes, 3 policies
    # Python's own, not the one that the wheel brings as well.
    assert read[-1].count("libsqlite3") == 1
    assert "/cospot.libs/" not in read[-1]


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
