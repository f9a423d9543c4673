"""Results databases with values chosen by hand, in tables that cospot made."""

from __future__ import annotations

import functools
import json
import sqlite3
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import cospot
from cospot import WorkloadWarning

RUN_COLUMNS = {
    "run_index": 0, "workload": "day1", "headroom_percent": 0.0, "vm": "UTIL", "spot": "sDPD",
    "evictor": "FIFO", "saf": 0, "otn": 1, "hosts": 10, "vm_requests": 4, "vm_rejected": 0,
    "spot_requests": 3, "spot_admitted": 3, "evictions": 1, "vm_revenue_requested": 1000.0,
    "vm_revenue": 1000.0, "spot_revenue_requested": 500.0, "spot_revenue": 100.0, "alloc_p50_ns": 0,
    "alloc_p99_ns": 0, "alloc_max_ns": 0, "wall_ms": 0.0, "vm_too_large": 0,
    "vm_revenue_requested_exact": "1000", "vm_revenue_exact": "1000",
    "spot_revenue_requested_exact": "500", "spot_revenue_exact": "100", "workload_sha256": "0" * 64,
    "configuration": '{"otn":1}', "version": "1", "seed": 0, "spot_revenue_first_hour_free": 100.0,
    "spot_revenue_first_hour_free_exact": "100", "spot_revenue_per_host": 0.0,
    "spot_alloc_p50_ns": 0, "spot_alloc_p99_ns": 0, "spot_alloc_max_ns": 0,
}  # fmt: skip

#: The differences that a run stores: their column, and of which ones.
LOSSES = (
    ("vm_revenue_lost", "vm_revenue_requested", "vm_revenue"),
    ("spot_revenue_lost", "spot_revenue_requested", "spot_revenue"),
    ("spot_revenue_first_hour_lost", "spot_revenue", "spot_revenue_first_hour_free"),
)


#: Evictors whose victims end when they truly end: nobody can run them.
TRUE_LIFETIMES = ("LPO",)


@functools.cache
def _empty_tables() -> bytes:
    """A database that cospot made, as it is without the runs and values in it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "day1").write_text(
            "instance_id,tenant_id,class,vcpus,memory_mb,start_s,end_s\nvm-1,a,vm,1,1,0,60\n"
        )
        sweep = {
            "workloads": [str(folder / "day1")], "host": {"vcpus": 8, "memory_mb": 16},
            "hosts": 1, "vm": "UTIL", "spot": "sDPD", "evictor": "FIFO", "saf": False, "otn": 1,
        }  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", WorkloadWarning)
            cospot.compare(sweep, db=folder / "made.db")
        with closing(sqlite3.connect(folder / "made.db", isolation_level=None)) as connection:
            for table in ("run", "axis_value", "input"):
                connection.execute(f"DELETE FROM {table}")
        return (folder / "made.db").read_bytes()


def _chain(label: str) -> dict[str, Any]:
    return {"label": label, "weighers": [{"name": label, "multiplier": 1, "options": {}}]}


def _write_axis(
    connection: sqlite3.Connection, axis: str, values: Sequence[Any], *, key: str = ""
) -> None:
    first = connection.execute("SELECT count(*) FROM axis_value WHERE axis = ?", (axis,))
    for position, value in enumerate(values, start=first.fetchone()[0]):
        label = {False: "off", True: "on"}[value] if axis == "saf" else f"{value}"
        # Where a sweep names its numbers of hosts, the column of headroom is empty.
        stored = None if key == "hosts" else value
        upper = axis == "evictor" and value in TRUE_LIFETIMES
        row = (axis, position, key or axis, stored, label, label, upper)
        connection.execute("INSERT INTO axis_value VALUES (?, ?, ?, ?, ?, ?, ?)", row)


def make_database(
    path: Path,
    runs: Sequence[Mapping[str, Any]],
    *,
    sizes: Sequence[Mapping[str, float]] = ({"headroom_percent": 0},),
    workloads: Sequence[str] = ("day1",),
    vm: Sequence[str] = ("UTIL",),
    spot: Sequence[str] = ("sDPD",),
    evictor: Sequence[str] = ("FIFO", "LPO"),
    run_count: int | None = None,
    version: int | None = None,
) -> Path:
    """Write a database; a run says only where it differs from RUN_COLUMNS.

    ``revenue`` and ``vm_earned`` of a run set its spot and VM revenue, rounded and exact.
    """
    sweep = {
        "workloads": [{"label": label} for label in workloads],
        "sizes": list(sizes),
        "host": {"vcpus": 8, "memory_mb": 16, "disk_gb": 0},
        "vm": [_chain(label) for label in vm],
        "spot": [_chain(label) for label in spot],
        "evictor": [{"label": label, "name": label, "options": {}} for label in evictor],
        "saf": [False, True],
        "otn": [1, 2, 4],
    }
    path.write_bytes(_empty_tables())
    with closing(sqlite3.connect(path)) as connection:
        if version is not None:
            connection.execute(f"PRAGMA user_version = {version}")
        count = len(runs) if run_count is None else run_count
        connection.execute(
            "UPDATE sweep SET configuration = ?, run_count = ?, version = '1', created_by = 'test'",
            (json.dumps(sweep), count),
        )
        for label in workloads:
            connection.execute(
                "INSERT INTO input VALUES (?, 'abc', ?, '1', NULL, '')", (label, label)
            )
        _write_axis(connection, "workload", workloads, key="workloads")
        for key in ("headroom_percent", "hosts"):
            numbers = [size[key] for size in sizes if key in size]
            _write_axis(connection, "headroom_percent", numbers, key=key)
        for axis, values in (("vm", vm), ("spot", spot), ("evictor", evictor)):
            _write_axis(connection, axis, values)
        _write_axis(connection, "saf", sweep["saf"])
        _write_axis(connection, "otn", sweep["otn"])
        for index, run in enumerate(runs):
            row = {**RUN_COLUMNS, "run_index": index, **run}
            if "revenue" in row:
                row["spot_revenue_exact"] = str(row.pop("revenue"))
            if "vm_earned" in row:
                row["vm_revenue_exact"] = str(row.pop("vm_earned"))
            for lost, whole, part in LOSSES:
                of, without = (Decimal(str(row[f"{name}_exact"])) for name in (whole, part))
                row[f"{lost}_exact"] = str(of - without)
            for name in [name for name in row if name.endswith("_exact")]:
                row[name.removesuffix("_exact")] = float(row[name])
            row["spot_revenue_per_host"] = row["spot_revenue"] / row["hosts"]
            names, marks = ", ".join(row), ", ".join("?" * len(row))
            connection.execute(f"INSERT INTO run ({names}) VALUES ({marks})", [*row.values()])
        connection.commit()
    return path


#: Gains of 0, 20, 50 and 80 %; the third and fourth lose 0.1 % and 0.2 % of the VM revenue.
FOUR_RUNS: Sequence[Mapping[str, Any]] = (
    {"otn": 1, "saf": 0, "revenue": 100},
    {"otn": 2, "saf": 0, "revenue": 120},
    {"otn": 1, "saf": 1, "revenue": 150, "vm_earned": 999, "vm_rejected": 1},
    {"otn": 2, "saf": 1, "revenue": 180, "vm_earned": 998, "vm_rejected": 2},
)
