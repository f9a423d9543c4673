"""Measures evictions on a compute whose instances are real processes: QEMU's, started by libvirt.

    tests/nova/deploy.sh up --libvirt
    COSPOT_NOVA_LIBVIRT=1 PYTHONPATH=tests/nova:build/release/python \\
      build/venv/bin/python tests/nova/measure_real_compute.py [COUNT]

The guests write to all their memory as they start. COUNT times three spots fill the host, and a VM
takes the place of one. From outside it is seen which processes there are and what memory they have,
every 20 ms.
"""

import argparse
import os
import statistics
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent / "scenarios"))

from cloud import Cloud
from deployment.settings import REAL_MEMORY_MB, settings_from_environment
from measure_evictions import FreedWatch, intents, wait_for_claim

SIZE = (1, 1024)
HOST = "real1"


def guests():
    """Return the memory of each QEMU of an instance by the instance's UUID, MiB."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            if not entry.name.isdecimal() or (entry / "comm").read_text() != "qemu-system-x86\n":
                continue
            arguments = (entry / "cmdline").read_bytes().decode().split("\0")
            pages = int((entry / "statm").read_text().split()[1])
        except OSError:  # it has ended
            continue
        if "-uuid" in arguments:
            uuid = arguments[arguments.index("-uuid") + 1]
            found[uuid] = pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    return found


class MemoryWatch(threading.Thread):
    """Notes the guests' memory all the time."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seen, self.ends = [], False
        self.start()

    def run(self):
        while not self.ends:
            self.seen.append((time.time(), guests()))
            time.sleep(0.02)

    def ended(self, uuid):
        """Return when a guest was first seen no more."""
        last = max(at for at, each in self.seen if uuid in each)
        return min(at for at, _ in self.seen if at > last)

    def started(self, uuid):
        return min(at for at, each in self.seen if uuid in each)


def one_eviction(cloud):
    spots = [cloud.boot("spot", *SIZE, host=HOST) for _ in range(REAL_MEMORY_MB // SIZE[1])]
    full_mb = 0.0
    while full_mb < REAL_MEMORY_MB or sum(guests().values()) > full_mb:  # they still write
        full_mb = sum(guests().values())
        time.sleep(2.0)
    watch, requested = MemoryWatch(), time.time()
    vm = cloud.request("vm", *SIZE, host=HOST, filtered=True)
    claimed, provider = wait_for_claim(cloud, vm)
    freed = FreedWatch(cloud, provider)
    cloud.wait_for_status(vm, "ACTIVE")
    active = time.time()
    cloud.wait_until_not_overcommitted()
    (victim,) = set(spots) - cloud.spots()
    while victim not in freed.gone or victim in guests():
        time.sleep(0.05)
    time.sleep(2.0)
    watch.ends = freed.ends = True
    ordered, ended = intents(cloud)[victim], watch.ended(victim)
    row = {
        "request to claim, s": claimed - requested,
        "claim to the order's record, s": ordered - claimed,
        "order's record to the spot's process ended, s": ended - ordered,
        "its end to its capacity free in placement, s": freed.gone[victim] - ended,
        "claim to freed, s": freed.gone[victim] - claimed,
        "claim to the VM's process, s": watch.started(vm) - claimed,
        "claim to VM active, s": active - claimed,
        "memory of all spots before, MiB": full_mb,
        "memory at most, MiB": max(sum(each.values()) for _, each in watch.seen),
        "guests at once": max(len(each) for _, each in watch.seen),
    }
    cloud.empty()
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=10, help="so many evictions")
    count = parser.parse_args().count
    cloud = Cloud(settings_from_environment())
    cloud.stop_evictors()
    cloud.empty()
    cloud.set_policy(vm_policy="UTIL", otn=1, claim_seconds=1)
    cloud.start_evictor()
    rows = []
    for number in range(count):
        rows.append(one_eviction(cloud))
        print(f"{number + 1} of {count}: {rows[-1]}", file=sys.stderr, flush=True)
    print(f"| {count} evictions, load {os.getloadavg()[0]:.1f} | median | min | max |")
    print("|---|---|---|---|")
    for name in rows[0]:
        values = [row[name] for row in rows]
        print(
            f"| {name} | {statistics.median(values):.2f} | {min(values):.2f} | {max(values):.2f} |"
        )
    cloud.stop_evictors()


if __name__ == "__main__":
    main()
