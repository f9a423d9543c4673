"""One reconcile iteration on one host: frees what its VMs need, spot by spot.

Each spot is checked again right before its eviction. Whatever is not finished is found again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final

from cospot.nova import log as logging
from cospot.nova.evictor.causes import CauseFinder, Need
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.deletions import JUST_GONE_S
from cospot.nova.evictor.executor import EvictionExecutor, HeldBack, Prepared, Reason
from cospot.nova.evictor.hosts import HostHistory
from cospot.nova.evictor.new_claims import NewClaims
from cospot.nova.evictor.picks import MOST_AT_ONCE, NEWEST, Failures, Pick, SpotPicker
from cospot.nova.evictor.snapshot import HostSnapshot, Spot
from cospot.nova.evictor.stalled_hosts import StalledHosts
from cospot.nova.evictor.victims import frees_some
from cospot.nova.state.errors import PASSING, NotSentError, RepeatedNews
from cospot.nova.state.safeguards import Refusal

LOG = logging.getLogger(__name__)
#: A snapshot of Nova's servers is taken anew when it is older, seconds: an owner may have deleted
#: a spot meanwhile, and then another need not be evicted.
_OLDEST_SNAPSHOT_S: Final = 1.0
#: No answer says little about the spot: Nova itself may be away, or busy.
_NO_ANSWER: Final = 0.5
#: Cause of an iteration that begins before the claim that it is for.
EXPECTED: Final = "expected"


@dataclass
class IterationResult:
    """The result of a reconcile iteration on one host.

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
        self.claims = NewClaims(context)
        self.failures = Failures()
        self.news = RepeatedNews()

    def free_host(self, provider: str, cause: str) -> IterationResult:
        """Evict as many spots of a host as its VMs need, and none if they need none.

        Args:
            provider: UUID of the host's root resource provider.
            cause: "plan" or "reconcile", for the audit log; EXPECTED: a claim is likely to come.

        Raises:
            EvictorError: it could not be finished; what was not done is found again later.
        """
        with self.context.locks.hold(provider):
            return _Iteration(self, cause).run(provider)

    def observed(self, snapshot: HostSnapshot | None) -> HostSnapshot | None:
        """Take note of what became of the orders on a host, under its lock.

        Returns:
            the snapshot to go by from now on; None if the host is none any more.

        Raises:
            EvictorError: it could not be written down, or the host not be looked at again.
        """
        if snapshot is None:
            return None
        observed = self.stalled.observe(snapshot)
        for spot in observed.failed:
            self.failures.did_not_go(spot)
            self.executor.freed.give_up(spot)
        if observed.pardoned:  # they are under way again
            again = self.context.observer.snapshot(snapshot.usage, came=snapshot.came)
            return again and replace(again, capacity_at=snapshot.capacity_at)
        return snapshot


class _Iteration:
    """One reconcile iteration on one host, under its lock."""

    def __init__(self, reconciler: HostReconciler, cause: str) -> None:
        self._reconciler = reconciler
        self._context = reconciler.context
        self._stalled = reconciler.stalled
        self._cause = cause
        self._picker = SpotPicker(
            reconciler.context, reconciler.causes, reconciler.stalled, reconciler.failures
        )
        self._gone: set[str] = set()
        self._result = IterationResult()

    def run(self, provider: str) -> IterationResult:
        reconciler = self._reconciler
        claims = reconciler.claims
        named = [] if self._cause == "reconcile" else claims.named_spots(provider)[:MOST_AT_ONCE]
        asks_more = self._cause != "reconcile"
        look = self._context.observer.look(provider, named if asks_more else None)
        resources = self._context.settings.resources
        # Before anything is asked of the state, which may be away: what was seen has been seen.
        is_over = reconciler.history.observe(look.usage, resources, look.asked_at)
        is_stalled = self._stalled.is_stalled(provider)
        if self._cause == EXPECTED:
            look, self._cause = claims.awaited(look, reconciler.history.reference(provider))
            is_over = reconciler.history.observe(look.usage, resources, look.usage_at)
        usage = look.usage
        if is_over:
            if reconciler.causes.must_wait(usage, look.asked_at) and not is_stalled:
                self._result.is_over = True
                return self._result
        elif not is_stalled:
            return self._result
        reference = reconciler.history.reference(provider)
        before = () if reference is None else reference.consumers
        came = [each for each in usage.consumers if each not in before]
        snapshot = reconciler.observed(self._context.observer.snapshot(usage, look, came))
        has_just_gone = False
        while snapshot is not None:
            short = snapshot.usage.shortfall(resources, snapshot.leaving | self._gone)
            self._result.is_over = bool(short)
            need = reconciler.causes.need(snapshot, snapshot.leaving | self._gone)
            if need is None:
                break
            picks = self._picker.next_ones(snapshot, need, snapshot.leaving | self._gone)
            failed, just_gone = claims.undone(snapshot, need, self._gone) if picks else ((), ())
            if failed or just_gone:
                self._picker.tried.difference_update(pick.uuid for pick in picks)
                self._gone.update(failed, just_gone)
                has_just_gone = has_just_gone or bool(just_gone)
                continue
            if not picks:
                if not self._stalled.is_stalled(provider):  # which has been said
                    self._insufficient(snapshot, need)
                break
            snapshot = self._renew(snapshot, [pick.uuid for pick in picks])
            if snapshot is None:
                break
            need = reconciler.causes.need(snapshot, snapshot.leaving | self._gone)
            if not self._evict(snapshot, self._picker.still_together(snapshot, picks, need)):
                break
            # What was ordered is known; for the next one the host is looked at again.
            snapshot = replace(snapshot, usage_at=float("-inf"))
        has_just_gone = has_just_gone or (snapshot is not None and bool(snapshot.just_gone))
        if has_just_gone and self._result.wait is None:
            self._result.wait = JUST_GONE_S
        return self._result

    def _renew(self, snapshot: HostSnapshot, spots: list[str]) -> HostSnapshot | None:
        renewed = self._context.observer.renew(snapshot, _OLDEST_SNAPSHOT_S, spots)
        if renewed.taken_at == snapshot.taken_at:
            return renewed
        observed = self._reconciler.observed(renewed)
        if observed is None or observed is renewed:
            return observed
        return self._context.observer.renew(observed, _OLDEST_SNAPSHOT_S, spots)

    def _evict(self, snapshot: HostSnapshot, picks: list[Pick]) -> bool:
        """Check spots again and evict them.

        Returns:
            False when the iteration must end.
        """
        prepared: list[tuple[Pick, Prepared | None]] = []
        goes_on = True
        try:
            for number, pick in enumerate(picks):
                spot = self._context.observer.check(snapshot, pick.uuid)
                # Nova may have taken its time to answer, and room have come about meanwhile.
                snapshot = self._context.observer.renew(snapshot, float("inf"))
                verdict = spot if isinstance(spot, Refusal) else self._judge(snapshot, pick, spot)
                held_back = None
                if isinstance(verdict, Spot):
                    held_back = self._prepare(snapshot, pick, verdict, prepared)
                else:
                    self._refuse(snapshot, pick, verdict)
                if held_back is not None:
                    self._result.wait = held_back.wait
                    goes_on = held_back.why is Refusal.PROJECT_LIMIT
                if held_back is not None or not isinstance(verdict, Spot):
                    # The others were chosen as if this one went.
                    self._picker.tried.difference_update(each.uuid for each in picks[number + 1 :])
                    break
        finally:
            goes_on = self._order(prepared) and goes_on
        return goes_on

    def _prepare(
        self,
        snapshot: HostSnapshot,
        pick: Pick,
        spot: Spot,
        prepared: list[tuple[Pick, Prepared | None]],
    ) -> HeldBack | None:
        """Have everything done for an eviction but the order, which comes after all of them."""
        short = snapshot.usage.shortfall(
            self._context.settings.resources, snapshot.leaving | self._gone
        )
        reason = _reason(self._cause, pick, short)
        found = self._reconciler.executor.prepare(snapshot, spot, reason)
        if isinstance(found, HeldBack):
            return found
        self._gone.add(pick.uuid)
        prepared.append((pick, found))
        return None

    def _order(self, prepared: list[tuple[Pick, Prepared | None]]) -> bool:
        """Give the orders that were prepared, at once; in a dry run there are none.

        Returns:
            False when one was kept back: the host is to be looked at again.

        Raises:
            CloudError: Nova refused one of them, or did not answer.
        """
        orders = [each for _, each in prepared if each is not None]
        errors = dict(zip(map(id, orders), self._reconciler.executor.order(orders), strict=True))
        failures, first, all_sent = self._reconciler.failures, None, True
        for pick, each in prepared:
            error = errors.get(id(each))
            if error is None:
                failures.pop(pick.uuid, None)
                self._result.evicted.append(pick.uuid)
                if pick.known is not None:
                    pick.known.done.add(pick.uuid)
                continue
            self._gone.discard(pick.uuid)
            if isinstance(error, NotSentError):  # no fault of its host, whose pause must not grow
                LOG.warning("spot %s: %s", pick.uuid, error)
                all_sent = False
                self._result.wait = self._context.settings.retry_delay
                continue
            first = first or error
            if each is not None and each.spot.is_stuck:
                self._stalled.refused(pick.uuid)
            else:  # others may go in its place only after a few tries
                weight = _NO_ANSWER if error.status in PASSING else 1.0
                failures[pick.uuid] = failures.get(pick.uuid, 0.0) + weight
        if first is not None:
            raise first
        return all_sent

    def _judge(self, snapshot: HostSnapshot, pick: Pick, spot: Spot) -> Spot | Refusal:
        """Tell whether a spot that may be evicted must still be."""
        gone = snapshot.leaving | self._gone
        need = self._reconciler.causes.need(snapshot, gone)
        if need is None or need.why != pick.need.why or pick.uuid in gone:
            return Refusal.NOT_NEEDED
        if pick.chosen_by == NEWEST and pick.uuid not in (need.newest or ()):
            return Refusal.NOT_NEEDED
        if not frees_some(spot, need.short):
            return Refusal.FREES_NOTHING_NEEDED
        return Refusal.PROMISED if self._picker.is_spared(snapshot, pick, need) else spot

    def _refuse(self, snapshot: HostSnapshot, pick: Pick, why: Refusal) -> None:
        if why is Refusal.LEAVING:
            self._gone.add(pick.uuid)
            if (server := snapshot.servers.get(pick.uuid)) is not None:  # of a migration, its own
                self._gone.add(server.uuid)
        if pick.known is not None:
            pick.known.done.add(pick.uuid)
        self._context.metrics.refusals.labels(reason=why.value).inc()
        reason = _reason(self._cause, pick, {})
        LOG.log(
            logging.INFO if why is Refusal.GONE else logging.WARNING,
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
            **snapshot.place,
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
        holders = [_holder(snapshot, *each) for each in snapshot.spots.refused.items()]
        if not self._reconciler.news.is_news(snapshot.usage.provider, str(holders)):
            return
        LOG.error(
            "host %s is overcommitted by %s, and no spot can be evicted for it now; held by %s",
            snapshot.host.host,
            dict(need.short),
            "; ".join(
                f"{each['instance'] or each['consumer']} of project {each['project_id'] or '?'}:"
                f" {each['reason']}"
                for each in holders
            )
            or "no other spot",
        )
        self._context.audit.write(
            "insufficient",
            **snapshot.place,
            shortfall=dict(need.short),
            claims=list(need.claims),
            held_by=holders,
        )


def _holder(snapshot: HostSnapshot, consumer: str, why: Refusal) -> dict[str, Any]:
    """Return who holds what of a host and is not evicted, and why, for people."""
    server = snapshot.servers.get(consumer)
    return {
        "consumer": consumer,
        "instance": server.uuid if server else "",
        "name": server.name if server else "",
        "project_id": server.project_id if server else "",
        "reason": why.value,
        "holds": dict(snapshot.usage.consumers.get(consumer, {})),  # it may have gone
    }


def _reason(cause: str, pick: Pick, short: dict[str, int]) -> Reason:
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
