"""Every decision of the plugin is the one that the compiled chains make on the same hosts."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import cospot
import pytest
from scheduler_cases import (
    RESERVED_MB,
    Plugin,
    make_flavor,
    make_instance,
    make_spec,
    make_state,
    names,
    seen_again,
)

SIZES = [(1, 1024), (1, 3072), (2, 2048), (2, 8192), (4, 4096), (4, 16384), (8, 8192)]
TOTALS = [(8, 16384), (16, 32768), (16, 65536), (48, 49152)]
FOLLOWS_LOAD = "adaptive:at_low_load=20:at_high_load=2:from=0.1:to=0.7"


@dataclass
class Case:
    """The same random hosts for Nova and for the compiled chains, hosts by name."""

    states: list[Any]
    datacenter: cospot.Datacenter
    uuid_of: dict[int, str]


def random_case(seed: int, hosts: int, most: int) -> Case:
    """Hosts of several sizes and CPU ratios with up to `most` VMs and spots each."""
    draw = random.Random(seed)
    totals = [draw.choice(TOTALS) for _ in range(hosts)]
    ratios = [draw.choice([1.0, 1.0, 2.0, 1.5]) for _ in range(hosts)]
    host_names = [f"compute-{i:03d}" for i in range(hosts)]
    datacenter = cospot.Datacenter(
        [
            cospot.HostSpec(name, (int(vcpus * ratio), memory_mb))
            for name, (vcpus, memory_mb), ratio in zip(host_names, totals, ratios, strict=True)
        ]
    )
    placed: list[list[Any]] = [[] for _ in range(hosts)]
    uuid_of: dict[int, str] = {}
    spots: list[tuple[int, Any]] = []
    room = [
        [int(vcpus * ratio), memory] for (vcpus, memory), ratio in zip(totals, ratios, strict=True)
    ]
    for host in range(hosts):
        for _ in range(draw.randrange(most + 1)):
            vcpus, memory_mb = draw.choice(SIZES)
            if vcpus > room[host][0] or memory_mb > room[host][1]:
                continue
            room[host][0] -= vcpus
            room[host][1] -= memory_mb
            is_spot = draw.random() < 0.6
            # Several launched in one second, so that ties are there to be broken.
            minute = draw.randrange(5)
            flavor = make_flavor(vcpus, memory_mb, spot=is_spot)
            instance = make_instance(flavor, minute=minute)
            placed[host].append(instance)
            if is_spot:
                spots.append((host, instance))
            else:
                number = len(uuid_of)
                uuid_of[number] = instance.uuid
                datacenter.add_vm(host, cospot.Request(vcpus, memory_mb, instance=number))
    for host, spot in sorted(spots, key=lambda at: (at[1].launched_at, at[1].uuid)):
        number = len(uuid_of)
        uuid_of[number] = spot.uuid
        size = (spot.flavor.vcpus, spot.flavor.memory_mb)
        datacenter.add_spot(host, cospot.Request(*size, instance=number, spot=True))
    states = [
        make_state(name, (vcpus, memory_mb + RESERVED_MB, 1000), instances, cpu_ratio=ratio)
        for name, (vcpus, memory_mb), instances, ratio in zip(
            host_names, totals, placed, ratios, strict=True
        )
    ]
    draw.shuffle(states)
    return Case(states, datacenter, uuid_of)


def expected_vm(
    case: Case, size: tuple[int, int], vm: str, evictor: str, otn: int | str, saf: bool
) -> tuple[list[str], list[str]]:
    """The order of the hosts, and the victims on the first one, from the compiled handshake."""
    request = cospot.Request(*size, time_us=10**12)
    chain = cospot.Chain([vm])
    hosts = case.datacenter.hosts
    order = [hosts.names[row] for row in chain.rank(hosts, request, saf=saf)]
    offer = cospot.make_offer(chain, hosts, request, otn, saf=saf)
    choice = cospot.choose(offer, evictor, case.datacenter)
    victims: list[str] = []
    if choice is not None:
        chosen = hosts.names[choice.host]
        order.remove(chosen)
        order.insert(0, chosen)
        victims = [case.uuid_of[victim] for victim in choice.victims]
    without_room = sorted(set(hosts.names) - set(order))
    return order + without_room, victims


@pytest.mark.parametrize("evictor", ["FIFO", "YJF"])
@pytest.mark.parametrize("otn", [1, 8, "epsilon-0.5", FOLLOWS_LOAD])
@pytest.mark.parametrize("saf", [False, True])
@pytest.mark.parametrize("vm", ["UTIL", "COS", "DPD"])
def test_a_vm_goes_where_the_compiled_handshake_says(vm, saf, otn, evictor, set_option):
    set_option(vm_policy=vm, saf=saf, otn=otn, evictor=evictor)
    evictions = moved_by_the_offer = 0
    for seed in range(3):
        case = random_case(seed, hosts=30, most=80)
        for size in SIZES[2:]:
            spec = make_spec(make_flavor(*size))
            order, victims = expected_vm(case, size, vm, evictor, otn, saf)
            # Each request on the same hosts as if the one before had not been made.
            plugin = Plugin(case.states)
            found = plugin.hosts([seen_again(state) for state in case.states], spec)
            assert names(found) == order
            plans = plugin.plans()
            assert (plans[-1]["hosts"][0]["victims"] if plans else []) == victims
            if plans:
                assert plans[-1]["hosts"][0]["host"] == order[0]
                assert plans[-1]["instance"] == spec.instance_uuid
            evictions += bool(victims)
            first = expected_vm(case, size, vm, evictor, 1, saf)[0][0]
            moved_by_the_offer += first != order[0]
    # The cases are worth something.
    if not saf:
        assert evictions > 2
        assert (moved_by_the_offer > 0) == (otn != 1)


@pytest.mark.parametrize("spot", ["sUTIL", "sCOS", "sDPD", "vmaCOS", "FirstFit"])
def test_a_spot_goes_where_the_compiled_chain_says(spot, set_option):
    set_option(spot_policy=spot)
    rejected = 0
    for seed in range(8):
        case = random_case(seed, hosts=5, most=60)
        for size in SIZES:
            request = cospot.Request(*size, spot=True)
            hosts = case.datacenter.hosts
            expected = [hosts.names[row] for row in cospot.Chain([spot]).rank(hosts, request)]
            plugin = Plugin(case.states)
            spec = make_spec(make_flavor(*size, spot=True))
            found = plugin.hosts([seen_again(state) for state in case.states], spec)
            assert names(found) == expected
            assert plugin.plans() == []
            rejected += not expected
    assert rejected > 0


def test_the_plan_covers_the_first_hosts_with_their_own_victims(set_option):
    set_option(plan_hosts=3)
    case = random_case(3, hosts=20, most=60)
    plugin = Plugin(case.states)
    spec = make_spec(make_flavor(4, 16384))
    found = plugin.hosts(case.states, spec)
    (plan,) = plugin.plans()
    assert [host["host"] for host in plan["hosts"]] == names(found)[:3]
    request = cospot.Request(4, 16384, time_us=10**12)
    hosts = case.datacenter.hosts
    for planned in plan["hosts"]:
        row = hosts.names.index(planned["host"])
        offer = cospot.Offer(request, [(row, int(hosts.generation[row]))])
        choice = cospot.choose(offer, "FIFO", case.datacenter)
        assert choice is not None
        assert planned["victims"] == [case.uuid_of[victim] for victim in choice.victims]
        assert planned["score"] == choice.score
        assert planned["provider"] == next(s.uuid for s in found if s.host == planned["host"])
    assert plan["policy"] == {
        "vm": "COS",
        "spot": "sCOS",
        "evictor": "FIFO",
        "otn": "1",
        "saf": "false",
    }
