"""Small objects of clouds, made by hand, for the tests of what import believes of them."""

from import_case import ImportCase

KUBERNETES = "--format kubernetes --spot-if 0"
OPENSTACK = "--format openstack --spot-if 0 --window-days 14"
FLAVORED = f"servers.json {OPENSTACK} --flavors flavors.json"
FLAVORS = [
    {"ID": "f1", "Name": "m1.small", "RAM": 2048, "VCPUs": 1},
    {"ID": "f2", "Name": "m1.large", "RAM": 8192, "VCPUs": 4},
]
NULLS = ("", "never", "inf", "NULL", "null", "\\N", "None", "none", "NaT", "-")


def at(hour, minute=0):
    return f"2026-03-10T{hour:02}:{minute:02}:00Z"


def container(cpu=None, memory=None, name="c", **members):
    requests = {"cpu": cpu, "memory": memory}
    given = {key: value for key, value in requests.items() if value is not None}
    return {"name": name, "resources": {"requests": given}} | members


EIGHT = at(8)


def pod(name, *, started=EIGHT, owner="ReplicaSet", node="n1", spec=None, **status):
    """Return a running pod of 2 CPUs and 2 GiB, unless `spec` or members of its status differ."""
    return {
        "kind": "Pod",
        "metadata": {
            "name": name, "namespace": "shop", "uid": name, "creationTimestamp": started,
            "ownerReferences": [{"kind": owner, "name": name}],
        },
        "spec": {"nodeName": node, "containers": [container("2", "2Gi")]} | (spec or {}),
        "status": {"phase": "Running", "startTime": started} | status,
    }  # fmt: skip


def node(name, heartbeat):
    return {
        "kind": "Node",
        "metadata": {"name": name},
        "status": {
            "allocatable": {"cpu": "16", "memory": "64Gi"},
            "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": heartbeat}],
        },
    }


def disrupted(time, status="True"):
    return [{"type": "DisruptionTarget", "status": status, "lastTransitionTime": time}]


class KindCase(ImportCase):
    def snapshot(self, name, *items, **metadata):
        return self.write_json(name, {"kind": "List", "items": items, "metadata": metadata})

    def pages_warned_of(self):
        return [line for line in self.warnings if "page" in line]

    def ends(self):
        return {row["instance_id"]: row["end_s"] for row in self.rows()}

    def sizes(self):
        return {
            row["instance_id"]: (int(row["vcpus"]), int(row["memory_mb"])) for row in self.rows()
        }
