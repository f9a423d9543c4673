"""The one place that evicts: switches, limits, audit, the order to Nova."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from oslo_log import log as logging

from cospot.nova.evictor.causes import RESERVE
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.errors import CloudError, EvictorError
from cospot.nova.evictor.freed_watch import FreedWatch, Leaving
from cospot.nova.evictor.model import Amounts
from cospot.nova.evictor.safeguards import EvictionLimits
from cospot.nova.evictor.snapshot import HostSnapshot, Refusal, Spot
from cospot.nova.evictor.stalled_hosts import StalledHosts

LOG = logging.getLogger(__name__)
#: No answer, or one from a proxy: Nova may be deleting the server nevertheless.
UNKNOWN_OUTCOMES: Final = frozenset({0, 502, 503, 504})
#: What only repeats itself is written again after so many seconds.
_TELL_AGAIN_S: Final = 600.0
_MOST_TOLD: Final = 10_000


@dataclass(frozen=True)
class Reason:
    """Why a spot is evicted.

    Attributes:
        cause: "plan", "reconcile" or "reserve".
        chosen_by: "plan" or the name of the evictor policy.
        shortfall: what is short before it, by resource.
        plan_id, for_instance, request_id: of the plan, if one named it.
        claimed_at: when that instance's claim was seen, monotonic time, seconds.
        why: what made the shortfall, one of the constants of `causes`.
        claims: the instances whose claims made it, if it was claims.
        for_vm: whether a VM is there that needs the capacity.
    """

    cause: str
    chosen_by: str
    shortfall: Amounts
    plan_id: str = ""
    for_instance: str = ""
    request_id: str = ""
    claimed_at: float | None = None
    why: str = RESERVE
    claims: tuple[str, ...] = ()
    for_vm: bool = False


@dataclass(frozen=True)
class HeldBack:
    """An eviction that must wait: the reason, and the seconds until another try makes sense."""

    why: Refusal
    wait: float | None


class EvictionExecutor:
    """Evicts spots that were found evictable, under the lock of their host."""

    def __init__(self, context: EvictorContext, freed: FreedWatch, stalled: StalledHosts) -> None:
        self._servers = context.servers
        self._switches = context.switches
        self._limits = EvictionLimits(context.settings)
        self._pending = context.pending
        self._audit = context.audit
        self._metrics = context.metrics
        self._promises = context.promises
        self._notices_given = context.told
        self._now = context.stores.now
        self._freed = freed
        self._stalled = stalled
        self._told: dict[str, tuple[str, float]] = {}

    @property
    def is_on(self) -> bool:
        """Tell whether evictions are on, and more than written down."""
        return self._switches.now().is_on

    @property
    def is_dry_run(self) -> bool:
        """Tell whether evictions are only written down."""
        return self._switches.is_dry_run

    def evict(
        self,
        snapshot: HostSnapshot,
        spot: Spot,
        reason: Reason,
        action: str = "delete",
        before_order: Callable[[], None] = lambda: None,
    ) -> HeldBack | None:
        """Evict a spot, or say in the audit log why not.

        Args:
            snapshot: of its host.
            spot: checked just now.
            reason: goes to the audit log.
            action: "delete" or "shelve-offload".
            before_order: called when nothing holds the eviction back any more.

        Returns:
            None when Nova took the order (or, in a dry run, would have been given it).

        Raises:
            AuditError: nothing was done, because it could not be written down first.
            CloudError: Nova refused, or did not answer.
            EvictorError: of `before_order`; nothing was done.
        """
        fields = _audit_fields(snapshot, spot, reason, action)
        fields["notice_s"] = round(self._notices_given.age(spot.uuid, self._now()), 3)
        switches = self._switches.now()
        provider = snapshot.usage.provider
        if not self._stalled.may_order(provider, spot.uuid):
            text = "nothing that was ordered there has gone"
            return self._hold_back(fields, Refusal.HOST_STALLED, None, text)
        if switches.why_off is not None:
            return self._hold_back(fields, Refusal.DISABLED, None, switches.why_off)
        if switches.is_dry_run:
            if self._is_news(spot.uuid, "would_evict"):
                LOG.info("dry run: would evict %s from %s", spot.uuid, snapshot.host.host)
                self._audit.write("would_evict", **fields)
            return None
        limit = self._limits.take(
            spot.server.project_id, snapshot.usage.provider, for_vm=reason.for_vm
        )
        if limit is not None:
            why, wait = limit
            self._metrics.limit_hits.labels(limit=why.value).inc()
            return self._hold_back(fields, why, wait, f"next in {wait:.1f} s")
        self._audit.write("intent", **fields)
        try:
            before_order()
        except EvictorError as error:
            self._audit.write("failed", **fields, error=str(error))
            raise
        if self._order(snapshot, spot, fields, action):
            self._took_it(snapshot, spot, reason, fields)
        return None

    def give_up(self, spot: str) -> None:
        """Say that a spot will not go, though Nova took the order."""
        self._freed.give_up(spot)

    def _took_it(
        self, snapshot: HostSnapshot, spot: Spot, reason: Reason, fields: dict[str, Any]
    ) -> None:
        self._promises.evicted(spot.uuid)
        self._metrics.evictions.labels(cause=reason.cause).inc()
        self._metrics.evictions_why.labels(why=reason.why).inc()
        self._metrics.notice.observe(fields["notice_s"])
        if fields["action"] == "delete":  # to shelve takes as long as its snapshot
            self._stalled.ordered(snapshot.usage.provider, spot.uuid)
        self._freed.watch(
            Leaving(
                spot=spot.uuid,
                provider=snapshot.usage.provider,
                ordered_at=time.monotonic(),
                claimed_at=reason.claimed_at,
                fields=fields,
            )
        )
        LOG.info(
            "evicting %s from %s (%s: %s, chosen by %s)",
            spot.uuid,
            snapshot.host.host,
            reason.cause,
            reason.why,
            reason.chosen_by,
        )

    def _order(
        self, snapshot: HostSnapshot, spot: Spot, fields: dict[str, Any], action: str
    ) -> bool:
        """Tell Nova; return False when there is no such server any more."""
        provider = snapshot.usage.provider
        try:
            self._pending.add(provider, spot.uuid)
        except EvictorError as error:  # another copy works there now, or the database is away
            self._audit.write("failed", **fields, error=str(error))
            raise
        was_reset = False
        try:
            if action == "shelve-offload":
                self._servers.shelve(spot.uuid)
            else:
                if spot.is_stuck:
                    self._servers.reset_state(spot.uuid)
                    was_reset = True  # it was to go already, so it stays the first choice
                self._servers.force_delete(spot.uuid)
        except CloudError as error:
            if error.status == 404:
                self._pending.remove(provider, spot.uuid)
                self._audit.write("gone", **fields)
                return False
            if error.status not in UNKNOWN_OUTCOMES and not was_reset:
                self._pending.remove(provider, spot.uuid)
            self._metrics.failures.inc()
            self._audit.write("failed", **fields, error=str(error))
            raise
        self._pending.remove(provider, spot.uuid)
        return True

    def _hold_back(
        self, fields: dict[str, Any], why: Refusal, wait: float | None, text: str
    ) -> HeldBack:
        self._metrics.refusals.labels(reason=why.value).inc()
        if self._is_news(fields["instance"], why.value):
            LOG.warning(
                "not evicting %s from %s: %s (%s)",
                fields["instance"],
                fields["host"],
                why.value,
                text,
            )
            self._audit.write("held_back", **fields, reason=why.value, detail=text)
        return HeldBack(why, wait)

    def _is_news(self, spot: str, what: str) -> bool:
        """Tell whether this was not written lately: each reconcile iteration finds it again."""
        now = time.monotonic()
        if len(self._told) > _MOST_TOLD:
            self._told.clear()
        last, at = self._told.get(spot, ("", 0.0))
        if last == what and now - at < _TELL_AGAIN_S:
            return False
        self._told[spot] = (what, now)
        return True


def _audit_fields(
    snapshot: HostSnapshot, spot: Spot, reason: Reason, action: str
) -> dict[str, Any]:
    return {
        "instance": spot.uuid,
        "name": spot.server.name,
        "project_id": spot.server.project_id,
        "host": snapshot.host.host,
        "node": snapshot.host.node,
        "provider": snapshot.usage.provider,
        "action": action,
        "cause": reason.cause,
        "why": reason.why,
        "claims": list(reason.claims),
        "chosen_by": reason.chosen_by,
        "plan_id": reason.plan_id,
        "for_instance": reason.for_instance,
        "request_id": reason.request_id,
        "shortfall": dict(reason.shortfall),
        "frees": dict(spot.amounts),
        "placed_at": spot.server.placed_at,
    }
