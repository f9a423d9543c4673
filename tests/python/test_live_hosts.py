"""LiveHosts ranks as Chain and choose do; ChangeWatch finds what shows something new."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import cospot
import numpy as np
import pytest
from cospot._core import ChangeWatch, LiveHosts


def three_hosts() -> LiveHosts:
    hosts = LiveHosts(["a", "b", "c"])
    hosts.set_host(0, (8, 8000), (2, 1000), [(4, 4000, 0, 0), (2, 2000, 0, 5)], num_vms=1)
    hosts.set_host(1, (8, 8000), (4, 1000), [(4, 1000, 0, 7)], num_vms=2)
    hosts.set_host(2, (4, 4000), (5, 1000))  # holds more than it has
    return hosts


def test_hosts_have_no_room_until_they_are_set() -> None:
    hosts = LiveHosts(["a", "b"])
    assert len(hosts) == 2
    request = cospot.Request(1, 1)
    assert hosts.rank(cospot.Chain(["UTIL"]), [0, 1], request)[0].tolist() == []
    assert hosts.choose(cospot.make_evictor("FIFO"), [0, 1], request) is None


def test_only_candidates_are_ranked_in_any_order_they_come() -> None:
    hosts = three_hosts()
    chain, request = cospot.Chain(["UTIL"]), cospot.Request(3, 3000)
    assert hosts.rank(chain, [2, 0, 1], request)[0].tolist() == [1, 0]
    assert hosts.rank(chain, [0], request)[0].tolist() == [0]
    assert hosts.rank(chain, np.array([], dtype=np.uint32), request)[0].tolist() == []
    # Beside its spots a has room for nothing, b neither.
    assert hosts.has_room([0, 1, 2], request, False).tolist() == [True, True, False]
    assert hosts.has_room([0, 1, 2], request, True).tolist() == [False, False, False]
    assert hosts.has_room([0], cospot.Request(0, 1000), True).tolist() == [True]


def test_saf_ranks_hosts_without_evictions_first() -> None:
    hosts = three_hosts()
    chain, request = cospot.Chain(["UTIL"]), cospot.Request(0, 2000)
    assert hosts.rank(chain, [0, 1], request, saf=True)[0].tolist() == [1, 0]
    hosts.set_host(1, (8, 8000), (4, 1000), [(4, 6000, 0, 7)], num_vms=2)
    hosts.set_host(0, (8, 8000), (2, 1000), num_vms=1)
    assert hosts.rank(chain, [0, 1], request, saf=True)[0].tolist() == [0, 1]


def test_the_cheapest_offered_host_wins_and_ties_go_to_the_better_rank() -> None:
    hosts = three_hosts()
    fifo = cospot.make_evictor("FIFO")
    # 6 vCPUs are free on a when both spots go; on b 4 when its one does.
    assert hosts.choose(fifo, [0, 1], cospot.Request(4, 100)) == (0, (0,), 1.0)
    assert hosts.choose(fifo, [1, 0], cospot.Request(4, 100)) == (1, (0,), 1.0)
    assert hosts.choose(fifo, [0, 1], cospot.Request(4, 6500)) == (1, (0,), 1.0)
    assert hosts.choose(fifo, [0], cospot.Request(6, 100)) == (0, (0, 1), 2.0)
    assert hosts.choose(fifo, [2], cospot.Request(1, 1)) is None
    yjf = cospot.make_evictor("YJF")
    assert hosts.choose(yjf, [0], cospot.Request(2, 100)) == (0, (1,), 1.0)


def test_an_offer_is_the_first_hosts_of_the_ranking() -> None:
    hosts = three_hosts()
    weights, tiers = np.array([10.0, 9, 7, 2]), np.array([1, 1, 1, 0])

    def offered(otn: Any) -> int:
        return hosts.num_offered(otn, tiers, weights)

    assert [offered(otn) for otn in (1, 2, "9")] == [1, 2, 4]
    # The spread is 8; the first hosts are 0, 1 and 3 below the best, the last in another tier.
    epsilons = (0, 0.12, 0.125, 0.37, 0.375, 1)
    assert [offered({"epsilon": each}) for each in epsilons] == [1, 1, 2, 2, 3, 3]
    # VMs use (2 + 4 + 5) of 8 + 8 + 4 vCPUs, 0.55, and less of the memory.
    # 3/8 of the way from 0.4 to 0.8: floor(4 - 3 * 3/8 + 1/2) = 3 hosts.
    label = "adaptive:at_low_load=4:at_high_load=1"
    assert offered(f"{label}:from=0.4:to=0.8") == 3
    assert (offered(f"{label}:from=0.55:to=0.55"), offered(f"{label}:from=0.56:to=0.56")) == (1, 4)
    weights = tiers = np.array([])
    assert (offered("epsilon-1"), offered(3)) == (0, 0)


def test_promised_spots_go_last_and_hosts_without_broken_promises_first() -> None:
    hosts = three_hosts()
    fifo, request = cospot.make_evictor("FIFO"), cospot.Request(4, 100, time_us=100)
    # Without promises the spot of 4 goes on a; with one, that of 2 on a is not enough for 5.
    hosts.set_host(0, (8, 8000), (2, 1000), [(4, 4000, 0, 0, 101), (2, 2000, 0, 5, None)])
    assert hosts.choose(fifo, [0], cospot.Request(2, 100, time_us=100)) == (0, (1,), 1.0)
    assert hosts.choose(fifo, [0, 1], request) == (1, (0,), 1.0)
    assert hosts.choose(fifo, [0], request) == (0, (0,), 0.0)
    assert hosts.choose(fifo, [0, 1], cospot.Request(4, 100, time_us=101)) == (0, (0,), 1.0)
    with pytest.raises(TypeError, match=r"placed_at_us\[, promised_until_us\]"):
        hosts.set_host(0, (8, 8000), (2, 1000), [(4, 4000, 0)])


def test_the_view_shows_what_was_set() -> None:
    view = three_hosts().hosts
    assert view.names == ["a", "b", "c"]
    assert view.vcpus_free_ignoring_spots.tolist() == [6, 4, -1]
    assert view.memory_mb_free.tolist() == [1000, 6000, 3000]
    assert view.num_spots.tolist() == [2, 1, 0]


def test_bad_hosts_are_refused_and_nothing_changes() -> None:
    hosts = three_hosts()
    with pytest.raises(cospot.ConfigError, match="total vcpus is 0"):
        hosts.set_host(0, (0, 8000), (0, 0))
    with pytest.raises(cospot.ConfigError, match="host 'a': its spots hold 134217728"):
        hosts.set_host(0, (1, 1), (0, 0), [(1 << 26, 0, 0, 0)] * 2)
    with pytest.raises(TypeError, match=r"spots\[1\]: expected a tuple"):
        hosts.set_host(0, (1, 1), (0, 0), [(1, 1, 0, 0), (1, 1)])  # type: ignore[list-item]
    with pytest.raises(IndexError, match="row is 3, but there are 3 hosts"):
        hosts.set_host(3, (1, 1), (0, 0))
    with pytest.raises(cospot.ConfigError, match="rows: a host is there twice"):
        hosts.rank(cospot.Chain(["UTIL"]), [1, 1], cospot.Request(1, 1))
    with pytest.raises(IndexError):
        hosts.choose(cospot.make_evictor("FIFO"), [3], cospot.Request(1, 1))
    assert hosts.hosts.generation.tolist() == [1, 1, 1]


def thing(key: str | None, value: Any, **contents: Any) -> Any:
    return SimpleNamespace(key=key, value=value, contents=contents)


def test_what_is_new_or_shows_something_else_is_found() -> None:
    watch = ChangeWatch("key", ["value"], "contents")
    one, other = object(), object()
    first = [thing("a", 1, x=one), thing(None, 1), thing("b", 1000, x=one)]
    numbers, changed = watch.look(first)
    assert (numbers.tolist(), changed) == ([0, -1, 1], [0, 2])
    assert len(watch) == 2
    # Other objects that show the same, in another order.
    numbers, changed = watch.look([thing("b", 500 + 500, x=one), thing("a", 1, x=one)])
    assert (numbers.tolist(), changed) == ([1, 0], [])
    assert watch.look([thing("a", 2, x=one)])[1] == [0]
    assert watch.look([thing("a", 2, x=other)])[1] == [0]
    assert watch.look([thing("a", 2, x=other, y=one)])[1] == [0]
    assert watch.look([thing("a", 2, x=other)])[1] == [0]
    assert watch.look([thing("a", 2, z=other)])[1] == []  # the values count, not their names
    watch.forget(0)
    assert watch.look([thing("b", 1000, x=one)])[1] == []
    assert watch.look([thing("a", 2, x=other)])[1] == [0]
    assert watch.look([thing("a", 2, x=other)])[1] == []


def test_a_dict_that_is_kept_is_looked_into_when_it_changes() -> None:
    """Nova's scheduler shows the very dict of a host in every request, and changes it."""
    watch = ChangeWatch("key", ["value"], "contents")
    kept = {"x": object()}

    def is_new() -> bool:
        return watch.look([SimpleNamespace(key="a", value=1, contents=kept)])[1] == [0]

    assert is_new()
    assert not is_new()
    kept["x"] = object()
    assert is_new()
    kept["y"] = object()
    assert is_new()
    assert not is_new()
    del kept["x"]
    assert is_new()
    # Another dict with the same contents, then the kept one, changed meanwhile.
    assert watch.look([thing("a", 1, **kept)])[1] == []
    kept["z"] = object()
    assert is_new()
    kept["z"] = kept.pop("z")
    assert not is_new()
    watch.forget(0)
    assert is_new()


def test_a_look_that_fails_is_made_good_by_the_next() -> None:
    watch = ChangeWatch("key", ["value"], "contents")

    class Odd:
        def __eq__(self, other: object) -> bool:
            raise ValueError("cannot be compared")

        __hash__ = None  # type: ignore[assignment]

    watch.look([thing("a", 1)])
    with pytest.raises(ValueError, match="cannot be compared"):
        watch.look([thing("a", Odd())])
    assert watch.look([thing("a", 1)])[1] == [0]
    with pytest.raises(AttributeError):
        watch.look([SimpleNamespace(key="a")])
    with pytest.raises(TypeError, match="expected a dict"):
        watch.look([SimpleNamespace(key="c", value=1, contents=[1])])
    with pytest.raises(cospot.ConfigError, match="number is 9"):
        watch.forget(9)
