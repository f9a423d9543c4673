"""The pages of the Python API: which names stand on which; mkdocstrings fills them in."""

from __future__ import annotations

import ast
from pathlib import Path

_MODULES = {
    "cospot.economy": "cospot.provider.economy",
    "cospot.sla": "cospot.provider.sla",
    "cospot.classes": "cospot.provider.classes",
    "cospot.plots": "cospot.plots",
}


def public_names(package: Path) -> list[str]:
    """Return what the package's `__init__.py` lists in `__all__`."""
    tree = ast.parse((package / "__init__.py").read_text())
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
            return [str(name) for name in ast.literal_eval(statement.value)]
    raise ValueError(f"{package} has no __all__")


def _page(title: str, names: list[str]) -> str:
    return f"# {title}\n\n" + "\n".join(f"::: {name}\n" for name in names)


def write_pages(package: Path, folder: Path) -> None:
    """Write the pages: functions, classes, errors, and one for each public module."""
    modules = {name.partition(".")[2] for name in _MODULES}
    names = [name for name in public_names(package) if name not in modules]
    errors = [name for name in names if name.endswith(("Error", "Warning"))]
    functions = [name for name in names if name[0].islower() and not name.endswith("_plot")]
    functions = [name for name in functions if name != "host_plots"]
    classes = [name for name in names if name[0].isupper() and name not in errors]
    constants = [name for name in classes if name.isupper()]
    classes = [name for name in classes if name not in constants]
    folder.mkdir(parents=True, exist_ok=True)
    for file, title, listed in (
        ("functions", "Functions of `cospot`", functions),
        ("classes", "Classes of `cospot`", classes),
        ("errors", "Errors and constants of `cospot`", errors + constants),
    ):
        (folder / f"{file}.md").write_text(_page(title, [f"cospot.{name}" for name in listed]))
    for name, module in _MODULES.items():
        file = f"{name.partition('.')[2]}-module.md"
        (folder / file).write_text(_page(f"`{name}`", [module]))
