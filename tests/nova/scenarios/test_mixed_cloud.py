"""Six host types in two zones, with a server group that wants to be apart: the cloud's history,
exported and simulated, places every instance where Nova with cospot did, and evicts the same spots.
"""

import csv
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone

import pytest
from cospot.nova.spot_flavors import spot_extra_specs
from deployment.flavors import flavor_name
from deployment.processes import wait_for_next_second
from deployment.stand_ins import IMAGE_ID
from oracle import Policy
from waiting import wait_until

ZONES = {"az1": ("h1", "h2", "h3"), "az2": ("h4", "h5", "h6")}
#: Host aggregates by name: their metadata and hosts. See settings.HOSTS for the sizes.
AGGREGATES = {
    **{f"rack of {zone}": ({"availability_zone": zone}, hosts) for zone, hosts in ZONES.items()},
    "new hosts": ({"generation": "new"}, ("h2", "h3", "h5")),
}
#: vCPUs and MiB of flavors that only the new hosts may take.
NEW_SIZE = (4, 4096)

POLICIES = (
    Policy(vm_policy="COS", spot_policy="sCOS"),
    Policy(vm_policy="DPD", spot_policy="vmaDPD", otn=8, saf=True),
)


@dataclass(frozen=True)
class Ask:
    """What is asked for; `new`: of the flavor that only new hosts take."""

    kind: str
    size: tuple[int, int]
    zone: str = ""
    in_group: bool = False
    new: bool = False


@dataclass(frozen=True)
class Delete:
    """The instance of that number, of all that were asked for, is deleted unless it was evicted."""

    number: int


#: Spots first, so that the VMs evict some, whatever the policy.
LIFE = (
    Ask("spot", (8, 6144)),
    Ask("spot", (4, 4096), zone="az1"),
    Ask("spot", (4, 4096), zone="az2"),
    Ask("spot", (8, 6144), zone="az2"),
    Ask("vm", (2, 2048), in_group=True),
    Ask("spot", (4, 4096), new=True),
    Ask("spot", (4, 1024)),
    Ask("spot", (4, 1024)),
    Ask("spot", (1, 6144), zone="az2"),
    Ask("spot", (8, 6144), zone="az1"),
    Ask("spot", (4, 4096)),
    Ask("vm", (2, 2048), in_group=True),
    Ask("vm", (8, 6144), zone="az1"),
    Ask("vm", (4, 4096), new=True),
    Delete(1),
    Ask("vm", (2, 2048), zone="az2", in_group=True),
    Ask("vm", (8, 6144), zone="az2"),
    Ask("vm", (2, 2048), zone="az2", in_group=True),
    # The group is on all three hosts of the zone.
    Ask("vm", (2, 2048), zone="az2", in_group=True),
    Delete(4),
    Ask("vm", (4, 4096), zone="az1", new=True),
    Ask("vm", (2, 2048), in_group=True),
    # By DPD h3 is better and costs two spots; h1 costs one, so it depends on what is offered.
    Ask("vm", (4, 4096), zone="az1"),
    # On h3, for two spots.
    Ask("vm", (12, 4096)),
)

SCENARIO = """
workloads: history.csv
host: history-hosts.csv
vm: {vm_policy}
spot: {spot_policy}
evictor: {evictor}
saf: {saf}
otn: {otn}
"""


@contextmanager
def zones(cloud):
    """Make the zones, while the cloud is empty; and no zone again, once its instances are gone."""
    made = {}  # the aggregates' numbers by name
    try:
        for name, (metadata, hosts) in AGGREGATES.items():
            answer = cloud.nova.post("/os-aggregates", json={"aggregate": {"name": name}}).json()
            number = made[name] = answer["aggregate"]["id"]
            act = f"/os-aggregates/{number}/action"
            cloud.nova.post(act, json={"set_metadata": {"metadata": metadata}})
            for host in hosts:
                cloud.nova.post(act, json={"add_host": {"host": host}})
        yield
    finally:
        try:
            cloud.delete(*(server["id"] for server in cloud.servers()))
        finally:
            for name, number in made.items():
                remove_aggregate(cloud, number, AGGREGATES[name][1])


def remove_aggregate(cloud, number, hosts):
    for host in hosts:
        body = {"remove_host": {"host": host}}
        cloud.nova.post(f"/os-aggregates/{number}/action", json=body, raise_exc=False)
    cloud.nova.delete(f"/os-aggregates/{number}", raise_exc=False)


@contextmanager
def new_flavors(cloud):
    """Make flavors that only the new hosts may take."""
    vcpus, memory_mb = NEW_SIZE
    wish = {"aggregate_instance_extra_specs:generation": "new"}
    names = []
    try:
        for kind, specs in (("vm", {}), ("spot", spot_extra_specs(vcpus, memory_mb, 0))):
            name = f"{kind}.new"
            flavor = {"name": name, "id": name, "vcpus": vcpus, "ram": memory_mb, "disk": 1}
            cloud.nova.post("/flavors", json={"flavor": flavor})
            names.append(name)
            path = f"/flavors/{name}/os-extra_specs"
            cloud.nova.post(path, json={"extra_specs": {**specs, **wish}})
        yield
    finally:
        for name in names:
            cloud.nova.delete(f"/flavors/{name}")


@contextmanager
def group_apart(cloud):
    """Make a server group with anti-affinity; its id."""
    nova = cloud.member_of["apricot"]
    body = {"server_group": {"name": "apart", "policy": "anti-affinity"}}
    group = nova.post("/os-server-groups", json=body).json()["server_group"]["id"]
    try:
        yield group
    finally:
        nova.delete(f"/os-server-groups/{group}")


class History:
    """What Nova did, request by request."""

    def __init__(self, cloud, group):
        self.cloud = cloud
        self.group = group
        self.asked = []
        self.hosts = {}  # of each instance that found one
        self.evicted = {}  # each spot that was evicted, and the VM that it was for
        self.refused = []
        self.spots = set()  # that have not been evicted or deleted
        self.next_spot = 0  # seconds since the epoch

    def live(self, life):
        for step in life:
            if isinstance(step, Delete):
                self.delete(step.number)
            else:
                self.ask(step)

    def ask(self, step):
        """Ask for an instance; wait until it runs, or has no host, and its victims are gone."""
        if step.kind == "spot":
            # FIFO goes by the second in which a spot was launched, and of those of one second by
            # their ids: Nova keeps no more. The history has them as they were asked for.
            wait_until(lambda: time.time() >= self.next_spot, "the second begins")
        instance = self.request(step)
        self.asked.append(instance)
        self.cloud.wait_for_status(instance, "ACTIVE", "ERROR")
        server = self.cloud.server(instance)
        if server["status"] == "ERROR":
            self.cloud.wait_until_refused(instance)
            self.refused.append(instance)
            return
        self.hosts[instance] = server["OS-EXT-SRV-ATTR:host"]
        if step.kind == "spot":
            self.next_spot = int(time.time()) + 1
            self.spots.add(instance)
            return
        self.cloud.wait_until_not_overcommitted()
        victims = self.spots - self.cloud.spots()
        self.spots -= victims
        self.cloud.wait_until_gone(victims)
        if victims:
            self.evicted.update(dict.fromkeys(victims, instance))
            self.cloud.wait_until_reported()

    def request(self, step):
        server = {
            "name": step.kind,
            "flavorRef": f"{step.kind}.new" if step.new else flavor_name(step.kind, *step.size),
            "imageRef": IMAGE_ID,
            "networks": "none",
            **({"availability_zone": step.zone} if step.zone else {}),
        }
        hints = {"os:scheduler_hints": {"group": self.group}} if step.in_group else {}
        nova = self.cloud.member_of["apricot"]
        instance = nova.post("/servers", json={"server": server, **hints}).json()["server"]["id"]
        if step.kind == "vm":
            self.cloud.vms.add(instance)
        return instance

    def delete(self, number):
        instance = self.asked[number]
        if instance not in self.evicted:
            self.spots.discard(instance)
            self.cloud.delete(instance)
            self.cloud.wait_until_reported()


def export(cloud, began, folder):
    """Run `cospot-nova history export` on the databases, as an operator does."""
    configuration = cloud.settings.folder
    names = ("nova.conf", "nova-database.conf")
    moment = datetime.fromtimestamp(began, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    subprocess.run(
        [
            *(cloud.settings.python, "-m", "cospot.nova.tools.command", "history", "export"),
            *(f"--config-file={configuration / name}" for name in names),
            *("--window-start", moment, "--lead-days", "0"),
            *("--output", "history.csv"),
        ],
        cwd=folder,
        env=cloud.processes.environment(cloud.services.environment),
        check=True,
    )


def simulate(policy, folder):
    """Simulate the history; return the hosts of instances, and what was evicted for which VM."""
    options = {**policy.__dict__, "saf": str(policy.saf).lower()}
    (folder / "scenario.yaml").write_text(SCENARIO.format(**options))
    subprocess.run(
        [sys.executable, "-m", "cospot", "run", "scenario.yaml", "--events", "events.csv"],
        cwd=folder,
        check=True,
    )
    hosts, evicted = {}, {}
    with (folder / "events.csv").open(newline="", encoding="utf-8") as file:
        for event in csv.DictReader(line for line in file if not line.startswith("#")):
            assert event["event"] != "rejection", event
            if event["event"] == "placement":
                hosts[event["instance_id"]] = event["host"]
            elif event["event"] == "eviction":
                evicted[event["instance_id"]] = event["for_instance_id"]
    return hosts, evicted


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: f"{p.vm_policy}-otn{p.otn}")
def test_the_simulated_history_does_what_nova_did(cloud, tmp_path, policy):
    cloud.set_policy(**policy.exact_options())
    cloud.have_plain_evictor()
    with zones(cloud), new_flavors(cloud), group_apart(cloud) as group:
        # What was deleted before ended before this second, also when a database rounds times: it is
        # not in the history. What is asked for in the second now begun comes before the window.
        began = wait_for_next_second() + 1
        history = History(cloud, group)
        history.live(LIFE)
        export(cloud, began, tmp_path)
    # What the test is about has happened.
    text = (tmp_path / "history.csv").read_text()
    assert ",az2,," in text and "generation=new" in text and "anti-affinity" in text
    assert set(history.hosts.values()) == {host.name for host in cloud.settings.hosts}
    assert history.refused and len(history.evicted) > len(set(history.evicted.values()))
    hosts, evicted = simulate(policy, tmp_path)
    # In order, so that a failure begins with the first that is elsewhere.
    assert list(hosts.items()) == list(history.hosts.items())
    assert evicted == history.evicted
