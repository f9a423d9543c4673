"""What `cospot-nova` shows of the stores, without the rest of the service."""

from __future__ import annotations

from typing import Any

from cospot.nova.evictor.stores import StalledHostRecord, StalledHostStore
from cospot.nova.promises.journal import PromiseJournal


def open_journal(settings: Any) -> PromiseJournal:
    """Return the journal of promises that a configuration names, not yet read.

    Args:
        settings: the group [cospot_evictor].

    Raises:
        SettingError: its state_connection cannot be used.
    """
    if not settings.state_connection:
        return PromiseJournal(str(settings.state_path))
    from cospot.nova.state.database import StateDatabase
    from cospot.nova.state.promise_records import SharedPromiseRecords

    database = StateDatabase(settings.state_connection, settings.state_timeout)
    return PromiseJournal(SharedPromiseRecords(database))


def stalled_hosts(settings: Any) -> list[StalledHostRecord]:
    """Return the hosts that free nothing.

    Raises:
        SettingError: the state_connection cannot be used.
        StateError, OSError: they cannot be read.
    """
    if not settings.state_connection:
        return list(StalledHostStore(str(settings.state_path)).all().values())
    from cospot.nova.state.database import StateDatabase
    from cospot.nova.state.stalled import SharedStalledHosts

    database = StateDatabase(settings.state_connection, settings.state_timeout)
    return list(SharedStalledHosts(database).all().values())
