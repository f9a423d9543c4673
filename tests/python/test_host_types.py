"""Hosts of several types, and requests that ask for more than room, in Python."""

from __future__ import annotations

import csv
import json
import math
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import cospot
import pytest
from cospot import Workload
from cospot.errors import ConfigError, InputError, WorkloadError

TYPES: list[dict[str, Any]] = [
    {"type": "large", "count": 2, "vcpus": 8, "memory_mb": 16, "zone": "az1",
     "metadata": {"disk": "ssd"}},
    {"type": "small", "count": 1, "vcpus": 4, "memory_mb": 4, "zone": "az2"},
]  # fmt: skip
FILE = """name,type,vcpus,memory_mb,zone,metadata
a,large,8,16,az1,disk=ssd
b,large,8,16,az1,disk=ssd
c,small,4,4,az2,
"""
POLICIES: dict[str, Any] = {"vm": "FirstFit", "spot": "sUTIL", "evictor": "FIFO"}
COLUMNS: dict[str, Any] = {
    "is_spot": [False] * 5,
    "vcpus": [4, 8, 3, 2, 2],
    "memory_mb": [4, 4, 3, 2, 2],
    "start_us": [-1, 0, 0, 10, 20],
    "end_us": [10**8] * 5,
    "zone": [None, "", "az2", "az1", "az1"],
    "extra_specs": ["", "disk=ssd", "", None, ""],
    "group": ["", "", "", "web", "web"],
    "group_policy": [None, None, None, "anti-affinity", "anti-affinity"],
    "max_server_per_host": [float("nan")] * 3 + [1.0, 1.0],
}


def made(**changes: Any) -> Workload:
    return Workload.from_columns(COLUMNS | changes, window_days=1)


def placed(path: Path) -> dict[str, str]:
    """Return the host of each request that found one."""
    with open(path, newline="", encoding="utf-8") as file:
        return {
            row["instance_id"]: row["host"]
            for row in csv.DictReader(file)
            if row["event"] == "placement"
        }


def test_types_zones_metadata_and_groups(tmp_path: Path) -> None:
    events = tmp_path / "events.csv"
    result = cospot.simulate(made(), host=TYPES, events=events, **POLICIES)
    # The first takes half of large-0, the second all of large-1; the small one is alone in az2. One
    # of the group fits beside the first; the other has no second host in az1 with room.
    assert placed(events) == {"0": "large-0", "1": "large-1", "2": "small-0", "3": "large-0"}
    assert (result.hosts, result.vm_rejected) == (3, 1)
    # Three more, in proportion: two large ones and a small one.
    assert cospot.simulate(made(), hosts=6, host=TYPES, **POLICIES).vm_rejected == 0


def test_a_file_of_hosts_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "hosts.csv").write_text(FILE)
    events = tmp_path / "events.csv"
    cospot.simulate(made(), host=tmp_path / "hosts.csv", events=events, **POLICIES)
    assert placed(events) == {"0": "a", "1": "b", "2": "c", "3": "a"}
    text = cospot.explain(made(), "4", host=str(tmp_path / "hosts.csv"), **POLICIES)
    assert "hosts: 3" in text or "3 hosts" in text


def test_size_counts_all_types() -> None:
    # 3 hosts reject the second of the group, 4 (3 large, 1 small) do not.
    assert cospot.size(made(), host=TYPES, vm="FirstFit").hosts == 4
    # One more large one is enough.
    assert cospot.size(made(), host=TYPES, vm="FirstFit", added_type="large").hosts == 4
    more = cospot.size(made(), host=TYPES, vm="FirstFit", added_type="large", headroom_percent=50)
    assert more.hosts == 6
    with pytest.raises(ConfigError, match="unknown type 'big'; valid types: large, small"):
        cospot.size(made(), host=TYPES, vm="FirstFit", added_type="big")
    with pytest.raises(ConfigError, match="the hosts have no types"):
        cospot.size(made(), host=(8, 16), vm="UTIL", added_type="large")


def test_size_adds_one_type_only() -> None:
    # Eight VMs of 4 vcpus; a large host takes two, a small one takes one. In proportion large 3 and
    # small 2 hold all: 5 hosts. Beside the two large ones four small ones do: 6.
    workload = Workload.from_columns(
        {
            "is_spot": [False] * 8, "vcpus": [4] * 8, "memory_mb": [1] * 8, "start_us": [-1] * 8,
            "end_us": [10**8] * 8,
        },
        window_days=1,
    )  # fmt: skip
    assert cospot.size(workload, host=TYPES, vm="FirstFit").hosts == 5
    assert cospot.size(workload, host=TYPES, vm="FirstFit", added_type="small").hosts == 6


def test_hosts_kept_for_a_tenant() -> None:
    kept = [TYPES[0] | {"metadata": {"filter_tenant_id": "blue"}}]
    workload = Workload.from_columns(
        {
            name: COLUMNS[name][:1]
            for name in ("is_spot", "vcpus", "memory_mb", "start_us", "end_us")
        }
        | {"tenant_id": ["blue"]},
        window_days=1,
    )
    assert cospot.simulate(workload, host=kept, **POLICIES).vm_rejected == 0
    others = Workload.from_columns(workload.to_columns() | {"tenant_id": ["red"]}, window_days=1)
    with pytest.raises(ConfigError, match="no host may take request '0' of the tenant 'red'"):
        cospot.simulate(others, host=kept, **POLICIES)
    assert cospot.simulate_life(workload, "none", host=kept, **POLICIES)["vm_rejected"] == 0
    with pytest.raises(ConfigError, match="no host may take request '0' of the tenant 'red'"):
        cospot.simulate_life(others, "none", host=kept, **POLICIES)


def test_columns_come_back(tmp_path: Path) -> None:
    workload = made()
    again = Workload.from_columns(workload.to_columns(), window_days=1)
    assert again.sha256 == workload.sha256
    workload.save(tmp_path / "w.csv")
    assert Workload.load(tmp_path / "w.csv").to_columns()["zone"].tolist() == [
        "", "", "az2", "az1", "az1"
    ]  # fmt: skip
    assert "zone" not in made_plain().to_columns()


def made_plain() -> Workload:
    return Workload.from_columns(
        {name: COLUMNS[name] for name in ("is_spot", "vcpus", "memory_mb", "start_us", "end_us")},
        window_days=1,
    )


def test_frames_have_the_columns() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    assert Workload.from_pandas(pd.DataFrame(COLUMNS), window_days=1).sha256 == made().sha256


def test_a_sweep_has_types(tmp_path: Path) -> None:
    made().save(tmp_path / "w.csv")
    sweep = {"workloads": "w.csv", "host": TYPES, "saf": False, "otn": 1} | POLICIES
    (tmp_path / "sweep.yaml").write_text(json.dumps(sweep))  # JSON is YAML
    cospot.sweep(tmp_path / "sweep.yaml", db=tmp_path / "results.db")
    with closing(sqlite3.connect(tmp_path / "results.db")) as connection:
        rows = connection.execute("SELECT hosts, vm_rejected FROM run").fetchall()
    assert rows == [(3, 1)]


@pytest.mark.parametrize(
    ("host", "hosts", "error", "said"),
    [
        ([TYPES[0] | {"count": -1}], None, ConfigError, r"^host\[0\]\.count: found '-1', expec"),
        ([TYPES[0] | {"vcpus": math.nan}], None, ConfigError, r"^host\[0\]\.vcpus is nan, exp"),
        ([TYPES[0] | {"colour": 1}], None, ConfigError, "colour"),
        ((8, 16), None, ConfigError, "hosts: missing; expected how many hosts there are"),
        ((8, 16), 3, ConfigError, "which asks for metadata 'disk=ssd'"),
        ("none.csv", None, InputError, "none.csv"),
        (TYPES, 0, ConfigError, "hosts is 0, expected"),
        (TYPES[:1], None, ConfigError, "asks for the zone 'az2'; zones of the hosts: az1"),
        (TYPES, 1, ConfigError, "the group 'web' with anti-affinity has up to 2 members"),
    ],
)
def test_what_cannot_be(host: Any, hosts: int | None, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        cospot.simulate(made(), hosts=hosts, host=host, **POLICIES)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"group_policy": ["close"] * 5}, "row 0: group is empty, expected the id"),
        ({"group": ["g"] * 5, "group_policy": ["close"] * 5}, "row 0: group_policy is 'close'"),
        ({"max_server_per_host": ["", "", "", "-1", 1]}, "row 3: max_server_per_host is '-1'"),
        ({"extra_specs": ["ssd"] * 5}, "row 0: extra_specs is 'ssd', expected key=value"),
        ({"zone": ["a,b"] * 5}, r"zone\[0\] is 'a,b', expected a name without commas"),
    ],
)
def test_columns_that_cannot_be(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(WorkloadError, match=said):
        made(**changes)
