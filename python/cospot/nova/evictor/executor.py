"""The one place that evicts: switches, limits, audit, the order to Nova.

It then waits until placement shows that the evicted spots hold nothing any more.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from oslo_log import log as logging

from cospot.nova.evictor.causes import RESERVE
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.errors import CloudError, EvictorError
from cospot.nova.evictor.model import Amounts
from cospot.nova.evictor.safeguards import EvictionLimits
from cospot.nova.evictor.snapshot import HostSnapshot, Refusal, Spot
from cospot.nova.evictor.stalled_hosts import StalledHosts

LOG = logging.getLogger(__name__)
_FIRST_PAUSE_S: Final = 0.1
_PAUSE_S: Final = 0.25
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


@dataclass(frozen=True)
class Leaving:
    """A spot that Nova was told to delete.

    Attributes:
        ordered_at: monotonic time, seconds.
        claimed_at: monotonic time, seconds, if known.
        fields: what its audit records have in common.
    """

    spot: str
    provider: str
    ordered_at: float
    claimed_at: float | None
    fields: Mapping[str, Any]


class FreedWatch:
    """Asks placement about all leaving spots of a host at once, from a thread of its own.

    Args:
        did_not_go: called with a spot that did not go in time.
    """

    def __init__(self, context: EvictorContext, did_not_go: Callable[[Leaving], None]) -> None:
        self._placement = context.placement
        self._audit = context.audit
        self._metrics = context.metrics
        settings = context.settings
        self._timeouts: dict[str, float] = {
            "delete": settings.freed_timeout,
            "shelve-offload": settings.shelve_timeout,
        }
        self._did_not_go = did_not_go
        self._condition = threading.Condition()
        self._leaving: dict[str, Leaving] = {}
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="freed-watch", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, patience: float) -> None:
        """End the thread once nothing is left to wait for, or after `patience` seconds."""
        with self._condition:
            self._stopping = True
            self._condition.notify_all()
        if self._thread.is_alive():
            self._thread.join(patience)

    def watch(self, leaving: Leaving) -> None:
        """Wait for a spot's capacity too."""
        with self._condition:
            self._leaving[leaving.spot] = leaving
            self._condition.notify_all()

    def _run(self) -> None:
        while True:
            with self._condition:
                while not self._leaving and not self._stopping:
                    self._condition.wait()
                if not self._leaving:
                    return
                self._condition.wait(_PAUSE_S if len(self._leaving) > 1 else _FIRST_PAUSE_S)
                by_provider: dict[str, list[Leaving]] = defaultdict(list)
                for each in self._leaving.values():
                    by_provider[each.provider].append(each)
            for provider, group in by_provider.items():
                try:
                    self._ask(provider, group)
                except Exception:
                    LOG.exception("unexpected error while watching provider %s", provider)
                    time.sleep(_PAUSE_S)

    def _ask(self, provider: str, group: list[Leaving]) -> None:
        try:
            consumers = self._placement.consumers(provider)
            for leaving in group:
                if leaving.spot not in consumers:
                    self._freed(leaving)
                elif time.monotonic() - leaving.ordered_at > self._timeout_of(leaving):
                    self._late(leaving)
        except EvictorError as error:
            self._metrics.errors.labels(where="freed-watch").inc()
            LOG.warning("cannot see what is freed on provider %s: %s", provider, error)
            time.sleep(_PAUSE_S)

    def _timeout_of(self, leaving: Leaving) -> float:
        return self._timeouts[str(leaving.fields["action"])]

    def _freed(self, leaving: Leaving) -> None:
        took = time.monotonic() - leaving.ordered_at
        since_claim = None
        if leaving.claimed_at is not None:
            since_claim = round(time.monotonic() - leaving.claimed_at, 3)
        # While the log cannot be written the spot stays among those that are asked about.
        self._audit.write(
            "freed", **leaving.fields, seconds=round(took, 3), seconds_since_claim=since_claim
        )
        self._forget(leaving)
        self._metrics.delete_to_freed.observe(took)
        if since_claim is not None:
            self._metrics.claim_to_freed.observe(since_claim)

    def give_up(self, spot: str, why: str) -> None:
        """Wait for a spot no more: it will not go."""
        with self._condition:
            leaving = self._leaving.get(spot)
        if leaving is not None:
            self._fail(leaving, why)

    def _late(self, leaving: Leaving) -> None:
        timeout = self._timeout_of(leaving)
        LOG.error(
            "spot %s still holds its capacity %.0f s after its eviction", leaving.spot, timeout
        )
        self._fail(leaving, f"not freed in {timeout} s")

    def _fail(self, leaving: Leaving, why: str) -> None:
        self._audit.write("failed", **leaving.fields, error=why)
        self._forget(leaving)
        self._did_not_go(leaving)
        self._metrics.failures.inc()

    def _forget(self, leaving: Leaving) -> None:
        with self._condition:
            self._leaving.pop(leaving.spot, None)


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

    def give_up(self, spot: str, why: str) -> None:
        """Say that a spot will not go, though Nova took the order."""
        self._freed.give_up(spot, why)

    def _took_it(
        self, snapshot: HostSnapshot, spot: Spot, reason: Reason, fields: dict[str, Any]
    ) -> None:
        self._promises.evicted(spot.uuid)
        self._metrics.evictions.labels(cause=reason.cause).inc()
        self._metrics.evictions_why.labels(why=reason.why).inc()
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
        self._pending.add(provider, spot.uuid)
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
