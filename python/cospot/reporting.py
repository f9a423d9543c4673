"""The page that `cospot report` writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

from cospot import _core


@dataclass(frozen=True)
class Report:
    """A page of results, to open in a browser."""

    path: Path
    runs: int  #: that it shows
    size_bytes: int


def report(
    database: str | PathLike[str],
    output: str | PathLike[str] = "report.html",
    *,
    title: str | None = None,
    price: Mapping[str, float | str] | str | PathLike[str] | None = None,
    before: str | PathLike[str] | None = None,
) -> Report:
    """Write the results of a study as one page to look at and filter, as `cospot report` does.

    Args:
        database: The results database (docs/results-format.md).
        output: The file to write.
        title: Of the page; by the study when None.
        price: Of a vCPU-hour, a dict with on_demand and spot, and if wanted economy and currency;
            or a file of prices by flavor. None: those that were kept with the results, if any.
        before: Another database of the same study, to compare this one with.

    Returns:
        Where the page is, and what is in it.

    Raises:
        ConfigError: A price is missing or out of range, or no money is put on this study.
        InputError: A database has no runs or cannot be read, or the page cannot be written.
    """
    databases = [database] if before is None else [before, database]
    runs, size_bytes = _core._write_report(databases, output, title, price)
    return Report(Path(fspath(output)), runs, size_bytes)
