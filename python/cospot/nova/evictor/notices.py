"""Gives and withdraws notices, each change in the book before anyone hears of it.

A crash in between leaves a notice in the book whose owner may not know of it. It evicts nothing:
it is given anew, with its full time, or withdrawn once more.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from oslo_log import log as logging

from cospot.nova.evictor.audit import AuditLog
from cospot.nova.evictor.metrics import Metrics
from cospot.nova.evictor.notice_book import Notice, NoticeBook
from cospot.nova.evictor.notice_sender import NoticeSender
from cospot.nova.evictor.servers import Server, Servers

LOG = logging.getLogger(__name__)


class Notices:
    """The notices that stand; their user holds a lock.

    Args:
        settings: the group [cospot_evictor].
    """

    def __init__(
        self,
        settings: Any,
        servers: Servers,
        sender: NoticeSender,
        audit: AuditLog,
        metrics: Metrics,
    ) -> None:
        self._settings = settings
        self._servers = servers
        self._sender = sender
        self._audit = audit
        self._metrics = metrics
        self._book = NoticeBook(f"{settings.state_path}/notices.json")

    def load(self) -> list[Notice]:
        """Read the book again; return all notices."""
        return self._book.load()

    def all(self) -> list[Notice]:
        """Return the notices of all reserves."""
        return self._book.all()

    def of(self, reserve: str) -> list[Notice]:
        """Return the notices of a reserve, by its label."""
        return [each for each in self._book.all() if each.reserve == reserve]

    def ordered(self) -> set[str]:
        """Return the spots that Nova was told to evict and that are still there."""
        return {each.spot for each in self._book.all() if each.ordered_at}

    def new(self, spot: str, provider: str, reserve: str) -> Notice:
        """Return a notice that could be given now."""
        now = time.time()
        return Notice(spot, provider, reserve, now, now + self._settings.notice_seconds)

    def give(self, notice: Notice, project_id: str) -> None:
        """Give a notice, or give it anew; its time begins now.

        Args:
            notice: whose times do not count.
            project_id: of the spot.

        Raises:
            AuditError, BookError: it was not given.
        """
        notice = replace(self.new(notice.spot, notice.provider, notice.reserve), is_told=False)
        self._book.put(notice)
        self._audit.write("notice", **notice_fields(notice))
        self._sender.give(notice.spot, project_id, notice.evict_at, self._settings.action)
        self._book.put(replace(notice, is_told=True))
        self._metrics.notices.labels(outcome="given").inc()
        LOG.info("notice to spot %s for reserve %s", notice.spot, notice.reserve)

    def withdraw(self, notice: Notice) -> None:
        """Tell that a spot will not be evicted after all.

        Raises:
            AuditError, BookError: it was not finished; the notice evicts nothing until it is.
        """
        self._book.put(replace(notice, ordered_at=0.0, is_told=False))
        self._sender.withdraw(notice.spot)
        self._audit.write("notice_withdrawn", **notice_fields(notice))
        self._book.drop(notice.spot)
        self._metrics.notices.labels(outcome="withdrawn").inc()

    def end(self, notice: Notice) -> None:
        """Let go of a notice that nothing will come of any more.

        It is withdrawn, unless its spot is gone or going.

        Raises:
            CloudError: Nova did not say what has become of the spot.
            AuditError, BookError: see `withdraw`.
        """
        server = self._servers.server(notice.spot)
        if server is None or _is_going(server, bool(notice.ordered_at)):
            self._book.drop(notice.spot)
        else:
            self.withdraw(notice)

    def drop(self, notice: Notice) -> None:
        """Let go of a notice and tell nobody."""
        self._book.drop(notice.spot)

    def mark_ordered(self, notice: Notice) -> None:
        """Write down that the spot is being evicted, before Nova is told to."""
        self._book.put(replace(notice, ordered_at=time.time()))

    def mark_waiting(self, notice: Notice) -> None:
        """Write down that it is not: Nova was not told, or did not hear."""
        self._book.put(replace(notice, ordered_at=0.0))


def is_leaving(server: Server) -> bool:
    """Tell whether Nova is deleting or shelving a server."""
    task = server.task_state or ""
    return task == "deleting" or task.startswith("shelving") or server.is_deleted


def _is_going(server: Server, is_ours: bool) -> bool:
    """Tell whether a spot is being deleted, or was shelved (or is being) by this service."""
    if is_ours:
        return is_leaving(server) or server.vm_state.startswith("shelved")
    return server.task_state == "deleting" or server.is_deleted


def notice_fields(notice: Notice) -> dict[str, Any]:
    """Return what the audit records about a notice have in common."""
    return {
        "instance": notice.spot,
        "provider": notice.provider,
        "cause": "reserve",
        "reserve": notice.reserve,
        "given_at": notice.given_at,
        "evict_at": notice.evict_at,
    }
