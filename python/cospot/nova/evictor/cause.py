"""Says what must become free on an overcommitted host and why, or that it is too early to tell."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Final

from oslo_log import log as logging

from cospot.nova.evictor.attribution import (
    Attribution,
    Reference,
    attribute,
    capacity_of,
    claimed_at,
    grown,
)
from cospot.nova.evictor.audit import AuditLog
from cospot.nova.evictor.host_history import HostHistory
from cospot.nova.evictor.metrics import Metrics
from cospot.nova.evictor.observation import HostPicture
from cospot.nova.evictor.room import Amounts, HostRoom
from cospot.nova.spot_flavors import holds_only_spot_classes

LOG = logging.getLogger(__name__)

#: Why a spot is evicted; the values of `why` in the audit log and in the metric.
VM_CLAIM: Final = "vm-claim"
SPOT_RACE: Final = "spot-race"
CAPACITY_SHRANK: Final = "capacity-shrank"
PERSISTING: Final = "persisting"
RESERVE: Final = "reserve"


@dataclass(frozen=True)
class Need:
    """What must become free on a host.

    Attributes:
        short: how much, by resource; without zeros.
        why: one of the constants above.
        claims: the instances whose claims made it: VMs, or the spots of a race.
        newest: the spots to be evicted for it, in this order; None: a plan or the policy chooses.
    """

    short: Amounts
    why: str
    claims: tuple[str, ...] = ()
    newest: tuple[str, ...] | None = None


class CauseFinder:
    """Finds the needs of hosts, one after the other, the most urgent first.

    Args:
        settings: the group [cospot_evictor].
    """

    def __init__(
        self, settings: Any, history: HostHistory, audit: AuditLog, metrics: Metrics
    ) -> None:
        self._settings = settings
        self._history = history
        self._audit = audit
        self._metrics = metrics
        self._beyond: dict[str, set[str]] = {}  # resources that VMs alone exceed, by provider

    def must_wait(self, room: HostRoom) -> bool:
        """Tell from placement alone that nobody has come and that it is too early for more."""
        reference = self._history.reference(room.provider)
        if reference is None or grown(reference, room):
            return False
        return self._is_too_early(room, room.shortfall(self._settings.resources))

    def need(self, picture: HostPicture, gone: Collection[str]) -> Need | None:
        """Return what must become free first; None when nothing must, or not yet.

        Args:
            picture: of the host.
            gone: consumers to count as gone.
        """
        room = picture.room
        short = room.shortfall(self._settings.resources, gone)
        if not short:
            return None
        reference = self._history.reference(room.provider) or self._assumed(picture)
        found = attribute(reference, room, short, picture.created_at, gone)
        if not found.unexplained:
            self._history.explained(room.provider)
        need = self._for_vms(room, found, VM_CLAIM, gone)
        if need is None and found.race:
            need = Need(short, SPOT_RACE, found.race, found.race)
        if need is None and found.unexplained and not self._is_too_early(room, short):
            need = self._unexplained(picture, reference, found.unexplained, short, gone)
        return need

    def _assumed(self, picture: HostPicture) -> Reference:
        """Take the instances that are older than the grace for those that were there before."""
        room = picture.room
        oldest = picture.nova_time - self._settings.overcommit_grace
        old = {
            consumer: held
            for consumer, held in room.consumers.items()
            if claimed_at(consumer, room, picture.created_at) <= oldest
        }
        used = replace(room, consumers=old)
        # They were within the capacity of their time.
        capacity = {
            name: max(amount, sum(used.used(name)))
            for name, amount in capacity_of(room, self._settings.resources).items()
        }
        reference = Reference(old, capacity, is_assumed=True)
        self._history.assume(room.provider, reference)
        return reference

    def _is_too_early(self, room: HostRoom, short: Amounts) -> bool:
        lasted, is_new = self._history.unexplained(room.provider, time.monotonic())
        grace = self._settings.overcommit_grace
        if is_new and grace > 0:
            reference = self._history.reference(room.provider)
            before: dict[str, int] = {}
            if reference is not None and not reference.is_assumed:
                before = dict(reference.capacity)
            now = capacity_of(room, self._settings.resources)
            LOG.warning(
                "host %s is overcommitted by %s (capacity %s, before %s), which no claim explains: "
                "nothing is evicted for it within %.0f s",
                room.name,
                dict(short),
                now,
                before,
                grace,
            )
            self._audit.write(
                "unexplained",
                node=room.name,
                provider=room.provider,
                shortfall=dict(short),
                capacity=now,
                capacity_before=before,
                grace=grace,
            )
        return bool(lasted < grace)

    def _for_vms(
        self, room: HostRoom, found: Attribution, why: str, gone: Collection[str]
    ) -> Need | None:
        short = self._possible(room, found.for_vms, gone)
        return Need(short, why, found.vms) if short else None

    def _unexplained(
        self,
        picture: HostPicture,
        reference: Reference,
        unexplained: Amounts,
        short: Amounts,
        gone: Collection[str],
    ) -> Need | None:
        """Return what has lasted long enough to be acted on."""
        room = picture.room
        if reference.is_assumed:
            # Nobody has seen what came first; the ages of all instances are the best there is.
            whole = attribute(Reference({}, {}), room, short, picture.created_at, gone)
            need = self._for_vms(room, whole, PERSISTING, gone)
            if need is not None or whole.race:
                return need or Need(short, PERSISTING, whole.race, whole.race)
        capacity = capacity_of(room, unexplained)
        has_shrunk = not reference.is_assumed and any(
            capacity[each] < reference.capacity.get(each, 0) for each in unexplained
        )
        possible = self._possible(room, unexplained, gone)
        if not possible:
            return None
        why = CAPACITY_SHRANK if has_shrunk else PERSISTING
        spots = [
            each
            for each, held in room.consumers.items()
            if each not in gone and holds_only_spot_classes(held)
        ]
        created_at = picture.created_at
        spots.sort(key=lambda each: (claimed_at(each, room, created_at), each), reverse=True)
        return Need(possible, why, newest=tuple(spots))

    def _possible(self, room: HostRoom, short: Amounts, gone: Collection[str]) -> dict[str, int]:
        """Leave out the resources of which VMs alone use more than there is.

        Evicting every spot would not make the room that is short of them.
        """
        if self._settings.evict_if_insufficient:
            return dict(short)
        away = {each for each, held in room.consumers.items() if holds_only_spot_classes(held)}
        away.update(gone)
        beyond = {each for each in self._settings.resources if room.free(each, away) < 0}
        if not beyond.isdisjoint(short):
            self._metrics.errors.labels(where="insufficient").inc()
        if beyond != self._beyond.get(room.provider, set()):
            self._beyond[room.provider] = beyond
            if beyond:
                LOG.error(
                    "host %s: VMs alone use more %s than there is; no spot is evicted for it",
                    room.name,
                    " and ".join(sorted(beyond)),
                )
        return {each: amount for each, amount in short.items() if each not in beyond}
