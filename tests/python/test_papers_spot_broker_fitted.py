"""examples/papers/spot_broker/fitted.py: parameters by hand, and prices that have them."""

from __future__ import annotations

import itertools
import json
from datetime import timedelta
from pathlib import Path

import pytest
from spot_broker import fitted
from spot_broker.fitted import Fit
from spot_broker.prices import FITTING, Price

Captured = pytest.CaptureFixture[str]


def prices_of(usd: list[float], minutes: int = 60) -> list[Price]:
    """A price every so many minutes from the begin of the fitting period, then none."""
    return [Price(FITTING.begin + timedelta(minutes=minutes * i), p) for i, p in enumerate(usd)]


def test_parameters_by_hand() -> None:
    # m1.small costs 0.085: the median 0.034 is 0.4 of it, so rises are above 0.5, 0.0425 USD.
    # One lasts two hours and goes to 0.102 / 0.085 = 1.2; the last one was not seen to end.
    one = fitted.fit("m1.small", prices_of([0.034, 0.034, 0.051, 0.102, 0.034, 0.034, 0.068]))
    assert (one.rises, one.floor, one.top) == ([(120, 1.2)], 0.4, 0.4)
    # After six hours nothing is known: a gap of more than a day, to the end.
    assert (one.observed_days, one.change_minutes) == (0.25, round(6 * 60 / 7, 1))


def test_no_rise_is_measured_across_a_gap() -> None:
    assert not fitted.fit("m1.small", prices_of([0.034, 0.051, *[0.034] * 3], 25 * 60)).rises


def test_prices_after_the_fitting_period_change_no_parameter() -> None:
    known = prices_of([0.034, 0.051, 0.034])
    assert fitted.fit("m1.small", known) == fitted.fit("m1.small", [*known, Price(FITTING.end, 1)])


def test_prices_have_the_parameters() -> None:
    one = Fit("m1.small", 100, 0.3, 0.4, 60, [(120, 2.0)] * 200)
    ((_, zone, changes), *others) = fitted.make([one], seed=1)
    assert (zone, len(others), changes[0][0]) == ("us-east-1a", 3, 0)
    assert all(b > a and q != p for (a, p), (b, q) in itertools.pairwise(changes))
    # 0.3 and 0.4 of 0.085 are 0.0255 and 0.034; prices are multiples of 0.001.
    assert {usd for _, usd in changes} <= {x / 1000 for x in range(25, 35)} | {0.17}
    # After 2 hours of rise, 12 hours pass on average: 100 * 24 / 14 = 171 rises; 3 sigma of them
    # are at most 3 * sqrt(200) = 42.
    assert abs(sum(usd == 0.17 for _, usd in changes) - 171) <= 42
    for (begin, usd), (end, _) in itertools.pairwise(changes):
        assert usd != 0.17 or abs(end - begin - 7200) <= 1


def test_the_parameters_of_the_study_make_markets_in_four_zones(tmp_path: Path) -> None:
    assert fitted.main(["-o", str(tmp_path / "prices.json")]) == 0
    text = (tmp_path / "prices.json").read_text()
    history = json.loads(text)["SpotPriceHistory"]
    assert len({(one["InstanceType"], one["AvailabilityZone"]) for one in history}) == 5 * 4
    assert text == fitted.ec2_json(fitted.read_fits(), seed=1)


def test_files_that_are_missing_are_told(tmp_path: Path, capsys: Captured) -> None:
    assert fitted.main(["--fit", str(tmp_path), "-o", str(tmp_path / "fitted.json")]) == 2
    assert "us-east-1.linux.m1.small.csv: No such file" in capsys.readouterr().err
