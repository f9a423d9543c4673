"""A package's docstring says which module may import which: from lines above its own only."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from sample_files import ROOT

NOVA = ROOT / "python" / "cospot" / "nova"
#: More than this is no longer read at a glance.
MOST_LINES = 400
MOST_ARGUMENTS = 4


@pytest.fixture(params=["state", "evictor"])
def package(request):
    return NOVA / str(request.param)


def order(package: Path) -> list[str]:
    """Return the modules as the docstring lists them."""
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text())) or ""
    table = re.split(r"^=+  =+$", text, flags=re.MULTILINE)[1]
    return [line.split()[0] for line in table.strip().splitlines()]


def imported(package: Path, path: str) -> set[str]:
    """Return the modules of the package that one of them imports."""
    name, found = f"cospot.nova.{package.name}", set()
    for node in ast.walk(ast.parse((package / f"{path}.py").read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == name:
            found.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{name}."):
            found.add(str(node.module).removeprefix(f"{name}."))
    return found


def test_the_docstring_lists_every_module(package):
    files = {path.stem for path in package.glob("*.py")} - {"__init__", "__main__"}
    assert sorted(order(package)) == sorted(files)


def test_modules_import_only_from_lines_above(package):
    modules = order(package)
    for line, module in enumerate(modules):
        below = imported(package, module) - set(modules[:line])
        assert not below, f"{module} imports {below}, which is not above it"


def test_modules_and_constructors_stay_small(package):
    for path in package.glob("*.py"):
        text = path.read_text()
        assert len(text.splitlines()) <= MOST_LINES, path.name
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                arguments = len(node.args.args) + len(node.args.kwonlyargs) - 1
                assert arguments <= MOST_ARGUMENTS, f"{path.name}: line {node.lineno}"
