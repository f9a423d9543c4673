"""The volumes of evicted spots, in a real Cinder: which stay, which go; none stays attached.

Nova detaches and deletes them with the token of the user who deletes the server: the evictor's.
"""

import pytest
from deployment import volumes
from deployment.settings import PASSWORD
from keystoneauth1.adapter import Adapter
from keystoneauth1.identity import v3
from keystoneauth1.session import Session
from test_service_roles import application_credential
from test_tools import doctor
from waiting import wait_until

OWNER = "birch"
CINDER_API = "3.59"


class Volumes:
    """Cinder as the owner and the administrator see it."""

    def __init__(self, cloud):
        self.own = cloud.adapter(OWNER, OWNER, volumes.SERVICE_TYPE, CINDER_API)
        self.all = cloud.adapter("admin", "admin", volumes.SERVICE_TYPE, CINDER_API)

    def list(self):
        """Return the statuses of all volumes, by id."""
        found = self.all.get("/volumes/detail?all_tenants=1").json()["volumes"]
        return {each["id"]: each["status"] for each in found}

    def wait_for(self, volume, status):
        """Wait until a volume has a status; None: until it is gone. Return its id."""
        wait_until(
            lambda: self.list().get(volume) == status,
            lambda: f"volume {volume} is {status}: {self.list().get(volume)}",
        )
        return volume

    def make(self):
        """Make a volume of the owner from which servers boot."""
        made = self.own.post("/volumes", json={"volume": {"size": 1}}).json()["volume"]["id"]
        self.wait_for(made, "available")
        self.own.post(f"/volumes/{made}/action", json={"os-set_bootable": {"bootable": True}})
        return made

    def attached_servers(self):
        """Return the volume and the server of each attachment that Cinder knows."""
        found = self.all.get("/attachments?all_tenants=1").json()["attachments"]
        return {(each["volume_id"], each["instance"]) for each in found}

    def remove_all(self):
        for each in self.all.get("/attachments?all_tenants=1").json()["attachments"]:
            self.all.delete(f"/attachments/{each['id']}")
        for volume in self.list():
            self.all.post(f"/volumes/{volume}/action", json={"os-force_delete": {}})
            self.wait_for(volume, None)


@pytest.fixture(scope="module")
def cinder(cloud):
    volumes.start(cloud.services)
    yield Volumes(cloud)
    volumes.stop(cloud.processes)


@pytest.fixture(autouse=True)
def no_volumes(cloud, cinder):
    cloud.set_policy(absent=True)
    cinder.remove_all()
    yield
    cloud.stop_evictors()
    cloud.empty()
    cinder.remove_all()


def boot_from(cloud, volume, kind, vcpus, memory_mb, is_deleted):
    disk = {
        "boot_index": 0,
        "uuid": volume,
        "source_type": "volume",
        "destination_type": "volume",
        "delete_on_termination": is_deleted,
    }
    more = {"imageRef": "", "block_device_mapping_v2": [disk]}
    return cloud.boot(kind, vcpus, memory_mb, project=OWNER, host="h1", **more)


def attach(cloud, server, volume):
    body = {"volumeAttachment": {"volumeId": volume}}
    cloud.member_of[OWNER].post(f"/servers/{server}/os-volume_attachments", json=body)


class Host:
    """h1, of 8 vCPUs: a VM of 2 with two volumes, and three spots of 2 with one each."""

    def __init__(self, cloud, cinder):
        self.cloud, self.cinder = cloud, cinder
        self.of_vm = [cinder.make() for _ in range(2)]
        self.goes, self.stays, self.data = (cinder.make() for _ in range(3))
        self.vm = boot_from(cloud, self.of_vm[0], "vm", 2, 2048, True)
        self.spots = [
            boot_from(cloud, self.goes, "spot", 2, 2048, True),
            boot_from(cloud, self.stays, "spot", 2, 2048, False),
            cloud.boot("spot", 2, 2048, project=OWNER, host="h1"),
        ]
        attach(cloud, self.vm, self.of_vm[1])
        attach(cloud, self.spots[2], self.data)
        for volume in cinder.list():
            cinder.wait_for(volume, "in-use")

    def evict(self, **credentials):
        """Have the evictor evict the three spots for two VMs."""
        self.cloud.start_evictor(**credentials)
        self.come = [self.cloud.boot("vm", *size, host="h1") for size in ((4, 4096), (2, 2048))]
        self.cloud.wait_until_gone(self.spots)
        self.cloud.wait_until_not_overcommitted()

    def check_volumes(self):
        self.cinder.wait_for(self.goes, None)
        for volume in (self.stays, self.data):
            self.cinder.wait_for(volume, "available")
        of_vm = dict.fromkeys(self.of_vm, "in-use")
        assert self.cinder.list() == {self.stays: "available", self.data: "available", **of_vm}
        assert self.cinder.attached_servers() == {(volume, self.vm) for volume in self.of_vm}
        for server in (self.vm, *self.come):
            self.cloud.wait_for_status(server, "ACTIVE")


def check_owner_may_go_on(host):
    """The volumes that stayed are the owner's as before: to boot from and to attach."""
    cloud, cinder = host.cloud, host.cinder
    cloud.stop_evictors()
    cloud.delete(*host.come)
    again = boot_from(cloud, host.stays, "spot", 2, 2048, False)
    attach(cloud, again, host.data)
    for volume in (host.stays, host.data):
        cinder.wait_for(volume, "in-use")


@pytest.fixture
def without_policy(cloud):
    """Have a Cinder that knows no role of the evictor."""
    policy = volumes.policy_file(cloud.settings)
    text = policy.read_text()
    policy.write_text("{}\n")
    yield
    policy.write_text(text)


def test_with_the_role(cloud, cinder, run):
    host = Host(cloud, cinder)
    host.evict(nova_user="cospot_narrow", placement_user="cospot_narrow")
    host.check_volumes()
    assert "evictor's login" not in doctor(cloud, run)[1]
    check_owner_may_go_on(host)


def test_with_an_application_credential(cloud, cinder, without_policy):
    host = Host(cloud, cinder)
    with application_credential(cloud) as credential:
        host.evict(credential=credential)
        login = v3.ApplicationCredential(
            auth_url=cloud.settings.auth_url,
            application_credential_id=credential,
            application_credential_secret=PASSWORD,
        )
        own = Adapter(Session(login), service_type=volumes.SERVICE_TYPE)
        assert own.get("/volumes", raise_exc=False).status_code == 401  # only Nova may ask for it
        host.check_volumes()
    check_owner_may_go_on(host)


def test_with_the_role_and_without_cinders_policy_they_stay_attached(
    cloud, cinder, without_policy, run
):
    """So the page says that Cinder must know the role, too."""
    host = Host(cloud, cinder)
    host.evict(nova_user="cospot_narrow", placement_user="cospot_narrow")
    left = {host.goes, host.stays, host.data}
    assert left <= {volume for volume, _ in cinder.attached_servers()}
    assert {cinder.list()[volume] for volume in left} == {"in-use"}
    _, bad = doctor(cloud, run)
    assert "volumes of evicted spots stay in-use" in str(bad["evictor's login"]), bad
