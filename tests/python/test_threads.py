"""Threads of Python that simulate at once give what they give one after the other."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import cospot
import pytest
from cospot import Chain, Simulation, Workload
from host_size import HOST
from sample_policies import Fifo, SpotUtil, Util
from waiting import PATIENCE_S

POLICIES: list[dict[str, Any]] = [
    {"vm": vm, "spot": spot, "evictor": evictor, "saf": saf, "otn": otn}
    for vm in ("UTIL", "COS", Util, Chain([Util, "CPUWeigher"]))
    for spot, evictor in (("sDPD", "LPO"), (SpotUtil, Fifo))
    for saf, otn in ((False, 1), (True, 4))
]


def run(workload: Workload, policies: dict[str, Any]) -> dict[str, float]:
    result = cospot.simulate(workload, hosts=36, host=HOST, **policies).as_dict()
    return {name: value for name, value in result.items() if not name.endswith(("_ns", "_ms"))}


def test_two_threads_at_once(workload: Workload) -> None:
    small = workload.sample(0.3, seed=2)
    alone = [run(small, policies) for policies in POLICIES]
    with ThreadPoolExecutor(max_workers=2) as pool:
        together = list(pool.map(lambda policies: run(small, policies), POLICIES))
    assert together == alone


def test_threads_share_one_policy_object(workload: Workload) -> None:
    small = workload.sample(0.3, seed=2)
    shared = Util()
    alone = run(small, {"vm": shared, "spot": "sUTIL", "evictor": "FIFO"})
    with ThreadPoolExecutor(max_workers=4) as pool:
        tasks = [
            pool.submit(run, small, {"vm": shared, "spot": "sUTIL", "evictor": "FIFO"})
            for _ in range(8)
        ]
        assert all(task.result() == alone for task in tasks)


def test_two_threads_load_one_workload_for_the_first_time() -> None:
    fresh = Workload.generate(seed=9, scale=0.001)
    with ThreadPoolExecutor(max_workers=4) as pool:
        tasks = [pool.submit(run, fresh, POLICIES[0]) for _ in range(4)]
        results = [task.result() for task in tasks]
    assert all(result == results[0] for result in results)


def test_one_simulation_is_run_by_one_thread(workload: Workload) -> None:
    entered, leave = threading.Event(), threading.Event()

    class Waits(Util):
        def weigh_all(self, hosts: Any, candidates: Any, request: Any) -> Any:
            entered.set()
            leave.wait(PATIENCE_S)
            return super().weigh_all(hosts, candidates, request)

    simulation = Simulation(workload, hosts=40, host=HOST, vm=Waits, spot="sUTIL", evictor="FIFO")
    thread = threading.Thread(target=simulation.run)
    thread.start()
    assert entered.wait(PATIENCE_S)
    with pytest.raises(RuntimeError, match="this Simulation is running"):
        simulation.run()
    assert simulation.hosts.vcpus_total[0] == HOST[0]  # looking at columns is allowed
    leave.set()
    thread.join()
    assert simulation.is_finished
