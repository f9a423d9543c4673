"""One host as placement and Nova show it, and what an eviction there depends on.

`HostObserver` takes a `HostSnapshot`, renews what may have changed, and checks a spot once more
right before it is evicted; `read_spot` is the rule of what may be.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final

from oslo_log import log as logging

from cospot.nova.evictor.cloud import Placement, Servers
from cospot.nova.evictor.deletions import Deletions
from cospot.nova.evictor.errors import CloudError
from cospot.nova.evictor.model import Amounts, ComputeHost, HostUsage, Server, spot_amounts
from cospot.nova.evictor.stores import PendingDeletions
from cospot.nova.spot_flavors import holds_only_spot_classes, is_spot_flavor

if TYPE_CHECKING:
    from cospot.nova.state.orders import SharedOrders

LOG = logging.getLogger(__name__)
_FORBIDDEN: Final = 403


class Refusal(str, Enum):
    """Why an instance is not evicted; the values are the labels of the metric."""

    GONE = "gone"
    NOT_A_SPOT_ALLOCATION = "not-a-spot-allocation"
    SEVERAL_PROVIDERS = "several-providers"
    NO_SERVER = "no-server"
    NOT_A_SPOT_FLAVOR = "not-a-spot-flavor"
    OTHER_HOST = "other-host"
    LEAVING = "leaving"
    DELETION_STUCK = "deletion-stuck"
    NOT_NEEDED = "not-needed"
    FREES_NOTHING_NEEDED = "frees-nothing-needed"
    PROMISED = "promised"
    HOST_STALLED = "host-stalled"
    DISABLED = "disabled"
    LIMIT = "limit"
    PROJECT_LIMIT = "project-limit"
    HOST_LIMIT = "host-limit"


@dataclass(frozen=True)
class Spot:
    """A spot that may be evicted.

    Attributes:
        amounts: what evicting it frees, by VCPU, MEMORY_MB, DISK_GB.
        is_stuck: Nova has been deleting it for so long that the order to its compute must be lost.
    """

    server: Server
    amounts: Amounts
    is_stuck: bool = False

    @property
    def uuid(self) -> str:
        """Return the UUID of its server."""
        return self.server.uuid


def read_spot(
    allocation: Amounts,
    server: Server | None,
    host: ComputeHost,
    deleting_for: float,
    deletions: Deletions,
) -> Spot | Refusal:
    """Tell whether a consumer of a host is a spot that may be evicted.

    Args:
        allocation: what it holds of the host's provider.
        server: what Nova says of it; None when Nova does not know it.
        host: the provider's host.
        deleting_for: for how long Nova has been deleting it, seconds; 0 when it is not.
        deletions: what to think of one that is being deleted.

    Returns:
        the spot, or the first reason against it.
    """
    if not allocation:
        return Refusal.GONE
    if not holds_only_spot_classes(allocation):
        return Refusal.NOT_A_SPOT_ALLOCATION
    if server is None:
        return Refusal.NO_SERVER
    if not is_spot_flavor(server.extra_specs):
        return Refusal.NOT_A_SPOT_FLAVOR
    if server.is_deleted:
        return Refusal.LEAVING
    is_stuck = server.is_being_deleted and deleting_for > deletions.timeout
    if server.is_leaving and not is_stuck:
        return Refusal.LEAVING
    if is_stuck and not deletions.repeat:
        return Refusal.DELETION_STUCK
    if (server.host, server.node) != (host.host, host.node):
        return Refusal.OTHER_HOST
    return Spot(server, spot_amounts(allocation), is_stuck)


@dataclass(frozen=True)
class SpotsOfHost:
    """The spots of a host.

    Attributes:
        evictable: those that may be evicted, by UUID, the one placed first first.
        refused: the others and why.
        leaving: UUIDs of those whose capacity is about to be free.
    """

    evictable: Mapping[str, Spot]
    refused: Mapping[str, Refusal]

    @property
    def leaving(self) -> frozenset[str]:
        """Return the UUIDs of those that are being deleted."""
        return frozenset(uuid for uuid, why in self.refused.items() if why is Refusal.LEAVING)

    @property
    def stuck(self) -> frozenset[str]:
        """Return the UUIDs of those that are being deleted for too long."""
        left = [uuid for uuid, why in self.refused.items() if why is Refusal.DELETION_STUCK]
        return frozenset(left).union(uuid for uuid, spot in self.evictable.items() if spot.is_stuck)


def sort_spots(verdicts: Mapping[str, Spot | Refusal]) -> SpotsOfHost:
    """Part what `read_spot` said of each consumer of a host."""
    spots = [verdict for verdict in verdicts.values() if isinstance(verdict, Spot)]
    # Nova's times have whole seconds; the UUID makes the order the same in every copy.
    spots.sort(key=lambda spot: (spot.server.placed_at, spot.uuid))
    return SpotsOfHost(
        evictable={spot.uuid: spot for spot in spots},
        refused={uuid: why for uuid, why in verdicts.items() if isinstance(why, Refusal)},
    )


@dataclass(frozen=True)
class HostSnapshot:
    """A host as it was a moment ago.

    Attributes:
        pending: spots whose deletion was asked for and not answered: the first to ask for again.
        taken_at: monotonic time, seconds.
        nova_time: Nova's own time then, seconds since the epoch.
        created_at: when the instances were created of which Nova says so, by the same clock.
        leaving_vms: VMs whose capacity is about to be free.
    """

    usage: HostUsage
    host: ComputeHost
    spots: SpotsOfHost
    pending: frozenset[str]
    taken_at: float
    nova_time: float
    created_at: Mapping[str, float]
    leaving_vms: frozenset[str]

    @property
    def leaving(self) -> frozenset[str]:
        """Return the spots and VMs whose capacity is about to be free."""
        return self.spots.leaving | self.leaving_vms


class HostObserver:
    """Takes snapshots of hosts, and checks a spot right before it is evicted."""

    def __init__(
        self,
        placement: Placement,
        servers: Servers,
        pending: PendingDeletions | SharedOrders,
        deletions: Deletions,
    ) -> None:
        self._placement = placement
        self._servers = servers
        self._pending = pending
        self._deletions = deletions
        self._compute_hosts: dict[str, ComputeHost] = {}

    def learn_hosts(self) -> None:
        """Ask Nova for its compute hosts now, so that the first eviction need not."""
        if not self._compute_hosts:
            self._compute_hosts = self._servers.compute_hosts()

    def compute_host(self, provider: str) -> ComputeHost | None:
        """Return the host of a provider, by its UUID; None when it is no compute node."""
        # A provider's UUID is its compute node's for as long as either lives.
        if provider not in self._compute_hosts:
            self._compute_hosts = self._servers.compute_hosts()
        return self._compute_hosts.get(provider)

    def usage(self, provider: str) -> HostUsage:
        """Return what a host has and who holds it, by the UUID of its provider."""
        return self._placement.usage(self._placement.provider(provider))

    def snapshot(self, usage: HostUsage) -> HostSnapshot | None:
        """Return a snapshot of the host whose usage this is; None when it is no compute node."""
        host = self.compute_host(usage.provider)
        if host is None:
            LOG.warning("provider %s (%s) is no compute node of Nova", usage.provider, usage.name)
            return None
        listed = self._servers.on_host(host)
        created_at = {uuid: server.created_at for uuid, server in listed.items()}
        verdicts: dict[str, Spot | Refusal] = {}
        for consumer, allocation in usage.consumers.items():
            if not holds_only_spot_classes(allocation):
                continue
            # The list leaves out soft-deleted servers and those that have moved.
            server = listed.get(consumer) or self._servers.server(consumer)
            if server is not None:
                created_at[consumer] = server.created_at
            verdicts[consumer] = self._read_spot(usage.provider, allocation, server, host)
        spots = sort_spots(verdicts)
        going = {
            uuid: self._deletions.age(usage.provider, uuid, server.updated)
            for uuid, server in listed.items()
            if uuid in usage.consumers and uuid not in verdicts and server.is_leaving
        }
        self._deletions.keep(usage.provider, spots.leaving | spots.stuck | set(going))
        return HostSnapshot(
            usage=usage,
            host=host,
            spots=spots,
            pending=self._pending.recent(usage.provider),
            taken_at=time.monotonic(),
            nova_time=self._servers.now(),
            created_at=created_at,
            # One that does not go will take what it holds for longer, whoever waits for that.
            leaving_vms=frozenset(vm for vm in going if going[vm] <= self._deletions.timeout),
        )

    def renew(self, snapshot: HostSnapshot, oldest: float) -> HostSnapshot | None:
        """Return the snapshot with what placement says now of who holds what.

        Args:
            snapshot: the last one.
            oldest: age from which Nova is asked anew too, seconds.
        """
        consumers = self._placement.consumers(snapshot.usage.provider)
        usage = replace(snapshot.usage, consumers=consumers)
        if time.monotonic() - snapshot.taken_at > oldest:
            return self.snapshot(usage)
        return replace(snapshot, usage=usage)

    def check(self, snapshot: HostSnapshot, uuid: str) -> Spot | Refusal:
        """Tell from what placement and Nova say now whether an instance may be evicted.

        Args:
            snapshot: of the host on which it should be, just renewed.
            uuid: any instance; nothing about it is taken for granted.
        """
        here = snapshot.usage.consumers.get(uuid, {})
        if not here:
            return Refusal.GONE
        if not holds_only_spot_classes(here):
            return Refusal.NOT_A_SPOT_ALLOCATION
        everywhere = self._placement.allocation(uuid)
        if not everywhere:
            return Refusal.GONE
        if not all(holds_only_spot_classes(each) for each in everywhere.values()):
            return Refusal.NOT_A_SPOT_ALLOCATION
        server: Server | None = self._servers.server(uuid)
        elsewhere = set(everywhere) - {snapshot.usage.provider}
        if elsewhere and not self._was_evacuated_from(uuid, elsewhere):
            return Refusal.SEVERAL_PROVIDERS
        return self._read_spot(snapshot.usage.provider, here, server, snapshot.host)

    def _was_evacuated_from(self, uuid: str, providers: Collection[str]) -> bool:
        """Tell whether Nova built a server anew here, as all those hosts were dead.

        An evacuated server holds its capacity there until they are back. While any move is under
        way it may still come to be on another host.
        """
        try:
            moves = self._servers.migrations(uuid)
        except CloudError as error:
            if error.status != _FORBIDDEN:
                raise
            LOG.warning("whether %s was evacuated: %s", uuid, error)
            return False
        if any(move.is_under_way for move in moves):
            return False
        left = {move.source for move in moves if move.is_evacuation_that_arrived}
        return all(self.compute_host(provider) in left for provider in providers)

    def _read_spot(
        self, provider: str, allocation: Amounts, server: Server | None, host: ComputeHost
    ) -> Spot | Refusal:
        deleting_for = 0.0
        if server is not None and server.is_being_deleted:
            deleting_for = self._deletions.age(provider, server.uuid, server.updated)
        return read_spot(allocation, server, host, deleting_for, self._deletions)
