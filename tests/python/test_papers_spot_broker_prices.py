"""examples/papers/spot_broker/prices.py: SpotSim's files as price files of the project."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import pytest
from spot_broker import prices
from spot_broker.prices import Period, Price, PriceError


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=timezone.utc)


PERIOD = Period(at("2010-11-06 22:00:00"), at("2010-11-10 22:00:00"))


def test_rows_are_read_in_the_order_of_time(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("2010-11-07 00:00:00,0.031\n2010-11-06 21:00:00,0.03\n")
    assert prices.read_prices(path) == [
        Price(at("2010-11-06 21:00:00"), 0.03),
        Price(at("2010-11-07 00:00:00"), 0.031),
    ]


BAD = {
    "time,price\n": "p.csv:1: expected time,price",
    "2010-11-06 21:00:00,0.03\n2010-11-06 22:00:00\n": "p.csv:2: expected time,price",
    "2010-11-06 21:00:00,0.03\n2010-11-06 21:00:00,0.04\n": "p.csv: has two prices at",
}


@pytest.mark.parametrize(("text", "told"), BAD.items())
def test_bad_rows_are_told_with_their_line(tmp_path: Path, text: str, told: str) -> None:
    (path := tmp_path / "p.csv").write_text(text)
    with pytest.raises(PriceError, match=told):
        prices.read_prices(path)


def test_the_price_at_the_begin_is_kept_unless_it_is_too_old() -> None:
    inside = Price(at("2010-11-07 00:00:00"), 0.031)
    after = Price(at("2010-11-10 22:00:00"), 0.05)
    recent = Price(at("2010-11-06 21:00:00"), 0.03)
    old = Price(at("2010-11-05 21:59:59"), 0.03)  # a day and a second before the begin
    assert prices.within([recent, inside, after], PERIOD) == [Price(PERIOD.begin, 0.03), inside]
    assert prices.within([old, inside, after], PERIOD) == [inside]


def test_gaps_longer_than_a_day_are_missing() -> None:
    # 24 hours and no second more from the begin to the first price; then 1 day, 1 s; then 2 days.
    times = ("2010-11-07 22:00:00", "2010-11-08 22:00:01", "2010-11-09 22:00:00")
    known = [Price(at(time), 0.03) for time in times]
    assert prices.gaps(known, PERIOD) == [Period(at(times[0]), at(times[1]))]
    assert prices.gaps(known[:2], PERIOD)[1] == Period(at(times[1]), PERIOD.end)


def test_the_command_writes_a_price_file_for_each_type(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in prices.ON_DEMAND:
        path = tmp_path / f"us-east-1.linux.{name}.csv"
        path.write_text("2010-11-06 21:00:00,0.03\n2010-11-18 22:00:00,0.0295\n")
    assert prices.main([str(tmp_path), "-o", str(tmp_path / "out")]) == 0
    # From 22:00 on 11-06 to 22:00 on 11-18 are 12 days; to 02-14 are 12 + 31 + 31 + 14 = 88 more.
    told = "m1.small: 2 prices; missing: 12.0 days from 2010-11-06, 88.0 days from 2010-11-18"
    assert told in capsys.readouterr().out
    assert (tmp_path / "out/m1.small.csv").read_text() == (
        "time,price\n2010-11-06T22:00:00Z,0.03\n2010-11-18T22:00:00Z,0.0295\n"
    )
    assert prices.main([str(tmp_path / "none"), "-o", str(tmp_path / "out")]) == 2
    assert "us-east-1.linux.m1.small.csv: No such file" in capsys.readouterr().err
