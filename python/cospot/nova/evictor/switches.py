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
        path = self._settings.disable_file
        try:
            os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            return f"whether the file {path} exists cannot be seen: {error.strerror}"
        return f"the file {path} exists"

    def __str__(self) -> str:
        """Say what becomes of evictions."""
        off = self.why_off()
        if off is not None:
            return f"evictions are off: {off}"
        return "evictions are only written down: dry_run = true" * self.is_dry_run or "it evicts"

    @property
    def is_dry_run(self) -> bool:
        """Tell whether evictions are only written down."""
        return bool(self._settings.dry_run)
