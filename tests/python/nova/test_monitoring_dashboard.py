"""examples/nova/monitoring/dashboard.json: a dashboard of all the metrics, and no other ones."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from programs import run_program
from promql import faults, named, registered
from sample_files import ROOT

FILE: Final = ROOT / "examples" / "nova" / "monitoring" / "dashboard.json"
#: Grafana's columns.
WIDTH: Final = 24


def dashboard() -> dict[str, Any]:
    return json.loads(FILE.read_text())


def targets() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every query of a panel, with the panel's title."""
    for panel in dashboard()["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target


def test_every_query_names_metrics_and_labels_that_exist() -> None:
    series = registered()
    seen = [(title, faults(target["expr"], series)) for title, target in targets()]
    assert len(seen) > 30
    assert [each for each in seen if each[1]] == []


def test_legends_show_labels_that_the_query_keeps() -> None:
    for title, target in targets():
        shown = set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
        grouped = re.search(r"\bby \(([^)]*)\)", target["expr"])
        if target["expr"].startswith("count("):
            assert shown == set(), title
        elif grouped:
            kept = {label.strip() for label in grouped[1].split(",")}
            assert shown == kept - {"le"}, title
        else:
            assert shown <= {"instance"}, title


def test_every_metric_is_shown() -> None:
    used = {name for _, target in targets() for name in named(target["expr"])}

    def family(name: str) -> str:
        return re.sub(r"_(bucket|sum|count)$", "", name)

    assert {family(name) for name in used} == {family(name) for name in registered()}


def test_panels_have_numbers_of_their_own_and_do_not_overlap() -> None:
    panels = dashboard()["panels"]
    numbers = [panel["id"] for panel in panels]
    assert len(set(numbers)) == len(numbers)
    cells: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= WIDTH, panel["title"]
        mine = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & mine, panel["title"]
        cells |= mine


def test_every_panel_asks_the_chosen_prometheus_about_the_chosen_copies() -> None:
    names = {variable["name"]: variable for variable in dashboard()["templating"]["list"]}
    assert names["datasource"]["type"] == "datasource"
    assert names["instance"]["datasource"]["uid"] == "${datasource}"
    for panel in dashboard()["panels"]:
        if panel["type"] != "row":
            assert panel["datasource"]["uid"] == "${datasource}", panel["title"]
    for title, target in targets():
        assert target["datasource"]["uid"] == "${datasource}", title
        metrics = re.findall(r"cospot_evictor_\w+(\{[^}]*\})?", target["expr"])
        assert all('instance=~"$instance"' in matchers for matchers in metrics), title


def test_prometheus_takes_every_query(tmp_path: Path) -> None:
    """As rules, which promtool reads."""
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("promtool is not installed (Debian: prometheus)")
    rules = [
        {"record": f"q{number}", "expr": target["expr"].replace("$__rate_interval", "5m")}
        for number, (_, target) in enumerate(targets())
    ]
    file = tmp_path / "rules.yml"  # JSON is YAML
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    done = run_program(program, "check", "rules", file)
    assert done.returncode == 0, done.stdout + done.stderr
