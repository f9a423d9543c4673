"""The effect of each extension of the broker, everything else equal, over the same seeds.

Reads the CSVs of run.sh (without and with the fallback to on-demand) and writes one table.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from scipy import stats

KEYS = ["market", "bid", "fault_tolerance", "market_choice", "fallback", "seed"]
MEASURES = ["cost_per_useful_job", "deadline_violations", "revocations"]
#: The pairs that are compared, given the rest of the key.
CHANGES: list[tuple[str, str, str, str]] = [
    ("optimal interval instead of hourly snapshots", "fault_tolerance", "migration", "interval"),
    ("cheapest hours instead of the preferred type", "market_choice", "preferred", "cheapest"),
    ("quoted lifetime instead of cheapest hours", "market_choice", "cheapest", "lifetime"),
    ("diversified instead of cheapest hours", "market_choice", "cheapest", "diversified"),
    ("fallback to on-demand", "fallback", "no", "yes"),
]


def read(without: Path, with_fallback: Path) -> pd.DataFrame:
    """Read both studies as one frame by key."""
    frames = [
        pd.read_csv(path).assign(fallback=name)
        for path, name in ((without, "no"), (with_fallback, "yes"))
    ]
    return pd.concat(frames, ignore_index=True).set_index(KEYS)[[*MEASURES, "jobs"]].sort_index()


def mean_and_half_width(values: pd.Series) -> tuple[float, float]:
    """Return the mean and half of its 95 % confidence interval (Student's t)."""
    if len(values) < 2:
        return float(values.mean()), float("nan")
    half = stats.t.ppf(0.975, len(values) - 1) * values.sem()
    return float(values.mean()), float(half)


def rows_of(frame: pd.DataFrame) -> Iterator[str]:
    """Yield a row for every change, market, bid and mechanism."""
    for what, axis, before, after in CHANGES:
        old = frame.xs(before, level=axis)
        new = frame.xs(after, level=axis)
        rest = [key for key in KEYS if key not in (axis, "seed")]
        cost = 100 * (new["cost_per_useful_job"] / old["cost_per_useful_job"] - 1)
        late = 100 * (new["deadline_violations"] - old["deadline_violations"]) / old["jobs"]
        cells = pd.DataFrame(
            {"cost": cost, "late": late, "old": old["revocations"], "new": new["revocations"]}
        ).reset_index()
        base = {"fault_tolerance": "migration", "market_choice": "preferred", "fallback": "no"}
        if what.startswith(("quoted", "diversified")):
            base.pop("market_choice")
        for key, value in base.items():
            if key in rest:
                cells = cells[cells[key] == value]
        for (market, bid), group in cells.groupby(["market", "bid"], sort=False):
            mean, half = mean_and_half_width(group["cost"])
            yield (
                f"| {what} | {market} | {bid} | {mean:+.1f} +/- {half:.1f} % | "
                f"{group['late'].mean():+.2f} | "
                f"{group['old'].mean():,.0f} to {group['new'].mean():,.0f} |"
            )


def text_of(frame: pd.DataFrame) -> str:
    """Write the table of changes in Markdown, and the best combinations below it."""
    lines = [
        "| change | market | bid | cost per useful job | late, % of jobs | revocations |",
        "|---|---|---|---:|---:|---:|",
        *rows_of(frame),
        "",
        "| market | cheapest | cost per useful job (USD) | late |",
        "|---|---|---:|---:|",
    ]
    means = frame.groupby(level=KEYS[:-1]).mean()
    paper = means.xs("preferred", level="market_choice", drop_level=False)
    paper = paper.xs("no", level="fallback", drop_level=False)
    paper = paper[paper.index.get_level_values("fault_tolerance") != "interval"]
    for name, some in (("of the paper's", paper), ("of all", means)):
        for market, group in some.groupby(level="market", sort=False):
            best = group["cost_per_useful_job"].idxmin()
            row = group.loc[best]
            lines.append(
                f"| {market} | {name}: {', '.join(best[1:4])}, fallback {best[4]} | "
                f"{row['cost_per_useful_job']:.5f} | "
                f"{row['deadline_violations'] / row['jobs']:.2%} |"
            )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("without", type=Path)
    parser.add_argument("with_fallback", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    text = text_of(read(arguments.without, arguments.with_fallback))
    arguments.output.write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
