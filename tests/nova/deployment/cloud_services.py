"""Keystone, Placement, Nova and the stand-ins of a deployment."""

from concurrent.futures import ThreadPoolExecutor

from keystoneauth1.adapter import Adapter
from waiting import wait_until

from . import backing_services, identity, real_compute, volumes
from .settings import DEBIAN_PYTHON, ROOT

MICROVERSIONS = {"compute": "2.90", "placement": "1.36", volumes.SERVICE_TYPE: "3.59"}


def environment(settings):
    folder = settings.folder
    return {
        "PYTHONPATH": f"{ROOT / 'tests' / 'nova'}:{ROOT / 'tests'}:{settings.build / 'python'}",
        "PYTHONUNBUFFERED": "1",
        "PYTHONWARNINGS": "ignore",
        "OS_KEYSTONE_CONFIG_DIR": str(folder / "keystone"),
        "OS_PLACEMENT_CONFIG_DIR": str(folder / "placement"),
        "OS_NOVA_CONFIG_DIR": str(folder),
        "OS_NOVA_CONFIG_FILES": "api-paste.ini;nova.conf;nova-database.conf",
    }


def nova_command(settings, program, *config_files):
    """Return the command of a Nova program that reads nothing of /etc/nova."""
    command = [settings.python, "-m", "deployment.launch", program]
    for name in ("nova.conf", *config_files):
        command += ["--config-file", settings.folder / name]
    return [*command, "--config-dir", settings.folder / "no-config"]


class CloudServices:
    """Makes the databases of the services and starts them."""

    def __init__(self, settings, processes):
        self.settings = settings
        self.processes = processes
        self.environment = environment(settings)

    def make_databases(self):
        """Make all schemas, as many at once as there are processors for them."""
        with ThreadPoolExecutor(4) as pool:
            jobs = [
                pool.submit(identity.bootstrap, self.settings, self.processes, self.environment),
                pool.submit(self.make_placement_database),
                pool.submit(self.make_nova_api_database),
                pool.submit(self.manage, "nova-db-sync", "db", "sync", "--local_cell"),
                pool.submit(
                    self.manage,
                    *("nova-cell0-sync", "db", "sync", "--local_cell"),
                    config_files=("cell0.conf",),
                ),
            ]
            for job in jobs:
                job.result()

    def make_placement_database(self):
        config = self.settings.folder / "placement" / "placement.conf"
        self.processes.call(
            "placement-db-sync",
            [self.settings.placement_manage, "--config-file", config, "db", "sync"],
            self.environment,
        )

    def make_nova_api_database(self):
        self.manage("nova-api-db-sync", "api_db", "sync")
        cell0 = self.settings.database_url("nova_cell0")
        self.manage("nova-cell0", "cell_v2", "map_cell0", "--database_connection", cell0)
        self.manage("nova-cell1", "cell_v2", "create_cell", "--name", "cell1")

    def manage(self, name, *arguments, config_files=()):
        command = nova_command(self.settings, "nova-manage", "nova-database.conf", *config_files)
        self.processes.call(name, [*command, *arguments], self.environment)

    def start_web(self, name):
        port = self.settings.port("nova" if name == "nova-api-os-compute" else name)
        python = DEBIAN_PYTHON if name == "keystone" else self.settings.python
        command = [python, "-m", "deployment.launch", name, port]
        self.processes.start(name, command, self.environment)

    def start_stand_ins(self):
        ports = [self.settings.port("glance"), self.settings.port("neutron")]
        command = [DEBIAN_PYTHON, "-m", "deployment.stand_ins", *ports]
        if any(host.is_real for host in self.settings.hosts):
            command.append(real_compute.make_image(self.settings.folder))
        self.processes.start("stand-ins", command, self.environment)

    def start_nova(self, name, *config_files):
        command = nova_command(self.settings, name, "nova-database.conf", *config_files)
        self.processes.start(name, command, self.environment)

    def start_nova_api(self):
        """Start Nova's API, of which releases from the registry have the WSGI application only."""
        if self.settings.release is None:
            self.start_nova("nova-api-os-compute")
        else:
            self.start_web("nova-api-os-compute")

    def start_scheduler(self):
        self.start_nova("nova-scheduler", "scheduler.conf")

    def start_compute(self, host):
        command = nova_command(self.settings, "nova-compute", f"{host.name}.conf")
        if host.is_real:
            (self.settings.folder / "state" / host.name / "instances").mkdir(exist_ok=True)
            real_compute.start_libvirt(self.settings.folder, self.processes, host.name)
            self.processes.start(f"compute-{host.name}", command, self.environment)
            return
        size = {"COSPOT_HOST_SIZE": f"{host.vcpus},{host.memory_mb},{host.dedicated_cpus}"}
        self.processes.start(f"compute-{host.name}", command, {**self.environment, **size})

    def wait_for(self, *names):
        for name in names:
            port = self.settings.port(name)
            wait_until(lambda port=port: backing_services.answers(port), f"{name} answers")

    def admin(self, service):
        return Adapter(
            identity.session(self.settings, "admin", "admin"),
            service_type=service,
            default_microversion=MICROVERSIONS[service],
        )

    def services_up(self, binary, count):
        def are_up():
            answer = self.admin("compute").get(f"/os-services?binary={binary}")
            return sum(service["state"] == "up" for service in answer.json()["services"]) >= count

        wait_until(are_up, f"{count} {binary} are up")

    def wait_for_inventories(self):
        """Wait until every host has told placement what it has, spots' classes included."""
        placement = self.admin("placement")
        names = {host.name for host in self.settings.hosts}

        def have_spot_inventory():
            found = set()
            for provider in placement.get("/resource_providers").json()["resource_providers"]:
                path = f"/resource_providers/{provider['uuid']}/inventories"
                if "CUSTOM_SPOT_VCPU" in placement.get(path).json()["inventories"]:
                    found.add(provider["name"])
            return names <= found

        wait_until(have_spot_inventory, "hosts have a spot inventory")
