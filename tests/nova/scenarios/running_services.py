"""The processes of the cloud: configured, started, stopped and killed by the scenarios."""

import signal
from datetime import datetime, timezone
from urllib.request import urlopen

from deployment import identity
from deployment.backing_services import (
    answers,
    queues_with_consumers,
    start_rabbitmq,
    wait_for_rabbitmq,
)
from deployment.cloud_services import CloudServices
from deployment.config_files import evictor_config
from deployment.processes import Processes
from keystoneauth1.adapter import Adapter
from waiting import PATIENCE_S, wait_until

COMPUTE_API = "2.90"
USUAL_WORKERS = 2


def _pids_of(words, log):
    """Return the processes that said some words, by line of a log."""
    return [line.split()[2] for line in log.splitlines() if words in line]


class RunningServices:
    """What a scenario does to the services of a deployment."""

    def __init__(self, settings):
        self.settings = settings
        self.processes = Processes(settings.folder)
        self.services = CloudServices(settings, self.processes)
        self.nova = self.adapter("admin", "admin", "compute", COMPUTE_API)
        self._has_plain_evictor = False
        self._workers = USUAL_WORKERS

    def adapter(self, user, project, service, version):
        session = identity.session(self.settings, user, project)
        return Adapter(session, service_type=service, default_microversion=version)

    def set_policy(self, absent=False, more="", workers=USUAL_WORKERS, **options):
        """Give the scheduler a policy, or Nova's own filters and weighers.

        A running one reads the options of [cospot] again upon SIGHUP; for all else it is restarted.

        Args:
            absent: without cospot.
            more: lines to be added to its configuration.
            workers: how many processes of it decide; each knows its own decisions only.
            options: of [cospot].
        """
        text = scheduler_config(absent, options, workers) + more
        path = self.settings.folder / "scheduler.conf"
        old = path.read_text()
        path.write_text(text)
        before, self._workers = self._workers, workers
        if not self.processes.main_process("nova-scheduler"):
            self.restart_scheduler()
        elif old == text:
            return
        elif workers == before and [line.split(" = ")[0] for line in old.splitlines()] == [
            line.split(" = ")[0] for line in text.splitlines()
        ]:
            changed = len(set(text.splitlines()) - set(old.splitlines()))
            self.reload_scheduler(changed)
        else:
            self.restart_scheduler()

    def reload_scheduler(self, changed, word=b"Option cospot."):
        """Send SIGHUP and wait until all workers and their parent have said so of each option.

        Workers with green threads read them again. Those with native threads end, and their parent,
        which has read them, starts new ones.
        """
        log = self.processes.logs / "nova-scheduler.log"
        start = b"Starting scheduler node"
        before = log.read_bytes()
        workers = _pids_of(start, before)[-self._workers :]
        processes = self._workers + (self._workers > 1)  # several have a parent
        self.processes.send("nova-scheduler", signal.SIGHUP)

        def have_them():
            said = log.read_bytes()[len(before) :]
            read = _pids_of(word, said)
            if len(_pids_of(start, said)) >= self._workers:
                return len(read) >= changed
            # One with native threads has a parent too, whose word is not the worker's.
            return len(read) >= changed * processes and set(workers) <= set(read)

        wait_until(have_them, "the scheduler's workers have the changed options")

    def restart_scheduler(self):
        log = self.processes.logs / "nova-scheduler.log"
        self.processes.stop("nova-scheduler", signal.SIGKILL)
        known = log.stat().st_size if log.exists() else 0
        self.services.start_scheduler()

        def is_up():
            return log.read_bytes()[known:].count(b"Starting scheduler node") >= self._workers

        wait_until(is_up, "the scheduler's workers start")

    def configure_evictor(self, copy=1, placement_url=None, **options):
        """Write the configuration of a copy of cospot-evictor; return its file.

        Args:
            copy: 1 or 2.
            placement_url: where it finds placement; as Keystone says if None.
            options: of [cospot_evictor], or arguments of evictor_config.
        """
        folder = self.settings.folder / "evictor"
        folder.mkdir(exist_ok=True)
        given = {
            "state_path": folder,
            "audit_log": folder / f"audit-{copy}.jsonl",
            "metrics_port": self.settings.port("evictor-metrics") + copy - 1,
            "reconcile_interval": 2,
            **options,
        }
        text = evictor_config(self.settings, **given)
        if placement_url is not None:
            override = f"[placement]\nendpoint_override = {placement_url}"
            text = text.replace("[placement]", override)
        config = self.settings.folder / f"{evictor_name(copy)}.conf"
        config.write_text(text)
        config.chmod(0o640)  # it has passwords; so the pages say
        return config

    def reload_evictor(self, **options):
        """Have the first copy read its options again; return what it says of its switches then."""
        known = self._size_of_log(evictor_name(1))
        self.configure_evictor(**options)
        self.processes.send(evictor_name(1), signal.SIGHUP)
        return self._switches_said(evictor_name(1), known)

    def _size_of_log(self, name):
        log = self.processes.logs / f"{name}.log"
        return log.stat().st_size if log.exists() else 0

    def _switches_said(self, name, known):
        """Wait for what a copy of the evictor says of its switches; return the line."""
        log = self.processes.logs / f"{name}.log"

        def said():
            lines = log.read_bytes()[known:].decode().splitlines()
            modes = ("mode reactive", "mode proactive")
            return next((line for line in lines if any(mode in line for mode in modes)), None)

        return wait_until(said, f"{name} says what it has read")

    def start_evictor(self, copy=1, killed_at=None, clock_ahead=None, **options):
        """Start a copy of cospot-evictor, and wait until it is at work.

        Args:
            copy: 1 or 2; copies share their folder with its locks and their queue of plans.
            killed_at: a step of deployment.killed_evictor.
            clock_ahead: by how many seconds its clock is ahead of all others.
            options: see `configure_evictor`.
        """
        name = evictor_name(copy)
        port = self.settings.port("evictor-metrics") + copy - 1
        config = self.configure_evictor(copy, **options)
        module = ["cospot.nova.evictor"]
        if killed_at is not None:
            module = ["deployment.killed_evictor", killed_at]
        elif clock_ahead is not None:
            module = ["deployment.fast_evictor", clock_ahead]
        command = [self.settings.python, "-m", *module, "--config-file", config]
        command += ["--config-dir", self.settings.folder / "no-config"]
        # Threads of a killed one may outlive its first: their port would answer for this one.
        wait_until(lambda: not answers(port), f"port {port} is free")
        known = self._size_of_log(name)
        self.processes.start(name, command, self.services.environment)
        if killed_at is None:
            wait_until(lambda: answers(port), f"{name} serves its metrics")
            self._switches_said(name, known)  # after that; a reload would take it for its own
        is_plain = killed_at is None and clock_ahead is None and not options
        self._has_plain_evictor = copy == 1 and is_plain

    def has_plain_evictor(self):
        """Tell whether one evictor without options of its own is at work."""
        return self._has_plain_evictor and self.processes.main_process(evictor_name(1)) is not None

    def have_plain_evictor(self):
        """Start an evictor without options, unless there is one."""
        if not self.has_plain_evictor():
            self.start_evictor()

    def wait_until_killed(self, copy=1):
        """Wait until a copy of the evictor has died by itself."""

        name = evictor_name(copy)
        wait_until(lambda: self.processes.main_process(name) is None, f"{name} is killed")

    def stop_evictors(self, number=signal.SIGKILL):
        self._has_plain_evictor = False
        for copy in (1, 2):
            self.processes.stop(evictor_name(copy), number)

    def evictor_metrics(self):
        """Return the metrics of the first copy of the evictor, by name and labels."""
        with urlopen(
            self.settings.url("evictor-metrics", "/metrics"), timeout=PATIENCE_S
        ) as answer:
            rows = [line.rpartition(" ") for line in answer.read().decode().splitlines()]
        return {name: float(value) for name, _, value in rows if not name.startswith("#")}

    def wait_until_evictor_has_reconciled(self, times=2):
        """Wait until the first copy of the evictor has reconciled all hosts so often again."""

        def count():
            return self.evictor_metrics().get("cospot_evictor_reconcile_seconds_count", 0)

        wanted = count() + times
        wait_until(lambda: count() >= wanted, "the evictor has reconciled all hosts")

    def restart_compute(self, host):
        """Start a compute anew, as large as the given Host says, and wait for its inventory."""
        self.processes.stop(f"compute-{host.name}", signal.SIGKILL)
        self.services.start_compute(host)
        wanted = host.dedicated_cpus
        path = f"/resource_providers/{self.providers()[host.name]}/inventories"

        def has_told():
            found = self.placement.get(path).json()["inventories"]
            return found.get("PCPU", {"total": 0})["total"] == wanted

        wait_until(has_told, f"{host.name} has {wanted} dedicated CPUs")
        self.capacities.clear()
        self.start_what_is_down()

    def restart_rabbitmq(self):
        """Kill RabbitMQ, start it again, and wait until Nova's services have found it.

        A compute whose report was lost with it reports again when it has waited in vain.
        """
        self.processes.stop("rabbitmq", signal.SIGKILL)
        start_rabbitmq(self.settings, self.processes)
        wait_for_rabbitmq(self.settings)
        wanted = {"conductor", "scheduler"}
        wanted |= {f"compute.{host.name}" for host in self.settings.hosts}
        wait_until(
            lambda: wanted <= queues_with_consumers(self.settings, self.processes),
            "Nova's services listen again",
        )
        listening = datetime.now(timezone.utc).isoformat()

        def have_reported():
            answer = self.nova.get("/os-services?binary=nova-compute").json()
            return all(service["updated_at"] > listening for service in answer["services"])

        wait_until(have_reported, "all computes report again")

    def start_what_is_down(self):
        """Start the computes that a scenario has stopped, and have Nova believe in them.

        Nova goes by their last report, which may be of before. One that starts puts what was sent
        to it meanwhile in error ("stuck in BUILDING"), before it listens.
        """
        started = set()
        for host in self.settings.hosts:
            if not self.processes.main_process(f"compute-{host.name}"):
                self.services.start_compute(host)
                started.add(f"compute.{host.name}")

        def are_up():
            answer = self.nova.get("/os-services?binary=nova-compute").json()
            for service in answer["services"]:
                if service["forced_down"]:
                    self.force_down(service["host"], False)
            return all(service["state"] == "up" for service in answer["services"])

        wait_until(are_up, "all computes are up")
        if started:
            wait_until(
                lambda: started <= queues_with_consumers(self.settings, self.processes),
                "the computes that were started listen",
            )

    def force_down(self, host, is_down):
        """Tell Nova that a compute is dead, as evacuation asks for; or no longer.

        Nova does not believe in a compute's return before that has dealt with what was evacuated.
        """
        services = self.nova.get(f"/os-services?host={host}&binary=nova-compute").json()["services"]
        self.nova.put(
            f"/os-services/{services[0]['id']}", json={"forced_down": is_down}, raise_exc=is_down
        )


def evictor_name(copy):
    return f"cospot-evictor-{copy}"


def scheduler_config(absent, options, workers):
    """Return what nova.conf needs for cospot, as the documentation tells operators."""
    if absent:
        return ""
    lines = [
        "[scheduler]",
        f"workers = {workers}",
        "[filter_scheduler]",
        "available_filters = nova.scheduler.filters.all_filters",
        "available_filters = cospot.nova.scheduler.filter.CospotFilter",
        "enabled_filters = ComputeFilter,ComputeCapabilitiesFilter,ImagePropertiesFilter,"
        "AggregateInstanceExtraSpecsFilter,ServerGroupAntiAffinityFilter,"
        "ServerGroupAffinityFilter,CospotFilter",
        "weight_classes = cospot.nova.scheduler.weigher.CospotWeigher",
        "[cospot]",
        *(
            f"{key} = {str(value).lower() if isinstance(value, bool) else value}"
            for key, value in options.items()
        ),
    ]
    return "\n".join(lines) + "\n"
