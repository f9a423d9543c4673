"""What our pages say in GitHub's Markdown, as Python-Markdown, which MkDocs uses, reads it."""

from __future__ import annotations

import re
from collections.abc import Callable

from markdown_it import MarkdownIt

_ITEM = re.compile(r"( *)([-*+]|\d+[.)]) +")
_LINK = re.compile(r"(\]\()([^)\s]+)(\))")
_CODE = re.compile(r"(`+)[^`].*?\1", re.DOTALL)
_DIAGRAM = re.compile(r"^```mermaid\nsequenceDiagram\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PARTICIPANT = re.compile(r"participant (\w+) as (.*)")
_MESSAGE = re.compile(r"(\w+)-{1,2}(?:>>|\))(\w+): (.*)")
_NOTE = re.compile(r"Note over (\w+): (.*)")
_PARSER = MarkdownIt("commonmark").enable("table")


def _spaces(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def adapt(text: str) -> str:
    """Indent what is inside list items by four spaces a level, and set lists and tables apart.

    CommonMark indents by the width of the item's marker, and lets lists and tables follow upon a
    paragraph.
    """
    lines = text.split("\n")
    widths = [0] * len(lines)  # of the indentation that list items take, by line
    levels = [0] * len(lines)
    markers: dict[int, re.Match[str]] = {}
    apart = set()
    for token in _PARSER.parse(text):
        if token.map is None:
            continue
        begin, end = token.map
        if token.type == "list_item_open":
            marker = _ITEM.match(lines[begin])
            if marker is None:
                raise ValueError(f"no item of a list: {lines[begin]!r}")
            markers[begin] = marker
            for number in range(begin, end):
                widths[number] = len(marker[0])
                levels[number] += 1
        if token.type == "table_open" or (token.type.endswith("_list_open") and token.level == 0):
            apart.add(begin)
    adapted = []
    for number, line in enumerate(lines):
        if number in apart and number > 0 and lines[number - 1].strip():
            adapted.append("    " * (levels[number] - (number in markers)))
        indent = "    " * levels[number]
        if number in markers:
            marker = markers[number]
            adapted.append(f"{indent[4:]}{marker[2]} {line[marker.end() :]}")
        elif indent and line.strip():
            adapted.append(indent + line[min(widths[number], _spaces(line)) :])
        else:
            adapted.append(line)
    return "\n".join(adapted)


def _code_blocks(text: str) -> list[tuple[int, int]]:
    """Return the lines of the blocks of code, fenced and indented."""
    return [
        (token.map[0], token.map[1])
        for token in _PARSER.parse(text)
        if token.type in ("fence", "code_block") and token.map is not None
    ]


def change_links(text: str, change: Callable[[str], str]) -> str:
    """Change the addresses of the links of a page; what stands in code is none."""
    lines = text.split("\n")
    kept: list[str] = []

    def keep(part: str) -> str:
        kept.append(part)
        return f"\0{len(kept) - 1}\0"

    for begin, end in _code_blocks(text):
        for number in range(begin, end):
            lines[number] = keep(lines[number])
    text = _CODE.sub(lambda code: keep(code[0]), "\n".join(lines))
    text = _LINK.sub(lambda link: link[1] + change(link[2]) + link[3], text)
    while "\0" in text:
        text = re.sub("\0(\\d+)\0", lambda part: kept[int(part[1])], text)
    return text


def list_diagrams(text: str) -> str:
    """Write sequence diagrams as lists: what draws them would have to be loaded from elsewhere."""
    return _DIAGRAM.sub(lambda diagram: _as_list(diagram[1]), text)


def _as_list(diagram: str) -> str:
    names: dict[str, str] = {}
    items: list[str] = []
    indent = ""
    for line in (line.strip().replace("<br/>", " ") for line in diagram.splitlines()):
        if found := _PARTICIPANT.fullmatch(line):
            names[found[1]] = found[2]
        elif found := _MESSAGE.fullmatch(line):
            items.append(f"{indent}- **{names[found[1]]} → {names[found[2]]}:** {found[3]}")
        elif found := _NOTE.fullmatch(line):
            items.append(f"{indent}- *{names[found[1]]}:* {found[2]}")
        elif line.startswith("loop "):
            items.append(f"{indent}- {line.removeprefix('loop ').capitalize()}:")
            indent += "  "
        elif line == "end":
            indent = indent[2:]
        else:
            raise ValueError(f"a sequence diagram has the unknown line {line!r}")
    return "\n".join(items)
