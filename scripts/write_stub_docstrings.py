#!/usr/bin/env python3
"""Writes the docstrings of the compiled module into its stub, for editors that do not run it.

Usage: PYTHONPATH=build/release/python scripts/write_stub_docstrings.py
"""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

from cospot import _core

STUB = Path(__file__).resolve().parents[1] / "python/cospot/_core.pyi"


def bound_docstring(path: list[str]) -> str:
    bound = _core
    for name in path:
        bound = inspect.getattr_static(bound, name)
    return (getattr(bound, "__func__", bound).__doc__ or "").strip()


def is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def documented(source: str) -> str:
    """Return the stub with the docstrings of the module instead of its own."""
    lines = source.splitlines()
    edits: list[tuple[int, int, list[str]]] = []  # first line, end, what comes instead
    for path, node in named_nodes(ast.parse(source)):
        text = bound_docstring(path)
        if path[-1].startswith("__") and path[-1] != "__init__":
            continue
        indent = " " * (node.col_offset + 4)
        quoted = ast.unparse(ast.Constant(text)) if "\\" in text else text
        if "\n" in quoted:
            doc = [f'{indent}"""{quoted.splitlines()[0]}']
            doc += [f"{indent}{line}".rstrip() for line in quoted.splitlines()[1:]]
            doc.append(f'{indent}"""')
        else:
            doc = [f'{indent}"""{quoted}"""']
        first = node.body[0]
        if is_docstring(first) and first.value.value is not ...:
            edits.append((first.lineno - 1, first.end_lineno or 0, doc))
        elif isinstance(node, ast.ClassDef):
            start = first.decorator_list[0].lineno if first.decorator_list else first.lineno
            edits.append((start - 1, start - 1, doc))
        else:
            line = lines[first.lineno - 1].removesuffix("...").rstrip()
            edits.append((first.lineno - 1, first.lineno, [line, *doc]))
    for start, end, text in sorted(edits, reverse=True):
        lines[start:end] = text
    return "\n".join(lines) + "\n"


def named_nodes(tree: ast.Module) -> list[tuple[list[str], ast.FunctionDef | ast.ClassDef]]:
    found: list[tuple[list[str], ast.FunctionDef | ast.ClassDef]] = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.append(([node.name], node))
        if isinstance(node, ast.ClassDef):
            found += [
                ([node.name, member.name], member)
                for member in node.body
                if isinstance(member, ast.FunctionDef)
            ]
    return found


if __name__ == "__main__":
    STUB.write_text(documented(STUB.read_text()))
