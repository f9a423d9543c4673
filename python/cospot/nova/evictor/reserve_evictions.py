"""Evicts the spots whose notice has run out, and follows them until they are gone."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from oslo_log import log as logging

from cospot.nova.evictor.audit import AuditLog
from cospot.nova.evictor.errors import CloudError, EvictorError
from cospot.nova.evictor.killing import Killer, Reason
from cospot.nova.evictor.locks import BusyLockError, HostLocks
from cospot.nova.evictor.metrics import Metrics
from cospot.nova.evictor.notice_book import Notice
from cospot.nova.evictor.notice_sender import NoticeSender
from cospot.nova.evictor.notices import Notices, is_leaving, notice_fields
from cospot.nova.evictor.observation import HostObserver, HostPicture
from cospot.nova.evictor.reserve import Reserve
from cospot.nova.evictor.room import HostRoom
from cospot.nova.evictor.servers import Servers
from cospot.nova.evictor.spots import Refusal, Spot
from cospot.nova.evictor.stalled_hosts import StalledHosts

LOG = logging.getLogger(__name__)

_SHELVE: Final = "shelve-offload"
#: After so many failures a spot keeps its place, and others get the notice.
_MOST_FAILURES: Final = 3


class ReserveEvictions:
    """Carries out notices; all its methods are called under the lock of the notices.

    Args:
        settings: the group [cospot_evictor].
        policy: name of the evictor policy, for the audit log.
    """

    def __init__(
        self,
        settings: Any,
        servers: Servers,
        observer: HostObserver,
        locks: HostLocks,
        policy: str,
        killer: Killer,
        stalled: StalledHosts,
        notices: Notices,
        sender: NoticeSender,
        audit: AuditLog,
        metrics: Metrics,
    ) -> None:
        self._settings = settings
        self._servers = servers
        self._observer = observer
        self._locks = locks
        self._policy = policy
        self._killer = killer
        self._stalled = stalled
        self._notices = notices
        self._sender = sender
        self._audit = audit
        self._metrics = metrics
        self._failures: Counter[str] = Counter()
        self._taken: set[str] = set()  # spots for which Nova took the order from this process
        #: When this process first saw an order, monotonic time: after a restart it counts anew.
        self._seen_ordered: dict[tuple[str, float], float] = {}

    def is_given_up(self, spot: str) -> bool:
        """Tell whether a spot failed to go so often that it keeps its place."""
        return self._failures[spot] >= _MOST_FAILURES

    def follow(self, reserve: Reserve, rooms: Mapping[str, HostRoom]) -> None:
        """See what has become of the spots with notice, and let go of what needs none any more.

        Args:
            reserve: whose notices these are.
            rooms: its hosts as they are now, by provider.

        Raises:
            AuditError, BookError: it could not be finished.
        """
        ordered = {(each.spot, each.ordered_at) for each in self._notices.all()}
        self._seen_ordered = {
            order: at for order, at in self._seen_ordered.items() if order in ordered
        }
        for notice in self._notices.of(reserve.label):
            try:
                self._follow(notice, rooms.get(notice.provider))
            except CloudError as error:
                self._complain(notice, error)

    def _follow(self, notice: Notice, room: HostRoom | None) -> None:
        if room is None or notice.spot not in room.consumers:
            self._taken.discard(notice.spot)
            self._notices.end(notice)  # it may be on another host
        elif notice.ordered_at:
            self._follow_order(notice)
        elif self.is_given_up(notice.spot):
            self._notices.end(notice)

    def _follow_order(self, notice: Notice) -> None:
        now = time.monotonic()
        order = (notice.spot, notice.ordered_at)
        if now - self._seen_ordered.setdefault(order, now) > self._order_timeout():
            self._did_not_go(notice)
            return
        is_taken = notice.spot in self._taken
        if is_taken and self._settings.action != _SHELVE:
            return
        server = self._servers.server(notice.spot)
        if server is None or is_leaving(server):
            return
        if self._settings.action == _SHELVE and server.vm_state == "shelved":
            if server.task_state is None and self._killer.is_on:
                self._servers.shelve_offload(notice.spot)
        elif self.is_given_up(notice.spot):
            self._notices.end(notice)
        elif not is_taken:
            # Killed before the order, or Nova refused it.
            self._notices.mark_waiting(notice)

    def _order_timeout(self) -> float:
        is_shelved = self._settings.action == _SHELVE
        settings = self._settings
        return float(settings.shelve_timeout if is_shelved else settings.deletion_timeout)

    def _did_not_go(self, notice: Notice) -> None:
        LOG.error("spot %s was evicted for a reserve and did not go", notice.spot)
        self._failures[notice.spot] = _MOST_FAILURES
        if self._settings.action != _SHELVE:
            self._stalled.did_not_go(notice.provider, notice.spot)
        self._taken.discard(notice.spot)
        try:
            self._notices.end(notice)
        except CloudError:
            self._notices.drop(notice)  # or it would count as leaving for ever
            raise

    def carry_out(self, reserve: Reserve, rooms: Mapping[str, HostRoom]) -> None:
        """Evict the spots whose time has come, as long as the reserve lacks something.

        Args:
            reserve: whose notices these are.
            rooms: its hosts as they are now, by provider.
        """
        now = time.time()
        gone = self._notices.ordered()
        seen = dict(rooms)
        for notice in self._notices.of(reserve.label):
            if notice.ordered_at or not notice.is_told or notice.evict_at > now:
                continue
            try:
                with self._locks.hold(notice.provider, waits=False):
                    self._carry_out(reserve, seen, gone, notice)
            except BusyLockError as error:  # which is no fault of the spot
                LOG.info("reserve %s: spot %s waits: %s", notice.reserve, notice.spot, error)
            except EvictorError as error:
                self._failures[notice.spot] += 1
                self._complain(notice, error)

    def _carry_out(
        self, reserve: Reserve, rooms: dict[str, HostRoom], gone: set[str], notice: Notice
    ) -> None:
        """Evict a spot if all is as it was thought to be; update `rooms` and `gone`."""
        picture = self._observer.picture(self._observer.room(notice.provider))
        if picture is None:
            self._notices.end(notice)
            return
        spot = self._observer.check(picture, notice.spot)
        if spot is Refusal.LEAVING or (isinstance(spot, Spot) and self._is_shelved(spot)):
            # By its owner, or for a VM.
            gone.add(notice.spot)
            self._notices.mark_ordered(notice)
            return
        if isinstance(spot, Refusal):
            self._metrics.refusals.labels(reason=spot.value).inc()
            self._audit.write("refused", **notice_fields(notice), reason=spot.value)
            self._notices.end(notice)
            return
        if reserve.counts(picture.room):
            rooms[notice.provider] = picture.room
        gone.update(picture.leaving)
        if not reserve.missing(rooms.values(), gone):
            self._notices.withdraw(notice)
            return
        if self._evict(reserve, picture, spot, gone, notice):
            gone.add(notice.spot)

    def _is_shelved(self, spot: Spot) -> bool:
        """Tell whether a spot is being shelved, or needs only be taken off its host."""
        is_idle_there = spot.server.vm_state == "shelved" and self._settings.action == _SHELVE
        return (spot.server.task_state or "").startswith("shelving") or is_idle_there

    def _evict(
        self, reserve: Reserve, picture: HostPicture, spot: Spot, gone: set[str], notice: Notice
    ) -> bool:
        """Order the eviction; tell whether Nova took the order."""
        action = self._settings.action
        reason = Reason("reserve", self._policy, reserve.need(picture.room, gone))
        is_ordered = False

        def before_order() -> None:
            nonlocal is_ordered
            if action == _SHELVE:
                self._sender.forget(notice.spot)  # Nova changes no metadata of a shelved server
            self._notices.mark_ordered(notice)
            is_ordered = True

        self._killer.evict(picture, spot, reason, action, before_order)
        if is_ordered:
            self._taken.add(notice.spot)
        return is_ordered

    def _complain(self, notice: Notice, error: EvictorError) -> None:
        self._metrics.errors.labels(where="reserve").inc()
        LOG.warning("reserve %s: spot %s: %s", notice.reserve, notice.spot, error)
