"""A reserve: capacity kept free of spots for so many VMs of a size, and which spots hold it."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cospot.nova import log as logging
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.model import HostUsage
from cospot.nova.evictor.snapshot import HostSnapshot, Spot
from cospot.nova.evictor.victims import frees_some
from cospot.nova.reserved_capacity import (
    DEFAULT_LABEL,
    ReservedCapacity,
    ReserveError,
    read_reserved,
)
from cospot.nova.state.errors import (
    PASSING,
    CloudError,
    EvictorError,
    NotSentError,
    SettingError,
    kind_of,
)

LOG = logging.getLogger(__name__)
#: Spots are looked for on so many hosts, those that lack the least for one more VM.
_MOST_HOSTS: Final = 20
#: After so many failures a spot keeps its place for a while, seconds. One without an answer says
#: little: Nova may be away.
_MOST_FAILURES: Final = 3.0
_GIVEN_UP_S: Final = 600.0
_NO_ANSWER: Final = 0.1


@dataclass(frozen=True)
class Reserve(ReservedCapacity):
    """Free capacity for so many VMs of a size, and what hosts do for it."""

    def counts(self, usage: HostUsage) -> bool:
        """Tell whether a host has all the resources; one without some is no host for such VMs."""
        return all(resource in usage.inventories for resource in self.size)

    def pieces(self, usage: HostUsage, gone: Collection[str] = ()) -> int:
        """Return how many such VMs fit on a host beside its VMs and spots.

        Raises:
            MissingInventoryError: the host has none of a resource.
        """
        return max(0, min(usage.free(each, gone) // size for each, size in self.size.items()))

    def need(self, usage: HostUsage, gone: Collection[str] = ()) -> dict[str, int]:
        """Return what must become free on a host for one more such VM, by resource."""
        pieces = self.pieces(usage, gone) + 1
        lacks = {each: pieces * size - usage.free(each, gone) for each, size in self.size.items()}
        return {each: lack for each, lack in lacks.items() if lack > 0}

    def missing(self, usages: Iterable[HostUsage], gone: Collection[str] = ()) -> int:
        """Return for how many such VMs there is no free capacity on these hosts."""
        return max(0, self.count - sum(self.pieces(usage, gone) for usage in usages))


def read_reserves(entries: Sequence[str], default: str) -> list[Reserve]:
    """Read the options `reserve` and `default_reserve`.

    Raises:
        SettingError: an entry is not of the form that the options' help says.
    """
    try:
        return [Reserve(**vars(each)) for each in read_reserved(entries, default)]
    except ReserveError as error:
        raise SettingError(f"[cospot_evictor] {error}") from error


class ReserveMembers:
    """Knows which hosts are of which reserve."""

    def __init__(self, context: EvictorContext) -> None:
        self._servers = context.servers
        self._placement = context.placement
        self._observer = context.observer
        self._errors = context.metrics.errors

    def of(self, reserves: Sequence[Reserve], usages: Iterable[HostUsage]) -> dict[str, set[str]]:
        """Return the providers of each reserve, by its label; an unknown aggregate has none.

        Hosts that take no VM, as their compute is disabled or down, are of no reserve.

        Args:
            reserves: all of them.
            usages: of the hosts with inventory for spots.

        Raises:
            CloudError: Nova or placement was not to be asked.
        """
        everyone = self._able(usages)
        uuids: dict[str, str] | None = None
        members: dict[str, set[str]] = {}
        for reserve in reserves:
            if not reserve.aggregate:
                continue
            name = reserve.aggregate
            if not _is_uuid(name):
                uuids = self._servers.aggregate_uuids() if uuids is None else uuids
                if name not in uuids:
                    self._errors.labels(where="reserve").inc()
                    LOG.error("reserve: there is no host aggregate %s", name)
                    members[reserve.label] = set()
                    continue
                name = uuids[name]
            found = {each.uuid for each in self._placement.providers(name)}
            members[reserve.label] = found & everyone
        members[DEFAULT_LABEL] = everyone.difference(*members.values())
        return members

    def _able(self, usages: Iterable[HostUsage]) -> set[str]:
        """Return the hosts whose compute service is enabled and up."""
        working = self._servers.working_computes()
        hosts = {each.provider: self._observer.compute_host(each.provider) for each in usages}
        return {each for each, host in hosts.items() if host is not None and host.host in working}


def _is_uuid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False


@dataclass
class _Trouble:
    failures: float
    at: float
    kind: str


class TroubledSpots:
    """Spots with which something that a reserve needs fails again and again."""

    def __init__(self) -> None:
        self._troubles: dict[str, _Trouble] = {}

    def failed(self, spot: str, error: EvictorError) -> bool:
        """Take note that something failed; tell whether it is to be said."""
        now = time.monotonic()
        for each in [each for each in self._troubles if self._is_over(each, now)]:
            del self._troubles[each]
        known = self._troubles.get(spot)
        if known is None:
            known = self._troubles[spot] = _Trouble(0.0, now, "")
        is_kept_back = isinstance(error, NotSentError)
        if isinstance(error, CloudError) and not is_kept_back and not self.is_given_up(spot):
            known.failures += _NO_ANSWER if error.status in PASSING else 1.0
            known.at = now
        is_news, known.kind = known.kind != kind_of(error), kind_of(error)
        return is_news

    def give_up(self, spot: str) -> None:
        """Give a spot up for as long as this process runs."""
        self._troubles[spot] = _Trouble(_MOST_FAILURES, float("inf"), "")

    def is_given_up(self, spot: str) -> bool:
        """Tell whether a spot keeps its place, and others get the notice."""
        known = self._troubles.get(spot)
        if known is None or self._is_over(spot, time.monotonic()):
            return False
        return known.failures >= _MOST_FAILURES

    def _is_over(self, spot: str, now: float) -> bool:
        return now - self._troubles[spot].at > _GIVEN_UP_S


@dataclass(frozen=True)
class Candidate:
    """A way to free capacity for one more VM of a reserve: these spots of one host.

    Attributes:
        promised: how many of them were promised to live on.
    """

    provider: str
    spots: Sequence[Spot]
    score: float
    promised: int = 0


class SpotFinder:
    """Finds the spots that cost least to evict for one more VM of a reserve.

    Args:
        is_given_up: tells of a spot that it keeps its place.
        is_stalled: tells of a host, by its provider, that it frees nothing.
    """

    def __init__(
        self,
        context: EvictorContext,
        is_given_up: Callable[[str], bool],
        is_stalled: Callable[[str], bool],
    ) -> None:
        self._observer = context.observer
        self._chooser = context.chooser
        self._is_given_up = is_given_up
        self._is_stalled = is_stalled

    def best(
        self,
        reserve: Reserve,
        usages: Mapping[str, HostUsage],
        gone: set[str],
        known: dict[str, HostSnapshot | None],
    ) -> Candidate | None:
        """Return the host on which capacity for one more VM costs least, and its spots.

        Args:
            reserve: which lacks capacity.
            usages: its hosts, by provider.
            gone: spots to count as gone; what is seen leaving is added.
            known: what Nova has just said of hosts; those that it is asked about are added.

        Raises:
            CloudError: Nova was not to be asked.
        """
        found = []
        for provider in self._nearest(reserve, usages, gone):
            if provider not in known:
                known[provider] = self._observer.snapshot(usages[provider])
            candidate = self._candidate(reserve, known[provider], gone)
            if candidate is not None:
                found.append(candidate)
        found.sort(key=lambda each: (each.promised, each.score, each.provider))
        return found[0] if found else None

    def _nearest(
        self, reserve: Reserve, usages: Mapping[str, HostUsage], gone: set[str]
    ) -> list[str]:
        """Return the hosts that lack least, of those whose spots hold what is lacking."""
        by_need = []
        for provider, usage in usages.items():
            if self._is_stalled(provider):
                continue
            need = reserve.need(usage, gone)
            out = gone | {each for each in usage.consumers if self._is_given_up(each)}
            if all(usage.used(resource, out)[1] >= lack for resource, lack in need.items()):
                by_need.append((sum(need.values()), provider))
        return [provider for _, provider in sorted(by_need)[:_MOST_HOSTS]]

    def _candidate(
        self, reserve: Reserve, snapshot: HostSnapshot | None, gone: set[str]
    ) -> Candidate | None:
        if snapshot is None:
            return None
        usage = snapshot.usage
        before = reserve.pieces(usage, gone)
        gone.update(snapshot.leaving)
        if reserve.pieces(usage, gone) > before:
            return None
        need = reserve.need(usage, gone)
        spots = [
            spot
            for spot in snapshot.spots.evictable.values()
            if spot.uuid not in gone
            and not spot.is_stuck
            and not spot.migration
            and not self._is_given_up(spot.uuid)
            and frees_some(spot, need)
        ]
        now = time.time()
        chosen = self._chooser.choose(spots, need, now)
        if chosen is None:
            return None
        needed = _needed(reserve, usage, gone, chosen[0])
        if len(needed) < len(chosen[0]):
            chosen = self._chooser.choose(needed, need, now) or chosen  # for its score
        promised = sum(self._chooser.is_promised(spot.uuid) for spot in needed)
        return Candidate(usage.provider, needed, chosen[1], promised)


def _needed(
    reserve: Reserve, usage: HostUsage, gone: set[str], spots: Sequence[Spot]
) -> list[Spot]:
    """Return the spots without those that the others do without, the last one asked first.

    A policy that takes one spot after the other may come to a spot that suffices alone.
    """
    pieces = reserve.pieces(usage, gone)
    kept = list(spots)
    for spot in reversed(spots):
        others = [each for each in kept if each is not spot]
        if reserve.pieces(usage, gone.union(each.uuid for each in others)) > pieces:
            kept = others
    return kept
