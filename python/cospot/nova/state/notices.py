"""Notices given to spots, shared with whichever copy manages the reserves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from cospot.nova.state import schema
from cospot.nova.state.database import StateDatabase, Transaction
from cospot.nova.state.errors import EvictorError
from cospot.nova.state.leases import Leases
from cospot.nova.state.stores import Notice, NoticeStore, StoreError


class SharedNotices(NoticeStore):
    """The same in a table of the database. Changes require the lease of its lock.

    Args:
        lock_name: name of that lock in `Leases`.
    """

    def __init__(self, database: StateDatabase, leases: Leases, lock_name: str) -> None:
        super().__init__("")
        self._database = database
        self._leases = leases
        self._lock_name = lock_name

    def _read(self) -> list[Notice]:
        def work(done: Transaction) -> list[Notice]:
            done.now()  # the time by which their ends are judged
            rows = done.execute(schema.NOTICES.select().order_by(schema.NOTICES.c.given_at)).all()
            found = [dict(row._mapping) for row in rows]
            return [Notice(**{**each, "is_told": bool(each["is_told"])}) for each in found]

        try:
            return self._database.run(work)
        except EvictorError as error:
            raise StoreError(str(error)) from error

    def put(self, notice: Notice) -> None:
        """Store a notice, replacing an earlier one for the same spot.

        Raises:
            StoreError: it could not be written, or another copy now manages the reserves.
        """
        values = asdict(notice)
        spot = values.pop("spot")

        def work(done: Transaction) -> None:
            is_there = done.row(schema.NOTICES, spot) is not None
            done.put(schema.NOTICES, spot, is_there, **values)

        self._change(work)
        self._notices[spot] = notice

    def drop(self, spot: str) -> None:
        """Remove the notice of a spot, if any.

        Raises:
            StoreError: see `put`.
        """
        table = schema.NOTICES
        self._change(lambda done: done.execute(table.delete().where(table.c.spot == spot)))
        self._notices.pop(spot, None)

    def _change(self, work: Callable[[Transaction], Any]) -> None:
        def fenced(done: Transaction) -> None:
            self._leases.renew(done, self._lock_name)
            work(done)

        try:
            self._database.run(fenced)
        except EvictorError as error:
            raise StoreError(str(error)) from error
