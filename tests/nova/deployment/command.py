"""`up`, `down`, `env`, `logs` of a deployment; see tests/nova/deploy.sh."""

import fcntl
import shutil
import sys
import time
from contextlib import contextmanager

from keystoneauth1.exceptions import ClientException

from . import backing_services, config_files, identity, volumes
from .cloud_services import CloudServices
from .flavors import create_flavors
from .processes import DeploymentError, Processes, kill_marked
from .settings import PASSWORD, PORT_OFFSETS, REGION, settings_from_environment

#: What must be installed: program or Python module, and Debian's package that has it.
PROGRAMS = {
    "/usr/bin/mariadb-install-db": "mariadb-server",
    "/usr/lib/rabbitmq/bin/rabbitmq-server": "rabbitmq-server",
    "/usr/bin/keystone-manage": "python3-keystone",
    "/usr/bin/placement-manage": "python3-placement",
    "/usr/lib/python3/dist-packages/nova/cmd/compute.py": "python3-nova",
    "/usr/lib/python3/dist-packages/cinder/cmd/volume.py": "python3-cinder",
    "/usr/lib/python3/dist-packages/pymysql": "python3-pymysql",
}
#: And for a real compute; scripts/install-dependencies.sh --with-libvirt installs them.
REAL_PROGRAMS = {
    "/usr/sbin/libvirtd": "libvirt-daemon",
    "/usr/bin/virt-qemu-run": "libvirt-daemon-driver-qemu",
    "/usr/bin/qemu-system-x86_64": "qemu-system-x86",
    "/usr/bin/qemu-img": "qemu-utils",
    "/usr/lib/python3/dist-packages/libvirt.py": "python3-libvirt",
    "/usr/bin/as": "binutils",
}


def missing_packages(settings):
    """Return Debian's packages that a deployment needs and that are not installed."""
    from pathlib import Path

    is_real = any(host.is_real for host in settings.hosts)
    programs = {**PROGRAMS, **(REAL_PROGRAMS if is_real else {})}
    return [package for path, package in programs.items() if not Path(path).exists()]


@contextmanager
def step(name):
    """Print how long a step took."""
    start = time.monotonic()
    yield
    print(f"{name:<28} {time.monotonic() - start:6.1f} s", flush=True)


def prepare_folder(settings):
    """Empty the folder, keep nothing of an earlier deployment."""
    kill_marked(settings.folder)
    for path in settings.folder.iterdir():
        if path.name != "lock":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name in ("logs", "run", "state/locks", "rabbitmq"):
        (settings.folder / name).mkdir(parents=True)
    taken = [
        str(settings.port(name))
        for name in PORT_OFFSETS
        if backing_services.answers(settings.port(name))
    ]
    if taken:
        raise DeploymentError(
            f"something listens on port {', '.join(taken)}: set COSPOT_NOVA_PORT_BASE to another"
        )
    config_files.write_all(settings)
    volumes.write_config(settings, config_files.nova_values(settings))


def up(settings):
    """Bring the deployment up anew."""
    missing = missing_packages(settings)
    if missing:
        raise DeploymentError(f"not installed: {' '.join(missing)}")
    settings.folder.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    with (settings.folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        prepare_folder(settings)
        try:
            start_all(settings)
        except BaseException:
            kill_marked(settings.folder)
            raise
    print(f"{'all':<28} {time.monotonic() - start:6.1f} s", flush=True)


def start_all(settings):
    processes = Processes(settings.folder)
    services = CloudServices(settings, processes)
    with step("MariaDB and RabbitMQ"):
        backing_services.start_rabbitmq(settings, processes)
        backing_services.install_mariadb(settings, processes)
        backing_services.start_mariadb(settings, processes)
        services.start_stand_ins()
        backing_services.wait_for_mariadb(settings)
    with step("databases"):
        services.make_databases()
    with step("Keystone and Placement"):
        services.start_web("keystone")
        services.start_web("placement")
        services.wait_for("keystone", "placement", "glance", "neutron")
        identity.Catalogue(settings).fill()
        backing_services.wait_for_rabbitmq(settings)
    with step("Nova"):
        start_nova(settings, services)


def start_nova(settings, services):
    services.start_nova("nova-conductor")
    services.start_nova_api()
    for host in settings.hosts:
        services.start_compute(host)
    services.start_scheduler()
    services.wait_for("nova")
    services.services_up("nova-compute", len(settings.hosts))
    services.services_up("nova-scheduler", 1)
    services.wait_for_inventories()
    services.manage("nova-discover", "cell_v2", "discover_hosts")
    create_flavors(services.admin("compute"))


def down(settings):
    """Kill every process of the deployment and remove its data; its logs stay."""
    killed = kill_marked(settings.folder)
    if settings.folder.is_dir():
        for path in settings.folder.iterdir():
            if path.name not in ("logs", "lock"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    print(f"{killed} processes ended")


def print_environment(settings):
    """Print what a client or `. <(deploy.sh env)` needs."""
    values = {
        "OS_AUTH_URL": settings.auth_url,
        "OS_USERNAME": "admin",
        "OS_PASSWORD": PASSWORD,
        "OS_PROJECT_NAME": "admin",
        "OS_USER_DOMAIN_ID": "default",
        "OS_PROJECT_DOMAIN_ID": "default",
        "OS_REGION_NAME": REGION,
        "OS_IDENTITY_API_VERSION": "3",
        "COSPOT_NOVA_FOLDER": settings.folder,
        "COSPOT_NOVA_TRANSPORT_URL": settings.message_url,
        "COSPOT_NOVA_DATABASE_URL": settings.database_url("nova"),
    }
    for key, value in values.items():
        print(f"export {key}='{value}'")


def print_logs(settings, lines):
    for path in sorted((settings.folder / "logs").glob("*.log")):
        print(Processes(settings.folder).log_tail(path.stem, lines))


def main(arguments):
    command = arguments[0] if arguments else ""
    try:
        settings = settings_from_environment()
        if command == "up":
            up(settings)
        elif command == "down":
            down(settings)
        elif command == "env":
            print_environment(settings)
        elif command == "logs":
            print_logs(settings, 20)
        else:
            print(f"deploy.sh: {command!r}, expected up, down, env or logs", file=sys.stderr)
            return 2
    except (DeploymentError, ValueError, OSError, ClientException) as error:
        print(f"deploy.sh {command}: {error}", file=sys.stderr)
        return 1
    return 0
