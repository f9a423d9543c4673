"""A comment begins with a noun or a verb, not with a question word: a sentence, not half of one."""

import ast
import re
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CPP = ("core", "filters", "weighers", "evictors", "guarantees", "bindings", "sim_harness")
HALF = re.compile(r"(What|Whether|Of|Those|Who|Whose|How|Where|Which)\b")
COMMENT = re.compile(r"(?:(?<=\n)|^)((?: *(?://+|/\*+)[^\n]*\n)+)|///< *([^\n]*)")


def openings(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return [(block or after).lstrip(" /*<") for block, after in COMMENT.findall(text)]
    known = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, known)]
    lines = [line.strip() for line in text.splitlines()]
    named = [
        line[2:].lstrip()
        for before, line in pairwise(["", *lines])
        if line.startswith("#:") and not before.startswith("#:")
    ]
    return [*(ast.get_docstring(node) or "" for node in found), *named]


def test_no_comment_begins_with_a_question_word() -> None:
    files = [path for folder in CPP for path in (ROOT / folder).rglob("*.[chj]*")]
    files += [
        path for name in ("python", "scripts", "examples") for path in (ROOT / name).rglob("*.py")
    ]
    assert len(files) > 900
    bad = [f"{path}: {text[:60]}" for path in files for text in openings(path) if HALF.match(text)]
    assert not bad, "\n".join(bad)
