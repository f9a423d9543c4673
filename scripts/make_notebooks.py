#!/usr/bin/env python3
"""Makes examples/notebooks/*.ipynb from the readable files in examples/notebooks/source/.

A source is a Python file in cells: "# %% [markdown]" starts one of text, "# %%" one of code, and
"# %% [check]" one of code that a reader may skip: it is folded away and makes a wrong result fail
the tests. A line "<!-- file: PATH -->" of a text stands for that C++ file of the repository, so
that a notebook needs no file beside it. The notebooks are stored without outputs; the tests run
them from top to bottom.

    scripts/make_notebooks.py           # write them
    scripts/make_notebooks.py --check   # only say whether they are up to date
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "examples" / "notebooks"
MARKER = re.compile(r"^# %%(?: \[(markdown|check)\])?$", re.MULTILINE)
FILE = re.compile(r"^<!-- file: (\S+) -->$", re.MULTILINE)
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def _shown(file: re.Match[str]) -> str:
    """Return the file that a text names, as a block of C++."""
    return f"```cpp\n{(ROOT / file[1]).read_text(encoding='utf-8').strip()}\n```"


def notebook_text(source: Path) -> str:
    """Return the notebook of a source file, as JSON text."""
    _, *parts = MARKER.split(source.read_text(encoding="utf-8"))
    cells = []
    for number, (kind, body) in enumerate(zip(parts[::2], parts[1::2], strict=True)):
        text = body.strip("\n")
        # Fixed ids: the same source gives the same bytes.
        options = {"id": f"cell-{number}"}
        if kind == "markdown":
            prose = re.sub("^# ?", "", text, flags=re.MULTILINE)
            cells.append(new_markdown_cell(FILE.sub(_shown, prose), **options))
            continue
        folded = {"jupyter": {"source_hidden": True}, "tags": ["check"]}
        metadata = folded if kind == "check" else {}
        cells.append(new_code_cell(text, metadata=metadata, **options))
    notebook = new_notebook(cells=cells, metadata=METADATA)
    notebook.nbformat_minor = 5
    nbformat.validate(notebook)
    return str(nbformat.writes(notebook)).rstrip("\n") + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if out of date")
    arguments = parser.parse_args()
    outdated = []
    for source in sorted((FOLDER / "source").glob("*.py")):
        notebook = FOLDER / f"{source.stem}.ipynb"
        text = notebook_text(source)
        if notebook.exists() and notebook.read_text(encoding="utf-8") == text:
            continue
        outdated.append(notebook.name)
        if not arguments.check:
            notebook.write_text(text, encoding="utf-8")
    if outdated:
        print(("out of date: " if arguments.check else "written: ") + ", ".join(outdated))
    return 1 if arguments.check and outdated else 0


if __name__ == "__main__":
    sys.exit(main())
