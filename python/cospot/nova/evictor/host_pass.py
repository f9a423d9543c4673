"""Frees the room that VMs need on one host, spot by spot, each checked again right before it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any, Final

from oslo_log import log as logging

from cospot.nova.evictor.audit import AuditLog
from cospot.nova.evictor.cause import CauseFinder, Need
from cospot.nova.evictor.choice import SpotChooser, frees_some
from cospot.nova.evictor.errors import CloudError
from cospot.nova.evictor.host_history import HostHistory
from cospot.nova.evictor.killing import UNKNOWN_OUTCOMES, HeldBack, Killer, Reason
from cospot.nova.evictor.locks import HostLocks
from cospot.nova.evictor.metrics import Metrics
from cospot.nova.evictor.observation import HostObserver, HostPicture
from cospot.nova.evictor.plan_book import KnownPlan, PlanBook
from cospot.nova.evictor.spots import Refusal, Spot
from cospot.nova.evictor.stalled_hosts import StalledHosts

LOG = logging.getLogger(__name__)

#: A picture of Nova's servers is taken anew when it is older, seconds: an owner may have deleted
#: a spot meanwhile, and then another need not go.
_OLDEST_PICTURE_S: Final = 1.0
#: After so many failures other spots are tried first.
_MOST_FAILURES: Final = 3.0
#: No answer says little about the spot: Nova itself may be away.
_NO_ANSWER: Final = 0.5
#: So many refusals of a plan are looked into; of the rest, what is not on the host is passed over.
_MOST_REFUSALS: Final = 20
#: `chosen_by` of a spot that goes because it came last.
_NEWEST: Final = "newest"


@dataclass
class PassResult:
    """What a pass did on one host.

    Attributes:
        evicted: spots, in the order in which they were evicted.
        is_over: whether the host is still overcommitted, what is leaving counted as gone.
        wait: seconds after which it should be looked at again; None when nothing is pending.
    """

    evicted: list[str] = field(default_factory=list)
    is_over: bool = False
    wait: float | None = None


class HostEvictor:
    """Runs passes; everything a pass needs. Thread-safe: a pass holds its host's lock.

    Args:
        settings: the group [cospot_evictor].
    """

    def __init__(
        self,
        settings: Any,
        observer: HostObserver,
        locks: HostLocks,
        plans: PlanBook,
        chooser: SpotChooser,
        killer: Killer,
        audit: AuditLog,
        metrics: Metrics,
        history: HostHistory,
        causes: CauseFinder,
        stalled: StalledHosts,
    ) -> None:
        self.settings = settings
        self.observer = observer
        self.plans = plans
        self.chooser = chooser
        self.killer = killer
        self.audit = audit
        self.metrics = metrics
        self.history = history
        self.causes = causes
        self.failures: dict[str, float] = {}  # without those that have none
        self.stalled = stalled
        self._locks = locks

    def free_host(self, provider: str, cause: str) -> PassResult:
        """Evict as many spots of a host as its VMs need, and none if they need none.

        Args:
            provider: UUID of the host's root resource provider.
            cause: "plan" or "reconcile", for the audit log.

        Raises:
            EvictorError: it could not be finished; what was not done is found again later.
        """
        with self._locks.hold(provider):
            return _Pass(self, cause).run(provider)

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


class _Pass:
    """One pass over one host."""

    def __init__(self, evictor: HostEvictor, cause: str) -> None:
        self._evictor = evictor
        self._cause = cause
        self._tried: set[str] = set()
        self._gone: set[str] = set()
        self._result = PassResult()

    def run(self, provider: str) -> PassResult:
        evictor = self._evictor
        room = evictor.observer.room(provider)
        resources = evictor.settings.resources
        is_stalled = evictor.stalled.is_stalled(provider)
        if evictor.history.look(room, resources, time.monotonic()):
            if evictor.causes.must_wait(room) and not is_stalled:
                self._result.is_over = True
                return self._result
        elif not is_stalled:
            return self._result
        picture = self._noted(evictor.observer.picture(room))
        while picture is not None:
            short = picture.room.shortfall(resources, picture.leaving | self._gone)
            self._result.is_over = bool(short)
            need = evictor.causes.need(picture, picture.leaving | self._gone)
            if need is None:
                break
            pick = self._next(picture, need)
            if pick is None:
                if not evictor.stalled.is_stalled(provider):  # which has been said
                    self._insufficient(picture, need)
                break
            self._tried.add(pick.uuid)
            picture = self._renew(picture)
            if picture is None or not self._evict(picture, pick):
                break
        return self._result

    def _renew(self, picture: HostPicture) -> HostPicture | None:
        renewed = self._evictor.observer.renew(picture, _OLDEST_PICTURE_S)
        is_another = renewed is not None and renewed.taken_at != picture.taken_at
        return self._noted(renewed) if is_another else renewed

    def _noted(self, picture: HostPicture | None) -> HostPicture | None:
        """Take note of what became of the orders on the host; return the picture to go by."""
        if picture is None:
            return None
        evictor = self._evictor
        looked = evictor.stalled.look(picture)
        for spot in looked.failed:
            evictor.did_not_go(spot)
            evictor.killer.give_up(spot, "its compute did not delete it")
        if looked.pardoned:  # they are under way again
            return evictor.observer.picture(picture.room)
        return picture

    def _next(self, picture: HostPicture, need: Need) -> _Pick | None:
        """Return the next spot to evict.

        First those that Nova was asked to delete and that their owners have deleted. Then, for a
        VM, the planned ones and those that the policy names; for no VM the newest. On a stalled
        host none but those ordered before.
        """
        evictor = self._evictor
        provider = picture.room.provider
        left = [
            spot
            for uuid, spot in picture.spots.evictable.items()
            if uuid not in self._tried and frees_some(spot, need.short)
        ]
        left = [spot for spot in left if evictor.stalled.may_order(provider, spot.uuid)]
        for spot in left:
            if spot.uuid in picture.noted and evictor.may_try(spot.uuid):
                return _Pick(spot.uuid, "note", need)
        for spot in left:
            if spot.is_stuck:
                return _Pick(spot.uuid, "deletion-stuck", need)
        if evictor.stalled.is_stalled(provider):
            return _Pick(left[0].uuid, "again", need) if left else None
        for spot in left:
            if spot.uuid not in evictor.failures and spot.server.status == "SOFT_DELETED":
                return _Pick(spot.uuid, "soft-deleted", need)
        if need.newest is not None:
            return self._newest(left, need)
        return self._planned(picture, need) or self._by_policy(left, need)

    def _newest(self, left: list[Spot], need: Need) -> _Pick | None:
        ready = {spot.uuid for spot in left if self._evictor.may_try(spot.uuid)}
        found = (uuid for uuid in need.newest or () if uuid in ready)
        newest = next(found, None)
        return None if newest is None else _Pick(newest, _NEWEST, need)

    def _planned(self, picture: HostPicture, need: Need) -> _Pick | None:
        provider = picture.room.provider
        for known in self._evictor.plans.naming(provider, time.time()):
            # A plan counts on the host that its instance holds, and nowhere else.
            planned = known.plan.for_provider(provider)
            if planned is None or known.plan.instance not in picture.room.consumers:
                continue
            known.claimed_at = known.claimed_at or time.monotonic()
            for uuid in planned.victims:
                is_here = uuid in picture.room.consumers
                if not is_here and len(known.refused) >= _MOST_REFUSALS:
                    continue
                is_done = uuid in self._tried or uuid in known.refused
                may_order = self._evictor.stalled.may_order(provider, uuid)
                if not is_done and may_order and self._evictor.may_try(uuid):
                    return _Pick(uuid, "plan", need, known)
        return None

    def _by_policy(self, left: list[Spot], need: Need) -> _Pick | None:
        evictor = self._evictor
        steady = [spot for spot in left if evictor.may_try(spot.uuid)]
        for spots in (steady, left):
            chosen = evictor.chooser.choose(spots, need.short, time.time())
            if chosen is not None:
                return _Pick(chosen[0][0].uuid, evictor.chooser.name, need)
        # Others are in the way that cannot be evicted now: a VM gets what can be had.
        return _Pick(left[0].uuid, "insufficient", need) if left else None

    def _evict(self, picture: HostPicture, pick: _Pick) -> bool:
        """Check a spot again and evict it.

        Returns:
            False when the pass must end.
        """
        verdict = self._check(picture, pick)
        if isinstance(verdict, Refusal):
            self._refuse(picture, pick, verdict)
            return True
        short = picture.room.shortfall(
            self._evictor.settings.resources, picture.leaving | self._gone
        )
        reason = _reason(self._cause, pick, short)
        try:
            held_back = self._evictor.killer.evict(picture, verdict, reason)
        except CloudError as error:
            if verdict.is_stuck:
                self._evictor.stalled.refused(pick.uuid)
            else:  # others may go in its place only after a few tries
                weight = _NO_ANSWER if error.status in UNKNOWN_OUTCOMES else 1.0
                failures = self._evictor.failures
                failures[pick.uuid] = failures.get(pick.uuid, 0.0) + weight
            raise
        if isinstance(held_back, HeldBack):
            self._result.wait = held_back.wait
            return held_back.why is Refusal.PROJECT_LIMIT
        self._evictor.failures.pop(pick.uuid, None)
        self._gone.add(pick.uuid)
        self._result.evicted.append(pick.uuid)
        return True

    def _check(self, picture: HostPicture, pick: _Pick) -> Spot | Refusal:
        verdict = self._evictor.observer.check(picture, pick.uuid)
        if isinstance(verdict, Refusal):
            return verdict
        gone = picture.leaving | self._gone
        need = self._evictor.causes.need(picture, gone)
        if need is None or need.why != pick.need.why or pick.uuid in gone:
            return Refusal.NOT_NEEDED
        if pick.chosen_by == _NEWEST and pick.uuid not in (need.newest or ()):
            return Refusal.NOT_NEEDED
        return verdict if frees_some(verdict, need.short) else Refusal.FREES_NOTHING_NEEDED

    def _refuse(self, picture: HostPicture, pick: _Pick, why: Refusal) -> None:
        evictor = self._evictor
        if why is Refusal.LEAVING:
            self._gone.add(pick.uuid)
        if pick.known is not None:
            pick.known.refused.add(pick.uuid)
        evictor.metrics.refusals.labels(reason=why.value).inc()
        reason = _reason(self._cause, pick, {})
        LOG.warning(
            "refusing to evict %s from %s: %s (chosen by %s, plan %s)",
            pick.uuid,
            picture.host.host,
            why.value,
            pick.chosen_by,
            reason.plan_id or "none",
        )
        evictor.audit.write(
            "refused",
            instance=pick.uuid,
            host=picture.host.host,
            node=picture.host.node,
            provider=picture.room.provider,
            cause=self._cause,
            chosen_by=pick.chosen_by,
            plan_id=reason.plan_id,
            for_instance=reason.for_instance,
            request_id=reason.request_id,
            reason=why.value,
        )

    def _insufficient(self, picture: HostPicture, need: Need) -> None:
        if need.newest is not None:
            # One that has just come can be evicted once Nova says that it is there.
            LOG.warning(
                "host %s is overcommitted by %s (%s), and its newest spot cannot be evicted now",
                picture.host.host,
                dict(need.short),
                need.why,
            )
            return
        self._evictor.metrics.errors.labels(where="insufficient").inc()
        LOG.error(
            "host %s is overcommitted by %s, and none of its %d spots can be evicted for it now",
            picture.host.host,
            dict(need.short),
            len(picture.spots.evictable) + len(picture.spots.refused),
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
