"""Measure the time from a VM's claim to its spots freed, and where it goes.

`COSPOT_NOVA_KEEP=1 PYTHONPATH=... python tests/nova/measure_evictions.py [EVICTIONS]` on a
deployment that was brought up with COSPOT_NOVA_NOTIFICATIONS=1; see docs/nova/performance.md. Each
eviction is one VM of 4 vCPUs that takes the place of one spot. What the scheduler, Nova and the
evictor do is seen from outside: by their notifications, by asking Placement every 5 ms, and in the
evictor's audit log.
"""

import json
import statistics
import sys
import threading
import time
from datetime import datetime
from pathlib import Path

import oslo_messaging
from oslo_config import cfg

sys.path.insert(0, str(Path(__file__).parent / "scenarios"))

from cloud import Cloud
from cospot.nova.plan_message import DEFAULT_TOPIC
from deployment.settings import settings_from_environment

SIZE = (4, 4096)
SPAN_NAMES = (
    ("requested", "planned", "API, conductor, scheduler: request to plan"),
    ("planned", "claimed", "Nova claims the host in placement"),
    ("claimed", "intended", "evictor sees the claim, checks host and spot, writes the audit log"),
    ("intended", "delete_started", "evictor's order: API, message to the compute"),
    ("delete_started", "freed", "compute deletes the spot, frees it in placement"),
    ("claimed", "freed", "claim to spots freed"),
    ("claimed", "active", "claim to VM active"),
)


class Events:
    """Times of what is notified, by kind and instance."""

    def __init__(self, message_url):
        conf = cfg.ConfigOpts()
        conf([], default_config_files=[], default_config_dirs=[])
        transport = oslo_messaging.get_notification_transport(conf, url=message_url)
        topics = ((DEFAULT_TOPIC, DEFAULT_TOPIC), ("nova", "versioned_notifications"))
        self.times = {}
        # A pool of its own gets a copy of every message.
        self.listener = oslo_messaging.get_notification_listener(
            transport,
            [oslo_messaging.Target(exchange=exchange, topic=topic) for exchange, topic in topics],
            [self],
            executor="threading",
            pool="measure",
        )
        self.listener.start()

    def info(self, context, publisher_id, event_type, payload, metadata):
        if event_type == "cospot.plan":
            self.times.setdefault(("planned", payload["instance"]), payload["made_at"])
        elif event_type == "instance.delete.start":
            sent = datetime.fromisoformat(metadata["timestamp"] + "+00:00").timestamp()
            self.times[("delete_started", payload["nova_object.data"]["uuid"])] = sent


class PlacementWatch(threading.Thread):
    """Notes when a consumer first holds something, or no longer does."""

    def __init__(self, cloud, consumer, until_gone):
        super().__init__(daemon=True)
        self.cloud, self.consumer, self.until_gone = cloud, consumer, until_gone
        self.seen = None
        self.start()

    def run(self):
        while bool(self.cloud.allocations(self.consumer)) == self.until_gone:
            time.sleep(0.005)
        self.seen = time.time()


def intents(cloud):
    found = {}
    path = cloud.settings.folder / "evictor" / "audit-1.jsonl"
    for line in path.read_text().splitlines():
        record = json.loads(line)
        if record["event"] == "intent":
            found[record["instance"]] = datetime.fromisoformat(record["time"]).timestamp()
    return found


def one_eviction(cloud, events):
    """Boot a VM that displaces one spot; return the times of its steps, seconds since the epoch."""
    before = cloud.spots()
    times = {"requested": time.time()}
    vm = cloud.request("vm", *SIZE)
    claim = PlacementWatch(cloud, vm, until_gone=False)
    claim.join(60)
    host = next(name for name, id_ in cloud.providers().items() if id_ in cloud.allocations(vm))
    watches = {
        i.id: PlacementWatch(cloud, i.id, until_gone=True)
        for i in cloud.instances()
        if i.is_spot and i.host == host
    }
    cloud.wait_for_status(vm, "ACTIVE")
    times["active"] = time.time()
    cloud.wait_until_not_overcommitted()
    (victim,) = before - cloud.spots()
    watches[victim].join(60)
    times.update(
        planned=events.times[("planned", vm)],
        claimed=claim.seen,
        intended=intents(cloud)[victim],
        delete_started=events.times[("delete_started", victim)],
        freed=watches[victim].seen,
    )
    cloud.delete(vm)
    cloud.boot("spot", *SIZE, host=host)
    return times


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    cloud = Cloud(settings_from_environment())
    cloud.stop_evictors()
    cloud.empty()
    cloud.set_policy(vm_policy="UTIL", otn=1, claim_seconds=1)
    for host in cloud.settings.hosts:
        fits = min(host.usable_vcpus // SIZE[0], host.usable_memory_mb // SIZE[1])
        cloud.fill([(host.name, "spot", SIZE)] * fits)
    cloud.start_evictor()
    events = Events(cloud.settings.message_url)
    rows = []
    while len(rows) < count:
        rows.append(one_eviction(cloud, events))
        print(f"{len(rows)} of {count}", end="\r", file=sys.stderr)
    print(f"| step, {count} evictions | median, ms | max, ms |\n|---|---|---|")
    for start, end, name in SPAN_NAMES:
        spans = [1000 * (row[end] - row[start]) for row in rows]
        print(f"| {name} | {statistics.median(spans):.0f} | {max(spans):.0f} |")
    cloud.stop_evictors()
    cloud.empty()


if __name__ == "__main__":
    main()
