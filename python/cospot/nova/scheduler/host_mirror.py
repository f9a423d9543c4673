"""The hosts that Nova's filters are given, kept from request to request.

Nova makes new HostState objects for every request. Reading all of them and their instances would
take longer than the decision, so a host is read again only when something that it shows has
changed: its amounts, its instances (Nova replaces an Instance object when it hears of a change),
its inventories in placement, or what was decided for it meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from oslo_log import log as logging

from cospot._core import LiveHosts
from cospot.errors import ConfigError
from cospot.nova.scheduler.claims import ClaimBook
from cospot.nova.scheduler.host_usage import HostUsage, reported_use, usage_of
from cospot.nova.scheduler.instance_facts import (
    NOTHING,
    FactsOfObjects,
    InstanceReader,
    Size,
)
from cospot.nova.scheduler.inventories import Capacity, InventoryCache, capacity_of_host_state

try:
    from cospot._core import ChangeWatch
except ImportError:  # a module built before it was there

    class ChangeWatch:  # type: ignore[no-redef]
        """The same in Python, until _core is built again."""

        def __init__(self, key: str, attributes: Any, contents: str) -> None:
            self._names, self._seen = tuple(attributes), {}  # type: ignore[var-annotated]

        def look(self, objects: list[Any]) -> Any:
            """See the compiled one."""
            numbers, changed = [], []
            for i, state in enumerate(objects):
                if state.uuid is None:
                    numbers.append(-1)
                    continue
                shown = [getattr(state, name) for name in self._names]
                shown += list(state.instances.values())
                number, before = self._seen.get(state.uuid, (len(self._seen), None))
                if shown != before:
                    changed.append(i)
                    self._seen[state.uuid] = (number, shown)
                numbers.append(number)
            return np.array(numbers, dtype=np.int64), changed


LOG = logging.getLogger(__name__)

#: Times are given to the policies from here on; far from it they are refused.
_START_OF_2020: Final = 1_577_836_800
_MOST: Final = 1 << 26  # what a HostTable takes; 64 TiB of memory
_LOOK_UP_SECONDS: Final = 0.5

_SHOWN: Final = (
    "vcpus_total",
    "vcpus_used",
    "total_usable_ram_mb",
    "free_ram_mb",
    "total_usable_disk_gb",
    "disk_mb_used",
    "cpu_allocation_ratio",
    "ram_allocation_ratio",
    "disk_allocation_ratio",
    "num_io_ops",
)


def time_us(seconds: float) -> int:
    """Return a time since the epoch as the policies are told it."""
    return int((seconds - _START_OF_2020) * 1_000_000)


class MirroredHost:
    """What is kept of one host."""

    __slots__ = ("capacity", "facts", "name", "num_io_ops", "row", "unknown", "usage")

    def __init__(self, name: tuple[str, str]) -> None:
        self.name = name
        self.row = -1
        self.num_io_ops = 0
        self.facts: FactsOfObjects = {}
        self.capacity = Capacity(NOTHING, NOTHING)
        self.usage = HostUsage(NOTHING, 0, (), ())
        self.unknown: list[Any] = []


class HostMirror:
    """The hosts as LiveHosts, whose rows are in the order of the hosts' names.

    Not for threads: its owner has a lock.
    """

    def __init__(
        self, inventories: InventoryCache, reader: InstanceReader, claims: ClaimBook
    ) -> None:
        self._inventories = inventories
        self._reader = reader
        self._claims = claims
        self._watches_disk = False
        self.forget()

    def forget(self) -> None:
        """Read all hosts anew at the next request."""
        self._watch = ChangeWatch("uuid", _SHOWN, "instances")
        self._hosts: list[MirroredHost] = []  # in the order in which the watch saw them
        self._rows: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._number_of: dict[str, int] = {}
        self._host_of_spot: dict[str, str] = {}
        self._stale: set[str] = set()
        self.live = LiveHosts(())

    def watch_disk(self, watches_disk: bool) -> None:
        """Say whether disk counts."""
        if watches_disk != self._watches_disk:
            self._watches_disk = watches_disk
            self._stale.update(self._number_of)

    def host(self, provider: str) -> MirroredHost:
        """Return what is kept of a host that was followed."""
        return self._hosts[self._number_of[provider]]

    def follow(
        self, states: list[Any], asking: str | None, inventory_wait: float
    ) -> npt.NDArray[np.int64]:
        """Bring the hosts up to date.

        Args:
            states: Nova's HostState objects of one request.
            asking: UUID of the instance that is being decided on.
            inventory_wait: How many seconds to wait at most for the inventories of new hosts.

        Returns:
            The row of each; -1 for a host that has not told anything of itself yet.
        """
        numbers, changed = self._watch.look(states)
        new = self._add_new(states, changed)
        if new:
            self._inventories.read_new(new, inventory_wait)
        changed += self._stale_positions(numbers, asking)
        self._read([states[position] for position in dict.fromkeys(changed)], asking)
        if new:
            self._make_rows()
        rows = np.full(len(states), -1, dtype=np.int64)
        rows[numbers >= 0] = self._rows[numbers[numbers >= 0]]
        return rows

    def _add_new(self, states: list[Any], changed: Iterable[int]) -> list[str]:
        new: list[str] = []
        for position in changed:
            state = states[position]
            if state.uuid not in self._number_of:
                self._number_of[state.uuid] = len(self._hosts)
                self._hosts.append(MirroredHost((state.host, state.nodename)))
                new.append(state.uuid)
        return new

    def _stale_positions(self, numbers: npt.NDArray[np.int64], asking: str | None) -> list[int]:
        """Return which hosts to read whatever they show; what is `asking`'s is left out this once.

        Args:
            numbers: The watch's number of each host of the request.
            asking: UUID of the instance that is being decided on.
        """
        self._claims.expire()
        own = {self._host_of_spot.get(asking or ""), self._claims.provider_of(asking or "")}
        own_hosts = {provider for provider in own if provider is not None}
        stale = self._stale | own_hosts
        stale |= self._inventories.take_changed() | self._claims.take_changed()
        self._stale = set()
        if not stale:
            return []
        position_of = np.full(len(self._hosts), -1, dtype=np.int64)
        known = np.flatnonzero(numbers >= 0)
        position_of[numbers[known]] = known
        here: list[int] = []
        for provider in stale & self._number_of.keys():
            position = int(position_of[self._number_of[provider]])
            if position >= 0:
                here.append(position)
            else:
                self._stale.add(provider)  # of another request's hosts
        self._stale |= own_hosts
        return here

    def _read(self, changed: list[Any], asking: str | None) -> None:
        unknown: list[Any] = []
        for state in changed:
            unknown += self._read_host(state, asking)
        if unknown:
            self._reader.look_up(unknown, _LOOK_UP_SECONDS)
        for state in changed:
            host = self.host(state.uuid)
            if host.unknown:
                self._read_host(state, asking)
            if host.row >= 0:
                self._show(host)

    def _read_host(self, state: Any, asking: str | None) -> list[Any]:
        """Read one host; return the instances of which nothing is known."""
        host, provider = self.host(state.uuid), state.uuid
        host.num_io_ops = max(state.num_io_ops, 0)
        host.capacity = self._inventories.get(provider) or capacity_of_host_state(state)
        facts, host.unknown, host.facts = self._reader.read(state.instances, host.facts)
        claims = self._claims.of_host(provider, {known.uuid for known in facts}, asking)
        reported = reported_use(state) - host.capacity.reserved
        for spot in host.usage.listed_spots:
            if self._host_of_spot.get(spot.uuid) == provider:
                del self._host_of_spot[spot.uuid]
        host.usage = usage_of(reported, facts, len(host.unknown), claims, asking)
        for spot in host.usage.listed_spots:
            self._host_of_spot[spot.uuid] = provider
        # A stub may be known next time: it is looked up, not replaced. What is `asking`'s counts
        # otherwise in the next request.
        if host.unknown or asking in state.instances:
            self._stale.add(provider)
        return host.unknown

    def _make_rows(self) -> None:
        in_order = sorted(self._hosts, key=lambda host: host.name)
        self.live = LiveHosts(f"{host} {node}" for host, node in (host.name for host in in_order))
        for row, host in enumerate(in_order):
            host.row = row
            self._show(host)
        self._rows = np.array([host.row for host in self._hosts], dtype=np.int64)

    def _show(self, host: MirroredHost) -> None:
        now = time.time()
        spots = [
            (*self._amounts(spot.size), time_us(min(spot.started_at, now)))
            for spot in host.usage.spots
        ]
        try:
            self.live.set_host(
                host.row,
                self._amounts(host.capacity.total),
                self._amounts(host.usage.vms),
                spots,
                num_vms=host.usage.num_vms,
                num_io_ops=host.num_io_ops,
            )
        except ConfigError as error:
            # No room for anything: ranked behind the others for VMs, not at all for spots.
            self.live.set_host(host.row, (1, 1), (1, 1))
            LOG.debug("cospot: host %s cannot be ranked: %s", host.name, error)

    def _amounts(self, size: Size) -> tuple[int, int, int]:
        disk_gb = size.disk_gb if self._watches_disk else 0
        return (_bounded(size.vcpus), _bounded(size.memory_mb), _bounded(disk_gb))


def _bounded(amount: int) -> int:
    return min(max(amount, 0), _MOST)
