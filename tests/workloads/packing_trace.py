"""Makes up small traces in the format of the Azure trace for packing 2020, with known sizes."""

import dataclasses
import gzip
import pathlib
import random
import sqlite3

REQUEST_COLUMNS = ("vmId", "tenantId", "vmTypeId", "priority", "starttime", "endtime")
TYPE_COLUMNS = ("id", "vmTypeId", "machineId", "core", "memory", "hdd", "ssd", "nic")


@dataclasses.dataclass(frozen=True)
class PackingTrace:
    """A trace, and the sizes it was made of: (cores, memory) by id, without a common factor."""

    machines: dict[int, tuple[int, int]]
    types: dict[int, tuple[int, int]]
    inconsistent: set[int]
    type_rows: list[tuple]
    request_rows: list[tuple]


def rounded(value: float) -> float:
    """As the published trace prints its fractions: 15 significant digits."""
    return float(f"{value:.15g}")


def make_trace(seed: int, requests: int = 2000, inconsistent: int = 0) -> PackingTrace:
    """Makes a trace in which the last `inconsistent` types contradict themselves.

    Machine 3 is 48 cores and 192 units of memory, and a type of 1 core and 2 units runs on all
    machines, so that nothing divides all sizes but 1.
    """
    draw = random.Random(seed)
    machines = {3: (48, 192), 5: (64, 256), 8: (40, 160), 9: (96, 768)}
    pairs = [(cores, cores * ratio) for cores in (1, 2, 4, 8, 16) for ratio in (2, 4, 8)]
    types = dict(enumerate(pairs, start=20))
    types[40] = (3, 7)
    wrong = {100 + i for i in range(inconsistent)}
    type_rows = []

    def add_rows(vm_type, cores_of, memory_of):
        for machine, (total_cores, total_memory) in machines.items():
            cores = rounded(cores_of(machine) / total_cores)
            memory = rounded(memory_of(machine) / total_memory)
            row = (len(type_rows) + 1, vm_type, machine, cores, memory, None, 0.01, 0.01)
            type_rows.append(row)

    for vm_type, (cores, memory) in types.items():
        add_rows(vm_type, lambda machine, cores=cores: cores, lambda machine, memory=memory: memory)
    for vm_type in sorted(wrong):
        # All of every machine: the published trace has such a type, for bare metal.
        add_rows(vm_type, lambda machine: machines[machine][0], lambda machine: 16)
    request_rows = []
    all_types = sorted(types) + sorted(wrong)
    for vm_id in range(requests):
        start = -draw.expovariate(0.1) if vm_id < requests // 10 else 14 * draw.random()
        end = None if draw.random() < 0.1 else start + draw.expovariate(2)
        request_rows.append(
            (vm_id, vm_id // 3, draw.choice(all_types), int(draw.random() < 0.2), start, end)
        )
    return PackingTrace(machines, types, wrong, type_rows, request_rows)


def write_sqlite(trace: PackingTrace, path: pathlib.Path) -> None:
    """Writes both tables, with the columns of the published file."""
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(
            "CREATE TABLE vm (vmId INTEGER, tenantId INTEGER, vmTypeId INTEGER, "
            "priority INTEGER, starttime REAL, endtime REAL)"
        )
        connection.execute(
            "CREATE TABLE vmType (id INTEGER, vmTypeId INTEGER, machineId INTEGER, "
            "core REAL, memory REAL, hdd REAL, ssd REAL, nic REAL)"
        )
        connection.executemany("INSERT INTO vm VALUES (?, ?, ?, ?, ?, ?)", trace.request_rows)
        connection.executemany(
            "INSERT INTO vmType VALUES (?, ?, ?, ?, ?, ?, ?, ?)", trace.type_rows
        )
    connection.close()


def write_csv(columns: tuple[str, ...], rows: list[tuple], path: pathlib.Path) -> None:
    """Writes one table, packed when the name ends in .gz."""
    lines = [",".join(columns)]
    lines += [",".join("" if value is None else repr(value) for value in row) for row in rows]
    text = "\n".join(lines) + "\n"
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
