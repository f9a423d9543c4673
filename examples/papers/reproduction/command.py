"""The command of a reproduction: it reads results, and writes one page of them."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib as mpl
from cospot.errors import CospotError
from matplotlib import pyplot
from matplotlib.figure import Figure

from reproduction.document import parts_around_markers, replace_between_markers
from reproduction.finding import findings_json
from reproduction.page import Page

# Names inside an SVG are drawn at random unless they are salted.
_REPEATABLE = {"svg.hashsalt": "cospot", "svg.fonttype": "path"}


def run(
    parser: argparse.ArgumentParser,
    make_page: Callable[[argparse.Namespace], Page],
    arguments: Sequence[str] | None = None,
) -> int:
    """Make a page and write it; return the exit code: 0, or 2 for input that cannot be used.

    Written are ``evaluation.html``, ``findings.md``, ``findings.json`` of a page that has findings,
    and every drawing as SVG and PNG, the same bytes for the same results. Options of every
    reproduction are added to the parser.
    """
    mpl.use("agg")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder to write to")
    parser.add_argument("--document", type=Path, help="Markdown file with markers for the tables")
    options = parser.parse_args(arguments)
    try:
        if options.document is not None:
            parts_around_markers(options.document)  # before the work, which takes its time
        _write(make_page(options), options.output, options.document)
    except (CospotError, OSError) as error:
        print(f"cospot: {error}", file=sys.stderr)
        return 2
    return 0


def _write(page: Page, folder: Path, document: Path | None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    pictures = []
    for drawing in page.drawings:
        pictures.append((drawing, _bytes_of(drawing.figure, "svg")))
        (folder / f"{drawing.stem}.svg").write_bytes(pictures[-1][1])
        (folder / f"{drawing.stem}.png").write_bytes(_bytes_of(drawing.figure, "png"))
        pyplot.close(drawing.figure)
    (folder / "evaluation.html").write_text(page.html(pictures), encoding="utf-8")
    text = page.markdown()
    (folder / "findings.md").write_text(text, encoding="utf-8")
    if page.findings:
        (folder / "findings.json").write_text(findings_json(page.findings), encoding="utf-8")
    if document is not None:
        replace_between_markers(document, text)
    print(f"{folder / 'evaluation.html'}: {len(pictures)} figures")


def _bytes_of(figure: Figure, kind: str) -> bytes:
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with mpl.rc_context(_REPEATABLE), io.BytesIO() as file:
        figure.savefig(file, format=kind, metadata=metadata)
        return file.getvalue()
