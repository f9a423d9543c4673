"""Hosts on which evictions free nothing, shared by all copies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from cospot.nova import log as logging
from cospot.nova.moment import offset_text_of
from cospot.nova.state import schema
from cospot.nova.state.database import StateDatabase, StateError, Transaction
from cospot.nova.state.stores import StalledHostRecord

LOG = logging.getLogger(__name__)


class SharedStalledHosts:
    """Like `StalledHostStore`: written and removed under the host's lock.

    A copy that still works on a host after losing its lease may write a row that another copy
    corrects at its next check. It orders nothing.
    """

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def all(self) -> dict[str, StalledHostRecord]:
        """Return the stalled hosts by provider.

        Raises:
            StateError: they cannot be read.
        """
        question = schema.STALLED_HOSTS.select().order_by(schema.STALLED_HOSTS.c.provider)
        rows = self._database.run(lambda done: done.execute(question).all())
        return {row.provider: _record(row) for row in rows}

    def spots(self, provider: str) -> Sequence[str]:
        """Return the spots that should have left a host; none if it is not stalled.

        Raises:
            StateError: they cannot be read.
        """
        table = schema.STALLED_HOSTS
        question = table.select().where(table.c.provider == provider)
        row = self._database.run(lambda done: done.execute(question).first())
        return () if row is None else _record(row).spots

    def put(self, provider: str, host: str, spots: Sequence[str]) -> None:
        """Store a host with the spots that it should have freed."""
        text = json.dumps(list(spots))

        def work(done: Transaction) -> None:
            row = done.row(schema.STALLED_HOSTS, provider)
            if row is not None and row.spots == text:
                return
            now = offset_text_of(done.now())
            since = now if row is None else row.since
            values = {"host": host, "since": since, "spots": text}
            done.put(schema.STALLED_HOSTS, provider, row is not None, **values)

        try:
            self._database.run(work)
        except StateError as error:
            LOG.warning("that host %s is stalled is not stored: %s", host, error)

    def remove(self, provider: str) -> None:
        """Remove a host."""
        table = schema.STALLED_HOSTS
        gone = table.delete().where(table.c.provider == provider)
        try:
            self._database.run(lambda done: done.execute(gone))
        except StateError as error:
            LOG.warning("that provider %s is stalled no more is not stored: %s", provider, error)


def _record(row: Any) -> StalledHostRecord:
    return StalledHostRecord(row.host, row.since, tuple(json.loads(row.spots)))
