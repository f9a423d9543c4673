"""examples/nova/monitoring/alerts.yml: alerts about metrics that exist, firing as documented."""

from __future__ import annotations

import re
import shutil
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
        (
            'cospot_evictor_plans_total{host="a"}',
            ["cospot_evictor_plans_total has no label host"],
        ),
        (
            "sum by (why) (cospot_evictor_evictions_total)",
            ["cospot_evictor_evictions_total has no label why"],
        ),
    ],
)
def test_the_check_of_names_finds_wrong_ones(expression: str, wrong: list[str]) -> None:
    assert faults(expression, registered()) == wrong


def test_every_metric_and_label_exists() -> None:
    series = registered()
    assert len(series) > 30
    for name, rule in alerts().items():
        assert faults(rule["expr"], series) == [], name
        (metric,) = named(rule["expr"])
        for text in rule["annotations"].values():
            assert template_labels(text) <= series[metric], name


def test_they_are_the_alerts_of_the_manual() -> None:
    section = MANUAL.read_text().split("\n## Alerts\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", section, re.MULTILINE)
    assert [name for name, _ in rows] == list(alerts())
    for name, fires in rows:
        (metric,) = named(alerts()[name]["expr"])
        assert f"`{metric}" in fires or f"({metric}" in fires, name


def test_every_alert_says_how_long_how_bad_and_where_to_read_on() -> None:
    for name, rule in alerts().items():
        assert seconds(rule["for"]) >= 0, name
        assert rule["labels"]["severity"] in {"critical", "warning"}, name
        assert rule["annotations"]["summary"], name
        page, anchor = rule["annotations"]["runbook_url"].split("#")
        titles = re.findall(r"^#+ (.*)$", (ROOT / page).read_text(), re.MULTILINE)
        anchors = {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}
        assert anchor in anchors, name


def test_the_times_are_those_of_the_default_options() -> None:
    defaults = {option.name: option.default for option in options.OPTIONS}
    late = seconds(alerts()["CospotSpotsLate"]["for"])
    assert late > defaults["deletion_timeout"]
    # A minute is left to do something before spots are evicted.
    unexplained = seconds(alerts()["CospotHostsUnexplained"]["for"])
    assert unexplained + 60 <= defaults["overcommit_grace"]


def test_prometheus_takes_them() -> None:
    promtool("check", "rules", "alerts.yml")


def test_a_stalled_host_fires_and_a_slow_deletion_does_not() -> None:
    promtool("test", "rules", "alerts_test.yml")
