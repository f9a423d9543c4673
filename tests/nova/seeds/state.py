"""The database that copies of the evictor on two machines share: real SQL, on a cable that breaks.

The statements of the product run in SQLite, in memory, each transaction at one moment. What is
simulated is the way there and back, who is cut off, and the database's clock.
"""

from __future__ import annotations

import functools
import random
from typing import Any

# All that is imported where it is used, so that `substitute` finds it.
import cospot.nova.state.database
import cospot.nova.state.notices
import cospot.nova.state.orders
import cospot.nova.state.promise_records
import cospot.nova.state.stalled
import sqlalchemy as sa
from cospot.nova.state import leases, schema
from cospot.nova.state.database import StateDatabase
from sqlalchemy import event
from sqlalchemy.pool import StaticPool

from seeds import START, kernel
from seeds.files import SimulatedFault
from seeds.kernel import Kernel
from seeds.substitute import World
from seeds.wire import Network

#: Of a lease, seconds: shorter than a process may stand still.
LEASE_S = 8.0
URL = "sqlite://"


class Cut(OSError, SimulatedFault):
    """The database did not answer."""


class StateServer:
    """The database of one simulation.

    Args:
        rng: its own, so that seeds without a database are as they were.
    """

    def __init__(self, kernel: Kernel, network: Network, rng: random.Random) -> None:
        self.kernel = kernel
        self.network = network
        self.random = rng.random
        self.skew = 5000.0 * rng.random() - 2500.0
        self.engine = _engine()
        with self.engine.begin() as connection:
            schema.upgrade(connection)
            for table in schema.METADATA.sorted_tables:
                if table is not schema.SCHEMA:
                    connection.execute(table.delete())

    def now(self) -> float:
        return START + self.kernel.now + self.skew

    def rows(self, table: Any) -> list[Any]:
        with self.engine.begin() as connection:
            return list(connection.execute(table.select()).all())


def _virtual_now() -> float:
    """Tell the time of the simulation that runs now."""
    now: float = World.now.state.now()
    return now


@functools.cache
def _engine() -> Any:
    engine = sa.create_engine(
        URL, future=True, poolclass=StaticPool, connect_args={"check_same_thread": False}
    )

    def set_up(connection: Any, record: Any) -> None:
        connection.isolation_level = None
        connection.create_function("virtual_now", 0, _virtual_now)

    event.listen(engine, "connect", set_up)
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
    return engine


class SimulatedDatabase(StateDatabase):
    """What each process has of it."""

    def __init__(self, url: str, timeout: float, failed: Any = lambda error: None) -> None:
        super().__init__(url, timeout, failed)
        self._question = "SELECT virtual_now()"

    def _make_engine(self, url: Any) -> Any:
        return World.now.state.engine

    def close(self) -> None:
        pass

    def _attempt(self, work: Any, checks: bool) -> Any:
        now = kernel.kernel()
        thread = now.current
        assert thread is not None
        process, server = thread.process, World.now.state
        began = now.now
        dies = process.edge()
        if dies and server.random() < 0.5:
            process.kill()  # before it is sent
        is_cut = process.machine.name in server.network.is_down
        fault = "lost" if is_cut else server.network.pick("state")
        try:
            kernel.sleep(0.001 + 0.004 * server.random())
            if fault == "slow":
                kernel.sleep(0.8 * self.timeout * server.random())
            elif fault in ("lost", "late"):
                kernel.sleep(self.timeout)
                raise Cut("no answer")
            elif fault not in ("", "unanswered"):
                raise Cut(fault)
            result = super()._attempt(work, checks)
            if dies:
                process.kill()  # it is carried out
            if fault == "unanswered":
                kernel.sleep(self.timeout)
                raise Cut("no answer, though it is committed")
            kernel.sleep(0.001 + 0.004 * server.random())
        finally:
            thread.waited_s += now.now - began
        return result


def install() -> None:
    """Put the simulated database in place of the real one."""
    leases.LEASE_S = LEASE_S  # type: ignore[misc]
    cospot.nova.state.database.StateDatabase = SimulatedDatabase  # type: ignore[misc]
