"""The handshake step by step: Datacenter, Offer, Choice."""

from __future__ import annotations

import pickle
import random

import cospot
import pytest
from cospot import Chain, Choice, Datacenter, HostTable, Offer, Request


def spot(instance: int, vcpus: int, time_us: int = 0) -> Request:
    return Request(vcpus, vcpus, spot=True, instance=instance, time_us=time_us)


def full_of_spots() -> Datacenter:
    """Two hosts of 8: host 0 has spots of 2, 2 and 4; host 1 has a VM of 2 and a spot of 6."""
    datacenter = Datacenter(HostTable.uniform(2, (8, 8)))
    for instance, vcpus in ((1, 2), (2, 2), (3, 4)):
        datacenter.add_spot(0, spot(instance, vcpus, time_us=instance))
    datacenter.add_vm(1, Request(2, 2, instance=10))
    datacenter.add_spot(1, spot(4, 6, time_us=4))
    return datacenter


def test_a_vm_displaces_the_cheapest_spots() -> None:
    datacenter = full_of_spots()
    request = Request(3, 3, instance=20, time_us=100)
    offer = cospot.make_offer(Chain(["UTIL"]), datacenter.hosts, request, otn=2)
    # Host 1 has more VM use, so it ranks first; generations count the changes.
    assert offer.hosts == ((1, 2), (0, 3)) and len(offer) == 2 and offer.request == request
    choice = cospot.choose(offer, "FIFO", datacenter)
    assert choice is not None
    # FIFO on host 1 evicts one spot, on host 0 two (2 + 2 >= 3).
    assert (choice.host, choice.generation, choice.victims, choice.score) == (1, 2, (4,), 1.0)
    assert datacenter.commit(choice, request)
    assert datacenter.spots_on(1) == [] and datacenter.host_of(4) is None
    assert datacenter.host_of(20) == 1
    assert datacenter.hosts.vcpus_free.tolist() == [0, 3]
    assert not datacenter.commit(choice, Request(1, 1, instance=21))  # the host has changed


def test_an_offer_takes_every_rule() -> None:
    datacenter = full_of_spots()  # 8 + 8 vCPUs, of which VMs use 2: a load of 0.125
    chain, request = Chain(["UTIL"]), Request(3, 3, instance=20)
    for otn, expected in (
        ("epsilon-0.99", 1),
        ({"epsilon": 1}, 2),
        ("adaptive:at_low_load=2:at_high_load=1:from=0.125:to=0.125", 1),
        ("adaptive:at_low_load=2:at_high_load=1:from=0.13:to=0.13", 2),
    ):
        assert len(cospot.make_offer(chain, datacenter.hosts, request, otn)) == expected, otn


def test_a_stale_choice_is_declined() -> None:
    datacenter = full_of_spots()
    request = Request(3, 3, instance=20)
    offer = cospot.make_offer(Chain(["UTIL"]), datacenter.hosts, request, otn=1)
    choice = cospot.choose(offer, cospot.make_evictor("FIFO"), datacenter)
    assert choice is not None
    datacenter.remove(10)
    before = datacenter.hosts.vcpus_free.tolist()
    assert not datacenter.commit(choice, request)
    assert datacenter.hosts.vcpus_free.tolist() == before
    assert datacenter.host_of(20) is None


def test_the_two_sides_exchange_values() -> None:
    datacenter = full_of_spots()
    offer = cospot.make_offer(Chain(["UTIL"]), datacenter.hosts, Request(3, 3, instance=9), otn=2)
    sent = pickle.loads(pickle.dumps(offer))
    assert sent.hosts == offer.hosts and sent.request == offer.request
    choice = cospot.choose(sent, "FIFO", datacenter)
    assert choice is not None
    answer = pickle.loads(pickle.dumps(choice))
    assert (answer.host, answer.victims, answer.score) == (1, (4,), 1.0)
    assert datacenter.commit(answer, offer.request)


def test_no_host_no_choice() -> None:
    datacenter = full_of_spots()
    chain = Chain(["UTIL"])
    nothing = cospot.make_offer(chain, datacenter.hosts, Request(9, 1, instance=9), otn=4)
    assert nothing.hosts == () and cospot.choose(nothing, "FIFO", datacenter) is None
    assert cospot.choose(Offer(Request(9, 1), [(0, 3)]), "LPO", datacenter) is None
    with pytest.raises(IndexError, match="the offer has host 7, but there are 2 hosts"):
        cospot.choose(Offer(Request(1, 1), [(7, 0)]), "FIFO", datacenter)
    with pytest.raises(cospot.ConfigError, match="otn is 0, expected a whole number from 1"):
        cospot.make_offer(chain, datacenter.hosts, Request(1, 1), otn=0)
    with pytest.raises(cospot.ConfigError, match="for a spot, expected a VM"):
        cospot.make_offer(chain, datacenter.hosts, spot(1, 1), otn=1)


def test_what_a_datacenter_refuses() -> None:
    datacenter = full_of_spots()
    with pytest.raises(cospot.ConfigError, match="instance 10 runs on host 1 already"):
        datacenter.add_vm(0, Request(1, 1, instance=10))
    with pytest.raises(cospot.ConfigError, match="room for 6 vcpus, .* beside its VMs, but"):
        datacenter.add_vm(1, Request(7, 1, instance=30))
    with pytest.raises(cospot.ConfigError, match="room for 0 vcpus, .* beside its VMs and spots"):
        datacenter.add_spot(0, spot(30, 1))
    with pytest.raises(cospot.ConfigError, match="for a VM, expected a spot"):
        datacenter.add_spot(0, Request(1, 1, instance=30))
    with pytest.raises(cospot.ConfigError, match="instance 99 does not run"):
        datacenter.remove(99)
    with pytest.raises(cospot.ConfigError, match="instance 10 is a VM, expected a spot"):
        datacenter.evict(10)
    with pytest.raises(IndexError, match="host is 2, but there are 2 hosts"):
        datacenter.spots_on(2)
    generation = int(datacenter.hosts.generation[0])
    for victims, text in (
        ([1], "does not free enough"),
        ([4], "victim 4 is no spot on host 0"),
        ([10], "victim 10 is no spot on host 0"),
    ):
        with pytest.raises(cospot.PolicyError, match=text):
            datacenter.commit(Choice(0, generation, victims, 1.0), Request(3, 3, instance=31))
    with pytest.raises(cospot.ConfigError, match="victims: the instance 1 comes twice"):
        Choice(0, generation, [1, 1], 1.0)
    assert datacenter.hosts.num_spots.tolist() == [3, 1]


def test_a_datacenter_is_apart_from_its_table() -> None:
    table = HostTable.uniform(2, (8, 8))
    datacenter = Datacenter(table)
    datacenter.add_vm(0, Request(1, 1, instance=1))
    assert table.num_vms.tolist() == [0, 0] and datacenter.hosts.num_vms.tolist() == [1, 0]
    assert [s.instance for s in full_of_spots().spots_on(0)] == [1, 2, 3]


@pytest.mark.parametrize("policy", ["UTIL", "COS", "DPD", "sDPD", "vmaCOS"])
@pytest.mark.parametrize("saf", [False, True])
def test_a_kept_ranking_follows_the_datacenter(policy: str, saf: bool) -> None:
    """A chain that ranked the same hosts before gives what a new one, which scans them, gives."""
    draw = random.Random(7)
    datacenter = Datacenter(HostTable.uniform(100, (16, 64)))
    other = Datacenter(HostTable.uniform(100, (16, 64)))
    kept = Chain([policy])
    running: list[int] = []
    for instance in range(1, 1200):
        request = Request(draw.randint(1, 6), draw.randint(1, 30), instance=instance)
        asked = Request(request.vcpus, request.memory_mb, spot=True, instance=instance)
        for wanted in (request, asked):
            expected = Chain([policy]).rank(datacenter.hosts, wanted, top=8, saf=saf).tolist()
            assert kept.rank(datacenter.hosts, wanted, top=8, saf=saf).tolist() == expected
        if instance % 300 == 0:
            assert len(kept.rank(other.hosts, request, top=8)) == 8
        offer = cospot.make_offer(kept, datacenter.hosts, request, otn=4, saf=saf)
        spot_hosts = kept.rank(datacenter.hosts, asked, top=1)
        if draw.random() < 0.4 and len(spot_hosts) == 1:
            datacenter.add_spot(int(spot_hosts[0]), asked)
            running.append(instance)
        else:
            choice = cospot.choose(offer, "FIFO", datacenter)
            if choice is not None:
                assert datacenter.commit(choice, request)
                running = [i for i in [*running, instance] if i not in choice.victims]
        if len(running) > 250 or (running and draw.random() < 0.2):
            datacenter.remove(running.pop(draw.randrange(len(running))))
    assert len(running) > 100
