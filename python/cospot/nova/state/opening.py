"""Opens the configured database or files, for the service and the tools."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cospot.nova.promises.journal import PromiseJournal
from cospot.nova.state.errors import SettingError
from cospot.nova.state.stores import StalledHostRecord, StalledHostStore

if TYPE_CHECKING:
    from cospot.nova.state.database import StateDatabase


def open_database(settings: Any, failed: Callable[[], None] = lambda: None) -> StateDatabase:
    """Return the database of `state_connection`, without checking that it answers.

    Args:
        settings: the group [cospot_evictor].
        failed: called at each error of the database.

    Raises:
        SettingError: the option cannot be used here.
    """
    try:
        from cospot.nova.state.database import StateDatabase
    except ImportError as error:
        raise SettingError(
            f"[cospot_evictor] state_connection: {error}; expected SQLAlchemy in this Python (on"
            " Debian python3-sqlalchemy and python3-pymysql)"
        ) from error
    return StateDatabase(settings.state_connection, settings.state_timeout, lambda error: failed())


def open_journal(settings: Any) -> PromiseJournal:
    """Return the journal of promises, not yet read.

    Args:
        settings: the group [cospot_evictor].

    Raises:
        SettingError: its state_connection cannot be used.
    """
    if not settings.state_connection:
        return PromiseJournal(str(settings.state_path))
    database = open_database(settings)
    from cospot.nova.state.promise_records import SharedPromiseRecords

    return PromiseJournal(SharedPromiseRecords(database))


def stalled_hosts(settings: Any) -> list[StalledHostRecord]:
    """Return the hosts on which evictions free nothing.

    Raises:
        SettingError: the state_connection cannot be used.
        StateError, OSError: they cannot be read.
    """
    if not settings.state_connection:
        return list(StalledHostStore(str(settings.state_path)).all().values())
    database = open_database(settings)
    from cospot.nova.state.stalled import SharedStalledHosts

    return list(SharedStalledHosts(database).all().values())
