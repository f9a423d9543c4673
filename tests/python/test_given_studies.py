"""What a study as a dict takes: hosts, workloads and values as people write them in Python."""

from __future__ import annotations

from collections import UserDict
from pathlib import Path
from types import MappingProxyType
from typing import Any

import cospot
import numpy as np
import pytest

STUDY: dict[str, Any] = {
    "workloads": {"synthetic": "azure2020", "seed": 1, "scale": 0.0005},
    "host": {"vcpus": 10400, "memory_mb": 2250},
    "hosts": [12],
    "vm": "COS",
    "spot": "sCOS",
    "evictor": "FIFO",
    "saf": [False, True],
    "otn": [1, 2],
}


def revenue(tmp_path: Path, **changes: Any) -> list[float]:
    database = tmp_path / "runs.db"
    cospot.compare({**STUDY, **changes}, db=database, force=True, timing=False)
    return [float(each) for each in cospot.load_results(database).runs["spot_revenue"]]


def test_other_spellings_are_the_same_study(tmp_path: Path) -> None:
    expected = revenue(tmp_path)
    assert len(set(expected)) > 1
    assert revenue(tmp_path, host=(10400, 2250)) == expected
    assert revenue(tmp_path, workloads=["azure2020:seed=1:scale=0.0005"]) == expected
    assert revenue(tmp_path, otn=np.array([1, 2]), saf=np.array([False, True])) == expected
    one = {"vm": "COS", "spot": "sCOS", "evictor": "FIFO", "saf": True, "otn": 2}
    workload = cospot.Workload.generate(scale=0.0005, seed=1)
    by_dict = cospot.simulate(workload, hosts=12, host=STUDY["host"], **one)
    by_tuple = cospot.simulate(workload, hosts=12, host=(10400, 2250), **one)
    assert by_dict.spot_revenue == by_tuple.spot_revenue == expected[3]


def test_what_is_no_value_is_named(tmp_path: Path) -> None:
    with pytest.raises(cospot.ArgumentError, match=r"otn is of type object, expected a name"):
        revenue(tmp_path, otn=object())


def frame_of(vcpus: int) -> cospot.Workload:
    """Two VMs and a spot that run for a day; all such workloads have one name."""
    day = cospot.DAY_US
    return cospot.Workload.from_columns(
        {
            "is_spot": [False, False, True],
            "vcpus": [vcpus, 1, 2],
            "memory_mb": [2, 2, 2],
            "start_us": [0, day // 2, 0],
            "end_us": [day, day, day],
        },
        name="frame",
    )


SMALL: dict[str, Any] = {
    "host": (8, 64), "hosts": 2, "vm": "COS", "spot": "sCOS", "evictor": "FIFO",
}  # fmt: skip


def results_of(study: dict[str, Any], database: Path, **more: Any) -> cospot.Results:
    cospot.compare(study, db=database, timing=False, **more)
    return cospot.load_results(database)


def test_workload_objects_and_the_defaults_of_simulate(tmp_path: Path) -> None:
    workloads = [frame_of(4), frame_of(8)]
    results = results_of({**SMALL, "workloads": workloads}, tmp_path / "r.db")
    assert results.runs["workload"].astype(str).tolist() == ["frame", "frame#2"]
    assert results.workloads["sha256"].tolist() == [one.sha256 for one in workloads]
    assert (results.settings["saf"], results.settings["otn"]) == ([False], [1])
    for (_, run), workload in zip(results.runs.iterrows(), workloads, strict=True):
        alone = cospot.simulate(workload, **SMALL).as_dict()
        counts = [name for name in alone if name in run and not name.endswith(("_ns", "_ms"))]
        assert {"vm_rejected", "evictions", "spot_revenue", "hosts"} <= set(counts)
        assert {name: run[name] for name in counts} == {name: alone[name] for name in counts}
    # A VM of 1 vcpu runs for half a day, the others all day: (4 + 0.5) and (8 + 0.5) vcpu-days.
    assert results.runs["vm_revenue"].tolist() == [4.5 * 86400, 8.5 * 86400]


def test_workload_objects_have_labels_and_windows(tmp_path: Path) -> None:
    one = frame_of(4)
    # The same requests over two windows are two workloads, and half a day earns half as much.
    given = [one, one.with_window_days(0.5), {"path": one, "label": "day", "window_days": 2}]
    results = results_of({**SMALL, "workloads": given}, tmp_path / "r.db")
    assert results.workloads["workload"].tolist() == ["frame", "frame#2", "day"]
    assert results.runs["vm_revenue"].tolist() == [4.5 * 86400, 2 * 86400, 4.5 * 86400]
    with pytest.raises(cospot.ConfigError, match="'frame' has the same label as the earlier"):
        results_of({**SMALL, "workloads": [one, one]}, tmp_path / "twice.db")
    odd = cospot.Workload.from_columns(one.to_columns(), name="a,b")
    with pytest.raises(cospot.ConfigError, match="'a,b' has a comma.*label"):
        results_of({**SMALL, "workloads": odd}, tmp_path / "odd.db")
    with pytest.raises(cospot.ConfigError, match=r"study.hosts: .*<Workload frame>.*whole number"):
        results_of({**SMALL, "workloads": one, "hosts": one}, tmp_path / "hosts.db")


def test_a_database_goes_on_with_equal_objects_only(tmp_path: Path) -> None:
    study = {**SMALL, "workloads": [frame_of(4)], "otn": range(1, 4)}
    database = tmp_path / "r.db"
    cospot.compare(study, db=database, timing=False, shard="1/2")
    outcome = cospot.compare(
        {**study, "workloads": frame_of(4)}, db=database, timing=False, resume=True
    )
    assert outcome.done == outcome.total == 3
    with pytest.raises(cospot.DatabaseError, match="frame"):
        cospot.compare({**study, "workloads": [frame_of(5)]}, db=database, resume=True)
    with pytest.raises(cospot.DatabaseError, match="workloads"):
        cospot.compare(
            {**study, "workloads": frame_of(4).with_window_days(0.5)}, db=database, resume=True
        )


def test_a_loaded_workload_is_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    frame_of(4).save("w.csv")
    by_name = results_of({**SMALL, "workloads": "w.csv"}, tmp_path / "name.db")
    loaded = {**SMALL, "workloads": cospot.Workload.load("w.csv")}
    assert cospot.compare(loaded, db=tmp_path / "name.db", resume=True).skipped == 1
    assert results_of(loaded, tmp_path / "object.db").settings == by_name.settings


def test_ranges_and_arrays_are_lists(tmp_path: Path) -> None:
    # Not np.array: it makes a table of the records, as of all sequences.
    workloads = np.fromiter([frame_of(4), frame_of(8)], dtype=object)
    listed = {**SMALL, "workloads": list(workloads), "hosts": [2, 4], "otn": [1, 2], "saf": [True]}
    arrays = {
        **SMALL, "workloads": workloads, "hosts": range(2, 6, 2), "vm": np.array(["COS"]),
        "otn": np.arange(1, 3, dtype=np.uint16), "saf": np.array([True]),
        "window_days": np.float32(14),
    }  # fmt: skip
    expected = results_of({**listed, "window_days": 14}, tmp_path / "listed.db")
    found = results_of(arrays, tmp_path / "arrays.db")
    assert found.settings == expected.settings
    assert found.runs.equals(expected.runs)
    counts = {**SMALL, "workloads": frame_of(4), "hosts": np.linspace(2, 4, 3)}
    assert results_of(counts, tmp_path / "floats.db").runs["hosts"].tolist() == [2, 3, 4]
    with pytest.raises(cospot.ConfigError, match=r"study\.hosts\[0\].*'2\.5'"):
        results_of({**counts, "hosts": np.array([2.5])}, tmp_path / "half.db")


def test_every_function_that_takes_a_workload_takes_an_object(tmp_path: Path) -> None:
    workload = cospot.Workload.generate(scale=0.0005, seed=1)
    spec = "azure2020:seed=1:scale=0.0005"
    assert cospot.idle_periods(workload)["servers"] == cospot.idle_periods(spec)["servers"]
    assert cospot.classes.servers(workload).equals(cospot.classes.servers(spec))
    days = {"training_days": 3, "horizon_days": 2, "period_hours": 6}
    capacity = int(workload.to_columns()["vcpus"].sum())
    plans = [
        cospot.economy.plan(usage, forecaster="mean", capacity=capacity, **days)
        for usage in (workload, spec)
    ]
    assert [one.quantity for one in plans[0].promises] == [
        one.quantity for one in plans[1].promises
    ]
    host = {"vcpus": 10400, "memory_mb": 2250}
    sla = {"study": "sla", "host": host, "hosts": 40, "target": 0.05, "spot_workloads": "same"}
    quoted = [cospot.sla.quote({**sla, "workloads": one}) for one in (workload, spec)]
    assert quoted[0] == quoted[1]
    for study, key in (("economy", "usage"), ("classes", "trace")):
        promises = {"capacity": capacity, "forecaster": "mean", **days}
        more: dict[str, Any] = {"trace": {}, "usage": promises}[key]
        runs = []
        for number, one in enumerate((workload, spec)):
            found = results_of(
                {"study": study, key: one, **more}, tmp_path / f"{study}{number}.db"
            ).runs
            runs.append(found.drop(columns=key))
        assert runs[0].equals(runs[1])


def test_candidates_of_tune_are_ranges_and_arrays() -> None:
    workloads = [cospot.Workload.generate(scale=0.0005, seed=seed) for seed in (1, 2, 3)]
    given: dict[str, Any] = {"host": (10400, 2250), "headroom_percent": 1, "evictor": ["FIFO"]}
    policies: dict[str, Any] = {"vm": ["COS"], "spot": ["sCOS"]}
    listed = cospot.tune(workloads, **given, **policies, otn=[1, 2])
    for otn in (range(1, 3), np.arange(1, 3)):
        array = np.array(workloads, dtype=object)
        assert cospot.tune(array, **given, **policies, otn=otn).recommendation == (
            listed.recommendation
        )


def test_the_argument_is_called_study(tmp_path: Path) -> None:
    study = {**SMALL, "workloads": frame_of(4)}
    for number, run in enumerate((cospot.compare, cospot.sweep)):
        with pytest.warns(DeprecationWarning, match="'sweep' is now 'study'") as found:
            run(sweep=study, db=tmp_path / f"{number}.db")  # type: ignore[call-arg]
        (told,) = (one for one in found if one.category is DeprecationWarning)
        assert Path(told.filename) == Path(__file__)
    with pytest.warns(DeprecationWarning, match=r"Results\.settings"):
        assert cospot.load_results(tmp_path / "0.db").sweep["otn"] == [1]


def test_any_mapping_is_a_study_and_an_outcome_stands_for_its_database(tmp_path: Path) -> None:
    host = UserDict(vcpus=8, memory_mb=64)
    study = MappingProxyType({**SMALL, "workloads": frame_of(4), "host": host})
    outcome = cospot.compare(study, db=tmp_path / "r.db", timing=False)
    runs = cospot.load_results(outcome).runs
    assert runs["vm_revenue"].tolist() == [4.5 * 86400]
    assert not cospot.difference(outcome, runs)["difference"].any()
    with pytest.raises(cospot.ArgumentError, match="study is of type list, expected a path"):
        cospot.compare([study], db=tmp_path / "r.db")  # type: ignore[arg-type]
