"""The results of the broker's paper and those found here, on each market."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from cospot.errors import InputError
from reproduction.finding import Finding
from reproduction.page import percent
from spot_broker.claims import BIDS, LATE, USEFUL, Cell, Runs, claims, differ, is_below, judge
from spot_broker.prices import ON_DEMAND
from spot_broker.reasons import reason_for

DATA = "Table II's 120 combinations on"
#: Other readings of the paper: it ranks and draws means; and it tells which type a job prefers, but
#: not on which one the instance that is started for it is. Its policy chooses "the best".
BY_MEANS = "by the means"
USEFULLY = "per useful job"
CHEAPEST = "every job on the type that costs least"
#: The values of alpha that Figure 3 shows.
SHOWN = (2, 4, 8)
#: Table III: rank, combination, USD per useful job, worsening in %.
TABLE_3: list[tuple[int, Cell, float, float]] = [
    (1, ("migration", "minimum", 2), 0.03578, 0),
    (2, ("migration", "current", 2), 0.03588, 0.29),
    (3, ("migration", "minimum", 4), 0.03613, 0.978),
    (4, ("migration", "current", 4), 0.03614, 1.006),
    (5, ("migration", "mean", 2), 0.03641, 1.736),
    (6, ("checkpoint", "current", 2), 0.03647, 1.881),
    (7, ("migration", "mean", 4), 0.03648, 1.932),
    (8, ("migration", "minimum", 8), 0.03661, 2.279),
    (9, ("checkpoint", "on_demand", 2), 0.03663, 2.330),
    (10, ("checkpoint", "mean", 2), 0.03666, 2.412),
    (18, ("none", "on_demand", 2), 0.03736, 4.224),
]
Markets = Mapping[str, Runs]


def name_of(cell: Cell) -> str:
    """Return ``migration, minimum, 2``."""
    return f"{cell[0]}, {cell[1]}, {cell[2]:g}"


def findings(markets: Markets, cheapest: Markets | None = None) -> Iterator[Finding]:
    """Return the findings; all markets have all cells.

    Args:
        markets: Results of the grid.
        cheapest: Those with every job on the type that costs least for it.
    """
    both = (markets, cheapest or {})
    yield from _directions(both)
    yield from _alpha(both)
    yield from _table_3(both)
    yield _combined(
        both, "Table III", "migration among the ten cheapest", "7", _migrations,
        "at least", 7, "migration takes most of the first ten ranks",
    )  # fmt: skip
    for name, paper in (("checkpoint", 6), ("none", 18)):

        def best(runs: Runs, name: str = name) -> Seen:
            found = next(i for i, cell in enumerate(runs.ranking(), 1) if cell[0] == name)
            return Seen(str(found), found)

        yield _combined(
            both, "Table III", f"best rank of {name}", str(paper), best,
            "value", paper, "lists it at this rank",
        )  # fmt: skip
    yield Finding(
        "section V.A",
        "experiments",
        "5,952, 31 runs of each combination",
        "",
        claim="counts its runs",
        flag="erratum of the paper",
        data="none",
        because="5,952 / 31 is 192 combinations, and Table II has 120; no others are listed",
    )


def rises_of_ec2(path: Path) -> Finding:
    """Return how often the price of m1.small reached on demand in 100 days of EC2's prices."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [
            (datetime.fromisoformat(row["time"].removesuffix("Z")), float(row["price"]))
            for row in csv.DictReader(file)
        ]
    if not rows:
        raise InputError(f"{path}: has no prices")
    limit = ON_DEMAND["m1.small"]
    rises: list[timedelta] = []
    was_above = False
    for i, (time, usd) in enumerate(rows[:-1]):
        if usd >= limit:
            lasts = rows[i + 1][0] - time
            if was_above:
                rises[-1] += lasts
            else:
                rises.append(lasts)
        was_above = usd >= limit
    highest = max(usd for _, usd in rows) / limit - 1
    longest = max(rises, default=timedelta()) // timedelta(minutes=1)
    what = "times m1.small's price reached on demand in 100 days; for up to; by up to"
    return Finding(
        "section I.A",
        what,
        "11; 140 min; 17%",
        f"{len(rises)}; {longest} min; {percent(highest, 0)}",
        "value",
        [11, 140, 0.17],
        [len(rises), longest, highest],
        "counts the rises of its prices",
        data="EC2's prices in us-east, 2010-11-06 to 2011-02-14",
        because="the paper's 100 days are of the next summer, with a price for each datacenter",
    )


@dataclass(frozen=True)
class Seen:
    """A finding of one market, as printed and judged.

    Attributes:
        text: As printed.
        value: As judged.
        readings: The same on other readings of the paper, by what they are.
    """

    text: str
    value: Any
    readings: Mapping[str, Any] = field(default_factory=dict)


def _combined(
    both: tuple[Markets, Markets],
    source: str,
    what: str,
    paper: str,
    look: Callable[[Runs], Seen],
    kind: str,
    target: Any,
    claim: str,
) -> Finding:
    """Return a finding about each market; `look`: what came out there."""
    markets, cheapest = both
    seen = {name: look(runs) for name, runs in markets.items()}
    between = "; " if any("," in one.text for one in seen.values()) else ", "
    readings: dict[str, dict[str, Any]] = {}
    for words, found in (
        ("", seen),
        (CHEAPEST, {name: look(runs) for name, runs in cheapest.items()}),
    ):
        for name, one in found.items():
            if words:
                readings.setdefault(words, {})[name] = one.value
            for reading, value in one.readings.items():
                told = f"{words}, {reading}" if words else reading
                readings.setdefault(told, {})[name] = value
    return Finding(
        source,
        what,
        paper,
        between.join(f"{name} {one.text}" for name, one in seen.items()),
        kind,
        target,
        {name: one.value for name, one in seen.items()},
        claim,
        readings=readings,
        data=f"{DATA} {', '.join(seen)}",
        because=reason_for(what),
    )


def _directions(both: tuple[Markets, Markets]) -> Iterator[Finding]:
    first = next(iter(both[0].values()), None)
    for place, claim in enumerate(claims(first) if first else ()):

        def look(runs: Runs, place: int = place) -> Seen:
            verdict = judge(runs, claims(runs)[place])
            pairs = len(verdict.claim.pairs)
            text = f"{verdict.holding} of {pairs}"
            told = f"{verdict.significant} significantly, {verdict.against} reversed"
            readings = {BY_MEANS: verdict.holding}
            if verdict.claim.is_least:
                readings["none is less at 5%"] = pairs - verdict.against
            if verdict.claim.also:
                other = judge(runs, replace(verdict.claim, measure=verdict.claim.also))
                readings[USEFULLY] = other.significant
                readings[f"{USEFULLY}, {BY_MEANS}"] = other.holding
            return Seen(f"{text} ({told})", verdict.significant, readings)

        what = f"{claim.sentence} (`{claim.measure}`)"
        yield _combined(
            both, claim.source, what, "every pair", look,
            "direction", len(claim.pairs), "says which of each pair is less",
        )  # fmt: skip


def _alpha(both: tuple[Markets, Markets]) -> Iterator[Finding]:
    yield _combined(
        both,
        "Figure 2a",
        "Without fault tolerance, bids for which the costs of alpha 1 and 2 do not differ",
        "most",
        _bids_alike,
        "at least",
        3,
        "for most of the five bids, which are three",
    )
    yield _combined(
        both,
        "Figure 2b",
        "Without fault tolerance, violations at alpha of 8 and more, any bid",
        "virtually none",
        _conservative,
        "at most",
        0.001,
        "virtually none: at most one job in a thousand",
    )
    yield _combined(
        both,
        "Figure 3",
        "pairs of mechanism and bid that cost least at alpha 2, 4 or 8",
        "all 12",
        _cheapest_alphas,
        "at least",
        12,
        "each of the pairs costs least there",
    )
    yield _combined(
        both,
        "section V.C",
        "violations of migration, Minimum, alpha = 8 in 100,000 jobs",
        "30",
        _least_late,
        "value or less",
        30,
        "praises how few deadlines it violates",
    )


def _bids_alike(runs: Runs) -> Seen:
    alike = sum(not differ(runs, ("none", b, 1.0), ("none", b, 2.0), "cost") for b in BIDS)
    unpaired = sum(
        not differ(runs, ("none", b, 1.0), ("none", b, 2.0), "cost", paired=False) for b in BIDS
    )
    return Seen(f"{alike} of {len(BIDS)}", alike, {"seeds not paired": unpaired})


def _late_share(runs: Runs, cell: Cell) -> float:
    return runs.mean(cell, LATE)[0] / runs.mean(cell, "jobs")[0]


def _conservative(runs: Runs) -> Seen:
    shares = [_late_share(runs, ("none", b, a)) for b in BIDS for a in (8.0, 10.0, 20.0)]
    return Seen(f"{percent(min(shares), 2)} to {percent(max(shares), 2)}", max(shares))


def _cheapest_alphas(runs: Runs) -> Seen:
    kept = alike = pairs = 0
    for mechanism, bid in itertools.product(("migration", "checkpoint", "duplication"), BIDS):
        if bid == "high":
            continue
        pairs += 1
        cells: list[Cell] = [(mechanism, bid, alpha) for alpha in runs.alphas()]
        cells.sort(key=lambda cell: runs.mean(cell, "cost")[0])
        kept += cells[0][2] in SHOWN
        best = next(cell for cell in cells if cell[2] in SHOWN)
        alike += not any(is_below(runs, cell, best, "cost") for cell in cells)
    return Seen(f"{kept} of {pairs}", kept, {"none costs less at 5%": alike})


def _least_late(runs: Runs) -> Seen:
    late = 1e5 * _late_share(runs, ("migration", "minimum", 8.0))
    return Seen(f"{late:.0f}", late)


def _table_3(both: tuple[Markets, Markets]) -> Iterator[Finding]:
    """Yield the costs as one finding, because one factor is between them, and each rank."""

    def dollars(runs: Runs) -> Seen:
        means = [runs.mean(cell, USEFUL)[0] for _, cell, _, _ in TABLE_3]
        return Seen(f"{min(means):.5f} to {max(means):.5f}", means)

    published = [usd for _, _, usd, _ in TABLE_3]
    what = "USD per useful job of the combinations listed"
    paper = f"{min(published):.5f} to {max(published):.5f}"
    yield _combined(both, "Table III", what, paper, dollars, "value", published, "prints each cost")
    for rank, cell, _, worse in TABLE_3:

        def place(runs: Runs, cell: Cell = cell) -> Seen:
            ranking = runs.ranking()
            found = ranking.index(cell) + 1
            more = runs.mean(cell, USEFUL)[0] / runs.mean(ranking[0], USEFUL)[0] - 1
            return Seen(f"{found} (+{percent(more, 2)})", found)

        found = _combined(
            both,
            "Table III",
            f"{name_of(cell)}: rank of 102, worse than the best",
            f"{rank} (+{worse:g}%)",
            place,
            *(("at most", 10) if 1 < rank <= 10 else ("value", rank)),
            "lists it among the ten cheapest" if 1 < rank <= 10 else "lists it at this rank",
        )
        yield replace(found, headline="rank of the best setting, of 102" if rank == 1 else "")


def _migrations(runs: Runs) -> Seen:
    count = sum(cell[0] == "migration" for cell in runs.ranking()[:10])
    return Seen(str(count), count)
