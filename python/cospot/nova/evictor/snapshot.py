"""One host as placement and Nova show it, and what an eviction there depends on.

`read_spot` is the rule of what may be evicted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cospot.nova import log as logging
from cospot.nova.evictor.deletions import Deletions
from cospot.nova.evictor.model import Amounts, ComputeHost, HostUsage, Server, spot_amounts
from cospot.nova.spot_flavors import holds_only_spot_classes, is_spot_flavor
from cospot.nova.state.safeguards import Refusal

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Spot:
    """A spot that may be evicted.

    Attributes:
        amounts: what evicting it frees, by VCPU, MEMORY_MB, DISK_GB.
        is_stuck: Nova has been deleting it for so long that the order to its compute must be lost.
        migration: UUID of the migration that holds its former host until its resize is confirmed,
            which frees that host and keeps the server; empty for a spot that is evicted.
        runs_nowhere: no host runs it, so it goes before those that serve somebody.
    """

    server: Server
    amounts: Amounts
    is_stuck: bool = False
    migration: str = ""
    runs_nowhere: bool = False

    @property
    def uuid(self) -> str:
        """Return the UUID of what holds the host in placement: its server, or the migration."""
        return self.migration or self.server.uuid


def read_spot(
    allocation: Amounts,
    server: Server | None,
    host: ComputeHost,
    deleting_for: float,
    deletions: Deletions,
    now: float,
) -> Spot | Refusal:
    """Tell whether a consumer of a host is a spot that may be evicted.

    Args:
        allocation: what it holds of the host's provider.
        server: what Nova says of it; None when Nova does not know it.
        host: the provider's host.
        deleting_for: for how long Nova has been deleting it, seconds; 0 when it is not.
        deletions: what to think of one that is being deleted.
        now: Nova's time, seconds since the epoch.

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
    if server.runs_nowhere(now, deletions.timeout):
        return Spot(server, spot_amounts(allocation), runs_nowhere=True)
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
class SpotEvidence:
    """A spot's holdings by provider, and its server; the questions' monotonic time, seconds."""

    everywhere: Mapping[str, Amounts]
    server: Server | None
    asked_at: float


@dataclass(frozen=True)
class HostSnapshot:
    """A host as it was a moment ago.

    Attributes:
        pending: spots whose deletion was asked for and not answered: the first to ask for again.
        taken_at: when Nova's answer was there, monotonic time, seconds.
        nova_time: Nova's own time then, seconds since the epoch.
        created_at: when the instances were created of which Nova says so, by the same clock.
        leaving_vms: VMs whose capacity is about to be free, and those that failed on no host.
        usage_at: when placement was asked who holds what, monotonic time, seconds.
        capacity_at: when it was asked how much there is.
        evidence: about single spots.
        came: those that have come since the host was within its capacity.
        just_gone: those that hold something there and that Nova has just ceased to know.
        servers: of those that hold something there, as far as Nova knows them.
    """

    usage: HostUsage
    host: ComputeHost
    spots: SpotsOfHost
    pending: frozenset[str]
    taken_at: float
    nova_time: float
    created_at: Mapping[str, float]
    leaving_vms: frozenset[str]
    usage_at: float = float("-inf")
    capacity_at: float = float("-inf")
    evidence: Mapping[str, SpotEvidence] = field(default_factory=dict)
    came: frozenset[str] = frozenset()
    just_gone: frozenset[str] = frozenset()
    servers: Mapping[str, Server] = field(default_factory=dict)

    @property
    def place(self) -> dict[str, str]:
        """Return what audit records say of the host."""
        return {
            "host": self.host.host,
            "node": self.host.node,
            "provider": self.usage.provider,
        }

    @property
    def leaving(self) -> frozenset[str]:
        """Return the spots and VMs whose capacity is about to be free."""
        return self.spots.leaving | self.leaving_vms
