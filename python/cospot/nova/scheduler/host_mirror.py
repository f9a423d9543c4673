"""The hosts that Nova's filters are given, kept from request to request.

Nova makes new HostState objects for every request. Reading all of them and their instances would
take longer than the decision, so a host is read again only when something that it shows has
changed: its amounts, its instances (Nova replaces an Instance object when it hears of a change),
its inventories in placement, or what was decided for it meanwhile; or when the database is to be
asked about its list (list_check.py).
"""

from __future__ import annotations

import time
from collections.abc import Container, Hashable, Iterable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from cospot._core import ChangeWatch, LiveHosts
from cospot.errors import ConfigError
from cospot.nova import log as logging
from cospot.nova.evictor_policy import promised_until_us, time_us
from cospot.nova.scheduler.claim_check import ClaimCheck
from cospot.nova.scheduler.claims import ClaimBook
from cospot.nova.scheduler.host_usage import HostUsage, reported_use, sum_of, usage_of
from cospot.nova.scheduler.instance_facts import (
    NOTHING,
    FactsOfObjects,
    InstanceFacts,
    InstanceReader,
    Size,
)
from cospot.nova.scheduler.inventories import Capacity, InventoryCache, capacity_of_host_state
from cospot.nova.scheduler.list_check import ListCheck
from cospot.nova.scheduler.promise_book import PromiseBook

LOG = logging.getLogger(__name__)

_MOST: Final = 1 << 26  # what a HostTable takes; 64 TiB of memory
#: The hosts of so many kinds of requests are kept.
_MOST_KINDS: Final = 64

_SHOWN: Final = (
    "vcpus_total",
    "vcpus_used",
    "total_usable_ram_mb",
    "free_ram_mb",
    "cpu_allocation_ratio",
    "ram_allocation_ratio",
    "num_io_ops",
)
_SHOWN_OF_DISK: Final = ("total_usable_disk_gb", "disk_mb_used", "disk_allocation_ratio")


class MirroredHost:
    """The data kept of one host.

    Attributes:
        free: Its capacity beside all VMs and spots, of the CPUs that they share.
        free_beside_vms: The same without spots.
        state: Nova's HostState that was read last.
    """

    __slots__ = (
        "aggregates",
        "capacity",
        "facts",
        "free",
        "free_beside_vms",
        "name",
        "num_io_ops",
        "row",
        "state",
        "unknown",
        "usage",
    )

    def __init__(self, name: tuple[str, str]) -> None:
        self.name = name
        self.row = -1
        self.num_io_ops = 0
        self.facts: FactsOfObjects = {}
        self.free = self.free_beside_vms = NOTHING
        self.unknown: list[Any] = []
        self.state: Any = None
        self.aggregates: frozenset[str] = frozenset()  # as far as reserves need them
        self.empty()

    def empty(self) -> None:
        """Count it as without anything, until it is read again."""
        self.capacity = Capacity(NOTHING, NOTHING)
        self.usage = HostUsage(NOTHING, 0, (), ())


class HostMirror:
    """The hosts as LiveHosts, whose rows are in the order of the hosts' names.

    Attributes:
        live: with the vCPUs that VMs and spots share.
        dedicated: for VMs of dedicated CPUs only: these are its vCPUs, and spots have none of them.
            A host without an inventory of them gives such VMs of its shared ones, as Nova's
            fallback does (`[workarounds] disable_fallback_pcpu_query`). The same as `live` when no
            host has them.

    Not for threads: its owner has a lock.
    """

    def __init__(
        self,
        inventories: InventoryCache,
        reader: InstanceReader,
        claims: ClaimBook,
        lists: ListCheck,
        claim_check: ClaimCheck,
        promises: PromiseBook,
    ) -> None:
        self._inventories = inventories
        self._reader = reader
        self._claims = claims
        self._lists = lists
        self._claim_check = claim_check
        self._promises = promises
        self._watches_disk = False
        self.forget()

    def forget(self) -> None:
        """Read all hosts anew at the next request."""
        shown = (*_SHOWN, *_SHOWN_OF_DISK) if self._watches_disk else _SHOWN
        self._watch = ChangeWatch("uuid", shown, "instances")
        self._hosts: list[MirroredHost] = []  # in the order in which the watch saw them
        self._rows: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._number_of: dict[str, int] = {}
        self._seen_at = np.empty(0)  # of each host, as the watch numbers them
        self._seen_by_kind: dict[Hashable, npt.NDArray[np.int64]] = {}  # numbers of hosts
        self._host_of_spot: dict[str, str] = {}
        self.live = LiveHosts(())
        self.dedicated = self.live
        self._has_dedicated = False

    def watch_disk(self, watches_disk: bool) -> None:
        """Say whether disk counts."""
        if watches_disk != self._watches_disk:
            self._watches_disk = watches_disk
            self.forget()

    def host(self, provider: str) -> MirroredHost:
        """Return what is kept of a host that was followed."""
        return self._hosts[self._number_of[provider]]

    def leaving(self, provider: str) -> frozenset[str]:
        """Return the spots of a host that are being deleted, as far as it has shown them."""
        number = self._number_of.get(provider)
        facts = [] if number is None else [each for _, each in self._hosts[number].facts.values()]
        return frozenset(each.uuid for each in facts if each.is_leaving)

    def promised_last(self, provider: str, positions: Sequence[int]) -> list[str]:
        """Return the UUIDs of some spots of a host, those that are promised to live on last."""
        spots = [self.host(provider).usage.spots[position] for position in positions]
        spots.sort(key=lambda spot: self._promises.promised_until(spot) is not None)
        return [spot.uuid for spot in spots]

    def seen_within(self, seconds: float) -> list[MirroredHost]:
        """Return the hosts that were among those of a request lately."""
        oldest = time.monotonic() - seconds
        return [self._hosts[number] for number in np.flatnonzero(self._seen_at >= oldest)]

    def note_missing(self, kind: Hashable, size: Size, providers: Iterable[str]) -> None:
        """Count hosts as not seen that requests of a kind could have and the present one cannot.

        Placement leaves out hosts that are full, and the mirror shows them as they were before.

        Args:
            kind: Of the requests that can have the same hosts, if these have enough.
            size: Of the present one.
            providers: Its hosts.
        """
        now = np.array([self._number_of[provider] for provider in providers], dtype=np.int64)
        before = self._seen_by_kind.pop(kind, now)
        missing = np.setdiff1d(before, now)
        for number in missing[self._seen_at[missing] > -np.inf]:
            free = self._hosts[number].free - size
            if free.vcpus >= 0 and free.memory_mb >= 0:
                self._seen_at[number] = -np.inf
        self._seen_by_kind[kind] = np.union1d(before, now)
        if len(self._seen_by_kind) > _MOST_KINDS:
            del self._seen_by_kind[next(iter(self._seen_by_kind))]  # the one not asked for longest

    def is_running(self, instance: str) -> bool:
        """Tell whether a host that was followed lists a spot."""
        return instance in self._host_of_spot

    def drop_deleted_claims(self, database_wait: float) -> bool:
        """Ask the database at once about all instances that no host has shown; see `ClaimCheck`."""
        return self._claim_check.drop_deleted(self._claims, database_wait, all_now=True)

    def num_promised(self, project: str) -> int:
        """Return how many spots of a project are there, or on their way, with a promise."""
        return sum(
            self.is_running(spot) or self._claims.provider_of(spot) is not None
            for spot in self._promises.open_of(project)
        )

    def follow(
        self,
        states: list[Any],
        asking: str | None,
        inventory_wait: float,
        database_wait: float,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Bring the hosts up to date.

        Args:
            states: Nova's HostState objects of one request.
            asking: UUID of the instance that is being decided on.
            inventory_wait: How many seconds to wait at most for the inventories of new hosts.
            database_wait: How many to wait at most for answers of Nova's database.

        Returns:
            The positions in `states` of the hosts that have told something of themselves, and the
            row of each.
        """
        # A decision for a host that no request shows again, because it is full, does not expire.
        decided = self._claims.take_changed()
        self._show_again(decided)
        self._claims.expire()
        expired = self._claims.take_changed()
        began = time.monotonic()
        self._claim_check.drop_deleted(self._claims, database_wait)
        database_wait -= time.monotonic() - began
        own_hosts = self._own_hosts(asking)
        capacity_changed = self._inventories.take_changed()
        stale = capacity_changed | self._claims.take_changed() | own_hosts
        self._read_again(stale | expired | decided)
        self._read_again(self._lists.take_due())
        numbers, changed = self._watch.look(states)
        new = self._add_new(states, changed)
        if new:
            self._inventories.read_new(new, inventory_wait)
        self._read([states[position] for position in changed], asking, database_wait)
        # Decisions for hosts that this request cannot have count there too.
        elsewhere = stale.difference(states[position].uuid for position in changed)
        self._show_again(elsewhere, capacity_changed)
        if new or (self._has_dedicated and self.dedicated is self.live):  # no table of them yet
            self._make_rows()
        # What is `asking`'s was left out this once.
        self._read_again(own_hosts)
        places = np.flatnonzero(numbers >= 0)
        if len(self._seen_at) < len(self._hosts):
            unseen = np.full(len(self._hosts) - len(self._seen_at), -np.inf)
            self._seen_at = np.concatenate((self._seen_at, unseen))
        self._seen_at[numbers[places]] = time.monotonic()
        return places, self._rows[numbers[places]]

    def _add_new(self, states: list[Any], changed: Iterable[int]) -> list[str]:
        new: list[str] = []
        for position in changed:
            state = states[position]
            if state.uuid not in self._number_of:
                self._number_of[state.uuid] = len(self._hosts)
                self._hosts.append(MirroredHost((state.host, state.nodename)))
                new.append(state.uuid)
        return new

    def _show_again(self, providers: Iterable[str], capacity_changed: Container[str] = ()) -> None:
        """Show hosts that have been read as their last requests had them, with what is new."""
        for provider in self._number_of.keys() & providers:
            if (host := self.host(provider)).row >= 0:
                self._read_host(host.state, None)
                if provider in capacity_changed and self._inventories.get(provider) is None:
                    host.empty()  # placement has it no more
                self._show(host)

    def _own_hosts(self, asking: str | None) -> set[str]:
        """Return the hosts on which an instance is, or to which it was just sent."""
        if asking is None:
            return set()
        hosts = {self._host_of_spot.get(asking), self._claims.provider_of(asking)}
        return {host for host in hosts if host is not None}

    def _read_again(self, providers: Iterable[str]) -> None:
        """Have hosts read the next time they are among those of a request."""
        for provider in providers:
            number = self._number_of.get(provider)
            if number is not None:
                self._watch.forget(number)

    def _read(self, changed: list[Any], asking: str | None, database_wait: float) -> None:
        unknown: list[Any] = []
        for state in changed:
            unknown += self._read_host(state, asking)
        if unknown:
            began = time.monotonic()
            self._reader.look_up(unknown, database_wait)
            database_wait -= time.monotonic() - began
            for state in changed:
                if self.host(state.uuid).unknown:
                    self._read_host(state, asking)
        for state in self._lists.ask(changed, database_wait):
            self._read_host(state, asking)
        for state in changed:
            host = self.host(state.uuid)
            if host.row >= 0:
                self._show(host)

    def _read_host(self, state: Any, asking: str | None) -> list[Any]:
        """Read one host; return the instances of which nothing is known."""
        host, provider = self.host(state.uuid), state.uuid
        host.state = state
        host.num_io_ops = max(state.num_io_ops, 0)
        host.capacity = self._inventories.get(provider) or capacity_of_host_state(state)
        self._has_dedicated |= host.capacity.total.pcpus > 0
        facts, host.unknown, host.facts = self._reader.read(state.instances, host.facts)
        facts = self._lists.correct(provider, state.instances, facts)
        claims = self._claims.of_host(provider, {known.uuid for known in facts}, asking)
        reported = reported_use(state) - host.capacity.reserved.pooled()
        if not host.unknown:
            self._lists.note(provider, reported, facts, claims)
        before = host.usage.listed_spots
        host.usage = usage_of(reported, facts, len(host.unknown), claims, asking)
        if host.usage.listed_spots != before:
            self._note_spots(provider, before, host.usage.listed_spots)
        # A stub may be known next time: it is looked up, not replaced. What is `asking`'s counts
        # otherwise in the next request.
        if host.unknown or asking in state.instances:
            self._read_again([provider])
        return host.unknown

    def _note_spots(
        self, provider: str, before: Iterable[InstanceFacts], now: Iterable[InstanceFacts]
    ) -> None:
        for spot in before:
            if self._host_of_spot.get(spot.uuid) == provider:
                del self._host_of_spot[spot.uuid]
        for spot in now:
            self._host_of_spot[spot.uuid] = provider

    def _make_rows(self) -> None:
        in_order = sorted(self._hosts, key=lambda host: host.name)
        names = [f"{host} {node}" for host, node in (host.name for host in in_order)]
        self.live = self.dedicated = LiveHosts(names)
        if self._has_dedicated:
            self.dedicated = LiveHosts(names)
        for row, host in enumerate(in_order):
            host.row = row
            self._show(host)
        self._rows = np.array([host.row for host in self._hosts], dtype=np.int64)

    def _show(self, host: MirroredHost) -> None:
        total, vms = host.capacity.total, host.usage.vms
        if total.pcpus <= 0:
            total, vms = total.pooled(), vms.pooled()
        host.free_beside_vms = total - vms
        host.free = host.free_beside_vms - sum_of(host.usage.spots)
        self._show_in(self.live, host, total, vms)
        if self.dedicated is self.live:
            return
        if total.pcpus > 0:
            total, vms = (Size(each.pcpus, each.memory_mb, each.disk_gb) for each in (total, vms))
            self._show_in(self.dedicated, host, total, vms, spots_have_cpus=False)
        else:
            self._show_in(self.dedicated, host, total, vms)

    def _show_in(
        self,
        table: LiveHosts,
        host: MirroredHost,
        total: Size,
        vms: Size,
        *,
        spots_have_cpus: bool = True,
    ) -> None:
        now, watches_disk = time.time(), self._watches_disk
        spots = []
        for spot in host.usage.spots:
            size = spot.size
            vcpus = size.vcpus if spots_have_cpus else 0
            disk_gb = size.disk_gb if watches_disk else 0
            # Of one that is being built it is infinity.
            placed_at = time_us(min(spot.started_at, now))
            until = self._promises.promised_until(spot)
            promised_until = None if until is None else promised_until_us(until)
            spots.append((vcpus, size.memory_mb, disk_gb, placed_at, promised_until))
        try:
            table.set_host(
                host.row,
                self._amounts(total),
                self._amounts(vms),
                spots,
                num_vms=host.usage.num_vms,
                num_io_ops=host.num_io_ops,
            )
        except ConfigError as error:
            # No room for anything: ranked behind the others for VMs, not at all for spots.
            table.set_host(host.row, (1, 1), (1, 1))
            LOG.debug("cospot: host %s cannot be ranked: %s", host.name, error)

    def _amounts(self, size: Size) -> tuple[int, int, int]:
        disk_gb = size.disk_gb if self._watches_disk else 0
        return (_bounded(size.vcpus), _bounded(size.memory_mb), _bounded(disk_gb))


def _bounded(amount: int) -> int:
    return min(max(amount, 0), _MOST)
