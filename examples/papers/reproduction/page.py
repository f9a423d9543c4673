"""A reproduction as Markdown, and as one HTML file that needs nothing beside it."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from matplotlib.figure import Figure

from reproduction.finding import Finding

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff; }
table { border-collapse: collapse; font-size: 13.5px; }
th, td { text-align: left; vertical-align: top; padding: .3rem .7rem .3rem 0;
  border-bottom: 1px solid #ddd; }
.number { text-align: right; }
td b { color: #a33000; font-weight: 600; }
figure { margin: 2rem 0; } figure img { max-width: 100%; }
figcaption { font-size: 13.5px; color: #444; }
""".strip()


@dataclass(frozen=True)
class Table:
    """A table; cells may hold ``**bold**`` and ```code```.

    Attributes:
        header: Names of the columns.
        rows: Cells of every row.
        text_columns: So many columns stand at the left, the rest are numbers; None: all are text.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    text_columns: int | None = None

    def markdown(self) -> str:
        """Return the table in Markdown."""
        texts = len(self.header) if self.text_columns is None else self.text_columns
        rule = "|" + "---|" * texts + "---:|" * (len(self.header) - texts)
        lines = ["| " + " | ".join(row) + " |" for row in (self.header, *self.rows)]
        return "\n".join([lines[0], rule, *lines[1:]]) + "\n"

    def html(self) -> str:
        """Return the table as HTML."""
        rows = [self._html_row("th", self.header), *(self._html_row("td", r) for r in self.rows)]
        return f"<table><thead>{rows[0]}</thead><tbody>{''.join(rows[1:])}</tbody></table>"

    def _html_row(self, tag: str, cells: Sequence[str]) -> str:
        texts = len(cells) if self.text_columns is None else self.text_columns
        marks = [""] * texts + [' class="number"'] * (len(cells) - texts)
        made = (
            f"<{tag}{mark}>{_inline(cell)}</{tag}>" for mark, cell in zip(marks, cells, strict=True)
        )
        return f"<tr>{''.join(made)}</tr>"


def findings_table(findings: Iterable[Finding], paper: str) -> Table:
    """Return findings as a table; `paper`: what the paper is called in it."""
    return Table(
        ("source", "what", paper, "here", "verdict"),
        [(one.source, one.what, one.paper, one.here, one.verdict or "") for one in findings],
    )


@dataclass(frozen=True)
class Section:
    """A part of a page: its heading (may be empty) and below it paragraphs and tables."""

    heading: str
    parts: Sequence[str | Table]


@dataclass(frozen=True)
class Drawing:
    """A figure of the paper, drawn again: ``Figure 2``, and what it shows."""

    name: str
    caption: str
    figure: Figure

    @property
    def stem(self) -> str:
        """The name of its files, without what follows the dot."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower())


@dataclass(frozen=True)
class Page:
    """A reproduction.

    Attributes:
        title: What was made again.
        paper: Authors, title, where it was published.
        sections: What goes into the document too.
        drawings: Made one by one when they are written.
        notes: Sections that only the page has.
        findings: The published results beside ours. The page has them, and
            docs/evidence.md; the document, which would repeat them, has not.
    """

    title: str
    paper: str
    sections: Sequence[Section]
    drawings: Iterable[Drawing] = ()
    notes: Sequence[Section] = ()
    findings: Sequence[Finding] = ()

    def markdown(self) -> str:
        """Return the sections in Markdown."""
        return "\n".join(_markdown(self.sections))

    def html(self, pictures: Iterable[tuple[Drawing, bytes]]) -> str:
        """Return all of it as HTML, the drawings as SVG."""
        figures = [_html_picture(drawing, svg) for drawing, svg in pictures]
        parts = [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta http-equiv="Content-Security-Policy" '
            "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">",
            f"<title>{escape(self.title)}</title><style>{_STYLE}</style></head><body>",
            f"<h1>{escape(self.title)}</h1><p>{escape(self.paper)}</p>",
            *_html([Section("What the paper published", [findings_table(self.findings, "paper")])]),
            *_html(self.sections),
            *(["<h2>Figures</h2>", *figures] if figures else []),
            *_html(self.notes),
            "</body></html>",
        ]
        return "\n".join(parts) + "\n"


def percent(fraction: float, digits: int = 1) -> str:
    """Return ``12.3%`` of 0.123."""
    return f"{100 * fraction:.{digits}f}%"


def _markdown(sections: Iterable[Section]) -> Iterator[str]:
    for section in sections:
        if section.heading:
            yield f"### {section.heading}\n"
        for part in section.parts:
            yield part.markdown() if isinstance(part, Table) else part + "\n"


def _html(sections: Iterable[Section]) -> Iterator[str]:
    for section in sections:
        if section.heading:
            yield f"<h2>{escape(section.heading)}</h2>"
        for part in section.parts:
            yield part.html() if isinstance(part, Table) else f"<p>{_inline(part)}</p>"


def _inline(text: str) -> str:
    bold = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", escape(text))
    return re.sub(r"`(.+?)`", r"<code>\1</code>", bold)


def _html_picture(drawing: Drawing, svg: bytes) -> str:
    data = base64.b64encode(svg).decode("ascii")
    name, caption = escape(drawing.name), escape(drawing.caption)
    # An image of its own, so that the names inside one drawing cannot meet those of another.
    return (
        f'<figure id="{drawing.stem}">'
        f'<img alt="{name}: {caption}" src="data:image/svg+xml;base64,{data}">'
        f"<figcaption><b>{name}.</b> {caption}</figcaption></figure>"
    )
