#!/usr/bin/env python3
"""Makes the small invented inputs of this folder, on which the commands of the pages can run.

    examples/inputs/make.py           # write them
    examples/inputs/make.py --check   # only say whether they are up to date

Every Python draws the same numbers: `random.Random(seed).random()` is all that is used.
"""

from __future__ import annotations

import argparse
import gzip
import math
import random
import sys
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
DAY = 86400
#: Sizes of requests and jobs: vCPUs to GiB of memory, with a weight.
SIZES = [((1, 2), 4), ((2, 8), 4), ((4, 16), 3), ((8, 32), 2), ((16, 64), 1)]


class Draw:
    """Draws by inversion, which stays the same from one Python to the next."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def uniform(self, low: float = 0, high: float = 1) -> float:
        """Return a number from low to high."""
        return low + (high - low) * self._random.random()

    def exponential(self, mean: float) -> float:
        """Return a positive number with this mean."""
        return -mean * math.log(1 - self._random.random())

    def size(self) -> tuple[int, int]:
        """Return vCPUs and GiB of memory."""
        left = self.uniform(0, sum(weight for _, weight in SIZES))
        for size, weight in SIZES:
            left -= weight
            if left < 0:
                return size
        return SIZES[-1][0]


def _busy(time_s: float) -> float:
    """Return the load of an hour: 0.4 at night and at weekends, 1 around noon on a working day."""
    hour, day = time_s / 3600 % 24, int(time_s // DAY) % 7
    return 0.4 + (0.6 * math.sin(math.pi * (hour - 7) / 12) if day < 5 and 7 < hour < 19 else 0)


def requests() -> str:
    """Four weeks of VMs that stay for days and spots that run for hours."""
    draw = Draw(1)
    rows = []
    for number in range(340):  # what runs when the window begins, and what comes to stay
        start = -draw.uniform(0, 30) * DAY if number < 200 else draw.uniform(0, 28) * DAY
        rows.append((start, start + 3600 + draw.exponential(30 * DAY), "vm"))
    for spot in (False, True):
        time_s, seconds = 0.0, 450 if spot else 2400
        while True:
            time_s += draw.exponential(seconds)
            if time_s >= 28 * DAY:
                break
            if draw.uniform() > _busy(time_s):
                continue
            life = 300 + draw.exponential((6 if spot else 10) * 3600)
            rows.append((time_s, time_s + life, "spot" if spot else "vm"))
    lines = ["# window_days: 28", "instance_id,tenant_id,class,vcpus,memory_mb,start_s,end_s"]
    for number, (start, end, kind) in enumerate(sorted(rows)):
        vcpus, memory_gb = draw.size()
        seen = f"{end:.0f}" if end < 28 * DAY else "never"
        tenant = f"t{int(draw.uniform(0, 12))}"
        if end > 0:
            lines.append(f"i{number},{tenant},{kind},{vcpus},{memory_gb * 1024},{start:.0f},{seen}")
    return "\n".join(lines) + "\n"


def instances() -> str:
    """The first three weeks of these, as OpenStack's table of instances has them."""
    lines = ["uuid,project_id,flavor,vcpus,memory_mb,launched_at,terminated_at"]
    begin, end = datetime(2026, 3, 2, tzinfo=timezone.utc), 21 * DAY
    for line in requests().splitlines()[2:]:
        name, tenant, kind, vcpus, memory, *times = line.split(",")
        start, stop = (end if time == "never" else int(time) for time in times)
        if start < end:
            seen = [f"{begin + timedelta(seconds=start):%F %T}"]
            seen += [f"{begin + timedelta(seconds=stop):%F %T}" if stop < end else ""]
            flavor = f"{'batch' if kind == 'spot' else 'std'}.{vcpus}"
            lines.append(",".join([name, tenant, flavor, vcpus, memory, *seen]))
    return "\n".join(lines) + "\n"


def hosts() -> str:
    """Eleven hosts in two zones."""
    lines = ["name,type,vcpus,memory_mb,zone"]
    lines += [f"c{i:02},gen3,64,262144,az{1 + i % 2}" for i in range(1, 12)]
    return "\n".join(lines) + "\n"


def usage() -> str:
    """Two years of a cloud that grows a little: its vCPUs in use every 12 hours."""
    draw = Draw(2)
    lines = ["time_s,capacity,used"]
    for sample in range(2 * 730):
        time_s = sample * DAY // 2
        busy = _busy(time_s + DAY // 4 if sample % 2 else time_s)
        used = 3000 + 900 * busy + 0.4 * sample + draw.uniform(-150, 150)
        lines.append(f"{time_s},5000,{used:.0f}")
    return "\n".join(lines) + "\n"


def jobs() -> str:
    """A fortnight of a customer's batch jobs, with deadlines."""
    draw = Draw(3)
    names = "submission_s,duration_s,nodes,user,estimate_s,deadline_s,parallelism,memory_mb"
    lines, time_s = [names], 0.0
    while True:
        time_s += draw.exponential(2400)
        if time_s >= 14 * DAY:
            break
        work = 300 + draw.exponential(5400)
        estimate = math.ceil(work * draw.uniform(1, 2) / 600) * 600
        parallelism = 2 ** int(draw.uniform(0, 4))
        submission = round(time_s)
        deadline = submission + round(estimate * draw.uniform(3, 8))
        user = f"u{int(draw.uniform(0, 6))}"
        sizes = f"{parallelism},{256 * int(draw.uniform(1, 7))}"
        lines.append(f"{submission},{work:.0f},1,{user},{estimate},{deadline},{sizes}")
    return "\n".join(lines) + "\n"


def cluster(days: int = 42) -> str:
    """Some weeks of a cluster of 64 nodes that is busy by day."""
    draw = Draw(4)
    lines, time_s = ["submission_s,duration_s,nodes"], 0.0
    while True:
        time_s += draw.exponential(1500)
        if time_s >= days * DAY:
            break
        if draw.uniform() < _busy(time_s):
            nodes = 2 ** int(draw.uniform(0, 4))
            lines.append(f"{time_s:.0f},{300 + draw.exponential(3 * 3600):.0f},{nodes}")
    return "\n".join(lines) + "\n"


def availability() -> str:
    """Three weeks of a spot market: how many instances could be had, and for how much."""
    draw = Draw(5)
    lines, time_s, there = ["time,available,price"], 0.0, True
    while time_s < 21 * DAY:
        price, instances = draw.uniform(0.25, 0.35), 1 + int(draw.uniform(0, 4))
        lines.append(f"{time_s:.0f}," + (f"{instances},{price:.3f}" if there else "0,"))
        time_s += 600 + draw.exponential((8 if there else 3) * 3600)
        there = not there
    return "\n".join([*lines, f"{21 * DAY},0,"]) + "\n"


def availability_of_types() -> str:
    """Three weeks of spots of two types: the large one comes and goes more often."""
    draw = Draw(8)
    lines = ["time,available,price,type"]
    for kind, price, up_h in (("m5.large", 0.031, 9), ("m5.2xlarge", 0.11, 5)):
        time_s, there = 0.0, True
        while time_s < 21 * DAY:
            now = price * draw.uniform(0.9, 1.1)
            lines.append(f"{time_s:.0f}," + (f"1,{now:.4f}," if there else "0,,") + kind)
            time_s += 600 + draw.exponential((up_h if there else 3) * 3600)
            there = not there
        lines.append(f"{21 * DAY},0,,{kind}")
    return "\n".join(lines) + "\n"


def spot_prices() -> str:
    """Ten weeks of prices of a market in which bids count, as EC2's did: calm, with peaks."""
    draw = Draw(6)
    lines, time_s, price = ["time,price"], 0.0, 0.03
    while time_s < 70 * DAY:
        peak = draw.uniform() < 0.04
        price += 0.2 * (0.03 - price) + draw.uniform(-0.002, 0.002)
        lines.append(f"{time_s:.0f},{price * (draw.uniform(2, 5) if peak else 1):.3f}")
        time_s += 300 + draw.exponential(2 * 3600)
    return "\n".join(lines) + "\n"


MADE: dict[str, Callable[[], str]] = {
    "availability.csv": availability,
    "availability-types.csv": availability_of_types,
    "cluster.csv": cluster,
    "hosts.csv": hosts,
    "instances.csv.gz": instances,
    "jobs.csv": jobs,
    "requests.csv.gz": requests,
    "spot-prices.csv": spot_prices,
    "usage.csv": usage,
}


def _read(path: Path) -> str | None:
    if not path.exists():
        return None
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def main() -> int:
    """Write the files, or say which are out of date."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if out of date")
    arguments = parser.parse_args()
    outdated = []
    for name, make in MADE.items():
        path, text = FOLDER / name, make()
        if _read(path) == text:
            continue
        outdated.append(name)
        if not arguments.check:
            data = text.encode()
            path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    if outdated:
        print("out of date:" if arguments.check else "written:", *outdated)
    return 1 if arguments.check and outdated else 0


if __name__ == "__main__":
    sys.exit(main())
