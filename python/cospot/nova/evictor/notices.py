"""Notices: tells a spot's owner, and whoever listens, when it will be evicted, or that it will not.

Each change is stored before anyone hears of it. A crash in between leaves a stored notice whose
owner may not know of it. It evicts nothing: it is given anew, with its full time, or withdrawn once
more.
"""

from __future__ import annotations

import socket
import time
from dataclasses import replace
from typing import Any, Final

import oslo_messaging

from cospot.nova import log as logging
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.model import Server
from cospot.nova.moment import offset_text_of
from cospot.nova.state.errors import PASSING, CloudError
from cospot.nova.state.stores import Notice

LOG = logging.getLogger(__name__)
METADATA_KEY: Final = "cospot_evict_at"
NOTICE_EVENT: Final = "cospot.eviction_notice"
WITHDRAWN_EVENT: Final = "cospot.eviction_notice_withdrawn"
#: A message bus that is away must not stop the loop.
_SEND_TRIES: Final = 1
_CONFLICT: Final = 409
#: States in which Nova changes the metadata of a server that it is not busy with.
_CHANGES_METADATA: Final = ("active", "paused", "suspended", "stopped")


class Notices:
    """The notices that stand; their user holds the lock "notices".

    Owners are told by server metadata and by oslo.messaging: on the topics and by the driver of
    [oslo_messaging_notifications]; with no driver there, no messages are sent.
    """

    def __init__(self, context: EvictorContext) -> None:
        self._settings = context.settings
        self._servers = context.servers
        self._audit = context.audit
        self._metrics = context.metrics
        self._notifier = oslo_messaging.Notifier(
            oslo_messaging.get_notification_transport(context.conf),
            publisher_id=f"cospot-evictor:{socket.gethostname()}",
            retry=_SEND_TRIES,
        )
        self._now = context.stores.now
        self._store = context.stores.notices
        #: When this process told each spot, monotonic time: no clock that is set shortens a notice.
        self._told_at: dict[str, float] = {}
        #: Spots whose withdrawn notice stands in their metadata, as Nova does not change them.
        self._withdrawn: set[str] = set()

    def load(self) -> list[Notice]:
        """Read the store again; return all notices."""
        notices = self._store.load()
        stored = {each.spot for each in notices}
        projects = self._store.projects.items()
        self._store.projects = {spot: each for spot, each in projects if spot in stored}
        self._told_at = {spot: at for spot, at in self._told_at.items() if spot in stored}
        self._withdrawn &= stored
        return notices

    def all(self) -> list[Notice]:
        """Return the notices of all reserves."""
        return self._store.all()

    def of(self, reserve: str) -> list[Notice]:
        """Return the notices of a reserve, by its label."""
        return [each for each in self._store.all() if each.reserve == reserve]

    def ordered(self) -> set[str]:
        """Return the spots that Nova was told to evict and that are still there."""
        return {each.spot for each in self._store.all() if each.ordered_at}

    def is_due(self, notice: Notice, now: float) -> bool:
        """Tell whether the time of a notice is over at a moment, seconds since the epoch."""
        told_at = self._told_at.get(notice.spot, float("-inf"))
        has_passed = time.monotonic() - told_at >= notice.evict_at - notice.given_at
        return notice.evict_at <= now and has_passed

    def new(self, spot: str, provider: str, reserve: str) -> Notice:
        """Return a notice that could be given now."""
        now = self._now()
        return Notice(spot, provider, reserve, now, now + self._settings.notice_seconds)

    def give(self, notice: Notice, project_id: str) -> None:
        """Give a notice, or give it anew; its time begins now.

        Args:
            notice: whose times do not count.
            project_id: of the spot.

        Raises:
            AuditError, CloudError, StoreError: it was not given, and is to be given anew.
        """
        notice = replace(self.new(notice.spot, notice.provider, notice.reserve), is_told=False)
        self._store.put(notice)
        self._audit.write("notice", **notice_fields(notice))
        self._tell(notice, project_id)
        self._told_at[notice.spot] = time.monotonic()
        self._withdrawn.discard(notice.spot)
        self._store.projects[notice.spot] = project_id
        self._store.put(replace(notice, is_told=True))
        self._metrics.notices.labels(outcome="given").inc()
        LOG.info("notice to spot %s for reserve %s", notice.spot, notice.reserve)

    def _tell(self, notice: Notice, project_id: str) -> None:
        """Tell that a spot will be evicted.

        Raises:
            CloudError: it was not told, as Nova is away, or is busy with the spot.
        """
        moment = offset_text_of(notice.evict_at)
        try:
            self._write(notice.spot, moment)
        except CloudError as error:
            if _is_away(error):
                raise
            LOG.warning("cannot write the notice into the metadata of %s: %s", notice.spot, error)
        payload = {
            "instance": notice.spot,
            "project_id": project_id,
            "evict_at": moment,
            "action": self._settings.action,
        }
        self._notifier.info({}, NOTICE_EVENT, payload)

    def _write(self, spot: str, moment: str) -> None:
        try:
            self._servers.set_metadata(spot, METADATA_KEY, moment)
        except CloudError as error:
            if error.status != _CONFLICT:
                raise
            server = self._servers.server(spot)
            # It had a task, which has ended since or which a Nova that is behind does not show.
            if server and (server.task_state or server.vm_state in _CHANGES_METADATA):
                raise CloudError(str(error)) from error
            raise

    def withdraw(self, notice: Notice) -> None:
        """Tell that a spot will not be evicted after all.

        While Nova changes no metadata of the spot, as in rescue or while a resize is to be
        confirmed, the notice stays, evicts nothing and is taken out of them later.

        Raises:
            AuditError, CloudError, StoreError: it was not finished; the notice evicts nothing until
                it is.
        """
        self._store.put(replace(notice, ordered_at=0.0, is_told=False))
        is_over = self.forget(notice.spot)
        if notice.spot not in self._withdrawn:
            self._notifier.info({}, WITHDRAWN_EVENT, {"instance": notice.spot})
            self._audit.write("notice_withdrawn", **notice_fields(notice))
            self._metrics.notices.labels(outcome="withdrawn").inc()
        if is_over:
            self._store.drop(notice.spot)
        else:  # its owner would read it for ever
            self._withdrawn.add(notice.spot)

    def suspend(self, notice: Notice) -> None:
        """Have a notice evict nothing until it is given anew; its owner may still read it."""
        if notice.is_told:
            self._store.put(replace(notice, is_told=False))

    def end(self, notice: Notice) -> None:
        """Let go of a notice that nothing will come of any more.

        It is withdrawn, unless its spot is gone or going.

        Raises:
            CloudError: Nova did not say what has become of the spot, or see `withdraw`.
            AuditError, StoreError: see `withdraw`.
        """
        server = self._servers.server(notice.spot)
        is_ours = bool(notice.ordered_at) and self._settings.action == "shelve-offload"
        if server is None or _is_going(server, is_ours):
            self._store.drop(notice.spot)
        else:
            self.withdraw(notice)

    def forget(self, spot: str) -> bool:
        """Take the notice out of a spot's metadata, if the spot still is somewhere.

        Returns:
            False when Nova changes no metadata of the spot in the state that it is in.

        Raises:
            CloudError: it is there still, as Nova is away.
        """
        try:
            self._servers.remove_metadata(spot, METADATA_KEY)
        except CloudError as error:
            if _is_away(error):
                raise
            LOG.warning("cannot remove the notice from the metadata of %s: %s", spot, error)
            return error.status != _CONFLICT
        return True

    def drop(self, notice: Notice) -> None:
        """Let go of a notice and tell nobody."""
        self._store.drop(notice.spot)

    def mark_ordered(self, notice: Notice) -> None:
        """Write down that the spot is being evicted, before Nova is told to."""
        self._store.put(replace(notice, ordered_at=self._now()))

    def mark_waiting(self, notice: Notice) -> None:
        """Write down that it is not: Nova was not told, or did not hear."""
        self._store.put(replace(notice, ordered_at=0.0))


def _is_away(error: CloudError) -> bool:
    """Tell whether Nova gave no answer or failed: it may do the same later.

    What it refuses, as it changes no metadata of a server in rescue or in error, it refuses for as
    long as the server is.
    """
    return error.status in PASSING or error.status >= 500


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
