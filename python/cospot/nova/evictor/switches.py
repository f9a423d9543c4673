"""The switches that stop evictions at once."""

from __future__ import annotations

import os
from dataclasses import dataclass

from cospot.nova.live_options import LiveOptions


@dataclass(frozen=True)
class SwitchState:
    """What the switches said at one moment.

    Attributes:
        why_off: why nothing may be evicted; None when it may.
        is_dry_run: whether evictions are only written down.
    """

    why_off: str | None
    is_dry_run: bool

    @property
    def is_on(self) -> bool:
        """Tell whether evictions are on, and more than written down."""
        return self.why_off is None and not self.is_dry_run

    def __str__(self) -> str:
        """Say what becomes of evictions."""
        if self.why_off is not None:
            return f"evictions are off: {self.why_off}"
        return "evictions are only written down: dry_run = true" * self.is_dry_run or "it evicts"


class Switches:
    """Whether evictions are on, by the configuration in force and the kill-switch file."""

    def __init__(self, settings: LiveOptions) -> None:
        self._settings = settings

    def now(self) -> SwitchState:
        """Look at all switches, at one configuration and not at parts of two."""
        values = self._settings.now
        if values.fault:
            return SwitchState(values.fault, values.dry_run)
        if not values.enabled:
            return SwitchState("enabled = false", values.dry_run)
        return SwitchState(_why_file_stops(values.disable_file), values.dry_run)

    def why_off(self) -> str | None:
        """Return why nothing may be evicted now; None when it may."""
        return self.now().why_off

    @property
    def is_dry_run(self) -> bool:
        """Tell whether evictions are only written down."""
        return self.now().is_dry_run

    def __str__(self) -> str:
        """Say what becomes of evictions."""
        return str(self.now())


def _why_file_stops(path: str) -> str | None:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return f"whether the file {path} exists cannot be seen: {error.strerror}"
    return f"the file {path} exists"
