"""Amazon EC2's spot prices of 2009 to 2011, from the files of SpotSim, as price files of cospot.

SpotSim (https://github.com/SDC-Lab/SpotSim) has one file without a header for each type of a
region: ``2010-01-06 21:36:34,0.03``, times in UTC. Python's standard library is all this needs.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

#: USD an hour on demand in us-east (Linux), as the program has them of 2011.
ON_DEMAND = {
    "m1.small": 0.085,
    "m1.large": 0.34,
    "m1.xlarge": 0.68,
    "c1.medium": 0.17,
    "c1.xlarge": 0.68,
}
#: A price stands for the market at most so long; a longer gap is missing data.
LONGEST_GAP = timedelta(days=1)


@dataclass(frozen=True)
class Period:
    """From `begin` until before `end`."""

    begin: datetime
    end: datetime


#: The months that fitted.json was fitted on, and those that the broker is evaluated on.
FITTING = Period(
    datetime(2010, 2, 1, tzinfo=timezone.utc), datetime(2010, 11, 6, tzinfo=timezone.utc)
)
EVALUATION = Period(
    datetime(2010, 11, 6, 22, tzinfo=timezone.utc), datetime(2011, 2, 14, 22, tzinfo=timezone.utc)
)


@dataclass(frozen=True)
class Price:
    """A price that holds from `time` on."""

    time: datetime
    usd: float


class PriceError(Exception):
    """A file that cannot be used; the text names file and line."""


def files_in(folder: Path) -> dict[str, Path]:
    """Return the files of us-east in SpotSim's prices_csv, by type."""
    return {name: folder / f"us-east-1.linux.{name}.csv" for name in ON_DEMAND}


def read_prices(path: Path) -> list[Price]:
    """Read a file of SpotSim, in the order of time.

    Raises:
        PriceError: A row is not a time and a price, or two rows have one time.
    """
    prices = []
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for number, row in enumerate(csv.reader(file), start=1):
                try:
                    time, usd = row
                    at = datetime.strptime(time, "%Y-%m-%d %H:%M:%S").replace(tzinfo=timezone.utc)
                    prices.append(Price(at, float(usd)))
                except ValueError as error:
                    raise PriceError(f"{path}:{number}: expected time,price: {error}") from error
    except OSError as error:
        raise PriceError(f"{path}: {error.strerror}") from error
    prices.sort(key=lambda price: price.time)
    for one, other in itertools.pairwise(prices):
        if one.time == other.time:
            raise PriceError(f"{path}: has two prices at {one.time}")
    return prices


def within(prices: Sequence[Price], period: Period) -> list[Price]:
    """Return the prices of a period; the one that holds at its begin is moved there."""
    inside = [price for price in prices if period.begin <= price.time < period.end]
    before = [price for price in prices if price.time < period.begin]
    is_known = bool(before) and period.begin - before[-1].time <= LONGEST_GAP
    if is_known and not (inside and inside[0].time == period.begin):
        inside.insert(0, Price(period.begin, before[-1].usd))
    return inside


def gaps(prices: Sequence[Price], period: Period) -> list[Period]:
    """Return the times of a period in which data are missing."""
    times = [period.begin, *(price.time for price in within(prices, period)), period.end]
    pairs = itertools.pairwise(times)
    return [Period(one, other) for one, other in pairs if other - one > LONGEST_GAP]


def write_prices(prices: Sequence[Price], path: Path) -> None:
    """Write a price file of cospot (docs/broker.md)."""
    rows = (f"{price.time:%Y-%m-%dT%H:%M:%SZ},{price.usd:g}\n" for price in prices)
    path.write_text("time,price\n" + "".join(rows), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Convert the five types of us-east; return the exit code: 0, or 2 for bad input."""
    parser = argparse.ArgumentParser(prog="python -m spot_broker.prices", description=__doc__)
    parser.add_argument("folder", type=Path, help="prices_csv of SpotSim")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder to write to")
    options = parser.parse_args(arguments)
    return exit_code(lambda: _convert(options.folder, options.output))


def _convert(folder: Path, output: Path) -> None:
    output.mkdir(parents=True, exist_ok=True)
    for name, path in files_in(folder).items():
        prices = read_prices(path)
        kept = within(prices, EVALUATION)
        if not kept:
            raise PriceError(f"{folder}: no price of {name} in the period")
        write_prices(kept, output / f"{name}.csv")
        missing = [
            f"{(gap.end - gap.begin) / timedelta(days=1):.1f} days from {gap.begin:%Y-%m-%d}"
            for gap in gaps(prices, EVALUATION)
        ]
        print(f"{name}: {len(kept)} prices; missing: {', '.join(missing) or 'nothing'}")


def exit_code(work: Callable[[], object]) -> int:
    """Work; return 0, or 2 after telling of input that cannot be used."""
    try:
        work()
    except (PriceError, OSError) as error:
        print(f"cospot: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
