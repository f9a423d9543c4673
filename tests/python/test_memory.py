"""Arrays share memory with their table and never dangle. run_asan.sh looks for what this cannot."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import cospot
import numpy as np
import pytest
from cospot import Chain, Datacenter, HostTable, HostView, Request, Simulation, Workload
from host_size import HOST

COLUMNS = [name for name in dir(HostView) if isinstance(getattr(HostView, name), property)]
ARRAYS = [name for name in COLUMNS if name != "names"]


def arrays(hosts: HostView) -> dict[str, Any]:
    return {name: getattr(hosts, name) for name in ARRAYS}


def test_an_array_shows_later_changes() -> None:
    datacenter = Datacenter(HostTable.uniform(3, (8, 8, 8)))
    kept = arrays(datacenter.hosts)
    address = {name: array.__array_interface__["data"][0] for name, array in kept.items()}
    datacenter.add_vm(1, Request(2, 3, 1, instance=1))
    datacenter.add_spot(1, Request(1, 1, spot=True, instance=2))
    assert kept["vcpus_free_ignoring_spots"].tolist() == [8, 6, 8]
    assert kept["memory_mb_free"].tolist() == [8, 4, 8]
    assert kept["disk_gb_free_ignoring_spots"].tolist() == [8, 7, 8]
    assert (kept["num_vms"][1], kept["num_spots"][1], kept["generation"][1]) == (1, 1, 2)
    again = {
        name: array.__array_interface__["data"][0]
        for name, array in arrays(datacenter.hosts).items()
    }
    assert address == again


def test_an_array_outlives_its_table() -> None:
    def made() -> dict[str, Any]:
        datacenter = Datacenter(HostTable.uniform(1000, (8, 8)))
        datacenter.add_vm(999, Request(2, 3, instance=1))
        return {**arrays(datacenter.hosts), "row": datacenter.hosts[999]}

    kept = made()
    gc.collect()
    _ = [np.array(array) for name, array in kept.items() if name != "row"]  # by memcpy: ASan looks
    _ = [HostTable.uniform(1000, (5, 5)) for _ in range(50)]  # takes the memory if it is free
    assert kept["vcpus_free_ignoring_spots"].tolist() == [8] * 999 + [6]
    assert kept["num_vms"].sum() == 1 and kept["vcpus_total"].sum() == 8000
    assert kept["row"].name == "host-999" and kept["row"].num_vms == 1


def test_nothing_is_kept_when_nobody_looks() -> None:
    table = HostTable.uniform(10, (8, 8))
    array = table.num_vms
    gone = weakref.ref(array)
    del array
    gc.collect()
    assert gone() is None


def test_a_simulation_that_is_gone(workload: Workload) -> None:
    def made() -> tuple[dict[str, Any], list[cospot.RunningSpot]]:
        simulation = Simulation(
            workload, hosts=40, host=HOST, vm="UTIL", spot="sUTIL", evictor="FIFO"
        )
        simulation.run_until(cospot.DAY_US)
        spots = [spot for host in range(40) for spot in simulation.spots_on(host)]
        return arrays(simulation.hosts), spots

    kept, spots = made()
    gc.collect()
    held = kept["vcpus_free_ignoring_spots"] - kept["vcpus_free"]
    assert held.sum() == sum(spot.resources.vcpus for spot in spots) > 0
    assert kept["num_spots"].sum() == len(spots)


class Keeper(cospot.Weigher):
    """Keeps everything that it is shown."""

    def __init__(self) -> None:
        self.kept: list[Any] = []

    def weigh_all(self, hosts: Any, candidates: Any, request: Any) -> Any:
        if len(self.kept) < 200:
            self.kept.append((hosts, hosts[0], arrays(hosts), candidates, request))
        return np.zeros(len(candidates))


class SpotKeeper(cospot.Evictor):
    """Keeps every spot that it is shown; evicts all."""

    def __init__(self) -> None:
        self.kept: list[Any] = []

    def make_plan(self, spots: Any, shortfall: Any, now_us: int) -> Any:
        self.kept.append((spots, shortfall))
        return list(range(len(spots))), float(len(spots))


@pytest.mark.parametrize("in_compare", [False, True])
def test_what_a_policy_keeps_does_not_dangle(
    workload: Workload, in_compare: bool, tmp_path: Any
) -> None:
    keeper, spot_keeper = Keeper(), SpotKeeper()
    if in_compare:
        workload.sample(0.2).save(tmp_path / "w.csv")
        sweep = {
            "workloads": [str(tmp_path / "w.csv")], "hosts": [8, 9],
            "host": {"vcpus": HOST[0], "memory_mb": HOST[1]}, "vm": ["UTIL", keeper],
            "spot": "sUTIL", "evictor": spot_keeper, "saf": [False, True], "otn": [1, 4],
        }  # fmt: skip
        cospot.compare(sweep, db=tmp_path / "r.db", threads=2)
    else:
        cospot.simulate(workload, hosts=34, host=HOST, vm=keeper, spot="sUTIL", evictor=spot_keeper)
    gc.collect()
    assert len(keeper.kept) == 200
    for hosts, row, columns, candidates, request in keeper.kept:
        assert len(hosts) in {8, 9, 34} and row.total.vcpus == HOST[0]
        assert columns["vcpus_total"].sum() == HOST[0] * len(hosts)
        assert candidates.dtype == np.uint32 and (candidates < len(hosts)).all()
        assert (columns["vcpus_free"] <= columns["vcpus_free_ignoring_spots"]).all()
        assert request.vcpus > 0 and hosts.names[0] == "host-0"
    assert spot_keeper.kept
    for spots, shortfall in spot_keeper.kept:
        assert max(shortfall.vcpus, shortfall.memory_mb) > 0
        assert all(spot.resources.vcpus > 0 for spot in spots)


def test_candidates_are_the_policys_own() -> None:
    class Scribbler(cospot.Weigher):
        def weigh_all(self, hosts: Any, candidates: Any, request: Any) -> Any:
            weights = candidates.astype(float)
            candidates[:] = 0
            return weights

    assert Chain([Scribbler]).rank(HostTable.uniform(4, (8, 8)), Request(1, 1)).tolist() == [
        3, 2, 1, 0,
    ]  # fmt: skip


def test_a_policy_that_changes_the_datacenter_it_plans_for() -> None:
    datacenter = Datacenter(HostTable.uniform(1, (8, 8)))
    for instance in range(8):
        datacenter.add_spot(0, Request(1, 1, spot=True, instance=instance))

    class Remover(cospot.Evictor):
        def make_plan(self, spots: Any, shortfall: Any, now_us: int) -> Any:
            for spot in spots:
                datacenter.evict(spot.instance)
            return list(range(len(spots))), 1.0

    offer = cospot.make_offer(Chain(["UTIL"]), datacenter.hosts, Request(8, 8, instance=9), 1)
    choice = cospot.choose(offer, Remover, datacenter)
    assert choice is not None and len(choice.victims) == 8
    assert not datacenter.commit(choice, offer.request)  # the host has changed
