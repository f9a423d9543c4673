"""The causes of a host's excess, and so the amounts that must become free there now, if any yet.

`attribute` gives what is used beyond a host's capacity to the claims that made it, in order of
time. Starting from the last state within capacity, a VM's claim always counts, and what it takes
beyond the capacity is what spots owe it. A spot's claim counts only if it fits: one that does not
fit came by a race with others, and is what made the excess. What neither explains has another
cause: the capacity became smaller. Claims are therefore held against the larger of both capacities.
It also makes the answer the same after each eviction: what was made free for a VM is not owed to it
again.

`CauseFinder` says from that which need of a host comes first, or that it is too early to tell.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cospot.nova import log as logging
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.hosts import HostHistory, Reference
from cospot.nova.evictor.model import Amounts, HostUsage
from cospot.nova.evictor.snapshot import HostSnapshot
from cospot.nova.spot_flavors import SPOT_CLASS_OF, holds_only_spot_classes

LOG = logging.getLogger(__name__)
#: Why a spot is evicted; the values of `why` in the audit log and in the metric.
VM_CLAIM: Final = "vm-claim"
SPOT_RACE: Final = "spot-race"
CAPACITY_SHRANK: Final = "capacity-shrank"
PERSISTING: Final = "persisting"
RESERVE: Final = "reserve"


@dataclass(frozen=True)
class Claim:
    """Amounts that a consumer took of a host since the reference.

    Attributes:
        amounts: by VCPU, MEMORY_MB, DISK_GB.
        made_at: when, seconds since the epoch; see `claimed_at`.
    """

    consumer: str
    is_spot: bool
    amounts: Amounts
    made_at: float


@dataclass(frozen=True)
class Attribution:
    """The cause of an excess.

    Attributes:
        for_vms: how much of it VMs' claims made, by resource; without zeros.
        vms: those VMs, in the order of their claims.
        race: spots that did not fit when they came, the newest first.
        unexplained: the rest, by resource; without zeros.
    """

    for_vms: Mapping[str, int]
    vms: tuple[str, ...]
    race: tuple[str, ...]
    unexplained: Mapping[str, int]


def grown(reference: Reference, usage: HostUsage, gone: Collection[str] = ()) -> dict[str, Amounts]:
    """Return what each consumer holds more than in the reference, by resource class."""
    more: dict[str, Amounts] = {}
    for consumer, held in usage.consumers.items():
        if consumer in gone:
            continue
        before = reference.consumers.get(consumer, {})
        growth = {name: held[name] - before.get(name, 0) for name in held}
        growth = {name: amount for name, amount in growth.items() if amount > 0}
        if growth:
            more[consumer] = growth
    return more


def claimed_at(consumer: str, usage: HostUsage, created_at: Mapping[str, float]) -> float:
    """Return when a consumer came, seconds since the epoch.

    What Nova does not list on the host is a VM that moves here, later than all others, or what is
    left of a spot, which came first.
    """
    is_spot = holds_only_spot_classes(usage.consumers[consumer])
    return created_at.get(consumer, float("-inf") if is_spot else float("inf"))


def attribute(
    reference: Reference,
    usage: HostUsage,
    shortfall: Amounts,
    made_at: Mapping[str, float],
    gone: Collection[str] = (),
) -> Attribution:
    """Work out what made a host's shortfall.

    Args:
        reference: the host when it was last within its capacity.
        usage: of the host now.
        shortfall: what is used beyond its capacity, by resource, with `gone` counted as gone.
        made_at: when each instance was created, seconds since the epoch.
        gone: consumers to count as gone.
    """
    growth = grown(reference, usage, gone)
    claims = [
        Claim(
            consumer,
            holds_only_spot_classes(usage.consumers[consumer]),
            _by_resource(amounts, shortfall),
            claimed_at(consumer, usage, made_at),
        )
        for consumer, amounts in growth.items()
    ]
    # Nova's times have whole seconds. In the same second a VM comes last: its plan knew the spots.
    claims.sort(key=lambda each: (each.made_at, not each.is_spot, each.consumer))
    kept = {
        resource: sum(usage.used(resource, gone)) - sum(each.amounts[resource] for each in claims)
        for resource in shortfall
    }
    before = reference.capacity
    capacity = {
        name: max(amount, before.get(name, 0)) for name, amount in usage.capacity(shortfall).items()
    }
    return _replay(claims, kept, capacity, shortfall)


def _replay(
    claims: Sequence[Claim], used: dict[str, int], capacity: Amounts, shortfall: Amounts
) -> Attribution:
    """Make the claims again, one after the other; `used` is what was there before them."""
    for_vms = dict.fromkeys(shortfall, 0)
    vms: list[str] = []
    race: list[Claim] = []
    for claim in claims:
        if claim.is_spot and not _fits(claim, used, capacity):
            race.append(claim)
            continue
        owed = 0
        for resource, amount in claim.amounts.items():
            used[resource] += amount
            displaced = max(0, used[resource] - capacity[resource])
            # What spots owe a VM is as good as free for the next claim.
            used[resource] -= displaced
            for_vms[resource] += displaced
            owed += displaced
        if owed:
            vms.append(claim.consumer)
    by_race = {each: sum(spot.amounts[each] for spot in race) for each in shortfall}
    rest = {each: short - for_vms[each] - by_race[each] for each, short in shortfall.items()}
    return Attribution(
        for_vms={each: min(owed, shortfall[each]) for each, owed in for_vms.items() if owed > 0},
        vms=tuple(vms),
        race=tuple(claim.consumer for claim in reversed(race)),
        unexplained={each: amount for each, amount in rest.items() if amount > 0},
    )


def _fits(spot: Claim, used: Mapping[str, int], capacity: Amounts) -> bool:
    return all(
        amount == 0 or used[resource] + amount <= capacity[resource]
        for resource, amount in spot.amounts.items()
    )


def _by_resource(amounts: Amounts, resources: Iterable[str]) -> dict[str, int]:
    return {each: amounts.get(each, 0) + amounts.get(SPOT_CLASS_OF[each], 0) for each in resources}


@dataclass(frozen=True)
class Need:
    """The amounts that must become free on a host.

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
    """Finds the needs of hosts, one after the other, the most urgent first."""

    def __init__(self, context: EvictorContext, history: HostHistory) -> None:
        self._settings = context.settings
        self._chooser = context.chooser
        self._history = history
        self._audit = context.audit
        self._metrics = context.metrics
        self._beyond: dict[str, set[str]] = {}  # resources that VMs alone exceed, by provider

    def must_wait(self, usage: HostUsage, asked_at: float) -> bool:
        """Tell from placement alone that nobody has come and that it is too early for more.

        Args:
            usage: of the host.
            asked_at: when placement was asked for its capacity, monotonic time, seconds.
        """
        reference = self._history.reference(usage.provider)
        if reference is None or grown(reference, usage):
            return False
        return self._is_too_early(usage, usage.shortfall(self._settings.resources), asked_at)

    def need(self, snapshot: HostSnapshot, gone: Collection[str]) -> Need | None:
        """Return what must become free first; None when nothing must, or not yet.

        Args:
            snapshot: of the host.
            gone: consumers to count as gone.
        """
        usage = snapshot.usage
        short = usage.shortfall(self._settings.resources, gone)
        if not short:
            return None
        reference = self._history.reference(usage.provider) or self._assumed(snapshot)
        found = attribute(reference, usage, short, snapshot.created_at, gone)
        if not found.unexplained:
            self._history.explained(usage.provider)
        need = self._for_vms(usage, found, VM_CLAIM, gone)
        if need is None and found.race:
            newest = self._of_race(snapshot, found.race, short, gone)
            need = Need(short, SPOT_RACE, found.race, newest)
        if need is not None or not found.unexplained:
            return need
        if self._is_too_early(usage, short, snapshot.capacity_at):
            return None
        return self._unexplained(snapshot, reference, found.unexplained, short, gone)

    def _assumed(self, snapshot: HostSnapshot) -> Reference:
        """Take the instances that are older than the grace for those that were there before."""
        usage = snapshot.usage
        oldest = snapshot.nova_time - self._settings.overcommit_grace
        old = {
            consumer: held
            for consumer, held in usage.consumers.items()
            if claimed_at(consumer, usage, snapshot.created_at) <= oldest
        }
        used = replace(usage, consumers=old)
        # They were within the capacity of their time.
        capacity = {
            name: max(amount, sum(used.used(name)))
            for name, amount in usage.capacity(self._settings.resources).items()
        }
        reference = Reference(old, capacity, is_assumed=True)
        self._history.assume(usage.provider, reference)
        return reference

    def _is_too_early(self, usage: HostUsage, short: Amounts, asked_at: float) -> bool:
        lasted, is_new = self._history.unexplained(usage.provider, asked_at, time.monotonic())
        grace = self._settings.overcommit_grace
        if is_new and grace > 0:
            reference = self._history.reference(usage.provider)
            before: dict[str, int] = {}
            if reference is not None and not reference.is_assumed:
                before = dict(reference.capacity)
            now = usage.capacity(self._settings.resources)
            LOG.warning(
                "host %s is overcommitted by %s (capacity %s, before %s), which no claim explains: "
                "nothing is evicted for it within %.0f s",
                usage.name,
                dict(short),
                now,
                before,
                grace,
            )
            self._audit.write(
                "unexplained",
                node=usage.name,
                provider=usage.provider,
                shortfall=dict(short),
                capacity=now,
                capacity_before=before,
                grace=grace,
            )
        return bool(lasted < grace)

    def _for_vms(
        self, usage: HostUsage, found: Attribution, why: str, gone: Collection[str]
    ) -> Need | None:
        short = self._possible(usage, found.for_vms, gone)
        return Need(short, why, found.vms) if short else None

    def _unexplained(
        self,
        snapshot: HostSnapshot,
        reference: Reference,
        unexplained: Amounts,
        short: Amounts,
        gone: Collection[str],
    ) -> Need | None:
        """Return what has lasted long enough to be acted on."""
        usage = snapshot.usage
        if reference.is_assumed:
            # Nobody has seen what came first; the ages of all instances are the best there is.
            whole = attribute(Reference({}, {}), usage, short, snapshot.created_at, gone)
            need = self._for_vms(usage, whole, PERSISTING, gone)
            if need is not None or whole.race:
                newest = self._of_race(snapshot, whole.race, short, gone)
                return need or Need(short, PERSISTING, whole.race, newest)
        capacity = usage.capacity(unexplained)
        has_shrunk = not reference.is_assumed and any(
            capacity[each] < reference.capacity.get(each, 0) for each in unexplained
        )
        possible = self._possible(usage, unexplained, gone)
        if not possible:
            return None
        why = CAPACITY_SHRANK if has_shrunk else PERSISTING
        spots = self._newest(snapshot, gone)
        return Need(possible, why, newest=self._promised_last(snapshot, spots, possible))

    def _of_race(
        self, snapshot: HostSnapshot, race: tuple[str, ...], short: Amounts, gone: Collection[str]
    ) -> tuple[str, ...]:
        """Return the spots to be evicted for those that did not fit: in general these.

        One that was promised a lifetime stays where others that were not do as well. After what a
        resize on the host itself holds comes its server, as it may be that nobody can confirm it.
        """
        here = snapshot.usage.consumers.keys() - {*gone}
        servers = {each.migration: each.server.uuid for each in snapshot.spots.evictable.values()}
        both = [name for each in race for name in (each, servers.get(each)) if name in here]
        race = tuple(dict.fromkeys(name for name in both if name is not None))
        if not any(self._chooser.is_promised(each) for each in race):
            return race
        older = [each for each in self._newest(snapshot, gone) if each not in race]
        others = [each for each in older if not self._chooser.is_promised(each)]
        return self._promised_last(snapshot, [*race, *others], short)

    def _newest(self, snapshot: HostSnapshot, gone: Collection[str]) -> list[str]:
        usage, created_at = snapshot.usage, snapshot.created_at
        spots = [
            each
            for each, held in usage.consumers.items()
            if each not in gone and holds_only_spot_classes(held)
        ]
        return sorted(spots, key=lambda each: (claimed_at(each, usage, created_at), each))[::-1]

    def _promised_last(
        self, snapshot: HostSnapshot, newest: Sequence[str], short: Amounts
    ) -> tuple[str, ...]:
        consumers = snapshot.usage.consumers
        frees = {each: _by_resource(consumers[each], short) for each in newest}
        return self._chooser.promised_last(newest, frees, short)

    def _possible(self, usage: HostUsage, short: Amounts, gone: Collection[str]) -> dict[str, int]:
        """Leave out the resources of which VMs alone use more than there is.

        Evicting every spot would not free enough of them.
        """
        if self._settings.evict_if_insufficient:
            return dict(short)
        away = {each for each, held in usage.consumers.items() if holds_only_spot_classes(held)}
        away.update(gone)
        beyond = {each for each in self._settings.resources if usage.free(each, away) < 0}
        if not beyond.isdisjoint(short):
            self._metrics.errors.labels(where="insufficient").inc()
        if beyond != self._beyond.get(usage.provider, set()):
            self._beyond[usage.provider] = beyond
            if beyond:
                LOG.error(
                    "host %s: VMs alone use more %s than there is; no spot is evicted for it",
                    usage.name,
                    " and ".join(sorted(beyond)),
                )
        return {each: amount for each, amount in short.items() if each not in beyond}
