"""Measures what cospot-evictor costs, and what grows as it evicts.

    PYTHONPATH=build/release/python /usr/bin/python3 tests/nova/measure_service.py

runs the service with its defaults, but for the limits, as a process of its own on a
cloud over HTTP that is made up: by default 200 computes, each full with 16 spots. It prints what
the service takes while nothing happens and at a steady number of evictions a minute; then, with
--evictions, what has grown as it evicted so many as fast as it can. With --database its state is in
a database (SQLite) instead of files.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import re
import socket
import sqlite3
import sys
import tempfile
import threading
import time
import urllib.request
import uuid
from collections import Counter
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "python" / "nova"))

from cospot.nova.evictor.command import read_configuration
from cospot.nova.evictor.service import EvictorService
from cospot.nova.state.records import set_up_logging
from cospot.nova.state.schema import METADATA
from evictor_cloud import Cloud, CloudServer
from evictor_running import plan_message, send, write_configuration

_SPOTS = 16  # of a host, of 1 vCPU and 1 GiB each
_GOING = 8  # of these for one VM
_TICKS = os.sysconf("SC_CLK_TCK")


def serve(path: Path, plans: Connection) -> None:
    """Run the service, with plans as if they had come by RabbitMQ."""
    conf = read_configuration(["--config-file", str(path)])
    set_up_logging(conf, "cospot-evictor")
    service = EvictorService(conf)
    service.start()
    with contextlib.suppress(EOFError):  # the end of whoever measures
        while True:
            send(service, plans.recv())
    os._exit(0)


@dataclass(frozen=True)
class Sample:
    """What the service's process has taken so far, and what it has written."""

    at: float
    evictions: int
    cpu_s: float
    requests: dict[str, int]
    figures: dict[str, float]


class Bench:
    """A cloud, the service on it, and VMs that come and go."""

    def __init__(self, folder: Path, hosts: int, *, has_database: bool) -> None:
        self.folder = folder
        self.cloud = Cloud(freeing_takes=0.02)
        self.cloud.page = 1000
        self.requests: Counter[str] = Counter()
        self.cloud.after = self._count
        self.server = CloudServer(self.cloud)
        self.hosts = [self.cloud.add_host(f"host-{n}", _SPOTS, 1024 * _SPOTS) for n in range(hosts)]
        for host in self.hosts:
            self._fill(host, _SPOTS)
        self.database = folder / "state.db" if has_database else None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._start()
        self._lock = threading.Lock()
        self._idle = list(self.hosts)

    def _start(self) -> None:
        state = {"state_connection": f"sqlite+pysqlite:///{self.database}"} if self.database else {}
        path = write_configuration(self.folder, self.server.url)
        text = path.read_text()
        # The defaults, but for what would slow the measurement down.
        options = {
            "state_path": self.folder / "state", "metrics_port": self.port,
            "evictions_per_minute": 0, "evictions_per_host": 0, **state,
        }  # fmt: skip
        own = "\n".join(f"{name} = {value}" for name, value in options.items())
        text = re.sub(r"(?s)(\[cospot_evictor\]\n).*?(\[nova\])", rf"\1{own}\n\2", text)
        text = text.replace("[DEFAULT]", f"[DEFAULT]\nlog_file = {self.folder / 'log'}")
        path.write_text(text)
        if self.database:
            from cospot.nova.state.schema import upgrade
            from sqlalchemy import create_engine

            with create_engine(f"sqlite:///{self.database}", future=True).begin() as connection:
                upgrade(connection)
        here, self.plans = multiprocessing.Pipe(duplex=False)
        self.process = multiprocessing.get_context("spawn").Process(
            target=serve, args=(path, here), daemon=True
        )
        self.process.start()

    def _count(self, method: str, path: str) -> None:
        with self.cloud.lock:
            self.requests[path.split("/")[1]] += 1
            self.cloud.requests.clear()

    def _fill(self, host: str, count: int) -> None:
        for _ in range(count):
            self.cloud.add(host, 1, 1024, spot=True, created=time.time(), uuid=str(uuid.uuid4()))

    def wait_until_known(self) -> None:
        """Wait until the service has read every host."""
        while self._metrics().get("cospot_evictor_reconcile_seconds_count", 0) < 2:
            time.sleep(0.5)

    # -- what happens ----------------------------------------------------------------------------

    def evict_until(self, evictions: int) -> None:
        """Have spots evicted until there were so many, for VMs on four hosts at once."""
        threads = [threading.Thread(target=self._work, args=(evictions,)) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()

    def _work(self, evictions: int) -> None:
        while len(self.cloud.deleted) < evictions:
            self.evict_once()

    def evict_once(self) -> None:
        """Have a VM take the place of some spots of a host; then it goes and others come."""
        with self._lock:
            host = self._idle.pop(0)
        with self.cloud.lock:
            victims = list(self.cloud.hosts[host].consumers)[:_GOING]
            vm = self.cloud.add(
                host, _GOING, 1024 * _GOING, spot=False, created=time.time(), uuid=str(uuid.uuid4())
            )
        self.plans.send(plan_message(vm, {host: victims}))
        deadline = time.monotonic() + 120
        # The first question is cheap, and the second one decides.
        while victims[-1] in self.cloud.hosts[host].consumers or self.cloud.over(host):
            if time.monotonic() > deadline:
                raise SystemExit(f"{host} is overcommitted for 120 s; see {self.folder}/log")
            time.sleep(0.05)
        self.cloud.remove(vm)
        self._fill(host, _GOING)
        with self._lock:
            self._idle.append(host)

    # -- what it costs ---------------------------------------------------------------------------

    def _metrics(self) -> dict[str, float]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics") as page:
                lines = page.read().decode().splitlines()
        except OSError:  # it starts
            return {}
        return {
            line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
            for line in lines
            if not line.startswith("#")
        }

    def sample(self) -> Sample:
        """Return what it has taken until now."""
        proc = Path(f"/proc/{self.process.pid}")
        times = (proc / "stat").read_text().rpartition(")")[2].split()
        (memory_kib,) = re.findall(r"VmRSS:\s+(\d+)", (proc / "status").read_text())
        state = self.folder / "state"
        log, audit = self.folder / "log", state / "audit.jsonl"
        lines, size = _lines_and_bytes([audit])
        others = [each for each in state.rglob("*") if each != audit and not each.is_dir()]
        figures = {
            "log lines": _lines_and_bytes([log])[0],
            "audit lines": lines,
            "audit KiB": size / 1024,
            "state files": len(others),
            "state KiB": _lines_and_bytes(others)[1] / 1024,
            "series": len(self._metrics()),
            "memory MiB": int(memory_kib) / 1024,
            "threads": len(list((proc / "task").iterdir())),
            "files open": len(list((proc / "fd").iterdir())),
        }
        if self.database:
            connection = sqlite3.connect(self.database)
            figures["rows"] = sum(
                connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                for table in METADATA.tables
            )
            connection.close()
        cpu_s = (int(times[11]) + int(times[12])) / _TICKS
        return Sample(
            time.monotonic(), len(self.cloud.deleted), cpu_s, dict(self.requests), figures
        )

    def close(self) -> None:
        self.process.kill()
        self.server.close()
        print(f"needless or wrong orders: {len(self.cloud.violations)}")


def _lines_and_bytes(files: list[Path]) -> tuple[int, int]:
    """Count in some files; one may go meanwhile."""
    lines = size = 0
    for each in files:
        with contextlib.suppress(FileNotFoundError), each.open("rb") as file:
            while block := file.read(1 << 20):
                lines, size = lines + block.count(b"\n"), size + len(block)
    return lines, size


def tell_cost(what: str, before: Sample, after: Sample) -> None:
    """Print what a phase took, by the minute."""
    minutes = (after.at - before.at) / 60
    asked = {each: after.requests[each] - before.requests.get(each, 0) for each in after.requests}
    print(
        f"{what}: {(after.evictions - before.evictions) / minutes:.1f} evictions, "
        f"{(after.cpu_s - before.cpu_s) / minutes:.2f} s of processor time a minute; "
        + ", ".join(f"{count / minutes:.0f} to {name}" for name, count in sorted(asked.items()))
        + f" a minute; {after.figures['memory MiB']:.0f} MiB",
        flush=True,
    )


def tell_growth(sample: Sample) -> None:
    figures = ", ".join(f"{value:,.0f} {name}" for name, value in sample.figures.items())
    print(f"{sample.evictions:,} evictions: {figures}, {sample.cpu_s:.0f} s", flush=True)


def measure(bench: Bench, options: argparse.Namespace) -> None:
    """Print all."""
    began = bench.sample()
    bench.wait_until_known()
    known = bench.sample()
    print(f"start: {known.cpu_s:.1f} s of processor time, {known.at - began.at:.0f} s")
    time.sleep(60 * options.minutes)
    idle = bench.sample()
    tell_cost("nothing happens", known, idle)
    rounds = int(options.minutes * options.rate / _GOING)
    for number in range(rounds):
        bench.evict_once()
        next_at = idle.at + 60 * _GOING / options.rate * (number + 1)
        time.sleep(max(0.0, next_at - time.monotonic()))
    tell_cost("VMs come", idle, bench.sample())
    tell_growth(bench.sample())
    begun = len(bench.cloud.deleted)
    for mark in range(begun + options.every, begun + options.evictions + 1, options.every):
        bench.evict_until(mark)
        tell_growth(bench.sample())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=200, help="(200)")
    parser.add_argument("--minutes", type=float, default=2.0, help="of each phase (2)")
    parser.add_argument("--rate", type=float, default=60.0, help="evictions a minute (60)")
    parser.add_argument("--evictions", type=int, default=0, help="afterwards (0)")
    parser.add_argument("--every", type=int, default=10_000, help="print what has grown (10000)")
    parser.add_argument("--database", action="store_true", help="keep the state in a database")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), options.hosts, has_database=options.database)
        try:
            measure(bench, options)
        finally:
            bench.close()


if __name__ == "__main__":
    main()
