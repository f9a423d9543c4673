"""Small invented exports in the formats that `cospot workload import` reads.

Every maker draws instances with a seed, writes them as the format has them, and returns what they
are, so that a test can compare what was imported with what was meant.
"""

import csv
import datetime
import gzip
import json
import math
import random
from dataclasses import dataclass
from pathlib import Path

EPOCH = datetime.datetime(2024, 5, 1, tzinfo=datetime.timezone.utc)


@dataclass
class Instance:
    """One life of an instance. Times in seconds since EPOCH; no end: it still runs."""

    name: str
    tenant: str
    cpus: float  # of the largest machine, or vCPUs
    memory: float  # of the largest machine, or MiB
    is_spot: bool
    start: int
    end: int | None


def draw_instances(seed: int, count: int, days: int) -> list[Instance]:
    """Draw VMs that live for days and spots that live for hours, by time of start."""
    rng = random.Random(seed)
    instances = []
    for i in range(count):
        is_spot = rng.random() < 0.5
        start = rng.randrange(days * 86400) if i >= count // 4 else 0
        life = rng.expovariate(1 / (6 * 3600 if is_spot else 5 * 86400))
        end = start + 60 + int(life)
        tenant = f"t{rng.randrange(5)}"
        size = (rng.choice([1, 2, 4, 8]), rng.choice([1024, 2048, 8192]))
        ended = end if end < days * 86400 else None
        instances.append(Instance(f"i{i}", tenant, *size, is_spot, start, ended))
    return sorted(instances, key=lambda instance: instance.start)


def iso(seconds: int | None) -> str:
    if seconds is None:
        return ""
    return (EPOCH + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def write_google(file: Path, instances: list[Instance], *, json_lines: bool = False) -> None:
    """Write instance_events: submitted, scheduled, and ended in one of several ways."""
    events = []
    for number, one in enumerate(instances):
        common = {
            "collection_id": 1000 + number // 3, "instance_index": number % 3,
            "priority": 103 if one.is_spot else 200, "collection_type": 0, "alloc_collection_id": 0,
            "scheduling_class": 1, "machine_id": 7, "resource_request.cpus": one.cpus / 64,
            "resource_request.memory": one.memory / 65536,
        }  # fmt: skip
        start = one.start * 1_000_000
        events.append({**common, "time": start, "type": 0})
        events.append({**common, "time": start, "type": 3})
        if one.end is not None:
            events.append({**common, "time": one.end * 1_000_000, "type": 4 + number % 5})
    events.sort(key=lambda event: event["time"])
    if json_lines:
        with gzip.open(file, "wt") as lines:
            for event in events:
                nested = {key: value for key, value in event.items() if "." not in key}
                request = {name: event[f"resource_request.{name}"] for name in ("cpus", "memory")}
                nested["resource_request"] = request
                nested["time"] = str(nested["time"])  # int64 is a text in protobuf's JSON
                lines.write(json.dumps(nested) + "\n")
        return
    with file.open("w", newline="") as table:
        writer = csv.DictWriter(table, fieldnames=list(events[0]))
        writer.writeheader()
        writer.writerows(events)


def write_swf(file: Path, instances: list[Instance]) -> None:
    """Write a log whose queue 2 is the one of spots, with a minute of waiting before each start."""
    lines = ["; Version: 2.2", "; Computer: invented", ";   "]
    for number, one in enumerate(instances, 1):
        wait = min(60, one.start)
        run = -1 if one.end is None else one.end - one.start
        memory_kb = int(one.memory * 1024 / one.cpus)
        lines.append(
            f"{number} {one.start - wait} {wait} {run} {one.cpus} -1 {memory_kb} {one.cpus} "
            f"-1 -1 1 {one.tenant[1:]} 1 -1 {2 if one.is_spot else 1} -1 -1 -1"
        )
    file.write_text("\n".join(lines) + "\n")


def write_alibaba2018(folder: Path) -> None:
    """Write two containers (one looked at twice) and two batch tasks of 3 and 1 instances."""
    (folder / "container_meta.csv").write_text(
        "c_1,m_1,0,app_1,started,400,800,3.13\nc_1,m_1,3600,app_1,started,400,800,3.13\n"
        "c_2,m_2,86400,app_1,started,800,800,6.25\n"
    )
    (folder / "batch_task.csv").write_text(
        "M1,3,j_1,1,Terminated,3600,7200,100.0,0.5\nR2_1,1,j_1,1,Running,7200,0,50,0.29\n"
        "task_x,1,j_2,1,Waiting,0,0,100,1\n"
    )
    (folder / "batch_instance.csv").write_text(
        "i_1,M1,j_1,1,Terminated,3600,7200,m_1,1,3,50,100,0.4,0.5\n"
        "i_2,R2_1,j_1,1,Running,7200,0,m_1,1,1,25,50,0.2,0.29\n"
    )


def write_alibaba2023(file: Path) -> None:
    file.write_text(
        "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
        "deletion_time,scheduled_time\n"
        "pod-1,12000,16384,1,1000,,LS,Running,0,86400,10\n"
        "pod-2,6300,2048,0,0,,BE,Succeeded,100,7300,100\n"
        "pod-3,100,64,0,0,,BE,Pending,200,300,\n"
    )


def write_kubernetes(
    file: Path, instances: list[Instance], nodes: int = 4, *, taken: int | None = None
) -> None:
    """Write pods of two containers, a DaemonSet's pod on every node, and the nodes.

    The nodes' last heartbeat is when the snapshot was taken; None: they tell no time.
    """

    def container(cpu: str, memory: str) -> dict:
        return {"resources": {"requests": {"cpu": cpu, "memory": memory}}}

    def metadata(uid: str, name: str, namespace: str, created: int, owner: str) -> dict:
        owners = [{"kind": owner, "name": "x"}]
        names = {"uid": uid, "name": name, "namespace": namespace}
        return {**names, "creationTimestamp": iso(created), "ownerReferences": owners}

    items = []
    for number, one in enumerate(instances):
        half = container(f"{int(one.cpus * 250)}m", f"{int(one.memory) // 2}Mi")
        ended = one.end is not None
        state = {"terminated": {"finishedAt": iso(one.end)}} if ended else {"running": {}}
        owner = "Job" if one.is_spot else "ReplicaSet"
        labels = {"tier": "batch" if one.is_spot else "web"}
        spec = {
            "nodeName": f"node-{number % nodes}", "priority": -10 if one.is_spot else 0,
            "containers": [half, half], "initContainers": [container("1m", "1Ki")],
        }  # fmt: skip
        status = {
            "phase": "Succeeded" if ended else "Running", "startTime": iso(one.start),
            "qosClass": "Burstable", "containerStatuses": [{"state": state}],
        }  # fmt: skip
        known = metadata(one.name, one.name, one.tenant, one.start, owner) | {"labels": labels}
        items.append({"kind": "Pod", "metadata": known, "spec": spec, "status": status})
    heartbeat = {} if taken is None else {"lastHeartbeatTime": iso(taken)}
    for node in range(nodes):
        name = f"node-{node}"
        known = metadata(f"daemon-{node}", "log", "system", 0, "DaemonSet")
        spec = {"nodeName": name, "containers": [container("100m", "128Mi")]}
        status = {"phase": "Running", "startTime": iso(0)}
        items.append({"kind": "Pod", "metadata": known, "spec": spec, "status": status})
        labels = {
            "node.kubernetes.io/instance-type": "m5.4xlarge",
            "topology.kubernetes.io/zone": "ab"[node % 2],
        }
        status = {
            "allocatable": {"cpu": "15", "memory": "62Gi"},
            "conditions": [{"type": "Ready", "status": "True"} | heartbeat],
        }
        known = {"name": name, "labels": labels}
        items.append({"kind": "Node", "metadata": known, "status": status})
    file.write_text(json.dumps({"kind": "List", "items": items}, indent=1))


def write_nova_dump(file: Path, instances: list[Instance]) -> None:
    """Write what `SELECT ... FROM instances` gives, with flavors of spots called batch.*."""
    with file.open("w", newline="") as table:
        writer = csv.writer(table)
        columns = (
            "uuid project_id vcpus memory_mb root_gb created_at launched_at terminated_at flavor"
        )
        writer.writerow(columns.split())
        for one in instances:
            start, end = (iso(time).replace("T", " ").rstrip("Z") for time in (one.start, one.end))
            flavor = "batch.large" if one.is_spot else "m1.large"
            size = (one.cpus, one.memory, 20)
            writer.writerow([one.name, one.tenant, *size, start, start, end, flavor])


def expected_rows(instances: list[Instance], *, vcpus: float = 1, memory: float = 1) -> set[tuple]:
    """Return (is spot, vcpus, memory_mb, start, end) of every request, sizes in so many units.

    Sizes round up to whole units; an end that was not seen is None.
    """

    def whole(amount: float) -> int:
        return math.ceil(round(amount, 6))

    return sorted(
        (
            (one.is_spot, whole(one.cpus * vcpus), whole(one.memory * memory), one.start, one.end)
            for one in instances
        ),
        key=repr,
    )
