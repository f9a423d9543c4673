"""Does what the broker's paper found hold in results of the study ``broker``?

Every published direction is tested over the seeds on each market (claims.py), the numbers are put
beside the paper's (findings.py), and Figures 2 to 4 are drawn again for each market. Source:
Voorsluys and Buyya, "Reliable Provisioning of Spot Instances".
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import cospot
import pandas as pd
from cospot.errors import InputError
from cospot.plots.style import new_figure
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from reproduction import command
from reproduction.page import Drawing, Page, Section, Table, percent
from spot_broker.claims import BIDS, LATE, MECHANISMS, USEFUL, Cell, Runs, is_below
from spot_broker.findings import TABLE_3, Markets, findings, name_of, rises_of_ec2


def cheapest(markets: Markets) -> Table:
    """Return Table III: the ten cheapest combinations of each market and of the paper."""
    rankings = {name: runs.ranking() for name, runs in markets.items()}
    rows = []
    for place, (rank, cell, usd, _) in enumerate(TABLE_3[:10]):
        cells = [str(rank), f"{name_of(cell)}: {usd:.5f}"]
        for name, runs in markets.items():
            found = rankings[name][place]
            mean, width = runs.mean(found, USEFUL)
            cells.append(f"{name_of(found)}: {mean:.5f} +/- {width:.5f}")
        rows.append(cells)
    return Table(("rank", "paper", *markets), rows)


def ranks(markets: Markets, others: Markets) -> Table:
    """Return the ranks of each mechanism's cheapest combination, and of checkpointing's by bid."""
    rows = []
    for types, read in (("preferred", markets), ("cheapest", others)):
        for name, runs in read.items():
            ranking = runs.ranking()
            firsts = [next(c for c in ranking if c[0] == mechanism) for mechanism in MECHANISMS]
            least = runs.mean(ranking[0], USEFUL)[0]
            cells = [
                f"{ranking.index(cell) + 1}: {cell[1]}, {cell[2]:g} "
                f"(+{percent(runs.mean(cell, USEFUL)[0] / least - 1, 1)})"
                for cell in firsts
            ]
            by_bid = [
                next(i for i, c in enumerate(ranking, start=1) if c[:2] == ("checkpoint", bid))
                for bid in BIDS
                if bid != "high"
            ]
            rows.append([name, types, *cells, ", ".join(map(str, by_bid))])
    bids = ", ".join(bid for bid in BIDS if bid != "high")
    return Table(("market", "types", *MECHANISMS, f"checkpoint by bid ({bids})"), rows, 2)


#: The second is compared with the first, both mechanism and bid: what High costs, what guarding
#: On-demand costs, and what snapshots cost where nothing is ever revoked.
COMPARED = (
    ("High than On-demand", ("none", "on_demand"), ("none", "high")),
    ("On-demand with checkpointing", ("none", "on_demand"), ("checkpoint", "on_demand")),
    ("High with checkpointing", ("none", "high"), ("checkpoint", "high")),
)


def dearer(markets: Markets) -> Table:
    """Return how much more one mechanism and bid cost than another, by alpha."""
    rows = []
    for (what, first, second), (name, runs) in itertools.product(COMPARED, markets.items()):
        cells = [what, name]
        for alpha in runs.alphas():
            one: Cell = (*first, alpha)
            other: Cell = (*second, alpha)
            more = runs.mean(other, "cost")[0] / runs.mean(one, "cost")[0] - 1
            pairs = ((one, other), (other, one))
            is_told_apart = any(is_below(runs, *pair, "cost") for pair in pairs)
            told = "" if is_told_apart else " (n.s.)"
            cells.append(f"{'+' if more >= 0 else ''}{percent(more, 2)}{told}")
        rows.append(cells)
    return Table(("dearer", "market", *_alpha_heads(markets)), rows, 2)


def late(markets: Markets) -> Table:
    """Return deadline violations by alpha."""
    shown = [("none", bid) for bid in BIDS]
    shown += [(m, bid) for m in ("migration", "checkpoint") for bid in ("minimum", "on_demand")]
    rows = [
        [name, mechanism, bid]
        + [f"{runs.mean((mechanism, bid, a), LATE)[0]:,.0f}" for a in runs.alphas()]
        for name, runs in markets.items()
        for mechanism, bid in shown
    ]
    return Table(("market", "fault tolerance", "bid", *_alpha_heads(markets)), rows, 3)


def _alpha_heads(markets: Markets) -> list[str]:
    return [f"alpha {alpha:g}" for alpha in next(iter(markets.values())).alphas()]


def drawings(name: str, runs: Runs) -> Iterator[Drawing]:
    """Draw the paper's Figures 2 to 4 for a market."""
    for figure_name, measure, label in (
        ("Figure 2a", "cost", "Cost (USD)"),
        ("Figure 2b", LATE, "Deadline violations (jobs)"),
    ):
        with new_figure((6, 4)) as figure:
            (axes,) = figure.axes
            _draw_bids(axes, runs, "none", measure, runs.alphas())
            axes.set(ylabel=label)
            axes.legend()
        caption = f"{label} by alpha, without fault tolerance; prices: {name}."
        yield Drawing(f"{figure_name} {name}", caption, figure)
    alphas = [a for a in (2.0, 4.0, 8.0) if a in runs.alphas()]
    with new_figure((12, 4), 1, ncols=3, sharey=True) as figure:
        for axes, mechanism in zip(
            figure.axes, ("migration", "checkpoint", "duplication"), strict=True
        ):
            _draw_bids(axes, runs, mechanism, "cost", alphas)
        figure.axes[0].set_ylabel("Cost (USD)")
        figure.axes[0].legend()
    yield Drawing(
        f"Figure 3 {name}", f"Cost by alpha, with fault tolerance; prices: {name}.", figure
    )
    yield Drawing(
        f"Figure 4 {name}",
        f"The most economical combinations; prices: {name}.",
        _draw_cheapest(runs),
    )


def _draw_bids(
    axes: Axes, runs: Runs, mechanism: str, measure: str, alphas: Sequence[float]
) -> None:
    for bid in BIDS:
        known = [a for a in alphas if (mechanism, bid, a) in runs]
        points = [runs.mean((mechanism, bid, a), measure) for a in known]
        axes.errorbar(known, [p[0] for p in points], [p[1] for p in points], label=bid, capsize=3)
    axes.set(xlabel="alpha", title=mechanism)


def _draw_cheapest(runs: Runs) -> Figure:
    ranked = runs.ranking("cost")[:10]
    points = [runs.mean(cell, "cost") for cell in ranked]
    names = [name_of(cell) for cell in ranked]
    with new_figure((7, 4)) as figure:
        (axes,) = figure.axes
        axes.barh(names[::-1], [p[0] for p in points][::-1], xerr=[p[1] for p in points][::-1])
        axes.set(xlabel="Cost (USD)")
    return figure


def _runs_of(database: Path) -> pd.DataFrame:
    """Return the runs of a database of the study ``broker``."""
    results = cospot.load_results(database)
    if results.study != "broker":
        raise InputError(f"{database}: expected the study broker, found {results.study}")
    return results.runs


def _markets_of(databases: Sequence[Path], csv: Path | None = None) -> dict[str, Runs]:
    """Return the runs of databases by market, and write them to a file."""
    if not databases:
        return {}
    frame = pd.concat([_runs_of(path) for path in databases], ignore_index=True)
    if csv is not None:
        frame.to_csv(csv, index=False)
    groups = frame.groupby("market", sort=False, observed=True)
    return {str(name): Runs(part) for name, part in groups}


def _page(options: argparse.Namespace) -> Page:
    options.output.mkdir(parents=True, exist_ok=True)
    markets = _markets_of(options.results, options.output / "results.csv")
    others = _markets_of(options.cheapest)
    found = list(findings(markets, others))
    if options.ec2 is not None:
        found.insert(0, rises_of_ec2(options.ec2))
    sections = [
        Section("Table III: USD per useful job", [cheapest(markets)]),
        Section(
            "Rank of the cheapest of each mechanism, and how much more than the best it costs",
            [ranks(markets, others)],
        ),
        Section("How much dearer it is to be sure", [dearer(markets)]),
    ]
    return Page(
        title="What the broker's paper found, tested",
        paper='Voorsluys and Buyya, "Reliable Provisioning of Spot Instances for '
        'Compute-intensive Applications", AINA 2012.',
        sections=sections,
        drawings=(drawing for name, runs in markets.items() for drawing in drawings(name, runs)),
        notes=[Section("Deadline violations, jobs", [late(markets)])],
        findings=found,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m spot_broker.page", description=__doc__)
    parser.add_argument(
        "results",
        type=Path,
        nargs="+",
        help="results databases of the study broker; several: each with seeds of its own",
    )
    parser.add_argument(
        "--cheapest",
        type=Path,
        nargs="*",
        default=[],
        help="the same with every job on the type that costs least",
    )
    parser.add_argument("--ec2", type=Path, help="EC2's prices of m1.small, as prices.py writes")
    return command.run(parser, _page, arguments)


if __name__ == "__main__":
    sys.exit(main())
