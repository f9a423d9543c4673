"""Every value goes to another process and comes back the same."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import cospot
import numpy as np
import pytest
from cospot import _core
from database_rows import TIMES
from sample_policies import Util
from waiting import PATIENCE_S

POLICIES = {"vm": "COS", "spot": "sCOS", "evictor": "FIFO"}
RUN = {"hosts": 36, "host": (10400, 2250), **POLICIES}
TABLE = cospot.HostTable(
    [
        cospot.HostSpec("a", (8, 64, 5), vm_used=(2, 8), spot_used=(1, 2), num_vms=1, num_spots=1),
        cospot.HostSpec("b", (16, 32), num_io_ops=3),
    ]
)
REQUEST = cospot.Request(4, 8, spot=False, instance=7, time_us=5)
SPOT = cospot.RunningSpot(3, (4, 8, 1), 10, 20, 30)


def properties(value: Any) -> dict[str, Any]:
    """What a value says of itself, nested values included."""
    found = {}
    for name in dir(type(value)):
        if isinstance(getattr(type(value), name), property):
            found[name] = getattr(value, name)
    return {
        name: properties(one) if type(one).__module__ == "cospot._core" else plain(one)
        for name, one in found.items()
    }


def plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def history() -> cospot.History:
    """Of a host on which a spot was evicted, a VM ended, and a spot runs."""
    made = cospot.History([(8, 8)])
    made.place(cospot.Request(1, 1, instance=1), 0)
    made.place(cospot.Request(2, 2, instance=2, spot=True), 0)
    made.end(1, 10)
    made.evict(2, 12)
    made.place(cospot.Request(1, 1, instance=3, spot=True, time_us=13), 0, promised_until_us=15)
    return made


def values(workload: cospot.Workload) -> dict[str, Any]:
    evictor = cospot.make_evictor("FIFO")
    return {
        "Chain": cospot.Chain(
            [("RAMWeigher", 2.0), "CPUWeigher"], ["SpotFeasibility"], label="mine"
        ),
        "Choice": cospot.Choice(1, 2, [3, 4], 5.0),
        "CompareOutcome": cospot.CompareOutcome(5, 4, 1, "results.db"),
        "CompiledEvictor": evictor,
        "CompiledFilter": cospot.make_filter("SpotFeasibility"),
        "CompiledWeigher": cospot.make_weigher("COS", capacity_normalised=True),
        "DatacenterSize": cospot.size(workload, host=(10400, 2250), vm="COS"),
        "EvictionPlan": evictor.make_plan([SPOT], (2, 2)),
        "Evidence": cospot.Evidence(history(), 20, [0.5]),
        "HostRow": TABLE[1],
        "HostSpec": cospot.HostSpec("é", (8, 64, 5), vm_used=(2, 8), num_vms=1, num_io_ops=2),
        "HostTable": TABLE,
        "History": history(),
        "HostView": cospot.Simulation(workload, **RUN).hosts,
        "LifetimeQuantiles": cospot.estimate_lifetimes(history(), [(1, 1)], [0.5], 20),
        "Offer": cospot.Offer(REQUEST, [(1, 2), (0, 0)]),
        "PolicyInfo": cospot.list_evictors()[0],
        "Request": REQUEST,
        "ResourceVector": cospot.ResourceVector(1, 2, 3),
        "RunResult": cospot.simulate(workload, **RUN),
        "RunningSpot": SPOT,
        "Workload": workload,
    }


def live(workload: cospot.Workload) -> dict[str, Any]:
    return {
        "ChangeWatch": _core.ChangeWatch("uuid", [], "spots"),
        "Datacenter": cospot.Datacenter(TABLE),
        "LiveHosts": _core.LiveHosts(["a"]),
        "PlacementRuns": cospot.PlacementEnv(workload, **RUN)._runs,
        "ReservedHosts": _core.ReservedHosts((1, 1), 1, 1),
        "Simulation": cospot.Simulation(workload, **RUN),
    }


def test_every_class_is_tested(workload: cospot.Workload) -> None:
    classes = {name for name, value in vars(_core).items() if isinstance(value, type)}
    assert {*values(workload), *live(workload)} == classes


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, "pickle"])
def test_a_value_stays_the_same(
    workload: cospot.Workload, copied: Callable[[Any], Any] | str
) -> None:
    for name, value in values(workload).items():
        again = copied(value) if callable(copied) else pickle.loads(pickle.dumps(value))
        assert again is not value, name
        # The columns of another process are its own.
        expected_type = cospot.HostTable if name == "HostView" else type(value)
        assert type(again) is expected_type, name
        assert properties(again) == properties(value), name


def test_a_copy_of_a_policy_has_its_options() -> None:
    # 5 of 10 vcpus and 100 of 100 MiB are free, and 5 vcpus and 50 MiB are asked for. COS is
    # dot / (dot + |cross|): raw, 5 * 5 + 100 * 50 = 5025 and |5 * 50 - 100 * 5| = 250; as parts of
    # the host, 0.5 * 0.5 + 1 * 0.5 = 0.75 and |0.5 * 0.5 - 1 * 0.5| = 0.25.
    hosts = cospot.HostTable([cospot.HostSpec("half", (10, 100), vm_used=(5, 0))])
    for normalised, expected in ((False, 5025 / 5275), (True, 0.75)):
        made = cospot.make_weigher("COS", capacity_normalised=normalised)
        again = pickle.loads(pickle.dumps(made))
        weights = again.weigh_all(hosts, np.zeros(1, np.uint32), cospot.Request(5, 50))
        assert weights.tolist() == pytest.approx([expected])


def test_a_history_goes_on_where_it_was() -> None:
    for again in (history(), pickle.loads(pickle.dumps(history())), copy.copy(history())):
        assert len(again) == 5
        with pytest.raises(cospot.InputError, match="back in time"):
            again.end(3, 12)
        with pytest.raises(cospot.InputError, match="is placed at .* although it runs"):
            again.place(cospot.Request(1, 1, instance=3, time_us=14), 0)
        again.evict(3, 14)
        assert len(again) == 6


def test_estimated_lifetimes_say_the_same() -> None:
    made = cospot.estimate_lifetimes(history(), [(1, 1), (2, 2)], [0.1, 0.5], 20)
    again = pickle.loads(pickle.dumps(made))
    for size in ((1, 1), (2, 2), (3, 3)):
        assert again.samples(size) == made.samples(size)
        for probability in (0.1, 0.5):
            for slots in range(9):
                expected = made.promised(size, slots, probability)
                assert again.promised(size, slots, probability) == expected
    assert any(made.samples((1, 1)))


def test_a_workload_keeps_all_of_its_rows() -> None:
    made = cospot.Workload.from_columns(
        {
            "instance_id": ["x", "y"], "tenant_id": ["t", "ü"], "is_spot": [False, True],
            "vcpus": [1, 2], "memory_mb": [3, 4], "disk_gb": [5, 6], "start_us": [-7, 8],
            "end_us": [cospot.NEVER_US, 9], "zone": ["az1", ""],
        },
        name="two, with zones",
        window_days=3,
    )  # fmt: skip
    again = pickle.loads(pickle.dumps(made))
    columns, expected = again.to_columns(), made.to_columns()
    assert {name: plain(column) for name, column in columns.items()} == {
        name: plain(column) for name, column in expected.items()
    }
    assert (again.name, again.sha256, again.window_days) == (made.name, made.sha256, 3)
    assert columns["zone"].tolist() == ["az1", ""]


def test_a_chain_of_python_policies() -> None:
    chain = pickle.loads(pickle.dumps(cospot.Chain([Util])))
    # VMs hold 2 vcpus of "a" and none of "b".
    assert chain.rank(TABLE, cospot.Request(1, 1)).tolist() == [0, 1]


def test_what_is_live_says_so(workload: cospot.Workload) -> None:
    for name, value in live(workload).items():
        for use in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match=f"^cospot.{name} cannot be pickled or copied: it"):
                use(value)


@pytest.mark.parametrize("start", ["spawn", "fork"])
def test_worker_processes(workload: cospot.Workload, start: str) -> None:
    expected = [cospot.simulate(workload, **RUN, otn=otn).as_dict() for otn in (1, 4)]
    context = multiprocessing.get_context(start)
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        runs = [pool.submit(cospot.simulate, workload, **RUN, otn=otn) for otn in (1, 4)]
        check_runs([run.result(timeout=PATIENCE_S) for run in runs], expected)


def check_runs(runs: list[cospot.RunResult], expected: list[dict[str, Any]]) -> None:
    for run, other in zip(runs, expected, strict=True):
        found = run.as_dict()
        assert {k: v for k, v in found.items() if k not in TIMES} == {
            k: v for k, v in other.items() if k not in TIMES
        }


def test_joblib(workload: cospot.Workload) -> None:
    joblib = pytest.importorskip("joblib")
    expected = [cospot.simulate(workload, **RUN, otn=otn).as_dict() for otn in (1, 4)]
    runs = joblib.Parallel(n_jobs=2)(
        joblib.delayed(cospot.simulate)(workload, **RUN, otn=otn) for otn in (1, 4)
    )
    check_runs(runs, expected)


def test_dask(workload: cospot.Workload) -> None:
    distributed = pytest.importorskip("distributed")
    expected = [cospot.simulate(workload, **RUN, otn=otn).as_dict() for otn in (1, 4)]
    with distributed.Client(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None
    ) as client:
        runs = client.gather(
            [client.submit(partial(cospot.simulate, otn=otn), workload, **RUN) for otn in (1, 4)]
        )
    check_runs(runs, expected)


def test_functions_are_found_by_their_name() -> None:
    for function in (cospot.simulate, cospot.compare, cospot.make_offer):
        assert pickle.loads(pickle.dumps(function)) is function
