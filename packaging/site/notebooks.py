"""The notebooks as pages: run from top to bottom, with their outputs."""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path

import nbformat
from nbclient.client import NotebookClient
from nbconvert import MarkdownExporter

_KERNEL = "cospot-site"
# pandas dresses its tables; here they are to look as all others.
_TABLE = re.compile(r'<table border="1" class="dataframe">')
_TABLE_STYLE = re.compile(r"<style scoped>.*?</style>\s*", re.DOTALL)
# A bar in text is drawn over itself: its last state stays.
_OVERDRAWN = re.compile(r"^( *)[^\n]*\r", re.MULTILINE)


def _make_kernel(folder: Path, python: Path) -> None:
    kernel = folder / "kernels" / _KERNEL
    kernel.mkdir(parents=True)
    command = [str(python), "-Xfrozen_modules=off", "-m", "ipykernel_launcher"]
    command += ["-f", "{connection_file}"]
    said = {"argv": command, "display_name": "Python", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(said))


def shown(notebook: Path, page: Path, python: Path) -> str:
    """Run a notebook, and return it as Markdown; its pictures go beside the page.

    Cells with the tag `check` run, so that a wrong result fails the build, and are left out.

    Args:
        notebook: The file; it is not changed.
        page: What will be the Markdown file.
        python: Interpreter that has cospot and what the notebook imports.
    """
    content = nbformat.read(notebook, as_version=4)  # type: ignore[no-untyped-call]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _make_kernel(folder / "jupyter", python)
        os.environ["JUPYTER_PATH"] = str(folder / "jupyter")
        place = {"metadata": {"path": scratch}}
        NotebookClient(content, timeout=300, kernel_name=_KERNEL, resources=place).execute()
    content.cells = [cell for cell in content.cells if "check" not in cell.metadata.get("tags", [])]
    said = {"unique_key": page.stem, "output_files_dir": f"{page.stem}_files"}
    text, made = MarkdownExporter().from_notebook_node(content, said)  # type: ignore[no-untyped-call]
    page.parent.mkdir(parents=True, exist_ok=True)
    for name, data in made["outputs"].items():
        (page.parent / name).parent.mkdir(exist_ok=True)
        (page.parent / name).write_bytes(data)
    return _TABLE.sub("<table>", _TABLE_STYLE.sub("", _OVERDRAWN.sub(r"\1", text)))
