"""Keeps reserves free: gives notice to spots ahead of demand, and evicts them when it has run out.

What counts is always what placement shows now: a notice is withdrawn as soon as the reserve is
there without it, and a spot whose time has come is evicted only if the reserve still lacks it.
"""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from oslo_log import log as logging

from cospot.nova.evictor.audit import AuditLog
from cospot.nova.evictor.choice import SpotChooser, frees_some
from cospot.nova.evictor.errors import EvictorError, SettingError
from cospot.nova.evictor.killing import Killer, Reason
from cospot.nova.evictor.locks import HostLocks
from cospot.nova.evictor.metrics import Metrics
from cospot.nova.evictor.notice_book import Notice, NoticeBook
from cospot.nova.evictor.notice_sender import NoticeSender
from cospot.nova.evictor.observation import HostObserver
from cospot.nova.evictor.placement import Placement
from cospot.nova.evictor.reconcile import HostWatch
from cospot.nova.evictor.reserve import Reserve, read_reserves
from cospot.nova.evictor.room import HostRoom
from cospot.nova.evictor.servers import Servers
from cospot.nova.evictor.spots import Refusal, Spot
from cospot.nova.evictor.switches import Switches

LOG = logging.getLogger(__name__)

#: Spots are looked for on so many hosts, those that lack the least for one more VM.
_MOST_HOSTS: Final = 20
#: While a reserve lacks something all its hosts are read again, but no more often, seconds.
_READ_ALL_S: Final = 20.0
_PAUSES_PER_READING: Final = 4
#: After so many failures a spot keeps its place, and others get the notice.
_MOST_FAILURES: Final = 3


@dataclass(frozen=True)
class _Candidate:
    """A way to room for one more VM of a reserve: these spots of one host."""

    provider: str
    spots: Sequence[Spot]
    score: float


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
        sender: NoticeSender,
        audit: AuditLog,
        metrics: Metrics,
    ) -> None:
        self._settings = settings
        reserves = read_reserves(settings.reserve, settings.default_reserve)
        self._reserves = reserves if settings.mode == "proactive" else []
        if settings.mode == "proactive" and not reserves:
            raise SettingError(
                "[cospot_evictor] mode: proactive needs a reserve; set reserve or default_reserve"
            )
        self._placement = placement
        self._servers = servers
        self._hosts = hosts
        self._observer = observer
        self._locks = locks
        self._chooser = chooser
        self._killer = killer
        self._switches = switches
        self._sender = sender
        self._audit = audit
        self._metrics = metrics
        self._book = NoticeBook(f"{settings.state_path}/notices.json")
        self._read_all: dict[str, tuple[float, float]] = {}
        self._failures: Counter[str] = Counter()

    def look(self) -> None:
        """Give, withdraw and carry out notices.

        Raises:
            EvictorError: it could not be finished; the next look does.
        """
        if not self._reserves and not self._book.read():
            return
        with self._locks.hold("notices"):
            notices = self._book.read()
            members = self._members()
            for reserve in self._reserves:
                mine = [each for each in notices if each.reserve == reserve.label]
                others = [each for each in notices if each.reserve != reserve.label]
                try:
                    mine = self._keep(reserve, members[reserve.label], mine, others)
                except EvictorError as error:
                    self._metrics.errors.labels(where="reserve").inc()
                    LOG.warning("reserve %s: %s", reserve.label, error)
                notices = [*others, *mine]
                self._book.write(notices)
            known = {reserve.label for reserve in self._reserves}
            for notice in notices:
                if notice.reserve not in known:
                    self._withdraw_one(notice)
            self._book.write([each for each in notices if each.reserve in known])

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

    def _keep(
        self, reserve: Reserve, members: set[str], mine: list[Notice], others: list[Notice]
    ) -> list[Notice]:
        """Look after one reserve; return its notices from now on."""
        now = time.time()
        rooms = self._rooms(members, {each.provider for each in mine})
        mine = self._forget_gone(rooms, mine)
        leaving = {each.spot for each in mine if each.ordered_at}
        missing = reserve.missing(rooms.values(), leaving)
        has_expired = any(each.evict_at <= now and not each.ordered_at for each in mine)
        # Room that became free does not show in a provider's generation.
        is_fresh = missing > 0 and self._may_read_all(reserve, now, has_expired)
        if is_fresh:
            rooms = self._rooms(members, members)
            self._read_all[reserve.label] = (time.time(), time.time() - now)
            mine = self._forget_gone(rooms, mine)
            missing = reserve.missing(rooms.values(), leaving)
        self._metrics.reserve_missing.labels(reserve=reserve.label).set(missing)
        mine = self._withdraw(reserve, rooms, mine)
        if is_fresh:
            mine = self._carry_out(reserve, rooms, mine)
        if is_fresh and self._switches.why_off() is None:
            mine = self._give(reserve, rooms, mine, others)
        return mine

    def _may_read_all(self, reserve: Reserve, now: float, has_expired: bool) -> bool:
        """Tell whether to read all hosts now: seldom if that takes long."""
        at, took = self._read_all.get(reserve.label, (0.0, 0.0))
        pause = took * _PAUSES_PER_READING
        return now - at >= (pause if has_expired else max(pause, _READ_ALL_S))

    def _rooms(self, members: set[str], stale: Iterable[str]) -> dict[str, HostRoom]:
        self._hosts.read_again(stale)
        return {room.provider: room for room in self._hosts.rooms() if room.provider in members}

    def _forget_gone(self, rooms: dict[str, HostRoom], mine: list[Notice]) -> list[Notice]:
        now = time.time()
        kept = []
        for notice in mine:
            room = rooms.get(notice.provider)
            is_there = room is not None and notice.spot in room.consumers
            if is_there and notice.ordered_at:
                self._push_on(notice)
                if now - notice.ordered_at > self._settings.deletion_timeout:
                    LOG.error("spot %s was evicted for a reserve and did not go", notice.spot)
                    self._failures[notice.spot] = _MOST_FAILURES
                    is_there = False
            if is_there:
                kept.append(notice)
            else:
                self._sender.forget(notice.spot)  # it may be on another host
        return kept

    def _push_on(self, notice: Notice) -> None:
        """Take a spot that was only shelved off its host too."""
        if self._settings.action != "shelve-offload":
            return
        server = self._servers.server(notice.spot)
        if server is not None and server.vm_state == "shelved" and server.task_state is None:
            self._servers.shelve_offload(notice.spot)

    def _withdraw(
        self, reserve: Reserve, rooms: dict[str, HostRoom], mine: list[Notice]
    ) -> list[Notice]:
        """Withdraw the notices without which the reserve is there too, the last given first."""
        kept = sorted(mine, key=lambda each: (each.given_at, each.spot))
        for notice in reversed(list(kept)):
            gone = {each.spot for each in kept if each is not notice}
            if not notice.ordered_at and reserve.missing(rooms.values(), gone) == 0:
                kept.remove(notice)
                self._withdraw_one(notice)
        return kept

    def _withdraw_one(self, notice: Notice) -> None:
        self._sender.withdraw(notice.spot)
        self._metrics.notices.labels(outcome="withdrawn").inc()
        self._audit.write("notice_withdrawn", **_notice_fields(notice))

    def _carry_out(
        self, reserve: Reserve, rooms: dict[str, HostRoom], mine: list[Notice]
    ) -> list[Notice]:
        """Evict the spots whose time has come."""
        now = time.time()
        result = list(mine)
        for notice in mine:
            if notice.ordered_at or notice.evict_at > now:
                continue
            ordered: Notice | None = notice
            problem = ""
            try:
                with self._locks.hold(notice.provider):
                    ordered = self._evict(reserve, rooms[notice.provider], notice)
            except EvictorError as error:
                problem = str(error)
            if problem:
                ordered = self._failed(notice, problem)
            result.remove(notice)
            if ordered is not None:
                result.append(ordered)
        return result

    def _failed(self, notice: Notice, problem: str) -> Notice | None:
        """Return the notice for another try, or None after too many."""
        self._failures[notice.spot] += 1
        self._metrics.errors.labels(where="reserve").inc()
        LOG.warning("reserve %s: spot %s: %s", notice.reserve, notice.spot, problem)
        if self._failures[notice.spot] < _MOST_FAILURES:
            return notice
        self._withdraw_one(notice)
        return None

    def _evict(self, reserve: Reserve, room: HostRoom, notice: Notice) -> Notice | None:
        """Evict a spot; return its notice, or None when it has none any more."""
        picture = self._observer.picture(room)
        if picture is not None:
            picture = self._observer.renew(picture, 0.0)
        if picture is None:
            return None
        spot = self._observer.check(picture, notice.spot)
        if isinstance(spot, Refusal):
            self._metrics.refusals.labels(reason=spot.value).inc()
            self._audit.write("refused", **_notice_fields(notice), reason=spot.value)
            return None
        if (spot.server.task_state or "").startswith("shelving"):
            # Ordered already, by us before a crash or by its owner.
            return replace(notice, ordered_at=time.time())
        need = reserve.need(picture.room, picture.leaving)
        reason = Reason("reserve", self._chooser.name, need)
        if self._settings.action == "shelve-offload" and not self._killer.is_dry_run:
            self._sender.forget(notice.spot)  # Nova changes no metadata of a shelved server
        held_back = self._killer.evict(picture, spot, reason, self._settings.action)
        if held_back is not None or self._killer.is_dry_run:
            return notice
        return replace(notice, ordered_at=time.time())

    def _give(
        self,
        reserve: Reserve,
        rooms: dict[str, HostRoom],
        mine: list[Notice],
        others: list[Notice],
    ) -> list[Notice]:
        """Give as many notices as the reserve lacks spots."""
        gone = {each.spot for each in (*mine, *others)}
        given = list(mine)
        while reserve.missing(rooms.values(), gone):
            best = self._best(reserve, rooms, gone)
            if best is None and not reserve.missing(rooms.values(), gone):
                break  # what is leaving by itself makes the room
            if best is None:
                LOG.warning("reserve %s: no spots that could make room for it", reserve.label)
                break
            for spot in best.spots:
                gone.add(spot.uuid)
                notice = self._notify(reserve, best.provider, spot)
                if notice is not None:
                    given.append(notice)
        return given

    def _best(
        self, reserve: Reserve, rooms: dict[str, HostRoom], gone: set[str]
    ) -> _Candidate | None:
        """Return the host on which room for one more VM costs least, and its spots.

        Adds to `gone` what it sees leaving.
        """
        by_need = sorted(
            (sum(reserve.need(room, gone).values()), provider) for provider, room in rooms.items()
        )
        found = []
        for _, provider in by_need[:_MOST_HOSTS]:
            candidate = self._candidate(reserve, rooms[provider], gone)
            if candidate is not None:
                found.append(candidate)
        found.sort(key=lambda each: (each.score, each.provider))
        return found[0] if found else None

    def _candidate(self, reserve: Reserve, room: HostRoom, gone: set[str]) -> _Candidate | None:
        picture = self._observer.picture(room)
        if picture is None:
            return None
        before = reserve.pieces(room, gone)
        gone.update(picture.leaving)
        if reserve.pieces(room, gone) > before:
            return None
        need = reserve.need(room, gone)
        spots = [
            spot
            for spot in picture.spots.evictable.values()
            if spot.uuid not in gone
            and not spot.is_stuck
            and self._failures[spot.uuid] < _MOST_FAILURES
            and frees_some(spot, need)
        ]
        chosen = self._chooser.choose(spots, need, time.time())
        return None if chosen is None else _Candidate(room.provider, chosen[0], chosen[1])

    def _notify(self, reserve: Reserve, provider: str, spot: Spot) -> Notice | None:
        now = time.time()
        evict_at = now + self._settings.notice_seconds
        notice = Notice(spot.uuid, provider, reserve.label, now, evict_at)
        if self._switches.is_dry_run:
            self._audit.write("would_notify", **_notice_fields(notice))
            return None
        self._audit.write("notice", **_notice_fields(notice))
        self._sender.give(spot.uuid, spot.server.project_id, evict_at, self._settings.action)
        self._metrics.notices.labels(outcome="given").inc()
        LOG.info("notice to spot %s for reserve %s", spot.uuid, reserve.label)
        return notice


def _notice_fields(notice: Notice) -> dict[str, Any]:
    return {
        "instance": notice.spot,
        "provider": notice.provider,
        "cause": "reserve",
        "reserve": notice.reserve,
        "given_at": notice.given_at,
        "evict_at": notice.evict_at,
    }


def _is_uuid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False
