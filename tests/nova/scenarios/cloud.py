"""The cloud as the scenarios see it: what its users ask for, and what is really on each host."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from cospot.nova.spot_flavors import SPOT_CLASS_OF
from deployment import identity
from deployment.flavors import flavor_name
from deployment.processes import DeploymentError
from deployment.stand_ins import IMAGE_ID
from keystoneauth1.exceptions import NotFound
from running_services import COMPUTE_API, RunningServices
from waiting import wait_until

PLACEMENT_API = "1.36"
#: Nova deletes what is in one of these, and confirms a resize before.
_STEADY = ("ACTIVE", "ERROR", "SHELVED_OFFLOADED", "SHUTOFF", "VERIFY_RESIZE")


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


class Cloud(RunningServices):
    """Everything a scenario does to the cloud, and asks it."""

    def __init__(self, settings):
        super().__init__(settings)
        self.placement = self.adapter("admin", "admin", "placement", PLACEMENT_API)
        self.admin_in = {
            name: self.adapter("admin", name, "compute", COMPUTE_API) for name in identity.PROJECTS
        }
        self.member_of = {
            name: self.adapter(name, name, "compute", COMPUTE_API) for name in identity.PROJECTS
        }
        self.capacities = {}
        self.vms = set()
        self.deleted_here = set()

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

    def wait_for_status(self, server_id, *statuses):
        """Wait until a server has one of some states and no task; return its id."""

        def has_it():
            server = self.server(server_id)
            if server is None:
                raise DeploymentError(f"server {server_id} is gone, expected {statuses}")
            if server["status"] == "ERROR" and "ERROR" not in statuses:
                raise DeploymentError(f"server {server_id}: {server.get('fault')}")
            return server["status"] in statuses and server["OS-EXT-STS:task_state"] is None

        wait_until(has_it, f"server {server_id} is {' or '.join(statuses)}")
        return server_id

    def wait_until_refused(self, server_id):
        """Wait until a server is in error for want of a host; Nova stores the reason last."""
        self.wait_for_status(server_id, "ERROR")
        fault = wait_until(lambda: self.server(server_id).get("fault"), "the fault is stored")
        assert "No valid host" in fault["message"], fault

    def wait_until_gone(self, server_ids):
        """Wait until servers are deleted and hold nothing in placement."""
        for server_id in server_ids:
            wait_until(
                lambda gone=server_id: self.is_gone(gone),
                lambda gone=server_id: f"server {gone} is gone: {self.standing(gone)}",
            )

    def is_gone(self, server_id):
        return self.server(server_id) is None and not self.allocations(server_id)

    def standing(self, server_id):
        """Return what Nova and placement show of a server, and who asked for what with it."""
        server = self.server(server_id) or {}
        path = f"/servers/{server_id}/os-instance-actions"
        actions = self.nova.get(path).json()["instanceActions"]
        return {
            "host": server.get("OS-EXT-SRV-ATTR:host"),
            "status": server.get("status"),
            "task": server.get("OS-EXT-STS:task_state"),
            "allocations": self.allocations(server_id),
            "actions": [(one["action"], one["start_time"], one["user_id"]) for one in actions],
        }

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
        """Return the spots, without those that are going: Nova shows them a moment longer."""
        return {
            instance.id
            for instance in self.instances()
            if instance.is_spot and instance.status not in {"deleting", "DELETED"}
        }

    def providers(self):
        """Return the hosts' names and the ids of their resource providers."""
        found = self.placement.get("/resource_providers").json()["resource_providers"]
        return {provider["name"]: provider["uuid"] for provider in found}

    def allocations(self, server_id):
        """Return what a server holds: provider to resources."""
        found = self.placement.get(f"/allocations/{server_id}").json()["allocations"]
        return {provider: values["resources"] for provider, values in found.items()}

    def capacity(self, provider):
        """Return a host's vCPUs and MiB, which no scenario changes."""
        if provider not in self.capacities:
            path = f"/resource_providers/{provider}/inventories"
            found = self.placement.get(path).json()["inventories"]
            self.capacities[provider] = tuple(
                int((has["total"] - has["reserved"]) * has["allocation_ratio"])
                for has in (found["VCPU"], found["MEMORY_MB"])
            )
        return self.capacities[provider]

    def host_use(self, name, provider):
        usages = self.placement.get(f"/resource_providers/{provider}/usages").json()["usages"]
        return HostUse(
            name=name,
            provider=provider,
            capacity=self.capacity(provider),
            vm_used=tuple(usages.get(name, 0) for name in ("VCPU", "MEMORY_MB")),
            spot_used=tuple(usages.get(SPOT_CLASS_OF[name], 0) for name in ("VCPU", "MEMORY_MB")),
        )

    def hosts(self):
        """Return what placement says of every host, by name."""
        providers = self.providers()
        names = [host.name for host in self.settings.hosts]
        with ThreadPoolExecutor(4) as pool:
            uses = pool.map(lambda name: self.host_use(name, providers[name]), names)
            return dict(zip(names, uses, strict=True))

    def set_ratio(self, host, resource, ratio):
        """Change an allocation ratio in placement; its compute puts it right in 10 s or so."""
        provider = self.providers()[host]
        path = f"/resource_providers/{provider}/inventories/{resource}"
        found = self.placement.get(path).json()
        self.placement.put(path, json={**found, "allocation_ratio": ratio}, raise_exc=False)
        self.capacities.pop(provider, None)

    def overcommitted(self):
        return {name: host.over for name, host in self.hosts().items() if max(host.over) > 0}

    def wait_until_not_overcommitted(self):
        wait_until(
            lambda: not self.overcommitted(),
            lambda: f"no host is overcommitted: {self.overcommitted()}",
        )

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

        wait_until(agree, "computes report what placement shows")

    # Between tests.

    def empty(self):
        """Delete everything and wait until placement shows nothing in use."""
        for server in self.servers():
            if server.get("locked"):
                self.act(server["id"], "unlock")
            steady = server["status"] in _STEADY
            if server["OS-EXT-STS:task_state"] or not steady:
                # Nova ignores the deletion of a server whose first deletion it has lost.
                self.act(server["id"], "os-resetState", {"state": "error"})
        self.delete(*(server["id"] for server in self.servers()))
        wait_until(
            lambda: not any(sum(h.vm_used) + sum(h.spot_used) for h in self.hosts().values()),
            "placement shows nothing in use",
        )
        self.vms.clear()
        self.deleted_here.clear()
