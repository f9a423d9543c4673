"""The page written by `cospot report`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

from cospot import _core
from cospot.argument_errors import checked


@dataclass(frozen=True)
class Report:
    """A page of results to open in a browser."""

    path: Path
    runs: int  #: number of runs shown
    size_bytes: int


@checked
def report(
    database: str | PathLike[str],
    output: str | PathLike[str] = "report.html",
    *,
    title: str | None = None,
    price: Mapping[str, float | str] | str | PathLike[str] | None = None,
    before: str | PathLike[str] | None = None,
) -> Report:
    """Write the results of a study as an interactive page, as `cospot report` does.

    Args:
        database: The results database (docs/results-format.md).
        output: The file to write.
        title: Of the page; None: derived from the study.
        price: Per vCPU-hour: a dict with on_demand and spot, and optionally economy and currency;
            or a file of prices by flavor. None: the prices stored with the results, if any.
        before: Another database of the same study, for comparison.

    Returns:
        The page's path and its contents.

    Raises:
        ConfigError: A price is missing or out of range, or this study takes no prices.
        InputError: A database has no runs or cannot be read, or the page cannot be written.
    """
    databases = [database] if before is None else [before, database]
    runs, size_bytes = _core._write_report(databases, output, title, price)
    return Report(Path(fspath(output)), runs, size_bytes)
