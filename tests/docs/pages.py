"""The blocks of code and the commands in a sentence, of every page that people read.

A block is fenced (```sh, ```console, ```python), or indented by four spaces and begins with a
command. A comment `<!-- not run: REASON -->` right before it says that no test can run it; the
names of its commands and options are checked all the same. `<!-- run: NAME -->` says that
tests/workloads/test_cookbook_import.py runs it.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")),
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "examples").rglob("*.md")),
]
SHELL = ("sh", "console")

_FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?<=\n\n)(?: {4}.*\n|\n(?= {4}))+")
_MARKER = re.compile(r"<!-- (not run|run): ([^>]*?) -->\s*\Z")
_PROMPT = re.compile(r"^\$ ", re.MULTILINE)
#: How an indented block of commands begins; others are of text, CSV or YAML.
_COMMAND = re.compile(
    r"(?:[A-Z_]+=\S* )*(?:cospot|cospot-nova|sqlite3|python3|/usr/bin/python3|awk|find|cd|export|"
    r"for|examples/\S+\.sh|scripts/\S+\.py|data=\S+|\(grep)(?: |\n)"
)
_SPAN = re.compile(r"`((?:[A-Z_]+=\S+ )?(?:/usr/bin/time \S+ \S+ )?cospot(?:-\w+)? [^`]+)`")


@dataclass(frozen=True)
class Block:
    """Some code of a page."""

    page: str
    line: int
    language: str
    text: str
    not_run: str = ""  # why, as the page says
    run_by: str = ""  # another test, by the page

    @property
    def place(self) -> str:
        """Where it begins."""
        return f"{self.page}:{self.line}"


def text_of(page: str) -> str:
    """Return a page."""
    return (ROOT / page).read_text(encoding="utf-8")


def _block(page: str, text: str, start: int, language: str, code: str) -> Block:
    marker = _MARKER.search(text, 0, start)
    said = {} if marker is None else {marker[1]: marker[2]}
    return Block(
        page, text.count("\n", 0, start) + 1, language, textwrap.dedent(_PROMPT.sub("", code)),
        not_run=said.get("not run", ""), run_by=said.get("run", ""),
    )  # fmt: skip


def blocks(page: str) -> list[Block]:
    """Return the blocks of shell and Python code of a page, in their order."""
    text = text_of(page)
    found = [
        _block(page, text, fence.start(), fence[2], fence[3])
        for fence in _FENCE.finditer(text)
        if fence[2] in (*SHELL, "python")
    ]
    # Lines within fences are blanked out, so that places stay the same.
    outside = _FENCE.sub(lambda fence: re.sub(r"[^\n]", "x", fence[0]), text)
    found += [
        _block(page, text, code.start(), "sh", code[0])
        for code in _INDENTED.finditer(outside)
        if _COMMAND.match(textwrap.dedent(code[0]))
    ]
    return sorted(found, key=lambda block: block.line)


def spans(page: str) -> list[Block]:
    """Return the commands that stand in sentences and tables."""
    text = _FENCE.sub(lambda fence: re.sub(r"[^\n]", "x", fence[0]), text_of(page))
    return [
        Block(page, text.count("\n", 0, span.start()) + 1, "sh", " ".join(span[1].split()))
        for span in _SPAN.finditer(text)
    ]
