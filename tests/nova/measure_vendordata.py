"""Measures what the vendordata port and the signals behind it cost.

With the service's own classes and lives that are made up, on a loopback port:

    PYTHONPATH=build/release/python /usr/bin/python3 tests/nova/measure_vendordata.py --spots 10000

prints the time of an answer (one connection each, as Nova asks), and of the work that each look of
the service takes.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import ssl
import statistics
import subprocess
import tempfile
import threading
import time
import uuid
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from cospot.nova.evictor.signal_keeper import SignalBook
from cospot.nova.evictor.signal_server import SignalServer
from cospot.nova.evictor.vendordata import Vendordata
from cospot.nova.promises.journal import PromiseJournal
from cospot.nova.signals import signals_file
from cospot.nova.signals.flavor_signals import Signals, signals_of
from cospot.nova.signals.spot_lives import SpotLife, SpotLives
from cospot.nova.state.records import Metrics
from cospot.nova.state.stores import NoticeStore

_DAY_S = 86400.0


def made_up(running: int, ended: int, now: float) -> SpotLives:
    """Return spots of 20 flavors in 28 days, of which a tenth of those that ended were evicted."""
    draw = random.Random(1)
    lives = SpotLives(now - 28 * _DAY_S)
    for number in range(running + ended):
        started = now - draw.uniform(0, 28) * _DAY_S
        over = started + draw.expovariate(1 / _DAY_S) if number >= running else None
        over = None if over is None else min(over, now)
        evicted = over if over is not None and draw.random() < 0.1 else None
        flavor = f"spot.m{number % 20}"
        lives.take(
            SpotLife(str(uuid.UUID(int=number)), "p", flavor, (4, 8192, 0), started, over, evicted)
        )
    return lives


def certificate(folder: Path) -> Path:
    """Make a key and a certificate that signs itself; return the file with both."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem",
         "-out", "cert.pem", "-subj", "/CN=x", "-addext", "subjectAltName = IP:127.0.0.1"],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    both = folder / "both.pem"
    both.write_text((folder / "cert.pem").read_text() + (folder / "key.pem").read_text())
    return both


def ask(port: int, spot: str, trust: ssl.SSLContext | None) -> float:
    """Ask as Nova does; return the seconds that it took."""
    body = json.dumps(
        {"project-id": "p", "instance-id": spot, "image-id": "i", "user-data": "x" * 4096,
         "hostname": "worker", "metadata": {}, "boot-roles": "member"}
    )  # fmt: skip
    began = time.perf_counter()
    connection: http.client.HTTPConnection
    if trust is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    else:
        connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=20, context=trust)
    connection.request("POST", "/vendordata", body)
    answer = connection.getresponse()
    found = json.loads(answer.read())
    connection.close()
    took = time.perf_counter() - began
    assert answer.status == 200 and found["spot"], found
    return took


def shown(name: str, seconds: list[float]) -> str:
    cuts = statistics.quantiles(seconds, n=100)
    return f"{name}: median {1e3 * cuts[49]:.2f} ms, 99 % within {1e3 * cuts[98]:.2f} ms"


def measure(name: str, port: int, spots: int, count: int, trust: ssl.SSLContext | None) -> None:
    draw = random.Random(2)
    asked = [str(uuid.UUID(int=draw.randrange(spots))) for _ in range(count)]
    print(shown(name, [ask(port, spot, trust) for spot in asked]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spots", type=int, default=10_000, help="that run (default: 10000)")
    parser.add_argument("--ended", type=int, default=90_000, help="spots (default: 90000)")
    parser.add_argument("--requests", type=int, default=1000, help="(default: 1000)")
    parser.add_argument("--port", type=int, default=19_109, help="(default: 19109)")
    options = parser.parse_args()
    now = time.time()
    lives = made_up(options.spots, options.ended, now)
    began = time.perf_counter()
    signals: Signals = signals_of(lives.all(), lives.since, now)
    took = time.perf_counter() - began
    print(f"signals of {options.spots + options.ended:,} spots: {took:.2f} s with the score,")
    began = time.perf_counter()
    signals_of(lives.all(), lives.since, now, signals.score)
    print(f"  {time.perf_counter() - began:.2f} s without, as at most looks")
    began = time.perf_counter()
    text = lives.to_text()
    print(f"their file: {len(text) / 1e6:.1f} MB in {time.perf_counter() - began:.2f} s")
    book = SignalBook(lives.there(), signals, signals_file.dump(signals))
    keeper: Any = SimpleNamespace(book=book, look_soon=lambda: None)
    with tempfile.TemporaryDirectory() as folder:
        for certificate_file in ("", str(certificate(Path(folder)))):
            settings = SimpleNamespace(
                signals_port=options.port, signals_address="127.0.0.1",
                signals_certificate=certificate_file, signals_key="", signals_client_ca="",
                action="delete",
            )  # fmt: skip
            context: Any = SimpleNamespace(
                settings=settings, metrics=Metrics(), promises=PromiseJournal(folder),
                stores=SimpleNamespace(notices=NoticeStore(f"{folder}/notices.json")),
            )  # fmt: skip
            server = SignalServer(context, Vendordata(context, keeper))
            server.ensure()
            trust = None
            if certificate_file:
                trust = ssl.create_default_context(cafile=certificate_file)
            what = "TLS" if certificate_file else "HTTP"
            measure(f"{what}, idle", options.port, options.spots, options.requests, trust)
            stop = threading.Event()

            def work(stop: threading.Event = stop) -> None:
                while not stop.is_set():
                    signals_of(lives.all(), lives.since, now, signals.score)

            busy = threading.Thread(target=work)
            busy.start()
            measure(f"{what}, at a look", options.port, options.spots, options.requests, trust)
            stop.set()
            busy.join()
            server.stop()


if __name__ == "__main__":
    main()
