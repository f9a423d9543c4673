"""The check after every scenario: nothing but spots was ever evicted."""

import functools
from datetime import datetime, timezone

from deployment import identity
from waiting import written_records


@functools.cache
def evictor_users(cloud):
    """Return the Keystone ids of the users that an evictor runs as: always the same."""
    catalogue = identity.Catalogue(cloud.settings)
    return {catalogue.user(name) for name in identity.SERVICE_USERS if name.startswith("cospot")}


def servers_since(cloud, began):
    """Return all servers that were there since then, the deleted ones as well."""
    since = datetime.fromtimestamp(began, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    path = f"/servers/detail?all_tenants=1&changes-since={since}"
    return cloud.nova.get(path).json()["servers"]


def check_no_vm_was_evicted(cloud, began):
    """Fail when a VM is gone that the scenario did not delete, or an evictor acted on one."""
    users = evictor_users(cloud)
    living = {server["id"] for server in cloud.servers()}
    lost = cloud.vms - living - cloud.deleted_here
    assert not lost, f"VMs that are gone: {lost}"
    for server in servers_since(cloud, began):
        if server["flavor"]["original_name"].startswith("spot."):
            continue
        path = f"/servers/{server['id']}/os-instance-actions"
        actions = cloud.nova.get(path).json()["instanceActions"]
        acted = [action for action in actions if action["user_id"] in users]
        assert not acted, f"an evictor acted on the VM {server['id']}: {acted}"
    for line in intents(cloud):
        assert line["instance"] not in cloud.vms, line


def intents(cloud):
    """Return the records of orders."""
    return [line for line in audit_lines(cloud) if line["event"] == "intent"]


def events(cloud):
    """Return the kinds of records that there are."""
    return {line["event"] for line in audit_lines(cloud)}


def audit_lines(cloud):
    """Return what the evictors wrote in their audit logs."""
    lines = []
    for path in sorted((cloud.settings.folder / "evictor").glob("audit-*.jsonl")):
        lines += written_records(path)
    return lines
