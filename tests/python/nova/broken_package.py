"""The package with a compiled module that does not load, as after an upgrade of Python."""

from __future__ import annotations

import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def make_broken_package(folder: Path) -> Path:
    """Make it in a folder; return the folder, for PYTHONPATH."""
    package = folder / "cospot"
    package.mkdir(parents=True)
    for entry in (ROOT / "python" / "cospot").iterdir():
        if not entry.name.startswith(("_core", "__pycache__")):
            (package / entry.name).symlink_to(entry)
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    (package / f"_core{suffix}").write_bytes(b"\x7fELF, for another Python")
    return folder
