"""Keeps reserves free: gives notice to spots ahead of demand, and evicts them when it has run out.

What counts is always what placement shows now: a notice is withdrawn as soon as the reserve is
there without it, and a spot whose time has come is evicted only if the reserve still lacks it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

import cospot
from cospot.nova import log as logging
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.host_reconcile import HostReconciler
from cospot.nova.evictor.hosts import HostWatch
from cospot.nova.evictor.model import HostUsage
from cospot.nova.evictor.notices import Notices, notice_fields
from cospot.nova.evictor.reserve_orders import ReserveEvictions
from cospot.nova.evictor.reserves import (
    Reserve,
    members_of,
    read_reserves,
    reserved_vector,
)
from cospot.nova.evictor.snapshot import HostSnapshot, Spot
from cospot.nova.state.errors import CloudError, EvictorError, SettingError
from cospot.nova.state.safeguards import NOTICES_LOCK, BusyLockError

if TYPE_CHECKING:
    from cospot._core import ReservedHosts

LOG = logging.getLogger(__name__)
#: While a reserve lacks something all its hosts are read again, but no more often, seconds.
_READ_ALL_S: Final = 20.0
_PAUSES_PER_READING: Final = 4


class ReserveKeeper:
    """Looks after all reserves, once per reconcile of all hosts."""

    def __init__(
        self,
        context: EvictorContext,
        hosts: HostWatch,
        reconciler: HostReconciler,
    ) -> None:
        settings = context.settings
        self._notices = Notices(context)
        reserves = read_reserves(settings.reserve, settings.default_reserve)
        self._reserves = reserves if settings.mode == "proactive" else []
        if settings.mode == "proactive" and not reserves:
            raise SettingError(
                "[cospot_evictor] mode: proactive needs a reserve; set reserve or default_reserve"
            )
        self._context = context
        self._now = context.stores.now
        self._hosts = hosts
        self._evictions = ReserveEvictions(context, reconciler, self._notices)
        self._is_stalled = reconciler.stalled.is_stalled
        self._read_all: dict[str, tuple[float, float]] = {}
        self._would_notify: dict[str, set[str]] = {}  # spots written of in a dry run, by reserve

    def reconcile(self) -> None:
        """Give, withdraw and carry out notices.

        Raises:
            EvictorError: it could not be finished; the next time does.
        """
        if not self._reserves and not self._notices.load():
            return
        try:
            with self._context.locks.hold(NOTICES_LOCK, waits=False, keeps=True):
                self._context.metrics.leader.set(1)
                self._notices.load()
                self._reconcile()
        except BusyLockError as error:
            self._do_not_lead()
            LOG.debug("another copy of the service looks after the reserves: %s", error)
            self._notices.load()  # which spots may ask this copy about
        except EvictorError:
            self._do_not_lead()
            raise

    def _do_not_lead(self) -> None:
        """Leave it to the copy that leads to say what the reserves lack."""
        self._context.metrics.leader.set(0)
        self._context.metrics.reserve_missing.clear()

    def _reconcile(self) -> None:
        self._end_unknown()
        if not self._reserves:
            return
        members = members_of(self._context, self._reserves, self._hosts.usages())
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
        if is_fresh and self._context.switches.now().why_off is None:
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
        rows = {provider: row for row, provider in enumerate(usages)}
        hosts = reserve.hosts([*usages.values()], {each.spot for each in kept})
        kept = [each for each in kept if not each.ordered_at]
        noticed = [
            (rows.get(each.provider), reserve.held(usages.get(each.provider), each.spot))
            for each in kept
        ]
        for position in hosts.withdraw_needless(noticed):
            try:
                self._notices.withdraw(kept[position])
            except CloudError as error:
                self._evictions.complain(kept[position], error)

    def _give(self, reserve: Reserve, usages: Mapping[str, HostUsage]) -> None:
        """Give as many notices as the reserve lacks spots."""
        self._give_again(reserve, usages)
        given_up = self._evictions.is_given_up
        gone = {each.spot for each in self._notices.all() if not given_up(each.spot)}
        chosen: set[str] = set()
        known: dict[str, HostSnapshot | None] = {}  # all is asked again before an eviction
        while reserve.missing(usages.values(), gone):
            best = self._best(reserve, usages, gone, known)
            if not reserve.missing(usages.values(), gone):
                break  # what is leaving by itself suffices
            if best is None:
                LOG.warning("reserve %s: no spots whose eviction would free enough", reserve.label)
                break
            provider, spots = best
            for spot in spots:
                gone.add(spot.uuid)
                chosen.add(spot.uuid)
                self._notify(reserve, provider, spot)
        self._would_notify.get(reserve.label, set()).intersection_update(chosen)

    def _best(
        self,
        reserve: Reserve,
        usages: Mapping[str, HostUsage],
        gone: set[str],
        known: dict[str, HostSnapshot | None],
    ) -> tuple[str, list[Spot]] | None:
        """Return the host on which capacity for one more VM costs least, and its spots.

        Args:
            reserve: which lacks capacity.
            usages: its hosts, by provider.
            gone: spots to count as gone; what is seen leaving is added.
            known: what Nova has just said of hosts; those that it is asked about are added.

        Raises:
            CloudError: Nova was not to be asked.
        """
        providers = sorted(usages)
        hosts = reserve.hosts([usages[each] for each in providers], gone)
        spots: dict[int, list[Spot]] = {}
        found = []
        for row in hosts.nearest([self._held(reserve, usages[each], gone) for each in providers]):
            provider = providers[row]
            if provider not in known:
                known[provider] = self._context.observer.snapshot(usages[provider])
            snapshot = known[provider]
            if snapshot is None or self._frees_by_itself(reserve, hosts, row, snapshot, gone):
                continue
            spots[row] = [each for each in snapshot.spots.evictable.values() if self._may_go(each)]
            spots[row] = [each for each in spots[row] if each.uuid not in gone]
            candidate = self._context.chooser.for_reserve(hosts, row, spots[row], time.time())
            if candidate is not None:
                found.append(candidate)
        if not found:
            return None
        _, _, row, victims = min(found)
        return providers[row], [spots[row][each] for each in victims]

    def _held(self, reserve: Reserve, usage: HostUsage, gone: set[str]) -> cospot.ResourceVector:
        """Return what spots hold of a host that could be evicted there, as placement shows it."""
        if self._is_stalled(usage.provider):
            return reserved_vector({})
        out = gone | {each for each in usage.consumers if self._evictions.is_given_up(each)}
        return reserved_vector({each: usage.used(each, out)[1] for each in reserve.size})

    def _frees_by_itself(
        self,
        reserve: Reserve,
        hosts: ReservedHosts,
        row: int,
        snapshot: HostSnapshot,
        gone: set[str],
    ) -> bool:
        """Count what is leaving a host as gone; tell whether that suffices for one more VM."""
        hosts.set_free(row, reserve.free(snapshot.usage, gone))
        before = hosts.vms_on(row)
        gone.update(snapshot.leaving)
        hosts.set_free(row, reserve.free(snapshot.usage, gone))
        return hosts.vms_on(row) > before

    def _may_go(self, spot: Spot) -> bool:
        return not (spot.is_stuck or spot.migration or self._evictions.is_given_up(spot.uuid))

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
