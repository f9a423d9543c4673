"""examples/papers/reproduction: what all reproductions of papers share."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

pytest.importorskip("pandas", minversion="1.5")
pytest.importorskip("matplotlib", minversion="3.6")

from reproduction import command
from reproduction.page import Finding, Page, Section


def test_verdict_says_why() -> None:
    def verdict(holds: object, because: str = "") -> str | None:
        return Finding("Table I", "x", "1", "2", holds, because=because).verdict  # type: ignore[arg-type]

    assert verdict(True) == "holds"
    assert verdict(False, "the data differ") == "differs because the data differ"
    assert verdict("partly", "of B only") == "differs because of B only"
    assert verdict("not tested", "no trace has it") == "not tested because no trace has it"
    assert verdict(False) == "differs"
    assert verdict(None) is None


def test_a_page_with_findings_writes_them_as_json(tmp_path: Path) -> None:
    finding = Finding("Table I", "mean", "21.8", "22.5 ± 1", True, data="generated")

    def made(folder: str, *findings: Finding) -> Path:
        page = Page("Title", "Paper", [Section("", ["Text"])], findings=findings)
        parser = argparse.ArgumentParser()
        assert command.run(parser, lambda _: page, ["-o", str(tmp_path / folder)]) == 0
        return tmp_path / folder / "findings.json"

    assert json.loads(made("with", finding, finding).read_text("utf-8")) == 2 * [
        {
            "source": "Table I", "what": "mean", "published": "21.8", "ours": "22.5 ± 1",
            "data": "generated", "verdict": "holds",
        }
    ]  # fmt: skip
    row = "<td>Table I</td><td>mean</td><td>21.8</td><td>22.5 ± 1</td><td>yes</td>"
    assert (tmp_path / "with" / "evaluation.html").read_text("utf-8").count(row) == 2
    assert not made("without").exists()
