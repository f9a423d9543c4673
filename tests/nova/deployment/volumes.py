"""Cinder, for the scenarios with volumes: its three services, with a driver that has no disks.

Scenarios start it, so that those without volumes neither wait for it nor share the machine with it.
"""

from waiting import wait_until

from .config_files import auth_section
from .settings import DEBIAN_PYTHON, ROOT

SERVICES = ("cinder-scheduler", "cinder-volume", "cinder-api")
# The type of its endpoint in the catalogue, which Nova looks for by default.
SERVICE_TYPE = "volumev3"

CINDER = """
[DEFAULT]
transport_url = {message_url}
state_path = {folder}
log_color = false
default_log_levels = {log_levels}
auth_strategy = keystone
api_paste_config = {folder}/api-paste.ini
osapi_volume_listen = 127.0.0.1
osapi_volume_listen_port = {cinder_port}
osapi_volume_workers = 1
enabled_backends = none
[none]
volume_driver = cinder.tests.fake_driver.FakeLoggingVolumeDriver
volume_backend_name = none
[database]
connection = {cinder_database}
[coordination]
backend_url = file://{folder}
[keystone_authtoken]
service_type = {service_type}
service_token_roles_required = true
www_authenticate_uri = {auth_url}
{cinder_auth}
[nova]
interface = public
{cinder_auth}
[oslo_concurrency]
lock_path = {folder}
[oslo_policy]
policy_file = {folder}/policy.yaml
"""

PASTE = """
[composite:osapi_volume]
use = call:cinder.api:root_app_factory
/: versions
/v3: v3
[composite:v3]
use = call:cinder.api.middleware.auth:pipeline_factory
keystone = request_id fault token context application
[pipeline:versions]
pipeline = fault versions_application
[filter:request_id]
paste.filter_factory = oslo_middleware.request_id:RequestId.factory
[filter:fault]
paste.filter_factory = cinder.api.middleware.fault:FaultWrapper.factory
[filter:token]
paste.filter_factory = keystonemiddleware.auth_token:filter_factory
[filter:context]
paste.filter_factory = cinder.api.middleware.auth:CinderKeystoneContext.factory
[app:application]
paste.app_factory = cinder.api.v3.router:APIRouter.factory
[app:versions_application]
paste.app_factory = cinder.api.versions:Versions.factory
"""


def policy_file(settings):
    return settings.folder / "cinder" / "policy.yaml"


def write_config(settings, values):
    """Write Cinder's files; its policy is the page's own."""
    folder = settings.folder / "cinder"
    folder.mkdir(exist_ok=True)
    own = {
        "folder": folder,
        "cinder_port": settings.port("cinder"),
        "cinder_database": settings.database_url("cinder"),
        "cinder_auth": auth_section(settings, "cinder"),
        "service_type": SERVICE_TYPE,
    }
    (folder / "cinder.conf").write_text(CINDER.format(**{**values, **own}).lstrip())
    (folder / "api-paste.ini").write_text(PASTE.lstrip())
    example = ROOT / "examples" / "nova" / "cinder-policy.yaml"
    policy_file(settings).write_text(example.read_text())


def start(services):
    """Start Cinder unless it runs, and wait until it takes volumes."""
    settings, processes = services.settings, services.processes
    command = [DEBIAN_PYTHON, "-m", "deployment.launch"]
    files = ["--config-file", settings.folder / "cinder" / "cinder.conf"]
    files += ["--config-dir", settings.folder / "no-config"]
    if all(processes.main_process(name) for name in SERVICES):
        return
    sync = [*command, "cinder-manage", *files, "db", "sync"]
    processes.call("cinder-db-sync", sync, services.environment)
    for name in SERVICES:
        processes.start(name, [*command, name, *files], services.environment)
    services.wait_for("cinder")
    cinder = services.admin(SERVICE_TYPE)

    def are_up():
        states = {
            each["binary"]: each["state"] for each in cinder.get("/os-services").json()["services"]
        }
        return states == {"cinder-scheduler": "up", "cinder-volume": "up"}

    wait_until(are_up, "Cinder's services are up")


def stop(processes):
    for name in SERVICES:
        processes.stop(name)
