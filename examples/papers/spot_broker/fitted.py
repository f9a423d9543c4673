"""Synthetic prices with parameters of each type, fitted on real ones; Python's standard library.

``fit`` measures on SpotSim's files (prices.py) of the fitting period, which ends before the
period that the broker is evaluated on; fitted.json has what it found. ``make`` draws prices of it.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

from spot_broker.prices import (
    FITTING,
    LONGEST_GAP,
    ON_DEMAND,
    Price,
    exit_code,
    files_in,
    gaps,
    read_prices,
    within,
)

#: A price above so much of the type's median is a rise out of the band.
RISE = 1.25
PARAMETERS = Path(__file__).with_name("fitted.json")
#: As in the program's own synthetic prices: how much of its deviation from the middle of the band
#: a price keeps, and how much of it zones share. One region cannot tell.
KEEPS = 0.8
CORRELATION = 0.5
ZONES = "abcd"
DAYS = 100
BEGIN = datetime(2011, 7, 5, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Fit:
    """Parameters of a type; prices are shares of on demand.

    Attributes:
        type: Its name.
        observed_days: Without gaps.
        floor: Of the band: what 1 % of the prices in it are below.
        top: What 99 % of them are below.
        change_minutes: Mean time between two prices.
        rises: Minutes and highest price of each rise out of the band.
    """

    type: str
    observed_days: float
    floor: float
    top: float
    change_minutes: float
    rises: list[tuple[float, float]]


def fit(name: str, prices: Sequence[Price]) -> Fit:
    """Measure the parameters of a type in the fitting period."""
    known = within(prices, FITTING)
    missing = sum((gap.end - gap.begin for gap in gaps(prices, FITTING)), timedelta())
    observed = FITTING.end - FITTING.begin - missing
    shares = [price.usd / ON_DEMAND[name] for price in known]
    limit = RISE * sorted(shares)[len(shares) // 2]
    band = sorted(share for share in shares if share <= limit)
    return Fit(
        type=name,
        observed_days=round(observed / timedelta(days=1), 2),
        floor=round(band[len(band) // 100], 4),
        top=round(band[len(band) * 99 // 100], 4),
        change_minutes=round(observed / timedelta(minutes=1) / len(known), 1),
        rises=list(_rises(known, shares, limit)),
    )


def _rises(
    known: Sequence[Price], shares: Sequence[float], limit: float
) -> Iterator[tuple[float, float]]:
    """Return the rises that were observed from begin to end, none across a gap."""
    begin = None
    for i, share in enumerate(shares):
        if i > 0 and known[i].time - known[i - 1].time > LONGEST_GAP:
            begin = None
        if share > limit and begin is None and i > 0:
            begin = i
        if share <= limit and begin is not None:
            minutes = (known[i].time - known[begin].time) / timedelta(minutes=1)
            yield round(minutes), round(max(shares[begin:i]), 3)
            begin = None


def make(fits: Sequence[Fit], seed: int) -> Iterator[tuple[str, str, list[tuple[int, float]]]]:
    """Draw type, zone and ``(second, USD)`` of every market."""
    for one in fits:
        wave = list(_wave(random.Random(f"{seed} {one.type}"), one))
        for zone in ZONES:
            drawn = random.Random(f"{seed} {one.type} {zone}")
            yield one.type, f"us-east-1{zone}", _prices(one, wave, drawn)


def _wave(drawn: random.Random, one: Fit) -> Iterator[float]:
    """Return a mean-reverting process with variance 1, a value for every change of a price."""
    value = drawn.gauss(0, 1)
    # Times between changes are at least half their mean.
    for _ in range(math.ceil(2 * DAYS * 1440 / one.change_minutes) + 1):
        value = KEEPS * value + math.sqrt(1 - KEEPS**2) * drawn.gauss(0, 1)
        yield value


def _prices(one: Fit, together: Sequence[float], drawn: random.Random) -> list[tuple[int, float]]:
    end = DAYS * 86400
    rises = list(_drawn_rises(one, drawn, end))
    levels = []
    at = 0.0
    for common, own in zip(together, _wave(drawn, one), strict=True):
        if at >= end:
            break
        deviation = math.sqrt(CORRELATION) * common + math.sqrt(1 - CORRELATION) * own
        height = min(max(0.5 + 0.25 * deviation, 0), 1)
        levels.append((at, one.floor + (one.top - one.floor) * height))
        at += 60 * one.change_minutes * (0.5 + drawn.random())
    times = sorted({0.0, *(at for at, _ in levels), *(t for rise in rises for t in rise[:2])})
    prices: dict[int, float] = {}
    for time in times:
        share = levels[bisect_right(levels, (time, math.inf)) - 1][1]
        share = max([share, *(level for begin, stop, level in rises if begin <= time < stop)])
        prices[int(time)] = round(share * ON_DEMAND[one.type], 3)
    changes: list[tuple[int, float]] = []
    for second, usd in prices.items():
        if second < end and (not changes or changes[-1][1] != usd):
            changes.append((second, usd))
    return changes


def _drawn_rises(
    one: Fit, drawn: random.Random, end: float
) -> Iterator[tuple[float, float, float]]:
    """Draw begin, end and price of rises: of those observed, as often as they were."""
    if not one.rises:
        return
    rate = len(one.rises) / (one.observed_days * 86400)
    at = drawn.expovariate(rate)
    while at < end:
        minutes, level = drawn.choice(one.rises)
        yield at, at + 60 * minutes, level
        at += 60 * minutes + drawn.expovariate(rate)


def ec2_json(fits: Sequence[Fit], seed: int) -> str:
    """Return the prices of all markets as ``aws ec2 describe-spot-price-history`` prints them."""
    lines = [
        json.dumps(
            {
                "InstanceType": name,
                "ProductDescription": "Linux/UNIX",
                "AvailabilityZone": zone,
                "Timestamp": f"{BEGIN + timedelta(seconds=second):%Y-%m-%dT%H:%M:%SZ}",
                "SpotPrice": f"{usd:.3f}",
            }
        )
        for name, zone, changes in make(fits, seed)
        for second, usd in changes
    ]
    return '{"SpotPriceHistory": [\n' + ",\n".join(lines) + "\n]}\n"


def read_fits(path: Path = PARAMETERS) -> list[Fit]:
    """Read what ``fit`` found."""
    read = json.loads(path.read_text(encoding="utf-8"))
    return [Fit(**{**one, "rises": [tuple(rise) for rise in one["rises"]]}) for one in read]


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit or make; return the exit code: 0, or 2 for input that cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m spot_broker.fitted", description=__doc__)
    parser.add_argument("--fit", type=Path, metavar="FOLDER", help="fit on SpotSim's prices_csv")
    parser.add_argument("--seed", type=int, default=1, help="of the prices")
    parser.add_argument("-o", "--output", type=Path, required=True, help="file to write")
    options = parser.parse_args(arguments)

    def write() -> None:
        if options.fit:
            fits = [fit(name, read_prices(path)) for name, path in files_in(options.fit).items()]
            lines = ",\n".join(json.dumps(asdict(one)) for one in fits)
            text = f"[\n{lines}\n]\n"
        else:
            text = ec2_json(read_fits(), options.seed)
        options.output.write_text(text, encoding="utf-8")

    return exit_code(write)


if __name__ == "__main__":
    sys.exit(main())
