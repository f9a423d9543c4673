"""Claims of VMs that have just come: those that plans tell of, and those that come to nothing."""

from __future__ import annotations

import time
from collections.abc import Collection
from functools import partial
from typing import Final

from cospot.nova.evictor.at_once import together
from cospot.nova.evictor.causes import Need
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.hosts import Reference
from cospot.nova.evictor.observer import HostLook
from cospot.nova.evictor.snapshot import HostSnapshot
from cospot.nova.spot_flavors import holds_only_spot_classes
from cospot.nova.state.stores import KnownPlan

#: A claim was seen so lately: what its plan names is asked about at once with its host, seconds.
_JUST_CLAIMED_S: Final = 10.0
#: The wait for a claim, and the pause between two looks, seconds. Earlier answers are fresh then.
_PATIENCE_S: Final = 0.4
_PAUSE_S: Final = 0.02
#: Spots wait so long for Nova to show that a compute has taken a new VM on, or that it failed.
_UNDOING_S: Final = 0.4
_MOST_KNOWN: Final = 10_000


class NewClaims:
    """Thread-safe: whoever asks about a host holds its lock."""

    def __init__(self, context: EvictorContext) -> None:
        self._context = context
        self._waited_for: set[str] = set()

    def named_spots(self, provider: str) -> list[str]:
        """Return the spots that plans name on a host for VMs that came a moment ago, or will."""
        named = [
            spot
            for known in self._just_claimed(provider)
            for planned in [known.plan.for_provider(provider)]
            if planned is not None
            for spot in planned.victims
            if spot not in known.done
        ]
        return list(dict.fromkeys(named))

    def _just_claimed(self, provider: str) -> list[KnownPlan]:
        now = time.monotonic()
        return [
            known
            for known in self._context.plans.naming(provider, time.time())
            if (
                known.expected_on == provider
                if known.claimed_at is None
                else now - known.claimed_at < _JUST_CLAIMED_S
            )
        ]

    def awaited(self, look: HostLook, reference: Reference | None) -> tuple[HostLook, str]:
        """Wait for what is expected on a host, until that is overcommitted.

        Args:
            look: at the host.
            reference: the host when it was last within its capacity, if known.

        Returns:
            how it is then, and the cause of the iteration.
        """
        provider = look.usage.provider
        expected = [each for each in self._just_claimed(provider) if each.claimed_at is None]
        while not look.usage.shortfall(self._context.settings.resources):
            is_elsewhere = all(each.claimed_at is not None for each in expected)
            if is_elsewhere or time.monotonic() - look.answered_at > _PATIENCE_S:
                break
            time.sleep(_PAUSE_S)
            look = self._context.observer.look_again(look)
        consumers = look.usage.consumers
        came = [each for each in self._just_claimed(provider) if each.plan.instance in consumers]
        for known in came:
            held = consumers[known.plan.instance]
            # Without a reference it may have come long ago.
            if reference and held != reference.consumers.get(known.plan.instance):
                known.claimed_at = known.claimed_at or time.monotonic()
                known.seen_on.add(provider)
        return look, "plan" if came else "reconcile"

    def undone(
        self, snapshot: HostSnapshot, need: Need, known: Collection[str]
    ) -> tuple[set[str], set[str]]:
        """Return the VMs, but those known, that have come, hold their claim, and will not run.

        Nova checks quotas again after the claims, and what fails there, or finds no host, is in
        ERROR on no host until its owner deletes it. A server that a compute has taken on may still
        fail, and no longer shows it beforehand. A claim without a server is a VM's that was deleted
        a moment ago, or an orphan, which counts once it has been there for longer. Also what is
        needed for another reason than a VM's claim may be more by what they hold.

        Returns:
            those that have failed; those that Nova has just ceased to know.
        """
        came = {*need.claims, *snapshot.came} & snapshot.usage.consumers.keys()
        came -= {*known, *snapshot.leaving}
        left = [vm for vm in sorted(came) if not self._is_known(snapshot, vm)]
        deadline = time.monotonic() + _UNDOING_S
        found: set[str] = set()
        just_gone: set[str] = set()
        while left:
            servers = together([partial(self._context.servers.server, vm) for vm in left])
            now = self._context.servers.now()
            found = {
                vm
                for vm, server in zip(left, servers, strict=True)
                if server is not None and server.runs_nowhere(now, float("inf"))
            }
            is_settled = all(
                (server is not None and server.host is not None) or vm in found | self._waited_for
                for vm, server in zip(left, servers, strict=True)
            )
            if is_settled or time.monotonic() > deadline:
                break
            time.sleep(_PAUSE_S)
        if left:
            has_just_gone = partial(self._context.deletions.has_just_gone, snapshot.usage.provider)
            unknown = [vm for vm, each in zip(left, servers, strict=True) if each is None]
            just_gone.update(filter(has_just_gone, unknown))
        if len(self._waited_for) > _MOST_KNOWN:
            self._waited_for.clear()
        self._waited_for.update(left)
        return found, just_gone

    @staticmethod
    def _is_known(snapshot: HostSnapshot, vm: str) -> bool:
        """Tell whether it is a spot, or a VM that a compute has taken on."""
        server = snapshot.servers.get(vm)
        is_taken_on = server is not None and server.host is not None
        return is_taken_on or holds_only_spot_classes(snapshot.usage.consumers[vm])
