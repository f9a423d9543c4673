"""Measure the time from a VM's claim to its spots freed, and where it goes.

`PYTHONPATH=... python tests/nova/measure_evictions.py [COUNT]` on a deployment that was brought up
with COSPOT_NOVA_NOTIFICATIONS=1; see docs/nova/tested.md. Without an option COUNT VMs of 4
vCPUs, one after the other, each take the place of one spot. With `--burst VMS` it asks, COUNT
times, for so many small VMs in one call on a cloud full of small spots; `--by-hand` without the
evictor: the spots are deleted all at once after the last claim. With `--spots SPOTS` it
asks, COUNT times, for so many spots at the same moment where two fit, `--one-call` in one call;
`--unchecked` is `spot_check_wait = 0`. What the scheduler, Nova and the evictor do is seen from
outside: by their notifications, by asking Placement, and in the evictor's audit log. The evictor is
that of COSPOT_BUILD.
"""

import argparse
import os
import statistics
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import oslo_messaging
from oslo_config import cfg

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent / "scenarios"))

from cloud import Cloud
from cospot.nova.plan_message import DEFAULT_TOPIC
from deployment.settings import settings_from_environment
from waiting import written_records

SIZE = (4, 4096)
SMALL = (1, 1024)
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


class FreedWatch(threading.Thread):
    """Notes when the consumers of a host let go of it, with one question every 20 ms."""

    def __init__(self, cloud, provider):
        super().__init__(daemon=True)
        self.cloud, self.path = cloud, f"/resource_providers/{provider}/allocations"
        self.known, self.gone, self.ends = set(), {}, False
        self.start()

    def run(self):
        while not self.ends:
            held = set(self.cloud.placement.get(self.path).json()["allocations"])
            for consumer in self.known - held:
                self.gone[consumer] = time.time()
            self.known |= held
            time.sleep(0.02)


def wait_for_claim(cloud, vm):
    """Return when a VM was seen to hold a host, and its provider."""
    while not (held := cloud.allocations(vm)):
        time.sleep(0.005)
    return time.time(), next(iter(held))


def intents(cloud):
    found = {}
    path = cloud.settings.folder / "evictor" / "audit-1.jsonl"
    for record in written_records(path):
        if record["event"] == "intent":
            found[record["instance"]] = datetime.fromisoformat(record["time"]).timestamp()
    return found


def one_eviction(cloud, events):
    """Boot a VM that displaces one spot; return the times of its steps, seconds since the epoch."""
    before = cloud.spots()
    times = {"requested": time.time()}
    vm = cloud.request("vm", *SIZE)
    claimed, provider = wait_for_claim(cloud, vm)
    watch = FreedWatch(cloud, provider)
    cloud.wait_for_status(vm, "ACTIVE")
    times["active"] = time.time()
    cloud.wait_until_not_overcommitted()
    (victim,) = before - cloud.spots()
    while victim not in watch.gone:
        time.sleep(0.02)
    watch.ends = True
    host = next(name for name, id_ in cloud.providers().items() if id_ == provider)
    times.update(
        planned=events.times[("planned", vm)],
        claimed=claimed,
        intended=intents(cloud)[victim],
        delete_started=events.times[("delete_started", victim)],
        freed=watch.gone[victim],
    )
    cloud.delete(vm)
    cloud.boot("spot", *SIZE, host=host)
    return times


def fill(cloud, size, leave=0):
    """Fill every host with spots, but for `leave` of them altogether."""
    plan = []
    for host in cloud.settings.hosts:
        fits = min(host.usable_vcpus // size[0], host.usable_memory_mb // size[1])
        plan += [(host.name, "spot", size)] * fits
    cloud.fill(plan[: len(plan) - leave])


class BurstWatch(threading.Thread):
    """Notes when VMs had claimed so many vCPUs, and when a host was overcommitted last."""

    def __init__(self, cloud, vcpus):
        super().__init__(daemon=True)
        self.cloud, self.vcpus = cloud, vcpus
        self.first_claim = self.last_claim = self.within = None
        self.start()

    def run(self):
        while self.within is None:
            hosts = self.cloud.hosts().values()
            now, claimed = time.time(), sum(host.vm_used[0] for host in hosts)
            if claimed and self.first_claim is None:
                self.first_claim = now
            if claimed >= self.vcpus and self.last_claim is None:
                self.last_claim = now
            if self.last_claim and all(max(host.over) <= 0 for host in hosts):
                self.within = now
            time.sleep(0.1)


def delete_by_hand(cloud):
    """Order as many small spots away from each host as its VMs need, 16 orders at a time."""
    victims = []
    for host in cloud.hosts().values():
        needed = max(-(-over // size) for over, size in zip(host.over, SMALL, strict=True))
        spots = [each.id for each in cloud.instances() if each.is_spot and each.host == host.name]
        victims += spots[: max(needed, 0)]
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda spot: cloud.act(spot, "forceDelete"), victims))
    return len(victims)


def one_burst(cloud, count, is_by_hand):
    """Boot VMs that each take the place of a spot; return the times of its steps."""
    fill(cloud, SMALL)
    audit = cloud.settings.folder / "evictor" / "audit-1.jsonl"
    known = audit.stat().st_size if audit.exists() else 0
    watch = BurstWatch(cloud, count * SMALL[0])
    requested = time.time()
    vms = cloud.request("vm", *SMALL, count=count)
    if is_by_hand:
        while watch.last_claim is None:
            time.sleep(0.05)
        evicted = delete_by_hand(cloud)
    for vm in vms:
        cloud.wait_for_status(vm, "ACTIVE")
    active = time.time()
    watch.join(300)
    if not is_by_hand:
        records = written_records(audit, known)
        evicted = sum(record["event"] == "intent" for record in records)
    row = {
        "request to the first claim, s": watch.first_claim - requested,
        "request to the last claim, s": watch.last_claim - requested,
        "request to no host overcommitted, s": watch.within - requested,
        "first claim to no host overcommitted, s": watch.within - watch.first_claim,
        "last claim to no host overcommitted, s": watch.within - watch.last_claim,
        "request to all VMs active, s": active - requested,
        "spots evicted": evicted,
    }
    cloud.empty()
    return row


def one_spot_race(cloud, count, is_one_call):
    """Ask for spots where two fit; return what became of them."""
    fill(cloud, SMALL, leave=2)
    cloud.wait_until_reported()
    audit = cloud.settings.folder / "evictor" / "audit-1.jsonl"
    known = audit.stat().st_size if audit.exists() else 0
    began = time.time()
    if is_one_call:
        spots = set(cloud.request("spot", *SMALL, count=count))
    else:
        with ThreadPoolExecutor(count) as pool:
            spots = set(pool.map(lambda _: cloud.request("spot", *SMALL), range(count)))
    placed = set()
    while time.time() - began < 15:
        for server in cloud.servers():
            if server["id"] in spots and server["OS-EXT-SRV-ATTR:host"]:
                placed.add(server["id"])
        time.sleep(0.3)
    cloud.wait_until_not_overcommitted()
    records = written_records(audit, known)
    row = {
        "spots that got a host": len(placed),
        "spots evicted": sum(record["event"] == "intent" for record in records),
        "spots that stayed": len(cloud.spots() & placed),
    }
    cloud.empty()
    return row


def print_rows(rows):
    print(f"| {len(rows)} times, load {os.getloadavg()[0]:.1f} | median | min | max |")
    print("|---|---|---|---|")
    for name in rows[0]:
        values = [row[name] for row in rows]
        middle, least, most = statistics.median(values), min(values), max(values)
        print(f"| {name} | {middle:.1f} | {least:.1f} | {most:.1f} |")


def print_spans(rows):
    print(f"| step, {len(rows)} evictions, load {os.getloadavg()[0]:.1f} | median, ms | max, ms |")
    print("|---|---|---|")
    for start, end, name in SPAN_NAMES:
        spans = [1000 * (row[end] - row[start]) for row in rows]
        print(f"| {name} | {statistics.median(spans):.0f} | {max(spans):.0f} |")


def repeat(count, once):
    rows = []
    while len(rows) < count:
        rows.append(once())
        print(f"{len(rows)} of {count}", end="\r", file=sys.stderr)
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("count", nargs="?", type=int, default=100)
    parser.add_argument("--burst", type=int, metavar="VMS")
    parser.add_argument("--by-hand", action="store_true")
    parser.add_argument("--spots", type=int, metavar="SPOTS")
    parser.add_argument("--one-call", action="store_true")
    parser.add_argument("--unchecked", action="store_true")
    arguments = parser.parse_args()
    cloud = Cloud(settings_from_environment())
    cloud.stop_evictors()
    cloud.empty()
    wait = 0 if arguments.unchecked else 0.5
    cloud.set_policy(vm_policy="UTIL", otn=1, claim_seconds=1, spot_check_wait=wait)
    if arguments.burst or arguments.spots:
        if not arguments.by_hand:
            cloud.start_evictor()
        if arguments.burst:
            rows = repeat(
                arguments.count, lambda: one_burst(cloud, arguments.burst, arguments.by_hand)
            )
        else:
            rows = repeat(
                arguments.count, lambda: one_spot_race(cloud, arguments.spots, arguments.one_call)
            )
        print_rows(rows)
    else:
        fill(cloud, SIZE)
        cloud.start_evictor()
        events = Events(cloud.settings.message_url)
        print_spans(repeat(arguments.count, lambda: one_eviction(cloud, events)))
    cloud.stop_evictors()
    cloud.empty()


if __name__ == "__main__":
    main()
