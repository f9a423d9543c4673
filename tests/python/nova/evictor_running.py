"""What the tests of the evictor service share: its configuration, plans, its log."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from cospot.nova.evictor.command import read_configuration
from cospot.nova.evictor.service import EvictorService
from cospot.nova.plan_message import Plan, PlannedHost, plan_to_message
from cospot.nova.state.opened_stores import Stores, open_stores
from cospot.nova.state.records import Metrics
from cospot.nova.state.safeguards import EvictionLimits
from evictor_cloud import Cloud, CloudServer
from waiting import PATIENCE_S, wait_until, written_records

#: Of a service that keeps capacity for a VM of 2 vCPUs free.
PROACTIVE: dict[str, Any] = {"mode": "proactive", "default_reserve": "2:0"}


def write_configuration(folder: Path, url: str, **settings: Any) -> Path:
    """Write a configuration for the service against a cloud at a URL; return its path."""
    settings = {
        "state_path": folder / "state",
        "metrics_port": 0,
        "reconcile_interval": 0.1,
        "full_reconcile_every": 5,
        "plan_grace": 0.0,
        "retry_delay": 0.05,
        "retry_delay_max": 0.2,
        "workers": 2,
        # Most clouds of tests begin overcommitted, by instances of long ago.
        "overcommit_grace": 0.0,
        # Tests count orders; what owners are told is one more request each.
        "tell_owners": False,
        # They compare the order of orders too; test_evictor_at_once has several on their way.
        "orders_at_once": 1,
        **settings,
    }
    lines = ["[DEFAULT]", "transport_url = fake:///", "[cospot_evictor]"]
    lines += [f"{key} = {value}" for key, value in settings.items()]
    for group in ("nova", "placement"):
        lines += [f"[{group}]", "auth_type = none", f"endpoint_override = {url}/{group}"]
        lines += ["connect_retry_delay = 0.02", "status_code_retry_delay = 0.02"]
    (folder / "state").mkdir(exist_ok=True)
    path = folder / "cospot-evictor.conf"
    path.write_text("\n".join(lines) + "\n")
    return path


def make_service(path: Path) -> EvictorService:
    """Return the service, not started."""
    return EvictorService(read_configuration(["--config-file", str(path)]))


def bare_context(**parts: Any) -> Any:
    """Return a context for one part of the service alone: metrics, and what the test gives it."""
    return SimpleNamespace(**{"metrics": Metrics(), **parts})


def stores_in(folder: Path, **settings: Any) -> Stores:
    """Return the stores of a service in files of a folder."""
    places: dict[str, Any] = {
        "state_path": folder,
        "state_connection": "",
        "coordination_url": f"file://{folder}/locks",
        "lock_timeout": 1.0,
    }
    return open_stores(SimpleNamespace(**places, **settings), Metrics())


def limits_of(clock: Callable[[], float], **settings: float) -> EvictionLimits:
    """Return limits by a clock; those that are not given do not hold."""
    names = ("evictions_per_minute", "evictions_per_minute_per_project", "evictions_per_host")
    none: dict[str, float] = dict.fromkeys((*names, "reconcile_interval"), 0)
    return EvictionLimits(cast(Any, SimpleNamespace(**none | settings)), clock)


def audit_records(folder: Path) -> list[dict[str, Any]]:
    """Return the records of the audit log."""
    return written_records(folder / "state" / "audit.jsonl")


def events(folder: Path, *names: str) -> list[dict[str, Any]]:
    """Return the audit records of some events."""
    return [record for record in audit_records(folder) if record["event"] in names]


def plan_message(
    instance: str, victims: dict[str, list[str]], made_at: float | None = None
) -> dict[str, Any]:
    """Return the message of a plan; `victims` by provider."""
    hosts = tuple(
        PlannedHost("host", "node", provider, tuple(named), float(len(named)))
        for provider, named in victims.items()
    )
    plan = Plan(
        plan_id=str(uuid.uuid4()),
        made_at=time.time() if made_at is None else made_at,
        instance=instance,
        project_id="q" * 32,
        request_id="req-1",
        policy={"vm": "COS"},
        hosts=hosts,
    )
    return plan_to_message(plan)


def send(service: EvictorService, message: Any, event_type: str = "cospot.plan") -> None:
    """Give a message to the service as oslo.messaging does."""
    service.endpoint.info({}, "nova-scheduler:test", event_type, message, {})


class Running:
    """A cloud, its server, and services against it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cloud = Cloud(freeing_takes=0.05)
        self.server = CloudServer(self.cloud)
        self.services: list[Any] = []

    def make(self, **settings: Any) -> Any:
        """Return a service that is not started; it is stopped with the cloud."""
        service = make_service(write_configuration(self.folder, self.server.url, **settings))
        self.services.append(service)
        return service

    def start(self, **settings: Any) -> Any:
        service = self.make(**settings)
        service.start()
        return service

    def unstarted(self, **settings: Any) -> Any:
        """Return a service that has seen all hosts: the test does the iterations."""
        service = self.make(**settings)
        service._hosts.refresh()
        return service

    def events(self, *names: str) -> list[dict[str, Any]]:
        """Return the audit records of some events."""
        return events(self.folder, *names)

    def stored(self) -> list[dict[str, Any]]:
        """Return the notices that the service has stored."""
        path = self.folder / "state" / "notices.json"
        return json.loads(path.read_text()) if path.exists() else []

    def full_host(self, spots: int, name: str = "a") -> tuple[str, list[str]]:
        """Add a host of 8 vCPUs that so many spots fill evenly."""
        host = self.cloud.add_host(name)
        return host, [self.cloud.add(host, 8 // spots, 1024, spot=True) for _ in range(spots)]

    def reconciles(self, count: int = 3) -> None:
        """Wait until the service has reconciled all hosts a few more times."""
        want = self._listed() + count
        wait_until(lambda: self._listed() >= want, "the next reconciles of all hosts")

    def _listed(self) -> int:
        with self.cloud.lock:
            return self.cloud.requests.count("GET /placement/resource_providers")

    def check_evictions_of_reserves(self) -> None:
        """Forgive what the cloud, which knows nothing of reserves, finds needless; nothing else."""
        assert all("need not be evicted" in each for each in self.cloud.violations)
        self.cloud.violations.clear()

    def close(self) -> None:
        for service in self.services:
            service.stop()
        self.server.close()
        assert self.cloud.violations == [], self.cloud.violations


@contextlib.contextmanager
def running_alone() -> Iterator[Running]:
    """A cloud in a folder of its own, which frees at once: for one of many examples of a test."""
    with tempfile.TemporaryDirectory() as name, contextlib.closing(Running(Path(name))) as running:
        running.cloud.freeing_takes = 0.0
        yield running


def metric(service: Any, name: str, **labels: str) -> float:
    return service.metrics.registry.get_sample_value(f"cospot_evictor_{name}", labels) or 0.0


#: Forks processes of one that has imported the service, which takes longer than most tests.
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["cospot.nova.evictor.command", "oslo_messaging", "pymysql"])


class ServiceProcess:
    """A process that runs the service.

    Args:
        run: what it does; a function of a module, with these arguments.
        log: what it prints is added to this file.
    """

    def __init__(self, log: Path, run: Callable[..., None], *arguments: Any) -> None:
        self._process = _PROCESSES.Process(target=_run_logged, args=(log, run, *arguments))
        self._process.start()

    def send_signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):  # it has ended
            os.kill(self._process.pid, number)

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, seconds: float) -> int | None:
        self._process.join(seconds)
        return self.poll()


def _run_logged(log: Path, run: Callable[..., None], *arguments: Any) -> None:
    with log.open("ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    run(*arguments)


def run_with_plans(configuration: Path, plans: Sequence[dict[str, Any]]) -> None:
    """Run the service until SIGTERM, with plans as if they had come by RabbitMQ."""
    service = make_service(configuration)
    for message in plans:
        send(service, message)
    service.start()
    signal.sigwait({signal.SIGTERM})


def start_process(
    running: Running, plans: Sequence[dict[str, Any]], **settings: Any
) -> ServiceProcess:
    """Start the service as a process of its own, which is given plans."""
    path = write_configuration(running.folder, running.server.url, **settings)
    return ServiceProcess(running.folder / "log", run_with_plans, path, plans)


def kill_after_request(
    running: Running,
    step: int,
    plans: Sequence[dict[str, Any]] = (),
    counts: Callable[[str], bool] = lambda method: True,
    **settings: Any,
) -> None:
    """Run the service as a process that is killed once the cloud has carried out a request.

    Args:
        step: which request, counted from 1, of those for which `counts` is true by their method.
    """
    count, dead = [0], threading.Event()

    def after(method: str, path: str) -> None:
        with running.cloud.lock:
            count[0] += counts(method)
            if count[0] == step and not dead.is_set():
                process.send_signal(signal.SIGKILL)
                dead.set()

    with running.cloud.lock:  # the process is known before its first request is answered
        running.cloud.after = after
        process = start_process(running, plans, **settings)
    wait_until(dead.is_set, "the process is killed")
    assert process.wait(PATIENCE_S) == -signal.SIGKILL
    running.cloud.after = lambda method, path: None
