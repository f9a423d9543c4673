#!/usr/bin/env python3
"""Puts the results of run.sh beside the numbers of the paper: page.md, and its figures as SVG.

Needs Python's standard library; with matplotlib there are figures.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
TARGETS = (None, 0.25, 0.1, 0.05, 0.01)
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


def percent(fraction: float, digits: int = 1) -> str:
    """A fraction as people read it."""
    return f"{100 * fraction:.{digits}f}%"


def target_text(target: float | None) -> str:
    """A target as the study file has it."""
    return "none" if target is None else f"{target:g}"


def table(header: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def bounds(lower: float, upper: float) -> str:
    """An interval as people read it."""
    return f"{percent(lower, 2)} to {percent(upper, 2)}"


def interval(combination: dict) -> str:
    """The 95 % interval of a combination."""
    return bounds(*combination["eviction_interval"])


def pooled_interval(evictions: int, admitted: int) -> str:
    """The 95 % interval of several combinations together."""
    try:
        from cospot import eviction_interval
    except ImportError:
        return ""
    return bounds(*eviction_interval(admitted, evictions))


class Results:
    """What run.sh left in a folder."""

    def __init__(self, folder: Path) -> None:
        """Look at what is in a folder."""
        self.folder = folder

    def json(self, name: str) -> dict:
        """NAME.json."""
        return json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))

    def combinations(self, name: str) -> list[dict]:
        """Those of NAME.json, or of NAME-1.json, NAME-2.json, ...; none: nothing was run."""
        files = [self.folder / f"{name}.json", *sorted(self.folder.glob(f"{name}-*.json"))]
        return [
            one
            for file in files
            if file.exists()
            for one in json.loads(file.read_text(encoding="utf-8"))["combinations"]
        ]

    def csv(self, name: str) -> list[dict[str, str]]:
        """The rows of NAME.csv."""
        lines = (self.folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()
        names = lines[0].split(",")
        return [dict(zip(names, line.split(","), strict=True)) for line in lines[1:]]


def synthetic(results: Results) -> str:
    """E1."""
    runs = results.csv("e1")
    mean = {
        key: sum(float(run[key]) for run in runs) / len(runs)
        for key in ("on_demand_vcpus_mean", "spot_vcpus_mean")
    }
    rows = []
    for one in results.combinations("e1"):
        paper = PAPER_SYNTHETIC.get(one["target"], ("", ""))
        rows.append(
            [
                target_text(one["target"]),
                paper[0],
                percent(one["spot_admission"]),
                paper[1] or (f"< {100 * one['target']:g} %" if one["target"] else ""),
                percent(one["eviction_ratio"]),
                interval(one),
                one["promise"] or "",
            ]
        )
    count = one["runs"]
    return (
        f"Table I: the on-demand requests ask for {mean['on_demand_vcpus_mean']:.2f} cores on "
        f"average (paper 21.77), the spots for {mean['spot_vcpus_mean']:.2f} (21.95). Means of "
        f"{count} seeds.\n\n"
        + table(
            [
                "target",
                "admitted: paper",
                "ours",
                "evicted: paper",
                "ours",
                "95 % interval",
                "promise",
            ],
            rows,
        )
    )


def conditions(results: Results) -> str:
    """E2."""
    quote = results.json("e2")
    size = quote["sizes"][0]
    samples = dict(zip(size["slots"], size["samples"], strict=True))
    most = max(samples, key=lambda slots: samples[slots])
    groups = [(0, 4), (5, 9), (10, 14), (15, 20), (21, 10**9)]
    counts = [
        sum(count for slots, count in samples.items() if first <= slots <= last)
        for first, last in groups
    ]
    rows = []
    for probability, by_slots in zip(quote["evicted"], size["quantiles_s"], strict=True):
        value = by_slots[min(15, len(by_slots) - 1)]
        found = "longer than the history" if value == "never" else f"{value:,.0f} s"
        paper = PAPER_QUANTILES.get(probability)
        rows.append([f"{probability:g}", f"{paper:,} s" if paper else "", found])
    return (
        f"At day 9, with a promise of 0.25, of {sum(samples.values()):,} samples most, "
        f"{samples[most]:,}, have {most:g} free slots (paper: 2 to 4); the most that ever were "
        f"free are {max(samples):g}. "
        f"Samples with 0 to 4, 5 to 9, 10 to 14, 15 to 20 and more free slots: "
        + ", ".join(f"{count:,}" for count in counts)
        + ". With 15 free slots:\n\n"
        + table(["quantile", "paper", "ours"], rows)
    )


def production(results: Results) -> str:
    """E3."""
    rows = []
    for pair, papers in PAPER_PRODUCTION.items():
        native = [
            one for one in results.combinations(f"e3-{pair}") if one["hosts"] == NATIVE_HOSTS[pair]
        ]
        for one, paper in zip(native, papers, strict=True):
            rows.append(
                [
                    f"{pair[0].upper()}-{pair[1].upper()}",
                    target_text(one["target"]),
                    f"{paper[0]:.3f}",
                    f"{one['on_demand_admission']:.3f}",
                    f"{paper[1]:.3f}",
                    f"{one['spot_admission']:.3f}",
                    f"{paper[2]:.3f}",
                    f"{one['eviction_ratio']:.3f}",
                    interval(one),
                ]
            )
    return table(
        [
            "pair",
            "target",
            "on-demand: paper",
            "ours",
            "spot: paper",
            "ours",
            "evicted: paper",
            "ours",
            "95 % interval",
        ],
        rows,
    )


def scaling(results: Results) -> str:
    """E4."""
    rows = []
    for pair in ("ab", "cd"):
        for one in results.combinations(f"e3-{pair}"):
            if one["target"] is None and one["hosts"] != NATIVE_HOSTS[pair]:
                continue
            rows.append(
                [
                    f"{pair[0].upper()}-{pair[1].upper()}",
                    str(one["hosts"]),
                    target_text(one["target"]),
                    f"{one['on_demand_admission']:.3f}",
                    f"{one['spot_admission']:.3f}",
                    f"{one['eviction_ratio']:.4f}",
                    one["promise"] or "",
                ]
            )
    return table(
        ["pair", "hosts", "target", "on-demand admitted", "spot admitted", "evicted", "promise"],
        rows,
    )


def unseen(results: Results) -> str:
    """Every promise against what came of it."""
    rows = []
    names = [("e1", "synthetic")] + [
        (f"unseen-{pair}", f"stand-ins {pair[0].upper()}-{pair[1].upper()}")
        for pair in PAPER_PRODUCTION
    ]
    names += [("azure", "Azure, CoSpot placement")]
    for name, label in names:
        pooled: dict[float, list[dict]] = {}
        for one in results.combinations(name):
            if one["target"] is not None:
                pooled.setdefault(one["target"], []).append(one)
        for target, ones in pooled.items():
            admitted = sum(one["spot_admitted"] for one in ones)
            evictions = sum(one["evictions"] for one in ones)
            rows.append(
                [
                    label,
                    f"{target:g}",
                    percent(sum(one["spot_admission"] for one in ones) / len(ones)),
                    f"{evictions:,} of {admitted:,}",
                    percent(evictions / max(1, admitted), 2),
                    interval(ones[0]) if len(ones) == 1 else pooled_interval(evictions, admitted),
                    f"{sum(one['runs_met'] for one in ones)} of {sum(one['runs'] for one in ones)}",
                ]
            )
    return table(
        [
            "requests",
            "target",
            "admitted",
            "evictions",
            "evicted",
            "95 % interval",
            "runs within target",
        ],
        rows,
    )


def azure(results: Results) -> str:
    """What promises cost beside CoSpot without them."""
    by_target: dict[float | None, list[dict]] = {}
    for one in results.combinations("azure"):
        by_target.setdefault(one["target"], []).append(one)
    base = by_target[None]
    rows = []
    for target, ones in by_target.items():
        share = sum(one["spot_revenue_share"] for one in ones) / len(ones)
        base_share = sum(one["spot_revenue_share"] for one in base) / len(base)
        admitted = sum(one["spot_admitted"] for one in ones)
        evictions = sum(one["evictions"] for one in ones)
        rows.append(
            [
                target_text(target),
                percent(sum(one["spot_admission"] for one in ones) / len(ones)),
                percent(evictions / max(1, admitted), 2),
                percent(max(one["eviction_ratio"] for one in ones), 2),
                "" if target is None else f"{sum(one['runs_met'] for one in ones)} of {len(ones)}",
                percent(share),
                percent(share / base_share - 1),
                percent(1 - sum(one["on_demand_admission"] for one in ones) / len(ones), 3),
            ]
        )
    return table(
        [
            "target",
            "spots admitted",
            "evicted",
            "worst workload",
            "workloads within target",
            "spot revenue (of requested)",
            "against CoSpot without promises",
            "VMs rejected",
        ],
        rows,
    )


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


def draw(results: Results, traces: Path) -> list[str]:
    """Draws the figures; returns their Markdown."""
    try:
        import matplotlib

        matplotlib.use("svg")
        matplotlib.rcParams["svg.hashsalt"] = "cospot"
        from matplotlib import pyplot
    except ImportError:
        return []
    made = []

    def save(figure: Any, name: str, title: str) -> None:
        figure.tight_layout()
        figure.savefig(results.folder / f"{name}.svg", metadata={"Date": None})
        pyplot.close(figure)
        made.append(f"![{title}]({name}.svg)")

    def bars(name: str, title: str, labels: list[str], series: dict[str, list[float]]) -> None:
        figure, axes = pyplot.subplots(figsize=(6, 3))
        width = 0.8 / len(series)
        for number, (label, values) in enumerate(series.items()):
            axes.bar([i + number * width for i in range(len(labels))], values, width, label=label)
        axes.set_xticks([i + 0.4 - width / 2 for i in range(len(labels))], labels)
        axes.set_title(title)
        axes.legend()
        save(figure, name, title)

    ones = results.combinations("e1")
    bars(
        "figure-1",
        "Figure 1: spots admitted and evicted by target",
        [target_text(one["target"]) for one in ones],
        {
            "admitted": [one["spot_admission"] for one in ones],
            "evicted": [one["eviction_ratio"] for one in ones],
        },
    )
    quote = results.json("e2")
    size = quote["sizes"][0]
    bars(
        "figure-2",
        "Figure 2: samples by free slots",
        [f"{slots:g}" for slots in size["slots"]],
        {"samples": size["samples"]},
    )
    figure, axes = pyplot.subplots(figsize=(6, 3))
    for probability, values in zip(quote["evicted"], size["quantiles_s"], strict=True):
        points = [
            (slots, value)
            for slots, value in zip(size["slots"], values, strict=False)
            if isinstance(value, (int, float))
        ]
        axes.plot(*zip(*points, strict=True), label=f"{probability:g}")
    axes.set_yscale("log")
    axes.set_xlabel("free slots")
    axes.set_ylabel("lives at least, s")
    axes.legend()
    save(figure, "figure-3", "Figure 3: quantiles of time until eviction")
    for name, trace, title in (
        ("figure-4", "ds3", "Figure 4: load of B"),
        ("figure-5", "ds5", "Figure 5: load of C"),
    ):
        figure, axes = pyplot.subplots(figsize=(6, 2.5))
        axes.step(*load_over_time(traces / f"{trace}.txt"), where="post", linewidth=0.6)
        axes.set_xlabel("days")
        axes.set_ylabel("cores asked for")
        save(figure, name, title)
    for name, pair in (("figure-6", "ab"), ("figure-7", "cd")):
        shown = [
            one
            for one in results.combinations(f"e3-{pair}")
            if one["target"] is not None or one["hosts"] == NATIVE_HOSTS[pair]
        ]
        bars(
            name,
            f"Figure {name[-1]}: {pair[0].upper()}-{pair[1].upper()} on fewer hosts",
            [f"{one['hosts']}{'' if one['target'] else ' (base)'}" for one in shown],
            {
                "on-demand admitted": [one["on_demand_admission"] for one in shown],
                "spot admitted": [one["spot_admission"] for one in shown],
                "evicted": [one["eviction_ratio"] for one in shown],
            },
        )
    return made


def page(results: Results, kind: str) -> str:
    """All tables."""
    source = (
        "the production traces themselves"
        if kind == "traces"
        else "STAND-INS for the production traces (their numbers of instances, days, mean loads "
        "and sizes, in invented bursts): only the shape can be compared with the paper"
    )
    parts = [
        "### E1: synthetic traces (Table I, Figure 1)",
        synthetic(results),
        "### E2: what the estimator sees at day 9 (Figures 2 and 3)",
        conditions(results),
        f"### E3: production traces (Tables III and IV)\n\nThese are {source}.",
        production(results),
        "### E4: fewer hosts (Figures 6 and 7)",
        scaling(results),
        "### Promises on time that the estimator has not seen",
        unseen(results),
    ]
    if results.combinations("azure"):
        parts += ["### The Azure workloads under a CoSpot placement", azure(results)]
    return "\n\n".join(parts) + "\n"


def put_into(document: Path, text: str) -> None:
    """Replaces what is between the markers of a document."""
    old = document.read_text(encoding="utf-8")
    before, begin, rest = old.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"cospot: {document}: expected the markers {BEGIN} and {END}")
    document.write_text(f"{before}{BEGIN}\n{text}{END}{after}", encoding="utf-8")


def main() -> None:
    """Reads the arguments."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="what run.sh wrote")
    parser.add_argument("--traces", type=Path, required=True, help="folder of ds3.txt and ds5.txt")
    parser.add_argument("--kind", choices=("traces", "stand-ins"), required=True)
    parser.add_argument("--document", type=Path, help="Markdown file with markers")
    arguments = parser.parse_args()
    results = Results(arguments.folder)
    text = page(results, arguments.kind)
    if arguments.document:
        put_into(arguments.document, text)
    figures = "\n\n".join(draw(results, arguments.traces))
    (arguments.folder / "page.md").write_text(
        f"# Promised lifetimes: the paper's evaluation made again\n\n{text}\n{figures}\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
