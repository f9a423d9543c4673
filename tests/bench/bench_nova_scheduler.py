"""Times cospot's filter and weigher beside Nova's default ones, on the same HostState objects.

Prints one Markdown table; see docs/nova/performance.md. Needs OpenStack Nova, and numbers mean
something only on a quiet machine. No database, no message bus and no placement take part.

Usage: PYTHONPATH=build/release/python /usr/bin/python3 tests/bench/bench_nova_scheduler.py
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python" / "nova"))

import nova.monkey_patch  # noqa: F401  threads are green, as they are in nova-scheduler
from nova import objects
from nova.scheduler import filters, weights
from scheduler_cases import (
    CONF,
    RESERVED_MB,
    Plugin,
    make_flavor,
    make_instance,
    make_spec,
    make_state,
    seen_again,
)

INSTANCES = 20  # a host
VM_FLAVOR = (4, 16384)


def make_cloud(hosts: int) -> list[Any]:
    """Hosts of 64 vCPUs with 8 VMs and 12 spots each, about two thirds full."""
    vm, spot = make_flavor(2, 8192), make_flavor(2, 8192, spot=True)
    states = []
    for i in range(hosts):
        instances = [
            make_instance(vm if k < 8 else spot, minute=k, host=f"compute-{i:05d}")
            for k in range(INSTANCES)
        ]
        # All hosts different, as they are after a while.
        extra = [make_flavor(1 + i % 16, 1024 * (1 + i % 31))]
        state = make_state(
            f"compute-{i:05d}", (64, 262144 + RESERVED_MB, 4000), instances, unlisted=extra
        )
        complete_for_nova(state)
        states.append(state)
    return states


def complete_for_nova(state: Any) -> None:
    """What Nova's own filters and weighers read beside the amounts."""
    state.service = _UpService(host=state.host, disabled=False, binary="nova-compute")
    state.hypervisor_type, state.hypervisor_version = "QEMU", 7_002_000
    state.cpu_info = "{}"
    state.supported_instances = [["x86_64", "qemu", "hvm"]]
    state.stats = {"failed_builds": "0"}
    state.metrics = objects.MonitorMetricList(objects=[])
    state.pci_stats = None


class _UpService(dict[str, Any]):
    """The record of a compute service that reports just now whenever it is asked."""

    def get(self, key: str, default: Any = None) -> Any:
        from oslo_utils import timeutils

        return timeutils.utcnow() if key == "last_seen_up" else super().get(key, default)


def make_request() -> Any:
    return make_spec(
        make_flavor(*VM_FLAVOR),
        ignore_hosts=None,
        force_hosts=None,
        force_nodes=None,
        availability_zone=None,
        pci_requests=objects.InstancePCIRequests(requests=[]),
        limits=objects.SchedulerLimits(),
    )


def default_classes(handler: Any, names: Sequence[str]) -> list[Any]:
    return [cls() for cls in handler.get_matching_classes(names)]


def novas_own() -> tuple[Callable[[list[Any], Any], Any], Callable[[list[Any], Any], Any]]:
    """Nova's default filters, and all its weighers."""
    handler = filters.HostFilterHandler()
    by_name = {cls.__name__: cls for cls in handler.get_matching_classes(all_filters())}
    enabled = [by_name[name]() for name in CONF.filter_scheduler.enabled_filters]
    weight_handler = weights.HostWeightHandler()
    weighers = default_classes(weight_handler, ["nova.scheduler.weights.all_weighers"])

    def run_filters(states: list[Any], spec: Any) -> list[Any]:
        passed: list[Any] = handler.get_filtered_objects(enabled, states, spec)
        return passed

    def run_weighers(states: list[Any], spec: Any) -> list[Any]:
        weighed: list[Any] = weight_handler.get_weighed_objects(weighers, states, spec)
        return weighed

    return run_filters, run_weighers


def all_filters() -> list[str]:
    return ["nova.scheduler.filters.all_filters"]


def timed(call: Callable[..., list[Any]], *arguments: Any) -> tuple[float, list[Any]]:
    """The milliseconds of CPU time that a call took, and what it returned."""
    # A busy machine changes CPU time less than wall time; nothing here waits.
    start = time.thread_time()
    returned = call(*arguments)
    return (time.thread_time() - start) * 1000, returned


def change(states: list[Any], count: int, step: int) -> None:
    """Makes hosts report a new spot where they had another one."""
    flavor = make_flavor(2, 8192, spot=True)
    for i in range(count):
        state = states[(i * 97 + step) % len(states)]
        state.instances.popitem()
        instance = make_instance(flavor, minute=step)
        state.instances[instance.uuid] = instance


def measure(hosts: int, repeats: int, changed: Sequence[int]) -> list[str]:
    states = make_cloud(hosts)
    run_filters, run_weighers = novas_own()
    now = [0.0]
    plugin = Plugin(states, clock=lambda: now[0])
    filter_hosts = filters.HostFilterHandler().get_filtered_objects
    weigh_hosts = weights.HostWeightHandler().get_weighed_objects

    def ours() -> tuple[float, float]:
        now[0] += 100.0  # nothing is placed here, so the decisions before do not count
        spec, seen = make_request(), [seen_again(state) for state in states]
        filtering, passed = timed(filter_hosts, [plugin.filter], seen, spec)
        weighing, weighed = timed(weigh_hosts, [plugin.weigher], passed, spec)
        assert len(weighed) == hosts
        plugin.plans()  # its thread sends the plan now, not at the next step
        return filtering, weighing

    first = sum(ours())
    cells: dict[str, list[float]] = {"filters": [], "weighers": [], "filter": [], "weigher": []}
    after: dict[int, list[float]] = {count: [] for count in changed}
    gc.collect()
    for step in range(repeats):
        spec, seen = make_request(), [seen_again(state) for state in states]
        filtering, passed = timed(run_filters, seen, spec)
        assert len(passed) == hosts
        cells["filters"].append(filtering)
        cells["weighers"].append(timed(run_weighers, passed, spec)[0])
        filtering, weighing = ours()
        cells["filter"].append(filtering)
        cells["weigher"].append(weighing)
        for count in changed:
            change(states, min(count, hosts), step)
            after[count].append(sum(ours()))
    median = {name: statistics.median(times) for name, times in cells.items()}
    nova_total = median["filters"] + median["weighers"]
    added = median["filter"] + median["weigher"]
    return [
        f"{hosts:,}",
        f"{median['filters']:.2f}",
        f"{median['weighers']:.2f}",
        f"{nova_total:.2f}",
        f"{median['filter']:.2f}",
        f"{median['weigher']:.2f}",
        f"{added:.2f}",
        f"{nova_total / added:.1f}",
        *(f"{statistics.median(after[count]):.2f}" for count in changed),
        f"{first:.0f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", type=int, nargs="+", default=[100, 1000, 10000])
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--changed", type=int, nargs="+", default=[10, 100])
    arguments = parser.parse_args()
    columns = ["hosts", "Nova filters", "Nova weighers", "Nova", "cospot filter", "cospot weigher"]
    columns += ["cospot", "Nova / cospot"]
    columns += [f"{count} hosts changed" for count in arguments.changed]
    columns.append("first request")
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for hosts in arguments.hosts:
        cells = measure(hosts, arguments.repeats, arguments.changed)
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
