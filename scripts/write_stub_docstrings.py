#!/usr/bin/env python3
"""Adds the docstrings of the compiled module to its stub, for editors that do not run it.

Usage: PYTHONPATH=build/release/python scripts/write_stub_docstrings.py STUB OUTPUT

The build calls it. Where the module cannot be loaded, as when it is built for another machine, the
stub stays without docstrings.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from pathlib import Path
from typing import Any


def bound_docstring(module: Any, path: list[str]) -> str:
    bound = module
    for name in path:
        bound = inspect.getattr_static(bound, name)
    return (getattr(bound, "__func__", bound).__doc__ or "").strip()


def documented(source: str, module: Any) -> str:
    """Return the stub with the docstrings of the module."""
    lines = source.splitlines()
    edits: list[tuple[int, int, list[str]]] = []  # first line, end, what comes instead
    for path, node in named_nodes(ast.parse(source)):
        text = bound_docstring(module, path)
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
        if isinstance(node, ast.ClassDef) and first.lineno > node.lineno:
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


def main(stub: Path, output: Path) -> None:
    source = stub.read_text()
    try:
        source = documented(source, importlib.import_module("cospot._core"))
    except ImportError as error:
        print(f"{output}: without docstrings: {error}", file=sys.stderr)
    output.unlink(missing_ok=True)  # it may be a link to the stub
    output.write_text(source)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
