"""The occupancy frame and its plot, against a log whose sums are worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pandas", reason="pandas is not installed")

import cospot
import pandas as pd

HEADER = (
    "time_s,event,instance_id,class,vcpus,memory_mb,disk_gb,host,place_in_offer,for_instance_id\n"
)
# Two hosts of 8 vCPUs and 16 MiB. Before the window v1 comes; s1 and s2 join it on host-0 at 0 h
# and 2 h; at 3 h v2 evicts s1; v1 leaves at 5 h, s2 at 5.5 h: then only v2 is left, on host-0.
LOG = HEADER + (
    "-60.5,request,v1,vm,2,4,0,,,\n"
    "-60.5,offer,v1,vm,2,4,0,host-0,1,\n"
    "-60.5,placement,v1,vm,2,4,0,host-0,,\n"
    "0,placement,s1,spot,4,6,0,host-0,,\n"
    "7200,placement,s2,spot,1,1,0,host-1,,\n"
    "7200,rejection,s3,spot,8,9,0,,,\n"
    "10800,eviction,s1,spot,4,6,0,host-0,,v2\n"
    "10800,placement,v2,vm,5,8,0,host-0,,\n"
    "18000,departure,v1,vm,2,4,0,host-0,,\n"
    "19800,departure,s2,spot,1,1,0,host-1,,\n"
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "events.csv"
    path.write_text(LOG)
    return path


def test_occupancy_by_hand(log: Path) -> None:
    hours = cospot.occupancy_over_time(log, host=(8, 16), hosts=2, last_day=6 / 24, step_hours=1)
    assert (24 * hours["day"]).round(9).tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert hours["vm_vcpus"].tolist() == [2, 2, 2, 7, 7, 5, 5]
    assert hours["spot_vcpus"].tolist() == [4, 4, 5, 1, 1, 1, 0]
    assert hours["vm_memory_mb"].tolist() == [4, 4, 4, 12, 12, 8, 8]
    assert hours["spot_memory_mb"].tolist() == [6, 6, 7, 1, 1, 1, 0]
    assert hours["used_hosts"].tolist() == [1, 1, 2, 2, 2, 2, 1]
    assert hours["evictions"].tolist() == [0, 0, 0, 1, 0, 0, 0]
    assert set(hours["total_vcpus"]) == {16}
    assert set(hours["total_memory_mb"]) == {32}


def test_vms_that_move_or_are_resized_are_in_one_place(tmp_path: Path) -> None:
    """A run with a life: an evacuation, a migration, resizes, spots that go with their host."""
    path = tmp_path / "events.csv"
    path.write_text(
        HEADER + "0,placement,v1,vm,2,4,0,host-0,,\n"
        "0,placement,s1,spot,4,6,0,host-0,,\n"
        "3600,host_drained,,,0,0,0,host-0,,\n"
        "3600,migration,v1,vm,2,4,0,host-1,,\n"
        "7200,host_down,,,0,0,0,host-0,,\n"
        "7200,stop,s1,spot,4,6,0,host-0,,\n"
        "10800,resize,v1,vm,5,7,0,host-1,,\n"
        "14400,resize,v1,vm,8,9,0,host-0,,\n"
        "18000,evacuation,v1,vm,8,9,0,host-0,,\n"
    )
    hours = cospot.occupancy_over_time(path, host=(8, 16), hosts=2, last_day=5 / 24, step_hours=1)
    assert hours["vm_vcpus"].tolist() == [2, 2, 2, 5, 8, 0]
    assert hours["vm_memory_mb"].tolist() == [4, 4, 4, 7, 9, 0]
    assert hours["spot_vcpus"].tolist() == [4, 4, 0, 0, 0, 0]
    # v1 alone on host-1 from 1 h on, s1 on host-0 until 2 h.
    assert hours["used_hosts"].tolist() == [1, 2, 1, 1, 1, 0]


def test_plot_stacks_spots_on_vms(log: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from cospot.plots import host_occupancy

    hours = cospot.occupancy_over_time(log, host=(8, 16), hosts=2, last_day=6 / 24)
    figure = host_occupancy(hours, title="six hours")
    vcpus, memory, evictions = figure.axes
    assert [vcpus.get_title(loc="left"), evictions.get_xlabel()] == ["six hours", "day"]
    assert [vcpus.get_ylabel(), memory.get_ylabel()] == ["vCPUs in use (%)", "memory in use (%)"]
    vms, spots = (area.get_paths()[0].vertices for area in vcpus.collections)
    # At most 7 of 16 vCPUs by VMs; with spots at most 8 of 16 (at 3 h and 4 h: 7 + 1).
    assert vms[:, 1].max() == pytest.approx(100 * 7 / 16)
    assert spots[:, 1].max() == pytest.approx(100 * 8 / 16)
    used_memory = memory.collections[1].get_paths()[0].vertices[:, 1].max()
    assert used_memory == pytest.approx(100 * 13 / 32)
    # One eviction in an hour.
    assert [bar.get_height() for bar in evictions.patches] == pytest.approx([0, 0, 0, 1, 0, 0, 0])


def test_bad_input_is_named(tmp_path: Path, log: Path) -> None:
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    (tmp_path / "cut.csv.gz").write_bytes(b"\x1f\x8b\x08\x00")
    for name, text in (
        ("none.csv", "there is no such file"),
        ("other.csv", ".*expected an event log"),
        ("cut.csv.gz", ".*expected an event log"),
    ):
        with pytest.raises(cospot.WorkloadError, match=f"{name}: {text}"):
            cospot.read_events(tmp_path / name)
    with pytest.raises(cospot.ConfigError, match="step_hours=0; expected a first day"):
        cospot.occupancy_over_time(log, host=(8, 16), hosts=2, step_hours=0)
    with pytest.raises(cospot.ConfigError, match=r"host=\(8, 0\), hosts=2; expected positive"):
        cospot.occupancy_over_time(log, host=(8, 0), hosts=2)


def test_watching_a_simulation_equals_its_event_log(tmp_path: Path) -> None:
    workload = cospot.Workload.generate(seed=4, scale=0.001)
    host = (10400, 2250)
    hosts = cospot.size(workload, host=host, vm="COS").hosts
    run = {"hosts": hosts, "host": host, "vm": "COS", "spot": "sDPD", "evictor": "LPO"}
    result = cospot.simulate(workload, events=tmp_path / "events.csv.gz", **run)
    steps = {"first_day": -1, "last_day": 12, "step_hours": 7}
    logged = cospot.occupancy_over_time(tmp_path / "events.csv.gz", host=host, hosts=hosts, **steps)
    simulation = cospot.Simulation(workload, **run)
    watched = cospot.watch_occupancy(simulation, **steps)
    pd.testing.assert_frame_equal(watched, logged)
    assert 0 < logged["evictions"].sum() <= result.evictions
    with pytest.raises(cospot.ConfigError, match="expected it before day 0"):
        cospot.watch_occupancy(simulation)
