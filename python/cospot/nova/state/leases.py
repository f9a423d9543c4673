"""Locks with an end, by the database's clock.

Who holds one may die, stand still or be cut off: after `LEASE_S` somebody else takes it. So holding
one is no proof. A thread renews those that this process holds; one that is cut off or stands still
renews none. What must not be done twice, such as an order, is stored in a transaction that
first renews the lease of its doer, in the same row that a taker changes: the database lets one of
the two through, whatever the clocks say.
"""

from __future__ import annotations

import threading
import time
from typing import Any, Final

from oslo_log import log as logging

from cospot.nova.evictor.errors import EvictorError
from cospot.nova.state import schema
from cospot.nova.state.database import StateDatabase, StateError, Transaction

LOG = logging.getLogger(__name__)
#: How long a lease lasts that nobody renews, seconds. A copy that was killed keeps others from the
#: hosts that it was working on for so long.
LEASE_S: Final = 30.0
#: So often it is renewed while it lasts.
_RENEWALS: Final = 3
_FIRST_PAUSE_S: Final = 0.05
_LONGEST_PAUSE_S: Final = 0.5


class LostLeaseError(EvictorError):
    """Somebody else has taken the lease meanwhile: nothing was stored, and nothing may be done."""


class Leases:
    """Hands out locks as a coordinator of tooz does; one for a process.

    Args:
        database: where they are.
        least: for how long a lease must last at least, seconds.
    """

    def __init__(self, database: StateDatabase, least: float = 0.0) -> None:
        self._database = database
        self.lasts = max(LEASE_S, least)
        self._held: set[str] = set()
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="leases", daemon=True)

    def start(self, start_heart: bool = True) -> None:
        """Begin to renew the leases that are held."""
        if start_heart:
            self._thread.start()

    def stop(self) -> None:
        """Let go of all leases of this process.

        Raises:
            StateError: they end by themselves.
        """
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()
        table = schema.LEASES
        mine = table.update().where(table.c.owner == self._database.owner).values(until=0.0)
        self._database.run(lambda done: done.execute(mine))

    def get_lock(self, name: bytes) -> Lease:
        """Return a lock by its name, not held."""
        return Lease(self, name.decode())

    def _run(self) -> None:
        while not self._stopping.wait(self.lasts / _RENEWALS):
            try:
                self.renew_held()
            except StateError as error:
                LOG.warning("leases cannot be renewed: %s", error)

    def renew_held(self) -> None:
        """Renew the leases that threads of this process hold, as far as they have not ended.

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
        """Take a lease, or renew it; tell whether this process has it now."""

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
            LostLeaseError: this process has it no more.
        """
        row = done.row(schema.LEASES, name)
        now = done.now()
        if row is None or row.owner != self._database.owner or row.until <= now:
            raise LostLeaseError(f"lease {name}: it ended, or another copy has it")
        done.put(schema.LEASES, name, True, until=now + self.lasts)
        return now

    def keep(self, name: str) -> None:
        """Renew a lease no more by itself: it stays this process's until its time is over."""
        with self._lock:
            self._held.discard(name)

    def release(self, name: str) -> None:
        """Let go of a lease, if this process has it."""
        self.keep(name)
        table = schema.LEASES
        mine = (table.c.name == name) & (table.c.owner == self._database.owner)
        self._database.run(lambda done: done.execute(table.update().where(mine).values(until=0.0)))


class Lease:
    """One of them, as tooz's locks are."""

    def __init__(self, leases: Leases, name: str) -> None:
        self._leases = leases
        self._name = name

    def acquire(self, blocking: Any = True) -> bool:
        """Take it.

        Args:
            blocking: False, or how long to wait, seconds.
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
        """Let go of it."""
        self._leases.release(self._name)

    def keep(self) -> None:
        """Leave it to this process until its time is over: it may be taken again before."""
        self._leases.keep(self._name)
