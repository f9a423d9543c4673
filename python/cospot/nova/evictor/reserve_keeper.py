"""Keeps reserves free: gives notice to spots ahead of demand, and evicts them when it has run out.

What counts is always what placement shows now: a notice is withdrawn as soon as the reserve is
there without it, and a spot whose time has come is evicted only if the reserve still lacks it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Final

from oslo_log import log as logging

from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.errors import CloudError, EvictorError, SettingError
from cospot.nova.evictor.executor import Reason
from cospot.nova.evictor.host_reconcile import HostReconciler
from cospot.nova.evictor.hosts import HostWatch
from cospot.nova.evictor.model import HostUsage
from cospot.nova.evictor.notices import Notices, NoticeSender, is_leaving, notice_fields
from cospot.nova.evictor.reserves import (
    Reserve,
    ReserveMembers,
    SpotFinder,
    TroubledSpots,
    read_reserves,
)
from cospot.nova.evictor.safeguards import NOTICES_LOCK, BusyLockError
from cospot.nova.evictor.snapshot import HostSnapshot, Refusal, Spot
from cospot.nova.evictor.stores import Notice

LOG = logging.getLogger(__name__)
_SHELVE: Final = "shelve-offload"
#: While a reserve lacks something all its hosts are read again, but no more often, seconds.
_READ_ALL_S: Final = 20.0
_PAUSES_PER_READING: Final = 4


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
            if server.task_state is None and self._executor.is_on:
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
        snapshot = self._context.observer.snapshot(
            self._context.observer.look(notice.provider).usage
        )
        if snapshot is not None:
            snapshot = self._reconciler.observed(snapshot)
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
        is_ordered = False

        def before_order() -> None:
            nonlocal is_ordered
            if action == _SHELVE:  # Nova changes no metadata of a shelved server
                self._notices.clear_metadata(notice)
            self._notices.mark_ordered(notice)
            is_ordered = True

        self._executor.evict(snapshot, spot, reason, action, before_order)
        if is_ordered:
            self._taken.add(notice.spot)
        return is_ordered

    def complain(self, notice: Notice, error: EvictorError) -> None:
        """Say what went wrong with a notice, but not often; the next reconcile tries again."""
        self._context.metrics.errors.labels(where="reserve").inc()
        is_news = self._troubled.failed(notice.spot, error)
        level = logging.WARNING if is_news else logging.DEBUG
        LOG.log(level, "reserve %s: spot %s: %s", notice.reserve, notice.spot, error)


class ReserveKeeper:
    """Looks after all reserves, once per reconcile of all hosts."""

    def __init__(
        self,
        context: EvictorContext,
        hosts: HostWatch,
        reconciler: HostReconciler,
    ) -> None:
        settings = context.settings
        self._notices = Notices(context, NoticeSender(context))
        reserves = read_reserves(settings.reserve, settings.default_reserve)
        self._reserves = reserves if settings.mode == "proactive" else []
        if settings.mode == "proactive" and not reserves:
            raise SettingError(
                "[cospot_evictor] mode: proactive needs a reserve; set reserve or default_reserve"
            )
        self._context = context
        self._now = context.stores.now
        self._hosts = hosts
        self._members = ReserveMembers(context)
        self._evictions = ReserveEvictions(context, reconciler, self._notices)
        is_stalled = reconciler.stalled.is_stalled
        self._finder = SpotFinder(context, self._evictions.is_given_up, is_stalled)
        self._read_all: dict[str, tuple[float, float]] = {}
        self._would_notify: dict[str, set[str]] = {}  # spots written of in a dry run, by reserve

    def reconcile(self) -> None:
        """Give, withdraw and carry out notices.

        Raises:
            EvictorError: it could not be finished; the next time does.
        """
        if not self._reserves and not self._notices.load():
            return
        leader = self._context.metrics.leader
        try:
            with self._context.locks.hold(NOTICES_LOCK, waits=False, keeps=True):
                leader.set(1)
                self._notices.load()
                self._reconcile()
        except BusyLockError as error:
            leader.set(0)
            LOG.debug("another copy of the service looks after the reserves: %s", error)
            self._notices.load()  # which spots may ask this copy about
        except EvictorError:
            leader.set(0)
            raise

    def _reconcile(self) -> None:
        self._end_unknown()
        if not self._reserves:
            return
        members = self._members.of(self._reserves, self._hosts.usages())
        for reserve in self._reserves:
            try:
                self._keep(reserve, members[reserve.label])
            except EvictorError as error:
                self._context.metrics.errors.labels(where="reserve").inc()
                LOG.warning("reserve %s: %s", reserve.label, error)

    def _end_unknown(self) -> None:
        """Let go of the notices of reserves that are configured no more."""
        known = {reserve.label for reserve in self._reserves}
        for notice in self._notices.all():
            if notice.reserve in known:
                continue
            try:
                self._notices.end(notice)
            except CloudError as error:
                self._context.metrics.errors.labels(where="reserve").inc()
                LOG.warning("former reserve %s: %s", notice.reserve, error)

    def _keep(self, reserve: Reserve, members: set[str]) -> None:
        """Look after one reserve."""
        now = self._now()
        mine = self._notices.of(reserve.label)
        has_expired = any(self._notices.is_due(each, now) and not each.ordered_at for each in mine)
        usages, missing = self._see(reserve, members, {each.provider for each in mine})
        # Capacity that became free does not show in a provider's generation.
        is_fresh = missing > 0 and self._may_read_all(reserve, has_expired)
        if is_fresh:
            began = time.monotonic()
            usages, missing = self._see(reserve, members, members)
            self._read_all[reserve.label] = (time.monotonic(), time.monotonic() - began)
        self._context.metrics.reserve_missing.labels(reserve=reserve.label).set(missing)
        if not missing:
            self._would_notify.pop(reserve.label, None)
        self._withdraw_needless(reserve, usages)
        if is_fresh:
            self._evictions.carry_out(reserve, usages)
        if is_fresh and self._context.switches.why_off() is None:
            self._give(reserve, usages)

    def _see(
        self, reserve: Reserve, members: set[str], stale: Iterable[str]
    ) -> tuple[dict[str, HostUsage], int]:
        """Read some hosts again and follow the spots with notice.

        Returns:
            the reserve's hosts by provider, and for how many VMs there is no free capacity.
        """
        self._hosts.read_again(stale)
        usages = {
            usage.provider: usage
            for usage in self._hosts.usages()
            if usage.provider in members and reserve.counts(usage)  # else HostWatch complains of it
        }
        self._evictions.follow(reserve, usages)
        return usages, reserve.missing(usages.values(), self._notices.ordered())

    def _may_read_all(self, reserve: Reserve, has_expired: bool) -> bool:
        """Tell whether to read all hosts now: seldom if that takes long."""
        at, took = self._read_all.get(reserve.label, (float("-inf"), 0.0))
        pause = took * _PAUSES_PER_READING
        return time.monotonic() - at >= (pause if has_expired else max(pause, _READ_ALL_S))

    def _withdraw_needless(self, reserve: Reserve, usages: Mapping[str, HostUsage]) -> None:
        """Withdraw the notices without which the reserve is there too, the last given first.

        Before these come the ones whose owners do not know of them. On a spot that is given up
        nobody counts.
        """
        given_up = self._evictions.is_given_up
        kept = sorted(
            [each for each in self._notices.of(reserve.label) if not given_up(each.spot)],
            key=lambda each: (not each.is_told, each.given_at, each.spot),
        )
        for notice in reversed(list(kept)):
            gone = {each.spot for each in kept if each is not notice}
            if not notice.ordered_at and reserve.missing(usages.values(), gone) == 0:
                kept.remove(notice)
                try:
                    self._notices.withdraw(notice)
                except CloudError as error:
                    self._evictions.complain(notice, error)

    def _give(self, reserve: Reserve, usages: Mapping[str, HostUsage]) -> None:
        """Give as many notices as the reserve lacks spots."""
        self._give_again(reserve, usages)
        given_up = self._evictions.is_given_up
        gone = {each.spot for each in self._notices.all() if not given_up(each.spot)}
        chosen: set[str] = set()
        known: dict[str, HostSnapshot | None] = {}  # all is asked again before an eviction
        while reserve.missing(usages.values(), gone):
            best = self._finder.best(reserve, usages, gone, known)
            if not reserve.missing(usages.values(), gone):
                break  # what is leaving by itself suffices
            if best is None:
                LOG.warning("reserve %s: no spots whose eviction would free enough", reserve.label)
                break
            for spot in best.spots:
                gone.add(spot.uuid)
                chosen.add(spot.uuid)
                self._notify(reserve, best.provider, spot)
        self._would_notify.get(reserve.label, set()).intersection_update(chosen)

    def _give_again(self, reserve: Reserve, usages: Mapping[str, HostUsage]) -> None:
        """Give the notices whose giving or withdrawal was not finished, and that are needed."""
        for notice in self._notices.of(reserve.label):
            if notice.is_told or notice.ordered_at or not self._context.switches.now().is_on:
                continue
            usage = usages.get(notice.provider)
            is_here = usage is not None and notice.spot in usage.consumers
            if not is_here or self._evictions.is_given_up(notice.spot):
                continue  # it is to be withdrawn
            try:
                server = self._context.servers.server(notice.spot)
                if server is None:
                    self._notices.drop(notice)
                else:
                    self._notices.give(notice, server.project_id)
            except CloudError as error:
                self._evictions.complain(notice, error)

    def _notify(self, reserve: Reserve, provider: str, spot: Spot) -> None:
        notice = self._notices.new(spot.uuid, provider, reserve.label)
        if self._context.switches.now().is_on:
            try:
                self._notices.give(notice, spot.server.project_id)
            except CloudError as error:
                self._evictions.complain(notice, error)
            return
        written = self._would_notify.setdefault(reserve.label, set())
        if spot.uuid not in written:
            self._context.audit.write("would_notify", **notice_fields(notice))
            written.add(spot.uuid)
