"""The results of the broker's paper and those found here, on each market."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from cospot.errors import InputError
from reproduction.finding import Finding
from reproduction.page import percent
from spot_broker.claims import BIDS, LATE, USEFUL, Cell, Runs, claims, differ, judge
from spot_broker.prices import ON_DEMAND
from spot_broker.reasons import reason_for

DATA = "Table II's 120 combinations on"
#: The direction that has more seeds.
AGAINST_HIGH = "On-demand is cheaper than High"
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


def findings(markets: Markets, high: Markets | None = None) -> Iterator[Finding]:
    """Return the findings; all markets have all cells.

    Args:
        markets: Results of the grid.
        high: Those of On-demand and High with more seeds, without fault tolerance.
    """
    for finding in _directions(markets):
        if not (high and AGAINST_HIGH in finding.what):
            yield finding
    for finding in _directions(high or {}):
        if AGAINST_HIGH in finding.what:
            seeds = max(runs.seeds for runs in (high or {}).values())
            data = finding.data.replace(DATA, f"{seeds} seeds of On-demand and High on")
            yield replace(finding, what=f"{finding.what}, {seeds} seeds", data=data)
    yield from _alpha(markets)
    yield from _table_3(markets)
    yield _combined(
        markets, "Table III", "migration among the ten cheapest", "7", _migrations,
        "at least", 7, "migration takes most of the first ten ranks",
    )  # fmt: skip
    for name, paper in (("checkpoint", 6), ("none", 18)):

        def best(runs: Runs, name: str = name) -> tuple[str, int]:
            found = next(i for i, cell in enumerate(runs.ranking(), 1) if cell[0] == name)
            return str(found), found

        yield _combined(
            markets, "Table III", f"best rank of {name}", str(paper), best,
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


def _combined(
    markets: Markets,
    source: str,
    what: str,
    paper: str,
    look: Callable[[Runs], tuple[str, Any]],
    kind: str,
    target: Any,
    claim: str,
) -> Finding:
    """Return a finding about each market; `look`: what came out, as text and as measured."""
    seen = {name: look(runs) for name, runs in markets.items()}
    between = "; " if any("," in text for text, _ in seen.values()) else ", "
    return Finding(
        source,
        what,
        paper,
        between.join(f"{name} {text}" for name, (text, _) in seen.items()),
        kind,
        target,
        {name: value for name, (_, value) in seen.items()},
        claim,
        data=f"{DATA} {', '.join(seen)}",
        because=reason_for(what),
    )


def _directions(markets: Markets) -> Iterator[Finding]:
    first = next(iter(markets.values()), None)
    for place, claim in enumerate(claims(first) if first else ()):

        def look(runs: Runs, place: int = place) -> tuple[str, int]:
            verdict = judge(runs, claims(runs)[place])
            text = f"{verdict.holding} of {len(verdict.claim.pairs)}"
            told = f"{verdict.significant} significantly, {verdict.against} reversed"
            return f"{text} ({told})", verdict.significant

        what = f"{claim.sentence} (`{claim.measure}`)"
        yield _combined(
            markets, claim.source, what, "every pair", look,
            "direction", len(claim.pairs), "says which of each pair is less",
        )  # fmt: skip


def _alpha(markets: Markets) -> Iterator[Finding]:
    yield _combined(
        markets,
        "Figure 2a",
        "Without fault tolerance, bids for which the costs of alpha 1 and 2 do not differ",
        "most",
        _bids_alike,
        "at least",
        3,
        "for most of the five bids, which are three",
    )
    yield _combined(
        markets,
        "Figure 2b",
        "Without fault tolerance, violations at alpha of 8 and more, any bid",
        "virtually none",
        _conservative,
        "at most",
        0.001,
        "virtually none: at most one job in a thousand",
    )
    yield _combined(
        markets,
        "Figure 3",
        "pairs of mechanism and bid that cost least at alpha 2, 4 or 8",
        "all 12",
        _cheapest_alphas,
        "at least",
        12,
        "each of the pairs costs least there",
    )
    yield _combined(
        markets,
        "section V.C",
        "violations of migration, Minimum, alpha = 8 in 100,000 jobs",
        "30",
        _least_late,
        "value or less",
        30,
        "praises how few deadlines it violates",
    )


def _bids_alike(runs: Runs) -> tuple[str, int]:
    alike = sum(not differ(runs, ("none", b, 1.0), ("none", b, 2.0), "cost") for b in BIDS)
    return f"{alike} of {len(BIDS)}", alike


def _late_share(runs: Runs, cell: Cell) -> float:
    return runs.mean(cell, LATE)[0] / runs.mean(cell, "jobs")[0]


def _conservative(runs: Runs) -> tuple[str, float]:
    shares = [_late_share(runs, ("none", b, a)) for b in BIDS for a in (8.0, 10.0, 20.0)]
    return f"{percent(min(shares), 2)} to {percent(max(shares), 2)}", max(shares)


def _cheapest_alphas(runs: Runs) -> tuple[str, int]:
    pairs = [
        (mechanism, bid)
        for mechanism in ("migration", "checkpoint", "duplication")
        for bid in BIDS
        if bid != "high"
    ]
    best = [
        min((runs.mean((*pair, alpha), "cost")[0], alpha) for alpha in runs.alphas())
        for pair in pairs
    ]
    kept = sum(alpha in (2, 4, 8) for _, alpha in best)
    return f"{kept} of {len(pairs)}", kept


def _least_late(runs: Runs) -> tuple[str, float]:
    late = 1e5 * _late_share(runs, ("migration", "minimum", 8.0))
    return f"{late:.0f}", late


def _table_3(markets: Markets) -> Iterator[Finding]:
    """Yield the costs as one finding, because one factor is between them, and each rank."""

    def dollars(runs: Runs) -> tuple[str, list[float]]:
        means = [runs.mean(cell, USEFUL)[0] for _, cell, _, _ in TABLE_3]
        return f"{min(means):.5f} to {max(means):.5f}", means

    published = [usd for _, _, usd, _ in TABLE_3]
    what = "USD per useful job of the combinations listed"
    paper = f"{min(published):.5f} to {max(published):.5f}"
    yield _combined(
        markets, "Table III", what, paper, dollars, "value", published, "prints each cost"
    )
    for rank, cell, _, worse in TABLE_3:

        def place(runs: Runs, cell: Cell = cell) -> tuple[str, int]:
            ranking = runs.ranking()
            found = ranking.index(cell) + 1
            more = runs.mean(cell, USEFUL)[0] / runs.mean(ranking[0], USEFUL)[0] - 1
            return f"{found} (+{percent(more, 2)})", found

        found = _combined(
            markets,
            "Table III",
            f"{name_of(cell)}: rank of 102, worse than the best",
            f"{rank} (+{worse:g}%)",
            place,
            *(("at most", 10) if 1 < rank <= 10 else ("value", rank)),
            "lists it among the ten cheapest" if 1 < rank <= 10 else "lists it at this rank",
        )
        yield replace(found, headline="rank of the best setting, of 102" if rank == 1 else "")


def _migrations(runs: Runs) -> tuple[str, int]:
    count = sum(cell[0] == "migration" for cell in runs.ranking()[:10])
    return str(count), count
