"""The hosts that Nova's filters are given, kept from request to request.

Nova makes new HostState objects for every request. Reading all of them and their instances would
take longer than the decision, so a host is read again only when something that it shows has
changed: its amounts, its instances (Nova replaces an Instance object when it hears of a change),
its inventories in placement, or what was decided for it meanwhile.
"""

from __future__ import annotations

import operator
import time
from collections.abc import Iterable, Sequence
from typing import Any, Final

from oslo_log import log as logging

from cospot._core import LiveHosts
from cospot.errors import ConfigError
from cospot.nova.scheduler.claims import ClaimBook
from cospot.nova.scheduler.host_usage import HostUsage, reported_use, usage_of
from cospot.nova.scheduler.instance_facts import NOTHING, InstanceReader, Size
from cospot.nova.scheduler.inventories import Capacity, InventoryCache, capacity_of_host_state

LOG = logging.getLogger(__name__)

#: Times are given to the policies from here on; far from it they are refused.
_START_OF_2020: Final = 1_577_836_800
_MOST: Final = 1 << 26  # what a HostTable takes; 64 TiB of memory
_LOOK_UP_SECONDS: Final = 0.5

_shown = operator.attrgetter(
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

    __slots__ = ("capacity", "instances", "name", "row", "shown", "state", "unknown", "usage")

    def __init__(self, name: tuple[str, str]) -> None:
        self.name = name
        self.row = -1
        self.shown: tuple[Any, ...] = ()
        self.instances: list[Any] = []
        self.state: Any = None
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
        self._hosts: dict[str, MirroredHost] = {}
        self._host_of_spot: dict[str, str] = {}
        self._stale: set[str] = set()
        self._watches_disk = False
        self.live = LiveHosts(())

    def watch_disk(self, watches_disk: bool) -> None:
        """Say whether disk counts."""
        if watches_disk != self._watches_disk:
            self._watches_disk = watches_disk
            self._stale.update(self._hosts)

    def host(self, provider: str) -> MirroredHost:
        """Return what is kept of a host that was followed."""
        return self._hosts[provider]

    def follow(self, states: Sequence[Any], asking: str | None) -> list[int]:
        """Bring the hosts up to date.

        Args:
            states: Nova's HostState objects of one request.
            asking: UUID of the instance that is being decided on.

        Returns:
            The row of each; -1 for a host that has not told anything of itself yet.
        """
        stale = self._take_stale(asking)
        hosts = self._hosts
        new = [state for state in states if state.uuid not in hosts and state.uuid is not None]
        for state in new:
            hosts[state.uuid] = MirroredHost((state.host, state.nodename))
        rows: list[int] = []
        changed: list[MirroredHost] = []
        for state in states:
            host = hosts.get(state.uuid)
            if host is None:
                rows.append(-1)
                continue
            shown = _shown(state)
            instances = list(state.instances.values())
            if shown != host.shown or instances != host.instances or state.uuid in stale:
                host.shown, host.instances = shown, instances
                changed.append(host)
            host.state = state
            rows.append(host.row)
        self._read(changed, asking)
        if new:
            self._make_rows()
            return [hosts[state.uuid].row if state.uuid in hosts else -1 for state in states]
        for host in changed:
            self._show(host)
        return rows

    def _take_stale(self, asking: str | None) -> set[str]:
        """Return the hosts to read whatever they show, and note those to read next time too."""
        self._claims.expire()
        stale = self._stale | self._inventories.take_changed() | set(self._claims.providers())
        own_host = self._host_of_spot.get(asking or "")
        again = set(self._claims.providers())
        if own_host is not None:
            stale.add(own_host)
            again.add(own_host)
        self._stale = again
        return stale

    def _read(self, changed: Iterable[MirroredHost], asking: str | None) -> None:
        unknown: list[Any] = []
        for host in changed:
            self._read_host(host, asking)
            unknown += host.unknown
        if not unknown:
            return
        self._reader.look_up(unknown, _LOOK_UP_SECONDS)
        for host in changed:
            if host.unknown:
                self._read_host(host, asking)

    def _read_host(self, host: MirroredHost, asking: str | None) -> None:
        state = host.state
        known = self._inventories.get(state.uuid)
        host.capacity = known or capacity_of_host_state(state)
        facts, host.unknown = self._reader.read(state.instances)
        claims = self._claims.of_host(state.uuid, state.instances.keys(), asking)
        reported = reported_use(state) - host.capacity.reserved
        for spot in host.usage.listed_spots:
            if self._host_of_spot.get(spot.uuid) == state.uuid:
                del self._host_of_spot[spot.uuid]
        host.usage = usage_of(reported, facts, len(host.unknown), claims, asking)
        for spot in host.usage.listed_spots:
            self._host_of_spot[spot.uuid] = state.uuid
        if host.unknown:
            # They may be known next time: a stub is not replaced, it is looked up.
            self._stale.add(state.uuid)

    def _make_rows(self) -> None:
        in_order = sorted(self._hosts.values(), key=lambda host: host.name)
        self.live = LiveHosts(f"{host} {node}" for host, node in (host.name for host in in_order))
        for row, host in enumerate(in_order):
            host.row = row
            self._show(host)

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
                num_io_ops=max(host.state.num_io_ops, 0),
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
