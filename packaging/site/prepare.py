#!/usr/bin/env python3
"""Makes the folder that MkDocs builds the site from: our pages where they are in the repository.

Pages keep their places, so their links hold. What a page links to and is none becomes one: a folder
a list, a notebook what it shows when run, any other text its code. scripts/build-site.sh runs this.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
from pathlib import Path

import cpp_api
import markdown
import notebooks
import python_api

ROOT = Path(__file__).resolve().parents[2]
_PAGES = ("*.md", "docs/**/*.md", "examples/**/*.md")
_PICTURES = (".png", ".svg")
_LANGUAGES = {".sh": "sh", ".py": "python", ".yaml": "yaml", ".cpp": "cpp", ".hpp": "cpp"}
_HIDDEN = "---\nsearch:\n  exclude: true\n---\n\n"  # in the site's search they would be noise


class Site:
    """The folder, as far as it is made."""

    def __init__(self, folder: Path, python: Path) -> None:
        """Begin with an empty folder.

        Args:
            folder: Where; what is there is removed.
            python: Interpreter that runs the notebooks.
        """
        self.folder = folder
        self._python = python
        self._added: set[Path] = set()
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)

    def add(self, source: Path) -> None:
        """Add a page, a picture, or what a page links to."""
        if source in self._added:
            return
        self._added.add(source)
        target = self.folder / source.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix in _PICTURES:
            shutil.copy(source, target)
        elif source.is_dir():
            target.mkdir(exist_ok=True)
            (target / "README.md").write_text(_HIDDEN + self._list(source))
        elif source.suffix == ".ipynb":
            page = target.with_suffix(".md")
            page.write_text(self._adapted(notebooks.shown(source, page, self._python), source))
        elif source.suffix == ".md":
            target.write_text(self._adapted(source.read_text(encoding="utf-8"), source))
        else:
            text = source.read_text(encoding="utf-8")
            language = _LANGUAGES.get(source.suffix, "text")
            shown = f"# {source.name}\n\n`````{language}\n{text.rstrip()}\n`````\n"
            target.with_name(target.name + ".md").write_text(_HIDDEN + shown)

    def _adapted(self, text: str, source: Path) -> str:
        """Return the text of a page as the site has it."""
        text = markdown.list_diagrams(text)
        text = markdown.change_links(text, lambda link: self._link(source.parent, link))
        return markdown.adapt(text)

    def _link(self, folder: Path, link: str) -> str:
        """Return the link of a page to its target in the site, which is added."""
        path, mark, anchor = link.partition("#")
        if not path or re.match(r"[a-z]+:", path):
            return link
        target = (folder / path).resolve()
        if not target.exists() and (self.folder / folder.relative_to(ROOT) / path).exists():
            return link  # a picture of a notebook
        if not target.exists():
            raise ValueError(f"{folder}: there is no {path}")
        if (target / "README.md").exists():
            target = target / "README.md"
        self.add(target)
        if target.is_dir():
            target = target / "README.md"
        elif target.suffix == ".ipynb":
            target = target.with_suffix(".md")
        elif target.suffix not in (".md", *_PICTURES):
            target = target.with_name(target.name + ".md")
        return os.path.relpath(target, folder) + mark + anchor

    def _list(self, folder: Path) -> str:
        lines = [f"# {folder.relative_to(ROOT)}/", ""]
        for path in sorted(folder.iterdir()):
            if not path.name.startswith(("_", ".")):
                lines.append(f"- [{path.name}]({self._link(folder, path.name)})")
        return "\n".join(lines) + "\n"


def main() -> None:
    """Make the folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="to make; it is removed first")
    parser.add_argument("--python", type=Path, required=True, help="runs the notebooks")
    parser.add_argument("--scratch", type=Path, required=True, help="for what Doxygen writes")
    arguments = parser.parse_args()
    site = Site(arguments.folder.resolve(), arguments.python.absolute())
    for pattern in _PAGES:
        for page in sorted(ROOT.glob(pattern)):
            site.add(page)
    for notebook in sorted((ROOT / "examples" / "notebooks").glob("*.ipynb")):
        site.add(notebook)
    shutil.copytree(ROOT / "packaging" / "site" / "assets", site.folder / "assets")
    python_api.write_pages(ROOT / "python" / "cospot", site.folder / "api" / "python")
    cpp_api.write_pages(ROOT, arguments.scratch.resolve(), site.folder / "api" / "cpp")


if __name__ == "__main__":
    main()
