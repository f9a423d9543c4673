"""examples/papers/evidence.py: the page of what holds, and what its check finds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import evidence
import pytest

ROOT = Path(__file__).resolve().parents[2]
PAPER = {
    "folder": "cooperation", "title": "CoSpot", "reference": "Iqbal et al.",
    "page": "reproduction.md", "command": "run.sh", "data": "released workloads",
    "tolerance": "A number holds within a tenth", "commit": "0123abc",
}  # fmt: skip
FINDING = {
    "source": "Finding 1", "what": "gain, mean", "published": "35 %", "ours": "39 %",
    "data": "64,800 runs", "verdict": "differs because ties are open",
}  # fmt: skip
HOLDS = {**FINDING, "what": "runs that reject no VM", "data": "72 runs", "verdict": "holds"}


def _write(path: Path, objects: list[Mapping[str, Any]]) -> None:
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in objects)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder docs/ with one paper, its findings and their page."""
    (tmp_path / "evidence").mkdir()
    _write(tmp_path / "evidence/papers.json", [PAPER])
    _write(tmp_path / "evidence/cooperation.json", [FINDING, HOLDS])
    assert evidence.main(["--docs", str(tmp_path)]) == 0
    return tmp_path


def _check(docs: Path) -> int:
    return evidence.main(["--docs", str(docs), "--check"])


def test_the_page_of_this_project_is_what_its_findings_give() -> None:
    assert evidence.main(["--check"]) == 0


def test_page_counts_verdicts_and_names_the_data(docs: Path) -> None:
    text = (docs / "evidence.md").read_text("utf-8")
    assert "| [CoSpot](#cospot) | 2 | 1 | 1 | 0 |" in text
    assert "| Finding 1 | gain, mean | 35 % | 39 % | a | differs because ties are open |" in text
    assert "- a: 64,800 runs\n- b: 72 runs\n" in text
    assert "Made at commit 0123abc by\n\n    run.sh\n" in text
    assert _check(docs) == 0


def test_a_changed_number_is_found_with_its_line(
    docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = docs / "evidence.md"
    lines = path.read_text("utf-8").splitlines()
    (number,) = (i for i, line in enumerate(lines, 1) if "gain, mean" in line)
    path.write_text("\n".join(lines).replace("39 %", "38 %") + "\n", "utf-8")
    assert _check(docs) == 1
    told = capsys.readouterr().err
    assert f"{path}:{number}: found    | Finding 1 | gain, mean | 35 % | 38 % |" in told
    assert f"{path}:{number}: expected | Finding 1 | gain, mean | 35 % | 39 % |" in told


def test_a_finding_that_the_page_lacks_is_found(
    docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(docs / "evidence/cooperation.json", [FINDING, HOLDS, HOLDS])
    assert _check(docs) == 1
    assert "evidence.md:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"data": ""}, "'gain, mean' has no data"),
        ({"verdict": "differs"}, "'gain, mean' has the verdict 'differs'"),
        ({"verdict": "differs because "}, "'gain, mean' has the verdict"),
        ({"verdict": "not tested"}, "'gain, mean' has the verdict 'not tested'"),
        ({"verdict": "mostly holds"}, "'gain, mean' has the verdict 'mostly holds'"),
        ({"verdict": None}, "'gain, mean' has the verdict None"),
        ({"why": "x"}, "expected an object of source, what"),
    ],
)
def test_a_finding_that_says_too_little_is_refused_with_its_line(
    docs: Path, capsys: pytest.CaptureFixture[str], changed: dict[str, Any], told: str
) -> None:
    path = docs / "evidence/cooperation.json"
    _write(path, [HOLDS, {**FINDING, **changed}])
    assert _check(docs) == 2
    assert f"evidence.py: {path}:3: {told}" in capsys.readouterr().err


def test_what_no_paper_published_is_not_counted(docs: Path) -> None:
    ours_only = {**FINDING, "published": "", "data": "", "verdict": None}
    _write(docs / "evidence/cooperation.json", [FINDING, ours_only, HOLDS])
    assert _check(docs) == 0


def test_findings_without_a_commit_or_a_paper_are_refused(
    docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(docs / "evidence/papers.json", [{**PAPER, "commit": ""}])
    assert _check(docs) == 2
    assert "papers.json:2: cooperation has findings; expected the commit" in capsys.readouterr().err
    _write(docs / "evidence/papers.json", [{**PAPER, "folder": "deadline"}])
    assert _check(docs) == 2
    assert "papers.json has no line for the folder cooperation" in capsys.readouterr().err


def test_a_paper_without_a_run_is_told_as_such(docs: Path) -> None:
    (docs / "evidence/cooperation.json").unlink()
    assert _check(docs) == 1
    assert evidence.main(["--docs", str(docs)]) == 0
    assert "| [CoSpot](#cospot) | no run stored |" in (docs / "evidence.md").read_text("utf-8")
