"""examples/nova/monitoring: alerts and a dashboard of metrics that exist, and of all of them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from typing import Any, Final

import pytest
import yaml
from cospot.nova.evictor import options
from programs import run_program
from promql import faults, named, registered, template_labels
from sample_files import ROOT

FOLDER: Final = ROOT / "examples" / "nova" / "monitoring"
MANUAL: Final = ROOT / "docs" / "nova" / "operating.md"


def alerts() -> dict[str, dict[str, Any]]:
    (group,) = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"]
    return {rule["alert"]: rule for rule in group["rules"]}


def seconds(text: str) -> int:
    number, unit = re.fullmatch(r"(\d+)([smh])", text).groups()
    return int(number) * {"s": 1, "m": 60, "h": 3600}[unit]


def promtool(*arguments: str) -> None:
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("promtool is not installed (Debian: prometheus)")
    done = run_program(program, *arguments, cwd=FOLDER)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("expression", "wrong"),
    [
        ("rate(cospot_evictor_plans_total[5m]) > 0", []),
        ("sum by (outcome, instance) (cospot_evictor_plans_total)", []),
        ("cospot_evictor_plans > 0", ["no metric cospot_evictor_plans"]),
        ('cospot_evictor_plans_total{host="a"}', ["cospot_evictor_plans_total has no label host"]),
        (
            "sum by (why) (cospot_evictor_evictions_total)",
            ["cospot_evictor_evictions_total has no label why"],
        ),
    ],
)
def test_the_check_of_names_finds_wrong_ones(expression, wrong):
    assert faults(expression, registered()) == wrong


def test_every_metric_and_label_exists():
    series = registered()
    assert len(series) > 30
    for name, rule in alerts().items():
        assert faults(rule["expr"], series) == [], name
        (metric,) = named(rule["expr"])
        for text in rule["annotations"].values():
            assert template_labels(text) <= series[metric], name


def test_they_are_the_alerts_of_the_manual():
    section = MANUAL.read_text().split("\n## Alerts\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", section, re.MULTILINE)
    assert [name for name, _ in rows] == list(alerts())
    for name, fires in rows:
        (metric,) = named(alerts()[name]["expr"])
        assert f"`{metric}" in fires or f"({metric}" in fires, name


def test_every_alert_says_how_long_how_bad_and_where_to_read_on():
    for name, rule in alerts().items():
        assert seconds(rule["for"]) >= 0, name
        assert rule["labels"]["severity"] in {"critical", "warning"}, name
        assert rule["annotations"]["summary"], name
        page, anchor = rule["annotations"]["runbook_url"].split("#")
        titles = re.findall(r"^#+ (.*)$", (ROOT / page).read_text(), re.MULTILINE)
        anchors = {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}
        assert anchor in anchors, name


def test_the_times_are_those_of_the_default_options():
    defaults = {option.name: option.default for option in options.OPTIONS}
    late = seconds(alerts()["CospotSpotsLate"]["for"])
    assert late > defaults["deletion_timeout"]
    # A minute is left to do something before spots are evicted.
    unexplained = seconds(alerts()["CospotHostsUnexplained"]["for"])
    assert unexplained + 60 <= defaults["overcommit_grace"]


def test_prometheus_takes_them():
    promtool("check", "rules", "alerts.yml")


def test_a_stalled_host_fires_and_a_slow_deletion_does_not():
    promtool("test", "rules", "alerts_test.yml")


# -- the dashboard --------------------------------------------------------------------------------

FILE: Final = FOLDER / "dashboard.json"
#: Grafana's columns.
WIDTH: Final = 24


def dashboard() -> dict[str, Any]:
    return json.loads(FILE.read_text())


def targets() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every query of a panel, with the panel's title."""
    for panel in dashboard()["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target


def test_every_query_names_metrics_and_labels_that_exist():
    series = registered()
    seen = [(title, faults(target["expr"], series)) for title, target in targets()]
    assert len(seen) > 30
    assert [each for each in seen if each[1]] == []


def test_legends_show_labels_that_the_query_keeps():
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


def test_every_metric_is_shown():
    used = {name for _, target in targets() for name in named(target["expr"])}

    def family(name: str) -> str:
        return re.sub(r"_(bucket|sum|count)$", "", name)

    assert {family(name) for name in used} == {family(name) for name in registered()}


def test_panels_have_numbers_of_their_own_and_do_not_overlap():
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


def test_every_panel_asks_the_chosen_prometheus_about_the_chosen_copies():
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


def test_prometheus_takes_every_query(tmp_path):
    """As rules, which promtool reads."""
    rules = [
        {"record": f"q{number}", "expr": target["expr"].replace("$__rate_interval", "5m")}
        for number, (_, target) in enumerate(targets())
    ]
    file = tmp_path / "rules.yml"  # JSON is YAML
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    promtool("check", "rules", str(file))
