"""``python -m cospot.paper``: figures, tables and a page from the results of an evaluation."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from cospot.errors import InputError
from cospot.paper.differences import differences
from cospot.paper.document import (
    findings_table,
    groups_table,
    parts_around_markers,
    replace_between_markers,
)
from cospot.paper.evaluation import load_evaluation
from cospot.paper.figures import draw_figures
from cospot.paper.findings import all_findings
from cospot.paper.page import evaluation_page


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code: 0, or 2 for input that cannot be used."""
    options = _parser().parse_args(arguments)
    try:
        _write(options)
    except (InputError, OSError) as error:
        print(f"cospot: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m cospot.paper", description=__doc__)
    parser.add_argument("grid", type=Path, help="results database of the grid")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder to write to")
    parser.add_argument("--prior-work", type=Path, help="results database of prior work")
    parser.add_argument("--degradation", type=Path, help="CSV of the study degradation")
    parser.add_argument("--document", type=Path, help="Markdown file with markers for the table")
    parser.add_argument(
        "--timing", choices=("on", "off"), default="on", help="off: leave out what never repeats"
    )
    return parser


def _write(options: argparse.Namespace) -> None:
    if options.document is not None:
        parts_around_markers(options.document)  # before the figures, which take their time
    evaluation = load_evaluation(options.grid, options.prior_work, options.degradation)
    findings = all_findings(evaluation, times=options.timing == "on")
    folder: Path = options.output
    folder.mkdir(parents=True, exist_ok=True)
    pictures = []
    for picture, png in draw_figures(evaluation):
        stem = folder / picture.name.lower().replace(" ", "-")
        stem.with_suffix(".svg").write_bytes(picture.svg)
        stem.with_suffix(".png").write_bytes(png)
        pictures.append(picture)
    labels = [str(label) for label in evaluation.runs["workload"].unique()]
    page = evaluation_page(findings, pictures, labels, differences(evaluation), evaluation.version)
    (folder / "evaluation.html").write_text(page, encoding="utf-8")
    table = findings_table(findings) + "\n" + groups_table(evaluation.runs)
    (folder / "findings.md").write_text(table, encoding="utf-8")
    if options.document is not None:
        replace_between_markers(options.document, table)
    print(f"{len(findings)} findings, {len(pictures)} figures: {folder / 'evaluation.html'}")


if __name__ == "__main__":
    sys.exit(main())
