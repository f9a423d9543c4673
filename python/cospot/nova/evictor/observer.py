"""Asks placement and Nova about one host, several questions at once.

`HostObserver` takes a `HostSnapshot`, renews what may have changed, and checks a spot once more
right before it is evicted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from cospot.nova import log as logging
from cospot.nova.evictor.at_once import together
from cospot.nova.evictor.cloud import Placement, Servers
from cospot.nova.evictor.deletions import Deletions
from cospot.nova.evictor.model import (
    Amounts,
    ComputeHost,
    HostUsage,
    Server,
    UnconfirmedMove,
    spot_amounts,
)
from cospot.nova.evictor.snapshot import (
    HostSnapshot,
    Spot,
    SpotEvidence,
    read_spot,
    sort_spots,
)
from cospot.nova.spot_flavors import holds_only_spot_classes
from cospot.nova.state.errors import CloudError
from cospot.nova.state.pending import PendingDeletions
from cospot.nova.state.safeguards import Refusal

if TYPE_CHECKING:
    from cospot.nova.state.orders import SharedOrders

LOG = logging.getLogger(__name__)
_FORBIDDEN: Final = 403
#: An answer to a question that was asked no longer ago is not asked for again, seconds. Questions
#: are asked at once, under the lock of their host; slower answers are asked for once more.
_FRESH_S: Final = 0.5


@dataclass(frozen=True)
class HostLook:
    """Answers to questions that were asked at once: what an eviction on a host depends on.

    Attributes:
        listed: the servers that Nova lists there; None: not known.
        held: what some spots hold, by provider.
        asked_at: monotonic time, seconds.
        answered_at: when the last answer was there.
        usage_at: when placement was asked who holds what.
    """

    usage: HostUsage
    listed: Mapping[str, Server] | None
    held: Mapping[str, Mapping[str, Amounts]]
    asked_at: float
    answered_at: float
    usage_at: float


class HostObserver:
    """Takes snapshots of hosts, and checks a spot right before it is evicted.

    Attributes:
        confirms: whether what an unconfirmed resize holds may be freed.
    """

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
        self.confirms = True
        self._compute_hosts: dict[str, ComputeHost] = {}
        self._former_vms: dict[str, frozenset[str]] = {}  # by provider

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

    def look(self, provider: str, spots: Sequence[str] | None = None) -> HostLook:
        """Ask what a host has and who holds it, and at once what evicting spots may depend on.

        Args:
            provider: UUID of the host's provider.
            spots: UUIDs; nothing about them is taken for granted. None: nothing more is asked.
        """
        more: dict[str, Callable[[], Any]] = {
            spot: partial(self._placement.allocation, spot) for spot in spots or ()
        }
        host = None if spots is None else self.compute_host(provider)
        if host is not None:
            more[provider] = partial(self._servers.on_host, host)
        asked_at = time.monotonic()
        name, holdings, *rest = together(
            [
                partial(self._name, provider),
                partial(self._placement.holdings, provider),
                *(partial(_or_none, ask) for ask in more.values()),
            ]
        )
        held = {key: answer for key, answer in zip(more, rest, strict=True) if answer is not None}
        listed = held.pop(provider, None)
        usage = HostUsage(provider, name, *holdings)
        return HostLook(usage, listed, held, asked_at, time.monotonic(), asked_at)

    def look_again(self, look: HostLook) -> HostLook:
        """Return a look with what placement says now of who holds what."""
        usage_at = time.monotonic()
        consumers = self._placement.consumers(look.usage.provider)
        return replace(look, usage=replace(look.usage, consumers=consumers), usage_at=usage_at)

    def _name(self, provider: str) -> str:
        """Return a provider's name, which a compute node's shares."""
        host = self._compute_hosts.get(provider)
        return self._placement.provider(provider).name if host is None else host.node

    def snapshot(
        self, usage: HostUsage, look: HostLook | None = None, came: Collection[str] = ()
    ) -> HostSnapshot | None:
        """Return a snapshot of the host whose usage this is; None when it is no compute node.

        Args:
            usage: of the host.
            look: the answers that this was among.
            came: UUIDs of those that have come since the host was within its capacity. Nova need
                not list VMs of these there yet, and is not asked about them.
        """
        host = self.compute_host(usage.provider)
        if host is None:
            LOG.warning("provider %s (%s) is no compute node of Nova", usage.provider, usage.name)
            return None
        if look is None or look.listed is None:
            listed = self._servers.on_host(host)
            taken = self._snapshot(usage, host, listed, time.monotonic(), came)
            return taken if look is None else replace(taken, capacity_at=look.asked_at)
        # What is not among these has just come, or is listed on no host.
        evidence = {
            spot: SpotEvidence(held, look.listed[spot], look.asked_at)
            for spot, held in look.held.items()
            if spot in look.listed
        }
        taken = self._snapshot(usage, host, look.listed, look.answered_at, came)
        return replace(taken, usage_at=look.usage_at, capacity_at=look.asked_at, evidence=evidence)

    def _snapshot(
        self,
        usage: HostUsage,
        host: ComputeHost,
        listed: Mapping[str, Server],
        taken_at: float,
        came: Collection[str],
        before: Collection[str] = (),
    ) -> HostSnapshot:
        spots = [each for each, held in usage.consumers.items() if holds_only_spot_classes(held)]
        # The list leaves out soft-deleted servers and those that have moved; a VM that was
        # evacuated gives back what it still holds here when it is deleted elsewhere.
        unlisted = [
            each
            for each, held in usage.consumers.items()
            if each not in listed
            and (each not in came or each in before or holds_only_spot_classes(held))
        ]
        asked = together([partial(self._servers.server, each) for each in unlisted])
        servers = {**listed, **dict(zip(unlisted, asked, strict=True))}
        verdicts = {
            spot: self._read_spot(usage.provider, usage.consumers[spot], servers[spot], host)
            for spot in spots
        }
        self._read_moves(usage, host, servers, verdicts)
        unknown = [
            each
            for each in unlisted
            if servers[each] is None and verdicts.get(each) in (None, Refusal.NO_SERVER)
        ]
        just_gone = [e for e in unknown if self._deletions.has_just_gone(usage.provider, e)]
        verdicts |= {each: Refusal.LEAVING for each in just_gone if each in verdicts}
        sorted_spots = sort_spots(verdicts)
        going = {
            uuid: self._deletions.age(usage.provider, uuid, server.updated)
            for uuid, server in servers.items()
            if uuid in usage.consumers and uuid not in verdicts and server and server.is_leaving
        }
        still_going = sorted_spots.leaving | sorted_spots.stuck | {*going, *unknown, *came}
        self._deletions.keep(usage.provider, still_going)
        return HostSnapshot(
            usage=usage,
            host=host,
            spots=sorted_spots,
            pending=self._pending.recent(usage.provider),
            taken_at=taken_at,
            nova_time=self._servers.now(),
            created_at={
                uuid: each.created_at
                for uuid, each in servers.items()
                if each and (uuid in listed or uuid in verdicts)
            },
            # One that does not go will take what it holds for longer, whoever waits for that.
            leaving_vms=frozenset(
                [vm for vm in going if going[vm] <= self._deletions.timeout]
                + [vm for vm in just_gone if vm not in verdicts]
                + [vm for vm in usage.consumers if vm not in verdicts and self._failed(servers, vm)]
            ),
            came=frozenset(came),
            just_gone=frozenset(just_gone),
            servers={uuid: each for uuid, each in servers.items() if each is not None},
        )

    def _read_moves(
        self,
        usage: HostUsage,
        host: ComputeHost,
        servers: dict[str, Server | None],
        verdicts: dict[str, Spot | Refusal],
    ) -> None:
        """Find out what holds the host for a resize that nobody has confirmed.

        Those are the migrations of servers that have left, and servers that have come from VMs'
        flavors: these may become VMs again. `servers` gets what such migrations are of.
        """
        unknown = [each for each, why in verdicts.items() if why is Refusal.NO_SERVER]
        arrived = [each for each in verdicts if (own := servers[each]) and own.awaits_confirmation]
        self._former_vms[usage.provider] = frozenset()
        if not unknown and not arrived:
            return
        moves = self._servers.unconfirmed_moves(host.host)
        for move in moves:
            if move.uuid in unknown:
                servers[move.uuid] = self._servers.server(move.server)
                held = usage.consumers[move.uuid]
                verdicts[move.uuid] = self._of_move(usage.provider, held, move, servers[move.uuid])
        came = [move for move in moves if move.server in arrived]
        held_before = together([partial(self._placement.allocation, move.uuid) for move in came])
        self._former_vms[usage.provider] = frozenset(
            move.server
            for move, before in zip(came, held_before, strict=True)
            if not all(holds_only_spot_classes(each) for each in before.values())
        )

    def _of_move(
        self, provider: str, held: Amounts, move: UnconfirmedMove, server: Server | None
    ) -> Spot | Refusal:
        # Nova confirms a resize before it deletes the server.
        if move.is_confirming or (server is not None and server.is_being_deleted):
            age = self._deletions.age(provider, move.uuid)
            return Refusal.LEAVING if age <= self._deletions.timeout else Refusal.MOVING
        if server is None or not server.awaits_confirmation or not self.confirms:
            return Refusal.MOVING
        return Spot(server, spot_amounts(held), migration=move.uuid)

    def _failed(self, servers: Mapping[str, Server | None], vm: str) -> bool:
        """Tell whether a VM is in ERROR on no host, where what it holds is needed by nobody."""
        server = servers.get(vm)
        return server is not None and server.runs_nowhere(self._servers.now(), float("inf"))

    def was_vm(self, spot: str) -> bool:
        """Tell whether a spot was a VM until a resize that is not confirmed, when last seen."""
        return any(spot in spots for spots in list(self._former_vms.values()))

    def renew(
        self, snapshot: HostSnapshot, oldest: float, spots: Sequence[str] = ()
    ) -> HostSnapshot:
        """Return the snapshot with what placement says now of who holds what.

        All is asked at once, and nothing that was asked a moment ago.

        Args:
            snapshot: the last one.
            oldest: age from which Nova is asked anew about all servers too, seconds.
            spots: UUIDs of those that evidence is needed about.
        """
        provider, known, now = snapshot.usage.provider, snapshot.evidence, time.monotonic()
        stale = [
            spot for spot in spots if spot not in known or now - known[spot].asked_at > _FRESH_S
        ]
        # One list of servers costs Nova less than several servers.
        is_old = now - snapshot.taken_at > oldest or len(stale) > 1
        questions: dict[tuple[str, str], Callable[[], Any]] = {}
        if is_old or now - snapshot.usage_at > _FRESH_S:
            questions["consumers", provider] = partial(self._placement.consumers, provider)
        if is_old:
            questions["servers", provider] = partial(self._servers.on_host, snapshot.host)
        for spot in stale:
            questions["held", spot] = partial(self._placement.allocation, spot)
            if not is_old:
                questions["server", spot] = partial(self._servers.server, spot)
        answers = dict(zip(questions, together([*questions.values()]), strict=True))
        listed = answers.get(("servers", provider), {})
        servers = {spot: answers.get(("server", spot), listed.get(spot)) for spot in stale}
        fresh = {
            spot: SpotEvidence(answers["held", spot], servers[spot], now)
            for spot in stale
            if not is_old or spot in listed  # of those that are not, `check` asks
        }
        known = {spot: known[spot] for spot in known if spot not in stale}
        if ("consumers", provider) in answers:
            usage = replace(snapshot.usage, consumers=answers["consumers", provider])
            snapshot = replace(snapshot, usage=usage, usage_at=now)
        if is_old:
            taken = self._snapshot(
                *(snapshot.usage, snapshot.host, listed, time.monotonic(), snapshot.came),
                {*snapshot.servers, *snapshot.came},  # one that came may have failed since
            )
            snapshot = replace(taken, usage_at=now, capacity_at=snapshot.capacity_at)
        return replace(snapshot, evidence={**known, **fresh})

    def check(self, snapshot: HostSnapshot, uuid: str) -> Spot | Refusal:
        """Tell from what placement and Nova say now whether an instance may be evicted.

        Args:
            snapshot: of the host on which it should be, just renewed; what it has no evidence of
                is asked for now.
            uuid: any instance; nothing about it is taken for granted.
        """
        here = snapshot.usage.consumers.get(uuid, {})
        if not here:
            return Refusal.GONE
        if not holds_only_spot_classes(here):
            return Refusal.NOT_A_SPOT_ALLOCATION
        evidence = snapshot.evidence.get(uuid)
        everywhere = self._placement.allocation(uuid) if evidence is None else evidence.everywhere
        if not everywhere:
            return Refusal.GONE
        if not all(holds_only_spot_classes(each) for each in everywhere.values()):
            return Refusal.NOT_A_SPOT_ALLOCATION
        server = self._servers.server(uuid) if evidence is None else evidence.server
        elsewhere = set(everywhere) - {snapshot.usage.provider}
        if elsewhere and not self._was_evacuated_from(uuid, elsewhere):
            return Refusal.SEVERAL_PROVIDERS
        verdict = self._read_spot(snapshot.usage.provider, here, server, snapshot.host)
        if verdict is Refusal.NO_SERVER and uuid in snapshot.servers:
            for move in self._servers.unconfirmed_moves(snapshot.host.host):
                if move.uuid == uuid:
                    server = self._servers.server(move.server)
                    return self._of_move(snapshot.usage.provider, here, move, server)
        return verdict

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
        elif server is not None and self._deletions.is_behind(server.uuid, server.updated):
            return Refusal.LEAVING
        now = self._servers.now()
        return read_spot(allocation, server, host, deleting_for, self._deletions, now)


def _or_none(ask: Callable[[], Any]) -> Any:
    """Return an answer; None where there is none, and the question can be asked again later."""
    try:
        return ask()
    except CloudError as error:
        LOG.debug("no answer yet: %s", error)
        return None
