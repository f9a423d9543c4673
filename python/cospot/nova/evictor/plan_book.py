"""Remembers the plans that were received: preferences among spots, nothing more."""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import dataclass, field
from enum import Enum

from cospot.nova.plan_message import Plan

#: How far ahead of this machine's clock a scheduler's may be, seconds.
CLOCK_SKEW_S = 60.0


class PlanOutcome(str, Enum):
    """What became of a plan; the values are the labels of the metric."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    EXPIRED = "expired"
    FROM_THE_FUTURE = "from-the-future"
    FULL = "full"
    MALFORMED = "malformed"


@dataclass
class KnownPlan:
    """A plan and what is known of its instance.

    Attributes:
        claimed_at: when placement was first seen to show the instance's claim, monotonic time,
            seconds; None until then.
        refused: victims that were refused and need no second look.
    """

    plan: Plan
    claimed_at: float | None = None
    refused: set[str] = field(default_factory=set)


class PlanBook:
    """Plans by instance. Thread-safe.

    Args:
        ttl: age at which a plan is forgotten, seconds.
        first_window: of plans for one instance made within so many seconds the first counts.
        most: plans remembered at once.
    """

    def __init__(self, ttl: float, first_window: float, most: int) -> None:
        self._ttl = ttl
        self._first_window = first_window
        self._most = most
        self._lock = threading.Lock()
        self._by_instance: dict[str, KnownPlan] = {}
        self._by_provider: dict[str, set[str]] = defaultdict(set)

    def add(self, plan: Plan, now: float) -> tuple[PlanOutcome, KnownPlan | None]:
        """Take note of a plan, if it is new and young.

        Args:
            plan: as received.
            now: seconds since the epoch.

        Returns:
            what became of it; what is remembered, if accepted.
        """
        if now - plan.made_at > self._ttl:
            return PlanOutcome.EXPIRED, None
        if plan.made_at - now > CLOCK_SKEW_S:
            return PlanOutcome.FROM_THE_FUTURE, None
        with self._lock:
            self._forget_expired(now)
            old = self._by_instance.get(plan.instance)
            if old is not None and plan.made_at - old.plan.made_at < self._first_window:
                return PlanOutcome.DUPLICATE, None
            if old is None and len(self._by_instance) >= self._most:
                return PlanOutcome.FULL, None
            self._forget(plan.instance)
            known = KnownPlan(plan)
            self._by_instance[plan.instance] = known
            for host in plan.hosts:
                self._by_provider[host.provider].add(plan.instance)
            return PlanOutcome.ACCEPTED, known

    def naming(self, provider: str, now: float) -> list[KnownPlan]:
        """Return the plans that name a provider (its UUID), the one made first first."""
        with self._lock:
            self._forget_expired(now)
            found = [self._by_instance[each] for each in self._by_provider.get(provider, ())]
        return sorted(found, key=lambda known: (known.plan.made_at, known.plan.plan_id))

    def _forget_expired(self, now: float) -> None:
        # Received in about the order in which they were made, so the oldest are in front.
        while self._by_instance:
            instance, known = next(iter(self._by_instance.items()))
            if now - known.plan.made_at <= self._ttl:
                return
            self._forget(instance)

    def _forget(self, instance: str) -> None:
        known = self._by_instance.pop(instance, None)
        if known is None:
            return
        for host in known.plan.hosts:
            instances = self._by_provider[host.provider]
            instances.discard(instance)
            if not instances:
                del self._by_provider[host.provider]
