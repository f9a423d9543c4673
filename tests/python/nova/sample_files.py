"""Makes the sample configurations of docs/nova as oslo-config-generator does."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from programs import printed_by

ROOT = Path(__file__).resolve().parents[3]


def generate(folder: Path, namespace: str) -> str:
    """Run oslo-config-generator as it runs where cospot is installed.

    Args:
        folder: to work in.
        namespace: the entry point whose options are wanted.
    """
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
    paths = [str(folder), *sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = (sys.executable, "-m", "oslo_config.generator", "--namespace", namespace)
    return printed_by(*command, "--wrap-width", "92", env=environment)
