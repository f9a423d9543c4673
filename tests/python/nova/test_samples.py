"""Sample configurations, the example and the unit of the service are those of the options."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import oslo_messaging
import pytest
from cospot.nova.evictor import options
from cospot.nova.evictor.command import read_configuration
from cospot.nova.scheduler import options as scheduler_options
from cospot.nova.state.records import Metrics
from keystoneauth1 import loading
from sample_files import ROOT, generate
from waiting import PATIENCE_S

SAMPLES = {"evictor": options.OPTIONS, "scheduler": scheduler_options.OPTIONS}


def sample(who: str) -> Path:
    return ROOT / "docs" / "nova" / f"cospot-{who}.conf.sample"


def own(who: str, text: str) -> str:
    """Leave out the groups of others: versions of keystoneauth have other options."""
    return (
        text
        if who == "scheduler"
        else text.split("\n[cospot_evictor]\n")[1].split("\n[", maxsplit=1)[0]
    )


@pytest.mark.parametrize("who", SAMPLES)
def test_the_sample_is_current(tmp_path, who):
    made = generate(tmp_path, f"cospot.{who}")
    if os.environ.get("COSPOT_WRITE_SAMPLE") and who == "scheduler":
        sample(who).write_text(made)
        pytest.skip("the sample was written")
    assert own(who, sample(who).read_text()) == own(who, made), (
        f"make it anew: oslo-config-generator --namespace cospot.{who} --wrap-width 92 "
        f"--output-file docs/nova/cospot-{who}.conf.sample"
    )
    if who == "evictor":
        for group in ("[nova]", "[placement]"):
            assert group in sample(who).read_text()


@pytest.mark.parametrize(("who", "known"), SAMPLES.items(), ids=SAMPLES)
def test_every_option_has_help_and_is_in_the_sample(who, known):
    text = sample(who).read_text()
    for option in known:
        assert option.help and option.help.strip().endswith("."), option.name
        assert f"\n#{option.name} =" in text, option.name


def test_every_metric_and_audit_event_is_in_the_manual():
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


def test_the_unit_starts_the_command():
    unit = (ROOT / "examples" / "nova" / "cospot-evictor.service").read_text()
    assert re.search(r"^ExecStart=\S*cospot-evictor --config-file /etc/", unit, re.MULTILINE)
    assert re.search(r"^ExecReload=/bin/kill -HUP \$MAINPID$", unit, re.MULTILINE)


# -- examples/nova/cospot-evictor.conf, which docs/nova tells operators to copy -----------------

EXAMPLE = ROOT / "examples" / "nova" / "cospot-evictor.conf"
OFFERED = re.compile(r"^# ([a-z_]+ = .*)$", re.MULTILINE)

LOG_A_LINE = """
import sys
from cospot.nova.evictor.command import read_configuration
from oslo_log import log
log.setup(read_configuration(sys.argv[1:]), "cospot-evictor")
log.getLogger("cospot.test").info("a line")
"""


def uncommented(folder: Path) -> Path:
    """The example with every line that it offers in force."""
    path = folder / "cospot-evictor.conf"
    text = OFFERED.sub(r"\1", EXAMPLE.read_text())
    path.write_text(text.replace("/var/log/cospot-evictor", str(folder)))
    return path


def test_it_is_a_configuration_that_begins_with_a_dry_run():
    conf = read_configuration(["--config-file", str(EXAMPLE)])
    assert conf.cospot_evictor.dry_run is True
    for group in (options.NOVA_GROUP, options.PLACEMENT_GROUP):
        auth = loading.load_auth_from_conf_options(conf, group)
        assert auth.auth_url == "http://controller:5000/v3"
        assert conf[group].region_name == "RegionOne"


def test_plans_come_over_the_bus_that_it_names(tmp_path):
    def host(path: Path) -> str:
        conf = read_configuration(["--config-file", str(path)])
        transport = oslo_messaging.get_notification_transport(conf)
        (found,) = transport._driver._url.hosts
        return str(found.hostname)

    assert host(EXAMPLE) == "controller"
    assert host(uncommented(tmp_path)) == "notifications"


def test_every_line_that_it_offers_is_an_option(tmp_path):
    assert len(OFFERED.findall(EXAMPLE.read_text())) == 5
    path = uncommented(tmp_path)
    conf = read_configuration(["--config-file", str(path)])
    assert conf.cospot_evictor.resources == ["VCPU", "MEMORY_MB", "DISK_GB"]
    assert (conf.debug, conf.use_json) == (True, True)
    assert conf.log_file == str(tmp_path / "cospot-evictor.log")


def test_logs_can_be_json(tmp_path):
    arguments = ["--config-file", str(uncommented(tmp_path))]
    subprocess.run([sys.executable, "-c", LOG_A_LINE, *arguments], check=True, timeout=PATIENCE_S)
    (line,) = (tmp_path / "cospot-evictor.log").read_text().splitlines()
    assert json.loads(line)["message"] == "a line"


def test_the_unit_lets_the_service_write_where_the_example_logs():
    unit = (EXAMPLE.parent / "cospot-evictor.service").read_text()
    (folder,) = re.findall(r"^# log_file = /var/log/([^/]+)/", EXAMPLE.read_text(), re.MULTILINE)
    assert f"\nLogsDirectory={folder}\n" in unit
