"""The tables as Markdown, and where they stand in a document."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from cospot.errors import ConfigError
from cospot.paper.findings import Finding

BEGIN = "<!-- begin of what examples/paper/run.sh writes; edits are lost -->"
END = "<!-- end of what examples/paper/run.sh writes -->"

_HOLDS = {True: "yes", False: "**no**", "partly": "partly", None: ""}


def findings_table(findings: Iterable[Finding]) -> str:
    """Return the findings as a Markdown table."""
    lines = ["| source | what | CoSpot | here | holds |", "|---|---|---|---|---|"]
    lines += [
        f"| {item.source} | {item.what} | {item.paper} | {item.here} | {_HOLDS[item.holds]} |"
        for item in findings
    ]
    return "\n".join(lines) + "\n"


def groups_table(runs: pd.DataFrame) -> str:
    """Return mean gain, runs that reject a VM and mean VM loss by several columns, as Markdown."""
    kinds = runs["spot"].astype(str).str.startswith("vma").map({True: "vma*", False: "s*"})
    columns: dict[str, pd.Series[Any]] = {
        "headroom": runs["size"],
        "workloads": runs["sampling"],
        "spot policy": kinds,
        "evictor": runs["evictor"],
        "SAF": runs["saf"].map({True: "on", False: "off"}),
        "OTN": runs["otn"],
    }
    lines = [
        "| by | | runs | gain, mean | runs that reject a VM | VM revenue lost, mean |",
        "|---|---|---|---|---|---|",
    ]
    for name, column in columns.items():
        for value, group in runs.groupby(column, observed=True):
            lines.append(
                f"| {name} | {value} | {len(group):,} | {100 * group['gain'].mean():.0f} % | "
                f"{100 * (1 - group['without_vm_loss'].mean()):.0f} % | "
                f"{100 * group['vm_loss'].mean():.4f} % |"
            )
    return "\n".join(lines) + "\n"


def replace_between_markers(document: Path, text: str) -> None:
    """Put the text between the document's markers; the rest of the document stays as it is.

    Raises:
        ConfigError: The document cannot be read, or does not have each marker once, in order.
    """
    before, after = parts_around_markers(document)
    document.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", encoding="utf-8")


def parts_around_markers(document: Path) -> tuple[str, str]:
    """Read what stands before and after a document's markers.

    Raises:
        ConfigError: The document cannot be read, or does not have each marker once, in order.
    """
    try:
        old = document.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{document}: {error}") from error
    before, begin, rest = old.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in after or END in before + after:
        raise ConfigError(f"{document}: expected one line '{BEGIN}' and, below it, one '{END}'")
    return before, after
