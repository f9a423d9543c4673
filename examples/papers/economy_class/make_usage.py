#!/usr/bin/env python3
"""Makes usage over time (time_s,capacity,used[,limit]) of public data sets.

    make_usage.py krc KRC_JOBS.csv.gz KRC2_JOBS.csv.gz --capacity 80 -o krc80.csv.gz
    make_usage.py swf LOG.swf.gz --capacity 128 -o nasa.csv.gz
    make_usage.py swf LOG.swf.gz --capacity 14748296 --memory --from-day 7 -o memory.csv.gz
    make_usage.py jobs JOBS.csv.gz --capacity 275 --from-day 10 -o surf.csv.gz
    make_usage.py pool POOLS.csv.gz --pool cluster39 --capacity-factor 1.2 -o cluster39.csv.gz
    make_usage.py vms TRACE.csv.gz VMS.csv -o bitbrains.csv.gz

krc: jobs of the Karelian Research Centre (interarrival, service, cores_used, delays): the largest
number of cores in use in every 5 minutes, cut at the capacity. swf: the same of the processors of a
log in the Standard Workload Format or, with --memory, of what its jobs request, in MiB: logs of
MetaCentrum state bytes for each node (field 10), and the nodes in the last field. jobs: the same of
the nodes of a CSV (submission_s, duration_s), one for each job. --from-day leaves out a beginning
in which jobs that had started before the log are missing. pool: the largest CPU use of a resource
pool in every 5 minutes; its capacity is a multiple of the most that it ever used, because the data
name none. vms: the CPU use of all VMs every 5 minutes, of the sum of their sizes.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import gzip
from collections import defaultdict
from collections.abc import Iterable, Iterator

STEP_S = 300
DAY_S = 86400


def rows_of(path: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV file."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        yield from csv.DictReader(file)


def write(path: str, header: Iterable[str], rows: Iterable[tuple[float, ...]]) -> None:
    """Write a compressed CSV file."""
    with gzip.GzipFile(path, "wb", mtime=0) as packed:  # the same bytes every time
        packed.write((",".join(header) + "\n").encode())
        for row in rows:
            packed.write((",".join(f"{value:.12g}" for value in row) + "\n").encode())


def write_largest(
    arguments: argparse.Namespace, changes: dict[float, int], last_submission: float
) -> None:
    """Write the largest use in every 5 minutes up to the last submission, cut at the capacity."""
    used = 0
    largest: defaultdict[int, int] = defaultdict(int)
    step = 0
    for time in sorted(changes):
        for empty in range(step, int(time // STEP_S) + 1):
            largest[empty] = max(largest[empty], used)
        used += changes[time]
        step = int(time // STEP_S)
        largest[step] = max(largest[step], used)
    first, last = int(arguments.from_day * DAY_S // STEP_S), int(last_submission // STEP_S)
    capacity = arguments.capacity
    write(
        arguments.output,
        ("time_s", "capacity", "used"),
        ((step * STEP_S, capacity, min(largest[step], capacity)) for step in range(first, last)),
    )


def krc(arguments: argparse.Namespace) -> None:
    """Sum up the cores of jobs."""
    changes: defaultdict[float, int] = defaultdict(int)
    submitted = 0.0
    for path in arguments.files:
        for row in rows_of(path):
            submitted += float(row["interarrival"])
            start = submitted + float(row["delays"])
            changes[start] += int(row["cores_used"])
            changes[start + float(row["service"])] -= int(row["cores_used"])
    write_largest(arguments, changes, submitted)


def swf(arguments: argparse.Namespace) -> None:
    """Sum up the processors, or the requested memory, of the jobs of a log."""
    changes: defaultdict[float, int] = defaultdict(int)
    submitted: list[float] = []
    with gzip.open(arguments.files[0], "rt") as file:
        jobs = [line.split() for line in file if not line.startswith(";")]
    for fields in jobs:
        amount = int(fields[4])
        if arguments.memory:
            amount = int(fields[9]) // 2**20 * nodes_of(fields[-1])
        if amount <= 0 or float(fields[3]) <= 0:
            continue
        submitted.append(float(fields[1]))
        start = float(fields[1]) + max(float(fields[2]), 0)
        changes[start] += amount
        changes[start + float(fields[3])] -= amount
    zero = min(submitted)
    write_largest(
        arguments, {time - zero: change for time, change in changes.items()}, max(submitted) - zero
    )


def nodes_of(specification: str) -> int:
    """Return the nodes of a request such as ``2:ppn=8:x86_64+1:ppn=4``; a named node is one."""
    counts = [part.split(":")[0] for part in specification.split("+")]
    return sum(int(count) if count.isdigit() else 1 for count in counts)


def jobs(arguments: argparse.Namespace) -> None:
    """Count the jobs of a log, each of which takes a node."""
    changes: defaultdict[float, int] = defaultdict(int)
    rows = [
        (float(row["submission_s"]), float(row["duration_s"]))
        for row in rows_of(arguments.files[0])
    ]
    zero = min(start for start, _ in rows)
    for start, duration in rows:
        changes[start - zero] += 1
        changes[start - zero + duration] -= 1
    write_largest(arguments, changes, max(start for start, _ in rows) - zero)


def pool(arguments: argparse.Namespace) -> None:
    """Sum up a resource pool."""
    samples = []
    for row in rows_of(arguments.files[0]):
        if row["pool"] == arguments.pool:
            when = datetime.datetime.fromisoformat(row["time_5min"] + "+00:00")
            samples.append((when.timestamp(), float(row["cpu_max"])))
    capacity = arguments.capacity_factor * max(used for _, used in samples)
    rows = ((time, capacity, used) for time, used in samples)
    write(arguments.output, ("time_s", "capacity", "used"), rows)


def vms(arguments: argparse.Namespace) -> None:
    """Sum up VMs."""
    trace, sizes = arguments.files
    limit = sum(float(row["cpu_capacity_mhz"]) for row in rows_of(sizes))
    # What is known of a VM holds until its next sample.
    changes: defaultdict[int, float] = defaultdict(float)
    use: dict[str, float] = {}
    for row in sorted(rows_of(trace), key=lambda row: int(row["timestamp_utc_s"])):
        # A sample stands for the time before it.
        begin = (int(row["timestamp_utc_s"]) - int(row["duration_s"])) // STEP_S
        now = float(row["cpu_usage_mhz"])
        changes[begin] += now - use.get(row["vm_id"], 0.0)
        use[row["vm_id"]] = now
    used = 0.0
    rows: list[tuple[float, ...]] = []
    first, last = min(changes), max(changes)
    for step in range(first, last + 1):
        used += changes.get(step, 0.0)
        rows.append((step * STEP_S, limit, max(used, 0.0), limit, limit))
    write(arguments.output, ("time_s", "capacity", "used", "reserved", "limit"), rows)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    kinds = {"krc": krc, "swf": swf, "jobs": jobs, "pool": pool, "vms": vms}
    for name in kinds:
        command = commands.add_parser(name)
        command.add_argument("files", nargs="+")
        command.add_argument("-o", "--output", required=True)
    for name in ("krc", "swf", "jobs"):
        commands.choices[name].add_argument("--capacity", type=int, required=True)
        commands.choices[name].add_argument("--from-day", type=float, default=0)
    commands.choices["swf"].add_argument("--memory", action="store_true")
    commands.choices["pool"].add_argument("--pool", required=True)
    commands.choices["pool"].add_argument("--capacity-factor", type=float, default=1.2)
    arguments = parser.parse_args()
    kinds[arguments.command](arguments)


if __name__ == "__main__":
    main()
