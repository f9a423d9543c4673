"""examples/papers/reproduction: what all reproductions of papers share."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pandas", minversion="1.5")
pytest.importorskip("matplotlib", minversion="3.6")

from reproduction import command
from reproduction.finding import Finding, findings_json, of_series
from reproduction.judging import ClaimError
from reproduction.page import Page, Section


def _verdict(kind: str, target: Any, measured: Any, **more: Any) -> str | None:
    more = {"because": "why", **more}
    return Finding("Table I", "x", "1", "2", kind, target, measured, **more).verdict


#: A kind, a target, and what holds, what is better and what differs. A tenth of 0.35 is 0.035, of
#: -0.4 0.04, of 24 2.4, of nothing nothing; bounds have no tolerance.
CRITERIA: list[tuple[str, Any, list[Any], list[Any], list[Any]]] = [
    ("value", 0.35, [0.385, 0.315], [], [0.386, 0.314, None]),
    ("value", -0.4, [-0.36, -0.44], [], [-0.35, 0.4]),
    ("value", 0, [0], [], [0.0016, math.inf]),
    ("value", [10, 20], [[11, 18]], [], [[11, 17], [12, 20]]),
    ("value or less", 24, [26.4, 21.6], [21.5], [26.5, None]),
    ("value or less", [24, 24], [[21.5, 24]], [[21.5, 0]], [[21.5, 27]]),
    ("value or more", 24, [26.4, 21.6], [26.5], [21.5, None]),
    ("at most", 0.01, [0.01], [], [0.0101, None]),
    ("at least", 0.76, [0.76, 0.99], [], [0.7599]),
    ("range", [2, 4], [2, 4, [2, 4]], [], [4.1, [2, 5], None]),
    ("direction", "<", [[1, 2]], [], [[2, 2], [2, 1], [1, None]]),
    ("direction", 6, [6], [], [5]),
    ("ordering", ">=", [[3, 2, 2]], [], [[3, 2, 3]]),
    ("ordering", ">", [[3, 2, 1]], [], [[3, 2, 2]]),
]


@pytest.mark.parametrize(("kind", "target", "holds", "better", "differs"), CRITERIA)
def test_each_kind_of_claim_has_its_criterion(
    kind: str, target: Any, holds: list[Any], better: list[Any], differs: list[Any]
) -> None:
    assert {_verdict(kind, target, one) for one in holds} == {"holds"}
    assert {_verdict(kind, target, one) for one in better} <= {"better"}
    assert {_verdict(kind, target, one) for one in differs} == {"differs: why"}


@pytest.mark.parametrize(
    ("series", "verdict"),
    [
        ("every", "differs: why; it holds on A, B"),
        ("nearly all", "differs: why; it holds on A, B"),  # two of three are less than 0.9
        ("most", "holds"),
        ("some", "holds"),
    ],
)
def test_of_several_series_so_many_must_show_it(series: str, verdict: str) -> None:
    measured = {"A": 10, "B": 11, "C": 12}
    assert _verdict("value", 10, measured, series=series) == verdict
    assert _verdict("value", 10, {"C": 12}, series=series) == "differs: why"
    assert _verdict("value", {"A": 10, "B": 11, "C": 12}, measured, series=series) == "holds"


def test_another_reading_and_a_flag_are_told() -> None:
    readings = {"on 7 hosts": 3, "on 6 hosts": 10, "on 5 hosts": 10}
    told = _verdict("value", 10, 5, readings=readings)
    assert told == "holds on another reading: on 6 hosts"
    assert _verdict("value", 10, 10, readings=readings) == "holds"
    assert _verdict("", None, None, flag="not tested") == "not tested: why"
    assert _verdict("value", 10, 5, flag="erratum of the paper") == "erratum of the paper: why"
    assert _verdict("value", 10, 10, flag="definition") == "definition: why"
    assert _verdict("", None, None) is None


@pytest.mark.parametrize(
    "parts",
    [
        ("exactly", 1, 1), ("value", "1", 1), ("value", [1], [1, 2]), ("range", [1], 1),
        ("direction", "<", [1, 2, 3]), ("ordering", "<", [1]), ("ordering", 2, 2),
        ("direction", "!=", [1, 2]), ("value", {"A": 1}, {"B": 1}), ("value", {"A": 1}, 1),
        ("value", 1, {}),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_is_refused(parts: tuple[Any, ...]) -> None:
    with pytest.raises(ClaimError):
        _verdict(*parts)
    with pytest.raises(ClaimError, match="definition that does not hold"):
        _verdict("value", 10, 5, flag="definition")
    with pytest.raises(ClaimError, match="the flag 'forgotten'"):
        _verdict("value", 10, 5, flag="forgotten")


def test_what_is_judged_is_what_is_stored() -> None:
    found = Finding("Table I", "x", "1", "2", "value", 1 / 3, {"A": 2 / 3, "B": math.inf})
    assert (found.target, found.measured) == (0.333333, {"A": 0.666667, "B": None})
    assert '"measured": {"A": 0.666667, "B": null}' in findings_json([found])
    several = of_series("Table I", "x", "1", {"A": [1, 2], "B": [3, 4]}, "{0[0]}, {0[1]}".format)
    assert (several.here, several.measured) == ("A 1, 2; B 3, 4", {"A": [1, 2], "B": [3, 4]})


def test_a_page_with_findings_writes_them_as_json(tmp_path: Path) -> None:
    finding = Finding(
        "Table I", "mean", "21.8", "22.5 ± 1", "value", 21.8, 22.5, "says the mean",
        data="generated", because="in case it differs",
    )  # fmt: skip

    def made(folder: str, *findings: Finding) -> Path:
        page = Page("Title", "Paper", [Section("", ["Text"])], findings=findings)
        parser = argparse.ArgumentParser()
        assert command.run(parser, lambda _: page, ["-o", str(tmp_path / folder)]) == 0
        return tmp_path / folder / "findings.json"

    assert json.loads(made("with", finding, finding).read_text("utf-8")) == 2 * [
        {
            "source": "Table I", "what": "mean", "claim": "says the mean", "published": "21.8",
            "ours": "22.5 ± 1", "data": "generated", "kind": "value", "series": "every",
            "target": 21.8, "measured": 22.5, "readings": {}, "flag": "", "because": "",
            "headline": "", "verdict": "holds",
        }
    ]  # fmt: skip
    row = "<td>Table I</td><td>mean</td><td>21.8</td><td>22.5 ± 1</td><td>holds</td>"
    assert (tmp_path / "with" / "evaluation.html").read_text("utf-8").count(row) == 2
    assert not made("without").exists()
