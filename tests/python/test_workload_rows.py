"""Requests of a workload one by one, by slice and by condition, and the events of their runs."""

from __future__ import annotations

import itertools
import pickle
import random
from collections import Counter
from pathlib import Path
from typing import Any

import cospot
import numpy as np
import pytest
from cospot import EventRecord, RequestRecord, Simulation, Workload

RUN: dict[str, Any] = {
    "hosts": 35, "host": (10400, 2250), "vm": "COS", "spot": "vmaDPD", "evictor": "LPO",
    "saf": True, "otn": 4,
}  # fmt: skip
COLUMNS: dict[str, Any] = {
    "instance_id": ["a", "b", "c", "d"], "tenant_id": ["t", "t", "u", "ü"],
    "is_spot": [False, True, False, True], "vcpus": [1, 2, 3, 4], "memory_mb": [4, 5, 6, 7],
    "disk_gb": [0, 0, 7, 0], "start_us": [-10, 0, 5, 6], "end_us": [0, cospot.NEVER_US, 5, 9],
}  # fmt: skip
PLACED = {
    **COLUMNS, "zone": ["", "az1", "az2", ""], "group": ["", "", "g", "g"],
    "group_policy": ["", "", "anti-affinity", "anti-affinity"],
}  # fmt: skip


def plain(workload: Workload) -> dict[str, list[Any]]:
    return {name: column.tolist() for name, column in workload.to_columns().items()}


def with_unit(folder: Path) -> Workload:
    (folder / "half.csv").write_text(
        "# window_days: 3\n# vcpus_unit: 0.5\n"
        "instance_id,tenant_id,class,vcpus,memory_mb,disk_gb,start_s,end_s\n"
        "a,t,vm,4,8,0,-5,never\nb,t,spot,2,2,0,1.5,9\nc,u,spot,1,1,0,2,3\n"
    )
    return Workload.load(folder / "half.csv")


def test_records_are_the_rows_of_the_columns(workload: Workload) -> None:
    columns = plain(workload)
    expected = [RequestRecord(*row) for row in zip(*columns.values(), strict=True)]
    assert list(columns) == list(RequestRecord._fields[: len(columns)])
    assert list(workload) == expected == [workload[row] for row in range(len(workload))]
    assert workload[-1] == expected[-1] and workload[np.int64(2)] == expected[2]
    placed = Workload.from_columns(PLACED)
    assert [(one.zone, one.group) for one in placed] == [
        ("", ""), ("az1", ""), ("az2", "g"), ("", "g")
    ]  # fmt: skip
    assert placed[2].group_policy == "anti-affinity" and placed[0].max_server_per_host == ""
    for row in (4, -5, 2**70):
        with pytest.raises(IndexError, match="there are 4 requests"):
            placed[row]
    with pytest.raises(cospot.ArgumentError, match="index is of type str, expected a whole number"):
        placed["a"]  # type: ignore[call-overload]


@pytest.mark.parametrize("columns", [COLUMNS, PLACED])
def test_every_slice_is_that_of_a_list(columns: dict[str, Any]) -> None:
    workload = Workload.from_columns(columns)
    records = list(workload)
    ends = [None, *range(-6, 7)]
    for start, stop, step in itertools.product(ends, ends, [None, 1, 2, 3, -1, -2]):
        taken = records[start:stop:step]
        if taken:
            assert list(workload[start:stop:step]) == taken
        else:
            with pytest.raises(cospot.ConfigError, match="no request is left, expected one or"):
                workload[start:stop:step]
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        workload[::0]


def test_conditions(workload: Workload) -> None:
    columns = workload.to_columns()
    flags = columns["is_spot"] & (columns["vcpus"] > 40)
    assert 0 < flags.sum() < len(workload)
    kept = workload.where(lambda given: given["is_spot"] & (given["vcpus"] > 40))
    assert list(kept) == [one for one in workload if one.is_spot and one.vcpus > 40]
    for same in (flags, flags.tolist(), np.repeat(flags, 2)[::2]):
        assert workload.where(same) == kept
    for wrong, text in (
        (flags[:3], "condition has 3 values, but there are 4909 requests"),
        (np.zeros(len(workload), bool), "no request is left, expected one or more"),
    ):
        with pytest.raises(cospot.ConfigError, match=text):
            workload.where(wrong)
    for no_flags in (columns["vcpus"], "vcpus > 40", 3, np.zeros((2, 2), bool), None):
        with pytest.raises(cospot.ArgumentError, match="condition is of type .*, expected a boole"):
            workload.where(no_flags)
        with pytest.raises(cospot.ArgumentError, match="the result of condition is of type"):
            workload.where(lambda _, given=no_flags: given)
    with pytest.raises(KeyError, match="colour"):
        workload.where(lambda given: given["colour"])


def test_a_part_keeps_all_else(tmp_path: Path) -> None:
    workload = with_unit(tmp_path)
    part = workload[1:]
    assert (part.window_days, part.name) == (3, f"{workload.name} (2 of 3 requests)")
    part.save(tmp_path / "part.csv")
    # The file states the window and the unit, and the ids are those of the whole.
    assert (tmp_path / "part.csv").read_text().splitlines() == [
        "# window_days: 3", "# vcpus_unit: 0.5",
        "instance_id,tenant_id,class,vcpus,memory_mb,disk_gb,start_s,end_s",
        "b,t,spot,2,2,0,1.5,9", "c,u,spot,1,1,0,2,3",
    ]  # fmt: skip
    assert Workload.load(tmp_path / "part.csv") == part
    # The digest says which requests there are, however they were taken.
    assert part.sha256 == workload.where([False, True, True]).sha256 != workload[:2].sha256
    assert len({workload.sha256, part.sha256, workload[::-1].sha256, workload[1:2].sha256}) == 4


def test_workloads_are_equal_if_requests_window_and_unit_are(tmp_path: Path) -> None:
    workload = with_unit(tmp_path)
    workload.save(tmp_path / "again.csv.gz")
    again = Workload.load(tmp_path / "again.csv.gz")
    assert again == workload and hash(again) == hash(workload)
    assert again.name != workload.name and again.sha256 != workload.sha256
    columns = Workload.from_columns(plain(workload), window_days=3)
    assert columns != workload  # another unit
    assert columns == Workload.from_columns(plain(workload), window_days=3, name="another")
    assert columns != Workload.from_columns(plain(workload), window_days=4)
    for name, value in zip(COLUMNS, ("e", "t", False, 5, 8, 1, 7, 10), strict=True):
        other = Workload.from_columns({**COLUMNS, name: [*COLUMNS[name][:-1], value]})
        assert other != Workload.from_columns(COLUMNS), name
    placed = Workload.from_columns(PLACED)
    assert placed != Workload.from_columns(COLUMNS)
    # Of two zones and a group, the part has one zone less; its own workload numbers them anew.
    own = {name: column[2:] for name, column in PLACED.items()}
    assert placed[2:] == Workload.from_columns(own) != placed[:2]
    assert placed[2:] != Workload.from_columns({**own, "zone": ["az1", ""]})


def test_a_part_runs_as_a_workload_of_its_own(workload: Workload) -> None:
    columns = workload.to_columns()
    draw = random.Random(7)
    few = {"hosts": 28, "saf": False, "otn": 1}  # four fifths of the hosts for that many requests
    for _ in range(5):
        flags = np.array([draw.random() < 0.8 for _ in range(len(workload))])
        part = workload.where(flags)
        own = Workload.from_columns(
            {name: column[flags] for name, column in columns.items()}, window_us=workload.window_us
        )
        assert plain(part) == plain(own)
        result = cospot.simulate(part, **{**RUN, **few})
        assert result == cospot.simulate(own, **{**RUN, **few}) and result.evictions > 0
    days = columns["start_us"] // cospot.DAY_US
    firsts = workload.where(days < 3)
    assert cospot.size(firsts, host=(10400, 2250)) == cospot.size(
        Workload.from_columns({name: column[days < 3] for name, column in columns.items()}),
        host=(10400, 2250),
    )


def test_parts_go_where_workloads_go(workload: Workload) -> None:
    halves = [workload[::2], workload[1::2]]
    assert pickle.loads(pickle.dumps(halves)) == halves
    tuning = cospot.tune(halves, host=(10400, 2250), hosts=20, vm=["COS"], otn=[1])
    assert tuning.expected.samples == 2


def revenue_of(events: list[EventRecord], kind: str, window_us: int) -> int:
    """The vcpu-microseconds inside the window, from each placement to what ends it."""
    starts: dict[str, EventRecord] = {}
    total = 0
    for event in events:
        if event.instance_class != kind:
            continue
        if event.event == "placement":
            starts[event.instance_id] = event
        elif event.event in ("departure", "eviction"):
            total += earned(starts.pop(event.instance_id), event.time_us, window_us)
    return total + sum(earned(start, window_us, window_us) for start in starts.values())


def earned(start: EventRecord, end_us: int, window_us: int) -> int:
    return start.vcpus * max(0, min(end_us, window_us) - max(start.time_us, 0))


def test_events_recount_the_run(workload: Workload) -> None:
    simulation = Simulation(workload, **RUN)
    events = list(simulation.events())
    result = simulation.result()
    assert result == cospot.simulate(workload, **RUN) and result.evictions > 0
    counts = Counter((one.instance_class, one.event) for one in events)
    assert counts["vm", "request"] == result.vm_requests
    assert counts["vm", "rejection"] == result.vm_rejected
    assert counts["vm", "placement"] == result.vm_requests - result.vm_rejected
    assert counts["spot", "request"] == result.spot_requests
    assert counts["spot", "placement"] == result.spot_admitted
    assert counts["spot", "eviction"] == result.evictions
    assert revenue_of(events, "vm", workload.window_us) == result.vm_revenue_vcpu_us
    assert revenue_of(events, "spot", workload.window_us) == result.spot_revenue_vcpu_us
    assert [one.time_us for one in events] == sorted(one.time_us for one in events)
    offers = [one.place_in_offer for one in events if one.event == "offer"]
    assert set(offers) == {1, 2, 3, 4}
    assert all(one.place_in_offer is None for one in events if one.event != "offer")
    requests = {one.instance_id: one for one in workload}
    for one in events:
        assert one.vcpus == requests[one.instance_id].vcpus
        if one.event == "eviction":
            assert requests[one.for_instance_id].start_us == one.time_us


def test_records_frame_and_file_are_the_same_log(tmp_path: Path, workload: Workload) -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    cospot.simulate(workload, events=tmp_path / "events.csv.gz", **RUN)
    logged = cospot.read_events(tmp_path / "events.csv.gz")
    watched = cospot.read_events(Simulation(workload, **RUN))
    pd.testing.assert_frame_equal(watched, logged)
    events = list(Simulation(workload, **RUN).events())
    assert len(events) == len(logged)
    frame = pd.DataFrame(events)
    for name in (
        "event",
        "instance_id",
        "vcpus",
        "memory_mb",
        "disk_gb",
        "host",
        "for_instance_id",
    ):
        assert frame[name].tolist() == logged[name].tolist(), name
    assert frame["instance_class"].tolist() == logged["class"].tolist()
    assert (frame["time_us"] / 1e6).tolist() == logged["time_s"].tolist()
    assert frame["place_in_offer"].astype("Int64").equals(logged["place_in_offer"])
    hours = {"host": (10400, 2250), "hosts": 35, "step_hours": 5}
    pd.testing.assert_frame_equal(
        cospot.occupancy_over_time(Simulation(workload, **RUN), **hours),
        cospot.occupancy_over_time(logged, **hours),
    )


def test_events_come_as_the_simulation_runs(workload: Workload) -> None:
    everything = list(Simulation(workload, **RUN).events())
    simulation = Simulation(workload, **RUN)
    some = list(itertools.islice(simulation.events(), 2000))
    assert some == everything[:2000]
    assert some[-1].time_us <= simulation.now_us < workload.window_us
    # What another call runs is not told; the rest is, to the last departure.
    simulation.run_until(10 * cospot.DAY_US)
    rest = list(simulation.events())
    assert rest == [one for one in everything if one.time_us >= 10 * cospot.DAY_US]
    assert simulation.is_finished and list(simulation.events()) == []
    assert simulation.result() == cospot.simulate(workload, **RUN)


class Late(cospot.Weigher):
    """Raises when a day has passed."""

    def weigh_all(self, hosts: Any, candidates: Any, request: cospot.Request) -> Any:
        if request.time_us > cospot.DAY_US:
            raise KeyError("late")
        return np.zeros(len(candidates))


def test_events_of_a_policy_that_fails(workload: Workload) -> None:
    simulation = Simulation(workload, **{**RUN, "vm": Late})
    seen: list[EventRecord] = []
    with pytest.raises(cospot.PolicyError, match="late"):
        seen.extend(simulation.events())
    assert seen and seen[-1].time_us <= cospot.DAY_US
