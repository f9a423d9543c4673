"""The page that `cospot report` writes."""

from __future__ import annotations

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
) -> Report:
    """Write the results of a study as one page to look at and filter, as `cospot report` does.

    Args:
        database: The results database (docs/results-format.md).
        output: The file to write.
        title: Of the page; by the study when None.

    Returns:
        Where the page is, and what is in it.

    Raises:
        InputError: The database has no runs or cannot be read, or the page cannot be written.
    """
    runs, size_bytes = _core._write_report(database, output, title)
    return Report(Path(fspath(output)), runs, size_bytes)
