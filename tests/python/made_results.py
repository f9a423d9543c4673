"""Results databases with values chosen by hand, in format 2, as an earlier cospot wrote them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

APPLICATION_ID = 0x636F7370

RUN_COLUMNS = {
    "run_index": 0,
    "workload": "day1",
    "headroom_percent": 0.0,
    "vm": "UTIL",
    "spot": "sDPD",
    "evictor": "FIFO",
    "saf": 0,
    "otn": 1,
    "hosts": 10,
    "vm_requests": 4,
    "vm_rejected": 0,
    "spot_requests": 3,
    "spot_admitted": 3,
    "evictions": 1,
    "vm_revenue_requested": 1000.0,
    "vm_revenue": 1000.0,
    "spot_revenue_requested": 500.0,
    "spot_revenue": 100.0,
    "alloc_p50_ns": 0,
    "alloc_p99_ns": 0,
    "alloc_max_ns": 0,
    "wall_ms": 0.0,
    "vm_too_large": 0,
    "vm_revenue_requested_exact": "1000",
    "vm_revenue_exact": "1000",
    "spot_revenue_requested_exact": "500",
    "spot_revenue_exact": "100",
    "workload_sha256": "0" * 64,
    "configuration": '{"otn":1}',
    "version": "1",
    "seed": 0,
    "spot_revenue_first_hour_free": 100.0,
    "spot_revenue_first_hour_free_exact": "100",
    "spot_revenue_per_host": 0.0,
}


def _chain(label: str) -> dict[str, Any]:
    return {"label": label, "weighers": [{"name": label, "multiplier": 1, "options": {}}]}


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
    version: int = 2,
    application_id: int = APPLICATION_ID,
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
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA application_id = {application_id}")
    connection.execute(f"PRAGMA user_version = {version}")
    connection.execute(
        "CREATE TABLE sweep (sha256 TEXT, configuration TEXT, run_count INTEGER, version TEXT,"
        " created_by TEXT)"
    )
    connection.execute("CREATE TABLE workload (label TEXT, sha256 TEXT, name TEXT)")
    connection.execute(f"CREATE TABLE run ({', '.join(RUN_COLUMNS)})")
    count = len(runs) if run_count is None else run_count
    connection.execute(
        "INSERT INTO sweep VALUES ('', ?, ?, '1', 'test')", (json.dumps(sweep), count)
    )
    for label in workloads:
        connection.execute("INSERT INTO workload VALUES (?, 'abc', ?)", (label, label))
    for index, run in enumerate(runs):
        row = {**RUN_COLUMNS, "run_index": index, **run}
        if "revenue" in row:
            row["spot_revenue_exact"] = str(row.pop("revenue"))
        if "vm_earned" in row:
            row["vm_revenue_exact"] = str(row.pop("vm_earned"))
        for name in [name for name in row if name.endswith("_exact")]:
            row[name.removesuffix("_exact")] = float(row[name])
        row["spot_revenue_per_host"] = row["spot_revenue"] / row["hosts"]
        marks = ", ".join("?" * len(RUN_COLUMNS))
        connection.execute(f"INSERT INTO run VALUES ({marks})", [row[name] for name in RUN_COLUMNS])
    connection.commit()
    connection.close()
    return path


#: Gains of 0, 20, 50 and 80 %; the third and fourth lose 0.1 % and 0.2 % of the VM revenue.
FOUR_RUNS: Sequence[Mapping[str, Any]] = (
    {"otn": 1, "saf": 0, "revenue": 100},
    {"otn": 2, "saf": 0, "revenue": 120},
    {"otn": 1, "saf": 1, "revenue": 150, "vm_earned": 999, "vm_rejected": 1},
    {"otn": 2, "saf": 1, "revenue": 180, "vm_earned": 998, "vm_rejected": 2},
)
