#!/usr/bin/env python3
"""Writes the tables of the Economy class's evaluation from what run.sh computed.

    page.py FOLDER [--document FILE]

FOLDER holds NAME.json of `cospot economy backtest --json`; the tables go to FOLDER/tables.md, and
between <!-- tables --> and <!-- end --> of FILE.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys

TITLES = {
    "krc-80": "KRC jobs at 80 cores, the size of the cluster: four half-years",
    "krc-400": "KRC jobs at 400 cores (1.25 x the most in use): four half-years",
    "cluster39": "cluster39 (capacity 1.2 x the most in use): four times 14 days after 28",
    "bitbrains": "Bitbrains, 50 VMs: two weeks after 14 days",
    "azure": "Azure VMs, capacity their peak: three times 3 days after 5, of hours",
}


def percent(share):
    return f"{100 * share:.1f}%"


def theta(value):
    return "-" if value is None else f"{value:.3f}"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def predictions(report):
    """Return Figure 7 as a table: every prediction beside the least slack that came."""
    chosen = [i for i, c in enumerate(report["confidences"]) if c in (0.5, 0.9)]
    header = ["forecaster", "cycle", "model"]
    header += [f"at {report['confidences'][i]}" for i in chosen] + ["least slack", "mean slack"]
    rows = []
    for one in report["predictions"]:
        if one["forecaster"] not in ("ets", "arima"):
            continue
        model = one["model"].replace(";", ",")
        rows.append([one["forecaster"], str(one["cycle"]), model]
                    + [percent(one["quantities"][i]) for i in chosen]
                    + [percent(one["least_slack"]), percent(one["mean_slack"])])
    return table(header, rows) if rows else ""


def trade_offs(report):
    """Return Figures 6, 8 and 9 as one table."""
    prices = report["prices"]
    header = ["forecaster", "confidence", "promised", "availability", "worst cycle", "error p1",
              "error p50", *[f"theta at {price}" for price in prices]]
    at = {p: i for i, p in enumerate(report["error_percents"])}
    rows, seen = [], set()
    for one in report["trade_offs"]:
        interval = one["forecaster"] not in ("minimum", "oracle")
        if not interval and one["forecaster"] in seen:
            continue  # the same at every confidence
        seen.add(one["forecaster"])
        result = one["result"]
        rows.append([one["forecaster"], f"{one['confidence']}" if interval else "-",
                     percent(result["quantity"]), percent(result["availability"]),
                     percent(result["availability_least"]),
                     percent(one["error_quantiles"][at[1]]),
                     percent(one["error_quantiles"][at[50]]), *map(theta, one["theta"])])
    return table(header, rows)


def slack(reports):
    rows = [[TITLES[name].split(":")[0].split(",")[0], percent(report["usage"]["slack_mean"]),
             percent(report["usage"]["slack_p1"])] for name, report in reports.items()]
    rows.append(["paper: six Google clusters", "57%", "45%"])
    return table(["usage", "mean slack", "99% of samples have more than"], rows)


def text(reports):
    parts = ["### Slack (Figures 3 and 4)\n", slack(reports), ""]
    for name, report in reports.items():
        parts += [f"### {TITLES[name]}\n", trade_offs(report), "", predictions(report), ""]
    return "\n".join(parts).replace("\n\n\n", "\n\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--document", type=pathlib.Path)
    arguments = parser.parse_args()
    reports = {name: json.loads((arguments.folder / f"{name}.json").read_text())
               for name in TITLES if (arguments.folder / f"{name}.json").exists()}
    if not reports:
        sys.exit(f"cospot: {arguments.folder}: there are no results; run run.sh")
    made = text(reports)
    (arguments.folder / "tables.md").write_text(made)
    if arguments.document:
        old = arguments.document.read_text()
        begin, end = "<!-- tables -->\n", "<!-- end -->"
        if old.count(begin) != 1 or old.count(end) != 1:
            sys.exit(f"cospot: {arguments.document}: expected one {begin.strip()} and one {end}")
        before, rest = old.split(begin)
        arguments.document.write_text(before + begin + made + end + rest.split(end)[1])
    print(f"{arguments.folder}/tables.md: {len(reports)} usage series")


if __name__ == "__main__":
    main()
