"""The Python code of the pages runs, block after block, and mypy accepts the README's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import clone
import pytest
from pages import PAGES, Block, blocks

pytest.importorskip("pandas", reason="pandas is not installed")
pytest.importorskip("matplotlib", reason="matplotlib is not installed")

#: What a page's code must have done, beyond not to fail.
AFTER = {
    "README.md": "assert 0 < result.spot_revenue < result.spot_revenue_requested",
    "docs/beyond-the-paper.md": "assert len(loads) == 4 * 3 * 3 * len(use)",
    "docs/economy.md": "assert plan.promises[0].amount > 0",
    "docs/python.md": """
import pathlib
assert pathlib.Path("front.png").read_bytes().startswith(b"\\x89PNG")
assert len(cospot.load_results("short.db").runs) == 2 * 2 * 2 * 2
assert len(shares) == 3 and min(shares) > 0
""",
}


def code_of(page: str) -> list[Block]:
    return [block for block in blocks(page) if block.language == "python"]


PAGES_WITH_CODE = [page for page in PAGES if any(not block.not_run for block in code_of(page))]


def test_the_pages_with_code_are_known() -> None:
    assert len(PAGES_WITH_CODE) >= 8 and set(AFTER) <= set(PAGES_WITH_CODE)


@pytest.mark.parametrize("page", PAGES_WITH_CODE)
def test_the_code_runs(page: str, tmp_path: Path, data: Path) -> None:
    shell = clone.Clone(tmp_path, data, page)
    texts = [block.text for block in code_of(page) if not block.not_run]
    # Without a file of its own: a page's processes are spawned, and would run it again.
    done = subprocess.run(
        [sys.executable, "-c", "\n".join([*texts, AFTER.get(page, "")])],
        cwd=shell.folder,
        env=shell.environment,
        text=True,
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{page}\n{done.stdout[-2000:]}{done.stderr[-4000:]}"


def test_mypy_accepts_the_readme_and_what_is_not_run(tmp_path: Path) -> None:
    """With --strict. What cannot run here is at least called with arguments that there are."""
    pytest.importorskip("mypy", reason="mypy is not installed")
    files = []
    for page in PAGES:
        for block in code_of(page):
            if page == "README.md" or block.not_run:
                files.append(tmp_path / f"{Path(page).stem.lower()}_{block.line}.py")
                files[-1].write_text(block.text)
    assert len(files) >= 2
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent"]
    command += ["--ignore-missing-imports", f"--cache-dir={tmp_path / 'cache'}"]
    done = subprocess.run(
        [*command, *map(str, files)],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": os.environ.get("PYTHONPATH", "")},
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
