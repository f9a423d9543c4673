"""A spot that was promised a lifetime goes only where all others of its host do not suffice."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from cospot.nova.evictor.model import Server
from cospot.nova.evictor.snapshot import Spot
from cospot.nova.evictor.victims import SpotChooser, missing, needed
from cospot.nova.promises.promise_message import EVENT_TYPE, Promise, promise_to_message
from evictor_running import events, plan_message, running_alone, send
from waiting import wait_until

HOUR = 3600.0
NOW = 1_700_000_000.0


def promise(service: Any, spots: Iterable[str], lifetime_s: float = HOUR) -> None:
    """Have the service told of promises that were given just now."""
    for spot in spots:
        made = Promise(spot, time.time() - 1, lifetime_s, 0.05)
        send(service, promise_to_message(made), EVENT_TYPE)


@pytest.fixture
def still(running):
    """A cloud and what makes a service that is not started."""
    running.cloud.freeing_takes = 0.0
    return running.cloud, running.unstarted


@pytest.mark.parametrize("policy", ["FIFO", "YJF"])
@pytest.mark.parametrize("promised_first", [False, True])
def test_the_other_one_goes(still, policy, promised_first):
    """YJF took the younger one though it was promised to live, FIFO the older one."""
    cloud, make = still
    host = cloud.add_host("a", 4)
    spots = [cloud.add(host, 2, 1, spot=True) for _ in range(2)]
    service = make(evictor=policy)
    kept = spots[0] if promised_first else spots[1]
    promise(service, [kept])
    vm = cloud.add(host, 2, 1, spot=False)
    # Nor does a plan of a scheduler that does not know of the promise change anything.
    send(service, plan_message(vm, {host: [kept]}))
    service._reconciler.free_host(host, "plan")
    assert cloud.deleted == [spot for spot in spots if spot != kept]


@pytest.mark.parametrize(
    ("sizes", "policy", "promised", "lifetime_s", "vm", "gone"),
    [
        # A second after it was given a promise of a hundred years holds, of half a second none.
        ((2, 2), "YJF", [1], 100 * 365 * 86400.0, 2, [0]),
        ((2, 2), "YJF", [1], 0.5, 2, [1]),
        # 4 vCPUs: beside 1 without a promise the spot of 3; the others do without them.
        ((1, 1, 3, 3), "YJF", [1, 2, 3], HOUR, 4, [0, 3]),
        # 5 of 2 + 6: the large one has to go anyway, and then nobody else need go.
        ((2, 6), "FIFO", [1], HOUR, 5, [1]),
    ],
)
def test_promised_ones_go_last_if_at_all(still, sizes, policy, promised, lifetime_s, vm, gone):
    """Spots of these vCPUs fill a host, on which a VM comes."""
    cloud, make = still
    host = cloud.add_host("a", sum(sizes))
    spots = [cloud.add(host, size, 1, spot=True) for size in sizes]
    service = make(evictor=policy)
    promise(service, [spots[each] for each in promised], lifetime_s)
    cloud.add(host, vm, 1, spot=False)
    service._reconciler.free_host(host, "reconcile")
    assert cloud.deleted == [spots[each] for each in gone]


def test_of_a_race_the_promised_one_stays_where_an_older_one_does(still):
    cloud, make = still
    host = cloud.add_host("a", 4)
    old = cloud.add(host, 4, 1, spot=True)
    service = make(evictor="YJF")
    late = cloud.add(host, 4, 1, spot=True)
    promise(service, [late])
    service._reconciler.free_host(host, "reconcile")
    assert cloud.deleted == [old]
    [intent] = events(Path(service.context.settings.state_path).parent, "intent")
    assert (intent["why"], intent["chosen_by"]) == ("spot-race", "newest")


def test_a_capacity_that_shrinks_takes_promised_ones_last(still):
    cloud, make = still
    host = cloud.add_host("a", 6)
    first, second, third = (cloud.add(host, 2, 1, spot=True) for _ in range(3))
    service = make()
    promise(service, [third])
    cloud.change(host, vcpus=4)
    service._reconciler.free_host(host, "reconcile")
    assert cloud.deleted == [second]
    cloud.change(host, vcpus=1)
    service._reconciler.free_host(host, "reconcile")
    assert cloud.deleted == [second, first, third]


def test_a_reserve_takes_the_host_on_which_no_promise_is_broken(running):
    """One spot of 4 on b would do; it was promised to live, so two of 2 on a get the notice."""
    _, small = running.full_host(4)
    _, large = running.full_host(2, "b")
    service = running.start()
    promise(service, large)
    running.services.pop().stop()
    running.start(mode="proactive", default_reserve="4:0", notice_seconds=600)
    wait_until(lambda: len(running.events("notice")) >= 2, "the notices")
    running.reconciles()
    assert {each["instance"] for each in running.events("notice")} == set(small[:2])


def a_spot(number: int, amounts: dict[str, int]) -> Spot:
    server = cast(Server, type("Server", (), {"uuid": f"s{number}", "placed_at": NOW + number}))
    return Spot(server, amounts)


def fewest_promised(spots: Sequence[Spot], promised: set[str], short: dict[str, int]) -> int | None:
    """How many promised ones have to go at least, by trying all sets; None: none suffices."""
    found = []
    for count in range(len(spots) + 1):
        for chosen in itertools.combinations(spots, count):
            if not missing(short, chosen):
                found.append(sum(spot.uuid in promised for spot in chosen))
    return min(found, default=None)


@pytest.mark.parametrize("policy", ["FIFO", "YJF"])
def test_in_random_clouds_no_promise_is_broken_that_need_not_be(policy):
    """The iterations of the service on a host, against all sets of its spots."""
    draw = random.Random(f"promised {policy}")
    broken = spared = 0
    for _ in range(60):
        with running_alone() as running:
            cloud = running.cloud
            host = cloud.add_host("a", 12, 12)
            sizes = []
            while sum(size[0] for size in sizes) < 10 and len(sizes) < 7:
                sizes.append((draw.randint(1, 4), draw.randint(1, 3)))
            room = 12 - sum(vcpus for vcpus, _ in sizes)
            if room < 0:
                sizes.pop()
            spots = [cloud.add(host, *size, spot=True) for size in sizes]
            service = running.unstarted(evictor=policy, evictions_per_host=0)
            promised = {spot for spot in spots if draw.random() < 0.5}
            promise(service, promised)
            vm = cloud.add(host, draw.randint(1, 12), draw.randint(1, 12), spot=False)
            if draw.random() < 0.5:
                victims = draw.sample(spots, draw.randint(0, len(spots)))
                send(service, plan_message(vm, {host: victims}))
            short = {each: int(amount) for each, amount in cloud.over(host).items()}
            all_spots = [
                a_spot(number, {"VCPU": size[0], "MEMORY_MB": size[1]})
                for number, size in enumerate(sizes)
            ]
            by_uuid = dict(zip(spots, all_spots, strict=True))
            names = {by_uuid[each].uuid for each in promised}
            service._reconciler.free_host(host, "plan")
            assert cloud.over(host) == {} and cloud.violations == []
            gone = [by_uuid[each] for each in cloud.deleted]
            gone_promised = [spot for spot in gone if spot.uuid in names]
            least = fewest_promised(all_spots, names, short)
            assert (least == 0) == (not gone_promised)
            # None of them could have stayed, whoever else had gone.
            others = [spot for spot in all_spots if spot.uuid not in names]
            for spot in gone_promised:
                rest = [each for each in gone_promised if each is not spot]
                assert missing(short, [*others, *rest])
            broken += bool(gone_promised)
            spared += not gone_promised and bool(gone) and bool(promised)
    assert broken > 10 and spared > 10


def test_spots_that_the_others_do_without_are_left_out():
    spots = [a_spot(number, {"VCPU": vcpus}) for number, vcpus in enumerate((1, 2, 3))]
    assert needed(spots, {"VCPU": 3}) == [spots[2]]
    assert needed(spots, {"VCPU": 4}) in ([spots[0], spots[2]], [spots[1], spots[2]])
    assert needed(spots, {"VCPU": 6}) == spots
    assert needed(spots, {"VCPU": 7}) is None
    assert needed(spots, {"DISK_GB": 1}) is None


def test_the_order_where_no_policy_chooses():
    """The newest first; those promised last, and none at all where a promised one does alone."""
    until = {"p1": time.time() + HOUR, "p2": time.time() + HOUR}
    chooser = SpotChooser("FIFO", "", lambda spot: until.get(spot, 0.0))
    frees = {"a": {"VCPU": 1}, "p1": {"VCPU": 4}, "b": {"VCPU": 2}, "p2": {"VCPU": 1}}
    newest = ["p1", "a", "b", "p2"]
    assert chooser.promised_last(newest, frees, {"VCPU": 3}) == ("a", "b", "p1", "p2")
    assert chooser.promised_last(newest, frees, {"VCPU": 4}) == ("p1", "a", "b", "p2")
    assert chooser.promised_last(newest, frees, {"VCPU": 6}) == ("a", "b", "p1", "p2")
    assert chooser.promised_last(["b", "a"], frees, {"VCPU": 9}) == ("b", "a")
