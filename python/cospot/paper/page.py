"""The evaluation as one HTML file that needs nothing beside it."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from cospot.paper.findings import Finding

_HOLDS = {True: "yes", False: "no", "partly": "partly", None: ""}

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff; }
table { border-collapse: collapse; font-size: 13.5px; }
th, td { text-align: left; vertical-align: top; padding: .3rem .7rem .3rem 0;
  border-bottom: 1px solid #ddd; }
td.no { color: #a33000; font-weight: 600; }
figure { margin: 2rem 0; } figure img { max-width: 100%; }
figcaption { font-size: 13.5px; color: #444; }
""".strip()


@dataclass(frozen=True)
class Picture:
    """A figure to show: its name, what it says, and it as SVG."""

    name: str
    caption: str
    svg: bytes


def evaluation_page(
    findings: Iterable[Finding],
    pictures: Sequence[Picture],
    workloads: Sequence[str],
    notes: Sequence[str],
    version: str,
) -> str:
    """Return the page.

    Args:
        findings: The table.
        pictures: The figures, in order.
        workloads: Labels of what was run.
        notes: Sentences on why numbers may differ from the paper's.
        version: Of the cospot that ran the grid.
    """
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">",
        f"<title>CoSpot's evaluation, made again</title><style>{_STYLE}</style></head><body>",
        "<h1>CoSpot's evaluation, made again</h1>",
        f"<p>cospot {escape(version)}, {len(workloads)} workloads. The paper: Iqbal et al., "
        '"CoSpot", SoCC\'22.</p>',
        "<h2>Findings and printed numbers</h2>",
        _table(findings),
        "<h2>Why numbers may differ</h2><ul>",
        *(f"<li>{escape(text)}</li>" for text in notes),
        "</ul><h2>Figures</h2>",
        *(_figure(picture) for picture in pictures),
        "<h2>Workloads</h2><ul>",
        *(f"<li>{escape(label)}</li>" for label in workloads),
        "</ul></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _table(findings: Iterable[Finding]) -> str:
    head = "".join(f"<th>{name}</th>" for name in ("source", "what", "CoSpot", "here", "holds"))
    rows = []
    for item in findings:
        cells = "".join(
            f"<td>{escape(text)}</td>" for text in (item.source, item.what, item.paper, item.here)
        )
        mark = ' class="no"' if item.holds is False else ""
        rows.append(f"<tr>{cells}<td{mark}>{_HOLDS[item.holds]}</td></tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _figure(picture: Picture) -> str:
    data = base64.b64encode(picture.svg).decode("ascii")
    name, caption = escape(picture.name), escape(picture.caption)
    # An image of its own, so that the names inside one drawing cannot meet those of another.
    return (
        f'<figure id="{name.lower().replace(" ", "-")}">'
        f'<img alt="{name}: {caption}" src="data:image/svg+xml;base64,{data}">'
        f"<figcaption><b>{name}.</b> {caption}</figcaption></figure>"
    )
