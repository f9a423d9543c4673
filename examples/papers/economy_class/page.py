"""Backtests of the Economy class on public data: Figures 3, 4 and 6 to 9 of the paper as tables.

Source: Carvalho et al., "Long-term SLOs for reclaimed cloud computing resources", SoCC 2014.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from cospot import economy
from cospot.errors import InputError
from economy_class import findings, plots
from reproduction import command
from reproduction.page import Page, Section, Table, percent


@dataclass(frozen=True)
class Series:
    """Usage that is backtested: what it is called, and settings of the study ``economy``."""

    title: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return its name in tables."""
        return re.split(r"[:,(]", self.title)[0].strip()


#: Confidences of the document; the page of the run has all.
SHOWN = (0.5, 0.9)
#: Days that are promised where the series does not say otherwise.
HALF_YEAR = 182
SERIES = {
    "krc-80": Series("KRC jobs at 80 cores, the size of the cluster: four half-years"),
    "krc-400": Series("KRC jobs at 400 cores (1.25 x the most in use): four half-years"),
    "cluster39": Series(
        "cluster39 (capacity 1.2 x the most in use): four times 14 days after 28",
        {"gaps": "repeat", "training_days": 28, "horizon_days": 14},
    ),
    "wagap": Series(
        "wagap, cores: three times 14 days after 28", {"training_days": 28, "horizon_days": 14}
    ),
    "wagap-memory": Series(
        "wagap memory, as jobs request it: three times 14 days after 28",
        {"training_days": 28, "horizon_days": 14},
    ),
    "bitbrains": Series(
        "Bitbrains, 50 VMs: two weeks after 14 days", {"training_days": 14, "horizon_days": 7}
    ),
    "google": Series(
        f"{findings.GOOGLE}: two weeks after 14 days", {"training_days": 14, "horizon_days": 7}
    ),
    "azure": Series(
        "Azure VMs, capacity their peak: three times 3 days after 5, of hours",
        {"period_hours": 1, "training_days": 5, "horizon_days": 3},
    ),
}


def theta(value: float | None) -> str:
    """Return a profit relative to spots alone."""
    return "-" if value is None else f"{value:.3f}"


def predictions(past: economy.Backtest) -> Table:
    """Return Figure 7 as a table: every prediction beside the least slack that came."""
    chosen = [i for i, confidence in enumerate(past.confidences) if confidence in (0.5, 0.9)]
    told = [f"at {past.confidences[i]}" for i in chosen]
    header = ["forecaster", "cycle", "model", *told, "least slack", "mean slack"]
    rows = [
        [one.forecaster, str(one.cycle), one.model.replace(";", ",")]
        + [percent(one.quantities[i]) for i in chosen]
        + [percent(one.least_slack), percent(one.mean_slack)]
        for one in past.predictions
        if one.forecaster in ("ets", "arima")
    ]
    return Table(header, rows)


def trade_offs(past: economy.Backtest, confidences: Collection[float] | None = None) -> Table:
    """Return Figures 6, 8 and 9 as one table, of some confidences only if they are given."""
    prices = [f"theta at {price:g}" for price in past.prices]
    header = ["forecaster", "confidence", "promised", "availability", "worst cycle", "error p1",
              "error p50", *prices]  # fmt: skip
    rows = []
    seen = set()
    for one in past.trade_offs:
        has_interval = one.forecaster not in ("minimum", "oracle")
        if not has_interval and one.forecaster in seen:
            continue  # the same at every confidence
        if has_interval and confidences is not None and one.confidence not in confidences:
            continue
        seen.add(one.forecaster)
        shares = (
            one.result.quantity,
            one.result.availability,
            one.result.availability_least,
            one.error_quantiles[1],
            one.error_quantiles[50],
        )
        confidence = f"{one.confidence}" if has_interval else "-"
        rows.append([one.forecaster, confidence, *map(percent, shares), *map(theta, one.theta)])
    return Table(header, rows)


def is_promised(past: economy.Backtest) -> bool:
    """Return whether anything is promised by who knows the future, or by all who do not."""
    oracles = [one for one in past.trade_offs if one.forecaster == "oracle"]
    return any(one.result.quantity > 0 for one in oracles or past.trade_offs)


def slack(reports: Mapping[str, economy.Backtest]) -> Table:
    """Return how much of every usage is unused."""
    rows = [
        (
            SERIES[name].name,
            percent(past.usage.slack_mean),
            percent(past.usage.slack_p1),
        )
        for name, past in reports.items()
    ]
    rows.append(("paper: six Google clusters", "57%", "45%"))
    return Table(("usage", "mean slack", "99% of samples have more than"), rows)


def parts_of_slack(path: Path) -> tuple[float, float]:
    """Return the standard deviations of what is not reserved, and of what is but is unused."""
    usage = pd.read_csv(path)
    shares = usage[["reserved", "used"]].div(usage["capacity"], axis=0)
    unused = shares["reserved"] - shares["used"]
    return float(shares["reserved"].std(ddof=0)), float(unused.std(ddof=0))


def _page(options: argparse.Namespace) -> Page:
    reports: dict[str, economy.Backtest] = {}
    usages: dict[str, Path] = {}
    started = time.perf_counter()
    for name, series in SERIES.items():
        usage = options.azure if name == "azure" else options.folder / f"{name}.csv.gz"
        if usage is None or not usage.exists():
            continue
        reports[name] = economy.backtest(
            usage,
            forecasters=options.forecasters.split(","),
            prices=[0.3, 0.5, 0.7, 1],
            **series.settings,
        )
        if name != "azure":  # a workload, not usage
            usages[series.name] = usage
    seconds = time.perf_counter() - started
    if not reports:
        raise InputError(f"{options.folder}: there is no usage; run.sh makes it")
    by_name = {SERIES[name].name: past for name, past in reports.items()}
    cell = usages.get(findings.GOOGLE)
    found = findings.all_findings(by_name, seconds, parts_of_slack(cell) if cell else None)
    horizons = {
        SERIES[name].name: SERIES[name].settings.get("horizon_days", HALF_YEAR) for name in reports
    }
    return Page(
        title="The Economy class on public data",
        paper='Carvalho et al., "Long-term SLOs for reclaimed cloud computing resources", '
        "SoCC 2014.",
        sections=[
            Section(SERIES[name].title, [trade_offs(past, SHOWN)])
            for name, past in reports.items()
            if is_promised(past)
        ],
        drawings=plots.drawings(by_name, usages, horizons),
        notes=[
            Section("Slack (Figures 3 and 4)", [slack(reports)]),
            *(
                Section(
                    f"{SERIES[name].name}: every confidence, and predictions (Figure 7)",
                    [table for table in (trade_offs(past), predictions(past)) if table.rows],
                )
                for name, past in reports.items()
            ),
        ],
        findings=found,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m economy_class.page", description=__doc__)
    parser.add_argument("folder", type=Path, help="usage over time, as run.sh makes it")
    parser.add_argument("--azure", type=Path, help="a workload of Azure VMs")
    parser.add_argument("--forecasters", default="mean,minimum,arima,ets,oracle")
    return command.run(parser, _page, arguments)


if __name__ == "__main__":
    sys.exit(main())
