"""The database: connections with a time limit, transactions, and its clock."""

from __future__ import annotations

import os
import socket
import time
import uuid
from collections.abc import Callable
from typing import Any, Final, TypeVar

import sqlalchemy as sa
from sqlalchemy import event, exc
from sqlalchemy.pool import NullPool, QueuePool

from cospot.errors import CospotError
from cospot.nova.evictor.errors import EvictorError, SettingError
from cospot.nova.state import schema

_Result = TypeVar("_Result")
#: By driver; for another one it is not known how to end a call that takes too long.
_DRIVERS: Final = ("sqlite+pysqlite", "mysql+pymysql", "mariadb+pymysql")
EXPECTED: Final = "mysql+pymysql://USER:PASSWORD@HOST/cospot"
#: Two transactions in each other's way, of which the database has ended one: MySQL's deadlock and
#: lock wait, SQLSTATE's serialization failure.
_CONFLICTS: Final = frozenset({1213, 1205})
_TRIES: Final = 3
#: The database's time, seconds since the epoch, whatever its time zone is.
_MYSQL_CLOCK: Final = (
    "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) / 1e6"
)
_CLOCKS: Final = {
    "sqlite": "SELECT (julianday('now') - 2440587.5) * 86400.0",
    "mysql": _MYSQL_CLOCK,
    "mariadb": _MYSQL_CLOCK,
}


class StateError(EvictorError, CospotError):
    """The database cannot be used now; nothing that needs it is done."""


class StateClock:
    """The database's clock between two questions: this machine's monotonic clock carries it on.

    Until the first question it is this machine's clock.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ahead: float | None = None

    def heard(self, now: float) -> None:
        """Take note of what the database has just said."""
        self._ahead = now - self._clock()

    def now(self) -> float:
        """Return the time, seconds since the epoch."""
        ahead = self._ahead
        return time.time() if ahead is None else self._clock() + ahead


class Transaction:
    """A transaction; for the thread that runs it, and only while it runs."""

    def __init__(self, connection: Any, question: str, clock: StateClock) -> None:
        self.connection = connection
        self._question = question
        self._clock = clock

    def execute(self, statement: Any) -> Any:
        """Run a statement of SQLAlchemy."""
        return self.connection.execute(statement)

    def row(self, table: Any, key: Any) -> Any:
        """Return the row whose primary key is this, locked until the end; None: there is none."""
        (column,) = table.primary_key.columns
        return self.execute(sa.select(table).where(column == key).with_for_update()).first()

    def put(self, table: Any, key: Any, is_there: bool, **values: Any) -> None:
        """Insert a row, or change the one that `row` has found.

        Raises:
            sqlalchemy.exc.IntegrityError: somebody else has inserted it meanwhile.
        """
        (column,) = table.primary_key.columns
        if is_there:
            self.execute(table.update().where(column == key).values(**values))
        else:
            self.execute(table.insert().values({column.name: key, **values}))

    def now(self) -> float:
        """Ask the database what time it is: after waiting for a row, not before."""
        now = float(self.execute(sa.text(self._question)).scalar())
        self._clock.heard(now)
        return now


class StateDatabase:
    """The database of `state_connection`. Thread-safe.

    Args:
        url: as SQLAlchemy writes it.
        timeout: most seconds that one call to it may take.
        failed: called with each error, for the metrics.

    Attributes:
        owner: who this process is in the tables; no other process is ever called so.
        clock: the database's.
        shown: the URL without its password.

    Raises:
        SettingError: the URL cannot be used. That nobody answers there is no error here: a service
            starts, and waits.
    """

    def __init__(
        self, url: str, timeout: float, failed: Callable[[StateError], None] = lambda error: None
    ) -> None:
        self.timeout = timeout
        self.owner = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4()}"
        self.clock = StateClock()
        self._failed = failed
        self._is_checked = False
        try:
            parsed = sa.engine.make_url(url)
        except (exc.ArgumentError, ValueError):  # whose text has the password
            raise SettingError(_setting(f"cannot be read; expected such as {EXPECTED}")) from None
        self.shown = parsed.render_as_string(hide_password=True)
        try:
            driver = f"{parsed.get_backend_name()}+{parsed.get_dialect().driver}"
            if driver not in _DRIVERS:
                expected = f"expected sqlite or such as {EXPECTED}"
                raise SettingError(_setting(f"{self.shown}: {driver} is not known; {expected}"))
            self._engine = self._make_engine(parsed)
        except (exc.SQLAlchemyError, ImportError, TypeError, ValueError) as error:
            raise SettingError(_setting(f"{self.shown}: {_line(error)}")) from error
        self._question = _CLOCKS[parsed.get_backend_name()]

    def _make_engine(self, url: Any) -> Any:
        if url.get_backend_name() == "sqlite":
            engine = sa.create_engine(
                url, future=True, poolclass=NullPool, connect_args={"timeout": self.timeout}
            )
            event.listen(engine, "connect", _leave_transactions_to_us)
            event.listen(engine, "begin", _begin_to_write)
            return engine
        seconds = max(1, round(self.timeout))
        # One call reads or writes several times at most: the socket's limits bound each of them.
        engine = sa.create_engine(
            url,
            future=True,
            poolclass=QueuePool,
            pool_size=4,
            max_overflow=64,
            pool_timeout=self.timeout,
            pool_pre_ping=True,  # one that a proxy has dropped is noticed before it counts
            isolation_level="READ COMMITTED",
            connect_args={
                "connect_timeout": seconds,
                "read_timeout": seconds,
                "write_timeout": seconds,
            },
        )
        event.listen(engine, "connect", _wait_for_rows(seconds))
        return engine

    def run(self, work: Callable[[Transaction], _Result]) -> _Result:
        """Run a function in a transaction; return what it returns, once that is committed.

        It is run again where another transaction was in the way, so it must change nothing else.

        Raises:
            StateError: the database does not answer, or has no tables that this program knows. What
                was done may have been committed nevertheless.
            EvictorError: of the function; nothing was done.
        """
        return self._run(work, checks=True)

    def upgrade(self) -> list[int]:
        """Make or upgrade the tables; return the versions that were passed.

        Raises:
            StateError: it cannot be done.
        """
        return self._run(lambda done: schema.upgrade(done.connection), checks=False)

    def version(self) -> int:
        """Return the version of the tables; 0: there are none.

        Raises:
            StateError: the database does not answer.
        """
        return self._run(lambda done: schema.stored_version(done.connection)[0], checks=False)

    def problem(self) -> str:
        """Return why the tables cannot be used; empty when they can.

        Raises:
            StateError: the database does not answer.
        """
        return self._run(
            lambda done: schema.problem_of(schema.stored_version(done.connection)), checks=False
        )

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def _run(self, work: Callable[[Transaction], _Result], *, checks: bool) -> _Result:
        for left in range(_TRIES - 1, -1, -1):
            try:
                return self._attempt(work, checks)
            except exc.IntegrityError as error:  # a row that two insert at once
                if not left:
                    raise self._error(error) from error
            except exc.SQLAlchemyError as error:
                if not left or not _is_conflict(error):
                    raise self._error(error) from error
            except (OSError, RuntimeError) as error:  # of a driver, or its socket
                raise self._error(error) from error
        raise AssertionError("not reached")

    def _attempt(self, work: Callable[[Transaction], _Result], checks: bool) -> _Result:
        try:
            connection = self._engine.connect()
        except (TypeError, ValueError) as error:  # a host's name that its client does not take
            raise self._error(error) from error
        with connection, connection.begin():
            if checks and not self._is_checked:
                self._check(connection)
            return work(Transaction(connection, self._question, self.clock))

    def _check(self, connection: Any) -> None:
        problem = schema.problem_of(schema.stored_version(connection))
        if problem:
            raise self._error(problem)
        self._is_checked = True

    def _error(self, error: Exception | str) -> StateError:
        made = StateError(f"state database {self.shown}: {_line(error)}")
        self._failed(made)
        return made


def _setting(text: str) -> str:
    return f"[cospot_evictor] state_connection: {text}"


def _line(error: Exception | str) -> str:
    return (str(error) or repr(error)).splitlines()[0]


def _is_conflict(error: exc.SQLAlchemyError) -> bool:
    arguments: tuple[object, ...] = getattr(getattr(error, "orig", None), "args", ())
    return bool(arguments) and arguments[0] in _CONFLICTS


def _leave_transactions_to_us(connection: Any, record: Any) -> None:
    # Python's sqlite3 begins a transaction only before it changes something.
    connection.isolation_level = None


def _begin_to_write(connection: Any) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _wait_for_rows(seconds: int) -> Callable[[Any, Any], None]:
    def set_up(connection: Any, record: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SET SESSION innodb_lock_wait_timeout = {seconds}")

    return set_up
