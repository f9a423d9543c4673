"""Looks at one host: what placement says of its room and Nova of its spots."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final

from oslo_log import log as logging

from cospot.nova.evictor.deletion_clock import DeletionClock
from cospot.nova.evictor.deletion_notes import DeletionNotes
from cospot.nova.evictor.errors import CloudError
from cospot.nova.evictor.placement import Placement
from cospot.nova.evictor.room import Amounts, HostRoom
from cospot.nova.evictor.servers import ComputeHost, Server, Servers
from cospot.nova.evictor.spots import (
    Deletions,
    Refusal,
    Spot,
    SpotsOfHost,
    read_spot,
    sort_spots,
)
from cospot.nova.spot_flavors import holds_only_spot_classes

LOG = logging.getLogger(__name__)
_FORBIDDEN: Final = 403


@dataclass(frozen=True)
class HostPicture:
    """A host as it was a moment ago.

    Attributes:
        noted: spots whose deletion was asked for and not answered: the first to ask for again.
        taken_at: monotonic time, seconds.
        nova_time: Nova's own time then, seconds since the epoch.
        created_at: when the instances were created of which Nova says so, by the same clock.
    """

    room: HostRoom
    host: ComputeHost
    spots: SpotsOfHost
    noted: frozenset[str]
    taken_at: float
    nova_time: float
    created_at: Mapping[str, float]

    @property
    def leaving(self) -> frozenset[str]:
        """Return the spots whose room is about to be free."""
        return self.spots.leaving


class HostObserver:
    """Takes pictures of hosts, and checks a spot right before it is evicted."""

    def __init__(
        self,
        placement: Placement,
        servers: Servers,
        notes: DeletionNotes,
        deletions: Deletions,
        clock: DeletionClock,
    ) -> None:
        self._placement = placement
        self._servers = servers
        self._notes = notes
        self._deletions = deletions
        self._clock = clock
        self._compute_hosts: dict[str, ComputeHost] = {}

    def learn_hosts(self) -> None:
        """Ask Nova for its compute hosts now, so that the first eviction need not."""
        if not self._compute_hosts:
            self._compute_hosts = self._servers.compute_hosts()

    def room(self, provider: str) -> HostRoom:
        """Return the room of a host by the UUID of its provider."""
        return self._placement.room(self._placement.provider(provider))

    def picture(self, room: HostRoom) -> HostPicture | None:
        """Return a picture of the host whose room this is; None when it is no compute node."""
        host = self._compute_host(room.provider)
        if host is None:
            LOG.warning("provider %s (%s) is no compute node of Nova", room.provider, room.name)
            return None
        listed = self._servers.on_host(host)
        created_at = {uuid: server.created_at for uuid, server in listed.items()}
        verdicts: dict[str, Spot | Refusal] = {}
        for consumer, allocation in room.consumers.items():
            if not holds_only_spot_classes(allocation):
                continue
            # The list leaves out soft-deleted servers and those that have moved.
            server = listed.get(consumer) or self._servers.server(consumer)
            if server is not None:
                created_at[consumer] = server.created_at
            verdicts[consumer] = self._read_spot(room.provider, allocation, server, host)
        spots = sort_spots(verdicts)
        self._clock.keep(room.provider, spots.leaving | spots.stuck)
        return HostPicture(
            room=room,
            host=host,
            spots=spots,
            noted=self._notes.recent(room.provider),
            taken_at=time.monotonic(),
            nova_time=self._servers.now(),
            created_at=created_at,
        )

    def renew(self, picture: HostPicture, oldest: float) -> HostPicture | None:
        """Return the picture with what placement says now of who holds what.

        Args:
            picture: the last one.
            oldest: age from which Nova is asked anew too, seconds.
        """
        consumers = self._placement.consumers(picture.room.provider)
        room = replace(picture.room, consumers=consumers)
        if time.monotonic() - picture.taken_at > oldest:
            return self.picture(room)
        return replace(picture, room=room)

    def check(self, picture: HostPicture, uuid: str) -> Spot | Refusal:
        """Tell from what placement and Nova say now whether an instance may be evicted.

        Args:
            picture: of the host on which it should be, just renewed.
            uuid: any instance; nothing about it is taken for granted.
        """
        here = picture.room.consumers.get(uuid, {})
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
        elsewhere = set(everywhere) - {picture.room.provider}
        if elsewhere and not self._was_evacuated_from(uuid, elsewhere):
            return Refusal.SEVERAL_PROVIDERS
        return self._read_spot(picture.room.provider, here, server, picture.host)

    def _was_evacuated_from(self, uuid: str, providers: Collection[str]) -> bool:
        """Tell whether Nova built a server anew here, as all those hosts were dead.

        An evacuated server holds its room there until they are back. While any move is under way
        it may still come to be on another host.
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
        return all(self._compute_host(provider) in left for provider in providers)

    def _read_spot(
        self, provider: str, allocation: Amounts, server: Server | None, host: ComputeHost
    ) -> Spot | Refusal:
        is_going = server is not None and server.is_being_deleted
        deleting_for = self._clock.age(provider, server.uuid) if server and is_going else 0.0
        return read_spot(allocation, server, host, deleting_for, self._deletions)

    def _compute_host(self, provider: str) -> ComputeHost | None:
        # A provider's UUID is its compute node's for as long as either lives.
        if provider not in self._compute_hosts:
            self._compute_hosts = self._servers.compute_hosts()
        return self._compute_hosts.get(provider)
