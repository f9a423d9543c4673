"""Every command and every long call ends promptly when interrupted, and leaves nothing behind.

What is started here would take minutes, or for ever. A test interrupts it in the middle and gives
it far longer to end than it needs, so that a busy machine makes no difference.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from waiting import wait_until

INTERRUPTED = 130
PROMPTLY_S = 60.0
SOME_WORK_S = 0.5

ZONE = "azure2020:seed=1:scale=1"
#: Scans two million hosts for every VM.
SLOW_SWEEP = """\
workloads: {synthetic: azure2020, seed: 1, scale: 0.01}
host: {vcpus: 10400, memory_mb: 2250}
hosts: 2000000
vm: RAMWeigher
spot: sDPD
evictor: FIFO
saf: false
otn: 1
"""
#: Reads a workload that never comes to an end.
ENDLESS_SWEEP = SLOW_SWEEP.replace("{synthetic: azure2020, seed: 1, scale: 0.01}", "endless.csv")

PIPES: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
#: By what is interrupted: the arguments. {folder} holds what `folder` makes.
COMMANDS = {
    "generating": "workload generate azure2020 --scale 1 -o {folder}/zone.csv.gz",
    "reading a file": "workload info {folder}/endless.csv",
    "waiting for a pipe": "workload info {folder}/silent.csv",
    "converting": "workload convert {folder}/endless.csv -o {folder}/out.csv.gz",
    "sampling": "workload sample {folder}/endless.csv --probability 0.1 -o {folder}/out.csv",
    "reconstructing": "workload reconstruct {folder}/silent.csv -o {folder}/out.csv",
    "fetching": "workload fetch azure-packing --to {folder}/fetched --url {url}",
    "sizing": "size {folder}/crowd.csv --vm RAMWeigher --host 3,3",
    "generating to size": "size {zone} --vm RAMWeigher --host 10400,2250",
    "run": "run {folder}/slow.yaml --events {folder}/events.csv.gz",
    "compare": "compare {folder}/slow.yaml --db {folder}/out.db -q",
    "compare, reading": "compare {folder}/endless.yaml --db {folder}/out.db -q",
    "tune": "tune {zone} --host 10400,2250 --csv {folder}/out.csv --db {folder}/out.db",
    "training": "lifetime train azure2020:seed=1:scale=0.02 -o {folder}/model.txt --epochs"
    " 100000 --hidden 512",
    "writing spots": "lifetime spots {zone} -o {folder}/spots.csv",
    "summary": "summary {folder}/locked.db",
    "report": "report {folder}/locked.db -o {folder}/report.html",
    "merge": "merge {folder}/merged.db {folder}/locked.db",
}
#: What a command keeps because it is done; everything else has to go.
KEPT = {"compare": {"out.db"}}

HEADER = "instance_id,tenant_id,class,vcpus,memory_mb,disk_gb,start_s,end_s\n"


class Folder:
    """What the commands read, and what keeps the pipes open and the database locked."""

    def __init__(self, path: Path, crowd: Path) -> None:
        self.path = path
        (path / "crowd.csv").symlink_to(crowd)
        (path / "slow.yaml").write_text(SLOW_SWEEP)
        (path / "endless.yaml").write_text(ENDLESS_SWEEP)
        (path / "tmp").mkdir()
        os.mkfifo(path / "endless.csv")
        os.mkfifo(path / "silent.csv")
        self._feeder = subprocess.Popen(
            [sys.executable, "-c", FEEDER, path / "endless.csv"], stderr=subprocess.DEVNULL
        )
        self._silent = os.open(path / "silent.csv", os.O_RDWR)
        self._lock = sqlite3.connect(path / "locked.db")
        self._lock.execute("CREATE TABLE t (n)")
        self._lock.commit()
        self._lock.execute("BEGIN EXCLUSIVE")
        # Accepts connections (the kernel does) and never answers.
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}/trace.zip"
        self.before = self.names()

    def names(self) -> set[str]:
        return {str(file.relative_to(self.path)) for file in self.path.rglob("*")}

    def close(self) -> None:
        self._feeder.kill()
        self._feeder.wait()
        os.close(self._silent)
        self._lock.close()
        self._server.close()


FEEDER = f"""
import sys
with open(sys.argv[1], "w") as pipe:
    pipe.write({HEADER!r})
    number = 0
    while True:
        pipe.write("".join(f"i{{number + i}},t,vm,1,1,0,0,1\\n" for i in range(1000)))
        number += 1000
"""


@pytest.fixture(scope="session")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """300,000 VMs at once, each of which takes more than half a host of (3, 3)."""
    file = tmp_path_factory.mktemp("crowd") / "crowd.csv"
    rows = "".join(f"i{number},t,vm,2,1,0,0,86400\n" for number in range(300_000))
    file.write_text(HEADER + rows)
    return file


@pytest.fixture
def folder(tmp_path: Path, crowd: Path) -> Iterator[Folder]:
    made = Folder(tmp_path, crowd)
    yield made
    made.close()


def is_ready(process: subprocess.Popen[str]) -> bool:
    """Tell whether the process catches SIGTERM by now."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)


def threads_of(process: subprocess.Popen[str]) -> list[list[str]]:
    """Return the fields of /proc/PID/stat after the name, of each thread."""
    found = []
    for task in Path(f"/proc/{process.pid}/task").glob("*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found.append((task / "stat").read_text().rpartition(")")[2].split())
    return found


def in_the_middle(process: subprocess.Popen[str]) -> Callable[[], bool]:
    """Return what tells whether it has worked for SOME_WORK_S since now, or waits for something."""

    def worked_s() -> float:
        ticks = sum(int(fields[11]) + int(fields[12]) for fields in threads_of(process))
        return ticks / os.sysconf("SC_CLK_TCK")

    began, asleep = worked_s(), [0]

    def is_there() -> bool:
        asleep[0] += all(fields[0] == "S" for fields in threads_of(process))
        return worked_s() - began >= SOME_WORK_S or asleep[0] >= 20

    return is_there


def interrupt(
    process: subprocess.Popen[str],
    sent: signal.Signals,
    ready: Callable[[subprocess.Popen[str]], bool],
) -> float:
    """Interrupt a process in the middle of its work; return the seconds it took to end."""
    try:
        wait_until(lambda: ready(process) or process.poll() is not None, "it catches signals")
        wait_until(in_the_middle(process), "it works, or waits")
        assert process.poll() is None, process.communicate()
        process.send_signal(sent)
        began = time.monotonic()
        process.wait(PROMPTLY_S)
        return time.monotonic() - began
    finally:
        process.kill()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM], ids=lambda sent: sent.name)
@pytest.mark.parametrize("what", COMMANDS)
def test_a_command_ends(program: Path, folder: Folder, what: str, sent: signal.Signals) -> None:
    words = COMMANDS[what].format(folder=folder.path, url=folder.url, zone=ZONE)
    environment = {
        key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")
    }
    environment["TMPDIR"] = str(folder.path / "tmp")
    if what == "training":
        pytest.importorskip("sklearn")
        environment["COSPOT_PYTHON"] = sys.executable
    process = subprocess.Popen(
        [program, *words.split()], env=environment, stdin=subprocess.DEVNULL, **PIPES
    )
    took = interrupt(process, sent, is_ready)
    out, err = process.communicate()
    assert process.returncode == INTERRUPTED, (out, err)
    assert out == ""
    assert "error" not in err and "Traceback" not in err, err
    assert folder.names() - folder.before == KEPT.get(what, set())
    print(f"{what}: {took:.2f} s")


def test_python_m_ends_too(folder: Folder) -> None:
    """The console script and `python -m cospot` have the same exit code."""
    process = subprocess.Popen(
        [sys.executable, "-m", "cospot", "run", folder.path / "slow.yaml"], **PIPES
    )
    interrupt(process, signal.SIGINT, is_ready)
    assert (process.communicate(), process.returncode) == (("", "cospot: interrupted\n"), 130)


#: Long calls of the package; `small` is a workload that already exists.
CALLS = {
    "generate": "while True: cospot.Workload.generate(scale=1)",
    "load": "cospot.Workload.load('endless.csv')",
    "load, a silent pipe": "cospot.Workload.load('silent.csv')",
    "size": "cospot.size(cospot.Workload.load('crowd.csv'), host=(3, 3), vm='RAMWeigher')",
    "simulate": "cospot.simulate(small, hosts=2_000_000, host=(10400, 2250), vm='RAMWeigher', "
    "spot='sDPD', evictor='FIFO')",
    "compare": "cospot.compare('slow.yaml', db='out.db')",
    "compare, reading": "cospot.compare('endless.yaml', db='out.db')",
    "sweep": "cospot.sweep('slow.yaml', db='out.db')",
}


@pytest.mark.parametrize("what", CALLS)
def test_a_call_raises_keyboard_interrupt(folder: Folder, what: str) -> None:
    script = textwrap.dedent(
        f"""
        import cospot
        small = cospot.Workload.generate(seed=1, scale=0.001)
        open("ready", "w").close()
        try:
            {CALLS[what]}
        except KeyboardInterrupt:
            print("KeyboardInterrupt")
        """
    )
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", script],  # of a cold start, which is none of this
        cwd=folder.path,
        **PIPES,
    )
    interrupt(process, signal.SIGINT, lambda _: (folder.path / "ready").exists())
    assert (process.communicate(), process.returncode) == (("KeyboardInterrupt\n", ""), 0)
    kept = {"out.db"} if what in ("compare", "sweep") else set()
    assert folder.names() - folder.before == kept | {"ready"}
