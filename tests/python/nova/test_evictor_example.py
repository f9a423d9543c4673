"""examples/nova/cospot-evictor.conf: what docs/nova tells operators to copy and fill in."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from cospot.nova.evictor import options
from cospot.nova.evictor.command import read_configuration
from keystoneauth1 import loading
from sample_files import ROOT
from waiting import PATIENCE_S

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


def test_it_is_a_configuration_that_begins_with_a_dry_run() -> None:
    conf = read_configuration(["--config-file", str(EXAMPLE)])
    assert conf.cospot_evictor.dry_run is True
    for group in (options.NOVA_GROUP, options.PLACEMENT_GROUP):
        auth = loading.load_auth_from_conf_options(conf, group)
        assert auth.auth_url == "http://controller:5000/v3"
        assert conf[group].region_name == "RegionOne"


def test_plans_come_over_the_bus_that_it_names(tmp_path: Path) -> None:
    import oslo_messaging

    def host(path: Path) -> str:
        conf = read_configuration(["--config-file", str(path)])
        transport = oslo_messaging.get_notification_transport(conf)
        (found,) = transport._driver._url.hosts
        return str(found.hostname)

    assert host(EXAMPLE) == "controller"
    assert host(uncommented(tmp_path)) == "notifications"


def test_every_line_that_it_offers_is_an_option(tmp_path: Path) -> None:
    assert len(OFFERED.findall(EXAMPLE.read_text())) == 5
    path = uncommented(tmp_path)
    conf = read_configuration(["--config-file", str(path)])
    assert conf.cospot_evictor.resources == ["VCPU", "MEMORY_MB", "DISK_GB"]
    assert (conf.debug, conf.use_json) == (True, True)
    assert conf.log_file == str(tmp_path / "cospot-evictor.log")


def test_logs_can_be_json(tmp_path: Path) -> None:
    arguments = ["--config-file", str(uncommented(tmp_path))]
    subprocess.run([sys.executable, "-c", LOG_A_LINE, *arguments], check=True, timeout=PATIENCE_S)
    (line,) = (tmp_path / "cospot-evictor.log").read_text().splitlines()
    assert json.loads(line)["message"] == "a line"


def test_the_unit_lets_the_service_write_where_the_example_logs() -> None:
    unit = (EXAMPLE.parent / "cospot-evictor.service").read_text()
    (folder,) = re.findall(r"^# log_file = /var/log/([^/]+)/", EXAMPLE.read_text(), re.MULTILINE)
    assert f"\nLogsDirectory={folder}\n" in unit
