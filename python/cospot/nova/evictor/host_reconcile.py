"""One reconcile iteration on one host: frees what its VMs need, spot by spot.

Each spot is checked again right before its eviction. Whatever is not finished is found again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Final

from oslo_log import log as logging

from cospot.nova.evictor.causes import CauseFinder, Need
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.errors import CloudError
from cospot.nova.evictor.executor import UNKNOWN_OUTCOMES, EvictionExecutor, HeldBack, Reason
from cospot.nova.evictor.hosts import HostHistory
from cospot.nova.evictor.snapshot import HostSnapshot, Refusal, Spot
from cospot.nova.evictor.stalled_hosts import StalledHosts
from cospot.nova.evictor.stores import KnownPlan
from cospot.nova.evictor.victims import Stage, frees_some, missing

LOG = logging.getLogger(__name__)
#: A snapshot of Nova's servers is taken anew when it is older, seconds: an owner may have deleted
#: a spot meanwhile, and then another need not be evicted.
_OLDEST_SNAPSHOT_S: Final = 1.0
#: After so many failures other spots are tried first.
_MOST_FAILURES: Final = 3.0
#: No answer says little about the spot: Nova itself may be away.
_NO_ANSWER: Final = 0.5
#: So many refusals of a plan are looked into; of the rest, what is not on the host is skipped.
_MOST_REFUSALS: Final = 20
#: `chosen_by` of a spot that goes, or was to go, whoever else is there.
_GOES_ANYWAY: Final = frozenset({"note", "deletion-stuck", "again", "soft-deleted"})
#: `chosen_by` of a spot that is evicted because it came last.
_NEWEST: Final = "newest"


@dataclass
class IterationResult:
    """What a reconcile iteration did on one host.

    Attributes:
        evicted: spots, in the order in which they were evicted.
        is_over: whether the host is still overcommitted, what is leaving counted as gone.
        wait: seconds after which it should be reconciled again; None when nothing is pending.
    """

    evicted: list[str] = field(default_factory=list)
    is_over: bool = False
    wait: float | None = None


class HostReconciler:
    """Runs reconcile iterations. Thread-safe: an iteration holds its host's lock.

    Attributes:
        failures: how often evictions of spots failed, without those that never did.
    """

    def __init__(
        self,
        context: EvictorContext,
        history: HostHistory,
        executor: EvictionExecutor,
        stalled: StalledHosts,
    ) -> None:
        self.context = context
        self.history = history
        self.causes = CauseFinder(context, history)
        self.executor = executor
        self.stalled = stalled
        self.failures: dict[str, float] = {}

    def free_host(self, provider: str, cause: str) -> IterationResult:
        """Evict as many spots of a host as its VMs need, and none if they need none.

        Args:
            provider: UUID of the host's root resource provider.
            cause: "plan" or "reconcile", for the audit log.

        Raises:
            EvictorError: it could not be finished; what was not done is found again later.
        """
        with self.context.locks.hold(provider):
            return _Iteration(self, cause).run(provider)

    def may_try(self, spot: str) -> bool:
        """Tell whether a spot has not failed to go so often that others are tried first."""
        return self.failures.get(spot, 0.0) < _MOST_FAILURES

    def did_not_go(self, spot: str) -> None:
        """Prefer other spots to one that Nova took the order for and did not delete."""
        self.failures[spot] = _MOST_FAILURES


@dataclass(frozen=True)
class _Pick:
    uuid: str
    chosen_by: str
    need: Need
    known: KnownPlan | None = None


class _Iteration:
    """One reconcile iteration on one host, under its lock."""

    def __init__(self, reconciler: HostReconciler, cause: str) -> None:
        self._reconciler = reconciler
        self._context = reconciler.context
        self._stalled = reconciler.stalled
        self._cause = cause
        self._tried: set[str] = set()
        self._gone: set[str] = set()
        self._result = IterationResult()

    def run(self, provider: str) -> IterationResult:
        reconciler = self._reconciler
        usage = self._context.observer.usage(provider)
        resources = self._context.settings.resources
        is_stalled = self._stalled.is_stalled(provider)
        if reconciler.history.observe(usage, resources, time.monotonic()):
            if reconciler.causes.must_wait(usage) and not is_stalled:
                self._result.is_over = True
                return self._result
        elif not is_stalled:
            return self._result
        snapshot = self._observed(self._context.observer.snapshot(usage))
        while snapshot is not None:
            short = snapshot.usage.shortfall(resources, snapshot.leaving | self._gone)
            self._result.is_over = bool(short)
            need = reconciler.causes.need(snapshot, snapshot.leaving | self._gone)
            if need is None:
                break
            pick = self._next(snapshot, need)
            if pick is None:
                if not self._stalled.is_stalled(provider):  # which has been said
                    self._insufficient(snapshot, need)
                break
            self._tried.add(pick.uuid)
            snapshot = self._renew(snapshot)
            if snapshot is None or not self._evict(snapshot, pick):
                break
        return self._result

    def _renew(self, snapshot: HostSnapshot) -> HostSnapshot | None:
        renewed = self._context.observer.renew(snapshot, _OLDEST_SNAPSHOT_S)
        is_another = renewed is not None and renewed.taken_at != snapshot.taken_at
        return self._observed(renewed) if is_another else renewed

    def _observed(self, snapshot: HostSnapshot | None) -> HostSnapshot | None:
        """Take note of what became of the orders on the host; return the snapshot to go by."""
        if snapshot is None:
            return None
        reconciler = self._reconciler
        observed = self._stalled.observe(snapshot)
        for spot in observed.failed:
            reconciler.did_not_go(spot)
            reconciler.executor.give_up(spot)
        if observed.pardoned:  # they are under way again
            return self._context.observer.snapshot(snapshot.usage)
        return snapshot

    def _next(self, snapshot: HostSnapshot, need: Need) -> _Pick | None:
        """Return the next spot to evict.

        First those that Nova was asked to delete and that their owners have deleted. Then, for a
        VM, the planned ones and those that the policy names; for no VM the newest; of either those
        that are promised to live on last. On a stalled host none but those ordered before.
        """
        reconciler = self._reconciler
        provider = snapshot.usage.provider
        left = [
            spot
            for uuid, spot in snapshot.spots.evictable.items()
            if uuid not in self._tried and frees_some(spot, need.short)
        ]
        left = [spot for spot in left if self._stalled.may_order(provider, spot.uuid)]
        for spot in left:
            if spot.uuid in snapshot.pending and reconciler.may_try(spot.uuid):
                return _Pick(spot.uuid, "note", need)
        for spot in left:
            if spot.is_stuck:
                return _Pick(spot.uuid, "deletion-stuck", need)
        if self._stalled.is_stalled(provider):
            return _Pick(left[0].uuid, "again", need) if left else None
        for spot in left:
            if spot.uuid not in reconciler.failures and spot.server.status == "SOFT_DELETED":
                return _Pick(spot.uuid, "soft-deleted", need)
        if need.newest is not None:
            return self._newest(left, need)
        now = time.time()
        planned = self._planned(snapshot, now)
        steady = [spot for spot in left if reconciler.may_try(spot.uuid)]
        named = {uuid for uuid, _ in planned}
        stage = self._context.chooser.stage(steady, need.short, now, named)
        return self._by_plan(planned, steady, stage, need) or self._by_policy(left, stage, need)

    def _newest(self, left: list[Spot], need: Need) -> _Pick | None:
        there = {spot.uuid for spot in left}
        found = [uuid for uuid in need.newest or () if uuid in there]
        # Those that failed to go come last, but they come: nothing else may go in their place.
        found.sort(key=lambda uuid: not self._reconciler.may_try(uuid))
        return _Pick(found[0], _NEWEST, need) if found else None

    def _planned(self, snapshot: HostSnapshot, now: float) -> list[tuple[str, KnownPlan]]:
        """Return what plans name for the host, in their order."""
        provider = snapshot.usage.provider
        found = []
        for known in self._context.plans.naming(provider, now):
            # A plan counts on the host that its instance holds, and nowhere else.
            planned = known.plan.for_provider(provider)
            if planned is None or known.plan.instance not in snapshot.usage.consumers:
                continue
            known.claimed_at = known.claimed_at or time.monotonic()
            for uuid in planned.victims:
                is_here = uuid in snapshot.usage.consumers
                if not is_here and len(known.refused) >= _MOST_REFUSALS:
                    continue
                is_done = uuid in self._tried or uuid in known.refused
                may_order = self._stalled.may_order(provider, uuid)
                if not is_done and may_order and self._reconciler.may_try(uuid):
                    found.append((uuid, known))
        return found

    def _by_plan(
        self,
        planned: list[tuple[str, KnownPlan]],
        steady: list[Spot],
        stage: Stage | None,
        need: Need,
    ) -> _Pick | None:
        """Return the first that is planned, those left out that stay for now."""
        there = {spot.uuid for spot in steady}
        next_ones = there
        if stage is not None:
            next_ones = {spot.uuid for spot in stage.spots if frees_some(spot, stage.short)}
        for uuid, known in planned:
            if uuid in next_ones or uuid not in there:  # what is not there is refused, and said so
                return _Pick(uuid, "plan", need, known)
        return None

    def _by_policy(self, left: list[Spot], stage: Stage | None, need: Need) -> _Pick | None:
        chooser, now = self._context.chooser, time.time()
        stage = stage or chooser.stage(left, need.short, now)
        if stage is not None:
            spots = list(stage.spots)
            if not stage.are_promised:
                chosen = chooser.choose(spots, stage.short, now)
                spots = spots if chosen is None else chosen[0]
            return _Pick(spots[0].uuid, chooser.name, need)
        # Others are in the way that cannot be evicted now: a VM gets what can be had.
        left = sorted(left, key=lambda spot: chooser.is_promised(spot.uuid))
        return _Pick(left[0].uuid, "insufficient", need) if left else None

    def _evict(self, snapshot: HostSnapshot, pick: _Pick) -> bool:
        """Check a spot again and evict it.

        Returns:
            False when the iteration must end.
        """
        verdict = self._check(snapshot, pick)
        if isinstance(verdict, Refusal):
            self._refuse(snapshot, pick, verdict)
            return True
        short = snapshot.usage.shortfall(
            self._context.settings.resources, snapshot.leaving | self._gone
        )
        reason = _reason(self._cause, pick, short)
        try:
            held_back = self._reconciler.executor.evict(snapshot, verdict, reason)
        except CloudError as error:
            if verdict.is_stuck:
                self._stalled.refused(pick.uuid)
            else:  # others may go in its place only after a few tries
                weight = _NO_ANSWER if error.status in UNKNOWN_OUTCOMES else 1.0
                failures = self._reconciler.failures
                failures[pick.uuid] = failures.get(pick.uuid, 0.0) + weight
            raise
        if isinstance(held_back, HeldBack):
            self._result.wait = held_back.wait
            return held_back.why is Refusal.PROJECT_LIMIT
        self._reconciler.failures.pop(pick.uuid, None)
        self._gone.add(pick.uuid)
        self._result.evicted.append(pick.uuid)
        return True

    def _check(self, snapshot: HostSnapshot, pick: _Pick) -> Spot | Refusal:
        verdict = self._context.observer.check(snapshot, pick.uuid)
        if isinstance(verdict, Refusal):
            return verdict
        gone = snapshot.leaving | self._gone
        need = self._reconciler.causes.need(snapshot, gone)
        if need is None or need.why != pick.need.why or pick.uuid in gone:
            return Refusal.NOT_NEEDED
        if pick.chosen_by == _NEWEST and pick.uuid not in (need.newest or ()):
            return Refusal.NOT_NEEDED
        if not frees_some(verdict, need.short):
            return Refusal.FREES_NOTHING_NEEDED
        return Refusal.PROMISED if self._is_spared(snapshot, pick, need) else verdict

    def _is_spared(self, snapshot: HostSnapshot, pick: _Pick, need: Need) -> bool:
        """Tell whether a spot is promised to live on and the others do without it by now."""
        chooser = self._context.chooser
        is_asked_for = pick.chosen_by in _GOES_ANYWAY
        if is_asked_for or need.newest is not None or not chooser.is_promised(pick.uuid):
            return False
        others = [
            spot
            for uuid, spot in snapshot.spots.evictable.items()
            if uuid not in self._tried
            and self._reconciler.may_try(uuid)
            and self._stalled.may_order(snapshot.usage.provider, uuid)
            and not chooser.is_promised(uuid)
        ]
        return not missing(need.short, others)

    def _refuse(self, snapshot: HostSnapshot, pick: _Pick, why: Refusal) -> None:
        if why is Refusal.LEAVING:
            self._gone.add(pick.uuid)
        if pick.known is not None:
            pick.known.refused.add(pick.uuid)
        self._context.metrics.refusals.labels(reason=why.value).inc()
        reason = _reason(self._cause, pick, {})
        LOG.warning(
            "refusing to evict %s from %s: %s (chosen by %s, plan %s)",
            pick.uuid,
            snapshot.host.host,
            why.value,
            pick.chosen_by,
            reason.plan_id or "none",
        )
        self._context.audit.write(
            "refused",
            instance=pick.uuid,
            host=snapshot.host.host,
            node=snapshot.host.node,
            provider=snapshot.usage.provider,
            cause=self._cause,
            chosen_by=pick.chosen_by,
            plan_id=reason.plan_id,
            for_instance=reason.for_instance,
            request_id=reason.request_id,
            reason=why.value,
        )

    def _insufficient(self, snapshot: HostSnapshot, need: Need) -> None:
        if need.newest is not None:
            # One that has just come can be evicted once Nova says that it is there.
            LOG.warning(
                "host %s is overcommitted by %s (%s), and its newest spot cannot be evicted now",
                snapshot.host.host,
                dict(need.short),
                need.why,
            )
            return
        self._context.metrics.errors.labels(where="insufficient").inc()
        LOG.error(
            "host %s is overcommitted by %s, and none of its %d spots can be evicted for it now",
            snapshot.host.host,
            dict(need.short),
            len(snapshot.spots.evictable) + len(snapshot.spots.refused),
        )


def _reason(cause: str, pick: _Pick, short: dict[str, int]) -> Reason:
    known, need = pick.known, pick.need
    reason = Reason(
        cause,
        pick.chosen_by,
        short,
        why=need.why,
        claims=need.claims,
        for_vm=need.newest is None,
    )
    if known is None:
        return reason
    plan = known.plan
    return replace(
        reason,
        plan_id=plan.plan_id,
        for_instance=plan.instance,
        request_id=plan.request_id,
        claimed_at=known.claimed_at,
    )
