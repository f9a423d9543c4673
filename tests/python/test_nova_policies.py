"""Nova's own weighers and filters as policies: the same ranking as Nova's own handler."""

from __future__ import annotations

import random
import threading
from typing import Any

import cospot
import numpy as np
import pytest
from cospot import Chain, HostSpec, HostTable, Request

pytest.importorskip("nova.scheduler", reason="Nova is not installed (Debian: python3-nova)")

from cospot.provider.policies.nova_policies import NovaFilter, NovaWeigher, nova_policy_maker
from nova import objects
from nova.scheduler import filters, host_manager, weights
from nova.scheduler.filters import num_instances_filter
from nova.scheduler.weights import cpu, disk, io_ops, ram

RAM = "nova:nova.scheduler.weights.ram.RAMWeigher"
CPU = "nova:nova.scheduler.weights.cpu.CPUWeigher"
DISK = "nova:nova.scheduler.weights.disk.DiskWeigher"
IO_OPS = "nova:nova.scheduler.weights.io_ops.IoOpsWeigher"
PAIRS = [
    (RAM, "RAMWeigher", ram.RAMWeigher), (CPU, "CPUWeigher", cpu.CPUWeigher),
    (DISK, "DiskWeigher", disk.DiskWeigher), (IO_OPS, "IoOpsWeigher", io_ops.IoOpsWeigher),
]  # fmt: skip
NOTHING = Request(0, 0)
NO_SPOT = Request(0, 0, spot=True)


def random_spec(rng: random.Random, index: int) -> HostSpec:
    total = tuple(rng.choice(sizes) for sizes in ((8, 64, 10400), (2250, 4096), (0, 100, 3577)))
    vm_used = tuple(int(amount * rng.uniform(0, 0.5)) for amount in total)
    spot_used = tuple(int(amount * rng.uniform(0, 0.5)) for amount in total)
    counts = {name: rng.randrange(5) for name in ("num_vms", "num_spots", "num_io_ops")}
    return HostSpec(f"host-{index}", total, vm_used=vm_used, spot_used=spot_used, **counts)


def host_state(spec: HostSpec, index: int, *, sees_spots: bool) -> Any:
    """A real HostState, filled from a real ComputeNode as Nova's host manager does it."""
    used = spec.vm_used + spec.spot_used if sees_spots else spec.vm_used
    instances = spec.num_vms + (spec.num_spots if sees_spots else 0)
    node = objects.ComputeNode(
        uuid="00000000-0000-4000-8000-000000000000",
        vcpus=spec.total.vcpus,
        vcpus_used=used.vcpus,
        memory_mb=spec.total.memory_mb,
        free_ram_mb=spec.total.memory_mb - used.memory_mb,
        local_gb=spec.total.disk_gb,
        local_gb_used=used.disk_gb,
        free_disk_gb=spec.total.disk_gb - used.disk_gb,
        disk_available_least=None,
        numa_topology=None,
        pci_device_pools=None,
        host_ip="127.0.0.1",
        hypervisor_type="QEMU",
        hypervisor_version=1,
        hypervisor_hostname="node",
        cpu_info="",
        supported_hv_specs=[],
        stats={"num_instances": str(instances), "io_workload": str(spec.num_io_ops)},
        metrics=None,
        cpu_allocation_ratio=1.0,
        ram_allocation_ratio=1.0,
        disk_allocation_ratio=1.0,
        updated_at=None,
    )
    state = host_manager.HostState(spec.name, "node", None)
    state.update(compute=node)
    state.index = index
    return state


def nova_ranking(
    weighers: list[tuple[type[Any], float]], specs: list[HostSpec], *, sees_spots: bool
) -> tuple[list[int], dict[int, float]]:
    """What Nova's own handler makes of the hosts: the order and the weights."""
    made = []
    for weigher_class, multiplier in weighers:
        weigher = weigher_class()
        weigher.weight_multiplier = lambda host_state, by=multiplier: by
        made.append(weigher)
    states = [host_state(spec, i, sees_spots=sees_spots) for i, spec in enumerate(specs)]
    weighed = weights.HostWeightHandler().get_weighed_objects(made, states, {})
    return [item.obj.index for item in weighed], {item.obj.index: item.weight for item in weighed}


@pytest.mark.parametrize("seed", range(12))
def test_ranks_as_nova_and_as_the_compiled_ports(seed: int) -> None:
    rng = random.Random(seed)
    specs = [random_spec(rng, i) for i in range(rng.randrange(2, 40))]
    hosts = HostTable(specs)
    chosen = rng.sample(PAIRS, rng.randrange(1, 5))
    multipliers = [rng.choice([1.0, -1.0, 0.0, 0.1, 1 / 3, 2.5, -0.7]) for _ in chosen]
    hosted = Chain([(name, by) for (name, _, _), by in zip(chosen, multipliers, strict=True)])
    compiled = Chain([(name, by) for (_, name, _), by in zip(chosen, multipliers, strict=True)])
    nova = [(weigher, by) for (_, _, weigher), by in zip(chosen, multipliers, strict=True)]

    order, weight_of = nova_ranking(nova, specs, sees_spots=True)
    assert hosted.rank(hosts, NO_SPOT).tolist() == order
    assert compiled.rank(hosts, NO_SPOT).tolist() == order
    rows, _, weighed = hosted.weigh(hosts, NO_SPOT)
    assert [weight_of[row] for row in rows.tolist()] == weighed.tolist()  # to the bit

    order, _ = nova_ranking(nova, specs, sees_spots=False)
    assert hosted.rank(hosts, NOTHING).tolist() == order


def test_an_overcommitted_host_counts_as_full() -> None:
    # Spots use 20 of 16 MiB beside 4 used by VMs: -8 free, which Nova clamps to minval = 0.
    hosts = HostTable(
        [HostSpec("a", (8, 16), vm_used=(0, 4), spot_used=(0, 16)), HostSpec("b", (8, 9))]
    )
    weigher = NovaWeigher(ram.RAMWeigher)
    candidates = np.array([1, 0], dtype=np.uint32)
    assert weigher.weigh_all(hosts, candidates, NO_SPOT).tolist() == [9, 0]
    assert weigher.weigh_all(hosts, candidates, NOTHING).tolist() == [9, 12]
    assert weigher.minval() == 0
    assert weigher.maxval() is None


def test_what_is_seen_can_be_chosen() -> None:
    hosts = HostTable([HostSpec("a", (8, 16), vm_used=(1, 1), spot_used=(2, 2), num_spots=1)])
    first = np.zeros(1, dtype=np.uint32)
    free = {
        sees: [
            NovaWeigher(ram.RAMWeigher, sees=sees).weigh_all(hosts, first, request)[0]
            for request in (NOTHING, NO_SPOT)
        ]
        for sees in ("requested", "vms", "all")
    }
    assert free == {"requested": [15, 13], "vms": [15, 15], "all": [13, 13]}


def test_objects_follow_every_table() -> None:
    # Two tables by turns: each has changed as often as the other, only the amounts tell.
    one = HostTable([HostSpec("a", (8, 16)), HostSpec("b", (8, 16), vm_used=(0, 5))])
    two = HostTable([HostSpec("a", (8, 16), vm_used=(0, 7)), HostSpec("b", (8, 16))])
    three = HostTable.uniform(3, (8, 16))
    weigher = NovaWeigher(ram.RAMWeigher)
    for _ in range(2):
        for hosts, expected in ((one, [16, 11]), (two, [9, 16]), (three, [16, 16, 16])):
            rows = np.arange(len(hosts), dtype=np.uint32)
            assert weigher.weigh_all(hosts, rows, NOTHING).tolist() == expected


def test_the_multiplier_given_wins_over_the_class() -> None:
    assert NovaWeigher(ram.RAMWeigher).default_multiplier() == 1
    assert NovaWeigher(io_ops.IoOpsWeigher).default_multiplier() == -1
    assert NovaWeigher(ram.RAMWeigher, ram_weight_multiplier=-4).default_multiplier() == -4
    assert NovaWeigher(ram.RAMWeigher).default_multiplier() == 1  # the option was the other's
    assert Chain([IO_OPS, (IO_OPS, 3.0)]).weighers == ((IO_OPS, -1.0), (IO_OPS, 3.0))


def test_options_belong_to_one_policy() -> None:
    # 2 instances at most passes hosts with 0 and 1; the default of 50 passes all.
    hosts = HostTable([HostSpec(f"h{count}", (8, 16), num_vms=count) for count in (0, 1, 2, 3)])
    rows = np.arange(4, dtype=np.uint32)
    few = NovaFilter(num_instances_filter.NumInstancesFilter, max_instances_per_host=2)
    many = NovaFilter(num_instances_filter.NumInstancesFilter)
    for _ in range(2):
        assert few.filter_all(hosts, rows, NOTHING).tolist() == [True, True, False, False]
        assert many.filter_all(hosts, rows, NOTHING).all()


@pytest.mark.parametrize(
    ("name", "options", "text"),
    [
        (
            RAM,
            {"ram": 1},
            r"RAMWeigher: unknown option 'ram'; valid names: sees, .*ram_weight_mult",
        ),
        (RAM, {"nope.ram": 1}, "unknown option 'nope.ram'"),
        (RAM, {"ram_weight_multiplier": "much"}, "'ram_weight_multiplier' is 'much': "),
        (RAM, {"sees": "spots"}, "'sees' is 'spots', expected one of: requested, vms, all"),
        ("nova:nova.scheduler.weights.rum.RAMWeigher", {}, "no Python module 'nova.scheduler.weig"),
        ("nova:nova.scheduler.weights.ram.Ram", {}, "has no class 'Ram'; its classes: RAMWeigher"),
        ("nova:nova.weights.BaseWeigher", {}, "is abstract: it has no _weigh_object"),
        (
            "nova:nova.filters.BaseFilter",
            {},
            "is no weigher of Nova: expected a subclass of nova.w",
        ),
        ("nova:Ram", {}, "'Ram' is no class: expected MODULE.CLASS"),
    ],
)
def test_mistakes_are_named(name: str, options: dict[str, Any], text: str) -> None:
    with pytest.raises(cospot.ConfigError, match=text):
        nova_policy_maker("weigher", name.removeprefix("nova:"), options)()


def test_nova_has_no_evictors() -> None:
    with pytest.raises(cospot.ConfigError, match="Nova has no evictors"):
        nova_policy_maker("evictor", "nova.scheduler.weights.ram.RAMWeigher", {})


def path_of(found: type[Any]) -> str:
    return f"{found.__module__}.{found.__name__}"


@pytest.mark.parametrize("path", [path_of(found) for found in weights.all_weighers()])
def test_every_weigher_of_this_nova_runs(path: str) -> None:
    hosts = HostTable([HostSpec("a", (8, 16), vm_used=(1, 1)), HostSpec("b", (8, 16))])
    rows = np.arange(2, dtype=np.uint32)
    weigher = nova_policy_maker("weigher", path, {})()
    assert isinstance(weigher, NovaWeigher)
    assert np.isfinite(weigher.weigh_all(hosts, rows, Request(1, 1))).all()
    assert np.isfinite(weigher.default_multiplier())


@pytest.mark.parametrize("path", [path_of(found) for found in filters.all_filters()])
def test_every_filter_of_this_nova_passes_plain_hosts(path: str) -> None:
    hosts = HostTable.uniform(3, (8, 16))
    passes = Chain(["UTIL"], filters=[f"nova:{path}"]).rank(hosts, Request(1, 1))
    assert passes.tolist() == [0, 1, 2]


def test_threads_do_not_meet(workload: cospot.Workload) -> None:
    """Runs with other options and other sights at the same time are as if alone."""

    def run(vm: Any) -> Any:
        result = cospot.simulate(
            workload, hosts=36, host=(10400, 2250), vm=vm, spot=RAM, evictor="FIFO", otn=2
        )
        return result.spot_revenue, result.vm_rejected, result.evictions

    chains = [Chain([(RAM, -1.0)]), Chain([(CPU, -1.0), (RAM, -0.5)])]
    alone = [run(chain) for chain in chains]
    together: list[Any] = [None, None]

    def keep(position: int) -> None:
        together[position] = run(chains[position])

    threads = [threading.Thread(target=keep, args=(position,)) for position in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone
    assert alone[0] != alone[1]
