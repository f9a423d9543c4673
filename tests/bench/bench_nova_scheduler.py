"""Times cospot's filter and weigher beside Nova's default ones, on the same HostState objects.

Prints one Markdown table; see docs/nova/tested.md. Needs OpenStack Nova, and numbers mean
something only on a quiet machine. No database, no message bus and no placement take part.
With --at-least a ratio that is too small makes the exit code 1, once it was so in three tries.

Usage: PYTHONPATH=build/release/python /usr/bin/python3 tests/bench/bench_nova_scheduler.py
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python" / "nova"))

import nova.monkey_patch  # noqa: F401  threads are green, as they are in nova-scheduler
from cospot.nova.scheduler.list_check import ListCheck
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
ROUNDS = 5
NOVA = ("filters", "weighers")
COSPOT = ("filter", "weigher")
#: What hosts report: what they list, or lastingly more (an unconfirmed resize, say).
KINDS = {"what they list": False, "more": True}
TRIES = 3


def make_cloud(hosts: int, *, report_more: bool) -> list[Any]:
    """Hosts of 64 vCPUs with 8 VMs and 12 spots each, about two thirds full."""
    vm, spot = make_flavor(2, 8192), make_flavor(2, 8192, spot=True)
    states = []
    for i in range(hosts):
        # All hosts different, as they are after a while.
        other = make_flavor(1 + i % 16, 1024 * (1 + i % 31))
        flavors = ([] if report_more else [other]) + [vm] * 8 + [spot] * (INSTANCES - 8)
        name = f"compute-{i:05d}"
        instances = [
            make_instance(flavor, minute=k, host=name, node=name)
            for k, flavor in enumerate(flavors)
        ]
        total = (64, 262144 + RESERVED_MB, 4000)
        state = make_state(name, total, instances, unlisted=[other] if report_more else [])
        state.cell_uuid = "cell1"
        complete_for_nova(state)
        states.append(state)
    return states


class Database:
    """Nova's: it agrees with what the scheduler lists."""

    def __init__(self, states: Iterable[Any]) -> None:
        self._states = {state.host: state for state in states}
        self.answered: set[str] = set()

    def __call__(self, cell: str, hosts: list[str]) -> list[Any]:
        self.answered.update(hosts)
        return [one for host in hosts for one in self._states[host].instances.values()]


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
        instance = make_instance(flavor, minute=step, host=state.host, node=state.nodename)
        state.instances[instance.uuid] = instance


class Cloud:
    """The hosts, what Nova does with a request, and what cospot adds."""

    def __init__(self, hosts: int, *, report_more: bool) -> None:
        self.states = make_cloud(hosts, report_more=report_more)
        self._run_filters, self._run_weighers = novas_own()
        self._now = 0.0
        self._database = Database(self.states)
        self._asking_now = 0.0
        lists = ListCheck(self._database, clock=lambda: self._asking_now)
        self._plugin = Plugin(self.states, lists=lists, clock=lambda: self._now)
        self._filter = filters.HostFilterHandler().get_filtered_objects
        self._weigh = weights.HostWeightHandler().get_weighed_objects
        self._report_more = report_more

    def settle(self) -> None:
        """Make requests until the database was asked about each host that reports more."""
        self._asking_now += 10.0
        while self._report_more and len(self._database.answered) < len(self.states):
            seen = [seen_again(state) for state in self.states]
            self._plugin.filter.filter_all(seen, make_request())

    def nova(self) -> tuple[float, float]:
        """Return what Nova's own filters and weighers take for a request, milliseconds."""
        spec, seen = make_request(), [seen_again(state) for state in self.states]
        filtering, passed = timed(self._run_filters, seen, spec)
        assert len(passed) == len(self.states)
        return filtering, timed(self._run_weighers, passed, spec)[0]

    def cospot(self) -> tuple[float, float]:
        """Return what cospot's filter and weigher take after Nova's filters, milliseconds."""
        self._now += 100.0  # nothing is placed here, so the decisions before do not count
        spec, seen = make_request(), [seen_again(state) for state in self.states]
        passed = self._run_filters(seen, spec)
        filtering, passed = timed(self._filter, [self._plugin.filter], passed, spec)
        weighing, weighed = timed(self._weigh, [self._plugin.weigher], passed, spec)
        assert len(weighed) == len(self.states)
        time.sleep(0)  # its thread sends the plan now, not at the next request
        self._plugin.plans()
        return filtering, weighing


def measure(cloud: Cloud, repeats: int, changed: Sequence[int]) -> tuple[list[str], float]:
    """Return the cells of a row, and how often cospot's time goes into Nova's."""
    first = sum(cloud.cospot())
    cloud.settle()
    gc.collect()
    times: dict[str, list[float]] = {name: [] for name in (*NOVA, *COSPOT)}
    # A scheduler has either: so requests of a kind follow one another, and the kinds take turns.
    for _ in range(ROUNDS):
        for call, names in ((cloud.nova, NOVA), (cloud.cospot, COSPOT)):
            call()
            for _ in range(-(-repeats // ROUNDS)):
                for name, took in zip(names, call(), strict=True):
                    times[name].append(took)
    after = []
    for count in changed:
        took_each = []
        for step in range(repeats):
            change(cloud.states, min(count, len(cloud.states)), step)
            took_each.append(sum(cloud.cospot()))
        after.append(f"{statistics.median(took_each):.2f}")
    median = {name: statistics.median(each) for name, each in times.items()}
    nova_total = sum(median[name] for name in NOVA)
    added = sum(median[name] for name in COSPOT)
    cells = [
        *(f"{median[name]:.2f}" for name in NOVA),
        f"{nova_total:.2f}",
        *(f"{median[name]:.2f}" for name in COSPOT),
        f"{added:.2f}",
        f"{nova_total / added:.1f}",
        *after,
        f"{first:.0f}",
    ]
    return cells, nova_total / added


def print_row(cells: Iterable[str]) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", type=int, nargs="+", default=[100, 1000, 10000])
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--changed", type=int, nargs="*", default=[10, 100])
    parser.add_argument("--at-least", type=float, default=0.0, metavar="RATIO")
    arguments = parser.parse_args()
    columns = ["hosts", "that report", "Nova filters", "Nova weighers", "Nova"]
    columns += ["cospot filter", "cospot weigher", "cospot", "Nova / cospot"]
    columns += [f"{count} hosts changed" for count in arguments.changed]
    columns.append("first request")
    print_row(columns)
    print("|" + "---|" * len(columns))
    too_slow = 0
    for hosts in arguments.hosts:
        for kind, report_more in KINDS.items():
            for _ in range(TRIES):
                cloud = Cloud(hosts, report_more=report_more)
                cells, ratio = measure(cloud, arguments.repeats, arguments.changed)
                print_row([f"{hosts:,}", kind, *cells])
                if ratio >= arguments.at_least:
                    break
            else:
                too_slow += 1
    if too_slow > 0:
        print(f"{too_slow} ratios are below {arguments.at_least:g}", file=sys.stderr)
    return 1 if too_slow > 0 else 0


if __name__ == "__main__":
    sys.exit(main())
