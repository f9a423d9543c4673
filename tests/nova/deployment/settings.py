"""Where a deployment is and what it is made of."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

#: Offsets from the port base.
PORT_OFFSETS = {
    "mariadb": 0,
    "rabbitmq": 1,
    "rabbitmq-dist": 2,
    "epmd": 3,
    "keystone": 4,
    "placement": 5,
    "nova": 6,
    "glance": 7,
    "neutron": 8,
    "evictor-metrics": 9,
    "evictor-2-metrics": 10,
    "cinder": 11,
}
DEBIAN_PYTHON = "/usr/bin/python3"  # has Keystone and Cinder, whichever Nova it is
REGION = "RegionOne"
PASSWORD = "cospot-test"  # of every user; nothing listens beyond 127.0.0.1


@dataclass(frozen=True)
class Host:
    """One compute. What is reserved and overcommitted differs, so that both are exercised."""

    name: str
    vcpus: int
    memory_mb: int
    cpu_allocation_ratio: float = 1.0
    ram_allocation_ratio: float = 1.0
    reserved_vcpus: int = 0
    reserved_memory_mb: int = 0
    dedicated_cpus: int = 0  # of the vcpus
    is_real: bool = False  # QEMU runs its instances

    @property
    def usable_vcpus(self):
        shared = self.vcpus - self.dedicated_cpus
        return int((shared - self.reserved_vcpus) * self.cpu_allocation_ratio)

    @property
    def usable_memory_mb(self):
        return int((self.memory_mb - self.reserved_memory_mb) * self.ram_allocation_ratio)


#: No host is called `compute`: the fake driver names the node of that one differently.
HOSTS = (
    Host("h1", 8, 16384),
    Host("h2", 8, 12288, cpu_allocation_ratio=2.0),  # 16 vCPUs
    Host("h3", 16, 8192),
    Host("h4", 6, 24576, reserved_memory_mb=8192),  # 16384 MiB
    Host("h5", 14, 16384, reserved_vcpus=2),  # 12 vCPUs
    Host("h6", 10, 10240, ram_allocation_ratio=1.5),  # 15360 MiB
)


#: Of the real host, which may use so much of this machine's memory.
REAL_VCPUS, REAL_MEMORY_MB = 8, 3072


def real_host():
    """Return a host with what this machine has, as libvirt tells it."""
    memory_mb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    cpus = os.cpu_count()
    return Host(
        "real1",
        cpus,
        memory_mb,
        cpu_allocation_ratio=REAL_VCPUS / cpus,
        reserved_memory_mb=memory_mb - REAL_MEMORY_MB,
        is_real=True,
    )


@dataclass(frozen=True)
class Settings:
    """A deployment's name, folder and ports."""

    name: str
    folder: Path
    port_base: int
    build: Path
    hosts: tuple[Host, ...] = HOSTS
    notifies: bool = False
    release: str | None = None  # of Nova, from the Python registry; Debian's if None

    @property
    def release_folder(self):
        """The environment of tests/nova/functional/make-venv.sh."""
        return ROOT / "build" / "nova-releases" / str(self.release)

    @property
    def python(self):
        """The Python of Nova, of its Placement and of the evictor."""
        return "/usr/bin/python3" if self.release is None else self.release_folder / "bin/python"

    @property
    def placement_manage(self):
        folder = Path("/usr") if self.release is None else self.release_folder
        return folder / "bin/placement-manage"

    def port(self, service):
        return self.port_base + PORT_OFFSETS[service]

    def url(self, service, path=""):
        return f"http://127.0.0.1:{self.port(service)}{path}"

    @property
    def auth_url(self):
        return self.url("keystone", "/v3")

    @property
    def message_url(self):
        return f"rabbit://guest:guest@127.0.0.1:{self.port('rabbitmq')}/"

    def database_url(self, name):
        return (
            f"mysql+pymysql://cospot:{PASSWORD}@127.0.0.1:{self.port('mariadb')}"
            f"/{name}?charset=utf8"
        )


def settings_from_environment():
    """Read COSPOT_NOVA_NAME, _PORT_BASE, _RELEASE, _LIBVIRT, _NOTIFICATIONS, and COSPOT_BUILD.

    Raises:
        ValueError: one of them is not usable.
    """
    name = os.environ.get("COSPOT_NOVA_NAME", "default")
    if not re.fullmatch(r"[a-z0-9_]{1,20}", name):
        raise ValueError(f"COSPOT_NOVA_NAME: {name!r}, expected 1 to 20 of a-z, 0-9 and _")
    base = os.environ.get("COSPOT_NOVA_PORT_BASE", "21600")
    if not base.isdecimal() or not 1024 <= int(base) <= 65000:
        raise ValueError(f"COSPOT_NOVA_PORT_BASE: {base!r}, expected a port from 1024 to 65000")
    build = Path(os.environ.get("COSPOT_BUILD", ROOT / "build" / "release")).resolve()
    folder = ROOT / "build" / "nova" / name
    notifies = bool(os.environ.get("COSPOT_NOVA_NOTIFICATIONS"))
    release = os.environ.get("COSPOT_NOVA_RELEASE") or None
    if release is not None and not re.fullmatch(r"[0-9]+(\.[0-9]+)*", release):
        raise ValueError(f"COSPOT_NOVA_RELEASE: {release!r}, expected a version such as 34.0.0")
    hosts = (real_host(),) if os.environ.get("COSPOT_NOVA_LIBVIRT") else HOSTS
    return Settings(name, folder, int(base), build, hosts, notifies=notifies, release=release)
