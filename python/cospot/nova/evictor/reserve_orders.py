"""Evicts the spots whose notice for a reserve has run out, and follows them until they are gone."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

from cospot.nova import log as logging
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.executor import Prepared, Reason
from cospot.nova.evictor.host_reconcile import HostReconciler
from cospot.nova.evictor.model import HostUsage
from cospot.nova.evictor.notices import Notices, is_leaving, notice_fields
from cospot.nova.evictor.reserves import Reserve, TroubledSpots
from cospot.nova.evictor.snapshot import HostSnapshot, Spot
from cospot.nova.state.errors import CloudError, EvictorError
from cospot.nova.state.safeguards import BusyLockError, Refusal
from cospot.nova.state.stores import Notice

LOG = logging.getLogger(__name__)
_SHELVE: Final = "shelve-offload"


class ReserveEvictions:
    """Evicts the spots whose notice has run out, and follows them until they are gone.

    All its methods are called under the lock "notices".
    """

    def __init__(
        self,
        context: EvictorContext,
        reconciler: HostReconciler,
        notices: Notices,
    ) -> None:
        self._context = context
        self._settings = context.settings
        self._reconciler = reconciler
        self._executor = reconciler.executor
        self._stalled = reconciler.stalled
        self._notices = notices
        self._troubled = TroubledSpots()
        self._taken: set[str] = set()  # spots for which Nova took the order from this process
        #: When this process first saw an order, monotonic time: after a restart it counts anew.
        self._seen_ordered: dict[tuple[str, float], float] = {}

    def is_given_up(self, spot: str) -> bool:
        """Tell whether a spot keeps its place, and others get the notice."""
        return self._troubled.is_given_up(spot)

    def follow(self, reserve: Reserve, usages: Mapping[str, HostUsage]) -> None:
        """See what has become of the spots with notice, and let go of what needs none any more.

        Args:
            reserve: whose notices these are.
            usages: its hosts as they are now, by provider.

        Raises:
            AuditError, StoreError: it could not be finished.
        """
        ordered = {(each.spot, each.ordered_at) for each in self._notices.all()}
        self._seen_ordered = {
            order: at for order, at in self._seen_ordered.items() if order in ordered
        }
        for notice in self._notices.of(reserve.label):
            try:
                self._follow(notice, usages.get(notice.provider))
            except CloudError as error:
                self.complain(notice, error)

    def _follow(self, notice: Notice, usage: HostUsage | None) -> None:
        if usage is None or notice.spot not in usage.consumers:
            self._taken.discard(notice.spot)
            self._end_elsewhere(notice)
        elif notice.ordered_at:
            self._follow_order(notice)
        elif self.is_given_up(notice.spot):
            self._notices.suspend(notice)  # Nova may not say what has become of it
            self._notices.end(notice)

    def _end_elsewhere(self, notice: Notice) -> None:
        """Let go of the notice of a spot that has left its host, perhaps to another one."""
        is_gone = self.is_given_up(notice.spot)  # Nova answers nothing about it
        if is_gone and not self._context.placement.allocation(notice.spot):
            self._notices.drop(notice)
        else:
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
        server = self._context.servers.server(notice.spot)
        if server is None or is_leaving(server):
            return
        if self._settings.action == _SHELVE and server.vm_state == "shelved":
            if server.task_state is None and self._context.switches.now().is_on:
                self._context.servers.shelve_offload(notice.spot)
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
        self._troubled.give_up(notice.spot)
        if self._settings.action != _SHELVE:
            self._stalled.did_not_go(notice.provider, notice.spot)
        self._taken.discard(notice.spot)
        try:
            self._notices.end(notice)
        except CloudError:
            if notice.spot in self._notices.ordered():
                self._notices.drop(notice)  # or it would count as leaving for ever
            raise

    def carry_out(self, reserve: Reserve, usages: Mapping[str, HostUsage]) -> None:
        """Evict the spots whose time has come, as long as the reserve lacks something.

        Args:
            reserve: whose notices these are.
            usages: its hosts as they are now, by provider.
        """
        now = self._context.stores.now()
        gone = self._notices.ordered()
        seen = dict(usages)
        for notice in self._notices.of(reserve.label):
            if notice.ordered_at or not notice.is_told or not self._notices.is_due(notice, now):
                continue
            try:
                with self._context.locks.hold(notice.provider, waits=False):
                    self._carry_out(reserve, seen, gone, notice)
            except BusyLockError as error:  # which is no fault of the spot
                LOG.info("reserve %s: spot %s waits: %s", notice.reserve, notice.spot, error)
            except EvictorError as error:
                self.complain(notice, error)

    def _carry_out(
        self, reserve: Reserve, usages: dict[str, HostUsage], gone: set[str], notice: Notice
    ) -> None:
        """Evict a spot if all is as it was thought to be; update `usages` and `gone`."""
        usage = self._context.observer.look(notice.provider).usage
        snapshot = self._reconciler.observed(self._context.observer.snapshot(usage))
        if snapshot is None:
            self._notices.end(notice)
            return
        spot = self._context.observer.check(snapshot, notice.spot)
        if spot is Refusal.LEAVING or (isinstance(spot, Spot) and self._is_shelved(spot)):
            # By its owner, or for a VM.
            gone.add(notice.spot)
            self._notices.mark_ordered(notice)
            return
        if isinstance(spot, Refusal):
            self._context.metrics.refusals.labels(reason=spot.value).inc()
            self._context.audit.write("refused", **notice_fields(notice), reason=spot.value)
            self._notices.end(notice)
            return
        snapshot = self._context.observer.renew(snapshot, float("inf"))
        if reserve.counts(snapshot.usage):
            usages[notice.provider] = snapshot.usage
        gone.update(snapshot.leaving)
        if not reserve.missing(usages.values(), gone):
            self._notices.withdraw(notice)
            return
        if self._evict(reserve, snapshot, spot, gone, notice):
            gone.add(notice.spot)

    def _is_shelved(self, spot: Spot) -> bool:
        """Tell whether a spot is being shelved, or needs only be taken off its host."""
        is_idle_there = spot.server.vm_state == "shelved" and self._settings.action == _SHELVE
        return (spot.server.task_state or "").startswith("shelving") or is_idle_there

    def _evict(
        self, reserve: Reserve, snapshot: HostSnapshot, spot: Spot, gone: set[str], notice: Notice
    ) -> bool:
        """Order the eviction; tell whether Nova took the order."""
        action = self._settings.action
        reason = Reason("reserve", self._context.chooser.name, reserve.need(snapshot.usage, gone))
        prepared = self._executor.prepare(snapshot, spot, reason, action)
        if not isinstance(prepared, Prepared):
            return False
        try:
            if action == _SHELVE:  # Nova changes no metadata of a shelved server
                self._notices.forget(notice.spot)
            self._notices.mark_ordered(notice)
        except EvictorError as error:
            self._executor.was_not_given(prepared, error)
            raise
        (refused,) = self._executor.order([prepared])
        if refused is not None:
            raise refused
        self._taken.add(notice.spot)
        return True

    def complain(self, notice: Notice, error: EvictorError) -> None:
        """Say what went wrong with a notice, but not often; the next reconcile tries again."""
        self._context.metrics.errors.labels(where="reserve").inc()
        is_news = self._troubled.failed(notice.spot, error)
        level = logging.WARNING if is_news else logging.DEBUG
        LOG.log(level, "reserve %s: spot %s: %s", notice.reserve, notice.spot, error)
