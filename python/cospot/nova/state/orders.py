"""Deletions that Nova was asked for: one row a spot, whoever asks.

As `PendingDeletions` in files, but a copy on another machine sees them. An order is stored before
Nova hears of it, in a transaction that needs the lease of the host. So of two copies that believe
to work on a host one stores its order, and the other stores nothing and orders nothing. A copy that
takes a host over finds what its predecessor ordered there, and asks for the same spot first.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from oslo_log import log as logging

from cospot.nova.evictor.errors import EvictorError
from cospot.nova.evictor.stores import GRACE_S
from cospot.nova.state import schema
from cospot.nova.state.database import StateDatabase, StateError, Transaction
from cospot.nova.state.leases import Leases

LOG = logging.getLogger(__name__)
#: Rows of services that died are removed when they are so old, seconds.
_FORGOTTEN_S: Final = 10 * GRACE_S


class OrderedElsewhereError(EvictorError):
    """Another copy orders this spot, on another host that it holds capacity of."""


class SharedOrders:
    """Used under the lock of the host.

    Args:
        lock_name: says what the lock of a host is called in `Leases`.
    """

    def __init__(
        self, database: StateDatabase, leases: Leases, lock_name: Callable[[str], str]
    ) -> None:
        self._database = database
        self._leases = leases
        self._lock_name = lock_name

    def recent(self, provider: str) -> frozenset[str]:
        """Return the spots of a host whose deletion was asked for less than `GRACE_S` ago.

        Raises:
            StateError: they are not known, so nothing may be evicted there.
        """
        table = schema.ORDERS
        question = table.select().where(table.c.provider == provider)

        def work(done: Transaction) -> frozenset[str]:
            rows = done.execute(question).all()
            now = done.now() if rows else 0.0
            return frozenset(row.spot for row in rows if now - row.ordered_at < GRACE_S)

        return self._database.run(work)

    def add(self, provider: str, spot: str) -> None:
        """Store that a deletion is about to be asked for.

        Raises:
            LostLeaseError, OrderedElsewhereError: it must not be asked for.
            StateError: it must not either, as it is not known whether it is stored.
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
        # The lease counts from somewhere in between; what is left of it must suffice for Nova.
        if time.monotonic() - began > self._leases.lasts / 2:
            raise StateError(f"state database {self._database.shown}: it answers too late")

    def remove(self, provider: str, spot: str) -> None:
        """Forget a deletion: Nova has answered. What cannot be removed ages."""
        table = schema.ORDERS
        mine = (table.c.spot == spot) & (table.c.owner == self._database.owner)
        try:
            self._database.run(lambda done: done.execute(table.delete().where(mine)))
        except StateError as error:
            LOG.warning("the order of spot %s stays stored for %.0f s: %s", spot, GRACE_S, error)
