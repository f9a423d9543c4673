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
    "notes": "Figures 1 and 3 draw the method", "commit": "0123abc",
}  # fmt: skip
FINDING = {
    "source": "Finding 1", "what": "gain, mean", "claim": "reports so large a gain",
    "published": "35 %", "ours": "31 %", "data": "64,800 runs", "kind": "value or more",
    "series": "every", "target": 0.35, "measured": 0.31, "readings": {}, "flag": "",
    "because": "ties are open", "headline": "", "verdict": "differs: ties are open",
}  # fmt: skip
HOLDS = {
    **FINDING, "what": "runs that reject no VM", "data": "72 runs", "kind": "at least",
    "target": 0.3, "because": "", "headline": "runs without a rejection", "verdict": "holds",
}  # fmt: skip


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
    assert "| [CoSpot](#cospot) | 2 | 1 | 0 | 0 | 1 | 0 | 0 | 0 | 0 |" in text
    claim = "reports so large a gain (*value or more*)"
    row = f"| Finding 1 | gain, mean | {claim} | 35 % | 31 % | a | differs: ties are open |"
    assert row in text
    assert "| [Iqbal et al.](#cospot) | runs without a rejection | 35 % | 31 % | holds |" in text
    assert "- a: 64,800 runs\n- b: 72 runs\n" in text
    assert "Made at commit 0123abc by `run.sh`." in text
    assert _check(docs) == 0


def test_a_changed_number_is_found_with_its_line(
    docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = docs / "evidence.md"
    lines = path.read_text("utf-8").splitlines()
    (number,) = (i for i, line in enumerate(lines, 1) if "gain, mean" in line)
    lines[number - 1] = lines[number - 1].replace("31 %", "32 %")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    assert _check(docs) == 1
    told = capsys.readouterr().err
    start = "| Finding 1 | gain, mean | reports so large a gain (*value or more*) | 35 %"
    assert f"{path}:{number}: found    {start} | 32 %" in told
    assert f"{path}:{number}: expected {start} | 31 %" in told


def test_a_readme_has_the_headlines_between_its_marks(docs: Path) -> None:
    folder = docs / "docs"
    folder.mkdir()
    (docs / "evidence").rename(folder / "evidence")
    readme = docs / "README.md"
    marks = [f"<!-- {at} of what examples/papers/evidence.py writes" for at in ("begin", "end")]
    readme.write_text(f"mine\n{marks[0]}; edits are lost -->\nwas here\n{marks[1]} -->\nmine too\n")
    assert _check(folder) == 1
    assert evidence.main(["--docs", str(folder)]) == 0
    text = readme.read_text("utf-8")
    link = "[Iqbal et al.](docs/evidence.md#cospot)"
    assert f"| {link} | runs without a rejection | 35 % | 31 % | holds |" in text
    assert "was here" not in text
    assert text.startswith("mine\n<!--") and text.endswith("-->\nmine too\n")
    assert _check(folder) == 0


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
        ({"claim": ""}, "'gain, mean' has no claim"),
        ({"kind": ""}, "'gain, mean' has neither kind nor flag"),
        ({"kind": "exactly"}, "'gain, mean' cannot be judged: the kind 'exactly'"),
        ({"flag": "forgotten"}, "'gain, mean' cannot be judged: the flag 'forgotten'"),
        ({"because": "", "verdict": "differs: "}, "'gain, mean' gives no reason"),
        ({"flag": "not tested", "because": ""}, "'gain, mean' gives no reason"),
        # 0.32 is within a tenth of 0.35, 0.385 too, 0.386 is better.
        ({"measured": 0.32}, "ties are open'; its kind and numbers give 'holds'"),
        ({"measured": 0.385}, "ties are open'; its kind and numbers give 'holds'"),
        ({"measured": 0.386}, "ties are open'; its kind and numbers give 'better'"),
        ({"kind": "at least", "target": 0.3}, "its kind and numbers give 'holds'"),
        ({"readings": {"x": 0.35}}, "numbers give 'holds on another reading: x'"),
        ({"verdict": "holds"}, "has the verdict 'holds'; its kind and numbers give 'differs: "),
        ({"verdict": "differs"}, "has the verdict 'differs'; its kind"),
        ({"verdict": None}, "has the verdict None; its kind"),
        ({"why": "x"}, "expected an object of source, what"),
    ],
)
def test_a_finding_that_says_too_little_is_refused_with_its_line(
    docs: Path, capsys: pytest.CaptureFixture[str], changed: dict[str, Any], told: str
) -> None:
    path = docs / "evidence/cooperation.json"
    _write(path, [HOLDS, {**FINDING, **changed}])
    assert _check(docs) == 2
    found = capsys.readouterr().err
    assert f"evidence.py: {path}:3: " in found and told in found


def test_a_definition_is_not_counted_and_a_reading_is_told(docs: Path) -> None:
    definition = {**HOLDS, "flag": "definition", "because": "x", "verdict": "definition: x"}
    reading = {
        **FINDING, "readings": {"of all": {"A": 0.35, "B": [0.36, None]}}, "flag": "not tested",
        "verdict": "not tested: ties are open",
    }  # fmt: skip
    _write(docs / "evidence/cooperation.json", [FINDING, HOLDS, definition, reading])
    assert evidence.main(["--docs", str(docs)]) == 0
    text = (docs / "evidence.md").read_text("utf-8")
    assert "| [CoSpot](#cospot) | 3 | 1 | 0 | 0 | 1 | 0 | 1 | 0 | 1 |" in text
    assert "| 31 %; of all: A 0.35, B 0.36, none |" in text


def test_what_no_paper_published_is_not_counted(docs: Path) -> None:
    ours_only = {**FINDING, "published": "", "data": "", "kind": "", "verdict": None}
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
