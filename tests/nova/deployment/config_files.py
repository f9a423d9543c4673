"""The configuration files of a deployment's services."""

import re
import uuid

from .settings import PASSWORD, REGION, ROOT

# What is too talkative.
LOG_LEVELS = {
    "WARN": "oslo_messaging oslo_service keystoneauth keystonemiddleware urllib3 amqp sqlalchemy",
    "ERROR": "oslo_messaging.rpc.client",
}

NOVA = """
[DEFAULT]
transport_url = {message_url}
state_path = {folder}/state
log_color = false
default_log_levels = {log_levels}
compute_driver = fake.MediumFakeDriver
osapi_compute_listen = 127.0.0.1
osapi_compute_listen_port = {nova_port}
osapi_compute_workers = 1
rpc_response_timeout = 30
service_down_time = 60
report_interval = 5
# Computes report what happens at once, but for what a migration leaves behind.
update_resources_interval = 10
# As docs/nova/configuration.md says; the doctor warns of Nova's default, which confirms no resize.
resize_confirm_window = 86400
[api]
auth_strategy = keystone
[wsgi]
api_paste_config = {folder}/api-paste.ini
[oslo_policy]
policy_file = {folder}/nova-policy.yaml
[keystone_authtoken]
service_type = compute
www_authenticate_uri = {auth_url}
{nova_auth}
[placement]
{nova_auth}
[neutron]
{nova_auth}
[cinder]
catalog_info = volumev3::publicURL
os_region_name = {region}
{nova_auth}
[service_user]
send_service_user_token = true
{nova_auth}
[glance]
region_name = {region}
[oslo_concurrency]
lock_path = {folder}/state/locks
[conductor]
workers = 1
[quota]
# Spots use no core and no RAM of placement's, so they do not use up the quota for VMs.
count_usage_from_placement = true
instances = -1
cores = -1
ram = -1
{notifications}
[oslo_messaging_rabbit]
rabbit_retry_interval = 1
rabbit_interval_max = 2
kombu_reconnect_delay = 0.5
heartbeat_timeout_threshold = 20
[scheduler]
workers = 2
max_attempts = 3
[filter_scheduler]
host_subset_size = 1
# The fake driver says that no disk is left, whatever is on it; and a build counts as under way
# until the host's next report, which the deletion of a spot may bring forward.
disk_weight_multiplier = 0.0
io_ops_weight_multiplier = 0.0
track_instance_changes = true
"""

# Nobody reads them here but measure_evictions.py, and cospot needs none.
NOTIFICATIONS = """
[notifications]
notification_format = versioned
[oslo_messaging_notifications]
driver = messagingv2
"""

# Computes have no access to the databases.
NOVA_DATABASE = """
[api_database]
connection = {nova_api_database}
[database]
connection = {nova_database}
"""

COMPUTE = """
[DEFAULT]
host = {host.name}
state_path = {folder}/state/{host.name}
cpu_allocation_ratio = {host.cpu_allocation_ratio}
ram_allocation_ratio = {host.ram_allocation_ratio}
disk_allocation_ratio = 1.0
reserved_host_cpus = {host.reserved_vcpus}
reserved_host_memory_mb = {host.reserved_memory_mb}
[compute]
provider_config_location = {folder}/providers/{host.name}
"""

# Instances of QEMU without its hardware acceleration; nobody looks at their screens.
REAL_COMPUTE = """
[DEFAULT]
compute_driver = libvirt.LibvirtDriver
[libvirt]
virt_type = qemu
cpu_mode = none
connection_uri = qemu+unix:///system?socket={folder}/libvirt/sock/libvirt-sock
[vnc]
enabled = false
[nova_sys_admin]
helper_command = privsep-helper --config-file {folder}/nova.conf
"""

# On the root provider of the host that reads it, as much as its VMs may use. 1028 GB are the disk
# of every MediumFakeDriver.
PROVIDER = """
meta:
  schema_version: '1.0'
providers:
  - identification:
      uuid: $COMPUTE_NODE
    inventories:
      additional:
        - CUSTOM_SPOT_VCPU:
            total: {host.usable_vcpus}
            max_unit: {host.usable_vcpus}
        - CUSTOM_SPOT_MEMORY_MB:
            total: {host.usable_memory_mb}
            max_unit: {host.usable_memory_mb}
        - CUSTOM_SPOT_DISK_GB:
            total: 1028
            max_unit: 1028
"""

PASTE = """
[composite:osapi_compute]
use = call:nova.api.openstack.urlmap:urlmap_factory
/: versions
/v2.1: compute
[composite:compute]
use = call:nova.api.auth:pipeline_factory_v21
keystone = request_id fault token context application
[pipeline:versions]
pipeline = fault versions_application
[filter:request_id]
paste.filter_factory = nova.api.compute_req_id:ComputeReqIdMiddleware.factory
[filter:fault]
paste.filter_factory = nova.api.openstack:FaultWrapper.factory
[filter:token]
paste.filter_factory = keystonemiddleware.auth_token:filter_factory
[filter:context]
paste.filter_factory = nova.api.auth:NovaKeystoneContext.factory
[app:application]
paste.app_factory = nova.api.openstack.compute:APIRouterV21.factory
[app:versions_application]
paste.app_factory = nova.api.openstack.compute.versions:Versions.factory
"""

KEYSTONE = """
[DEFAULT]
max_token_size = 512
[database]
connection = {keystone_database}
[token]
provider = fernet
[fernet_tokens]
key_repository = {folder}/keystone/fernet-keys
[credential]
key_repository = {folder}/keystone/credential-keys
[identity]
password_hash_rounds = 4
[oslo_policy]
policy_file = {folder}/keystone/policy.yaml
"""

PLACEMENT = """
[api]
auth_strategy = keystone
[keystone_authtoken]
service_type = placement
www_authenticate_uri = {auth_url}
{placement_auth}
[oslo_policy]
policy_file = {folder}/placement/policy.yaml
{placement_retries}[placement_database]
connection = {placement_database}
"""

# Placement 16 tries a claim that collided with another again within one transaction. The writes of
# the first try then count as held before, and as the claim makes nothing worse it is let through,
# however full the host is. Without tries of its own it answers 409, and Nova tries again.
PLACEMENT_RETRIES = """[placement]
allocation_conflict_retry_count = 1
"""

RABBITMQ = """
listeners.tcp.local = 127.0.0.1:{port}
disk_free_limit.absolute = 50MB
log.console = true
log.console.level = warning
log.file = false
"""

# The role of docs/nova/configuration.md, whom Nova takes for an administrator, and one that may
# only read in Placement; scenarios/test_service_roles.py runs the evictor with them.
EVICTOR_ROLE = "cospot_evictor"
READER_ROLE = "cospot_placement"


def auth_section(settings, user):
    """Return the lines of a keystoneauth section for a service user."""
    return "\n".join(
        [
            "auth_type = password",
            f"auth_url = {settings.auth_url}",
            f"username = {user}",
            f"password = {PASSWORD}",
            "user_domain_id = default",
            "project_name = service",
            "project_domain_id = default",
            f"region_name = {REGION}",
        ]
    )


def nova_values(settings):
    levels = [f"{name}={level}" for level, names in LOG_LEVELS.items() for name in names.split()]
    return {
        "folder": settings.folder,
        "log_levels": ",".join(levels),
        "region": REGION,
        "message_url": settings.message_url,
        "auth_url": settings.auth_url,
        "nova_auth": auth_section(settings, "nova"),
        "placement_auth": auth_section(settings, "placement"),
        "nova_port": settings.port("nova"),
        "notifications": NOTIFICATIONS if settings.notifies else "",
        "nova_database": settings.database_url("nova"),
        "nova_api_database": settings.database_url("nova_api"),
        "keystone_database": settings.database_url("keystone"),
        "placement_database": settings.database_url("placement"),
        "placement_retries": "" if settings.release is None else PLACEMENT_RETRIES,
    }


def write_all(settings):
    """Write every configuration file of the deployment."""
    folder = settings.folder
    values = nova_values(settings)
    examples = ROOT / "examples" / "nova"  # the pages' own files
    placement_policy = (examples / "placement-policy.yaml").read_text()
    placement_policy = re.sub(r'"$', f' or role:{READER_ROLE}"', placement_policy, flags=re.M)
    files = {
        "nova.conf": NOVA.format(**values),
        "nova-database.conf": NOVA_DATABASE.format(**values),
        # Given after that, so that the database is cell0's.
        "cell0.conf": f"[database]\nconnection = {settings.database_url('nova_cell0')}\n",
        # Given to the scheduler last; a scenario writes its policy here.
        "scheduler.conf": "",
        "api-paste.ini": PASTE,
        "nova-policy.yaml": (examples / "nova-policy.yaml").read_text(),
        "keystone/keystone.conf": KEYSTONE.format(**values),
        "keystone/policy.yaml": "{}\n",
        "placement/placement.conf": PLACEMENT.format(**values),
        "placement/policy.yaml": placement_policy,
        "rabbitmq/rabbitmq.conf": RABBITMQ.format(port=settings.port("rabbitmq")),
        "rabbitmq/enabled_plugins": "[].\n",
        "rabbitmq/environment": "",
        "no-config/none": "",
    }
    for host in settings.hosts:
        compute = COMPUTE + REAL_COMPUTE if host.is_real else COMPUTE
        files[f"{host.name}.conf"] = compute.format(host=host, folder=folder)
        files[f"providers/{host.name}/spot.yaml"] = PROVIDER.format(host=host)
        # A compute of later releases does not start again without; the fake driver writes none.
        identity = uuid.uuid5(uuid.NAMESPACE_DNS, host.name)
        files[f"state/{host.name}/compute_id"] = str(identity)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.lstrip("\n"))


def evictor_config(
    settings,
    nova_user="cospot-evictor",
    placement_user="cospot_least",
    message_url=None,
    credential=None,
    **options,
):
    """Return the text of a configuration file for cospot-evictor.

    Args:
        credential: id of an application credential, with which it logs in to both.
    """
    lines = [f"{key} = {value}" for key, value in options.items()]
    nova, placement = auth_section(settings, nova_user), auth_section(settings, placement_user)
    if credential is not None:
        nova = placement = "\n".join(
            [
                "auth_type = v3applicationcredential",
                f"auth_url = {settings.auth_url}",
                f"application_credential_id = {credential}",
                f"application_credential_secret = {PASSWORD}",
                f"region_name = {REGION}",
            ]
        )
    return "\n".join(
        [
            "[DEFAULT]",
            f"transport_url = {message_url or settings.message_url}",
            "[nova]",
            nova,
            "[placement]",
            placement,
            "[cospot_evictor]",
            *lines,
            "",
        ]
    )


__all__ = ["EVICTOR_ROLE", "READER_ROLE", "auth_section", "evictor_config", "write_all"]
