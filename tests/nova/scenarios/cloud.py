"""The cloud as the scenarios see it: what its users ask for, and what is really on each host."""

import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from cospot.nova.spot_flavors import SPOT_CLASS_OF
from deployment import identity
from deployment.backing_services import (
    answers,
    queues_with_consumers,
    start_rabbitmq,
    wait_for_rabbitmq,
)
from deployment.cloud_services import CloudServices
from deployment.config_files import evictor_config
from deployment.flavors import flavor_name
from deployment.processes import DeploymentError, Processes, wait_until
from deployment.stand_ins import IMAGE_ID
from keystoneauth1.adapter import Adapter
from keystoneauth1.exceptions import NotFound

COMPUTE_API = "2.90"
PLACEMENT_API = "1.36"
SCHEDULER_WORKERS = 2
BUSY_S = 90  # the longest that anything takes here, on a machine with other work


@dataclass(frozen=True)
class Instance:
    """An instance as Nova and placement show it."""

    id: str
    host: str
    is_spot: bool
    vcpus: int
    memory_mb: int
    launched_at: str
    status: str  # or the task that is under way
    project: str


@dataclass(frozen=True)
class HostUse:
    """What a host has, and what placement says is used of it: vCPUs and MiB."""

    name: str
    provider: str
    capacity: tuple[int, int]
    vm_used: tuple[int, int]
    spot_used: tuple[int, int]

    @property
    def over(self):
        """How much more is used than there is; 0 or less where it is enough."""
        return tuple(
            vm + spot - total
            for vm, spot, total in zip(self.vm_used, self.spot_used, self.capacity, strict=True)
        )


class Cloud:
    """Everything a scenario does to the cloud, and asks it."""

    def __init__(self, settings):
        self.settings = settings
        self.processes = Processes(settings.folder)
        self.services = CloudServices(settings, self.processes)
        self.nova = self.adapter("admin", "admin", "compute", COMPUTE_API)
        self.placement = self.adapter("admin", "admin", "placement", PLACEMENT_API)
        self.admin_in = {
            name: self.adapter("admin", name, "compute", COMPUTE_API) for name in identity.PROJECTS
        }
        self.member_of = {
            name: self.adapter(name, name, "compute", COMPUTE_API) for name in identity.PROJECTS
        }
        self.vms = set()
        self.deleted_here = set()

    def adapter(self, user, project, service, version):
        session = identity.session(self.settings, user, project)
        return Adapter(session, service_type=service, default_microversion=version)

    # Asking for instances.

    def request(
        self, kind, vcpus, memory_mb, project="apricot", host=None, count=1, filtered=False, **more
    ):
        """Ask for instances and return at once.

        Args:
            kind: `vm` or `spot`.
            host: on this host; past the scheduler's filters unless `filtered`.
            more: further fields of the server.

        Returns:
            The id of the server; of one of them when there are several.
        """
        server = {
            "name": f"{kind}-{vcpus}x{memory_mb}",
            "flavorRef": flavor_name(kind, vcpus, memory_mb),
            "imageRef": IMAGE_ID,
            "networks": "none",
            **more,
        }
        if count > 1:
            server.update(min_count=count, max_count=count, return_reservation_id=True)
        nova = self.member_of[project]
        if host is not None:
            nova = self.admin_in[project]
            server.update({"host": host} if filtered else {"availability_zone": f"nova:{host}"})
        answer = nova.post("/servers", json={"server": server}).json()
        if count > 1:
            reservation = answer["reservation_id"]
            ids = [
                found["id"]
                for found in self.nova.get(
                    f"/servers?all_tenants=1&reservation_id={reservation}"
                ).json()["servers"]
            ]
            assert len(ids) == count
        else:
            ids = [answer["server"]["id"]]
        if kind == "vm":
            self.vms.update(ids)
        return ids if count > 1 else ids[0]

    def boot(self, *arguments, **options):
        """Ask for an instance and wait until it runs."""
        return self.wait_for_status(self.request(*arguments, **options), "ACTIVE")

    def fill(self, plan):
        """Boot instances on given hosts.

        Args:
            plan: triples of host, kind and (vCPUs, MiB).
        """
        with ThreadPoolExecutor(4) as pool:
            jobs = [pool.submit(self.request, kind, *size, host=host) for host, kind, size in plan]
        for job in jobs:
            self.wait_for_status(job.result(), "ACTIVE")

    # What instances do.

    def server(self, server_id):
        """Return Nova's view of a server; None when there is none."""
        try:
            return self.nova.get(f"/servers/{server_id}").json()["server"]
        except NotFound:
            return None

    def host_of(self, server_id):
        return self.server(server_id)["OS-EXT-SRV-ATTR:host"]

    def wait_for_status(self, server_id, *statuses, seconds=BUSY_S):
        """Wait until a server has one of some states and no task; return its id."""

        def has_it():
            server = self.server(server_id)
            if server is None:
                raise DeploymentError(f"server {server_id} is gone, expected {statuses}")
            if server["status"] == "ERROR" and "ERROR" not in statuses:
                raise DeploymentError(f"server {server_id}: {server.get('fault')}")
            return server["status"] in statuses and server["OS-EXT-STS:task_state"] is None

        wait_until(has_it, f"server {server_id} is {' or '.join(statuses)}", seconds)
        return server_id

    def wait_until_refused(self, server_id):
        """Wait until a server is in error for want of a host."""
        self.wait_for_status(server_id, "ERROR")
        fault = self.server(server_id)["fault"]
        assert "No valid host" in fault["message"], fault

    def wait_until_gone(self, server_ids, seconds=BUSY_S):
        """Wait until servers are deleted and hold nothing in placement."""
        for server_id in server_ids:
            wait_until(
                lambda server_id=server_id: (
                    self.server(server_id) is None and not self.allocations(server_id)
                ),
                f"server {server_id} is gone",
                seconds,
            )

    def delete(self, *server_ids):
        """Delete servers as an administrator, and wait until they are gone."""
        for server_id in server_ids:
            self.deleted_here.add(server_id)
            self.nova.delete(f"/servers/{server_id}", raise_exc=False)
        self.wait_until_gone(server_ids)

    def act(self, server_id, action, arguments=None):
        """Ask for an action on a server, as an administrator."""
        self.nova.post(f"/servers/{server_id}/action", json={action: arguments})

    # What is where.

    def servers(self):
        path = "/servers/detail?all_tenants=1"
        return self.nova.get(path).json()["servers"]

    def instances(self):
        """Return the instances that Nova shows, those launched first in front."""
        found = []
        for server in self.servers():
            flavor = server["flavor"]
            found.append(
                Instance(
                    id=server["id"],
                    host=server["OS-EXT-SRV-ATTR:host"],
                    is_spot=flavor["original_name"].startswith("spot."),
                    vcpus=flavor["vcpus"],
                    memory_mb=flavor["ram"],
                    launched_at=server["OS-SRV-USG:launched_at"] or "9999",
                    status=server["OS-EXT-STS:task_state"] or server["status"],
                    project=server["tenant_id"],
                )
            )
        return sorted(found, key=lambda instance: (instance.launched_at, instance.id))

    def spots(self):
        return {instance.id for instance in self.instances() if instance.is_spot}

    def providers(self):
        """Return the hosts' names and the ids of their resource providers."""
        found = self.placement.get("/resource_providers").json()["resource_providers"]
        return {provider["name"]: provider["uuid"] for provider in found}

    def allocations(self, server_id):
        """Return what a server holds: provider to resources."""
        found = self.placement.get(f"/allocations/{server_id}").json()["allocations"]
        return {provider: values["resources"] for provider, values in found.items()}

    def host_use(self, name, provider):
        inventories = self.placement.get(f"/resource_providers/{provider}/inventories").json()
        usages = self.placement.get(f"/resource_providers/{provider}/usages").json()["usages"]
        capacity = []
        for resource in ("VCPU", "MEMORY_MB"):
            has = inventories["inventories"][resource]
            capacity.append(int((has["total"] - has["reserved"]) * has["allocation_ratio"]))
        return HostUse(
            name=name,
            provider=provider,
            capacity=tuple(capacity),
            vm_used=tuple(usages.get(name, 0) for name in ("VCPU", "MEMORY_MB")),
            spot_used=tuple(usages.get(SPOT_CLASS_OF[name], 0) for name in ("VCPU", "MEMORY_MB")),
        )

    def hosts(self):
        """Return what placement says of every host, by name."""
        providers = self.providers()
        return {
            host.name: self.host_use(host.name, providers[host.name])
            for host in self.settings.hosts
        }

    def overcommitted(self):
        return {name: host.over for name, host in self.hosts().items() if max(host.over) > 0}

    def wait_until_not_overcommitted(self, seconds=BUSY_S):
        try:
            wait_until(lambda: not self.overcommitted(), "no host is overcommitted", seconds, 0.3)
        except DeploymentError as error:
            raise DeploymentError(f"{error}: {self.overcommitted()}") from error

    def wait_until_reported(self):
        """Wait until computes report to the scheduler what is on them, as placement shows it.

        One that was evacuated and started again takes until its next look at its resources.
        """

        def agree():
            use = self.hosts()
            # Later versions of the API do not show this any more.
            answer = self.nova.get("/os-hypervisors/detail", microversion="2.87").json()
            for compute in answer["hypervisors"]:
                host = use[compute["hypervisor_hostname"]]
                reserved = next(h for h in self.settings.hosts if h.name == host.name)
                wanted = (
                    reserved.reserved_vcpus + host.vm_used[0] + host.spot_used[0],
                    reserved.reserved_memory_mb + host.vm_used[1] + host.spot_used[1],
                )
                if (compute["vcpus_used"], compute["memory_mb_used"]) != wanted:
                    return False
            return True

        wait_until(agree, "computes report what placement shows", BUSY_S, every=0.5)

    # Its services.

    def set_policy(self, absent=False, **options):
        """Give the scheduler a policy, or Nova's own filters and weighers.

        A running one reads the options of [cospot] again upon SIGHUP; for all else it is restarted.
        """
        text = scheduler_config(absent, options)
        path = self.settings.folder / "scheduler.conf"
        old = path.read_text()
        path.write_text(text)
        if not self.processes.main_process("nova-scheduler"):
            self.restart_scheduler()
        elif old == text:
            return
        elif [line.split(" = ")[0] for line in old.splitlines()] == [
            line.split(" = ")[0] for line in text.splitlines()
        ]:
            changed = len(set(text.splitlines()) - set(old.splitlines()))
            self.reload_scheduler(changed)
        else:
            self.restart_scheduler()

    def reload_scheduler(self, changed):
        """Send SIGHUP and wait until all workers and their parent have seen the changed options."""
        log = self.processes.logs / "nova-scheduler.log"
        known = log.stat().st_size
        self.processes.send("nova-scheduler", signal.SIGHUP)
        wanted = changed * (SCHEDULER_WORKERS + 1)
        wait_until(
            lambda: log.read_bytes()[known:].count(b"Option cospot.") >= wanted,
            "the scheduler's workers read their options again",
        )

    def restart_scheduler(self):
        log = self.processes.logs / "nova-scheduler.log"
        self.processes.stop("nova-scheduler", signal.SIGKILL)
        known = log.stat().st_size if log.exists() else 0
        self.services.start_scheduler()

        def is_up():
            return log.read_bytes()[known:].count(b"Starting scheduler node") >= SCHEDULER_WORKERS

        wait_until(is_up, "the scheduler's workers start", BUSY_S)

    def start_evictor(self, copy=1, killed_at=None, **options):
        """Start a copy of cospot-evictor, and wait until it is at work.

        Args:
            copy: 1 or 2; copies share their folder with its locks and their queue of plans.
            killed_at: a step of deployment.killed_evictor.
            options: of [cospot_evictor].
        """
        name = evictor_name(copy)
        folder = self.settings.folder / "evictor"
        folder.mkdir(exist_ok=True)
        port = self.settings.port("evictor-metrics") + copy - 1
        config = self.settings.folder / f"{name}.conf"
        given = {
            "state_path": folder,
            "audit_log": folder / f"audit-{copy}.jsonl",
            "metrics_port": port,
            "reconcile_interval": 2,
            **options,
        }
        config.write_text(evictor_config(self.settings, **given))
        module = ["cospot.nova.evictor"]
        if killed_at is not None:
            module = ["deployment.killed_evictor", killed_at]
        command = ["/usr/bin/python3", "-m", *module, "--config-file", config]
        command += ["--config-dir", self.settings.folder / "no-config"]
        # Threads of a killed one may outlive its first: their port would answer for this one.
        wait_until(lambda: not answers(port), f"port {port} is free", BUSY_S)
        self.processes.start(name, command, self.services.environment)
        if killed_at is None:
            wait_until(lambda: answers(port), f"{name} serves its metrics", BUSY_S)

    def wait_until_killed(self, copy=1):
        """Wait until a copy of the evictor has died by itself."""

        name = evictor_name(copy)
        wait_until(lambda: self.processes.main_process(name) is None, f"{name} is killed", BUSY_S)

    def stop_evictors(self, number=signal.SIGKILL):
        for copy in (1, 2):
            self.processes.stop(evictor_name(copy), number)

    def restart_rabbitmq(self):
        """Kill RabbitMQ, start it again, and wait until Nova's services have found it."""
        self.processes.stop("rabbitmq", signal.SIGKILL)
        start_rabbitmq(self.settings, self.processes)
        wait_for_rabbitmq(self.settings)
        wanted = {"conductor", "scheduler"}
        wanted |= {f"compute.{host.name}" for host in self.settings.hosts}
        wait_until(
            lambda: wanted <= queues_with_consumers(self.settings, self.processes),
            "Nova's services listen again",
            BUSY_S,
            every=1,
        )

    # Between tests.

    def start_what_is_down(self):
        """Start the computes that a scenario has stopped, and have Nova believe in them."""
        for host in self.settings.hosts:
            if not self.processes.main_process(f"compute-{host.name}"):
                self.services.start_compute(host)

        def are_up():
            answer = self.nova.get("/os-services?binary=nova-compute").json()
            for service in answer["services"]:
                if service["forced_down"]:
                    self.force_down(service["host"], False)
            return all(service["state"] == "up" for service in answer["services"])

        wait_until(are_up, "all computes are up", BUSY_S, every=0.5)

    def force_down(self, host, is_down):
        """Tell Nova that a compute is dead, as evacuation asks for; or no longer.

        Nova does not believe in a compute's return before that has dealt with what was evacuated.
        """
        services = self.nova.get(f"/os-services?host={host}&binary=nova-compute").json()["services"]
        self.nova.put(
            f"/os-services/{services[0]['id']}", json={"forced_down": is_down}, raise_exc=is_down
        )

    def empty(self):
        """Delete everything and wait until placement shows nothing in use."""
        for server in self.servers():
            if server.get("locked"):
                self.act(server["id"], "unlock")
            steady = server["status"] in ("ACTIVE", "ERROR", "SHELVED_OFFLOADED", "SHUTOFF")
            if server["OS-EXT-STS:task_state"] or not steady:
                # Nova ignores the deletion of a server whose first deletion it has lost.
                self.act(server["id"], "os-resetState", {"state": "error"})
        self.delete(*(server["id"] for server in self.servers()))
        wait_until(
            lambda: not any(sum(h.vm_used) + sum(h.spot_used) for h in self.hosts().values()),
            "placement shows nothing in use",
            BUSY_S,
        )
        self.vms.clear()
        self.deleted_here.clear()


def evictor_name(copy):
    return f"cospot-evictor-{copy}"


def scheduler_config(absent, options):
    """Return what nova.conf needs for cospot, as the documentation tells operators."""
    if absent:
        return ""
    lines = [
        "[filter_scheduler]",
        "available_filters = nova.scheduler.filters.all_filters",
        "available_filters = cospot.nova.scheduler.filter.CospotFilter",
        "enabled_filters = ComputeFilter,ComputeCapabilitiesFilter,ImagePropertiesFilter,"
        "ServerGroupAntiAffinityFilter,ServerGroupAffinityFilter,CospotFilter",
        "weight_classes = cospot.nova.scheduler.weigher.CospotWeigher",
        "[cospot]",
        *(
            f"{key} = {str(value).lower() if isinstance(value, bool) else value}"
            for key, value in options.items()
        ),
    ]
    return "\n".join(lines) + "\n"
