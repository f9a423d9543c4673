"""The results of run.sh beside the numbers of the paper, and its Figures 1 to 7.

Source: Pucher, Wolski and Krintz, "Providing Lifetime SLAs for Cloud Spot Instances", IC2E 2015.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from cospot import sla
from cospot.plots.style import new_figure
from lifetime_sla.findings import PAPER_QUANTILES, PAPER_SYNTHETIC, QUOTED, findings
from lifetime_sla.production import (
    PAPER_PRODUCTION,
    load_over_time,
    on_fewer_hosts,
    production,
    scaling,
    settings,
)
from lifetime_sla.results import Results, by_target, letters
from reproduction import command
from reproduction.page import Drawing, Page, Section, Table, percent


def synthetic(results: Results) -> list[str | Table]:
    """E1."""
    runs = results.runs("e1")
    assert runs is not None
    rows = []
    for one in results.combinations("e1"):
        paper = PAPER_SYNTHETIC.get(one.target, ("", ""))
        below = f"< {100 * one.target:g} %" if one.target else ""
        rows.append(
            (
                one.name,
                paper[0],
                percent(one.spot_admission),
                paper[1] or below,
                percent(one.evicted),
                one.interval,
                one.verdict,
            )
        )
    header = "target, admitted: paper, ours, evicted: paper, ours, 95 % interval, promise"
    means = runs[["on_demand_vcpus_mean", "spot_vcpus_mean"]].mean()
    return [
        f"Table I: the on-demand requests ask for {means.iloc[0]:.2f} cores on average (paper "
        f"21.77), the spots for {means.iloc[1]:.2f} (21.95). Means of {runs['seed'].nunique()} "
        "seeds.",
        Table(header.split(", "), rows),
    ]


def conditions(quotes: sla.Quotes, warned: Iterable[object]) -> list[str | Table]:
    """E2, with what cospot warned of."""
    size = quotes.sizes[0]
    samples = dict(zip(size.slots, size.samples, strict=True))
    most = max(samples, key=lambda slots: samples[slots])
    groups = [(0, 4), (5, 9), (10, 14), (15, 20), (21, 10**9)]
    counts = [
        sum(count for slots, count in samples.items() if first <= slots <= last)
        for first, last in groups
    ]
    rows = []
    for probability, by_slots in zip(quotes.evicted, size.quantiles_s, strict=True):
        value = by_slots[min(15, len(by_slots) - 1)]
        paper = PAPER_QUANTILES.get(probability)
        never = value in (None, float("inf"))
        found = "longer than the history" if never else f"{value:,.0f} s"
        rows.append((f"{probability:g}", f"{paper:,} s" if paper else "", found))
    return [
        f"At day 9, with a promise of 0.25, of {sum(samples.values()):,} samples most, "
        f"{samples[most]:,}, have {most:g} free slots (paper: 2 to 4); the most that ever were "
        f"free are {max(samples):g}. "
        f"Samples with 0 to 4, 5 to 9, 10 to 14, 15 to 20 and more free slots: "
        + ", ".join(f"{count:,}" for count in counts)
        + ". With 15 free slots:",
        Table(("quantile", "paper", "ours"), rows),
        *(f"Note: {one}." for one in warned),
    ]


def unseen(results: Results) -> Table:
    """Return every promise against what came of it; `azure` has those on Azure."""
    stand_ins = [(f"unseen-{pair}", f"stand-ins {letters(pair)}") for pair in PAPER_PRODUCTION]
    names = [("e1", "synthetic"), *stand_ins]
    rows = [
        (
            label,
            one.name,
            percent(one.spot_admission),
            f"{one.evictions:,} of {one.admitted:,}",
            percent(one.evicted, 2),
            one.interval,
            f"{one.runs_met} of {one.runs}",
        )
        for name, label in names
        for one in by_target(results.runs(name))
        if one.target is not None
    ]
    header = "requests, target, admitted, evictions, evicted, 95 % interval, runs within target"
    return Table(header.split(", "), rows)


def azure(runs: pd.DataFrame) -> Table:
    """Return what promises cost beside CoSpot without them."""
    ones = by_target(runs)
    base = next(one for one in ones if one.target is None)
    worst = runs.groupby("target")["eviction_ratio"].max()
    rows = [
        (
            one.name,
            percent(one.spot_admission),
            percent(one.evicted, 2),
            percent(float(worst[one.name]), 2),
            "" if one.target is None else f"{one.runs_met} of {one.runs}",
            percent(one.spot_revenue_share),
            percent(one.spot_revenue_share / base.spot_revenue_share - 1),
            percent(1 - one.on_demand_admission, 3),
        )
        for one in ones
    ]
    header = (
        "target, spots admitted, evicted, worst workload, workloads within target, "
        "spot revenue (of requested), against CoSpot without promises, VMs rejected"
    )
    return Table(header.split(", "), rows)


def drawings(results: Results, quotes: sla.Quotes, traces: Path) -> Iterator[Drawing]:
    """Draw Figures 1 to 7."""
    ones = results.combinations("e1")
    yield _bars(
        1,
        "Spots admitted and evicted by target.",
        [one.name for one in ones],
        admitted=[one.spot_admission for one in ones],
        evicted=[one.evicted for one in ones],
    )
    size = quotes.sizes[0]
    slots = [f"{count:g}" for count in size.slots]
    yield _bars(2, "Samples by free slots.", slots, samples=size.samples)
    with new_figure((6, 3)) as figure:
        (axes,) = figure.axes
        for probability, lives in zip(quotes.evicted, size.quantiles_s, strict=True):
            axes.plot(size.slots, pd.Series(lives, dtype=float), label=f"{probability:g}")
        axes.set(yscale="log", xlabel="free slots", ylabel="lives at least, s")
        axes.legend()
    yield Drawing("Figure 3", "Quantiles of time until eviction.", figure)
    for number, trace, name in ((4, "ds3", "B"), (5, "ds5", "C")):
        with new_figure((6, 2.5)) as figure:
            (axes,) = figure.axes
            axes.step(*load_over_time(traces / f"{trace}.txt"), where="post", linewidth=0.6)
            axes.set(xlabel="days", ylabel="cores asked for")
        yield Drawing(f"Figure {number}", f"Load of {name}.", figure)
    for number, pair in ((6, "ab"), (7, "cd")):
        shown = on_fewer_hosts(results, pair)
        yield _bars(
            number,
            f"{letters(pair)} on fewer hosts.",
            [f"{one.hosts}{'' if one.target else ' (base)'}" for one in shown],
            on_demand_admitted=[one.on_demand_admission for one in shown],
            spot_admitted=[one.spot_admission for one in shown],
            evicted=[one.evicted for one in shown],
        )


def _bars(number: int, caption: str, labels: list[str], **series: Iterable[float]) -> Drawing:
    with new_figure((6, 3)) as figure:
        (axes,) = figure.axes
        width = 0.8 / len(series)
        for i, (label, values) in enumerate(series.items()):
            places = [place + i * width for place in range(len(labels))]
            axes.bar(places, list(values), width, label=label.replace("_", " "))
        axes.set_xticks([place + 0.4 - width / 2 for place in range(len(labels))], labels)
        axes.legend()
    return Drawing(f"Figure {number}", caption, figure)


#: Settings of quotes by their names in QUOTED.
_QUOTE_KEYS: dict[str, dict[str, Any]] = {
    "all": {},
    "first": {"victim": "first_host"},
    "vms": {"history": "on_demand"},
}


def _quotes(seeds: int) -> dict[str, list[sla.Quotes]]:
    """Return what the estimator sees at day 9, by setting and seed."""
    study = Path(__file__).with_name("synthetic.yaml")
    targets = [0.25, 0.1, 0.05, 0.01]
    return {
        name: [
            sla.quote(study, at_hours=216, target=targets, seed=seed, **_QUOTE_KEYS[name])
            for seed in range(1, seeds + 1)
        ]
        for name in QUOTED
    }


def _page(options: argparse.Namespace) -> Page:
    results = Results(options.folder)
    drawn = results.runs("e1")
    assert drawn is not None
    with warnings.catch_warnings(record=True) as warned:
        every_quote = _quotes(drawn["seed"].nunique())
    quotes = every_quote[QUOTED[0]][0]
    messages = dict.fromkeys(str(one.message) for one in warned)
    source = (
        "the production traces themselves"
        if options.kind == "traces"
        else "STAND-INS for the production traces (their numbers of instances, days, mean loads "
        "and sizes, in invented bursts): only the shape can be compared with the paper"
    )
    sections = [
        Section(
            "Production traces: where the paper is silent",
            [
                f"Spots admitted / evicted with the target 0.01. These are {source}.",
                settings(results),
            ],
        ),
        Section("Promises on time that the estimator has not seen", [unseen(results)]),
    ]
    on_azure = results.runs("azure")
    if on_azure is not None:
        heading = "The Azure workloads under a CoSpot placement"
        sections.append(Section(heading, [azure(on_azure)]))
    return Page(
        title="Promised lifetimes: the paper's evaluation made again",
        paper='Pucher, Wolski and Krintz, "Providing Lifetime SLAs for Cloud Spot Instances", '
        "IC2E 2015.",
        sections=sections,
        drawings=drawings(results, quotes, options.traces),
        notes=[
            Section("E1: synthetic traces (Table I, Figure 1)", synthetic(results)),
            Section(
                "E2: what the estimator sees at day 9 (Figures 2 and 3)",
                conditions(quotes, messages),
            ),
            Section(
                "E3: production traces (Tables III and IV)",
                [
                    "A replay differs by the estimator's starting points only: *over seeds* is the "
                    "least and the most evicted.",
                    production(results),
                ],
            ),
            Section("E4: fewer hosts (Figures 6 and 7)", [scaling(results)]),
        ],
        findings=findings(results, every_quote, options.traces, options.kind),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m lifetime_sla.page", description=__doc__)
    parser.add_argument("folder", type=Path, help="what run.sh wrote")
    parser.add_argument("--traces", type=Path, required=True, help="folder of ds3.txt and ds5.txt")
    parser.add_argument("--kind", choices=("traces", "stand-ins"), required=True)
    return command.run(parser, _page, arguments)


if __name__ == "__main__":
    sys.exit(main())
