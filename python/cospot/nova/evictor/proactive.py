"""Keeps reserves free: gives notice to spots ahead of demand, and evicts them when it has run out.

What counts is always what placement shows now: a notice is withdrawn as soon as the reserve is
there without it, and a spot whose time has come is evicted only if the reserve still lacks it.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Mapping
from typing import Any, Final

from oslo_log import log as logging

from cospot.nova.evictor.audit import AuditLog
from cospot.nova.evictor.choice import SpotChooser
from cospot.nova.evictor.errors import CloudError, EvictorError, SettingError
from cospot.nova.evictor.killing import Killer
from cospot.nova.evictor.locks import BusyLockError, HostLocks
from cospot.nova.evictor.metrics import Metrics
from cospot.nova.evictor.notice_sender import NoticeSender
from cospot.nova.evictor.notices import Notices, notice_fields
from cospot.nova.evictor.observation import HostObserver
from cospot.nova.evictor.placement import Placement
from cospot.nova.evictor.reconcile import HostWatch
from cospot.nova.evictor.reserve import Reserve, read_reserves
from cospot.nova.evictor.reserve_choice import RoomFinder
from cospot.nova.evictor.reserve_evictions import ReserveEvictions
from cospot.nova.evictor.room import HostRoom
from cospot.nova.evictor.servers import Servers
from cospot.nova.evictor.spots import Spot
from cospot.nova.evictor.stalled_hosts import StalledHosts
from cospot.nova.evictor.switches import Switches

LOG = logging.getLogger(__name__)

#: While a reserve lacks something all its hosts are read again, but no more often, seconds.
_READ_ALL_S: Final = 20.0
_PAUSES_PER_READING: Final = 4


class ReserveKeeper:
    """Looks after all reserves, once per look at all hosts.

    Args:
        settings: the group [cospot_evictor].
    """

    def __init__(
        self,
        settings: Any,
        placement: Placement,
        servers: Servers,
        hosts: HostWatch,
        observer: HostObserver,
        locks: HostLocks,
        chooser: SpotChooser,
        killer: Killer,
        switches: Switches,
        stalled: StalledHosts,
        sender: NoticeSender,
        audit: AuditLog,
        metrics: Metrics,
    ) -> None:
        reserves = read_reserves(settings.reserve, settings.default_reserve)
        self._reserves = reserves if settings.mode == "proactive" else []
        if settings.mode == "proactive" and not reserves:
            raise SettingError(
                "[cospot_evictor] mode: proactive needs a reserve; set reserve or default_reserve"
            )
        self._placement = placement
        self._servers = servers
        self._hosts = hosts
        self._locks = locks
        self._switches = switches
        self._audit = audit
        self._metrics = metrics
        self._notices = Notices(settings, servers, sender, audit, metrics)
        self._evictions = ReserveEvictions(
            settings,
            servers,
            observer,
            locks,
            chooser.name,
            killer,
            stalled,
            self._notices,
            sender,
            audit,
            metrics,
        )
        self._finder = RoomFinder(
            observer, chooser, self._evictions.is_given_up, stalled.is_stalled
        )
        self._read_all: dict[str, tuple[float, float]] = {}
        self._would_notify: dict[str, set[str]] = {}  # spots written of in a dry run, by reserve

    def look(self) -> None:
        """Give, withdraw and carry out notices.

        Raises:
            EvictorError: it could not be finished; the next look does.
        """
        if not self._reserves and not self._notices.load():
            return
        try:
            with self._locks.hold("notices", waits=False):
                self._notices.load()
                self._look()
        except BusyLockError as error:
            LOG.debug("another copy of the service looks after the reserves: %s", error)

    def _look(self) -> None:
        self._end_unknown()
        members = self._members()
        for reserve in self._reserves:
            try:
                self._keep(reserve, members[reserve.label])
            except EvictorError as error:
                self._metrics.errors.labels(where="reserve").inc()
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
                self._metrics.errors.labels(where="reserve").inc()
                LOG.warning("former reserve %s: %s", notice.reserve, error)

    def _members(self) -> dict[str, set[str]]:
        """Return the providers of each reserve; those of an unknown aggregate are none."""
        everyone = {room.provider for room in self._hosts.rooms()}
        uuids: dict[str, str] | None = None
        members: dict[str, set[str]] = {}
        for reserve in self._reserves:
            if not reserve.aggregate:
                continue
            name = reserve.aggregate
            if not _is_uuid(name):
                uuids = self._servers.aggregate_uuids() if uuids is None else uuids
                if name not in uuids:
                    self._metrics.errors.labels(where="reserve").inc()
                    LOG.error("reserve: there is no host aggregate %s", name)
                    members[reserve.label] = set()
                    continue
                name = uuids[name]
            found = {each.uuid for each in self._placement.providers(name)}
            members[reserve.label] = found & everyone
        members["default"] = everyone.difference(*members.values())
        return members

    def _keep(self, reserve: Reserve, members: set[str]) -> None:
        """Look after one reserve."""
        now = time.time()
        mine = self._notices.of(reserve.label)
        has_expired = any(each.evict_at <= now and not each.ordered_at for each in mine)
        rooms, missing = self._see(reserve, members, {each.provider for each in mine})
        # Room that became free does not show in a provider's generation.
        is_fresh = missing > 0 and self._may_read_all(reserve, now, has_expired)
        if is_fresh:
            began = time.time()
            rooms, missing = self._see(reserve, members, members)
            self._read_all[reserve.label] = (time.time(), time.time() - began)
        self._metrics.reserve_missing.labels(reserve=reserve.label).set(missing)
        if not missing:
            self._would_notify.pop(reserve.label, None)
        self._withdraw_needless(reserve, rooms)
        if is_fresh:
            self._evictions.carry_out(reserve, rooms)
        if is_fresh and self._switches.why_off() is None:
            self._give(reserve, rooms)

    def _see(
        self, reserve: Reserve, members: set[str], stale: Iterable[str]
    ) -> tuple[dict[str, HostRoom], int]:
        """Read some hosts again and follow the spots with notice.

        Returns:
            the rooms of the reserve's hosts, and for how many VMs there is none.
        """
        self._hosts.read_again(stale)
        rooms = {
            room.provider: room
            for room in self._hosts.rooms()
            if room.provider in members and reserve.counts(room)  # else HostWatch complains of it
        }
        self._evictions.follow(reserve, rooms)
        return rooms, reserve.missing(rooms.values(), self._notices.ordered())

    def _may_read_all(self, reserve: Reserve, now: float, has_expired: bool) -> bool:
        """Tell whether to read all hosts now: seldom if that takes long."""
        at, took = self._read_all.get(reserve.label, (0.0, 0.0))
        pause = took * _PAUSES_PER_READING
        return now - at >= (pause if has_expired else max(pause, _READ_ALL_S))

    def _withdraw_needless(self, reserve: Reserve, rooms: Mapping[str, HostRoom]) -> None:
        """Withdraw the notices without which the reserve is there too, the last given first."""
        kept = sorted(self._notices.of(reserve.label), key=lambda each: (each.given_at, each.spot))
        for notice in reversed(list(kept)):
            gone = {each.spot for each in kept if each is not notice}
            if not notice.ordered_at and reserve.missing(rooms.values(), gone) == 0:
                kept.remove(notice)
                self._notices.withdraw(notice)

    def _give(self, reserve: Reserve, rooms: Mapping[str, HostRoom]) -> None:
        """Give as many notices as the reserve lacks spots."""
        self._give_again(reserve)
        gone = {each.spot for each in self._notices.all()}
        chosen: set[str] = set()
        while reserve.missing(rooms.values(), gone):
            best = self._finder.best(reserve, rooms, gone)
            if not reserve.missing(rooms.values(), gone):
                break  # what is leaving by itself makes the room
            if best is None:
                LOG.warning("reserve %s: no spots that could make room for it", reserve.label)
                break
            for spot in best.spots:
                gone.add(spot.uuid)
                chosen.add(spot.uuid)
                self._notify(reserve, best.provider, spot)
        self._would_notify.get(reserve.label, set()).intersection_update(chosen)

    def _give_again(self, reserve: Reserve) -> None:
        """Give the notices whose giving or withdrawal was not finished, and that are needed."""
        for notice in self._notices.of(reserve.label):
            if notice.is_told or notice.ordered_at or not self._switches.now().is_on:
                continue
            server = self._servers.server(notice.spot)
            if server is None:
                self._notices.drop(notice)
            else:
                self._notices.give(notice, server.project_id)

    def _notify(self, reserve: Reserve, provider: str, spot: Spot) -> None:
        notice = self._notices.new(spot.uuid, provider, reserve.label)
        if self._switches.now().is_on:
            self._notices.give(notice, spot.server.project_id)
            return
        written = self._would_notify.setdefault(reserve.label, set())
        if spot.uuid not in written:
            self._audit.write("would_notify", **notice_fields(notice))
            written.add(spot.uuid)


def _is_uuid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False
