"""Opens the evictor's state database for a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cospot.errors import ConfigError

if TYPE_CHECKING:
    from cospot.nova.state.database import StateDatabase


def open_state(group: Any) -> StateDatabase:
    """Return the database of `state_connection`.

    Args:
        group: [cospot_evictor] of a configuration.

    Raises:
        ConfigError: It is not set, or unusable here.
    """
    from cospot.nova.state.errors import SettingError
    from cospot.nova.state.opening import open_database

    if not group.state_connection:
        raise ConfigError(
            "[cospot_evictor] state_connection is not set: the evictor's state is in files of its"
            " machine, which need no tables"
        )
    try:
        return open_database(group)
    except SettingError as error:
        raise ConfigError(str(error)) from error


def said(passed: list[int]) -> str:
    """Describe the result of `StateDatabase.upgrade`."""
    if not passed:
        return "the tables are up to date"
    if passed[0] == 1:
        return f"made the tables, version {passed[-1]}"
    return f"upgraded the tables from version {passed[0] - 1} to {passed[-1]}"
