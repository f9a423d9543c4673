"""New spots are kept out of the capacity that is reserved for VMs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from cospot.nova.scheduler import host_mirror
from nova import objects
from scheduler_cases import (
    SPOT,
    VM,
    Plugin,
    again,
    make_flavor,
    make_instance,
    make_spec,
    make_state,
    names,
)

SetOption = Callable[..., None]
GOLD = "11111111-2222-3333-4444-555555555555"


def restricted(flavor: Any) -> Any:
    """Return a flavor with a trait that not all hosts have."""
    given = flavor.obj_clone()
    given.extra_specs = {**flavor.extra_specs, "trait:CUSTOM_GOLD": "required"}
    return given


class Case:
    """Hosts a, b, ... of 16 vCPUs, with so many spots of 4 on each; they are in no aggregate."""

    def __init__(self, *spots: int) -> None:
        self.states = [
            make_state(name, instances=[make_instance(SPOT) for _ in range(count)])
            for name, count in zip("abcd", spots, strict=False)
        ]
        self.put_in()
        self.plugin = Plugin(self.states)

    def put_in(self, hosts: str = "", **fields: Any) -> None:
        for state in self.states:
            is_in = state.host in hosts
            state.aggregates = [objects.Aggregate(**fields)] if is_in else []

    def place(self, flavor: Any = SPOT, only: str = "abcd", **fields: Any) -> list[str]:
        seen = [state for state in again(self.states) if state.host in only]
        return sorted(names(self.plugin.hosts(seen, make_spec(flavor, **fields))))


def test_a_spot_gets_no_host_on_which_the_reserve_would_lack_it(set_option, caplog):
    """Free for VMs of 8: 1 on a (12 of 16), 2 on b; of the 3 a spot of 4 may take one."""
    caplog.set_level(logging.INFO)
    set_option(default_reserve="8:0:2")
    case = Case(1, 0)
    assert case.place() == ["a", "b"]  # and is sent to a: 8 are left there, still one of 8
    assert case.place() == ["a", "b"]  # of the 3 one may go
    assert case.place() != []
    set_option(default_reserve="8:0:4")
    case = Case(1, 0)
    case.states[0].instances = {}  # a VM of 4 instead
    # 12 on a: with 4 less it is one all the same, so a takes nothing from the reserve.
    assert case.place() == ["a"]
    assert case.place() == []
    assert "on none of 2 it would leave reserve default alone" in caplog.text
    # One of 1 vCPU leaves no host the VMs of 8 that it has room for.
    assert case.place(make_flavor(1, 64, spot=True)) == []
    assert case.place(VM) != []  # VMs are what it is for


@pytest.mark.parametrize("size", [1, 4])
def test_while_the_reserve_lacks_a_vm_no_spot_gets_what_its_notices_free(set_option, size):
    """A VM of 12 lacks capacity, and host a, with spots of 4 and 4, is half free: 8.

    One of them goes for it. A spot that came into the 8 meanwhile would have to go too.
    """
    spot = make_flavor(size, 64, spot=True)
    set_option(default_reserve="12:0:1")
    case = Case(2)
    assert case.place(spot) == []
    case.states[0].instances.clear()  # the other 8 are VMs': no notice helps the reserve there
    assert case.place(spot) == ["a"]
    # Where another host is the reserve, nothing is to be freed.
    assert Case(2, 0).place(spot, only="ab")[0] == "a"


def test_without_a_reserve_spots_go_anywhere(set_option):
    assert Case(1, 0).place() == ["a", "b"]


def test_memory_counts_too(set_option):
    set_option(default_reserve="0:32768")
    case = Case(0, 1)
    assert case.place() == ["b"]  # a alone has 32 GiB
    assert case.place(make_flavor(4, 0, spot=True)) == ["a", "b"]


@pytest.mark.parametrize("reserve", ["gold:16:0", f"{GOLD}:16:0"])
def test_each_aggregate_has_its_own(set_option, reserve):
    set_option(reserve=[reserve], default_reserve="16:0")
    case = Case(0, 0, 0)
    case.put_in("b", name="gold", uuid=GOLD)
    # b is the only one of gold; of a and c one may be taken.
    assert case.place() == ["a", "c"]
    assert case.place() == [name for name in case.place() if name in "ac"]
    case = Case(0, 0, 0)
    case.put_in("bc", name="gold", uuid=GOLD)
    assert case.place() == ["b", "c"]


def test_hosts_that_the_request_cannot_have_count(set_option):
    """The free host a is enough for the reserve, also for a spot that asks for the zone of b."""
    set_option(default_reserve="16:0")
    case = Case(0, 0)
    assert case.place(only="b", availability_zone="of b") == []  # a was never seen
    case.place(VM)
    case = Case(0, 0)
    case.plugin.hosts(again(case.states), make_spec(make_flavor(1, 64)))
    assert case.place(only="b", availability_zone="of b") == ["b"] or case.place(
        only="a", availability_zone="of a"
    ) == ["a"]


def test_what_was_sent_to_a_host_that_the_request_cannot_have_counts(set_option):
    """The VM takes all of b: of 4 pieces of 8 the 2 of a are left, and 3 are reserved."""
    set_option(default_reserve="8:0:3")
    case = Case(0, 0)
    assert case.place(make_flavor(16, 1024), only="b") == ["b"]
    assert case.place(only="a") == []


@pytest.mark.parametrize("next_flavor", [SPOT, make_flavor(1, 64, spot=True)])
def test_hosts_that_filled_up_do_not_count(set_option, next_flavor):
    """Placement leaves out a host that is full: what was free on it before is no reserve.

    Free are two VMs of 8 on each of two hosts.
    """
    set_option(default_reserve="8:0:2")
    case = Case(0, 0)
    _, free = names(case.plugin.hosts(again(case.states), make_spec(SPOT)))  # sent to the other
    # Spots of other schedulers fill that one up. The capacity left on the other is the reserve.
    assert case.place(next_flavor, only=free) == []
    # It has 12 left again, so of the three one may be taken.
    case.plugin.hosts(again(case.states), make_spec(VM))
    assert case.place(only=free, availability_zone="of free") == [free]


@pytest.mark.parametrize(
    "own_reason",
    [
        {"availability_zone": "of one"}, {"ignore_hosts": ["b"]}, {"force_hosts": ["a"]},
        {"scheduler_hints": {"different_host": ["x"]}},
        {"instance_group": objects.InstanceGroup(policy="anti-affinity")},
        {"requested_destination": objects.Destination(host="a", node="a")},
        {"image": objects.ImageMeta(id=GOLD, properties=objects.ImageMetaProps())},
        {"flavor": restricted(SPOT)},
    ],
    ids=lambda fields: next(iter(fields)),
)  # fmt: skip
def test_hosts_that_a_request_does_not_want_are_not_full(set_option, own_reason):
    """Of three free hosts one gets a spot, and one is the reserve also if it is not asked for."""
    set_option(default_reserve="16:0")
    case = Case(0, 0, 0)
    last = names(case.plugin.hosts(again(case.states), make_spec(SPOT)))[-1]
    assert case.place(own_reason.pop("flavor", SPOT), only=last, **own_reason) == [last]


def test_hosts_that_are_too_small_are_not_full(set_option):
    """Host a, with 3 vCPUs left, has the reserve of 2. It cannot take a spot of 16."""
    set_option(default_reserve="2:0")
    case = Case(3, 0)
    assert case.place(make_flavor(1, 64, spot=True), only="a") == ["a"]
    assert case.place(make_flavor(16, 64, spot=True), only="b") == ["b"]


def test_hosts_that_were_not_seen_for_long_do_not_count(set_option, monkeypatch, clock):
    """A compute that was disabled is let through by Nova's filters no more."""
    set_option(default_reserve="16:0")
    clock.now = 1000.0
    monkeypatch.setattr(host_mirror.time, "monotonic", clock)
    case = Case(0, 0)
    case.plugin.hosts(again(case.states), make_spec(make_flavor(16, 64)))
    # The VM of 16 is on one of them by now; which does not matter after a minute.
    case = Case(0, 0)
    case.place(only="a", availability_zone="of a")
    clock.now += 1
    assert case.place(only="b", availability_zone="of b") == ["b"]
    case = Case(0, 0)
    case.place(only="a", availability_zone="of a")
    clock.now += 301
    assert case.place(only="b", availability_zone="of b") == []


def test_the_promise_of_a_spot_that_gets_no_host_is_told_to_nobody(set_option):
    set_option(default_reserve="16:0:2")
    case = Case(0, 0)
    assert case.place(scheduler_hints={"cospot:lifetime": ["1h"]}) == []
    assert case.plugin.plans() == []


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"reserve": ["gold"]}, "[cospot] reserve: 'gold', expected aggregate:vcpus"),
        ({"default_reserve": "some"}, "[cospot] default_reserve: 'some', expected vcpus"),
        ({"reserve": ["a:1:1", "a:2:2"]}, "[cospot] reserve: aggregate a is named twice"),
    ],
)
def test_what_is_no_reserve_is_said_at_the_start(set_option, caplog, options, text):
    set_option(**options)
    case = Case(0)
    assert text in caplog.text
    assert case.place() == []
    assert case.place(VM) == ["a"]
