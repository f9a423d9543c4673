"""Random clouds, random and forged plans: only spots are evicted, only as needed, and enough."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass

from evictor_running import Running, plan_message, running_alone, send
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from programs import at_once

NEVER_S = 1e6  # a deletion that takes this long is under way until the test is over


@dataclass
class Case:
    hosts: list[tuple[int, int]]  # vCPUs, MiB
    instances: list[tuple[int, int, int, bool]]  # host, vCPUs, MiB, is it a spot
    leaving: set[int]
    plans: list[tuple[int, list[tuple[int, list[int]]], float]]  # for whom, victims by host, age
    policy: str
    freeing_takes: float


@st.composite
def cases(draw: st.DrawFn) -> Case:
    hosts = draw(
        st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12)), min_size=1, max_size=3)
    )
    instance = st.tuples(
        st.integers(0, len(hosts) - 1), st.integers(1, 6), st.integers(1, 6), st.booleans()
    )
    instances = draw(st.lists(instance, max_size=10))
    # One more than there are: a plan may name what is not there at all.
    somebody = st.integers(0, len(instances))
    victims = st.lists(somebody, max_size=5)
    hosts_of_plan = st.lists(st.tuples(st.integers(0, len(hosts) - 1), victims), max_size=3)
    plan = st.tuples(somebody, hosts_of_plan, st.sampled_from([0.0, 20.0, 1000.0, -1000.0]))
    return Case(
        hosts,
        instances,
        draw(st.sets(somebody, max_size=2)),
        draw(st.lists(plan, max_size=4)),
        draw(st.sampled_from(["FIFO", "YJF"])),
        draw(st.sampled_from([0.0, NEVER_S])),
    )


class Built:
    """A case as a cloud and a service, which is not started: the test does the iterations."""

    def __init__(self, case: Case, running: Running) -> None:
        self.cloud = running.cloud
        self.cloud.freeing_takes = case.freeing_takes
        self.hosts = [
            self.cloud.add_host(f"host-{number}", vcpus, memory_mb)
            for number, (vcpus, memory_mb) in enumerate(case.hosts)
        ]
        self.instances = [
            self.cloud.add(self.hosts[host], vcpus, memory_mb, spot=is_spot)
            for host, vcpus, memory_mb, is_spot in case.instances
        ]
        self.vms = {
            each for each, (*_, is_spot) in zip(self.instances, case.instances, strict=True)
            if not is_spot
        }  # fmt: skip
        for number in case.leaving:
            if number < len(self.instances) and self.instances[number] not in self.vms:
                left = {"task_state": "deleting", "updated": time.time()}
                self.cloud.set(self.instances[number], **left)
        self.service = running.make(evictor=case.policy, evict_if_insufficient=True)
        for instance, hosts, age in case.plans:
            victims = {
                self.hosts[host]: [self._name(each) for each in named] for host, named in hosts
            }
            send(self.service, plan_message(self._name(instance), victims, time.time() - age))

    def _name(self, number: int) -> str:
        return (
            self.instances[number] if number < len(self.instances) else str(uuid.UUID(int=number))
        )

    def free_all(self) -> None:
        for host in self.hosts:
            self.service._reconciler.free_host(host, "reconcile")

    def check(self) -> None:
        assert self.cloud.violations == []
        assert self.vms <= self.cloud.there
        assert sorted(self.cloud.orders) == sorted(set(self.cloud.orders))
        for host in self.hosts:
            # Were it still short, no spot could be left to evict.
            left = [
                each
                for each in self.cloud.hosts[host].consumers
                if self.cloud.is_spot(each) and self.cloud.instances[each].task_state != "deleting"
            ]
            assert not self.cloud.over(host, leaving=False) or not left


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases())
def test_only_what_is_needed_goes_and_all_of_it(case: Case) -> None:
    with running_alone() as running:
        built = Built(case, running)
        built.free_all()
        built.check()
        orders = list(built.cloud.orders)
        built.free_all()
        assert built.cloud.orders == orders  # a second iteration finds nothing to do
        assert [each["instance"] for each in running.events("intent")] == orders


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.integers(0, 6),
    st.lists(st.tuples(st.integers(1, 4), st.booleans()), max_size=5),
    st.lists(st.integers(1, 4), min_size=1, max_size=6),
    st.sampled_from(["FIFO", "YJF"]),
)
def test_spots_alone_evict_nothing_older_than_themselves(
    free: int, old: list[tuple[int, bool]], new: list[int], policy: str
) -> None:
    with running_alone() as running:
        cloud = running.cloud
        host = cloud.add_host("a", free + sum(vcpus for vcpus, _ in old), 64)
        there = {cloud.add(host, vcpus, 1, spot=is_spot) for vcpus, is_spot in old}
        service = running.unstarted(evictor=policy, overcommit_grace=3600)
        for vcpus in new:
            cloud.add(host, vcpus, 1, spot=True)
        service._reconciler.free_host(host, "reconcile")
        assert there <= cloud.there and cloud.violations == []
        assert cloud.over(host) == {}
        # Placed one after the other, each is evicted or stays as it fits.
        level, stays = 0, 0
        for vcpus in new:
            if level + vcpus <= free:
                level, stays = level + vcpus, stays + 1
        assert len(cloud.there) == len(there) + stays


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases())
def test_passes_at_once_do_what_one_does(case: Case) -> None:
    with running_alone() as running:
        built = Built(case, running)
        at_once(built.free_all, 3)
        built.check()
