"""Decisions that hosts have not reported yet.

Requests come faster than compute nodes report. Until a host shows the instance that was sent to it,
the decision counts as use of that host, and its victims count as gone: both or neither, because
evictions make the room that the instance takes. A decision that came to nothing (its claim failed,
its build was tried elsewhere) is forgotten after a while.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from cospot.nova.scheduler.instance_facts import NOTHING, InstanceFacts, Size


@dataclass(frozen=True)
class Claim:
    """An instance that was sent to a host."""

    facts: InstanceFacts
    victims: frozenset[str]
    provider: str
    cell: str | None
    made_at: float


@dataclass(frozen=True)
class HostClaims:
    """The claims on one host of which it shows nothing yet."""

    vms: Size
    spots: tuple[InstanceFacts, ...]
    victims: frozenset[str]


_NO_CLAIMS = HostClaims(NOTHING, (), frozenset())


class ClaimBook:
    """The claims of this process. Not for threads: its owner has a lock."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._by_instance: dict[str, Claim] = {}
        self._by_provider: dict[str, dict[str, Claim]] = {}
        self._changed: set[str] = set()
        self._shown: set[str] = set()
        self.seconds = 60.0

    def add(
        self,
        provider: str,
        facts: InstanceFacts,
        victims: Collection[str],
        cell: str | None = None,
    ) -> None:
        """Note a decision for a host, of that cell; the instance's last one is replaced."""
        self.drop(facts.uuid)
        claim = Claim(facts, frozenset(victims), provider, cell, self._clock())
        self._by_instance[facts.uuid] = claim
        self._by_provider.setdefault(provider, {})[facts.uuid] = claim
        self._changed.add(provider)

    def drop(self, instance: str) -> None:
        """Forget an instance's decision, if there is one."""
        claim = self._by_instance.pop(instance, None)
        self._shown.discard(instance)
        if claim is None:
            return
        self._changed.add(claim.provider)
        on_host = self._by_provider[claim.provider]
        del on_host[instance]
        if not on_host:
            del self._by_provider[claim.provider]

    def expire(self) -> None:
        """Forget decisions that are too old."""
        oldest = self._clock() - self.seconds
        # In the order of their age: an instance that is decided again moves to the end.
        for instance, claim in list(self._by_instance.items()):
            if claim.made_at > oldest:
                return
            self.drop(instance)

    def unshown(self) -> Iterable[Claim]:
        """Return the claims that no host has shown yet, the oldest first."""
        return (
            claim for claim in self._by_instance.values() if claim.facts.uuid not in self._shown
        )

    def take_changed(self) -> set[str]:
        """Return the hosts whose claims have changed since the last call."""
        changed, self._changed = self._changed, set()
        return changed

    def provider_of(self, instance: str) -> str | None:
        """Return the host that an instance was sent to, while that counts."""
        claim = self._by_instance.get(instance)
        return None if claim is None else claim.provider

    def on_host(self, provider: str) -> list[Claim]:
        """Return the claims on a host, whether it shows them or not."""
        return list(self._by_provider.get(provider, {}).values())

    def of_host(self, provider: str, shown: Collection[str], asking: str | None) -> HostClaims:
        """Return what a host does not show yet.

        Args:
            provider: UUID of the host.
            shown: UUIDs of the instances that it shows.
            asking: The instance that is being decided on: its last decision does not count.
        """
        for instance in list(self._by_provider.get(provider, ())):
            if instance in shown:
                self._shown.add(instance)
            elif instance in self._shown:
                self.drop(instance)  # it was there and is gone again
        on_host = self._by_provider.get(provider)
        if on_host is None:
            return _NO_CLAIMS
        claims = [claim for instance, claim in on_host.items() if instance != asking]
        open_claims = [claim for claim in claims if claim.facts.uuid not in shown]
        vms = NOTHING
        for claim in open_claims:
            if not claim.facts.is_spot:
                vms = vms + claim.facts.size
        return HostClaims(
            vms=vms,
            spots=tuple(claim.facts for claim in open_claims if claim.facts.is_spot),
            # A VM that is up may wait for its victims to go.
            victims=frozenset().union(*(claim.victims for claim in claims)),
        )
