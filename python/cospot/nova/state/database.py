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
from cospot.nova.state import schema
from cospot.nova.state.errors import EvictorError, SettingError

_Result = TypeVar("_Result")
#: By driver; for other drivers it is unknown how to time out a call.
_DRIVERS: Final = ("sqlite+pysqlite", "mysql+pymysql", "mariadb+pymysql")
EXPECTED: Final = "mysql+pymysql://USER:PASSWORD@HOST/cospot"
#: Errors of two conflicting transactions, one of which the database aborted: MySQL's deadlock and
#: lock wait, SQLSTATE's serialization failure.
_CONFLICTS: Final = frozenset({1213, 1205})
_TRIES: Final = 3
#: The version of the tables is read again after this long: an upgrade may have excluded this
#: program while it runs.
_VERSION_VALID_S: Final = 30.0
#: The database's time, seconds since the epoch, independent of its time zone.
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
    """The database's clock, extrapolated between queries by the local monotonic clock.

    Until the first query it is the local clock.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ahead: float | None = None

    def heard(self, now: float) -> None:
        """Set the clock to a time just read from the database."""
        self._ahead = now - self._clock()

    def now(self) -> float:
        """Return the time, seconds since the epoch."""
        ahead = self._ahead
        return time.time() if ahead is None else self._clock() + ahead


class Transaction:
    """A transaction, valid only in the thread that runs it and while it runs."""

    def __init__(self, connection: Any, question: str, clock: StateClock) -> None:
        self.connection = connection
        self._question = question
        self._clock = clock

    def execute(self, statement: Any) -> Any:
        """Run an SQLAlchemy statement."""
        return self.connection.execute(statement)

    def row(self, table: Any, key: Any) -> Any:
        """Return the row with a primary key, locked until the end; None if there is none."""
        (column,) = table.primary_key.columns
        return self.execute(sa.select(table).where(column == key).with_for_update()).first()

    def put(self, table: Any, key: Any, is_there: bool, **values: Any) -> None:
        """Insert a row, or update the one that `row` has found.

        Raises:
            sqlalchemy.exc.IntegrityError: another transaction has inserted it in the meantime.
        """
        (column,) = table.primary_key.columns
        if is_there:
            self.execute(table.update().where(column == key).values(**values))
        else:
            self.execute(table.insert().values({column.name: key, **values}))

    def now(self) -> float:
        """Read the database's time: after waiting for a row, not before."""
        now = float(self.execute(sa.text(self._question)).scalar())
        self._clock.heard(now)
        return now


class StateDatabase:
    """The database of `state_connection`. Thread-safe.

    Args:
        url: in SQLAlchemy's format.
        timeout: maximum duration of one call, seconds.
        failed: called with each error, for the metrics.

    Attributes:
        owner: identifies this process in the tables; unique across processes.
        clock: the database's.
        shown: the URL without its password.

    Raises:
        SettingError: the URL cannot be used. An unreachable database is not an error here: the
            service starts, and waits.
    """

    def __init__(
        self, url: str, timeout: float, failed: Callable[[StateError], None] = lambda error: None
    ) -> None:
        self.timeout = timeout
        self.owner = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4()}"
        self.clock = StateClock()
        self._failed = failed
        self._check_at = float("-inf")
        try:
            parsed = sa.engine.make_url(url)
        except (exc.ArgumentError, ValueError):  # its text contains the password
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
        # One call reads or writes at most a few times; the socket's limits bound each of them.
        engine = sa.create_engine(
            url,
            future=True,
            poolclass=QueuePool,
            pool_size=4,
            max_overflow=64,
            pool_timeout=self.timeout,
            pool_pre_ping=True,  # detects connections dropped by a proxy before use
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
        """Run a function in a transaction; return its result after the commit.

        It is repeated after a conflict with another transaction, so it must have no other side
        effects.

        Raises:
            StateError: the database does not answer, or has no tables of a known version. The
                changes may have been committed nevertheless.
            EvictorError: from the function; nothing was changed.
        """
        return self._run(work, checks=True)

    def upgrade(self) -> list[int]:
        """Create or upgrade the tables; return the versions passed.

        Raises:
            StateError: it fails.
        """
        return self._run(lambda done: schema.upgrade(done.connection), checks=False)

    def version(self) -> int:
        """Return the version of the tables; 0: there are no tables.

        Raises:
            StateError: the database does not answer.
        """
        return self._run(lambda done: schema.stored_version(done.connection)[0], checks=False)

    def problem(self) -> str:
        """Return why the tables cannot be used; empty if they can.

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
            except exc.IntegrityError as error:  # two transactions inserted the row at once
                if not left:
                    raise self._error(error) from error
            except exc.SQLAlchemyError as error:
                if not left or not _is_conflict(error):
                    raise self._error(error) from error
            except (OSError, RuntimeError) as error:  # from a driver, or its socket
                raise self._error(error) from error
        raise AssertionError("not reached")

    def _attempt(self, work: Callable[[Transaction], _Result], checks: bool) -> _Result:
        try:
            connection = self._engine.connect()
        except (TypeError, ValueError) as error:  # for a host name that the client rejects
            raise self._error(error) from error
        with connection, connection.begin():
            if checks and time.monotonic() >= self._check_at:
                self._check(connection)
            return work(Transaction(connection, self._question, self.clock))

    def _check(self, connection: Any) -> None:
        problem = schema.problem_of(schema.stored_version(connection))
        if problem:
            raise self._error(problem)
        self._check_at = time.monotonic() + _VERSION_VALID_S

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
    # Python's sqlite3 begins a transaction only before a change.
    connection.isolation_level = None


def _begin_to_write(connection: Any) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _wait_for_rows(seconds: int) -> Callable[[Any, Any], None]:
    def set_up(connection: Any, record: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SET SESSION innodb_lock_wait_timeout = {seconds}")

    return set_up
