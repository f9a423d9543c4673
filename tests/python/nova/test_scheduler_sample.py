"""The sample configuration of the scheduler plugin is that of its options."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cospot.nova.scheduler import options
from sample_files import ROOT, generate

SAMPLE = ROOT / "docs" / "nova" / "cospot-scheduler.conf.sample"


def test_the_sample_is_current(tmp_path: Path) -> None:
    if os.environ.get("COSPOT_WRITE_SAMPLE"):
        SAMPLE.write_text(generate(tmp_path, "cospot.scheduler"))
        pytest.skip("the sample was written")
    assert SAMPLE.read_text() == generate(tmp_path, "cospot.scheduler"), (
        "make it anew: oslo-config-generator --namespace cospot.scheduler --wrap-width 92 "
        "--output-file docs/nova/cospot-scheduler.conf.sample"
    )


def test_every_option_has_help_and_is_in_the_sample() -> None:
    sample = SAMPLE.read_text()
    for option in options.OPTIONS:
        assert option.help and option.help.strip().endswith("."), option.name
        assert f"\n#{option.name} =" in sample, option.name
