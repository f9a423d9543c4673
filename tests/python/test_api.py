"""Tables, requests, compiled policies, chains and workloads from Python."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any, cast

import cospot
import numpy as np
import pytest
from cospot import Chain, HostSpec, HostTable, Request, ResourceVector, Workload
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import printed_by

REQUEST = Request(2, 4)
NAMESAKES = [HostSpec("a", (1, 1))] * 2


def two_hosts() -> HostTable:
    """A half-full host and an idle one: 8 vCPUs, 16 MiB each; a spot holds 1 vCPU of the first."""
    total = ResourceVector(8, 16)
    return HostTable(
        [
            HostSpec("half", total, vm_used=(4, 8), spot_used=(1, 2), num_vms=2, num_spots=1),
            HostSpec("idle", total),
        ]
    )


def test_resource_vectors_are_values() -> None:
    a = ResourceVector(4, 8, 1)
    assert a == ResourceVector(vcpus=4, memory_mb=8, disk_gb=1)
    assert hash(a) == hash(ResourceVector(4, 8, 1))
    assert a + ResourceVector(1, 1) - ResourceVector(0, 1) == ResourceVector(5, 8, 1)
    assert ResourceVector(4, 8).fits_in(a) and not a.fits_in(ResourceVector(4, 8))
    assert repr(a) == "ResourceVector(vcpus=4, memory_mb=8, disk_gb=1)"
    assert pickle.loads(pickle.dumps(a)) == a
    request = Request(1, 2, 3, spot=True, instance=7, time_us=-5)
    assert pickle.loads(pickle.dumps(request)) == request
    assert (request.is_spot, request.resources) == (True, ResourceVector(1, 2, 3))


def test_columns_show_the_table() -> None:
    hosts = two_hosts()
    assert len(hosts) == 2
    assert hosts.names == ["half", "idle"]
    columns: dict[str, list[int]] = {
        "vcpus_total": [8, 8], "memory_mb_total": [16, 16], "disk_gb_total": [0, 0],
        "vcpus_free_ignoring_spots": [4, 8], "memory_mb_free_ignoring_spots": [8, 16],
        "disk_gb_free_ignoring_spots": [0, 0], "vcpus_free": [3, 8], "memory_mb_free": [6, 16],
        "disk_gb_free": [0, 0], "num_vms": [2, 0], "num_spots": [1, 0], "num_io_ops": [0, 0],
    }  # fmt: skip
    for name, expected in columns.items():
        column = getattr(hosts, name)
        assert column.dtype == np.int32 and column.tolist() == expected, name
        assert not column.flags.writeable and not column.flags.owndata
        assert [getattr(hosts[i], name) for i in range(2)] == expected
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1
    assert hosts.generation.dtype == np.uint64
    row = hosts[-2]
    assert (row.index, row.name, row.total) == (0, "half", ResourceVector(8, 16))
    assert (row.vm_used, row.spot_used) == (ResourceVector(4, 8), ResourceVector(1, 2))
    assert (row.free_ignoring_spots, row.free) == (ResourceVector(4, 8), ResourceVector(3, 6))
    assert [host.name for host in hosts] == ["half", "idle"]
    with pytest.raises(IndexError, match="there are 2 hosts"):
        hosts[2]


def test_every_registered_policy_can_be_made_and_asked() -> None:
    hosts = two_hosts()
    both = np.arange(2, dtype=np.uint32)
    for info in cospot.list_filters():
        passes = cospot.make_filter(info.name).filter_all(hosts, both, REQUEST)
        # Without a promise EconomyPromise admits no one.
        assert passes.dtype == np.bool_ and (passes == (info.name != "EconomyPromise")).all()
    admitting = cospot.make_filter("EconomyPromise", before_first_refresh="admit")
    assert admitting.filter_all(hosts, both, REQUEST).all()
    for info in cospot.list_weighers():
        weigher = cospot.make_weigher(info.name)
        weights = weigher.weigh_all(hosts, both, REQUEST)
        assert weights.shape == (2,) and weights.dtype == np.float64, info.name
        assert weigher.tier in {"none", "holds_vm", "holds_instance", "holds_no_vm"}
    for info in cospot.list_evictors():
        evictor = cospot.make_evictor(info.name)
        spots = [cospot.RunningSpot(i, (1, 1), i, 10**12) for i in range(3)]
        plan = evictor.make_plan(spots, ResourceVector(2, 0), now_us=10)
        assert plan is not None and len(plan.victims) == 2, info.name
        assert evictor.make_plan(spots, ResourceVector(4, 0)) is None
        free = evictor.make_plan(spots, ResourceVector(-1, 0))
        assert free is not None and (free.victims, free.score) == ((), 0)
        assert info.summary and info.source


def test_evictors_take_spots_without_a_promise_first() -> None:
    until = {"over": 10, "promised": 11, "for ever": cospot.NEVER_US, "none": None}
    spots = {
        name: cospot.RunningSpot(i, (1, 1), i, 10**12, moment)
        for i, (name, moment) in enumerate(until.items())
    }
    assert [spot.promised_until_us for spot in spots.values()] == list(until.values())
    for info in cospot.list_evictors():
        evictor = cospot.make_evictor(info.name)
        for missing, victims in ((1, ("none", "over")), (2, ("none", "over")), (4, tuple(until))):
            plan = evictor.make_plan(list(spots.values()), (missing, 0), now_us=10)
            assert plan is not None and len(plan.victims) == missing
            assert {list(until)[victim] for victim in plan.victims} <= set(victims)
        assert evictor.make_plan(list(spots.values()), (5, 0), now_us=10) is None


def test_weights_are_those_of_the_formulas() -> None:
    hosts = two_hosts()
    weigh = cospot.make_weigher("UTIL").weigh_all
    assert weigh(hosts, [0, 1], REQUEST).tolist() == [-4, -8]  # vCPUs left, ignoring spots
    assert weigh(hosts, np.array([1]), REQUEST).tolist() == [-8]
    assert weigh(hosts, [], REQUEST).shape == (0,)
    # Nova's RAMWeigher: free_ram_mb.
    assert cospot.make_weigher("RAMWeigher").weigh_all(hosts, [0, 1], REQUEST).tolist() == [6, 16]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: HostSpec("a", (8, 8), vm_used=(9, 0)), r"vm_used is \(9, 0, 0\), expected at mos"),
        (lambda: HostSpec("a", (8, 8), spot_used=(0, 0, 1)), r"spot_used is \(0, 0, 1\), expected"),
        (lambda: HostTable(NAMESAKES), r"hosts\[1\]: the name 'a' is that of hosts\[0"),
        (lambda: cospot.Datacenter(NAMESAKES), r"hosts\[1\]: the name 'a' is that of"),
        (lambda: cospot.RunningSpot(1, (1, 1), 5, 3), "ends_at_us is 3, expected at least placed_"),
        (lambda: cospot.Offer(REQUEST, [(3, 0), (3, 1)]), "hosts: the host 3 comes twice"),
        (lambda: cospot.Choice(0, 0, [4, 4], 0.0), "victims: the instance 4 comes twice"),
        (lambda: cospot.Choice(0, 0, [], float("nan")), "score is nan, expected a finite number"),
    ],
)
def test_values_that_contradict_themselves(call: Any, text: str) -> None:
    with pytest.raises(cospot.ConfigError, match=text):
        call()


@pytest.mark.parametrize("no_list", ["UTIL", b"UTIL", {"UTIL": 1}, {"UTIL"}, 3, None])
def test_what_is_no_list_of_names(no_list: Any) -> None:
    """The letters of a text and the keys of a dict are no list."""
    study = {"workloads": {"synthetic": "azure2020"}}
    for call in (
        lambda: Chain(no_list),
        lambda: Chain(["UTIL"], no_list),
        lambda: HostTable(no_list),
        lambda: cospot.Datacenter(no_list),
        lambda: cospot.History(no_list),
        lambda: cospot.Offer(REQUEST, no_list),
        lambda: cospot.Choice(0, 0, no_list, 0.0),
        lambda: cospot.mean_interval(no_list),
        lambda: cospot.run_command_line(no_list),
        lambda: cospot.compare(study, overrides=no_list),
        lambda: cospot.broker_run(study, overrides=no_list),
        lambda: cospot.make_evictor("FIFO").make_plan(no_list, (1, 1)),
        lambda: cospot.simulate_job(1, 1, available_hours=no_list or 3),
    ):
        with pytest.raises(cospot.ArgumentError, match="expected a list of "):
            call()


def test_options_of_policies() -> None:
    assert Chain([cospot.make_weigher("COS", capacity_normalised=True)]).label == "COS"


def test_chain_ranks_by_tier_then_weight_then_index() -> None:
    hosts = HostTable(
        [
            HostSpec("full", (8, 16), vm_used=(8, 16), num_vms=1),
            HostSpec("idle", (8, 16)),
            HostSpec("some", (8, 16), vm_used=(2, 2), num_vms=1),
            HostSpec("more", (8, 16), vm_used=(4, 4), num_vms=1, spot_used=(4, 4), num_spots=1),
        ]
    )
    chain = Chain(["UTIL"])
    assert chain.rank(hosts, REQUEST).tolist() == [3, 2, 1]  # the full one has no room
    assert chain.rank(hosts, REQUEST, top=2).tolist() == [3, 2]
    assert chain.rank(hosts, REQUEST, top=0).tolist() == []
    # With SAF, host 3 comes last: its spot would have to go.
    assert chain.rank(hosts, REQUEST, saf=True).tolist() == [2, 1, 3]
    # A spot sees spots: host 3 has no room.
    assert Chain(["sUTIL"]).rank(hosts, Request(2, 4, spot=True)).tolist() == [2, 1]
    rows, tiers, weights = chain.weigh(hosts, REQUEST)
    assert rows.tolist() == [3, 2, 1] and weights.tolist() == [-4, -6, -8]
    assert tiers.tolist() == [0, 0, 0]  # UTIL has no tier
    both = Chain([("RAMWeigher", 2), ("CPUWeigher", -1.0)], label="mix")
    assert (both.label, both.weighers) == ("mix", (("RAMWeigher", 2.0), ("CPUWeigher", -1.0)))
    # Of the largest: free MiB 16, 14, 8 -> 1, 0.875, 0.5 (x 2); vCPUs 8, 6, 0 -> 1, 0.75, 0 (x -1).
    rows, _, weights = both.weigh(hosts, REQUEST)
    assert rows.tolist() == [1, 2, 3] and weights.tolist() == [1, 1, 1]


def test_numbers_of_numpy_are_numbers() -> None:
    assert Request(np.int64(3), np.uint8(4)).vcpus == 3


CALLS: list[tuple[type[Exception], str, Any]] = [
    (cospot.ConfigError, "COS: unknown option 'colour'; valid options: ",
     lambda: cospot.make_weigher("COS", colour=1)),
    (cospot.ConfigError, "capacity_normalised' must be true or false",
     lambda: cospot.make_weigher("COS", capacity_normalised=3)),
    (cospot.ConfigError, "UTIL: measure is '', ", lambda: cospot.make_weigher("UTIL", measure="")),
    (cospot.ConfigError, "unknown weigher 'BEST'; valid names: UTIL, COS",
     lambda: cospot.make_weigher("BEST")),
    (cospot.ConfigError, "unknown weigher 'X'; valid names", lambda: Chain(["X"])),
    (cospot.ConfigError, "unknown filter 'X'; valid names", lambda: Chain(["UTIL"], ["X"])),
    (cospot.ConfigError, "weighers: found an empty list", lambda: Chain([])),
    (cospot.ConfigError, "expected a label without commas", lambda: Chain(["UTIL"], label="a,b")),
    (cospot.ConfigError, "multiplier is nan, expected a number",
     lambda: Chain([("UTIL", float("nan"))])),
    (TypeError, "weigher is an int, expected a name", lambda: Chain(cast(Any, [3]))),
    (TypeError, r"weigher is the class builtins\.dict", lambda: Chain(cast(Any, [dict]))),
    (cospot.ConfigError, "vcpus is -1, expected a whole number from 0 to", lambda: Request(-1, 4)),
    (cospot.ConfigError, "memory_mb is too large, expected a whole number",
     lambda: Request(1, 2**80)),
    (TypeError, "vcpus is of type float, expected a whole number",
     lambda: Request(cast(Any, 1.0), 4)),
    (TypeError, "vcpus is of type bool", lambda: Request(True, 4)),
    (cospot.ConfigError, "total vcpus is 0, expected a whole number from 1",
     lambda: HostSpec("a", (0, 4))),
    (cospot.ConfigError, "total has 4 parts, expected a ResourceVector or",
     lambda: HostTable.uniform(1, cast(Any, (1, 2, 3, 4)))),
    (cospot.ConfigError, "is out of range, expected amounts from -67108864",
     lambda: ResourceVector(2**26, 0) + ResourceVector(1, 0)),
    (IndexError, r"candidates\[1\] is 7, but there are 2 hosts",
     lambda: cospot.make_weigher("UTIL").weigh_all(two_hosts(), [0, 7], REQUEST)),
]  # fmt: skip


@pytest.mark.parametrize(("error", "text", "call"), CALLS)
def test_arguments_that_cannot_be(error: type[Exception], text: str, call: Any) -> None:
    with pytest.raises(error, match=text):
        call()


def test_workload_columns_round_trip(tmp_path: Path) -> None:
    columns: dict[str, Any] = {
        "instance_id": ["a", "b", "c"], "tenant_id": ["t", "t", "u"],
        "is_spot": [False, True, False], "vcpus": [1, 2, 3], "memory_mb": [4, 5, 6],
        "disk_gb": [0, 0, 7], "start_us": [-10, 0, 5], "end_us": [0, cospot.NEVER_US, 5],
    }  # fmt: skip
    workload = Workload.from_columns(columns, name="made")
    assert (len(workload), workload.name, workload.window_us) == (3, "made", 14 * cospot.DAY_US)
    again = workload.to_columns()
    assert list(again) == list(columns)
    assert {name: column.tolist() for name, column in again.items()} == columns
    assert again["start_us"].dtype == np.int64 and again["vcpus"].dtype == np.int32
    workload.save(tmp_path / "w.csv.gz")
    loaded = Workload.load(tmp_path / "w.csv.gz")
    assert {name: column.tolist() for name, column in loaded.to_columns().items()} == columns
    # The digest of columns is that of the plain file that would hold them.
    workload.save(tmp_path / "w.csv")
    assert Workload.load(tmp_path / "w.csv").sha256 == workload.sha256


def test_workload_and_pandas() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(
        {"is_spot": [0, 1], "vcpus": [1.0, 2.0], "memory_mb": [1, 1], "start_us": [0, 1],
         "end_us": [5, cospot.NEVER_US]}
    )  # fmt: skip
    workload = Workload.from_pandas(frame, name="frame")
    back = workload.to_pandas()
    assert back["is_spot"].tolist() == [False, True]
    assert back["instance_id"].tolist() == ["0", "1"]
    assert back["end_us"].tolist() == [5, cospot.NEVER_US]
    with pytest.raises(TypeError, match="frame is of type dict, expected a pandas DataFrame"):
        Workload.from_pandas({})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"vcpus": [0]}, r"vcpus\[0\] is 0, expected a whole number from 1 to 67108864"),
        ({"vcpus": [1.5]}, r"vcpus\[0\] is 1.5, expected a whole number from 1"),
        ({"vcpus": [float("nan")]}, r"vcpus\[0\] is nan, expected a whole number"),
        ({"vcpus": ["many"]}, "vcpus has the type <U4, expected whole numbers"),
        ({"is_spot": [2]}, r"is_spot\[0\] is 2, expected a whole number from 0 to 1"),
        ({"start_us": [9], "end_us": [8]}, r"end_us\[0\] 8 is before start_us\[0\] 9"),
        ({"end_us": [2**62]}, r"end_us\[0\] is 4611686018427387904, expected a whole number"),
        ({"memory_mb": [1, 2]}, "memory_mb has 2 values, but vcpus has 1"),
        ({"memory_mb": [[1]]}, "memory_mb is not one-dimensional"),
        ({"colour": [1]}, "unknown column 'colour'; valid names: instance_id, tenant_id, is_spot"),
        ({"instance_id": ["a,b"]}, r"instance_id\[0\] is 'a,b', expected a name without commas"),
        ({"instance_id": [None]}, r"instance_id\[0\] is of type NoneType, expected a name"),
        ({"vcpus": None}, "the column 'vcpus' is missing"),
    ],
)
def test_workload_columns_that_cannot_be(change: dict[str, Any], text: str) -> None:
    columns: dict[str, Any] = {
        "is_spot": [0], "vcpus": [1], "memory_mb": [1], "start_us": [0], "end_us": [1]
    }  # fmt: skip
    columns.update(change)
    columns = {name: column for name, column in columns.items() if column is not None}
    with pytest.raises(cospot.WorkloadError, match="^columns: " + text):
        Workload.from_columns(columns)


def test_workload_errors_have_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("instance_id,tenant_id,class,vcpus,memory_mb,start_s,end_s\na,t,vm,0,1,0,1\n")
    with pytest.raises(cospot.WorkloadError, match=r"bad\.csv:2: vcpus is '0', expected a whole"):
        Workload.load(path)
    with pytest.raises(cospot.WorkloadError, match="none.csv"):
        Workload.load(str(tmp_path / "none.csv"))
    with pytest.raises(cospot.ConfigError, match="path is no path: it has a zero character"):
        Workload.load("a\0b")
    assert issubclass(cospot.WorkloadError, cospot.InputError)


def test_workload_generate_sample_info(program: Path, workload: Workload, tmp_path: Path) -> None:
    sample = workload.sample(0.5, batched=True, seed=3)
    assert 0 < len(sample) < len(workload)
    assert sample.sha256 == workload.sample(0.5, batched=True, seed=3).sha256
    with pytest.raises(cospot.ConfigError, match="keeps no request, expected a larger probability"):
        Workload.from_columns(
            {"is_spot": [0], "vcpus": [1], "memory_mb": [1], "start_us": [0], "end_us": [1]}
        ).sample(1e-9)
    with pytest.raises(cospot.ConfigError, match="scale"):
        Workload.generate(scale=2)
    path = tmp_path / "w.csv.gz"
    workload.save(path)
    told = printed_by(program, "workload", "info", path, "--json", "--host", "10400,2250")
    assert Workload.load(path).info(host=(10400, 2250)) == json.loads(told)


@settings(database=None)
@given(st.integers(), st.integers())
def test_vectors_hold_what_fits(vcpus: int, memory_mb: int) -> None:
    if abs(vcpus) <= 2**26 and abs(memory_mb) <= 2**26:
        vector = ResourceVector(vcpus, memory_mb)
        assert (vector.vcpus, vector.memory_mb) == (vcpus, memory_mb)
    else:
        with pytest.raises(cospot.ConfigError):
            ResourceVector(vcpus, memory_mb)
