"""Known bugs, planted on purpose: the simulation must find each of them.

Each is one change of the real code, made while the simulation runs. Most are defects that the
project has had, or a safeguard taken away.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from cospot.nova.evictor import (
    causes,
    executor,
    host_reconcile,
    notices,
    observer,
    owner_news,
    picks,
    snapshot,
)
from cospot.nova.evictor.deletions import Deletions
from cospot.nova.evictor.hosts import HostHistory, HostWatch
from cospot.nova.evictor.new_claims import NewClaims
from cospot.nova.evictor.observer import HostObserver
from cospot.nova.evictor.promise_keeper import PromiseKeeper
from cospot.nova.evictor.reserve_orders import ReserveEvictions
from cospot.nova.evictor.service import EvictorService
from cospot.nova.evictor.stalled_hosts import StalledHosts
from cospot.nova.promises.journal import PromiseJournal
from cospot.nova.scheduler import decider, list_check, spot_check
from cospot.nova.scheduler.claim_check import ClaimCheck
from cospot.nova.state import safeguards
from cospot.nova.state.errors import CloudError
from cospot.nova.state.leases import Leases
from cospot.nova.state.records import AuditLog

from seeds import kernel
from seeds.scenario import Action


@dataclass(frozen=True)
class Bug:
    """What is changed to plant it.

    Attributes:
        name: for the command line.
        text: what is wrong.
        within: of so many seeds one shows it.
        changes: (where, name, by what).
        first: the first of these seeds.
        actions: in place of those drawn, for one that takes several faults in a certain order:
            it is found whatever else seeds come to draw.
    """

    name: str
    text: str
    within: int
    changes: tuple[tuple[Any, str, Any], ...]
    first: int = 0
    actions: tuple[Action, ...] = ()

    @contextmanager
    def planted(self) -> Any:
        before = [(where, name, vars(where)[name]) for where, name, _ in self.changes]
        for where, name, value in self.changes:
            setattr(where, name, value)
        try:
            yield
        finally:
            for where, name, value in before:
                setattr(where, name, value)


@contextmanager
def _no_lock(self: Any, name: str, *, waits: bool = True, keeps: bool = False) -> Any:
    yield


def _wall_age(self: Any, provider: str, spot: str, updated: str = "") -> float:
    now = kernel.wall()
    since: float = self._since[provider].setdefault(spot, (now, updated))[0]
    return now - since


_unexplained = HostHistory.unexplained
_carry_out = ReserveEvictions._carry_out


def _unexplained_anyhow(self: Any, provider: str, asked_at: float, now: float) -> Any:
    return _unexplained(self, provider, float("inf"), now)


def _carry_out_blindly(self: Any, *arguments: Any) -> None:
    sees, self._reconciler = self._reconciler, SimpleNamespace(observed=lambda snapshot: snapshot)
    try:
        _carry_out(self, *arguments)
    finally:
        self._reconciler = sees


def _planned_anyhow(self: Any, snapshot: Any, need: Any, now: float) -> Any:
    """Take what a plan names, whether or not its instance has come to this host."""
    return [
        picks.Pick(uuid, "plan", need, known)
        for known in self._plans.naming(snapshot.usage.provider, now)
        for planned in [known.plan.for_provider(snapshot.usage.provider)]
        for uuid in (planned.victims if planned is not None else ())
        if uuid not in self.tried
    ]


def _judge_nothing(self: Any, snapshot: Any, pick: Any, spot: Any) -> Any:
    return spot


_write = AuditLog.write
_need = causes.CauseFinder.need
_newest = picks.SpotPicker._newest
_tell = owner_news.OwnerNews.tell
_tell_owner = notices.Notices._tell
_forget = notices.Notices.forget


def _write_no_intent(self: Any, event: str, **fields: Any) -> None:
    if event != "intent":
        _write(self, event, **fields)


def _newest_once(self: Any, left: Any, need: Any) -> Any:
    return _newest(self, [each for each in left if self._failures.may_try(each.uuid)], need)


def _tell_anyhow(self: Any, spot: Any, why: str) -> bool:
    unlocked = replace(spot, server=replace(spot.server, is_locked=False))
    return bool(_tell(self, unlocked, why))


def _tell_once(self: Any, spot: Any, why: str) -> bool:
    return not spot.server.is_locked and bool(_tell(self, spot, why))


def _free_anything(self: Any, provider: str, cause: str) -> Any:
    return self._reconciler.free_host(provider, cause).wait


def _give_anyhow(self: Any, notice: Any, project_id: str) -> None:
    with suppress(CloudError):
        _tell_owner(self, notice, project_id)


def _forget_once(self: Any, spot: str) -> bool:
    with suppress(CloudError):
        _forget(self, spot)
    return True


_undone = NewClaims.undone


def _none_undone(self: Any, snapshot: Any, need: Any, gone: Any) -> Any:
    return (), _undone(self, snapshot, need, gone)[1]


def _undone_of_vms(self: Any, snapshot: Any, need: Any, gone: Any) -> Any:
    instead = _none_undone if need.newest is not None else _undone
    return instead(self, snapshot, need, gone)


_spare_hosts = decider.spare_hosts


def _spare_half(reserves: Any, candidates: Any, everyone: Any, size: Any) -> Any:
    """Leave a reserve that is not complete what is free, and nothing that is to become free."""
    shown = [
        SimpleNamespace(free=each.free, free_beside_vms=each.free, aggregates=each.aggregates)
        for each in candidates
    ]
    return _spare_hosts(reserves, shown, everyone, size)


def _race_like_vm(self: Any, snapshot: Any, gone: Any) -> Any:
    need = _need(self, snapshot, gone)
    if need is not None and need.why == causes.SPOT_RACE:
        return causes.Need(need.short, causes.VM_CLAIM, need.claims)
    return need


BUGS: tuple[Bug, ...] = (
    Bug("lost-lock",
        "locks hold nobody off: passes at once order one spot twice, or two for one need",
        400, ((safeguards.HostLocks, "hold", _no_lock),)),
    Bug("vm-as-spot", "whatever holds something is a spot",
        100, ((observer, "holds_only_spot_classes", bool),
        (snapshot, "holds_only_spot_classes", bool),
        (snapshot, "is_spot_flavor", lambda extra_specs: True),
        (snapshot, "spot_amounts", lambda allocation: {"VCPU": 1, "MEMORY_MB": 1}))),
    Bug("inventory-flap", "a wrong ratio evicts at once, not after a grace",
        200, ((causes.CauseFinder, "_is_too_early", lambda self, usage, short, asked_at: False),)),
    Bug(
        "older-answer",
        "an older answer of placement than the last begins the grace of a wrong ratio",
        1500,
        ((HostHistory, "unexplained", _unexplained_anyhow),),
        actions=(
            # Slow answers of short times begin the grace; then the ratio is wrong for less of it.
            Action(1.0, "network", ("placement", "slow", 0.6, 10.0)),
            Action(1.0, "network", ("nova", "slow", 1.0, 10.0)),
            *(Action(at, "inventory", (0.0, "half", 1.5)) for at in (2.0, 5.0, 7.5)),
            *(Action(at, "boot_vm", (1, 1, 1)) for at in (2.2, 5.2, 7.7)),
            Action(12.0, "inventory", (0.0, "half", 7.5)),
        ),
    ),
    Bug("blind-reserve", "a reserve does not take note of what became of the orders on a host",
        100, ((ReserveEvictions, "_carry_out", _carry_out_blindly),), first=57250),
    Bug(
        "clock-jump",
        "deletions are timed by the wall clock, which is set",
        400,
        ((observer.Deletions, "age", _wall_age),),
        actions=(
            *(Action(2.0, "compute", (who, "slowly", 20.0)) for who in (0.0, 0.4, 0.9)),
            *(Action(at, "boot_vm", (2, 2, 2)) for at in (3.0, 4.0, 5.0)),
            *(Action(at, "clock", (0.0, 60.0)) for at in (4.5, 6.0, 8.0, 10.0)),
        ),
    ),
    Bug("stale-plan", "what a plan names is evicted without looking whether it is needed any more",
        2000, ((host_reconcile._Iteration, "_judge", _judge_nothing),
        (picks.SpotPicker, "_planned", _planned_anyhow))),
    Bug("stale-snapshot", "a host is read once and not again before each order",
        2000, ((observer.HostObserver, "renew", lambda self, taken, oldest, spots=(): taken),
        (host_reconcile, "_OLDEST_SNAPSHOT_S", 1e9))),
    Bug("more-than-needed", "spots on their way out do not count as gone",
        400, ((snapshot.HostSnapshot, "leaving", property(lambda self: frozenset())),)),
    Bug("race-evicts-older", "a spot that did not fit displaces older ones by the policy",
        400, ((causes.CauseFinder, "need", _race_like_vm),)),
    Bug("hanging-host", "a host that frees nothing loses one spot after the other",
        4000, ((StalledHosts, "may_order", lambda self, provider, spot: True),
        (StalledHosts, "is_stalled", lambda self, provider: False))),
    Bug("stale-queue",
        "an order that has waited for others is given whatever has become of it and the switches",
        2000, ((executor.EvictionExecutor, "_check_again", lambda self, waited: None),)),
    Bug("node-behind", "what Nova shows from before an order is taken for what became of it",
        2000, ((Deletions, "is_behind", lambda self, spot, updated: False),)),
    Bug("gone-not-yet-free",
        "a server that Nova has deleted holds its host until placement knows it",
        400, ((Deletions, "has_just_gone", lambda self, provider, consumer: False),)),
    Bug("device-as-host", "a provider below a host is taken for one that has to be freed",
        2000, ((HostWatch, "may_be_host", lambda self, provider: True),
        (EvictorService, "_free_host", _free_anything))),
    Bug("untold", "a notice that Nova did not take counts as given",
        2000, ((notices.Notices, "_tell", _give_anyhow),)),
    Bug("notice-cut-short", "the time of a notice is over by the wall clock, which is set",
        4000, ((notices.Notices, "is_due", lambda self, notice, now: notice.evict_at <= now),)),
    Bug("notice-stays",
        "a withdrawn notice that Nova does not take out of the metadata now stays there",
        4000, ((notices.Notices, "forget", _forget_once),)),
    Bug("half-free-reserve", "spots get what notices free while the reserve lacks a VM",
        400, ((decider, "spare_hosts", _spare_half),)),
    Bug("open-reserve", "schedulers keep no spot out of a reserve",
        400, ((decider, "spare_hosts", lambda _, hosts, *__: (np.ones(len(hosts), dtype=bool),
            set())),)),
    Bug("order-before-record", "the audit log is not written before the order",
        50, ((AuditLog, "write", _write_no_intent),)),
    Bug("newest-fails-once",
        "a spot of a race that its compute did not delete once is never ordered again",
        2000, ((picks.SpotPicker, "_newest", _newest_once),)),
    Bug("resizes-unconfirmed", "what a resize holds that nobody confirms is never freed",
        1000, ((HostObserver, "_read_moves", lambda self, usage, host, servers, verdicts: None),)),
    Bug("failed-claims-count", "spots go for VMs that are in ERROR on no host",
        1000, ((NewClaims, "undone", _none_undone),
        (HostObserver, "_failed", lambda self, servers, vm: False))),
    Bug("failed-claims-of-smaller-hosts",
        "spots go for VMs in ERROR on no host where the need has another reason",
        100, ((NewClaims, "undone", _undone_of_vms),), first=20200),
    Bug("claims-of-the-deleted",
        "a VM deleted before its host showed it keeps its claim in the scheduler",
        4000, ((ClaimCheck, "drop_deleted", lambda self, claims, wait, all_now=False: False),)),
    Bug("size-of-a-reverted-resize",
        "a resize that was reverted on its own host counts on in the scheduler",
        400, ((list_check, "_differ", lambda listed, instance: False),), first=1300),
    Bug("promise-not-counted", "an eviction breaks a promise and nobody counts it",
        2000, ((PromiseJournal, "evicted", lambda self, instance, now: None),)),
    Bug("promise-heard-elsewhere",
        "nobody counts what an eviction broke if another copy hears of the promise afterwards",
        400, ((PromiseKeeper, "_look_at_evicted", lambda self: None),), first=21500),
    Bug("everybody-leads",
        "a lease in the database is given to whoever asks, and not needed for an order",
        4000, ((Leases, "take", lambda self, name: True),
        (Leases, "renew", lambda self, done, name: done.now()))),
    Bug("lock-stays",
        "a spot that was locked to tell its owner why it goes, and did not, stays locked",
        1000, ((owner_news.OwnerNews, "take_back", lambda self, spot: None),)),
    Bug("lock-forgotten", "a lock is not known as the service's own when the spot is ordered again",
        4000, ((owner_news.OwnerNews, "tell", _tell_once),)),
    Bug("lock-of-the-owner", "what an owner has locked is locked for another reason",
        4000, ((owner_news.OwnerNews, "tell", _tell_anyhow),)),
    Bug("spot-check-unread", "spots are placed whatever placement says of their host",
        4000, ((spot_check, "fits", lambda *_: True),)),
    Bug("spot-check-left-out", "placement is not asked about spots",
        400, ((spot_check.SpotCheck, "holders", lambda self, provider, seconds: None),)),
)  # fmt: skip

by_name: dict[str, Bug] = {bug.name: bug for bug in BUGS}
