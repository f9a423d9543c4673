"""Locks that expire, by the database's clock.

The holder of a lease may die, hang or be cut off; after `LEASE_S` another process can take it. So
holding a lease is no proof. A thread renews the leases held by this process; a process that hangs
or is cut off renews none. An action that must not happen twice, such as an order, is stored in a
transaction that first renews the holder's lease, in the same row that a taker changes: the database
lets only one of the two commit, whatever the clocks say.
"""

from __future__ import annotations

import threading
import time
from typing import Any, Final

from cospot.nova import log as logging
from cospot.nova.background import Background
from cospot.nova.state import schema
from cospot.nova.state.database import StateDatabase, StateError, Transaction
from cospot.nova.state.errors import EvictorError

LOG = logging.getLogger(__name__)
#: Duration of a lease without renewal, seconds. A killed copy blocks others from the hosts it was
#: working on for this long.
LEASE_S: Final = 30.0
#: Renewals per duration.
_RENEWALS: Final = 3
_FIRST_PAUSE_S: Final = 0.05
_LONGEST_PAUSE_S: Final = 0.5


class LostLeaseError(EvictorError):
    """Another process has taken the lease: nothing was stored, and nothing may be done."""


class Leases(Background):
    """Hands out locks like a tooz coordinator; one object per process.

    Args:
        database: stores them.
        least: minimum remaining duration of a lease, seconds.
    """

    def __init__(self, database: StateDatabase, least: float = 0.0) -> None:
        super().__init__("leases")
        self._database = database
        self.lasts = max(LEASE_S, least)
        self._held: set[str] = set()
        self._lock = threading.Lock()

    def start(self, start_heart: bool = True) -> None:
        """Start renewing the leases held by this process."""
        if start_heart:
            super().start()

    def stop(self, patience: float | None = None) -> None:
        """Release all leases of this process.

        Raises:
            StateError: they expire by themselves.
        """
        super().stop(patience)
        table = schema.LEASES
        mine = table.update().where(table.c.owner == self._database.owner).values(until=0.0)
        self._database.run(lambda done: done.execute(mine))

    def get_lock(self, name: bytes) -> Lease:
        """Return a lock by name, not yet acquired."""
        return Lease(self, name.decode())

    def _run(self) -> None:
        while self._pause(self.lasts / _RENEWALS):
            try:
                self.renew_held()
            except StateError as error:
                LOG.warning("leases cannot be renewed: %s", error)

    def renew_held(self) -> None:
        """Renew the unexpired leases held by threads of this process.

        Raises:
            StateError: none is renewed.
        """
        with self._lock:
            held = sorted(self._held)
        if not held:
            return
        table, owner = schema.LEASES, self._database.owner

        def work(done: Transaction) -> None:
            now = done.now()
            mine = (table.c.owner == owner) & table.c.name.in_(held) & (table.c.until > now)
            done.execute(table.update().where(mine).values(until=now + self.lasts))

        self._database.run(work)

    def take(self, name: str) -> bool:
        """Take or renew a lease; tell whether this process now holds it."""

        def work(done: Transaction) -> bool:
            row = done.row(schema.LEASES, name)
            now = done.now()
            if row is not None and row.owner != self._database.owner and row.until > now:
                return False
            values = {"owner": self._database.owner, "until": now + self.lasts}
            done.put(schema.LEASES, name, row is not None, **values)
            return True

        is_mine = self._database.run(work)
        if is_mine:
            with self._lock:
                self._held.add(name)
        return is_mine

    def renew(self, done: Transaction, name: str) -> float:
        """Renew a lease in a transaction that must not be committed without it.

        Returns:
            the time by the database's clock.

        Raises:
            LostLeaseError: this process no longer holds it.
        """
        row = done.row(schema.LEASES, name)
        now = done.now()
        if row is None or row.owner != self._database.owner or row.until <= now:
            raise LostLeaseError(f"lease {name}: it ended, or another copy has it")
        done.put(schema.LEASES, name, True, until=now + self.lasts)
        return now

    def keep(self, name: str) -> None:
        """Stop automatic renewal: the lease stays this process's until it expires."""
        with self._lock:
            self._held.discard(name)

    def release(self, name: str) -> None:
        """Release a lease, if this process holds it."""
        self.keep(name)
        table = schema.LEASES
        mine = (table.c.name == name) & (table.c.owner == self._database.owner)
        self._database.run(lambda done: done.execute(table.update().where(mine).values(until=0.0)))


class Lease:
    """A lease with the interface of tooz's locks."""

    def __init__(self, leases: Leases, name: str) -> None:
        self._leases = leases
        self._name = name

    def acquire(self, blocking: Any = True) -> bool:
        """Acquire it.

        Args:
            blocking: False, or the maximum time to wait, seconds.
        """
        deadline = time.monotonic() + (0.0 if blocking is False else float(blocking))
        pause = _FIRST_PAUSE_S
        while not self._leases.take(self._name):
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(pause, left))
            pause = min(2 * pause, _LONGEST_PAUSE_S)
        return True

    def release(self) -> None:
        """Release it."""
        self._leases.release(self._name)

    def keep(self) -> None:
        """Leave it to this process until it expires; this process can acquire it again before."""
        self._leases.keep(self._name)
