"""The switches that stop evictions at once."""

from __future__ import annotations

import os
from typing import Any


class Switches:
    """Whether evictions are on, by the configuration in force and the kill-switch file."""

    def __init__(self, settings: Any) -> None:
        self._settings = settings

    def why_off(self) -> str | None:
        """Return why nothing may be evicted now; None when it may."""
        if not self._settings.enabled:
            return "enabled = false"
        if os.path.lexists(self._settings.disable_file):
            return f"the file {self._settings.disable_file} exists"
        return None

    @property
    def is_dry_run(self) -> bool:
        """Tell whether evictions are only written down."""
        return bool(self._settings.dry_run)
