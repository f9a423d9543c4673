"""The results of run.sh beside the numbers of the paper, and its Figures 1 to 7.

Source: Pucher, Wolski and Krintz, "Providing Lifetime SLAs for Cloud Spot Instances", IC2E 2015.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cospot
import pandas as pd
from cospot import sla
from cospot.plots.style import new_figure
from reproduction import command
from reproduction.page import Drawing, Page, Section, Table, percent

#: Section III-A: of the requests admitted, of those evicted. Of the rest there are only bars.
PAPER_SYNTHETIC = {None: ("70 %", "39 %"), 0.25: ("60 %", "9 %")}
#: Section III-B: the time until eviction with 15 free slots, seconds.
PAPER_QUANTILES = {0.25: 3200, 0.05: 1500, 0.01: 900}
#: Tables III and IV: on-demand admitted, spot admitted, evicted; without a promise and with 0.01.
PAPER_PRODUCTION = {
    "ab": ((0.977, 1.000, 0.013), (0.977, 0.884, 0.009)),
    "ba": ((1.000, 0.850, 0.024), (1.000, 0.757, 0.000)),
    "cd": ((1.000, 0.943, 0.016), (1.000, 0.491, 0.002)),
    "dc": ((0.997, 0.963, 0.013), (0.999, 0.278, 0.006)),
}
NATIVE_HOSTS = {"ab": 7, "ba": 7, "cd": 31, "dc": 31}


@dataclass(frozen=True)
class Combination:
    """All runs of one target on one number of hosts: sums of spots, means of shares."""

    target: float | None
    hosts: int
    runs: int
    runs_met: int
    admitted: int
    evictions: int
    on_demand_admission: float
    spot_admission: float
    spot_revenue_share: float

    @property
    def evicted(self) -> float:
        """The share of the admitted spots that was evicted."""
        return self.evictions / max(1, self.admitted)

    @property
    def interval(self) -> str:
        """The 95 % interval of that share."""
        lower, upper = cospot.eviction_interval(self.admitted, self.evictions)
        return f"{percent(lower, 2)} to {percent(upper, 2)}"

    @property
    def verdict(self) -> str:
        """Whether the promise was kept: the whole interval is on one side of the target."""
        if self.target is None:
            return ""
        lower, upper = cospot.eviction_interval(self.admitted, self.evictions)
        return "kept" if upper <= self.target else "broken" if lower > self.target else "unclear"

    @property
    def name(self) -> str:
        """The target as the study file has it."""
        return "none" if self.target is None else f"{self.target:g}"


def combined(runs: pd.DataFrame) -> Combination:
    """Sum up runs of one target."""
    target = str(runs["target"].iloc[0])
    return Combination(
        target=None if target == "none" else float(target),
        hosts=int(runs["hosts"].iloc[0]),
        runs=len(runs),
        runs_met=int(runs["is_met"].astype(bool).sum()),
        admitted=int(runs["spot_admitted"].sum()),
        evictions=int(runs["evictions"].sum()),
        on_demand_admission=float(runs["on_demand_admission"].mean()),
        spot_admission=float(runs["spot_admission"].mean()),
        spot_revenue_share=float(runs["spot_revenue_share"].mean()),
    )


class Results:
    """What run.sh left in a folder."""

    def __init__(self, folder: Path) -> None:
        """Look at what is in a folder."""
        self._folder = folder

    def runs(self, name: str) -> pd.DataFrame | None:
        """Return those of NAME.db, or of NAME-1.db, NAME-2.db, ...; None: nothing was run."""
        files = [self._folder / f"{name}.db", *sorted(self._folder.glob(f"{name}-*.db"))]
        frames = [
            cospot.load_results(file).runs.astype({"target": str}).assign(workload=file.stem)
            for file in files
            if file.exists()
        ]
        return pd.concat(frames, ignore_index=True) if frames else None

    def combinations(self, name: str) -> list[Combination]:
        """Return one for each number of hosts and target, in the order of the study."""
        runs = self.runs(name)
        if runs is None:
            return []
        return [combined(group) for _, group in runs.groupby(["hosts", "target"], sort=False)]


def letters(pair: str) -> str:
    """Return ``A-B`` of ``ab``."""
    return "-".join(pair.upper())


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


def conditions(quotes: sla.Quotes) -> list[str | Table]:
    """E2."""
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
    ]


def production(results: Results) -> Table:
    """E3."""
    rows = []
    for pair, papers in PAPER_PRODUCTION.items():
        every = results.combinations(f"e3-{pair}")
        native = [one for one in every if one.hosts == NATIVE_HOSTS[pair]]
        for one, paper in zip(native, papers, strict=True):
            ours = (one.on_demand_admission, one.spot_admission, one.evicted)
            figures = itertools.chain.from_iterable(zip(paper, ours, strict=True))
            numbers = [f"{figure:.3f}" for figure in figures]
            rows.append((letters(pair), one.name, *numbers, one.interval))
    header = (
        "pair, target, on-demand: paper, ours, spot: paper, ours, evicted: paper, ours, "
        "95 % interval"
    )
    return Table(header.split(", "), rows)


def scaling(results: Results) -> Table:
    """E4."""
    rows = [
        (
            letters(pair),
            str(one.hosts),
            one.name,
            f"{one.on_demand_admission:.3f}",
            f"{one.spot_admission:.3f}",
            f"{one.evicted:.4f}",
            one.verdict,
        )
        for pair in ("ab", "cd")
        for one in on_fewer_hosts(results, pair)
    ]
    header = "pair, hosts, target, on-demand admitted, spot admitted, evicted, promise"
    return Table(header.split(", "), rows)


def on_fewer_hosts(results: Results, pair: str) -> list[Combination]:
    """Return what has a target, and what has none on the pair's own hosts."""
    every = results.combinations(f"e3-{pair}")
    return [one for one in every if one.target is not None or one.hosts == NATIVE_HOSTS[pair]]


def unseen(results: Results) -> Table:
    """Return every promise against what came of it."""
    stand_ins = [(f"unseen-{pair}", f"stand-ins {letters(pair)}") for pair in PAPER_PRODUCTION]
    names = [("e1", "synthetic"), *stand_ins, ("azure", "Azure, CoSpot placement")]
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


def by_target(runs: pd.DataFrame | None) -> list[Combination]:
    """Return one for each target, over all hosts and workloads."""
    if runs is None:
        return []
    return [combined(group) for _, group in runs.groupby("target", sort=False)]


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


def load_over_time(trace: Path) -> tuple[list[float], list[int]]:
    """Days, and the cores that the instances of a Eucalyptus trace hold from then on."""
    days, cores, held, sizes = [0.0], [0], 0, {}
    for line in trace.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "START":
            sizes[words[2]] = int(float(words[4]))
            held += sizes[words[2]]
        else:
            held -= sizes.pop(words[2])
        days.append(float(words[1]) / 86400)
        cores.append(held)
    return days, cores



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


def _page(options: argparse.Namespace) -> Page:
    results = Results(options.folder)
    quotes = sla.quote(
        Path(__file__).with_name("synthetic.yaml"),
        at_hours=216,
        target=[0.25, 0.1, 0.05, 0.01],
    )
    source = (
        "the production traces themselves"
        if options.kind == "traces"
        else "STAND-INS for the production traces (their numbers of instances, days, mean loads "
        "and sizes, in invented bursts): only the shape can be compared with the paper"
    )
    sections = [
        Section("E1: synthetic traces (Table I, Figure 1)", synthetic(results)),
        Section(
            "E2: what the estimator sees at day 9 (Figures 2 and 3)",
            conditions(quotes),
        ),
        Section(
            "E3: production traces (Tables III and IV)",
            [f"These are {source}.", production(results)],
        ),
        Section("E4: fewer hosts (Figures 6 and 7)", [scaling(results)]),
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
