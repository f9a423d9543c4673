"""Deletions requested from Nova: one row per spot, whichever copy requests them.

Like `PendingDeletions` in files, but visible to copies on other machines. An order is stored before
it is sent to Nova, in a transaction that requires the host's lease. So of two copies that both
believe they work on a host, only one can store and give its order. A copy that takes over a host
finds its predecessor's orders there and requests the same spots first.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from cospot.nova import log as logging
from cospot.nova.state import schema
from cospot.nova.state.database import StateDatabase, StateError, Transaction
from cospot.nova.state.errors import EvictorError
from cospot.nova.state.leases import Leases
from cospot.nova.state.pending import GRACE_S

LOG = logging.getLogger(__name__)
#: Rows left by dead services are removed at this age, seconds.
_FORGOTTEN_S: Final = 10 * GRACE_S


class OrderedElsewhereError(EvictorError):
    """Another copy has ordered this spot, on another host where it holds capacity."""


class SharedOrders:
    """Used under the host's lock.

    Args:
        lock_name: returns the name of a host's lock in `Leases`.
    """

    def __init__(
        self, database: StateDatabase, leases: Leases, lock_name: Callable[[str], str]
    ) -> None:
        self._database = database
        self._leases = leases
        self._lock_name = lock_name

    def recent(self, provider: str) -> frozenset[str]:
        """Return the spots of a host whose deletion was requested less than `GRACE_S` ago.

        Raises:
            StateError: they are unknown, so nothing may be evicted there.
        """
        table = schema.ORDERS
        question = table.select().where(table.c.provider == provider)

        def work(done: Transaction) -> frozenset[str]:
            rows = done.execute(question).all()
            now = done.now() if rows else 0.0
            return frozenset(row.spot for row in rows if now - row.ordered_at < GRACE_S)

        return self._database.run(work)

    def add(self, provider: str, spot: str) -> None:
        """Store that a deletion is about to be requested.

        Raises:
            LostLeaseError, OrderedElsewhereError: it must not be requested.
            StateError: it is unknown whether it is stored, so it must not be requested.
        """
        table, began = schema.ORDERS, time.monotonic()

        def work(done: Transaction) -> None:
            now = self._leases.renew(done, self._lock_name(provider))
            row = done.row(table, spot)
            if row is not None and row.provider != provider and now - row.ordered_at < GRACE_S:
                raise OrderedElsewhereError(f"spot {spot}: {row.owner} orders it on {row.provider}")
            values = {"provider": provider, "owner": self._database.owner, "ordered_at": now}
            done.put(table, spot, row is not None, **values)
            done.execute(table.delete().where(table.c.ordered_at < now - _FORGOTTEN_S))

        self._database.run(work)
        # The lease started at some time in between; the remaining time must suffice for Nova.
        if time.monotonic() - began > self._leases.lasts / 2:
            raise StateError(f"state database {self._database.shown}: it answers too late")

    def remove(self, provider: str, spot: str) -> None:
        """Forget a deletion that Nova has answered. Rows that cannot be removed expire."""
        table = schema.ORDERS
        mine = (table.c.spot == spot) & (table.c.owner == self._database.owner)
        try:
            self._database.run(lambda done: done.execute(table.delete().where(mine)))
        except StateError as error:
            LOG.warning("the order of spot %s stays stored for %.0f s: %s", spot, GRACE_S, error)
