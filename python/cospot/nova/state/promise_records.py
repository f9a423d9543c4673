"""The promises to spots and their outcomes, shared by all copies: one row per spot."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Set
from typing import Any, Final

from cospot.nova import log as logging
from cospot.nova.promises.promise_message import Promise
from cospot.nova.state import schema
from cospot.nova.state.database import StateDatabase, StateError, Transaction

LOG = logging.getLogger(__name__)
#: A change may become visible up to this many seconds after its `changed_at`, longer than a
#: transaction takes.
_OVERLAP_S: Final = 300.0
#: Maximum number of records waiting for the database; the oldest are dropped first.
_MOST_WAITING: Final = 10_000


class SharedPromiseRecords:
    """Stores the records of a `PromiseJournal`, which calls it under a lock.

    Records that cannot be written wait in memory. They are written before any other access.
    """

    knows_first = True

    def __init__(self, database: StateDatabase) -> None:
        self._database = database
        self._read_up_to = 0.0
        self._waiting: deque[tuple[Promise, dict[str, Any]]] = deque(maxlen=_MOST_WAITING)

    def write(self, promise: Promise, record: dict[str, Any]) -> bool:
        """Store a record; tell whether it is new. A record that has to wait counts as new."""
        try:
            self._flush()
            return self._write(promise, record)
        except StateError as error:
            self._waiting.append((promise, record))
            LOG.warning("%d records of promises wait: %s", len(self._waiting), error)
            return True

    def read(self) -> Iterator[dict[str, Any]]:
        """Return records stored since the last call, by any process; some may be repeated.

        Raises:
            StateError: it cannot be read.
        """
        self._flush()
        table = schema.PROMISES
        question = table.select().where(table.c.changed_at >= self._read_up_to - _OVERLAP_S)

        def work(done: Transaction) -> tuple[float, list[Any]]:
            now = done.now()  # first: later commits are read at the next call
            return now, done.execute(question.order_by(table.c.made_at)).all()

        now, rows = self._database.run(work)
        self._read_up_to = now
        return (record for row in rows for record in _records(row))

    def drop_old(self, before: float, young: Set[str]) -> None:
        """Remove promises that were over before a time.

        Raises:
            StateError: they cannot be removed.
        """
        table = schema.PROMISES
        old = table.delete().where(table.c.made_at + table.c.lifetime_s < before)
        self._database.run(lambda done: done.execute(old))

    def _flush(self) -> None:
        while self._waiting:
            self._write(*self._waiting[0])
            self._waiting.popleft()

    def _write(self, promise: Promise, record: dict[str, Any]) -> bool:
        table, event = schema.PROMISES, record["event"]

        def work(done: Transaction) -> bool:
            row = done.row(table, promise.instance)
            if event == "promised":
                if row is not None:
                    return False
                given = {name: record[name] for name in ("made_at", "lifetime_s", "target")}
                done.put(table, promise.instance, False, changed_at=done.now(), **given)
                return True
            if row is None or row.broken_at is not None:
                return False
            changed = {"broken_at": record["at"]} if event == "broken" else {"ran": event == "ran"}
            done.put(table, promise.instance, True, changed_at=done.now(), **changed)
            return True

        return self._database.run(work)


def _records(row: Any) -> Iterator[dict[str, Any]]:
    given = {name: getattr(row, name) for name in ("made_at", "lifetime_s", "target")}
    yield {"event": "promised", "instance": row.instance, **given}
    if row.broken_at is not None:
        yield {"event": "broken", "instance": row.instance, "at": row.broken_at}
    elif row.ran is not None:
        yield {"event": "ran" if row.ran else "never_ran", "instance": row.instance, "at": 0.0}
