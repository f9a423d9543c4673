"""The sample configuration of the scheduler plugin is that of its options."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("oslo_config", reason="needs python3-oslo.config")

from cospot.nova.scheduler import options

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = ROOT / "docs" / "nova" / "cospot-scheduler.conf.sample"


def generate(folder: Path) -> str:
    """Run oslo-config-generator as it runs where cospot is installed."""
    installed = folder / "cospot-0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: cospot\nVersion: 0\n")
    entries = re.search(
        r'^\[project\.entry-points\."oslo\.config\.opts"\]\n((?:"[^\n]*\n)+)',
        (ROOT / "pyproject.toml").read_text(),
        re.MULTILINE,
    )
    assert entries is not None
    lines = entries[1].replace('"', "")
    (installed / "entry_points.txt").write_text(f"[oslo.config.opts]\n{lines}")
    command = [sys.executable, "-m", "oslo_config.generator"]
    result = subprocess.run(
        [*command, "--namespace", "cospot.scheduler", "--wrap-width", "92"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(folder), *sys.path]))},
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout


def test_the_sample_is_current(tmp_path: Path) -> None:
    if os.environ.get("COSPOT_WRITE_SAMPLE"):
        SAMPLE.write_text(generate(tmp_path))
        pytest.skip("the sample was written")
    assert SAMPLE.read_text() == generate(tmp_path), (
        "make it anew: oslo-config-generator --namespace cospot.scheduler --wrap-width 92 "
        "--output-file docs/nova/cospot-scheduler.conf.sample"
    )


def test_every_option_has_help_and_is_in_the_sample() -> None:
    sample = SAMPLE.read_text()
    for option in options.OPTIONS:
        assert option.help and option.help.strip().endswith("."), option.name
        assert f"\n#{option.name} =" in sample, option.name
