"""The figures of "Transient guarantees" on other data: tables (also as CSV) and plots.

Source: Shastri, Rizk and Irwin, "Transient Guarantees: Maximizing the Value of Idle Cloud
Capacity", SC 2016.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cospot
import numpy as np
import numpy.typing as npt
import pandas as pd
from cospot import classes
from cospot.plots.style import new_figure
from reproduction import command
from reproduction.page import Drawing, Page, Section, Table, percent
from transient_guarantees import comparisons, ec2, findings, selling

DELTA = 10 / 60
TWO_WEEKS = 14 * 24.0
#: Shares of the time in which the server of figure 3a is there.
AVAILABLE = (0.25, 0.5, 0.75, 1.0)
Numbers = npt.NDArray[Any]
#: A trace and the part of it that counts.
LOGS: dict[str, tuple[str, dict[str, Any]]] = {
    "SURF Lisa": (
        "surf_lisa_jobs/surf_lisa_jobs_2022_Jul_Oct.csv.gz",
        {"servers": 275, "from_day": 10, "to_day": 100},
    ),
    "wagap": (
        "wagap2013_swf/wagap-2013.nodelists-removed.swf.gz",
        {"servers": 2176, "from_day": 7},
    ),
    "NASA iPSC": ("nasa_ipsc_swf/NASA-iPSC-1993-3.1-cln.swf.gz", {"servers": 128}),
    "LHC Grid": ("lcg2005_swf/LCG-2005-1.swf.gz", {"from_day": 1}),
    "Azure VMs": ("azure2020-cospot/bernoulli/relevant-vm-1pcnt_0.csv.gz", {}),
}


def mean_performance(mttr: float, checkpoint: Any, seeds: int = 20, **costs: Any) -> float:
    """Simulate a job of two weeks on Poisson revocations, with several seeds."""
    runs = [
        cospot.simulate_job(TWO_WEEKS, checkpoint, mttr_hours=mttr, seed=seed, **costs)
        for seed in range(1, seeds + 1)
    ]
    return float(
        sum(run["useful_hours"] for run in runs) / sum(run["elapsed_hours"] for run in runs)
    )


def rate_of_work(share: float, mttr: float = 4.0, seeds: int = 20) -> float:
    """Return the work of two weeks over their time, on a server that is there for this share.

    It is revoked as a Poisson process, and away for times that are drawn alike.
    """
    useful = 0.0
    for seed in range(1, seeds + 1):
        draw, now, spans = np.random.default_rng(seed), 0.0, []
        while now < TWO_WEEKS:
            end = min(now + draw.exponential(mttr), TWO_WEEKS)
            spans.append((now, end))
            now = end + (draw.exponential(mttr * (1 / share - 1)) if share < 1 else 0.0)
        checkpoint = {"assumed_mttr_hours": mttr}
        run = cospot.simulate_job(10 * TWO_WEEKS, checkpoint, available_hours=spans)
        useful += run["useful_hours"]
    return useful / (seeds * TWO_WEEKS)


def figure_3() -> Iterator[tuple[str, str, float, str]]:
    """Volatility and predictability: 16 GB, 10 minutes to save."""
    for share in AVAILABLE:
        yield "3a", f"available {share:.0%} of the time: rate of work", rate_of_work(share), ""
    both: dict[str, Any] = {"restore_minutes": 10.0, "boot_minutes": 2.0}
    for mttr in (0.25, 0.5, 1.0, 2.0, 4.0):
        for name, costs in (
            ("saving only", {}),
            ("with boot", {"boot_minutes": 2.0}),
            ("with restore and boot", both),
        ):
            lost = 1 - mean_performance(mttr, "oracle", **costs)
            paper = "35 to 70 %" if mttr <= 1 else "~4 %" if mttr == 4 else ""
            yield "3b", f"MTTR {mttr:g} h, predictable, {name}: time lost", lost, paper
    for assumed in (0.5, 1.0, 2.0, 4.0, 8.0, 16.0):
        fast = mean_performance(4, {"assumed_mttr_hours": assumed})
        extra, paper = 1 / fast - 1, "~27 %" if assumed == 4 else ""
        yield "3c", f"MTTR 4 h, unpredictable, assumed {assumed:g} h: extra time", extra, paper


def figure_6() -> Iterator[tuple[str, str, float, str]]:
    """EC2's m1.large in 2014, as a Poisson process of its 555 revocations a year."""
    mttr, year = 8760 / 555, 8760.0
    both: dict[str, Any] = {"restore_minutes": 10.0, "boot_minutes": 2.0}
    best = cospot.optimal_interval(DELTA, mttr)
    for name, checkpoint, paper in (
        ("oracle", "oracle", "< 1 %"),
        ("optimal interval", best, "12 %"),
        ("hourly", "hourly", "24 %"),
    ):
        for kind, costs in (("", {}), (", restore and boot", both)):
            run = cospot.simulate_job(20 * year, checkpoint, mttr_hours=mttr, **costs)
            yield "6a", f"{name}{kind}: time lost", 1 - run["performance"], "" if kind else paper
    for factor in (0.25, 0.5, 1, 2, 4):
        run = cospot.simulate_job(20 * year, factor * best, mttr_hours=mttr)
        paper = "the best (its revocations are no Poisson process)" if factor == 2 else ""
        yield "6b", f"{factor:g} x optimal interval: time lost", 1 - run["performance"], paper


def figure_6c(data: Path) -> Iterator[tuple[str, str, float, str]]:
    """The effect of the window from which the MTTR is estimated, on a recorded server."""
    path, part = LOGS["SURF Lisa"]
    if not (data / path).exists():
        return
    periods = cospot.idle_periods(data / path, **part)
    chosen = periods["rank"] == 200
    begin, end = periods["begin_hours"][chosen], periods["end_hours"][chosen]
    for name, window in (("day", 24.0), ("week", 168.0), ("month", 720.0), ("all", 1e9)):
        useful = lost = 0.0
        for start, stop in zip(begin, end, strict=True):
            seen = (
                (end <= start) & (end > start - window) if window < 1e9 else np.ones(len(end), bool)
            )
            lengths = (end - begin)[seen]
            assumed = lengths.mean() if len(lengths) else 15.0
            run = cospot.simulate_job(
                1e6, {"assumed_mttr_hours": assumed}, available_hours=[(0.0, stop - start)]
            )
            useful += run["useful_hours"]
            lost += run["checkpointing_hours"] + run["recomputing_hours"]
        yield (
            "6c",
            f"SURF Lisa, rank 201, MTTR of the past {name}: time lost",
            lost / (useful + lost),
            "9 to 21 %",
        )


def figures_3_and_6(rows: pd.DataFrame) -> Table:
    """Return what was simulated beside what the paper says."""
    cells = [
        (row.figure, row.what, f"{row.value:.1f}" if row.figure == "V-A" else percent(row.value),
         row.paper)
        for row in rows.itertuples()
    ]  # fmt: skip
    return Table(("figure", "what", "cospot", "paper"), cells)


def table_of(frame: pd.DataFrame, digits: int) -> Table:
    """Return a frame as a table; its first columns are texts, the others numbers."""
    texts = sum(not pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes)
    rows = [
        [f"{cell:.{digits}f}" if isinstance(cell, float) else str(cell) for cell in row]
        for row in frame.itertuples(index=False)
    ]
    return Table([str(name) for name in frame.columns], rows, texts)


def shares_by_trace(frame: pd.DataFrame, index: str, value: str) -> Table:
    """Return percents, a column for each trace."""
    wide = frame.pivot_table(index=index, columns="trace", values=value, sort=False)
    wide = (100 * wide).reset_index()
    return table_of(wide.astype({index: str}), 1)


def usable_servers(periods: dict[str, Any], steps: int = 400) -> tuple[Numbers, Numbers]:
    """Return hours and how many servers were usable then."""
    times = np.linspace(0, periods["hours"], steps)
    begun = np.searchsorted(np.sort(periods["begin_hours"]), times, side="right")
    ended = np.searchsorted(np.sort(periods["end_hours"]), times, side="right")
    return times, begun - ended


def draw_trace(name: str, periods: dict[str, Any], table: pd.DataFrame) -> Drawing:
    """Draw figures 7 and 8 of one trace."""
    with new_figure((13, 3.6), 1, ncols=3) as figure:
        usable, mttr, useful = figure.axes
        hours, servers = usable_servers(periods)
        usable.plot(hours / 24, servers)
        usable.set(title="usable idle servers (7b)", xlabel="days")
        mttr.semilogy(table["rank"], table["mttr_hours"])
        mttr.set(title="time to revocation by rank, h (8a)", xlabel="rank")
        for assumed, label in ((None, "own MTTR"), (24, "24 h"), (1, "1 h"), (0.5, "30 min")):
            interval = None if assumed is None else float(np.sqrt(2 * DELTA * assumed))
            fast = classes.performance(table["mttr_hours"], DELTA, interval)
            useful.plot(table["rank"], 100 * fast, label=label)
        useful.set(title="useful server time, % (8b)", xlabel="rank")
        useful.legend()
    return Drawing(f"Figures 7 and 8, {name}", f"Idle servers of {name}.", figure)


def quantiles_of_mttr(table: pd.DataFrame) -> dict[str, float]:
    """Return the MTTR of all servers and that of its best tenth and half (figure 8a)."""
    own = table[table["idle_hours"] > 0]
    sorted_mttr = np.sort(own["mttr_hours"].to_numpy())
    return {
        "pooled": own["idle_hours"].sum() / max(1, own["revocations"].sum()),
        "top 10 %": float(np.quantile(sorted_mttr, 0.9, method="lower")),
        "top 50 %": float(np.quantile(sorted_mttr, 0.5, method="lower")),
        "near 30 min (< 1 h), share": float((sorted_mttr < 1).mean()),
    }


def revenue_rows(name: str, path: Path, part: dict[str, Any]) -> pd.DataFrame:
    """Return figures 9 and 10 of one trace: performance and revenue of every way to sell."""
    priced = cospot.price_classes(
        path,
        classes=[1, 2, 4, 8],
        partition=["equal", "greedy", "marginal", "lookahead", "optimal"],
        **part,
    )
    rows = [
        (f"{way.classes} classes, {way.partition}", way.performance, way.revenue)
        for way in priced.partitions
    ]
    rows.append(("maximum", priced.maximum.performance, priced.maximum.revenue))
    found = pd.DataFrame(rows, columns=["sold", "performance", "revenue"])
    found = pd.concat([pd.DataFrame(priced.without_guarantees), found], ignore_index=True)
    found["of_maximum"] = found["revenue"] / priced.maximum.revenue
    found.insert(0, "trace", name)
    return found


def multiple_rows(name: str, path: Path, part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Return how many times the revenue of GCE and EC2 the maximum is, by the time to save."""
    for minutes in (10, 20, 40, 80):
        priced = cospot.price_classes(
            path, classes=[1], partition=["equal"], checkpoint_minutes=minutes, **part
        )
        sold = {row.sold: row.revenue for row in priced.without_guarantees}
        best = priced.maximum.revenue
        gce = [revenue for way, revenue in sold.items() if way.startswith("GCE")]
        yield {
            "trace": name,
            "checkpoint_minutes": minutes,
            "to_best_gce": best / max(gce),
            "to_gce_30_min": best / sold["GCE, 0.5 h assumed"],
            "to_ec2_25_percent": best / sold["EC2, hourly, +25% revocations"],
        }


def draw_revenue(revenues: pd.DataFrame) -> Drawing:
    """Draw figure 10 for every trace."""
    shown = [
        "GCE, 24 h assumed",
        "EC2, hourly, +25% revocations",
        "1 classes, equal",
        "2 classes, equal",
        "2 classes, optimal",
        "4 classes, equal",
        "4 classes, optimal",
        "8 classes, optimal",
    ]
    pivot = revenues.pivot_table(index="sold", columns="trace", values="of_maximum", sort=False)
    with new_figure((9, 4)) as figure:
        (axes,) = figure.axes
        (100 * pivot.loc[[name for name in shown if name in pivot.index]]).plot.bar(ax=axes)
        axes.set(ylabel="revenue, % of the maximum", xlabel="")
        axes.tick_params(axis="x", labelrotation=30)
    return Drawing("Figure 10", "Revenue of every way to sell, of the maximum.", figure)


def memory_rows(name: str, table: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Return figure 8c of one trace: time lost by memory size."""
    idle = table["idle_hours"].to_numpy()
    for memory_gb in (1, 2, 4, 8, 16, 32, 64, 128):
        fast = classes.performance(table["mttr_hours"], DELTA * memory_gb / 16)
        lost = 1 - float(np.nansum(fast * idle) / idle.sum())
        yield {"trace": name, "memory_gb": memory_gb, "time_lost": lost}


def held_out_rows(name: str, path: Path, part: dict[str, Any]) -> pd.DataFrame:
    """Choose classes on the first half and judge them on the second."""
    span = cospot.idle_periods(path, **part)["hours"] / 24
    start = part.get("from_day", 0)
    rest = {key: value for key, value in part.items() if key not in ("from_day", "to_day")}
    found = classes.held_out(
        path,
        split_day=start + span / 2,
        from_day=start,
        to_day=part.get("to_day"),
        classes=(1, 2, 4),
        **rest,
    )
    found.insert(0, "trace", name)
    return found


def per_trace(
    traces: dict[str, tuple[Path, dict[str, Any]]], output: Path
) -> tuple[list[Section], list[Drawing], findings.Tables]:
    """Make figures 7 to 10 of these traces, and write their tables as CSV."""
    mttrs, revenues, held, drawn = [], [], [], []
    sold: list[dict[str, Any]] = []
    compared: list[dict[str, Any]] = []
    memory: list[dict[str, Any]] = []
    multiples: list[dict[str, Any]] = []
    for name, (path, part) in traces.items():
        table = classes.servers(path, **part)
        table.to_csv(output / f"servers_{name.lower().replace(' ', '_')}.csv", index=False)
        periods = cospot.idle_periods(path, **part)
        drawn.append(draw_trace(name, periods, table))
        sold += selling.sold_by_model(name, selling.lives_of(periods))
        mttrs.append({"trace": name, "servers": len(table), **quantiles_of_mttr(table)})
        revenues.append(revenue_rows(name, path, part))
        compared += [
            {"trace": name, **row}
            for row in comparisons.comparison_rows(table, revenues[-1], DELTA)
        ]
        memory += memory_rows(name, table)
        held.append(held_out_rows(name, path, part))
        multiples += multiple_rows(name, path, part)
    if not traces:
        return [Section("", ["No trace was found: figures 7 to 10 are left out."])], [], {}
    tables = {
        "figure_8a": pd.DataFrame(mttrs),
        "figure_8c": pd.DataFrame(memory),
        "figures_9_10": pd.concat(revenues, ignore_index=True),
        "held_out": pd.concat(held, ignore_index=True),
        "multiples": pd.DataFrame(multiples),
        "multiples_by_model": pd.DataFrame(sold),
        "comparisons": pd.DataFrame(compared),
    }
    for name, table in tables.items():
        table.to_csv(output / f"{name}.csv", index=False)
    sections = [
        Section("Time to revocation, hours", [table_of(tables["figure_8a"], 2)]),
        Section(
            "Figures 8b and 9 in one number each, by equation 2",
            [table_of(comparisons.comparisons_table(tables["comparisons"]), 1)],
        ),
        Section(
            "Revenue, % of the maximum",
            [shares_by_trace(tables["figures_9_10"], "sold", "of_maximum")],
        ),
        Section(
            "The maximum in multiples of what is sold without guarantees, by equation 2",
            [table_of(tables["multiples"], 2)],
        ),
        Section(
            "The maximum in multiples, by equation 2, exactly, and simulated on the recorded lives",
            [table_of(selling.multiples_table(tables["multiples_by_model"]), 2)],
        ),
        Section(
            "Time lost by memory (GB), %",
            [shares_by_trace(tables["figure_8c"], "memory_gb", "time_lost")],
        ),
        Section(
            "Chosen on the first half, judged on the second", [table_of(tables["held_out"], 3)]
        ),
    ]
    return sections, [*drawn, draw_revenue(tables["figures_9_10"])], tables


def _page(options: argparse.Namespace) -> Page:
    options.output.mkdir(parents=True, exist_ok=True)
    traces = {
        name: (options.data / path, part)
        for name, (path, part) in LOGS.items()
        if (options.data / path).exists() and (not options.trace or name in options.trace)
    }
    rows = [*figure_3(), *figure_6(), *figure_6c(options.data), *ec2.figure_6(options.data)]
    simulated = pd.DataFrame(rows, columns=["figure", "what", "value", "paper"])
    simulated.to_csv(options.output / "figures_3_6.csv", index=False)
    fast = selling.at_the_papers_mean()
    fast.to_csv(options.output / "papers_mean.csv", index=False)
    bounds = Section(
        f"At the paper's mean time to revocation, {selling.PAPER_MTTR} h",
        [
            "Performance:",
            table_of(fast, 3),
            "The most that servers which are never revoked can earn, in multiples:",
            table_of(selling.most_multiples(fast), 2),
        ],
    )
    sections, drawings, tables = per_trace(traces, options.output)
    found = findings.all_findings(simulated, tables)
    simulations = Section("Simulated jobs", [figures_3_and_6(simulated)])
    return Page(
        title="Transient guarantees, on other data",
        paper='Shastri, Rizk and Irwin, "Transient Guarantees: Maximizing the Value of Idle Cloud '
        'Capacity", SC 2016.',
        sections=[simulations, bounds, *sections],
        drawings=drawings,
        findings=found,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m transient_guarantees.page", description=__doc__
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the traces")
    parser.add_argument("--trace", action="append", default=[], choices=list(LOGS))
    return command.run(parser, _page, arguments)


if __name__ == "__main__":
    sys.exit(main())
