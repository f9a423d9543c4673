"""The sample configuration and the unit of the evictor service are those of its options."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cospot.nova.evictor import options
from sample_files import ROOT, generate

SAMPLE = ROOT / "docs" / "nova" / "cospot-evictor.conf.sample"


def section(text: str) -> str:
    """Return what is between [cospot_evictor] and the next group."""
    return re.split(r"\n\[", text.split("\n[cospot_evictor]\n")[1])[0]


def test_the_sample_is_current(tmp_path: Path) -> None:
    # Other versions of keystoneauth have other options in [nova] and [placement].
    made = generate(tmp_path, "cospot.evictor")
    assert section(SAMPLE.read_text()) == section(made), (
        "make it anew: oslo-config-generator --namespace cospot.evictor --wrap-width 92 "
        "--output-file docs/nova/cospot-evictor.conf.sample"
    )
    for group in ("[nova]", "[placement]"):
        assert group in SAMPLE.read_text()


def test_every_option_has_help_and_is_in_the_sample() -> None:
    sample = SAMPLE.read_text()
    for option in options.OPTIONS:
        assert option.help and option.help.endswith(".")
        assert f"\n#{option.name} =" in sample, option.name


def test_every_metric_and_audit_event_is_in_the_manual() -> None:
    pytest.importorskip("prometheus_client", reason="needs python3-prometheus-client")
    from cospot.nova.state.records import Metrics

    manual = (ROOT / "docs" / "nova" / "operating.md").read_text()
    for family in Metrics().registry.collect():
        name = family.name + ("_total" if family.type == "counter" else "")
        assert f"`{name}`" in manual, name
    package = ROOT / "python" / "cospot" / "nova" / "evictor"
    written = {
        event
        for path in package.glob("*.py")
        for event in re.findall(r'udit\.write\(\s*"([a-z_]+)"', path.read_text())
    }
    assert len(written) >= 9
    for event in written:
        assert f"`{event}`" in manual, event


def test_the_unit_starts_the_command() -> None:
    unit = (ROOT / "examples" / "nova" / "cospot-evictor.service").read_text()
    assert re.search(r"^ExecStart=\S*cospot-evictor --config-file /etc/", unit, re.MULTILINE)
    assert re.search(r"^ExecReload=/bin/kill -HUP \$MAINPID$", unit, re.MULTILINE)
