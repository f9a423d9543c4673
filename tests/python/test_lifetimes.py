"""Lifetimes estimated from a history: the same numbers in Python as in the study."""

from __future__ import annotations

import cospot
import pytest

SECOND = 1_000_000


def one_host() -> cospot.History:
    """A VM fills half of a host of 4 vcpus, every 1,000 s for 500 s."""
    history = cospot.History([(4, 4)])
    for tide in range(200):
        start = tide * 1000 * SECOND
        history.place(cospot.Request(3, 1, instance=tide, time_us=start + 500 * SECOND), 0)
        history.end(tide, start + 1000 * SECOND)
    return history


def test_what_is_promised() -> None:
    history = one_host()
    assert len(history) == 400
    quantiles = cospot.estimate_lifetimes(
        history, [(2, 1)], [0.5, 0.1], now_us=200_000 * SECOND, samples=20_000
    )
    # Of 4 vcpus 2 slots of 2 are free for 500 s at a time, from a random point for u ~ U(0, 500).
    median, tenth = (quantiles.promised((2, 1), 2, p) for p in (0.5, 0.1))
    assert median == pytest.approx(250 * SECOND, rel=0.05)
    assert tenth == pytest.approx(50 * SECOND, rel=0.15)
    assert quantiles.promised((2, 1), 0, 0.1) is None
    assert quantiles.promised((1, 1), 2, 0.1) is None  # another size
    assert quantiles.probabilities == [0.5, 0.1]
    counts = quantiles.samples((2, 1))
    assert counts[0] == counts[1] == 0
    assert counts[2] == pytest.approx(10_000, rel=0.05)  # half of the time
    assert quantiles.samples((1, 1)) == []


def test_spots_without_a_promise_make_others_live_longer() -> None:
    """An old spot of 2 of 4 vcpus; a VM of 2 comes at 100 s beside what started in between."""
    for until, lifetime in (
        (cospot.NEVER_US, 50.0),
        (101 * SECOND, 50.0),
        (100 * SECOND, None),
        (None, None),
    ):
        history = cospot.History([(4, 4)])
        spot = cospot.Request(2, 1, spot=True, instance=1, time_us=0)
        history.place(spot, 0, promised_until_us=until)
        history.place(cospot.Request(2, 1, instance=2, time_us=100 * SECOND), 0)
        quantiles = cospot.estimate_lifetimes(
            history, [(2, 1)], [0.5], now_us=100 * SECOND, samples=20_000
        )
        found = quantiles.promised((2, 1), 1, 0.5)
        if lifetime is None:
            assert found == cospot.NEVER_US
        else:
            assert found is not None and found / SECOND == pytest.approx(lifetime, rel=0.05)


def test_nobody_was_evicted() -> None:
    quantiles = cospot.estimate_lifetimes(cospot.History([(4, 4)]), [(1, 1)], [0.1], now_us=SECOND)
    assert quantiles.promised((1, 1), 4, 0.1) == cospot.NEVER_US


def test_bad_input() -> None:
    history = one_host()
    with pytest.raises(cospot.InputError, match="back in time"):
        history.place(cospot.Request(1, 1, instance=999, time_us=0), 0)
    with pytest.raises(cospot.InputError, match="does not run"):
        history.evict(999, 300_000 * SECOND)
    with pytest.raises(cospot.InputError, match="without hosts"):
        cospot.History([])
    with pytest.raises(cospot.InputError, match="too short"):
        cospot.estimate_lifetimes(history, [(1, 1)], [0.1], now_us=0)
    with pytest.raises(cospot.ConfigError, match="between 0 and 1"):
        cospot.estimate_lifetimes(history, [(1, 1)], [1.5], now_us=SECOND)
    with pytest.raises(cospot.ConfigError, match="youngest, first_host, fewest"):
        cospot.estimate_lifetimes(history, [(1, 1)], [0.1], now_us=SECOND, victim="oldest")
    quantiles = cospot.estimate_lifetimes(history, [(1, 1)], [0.1], now_us=SECOND)
    with pytest.raises(cospot.ConfigError, match="no quantiles were made"):
        quantiles.promised((1, 1), 1, 0.2)


def test_the_interval_of_an_eviction_probability() -> None:
    # None of n: 1 - 0.025^(1/n) is at most 0.1 from ln 0.025 / ln 0.9 = 35.01 on.
    assert cospot.observations_needed(0.1) == 36
    assert cospot.observations_needed(0.1, 0.1) is None
    lower, upper = cospot.eviction_interval(20, 4)
    assert (lower, upper) == pytest.approx((0.0573, 0.4366), abs=1e-4)  # Clopper and Pearson
    with pytest.raises(cospot.ConfigError, match="at most promised"):
        cospot.eviction_interval(4, 20)
