"""The stores of the service: in the database of `state_connection`, or in local files."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from cospot.nova.promises.journal import PromiseJournal
from cospot.nova.state.opening import open_database
from cospot.nova.state.pending import PendingDeletions
from cospot.nova.state.records import Metrics
from cospot.nova.state.safeguards import NOTICES_LOCK, HostLocks, lock_name
from cospot.nova.state.stores import NoticeStore, StalledHostStore

if TYPE_CHECKING:
    from cospot.nova.state.notices import SharedNotices
    from cospot.nova.state.orders import SharedOrders
    from cospot.nova.state.stalled import SharedStalledHosts

#: Another copy takes over the reserves when the managing one has missed this many reconciles.
_MISSED_RECONCILES: Final = 3


@dataclass(frozen=True)
class Stores:
    """The service's memory across restarts, one store of each kind.

    Attributes:
        settings: the options used to open them.
        locks: who works on what.
        pending: deletions requested from Nova and not yet answered.
        stalled: hosts on which evictions free nothing.
        notices: given to spots.
        journal: of promises.
        now: the common time of all copies, seconds since the epoch: the database's or the local
            one.
    """

    settings: Any
    locks: HostLocks
    pending: PendingDeletions | SharedOrders
    stalled: StalledHostStore | SharedStalledHosts
    notices: NoticeStore | SharedNotices
    journal: PromiseJournal
    now: Callable[[], float]


def open_stores(settings: Any, metrics: Metrics) -> Stores:
    """Open all stores.

    Args:
        settings: the group [cospot_evictor].
        metrics: count the errors of the database.

    Raises:
        SettingError: the settings cannot be used.
    """
    if settings.state_connection:
        return _in_database(settings, metrics)
    folder = str(settings.state_path)
    return Stores(
        settings=settings,
        pending=PendingDeletions(f"{folder}/deletions"),
        stalled=StalledHostStore(folder),
        notices=NoticeStore(f"{folder}/notices.json"),
        journal=PromiseJournal(folder),
        locks=HostLocks(settings.coordination_url, settings.lock_timeout),
        now=time.time,
    )


def _in_database(settings: Any, metrics: Metrics) -> Stores:
    failures = metrics.errors.labels(where="state")
    database = open_database(settings, failures.inc)
    from cospot.nova.state.leases import Leases
    from cospot.nova.state.notices import SharedNotices
    from cospot.nova.state.orders import SharedOrders
    from cospot.nova.state.promise_records import SharedPromiseRecords
    from cospot.nova.state.stalled import SharedStalledHosts

    leases = Leases(database, _MISSED_RECONCILES * settings.reconcile_interval)
    leases.start()
    return Stores(
        settings=settings,
        pending=SharedOrders(database, leases, lock_name),
        stalled=SharedStalledHosts(database),
        notices=SharedNotices(database, leases, lock_name(NOTICES_LOCK)),
        journal=PromiseJournal(SharedPromiseRecords(database)),
        locks=HostLocks(database.owner, settings.lock_timeout, leases),
        now=database.clock.now,
    )
