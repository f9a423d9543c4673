"""The one place that evicts: switches, limits, audit, the order to Nova."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from cospot.nova import log as logging
from cospot.nova.evictor.at_once import together
from cospot.nova.evictor.causes import RESERVE
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.freed_watch import FreedWatch, Leaving
from cospot.nova.evictor.model import Amounts
from cospot.nova.evictor.owner_news import OwnerNews
from cospot.nova.evictor.snapshot import HostSnapshot, Spot
from cospot.nova.evictor.stalled_hosts import StalledHosts
from cospot.nova.state.errors import (
    UNKNOWN_OUTCOMES,
    CloudError,
    EvictorError,
    NotSentError,
    RepeatedNews,
)
from cospot.nova.state.records import CONFIRM, event_of
from cospot.nova.state.safeguards import EvictionLimits, Refusal

LOG = logging.getLogger(__name__)
#: An order that has waited longer for its turn is not given, seconds: its check is old by then.
_LONGEST_WAIT_S: Final = 2.0


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
class Prepared:
    """An eviction of which only the order to Nova is left: nothing holds it back.

    Attributes:
        fields: what its audit records have in common; the first is written.
    """

    snapshot: HostSnapshot
    spot: Spot
    reason: Reason
    fields: dict[str, Any]

    @property
    def provider(self) -> str:
        """Return the UUID of its host's provider."""
        return self.snapshot.usage.provider


@dataclass(frozen=True)
class _Answer:
    """Nova's answer to an order.

    Attributes:
        was_reset: Nova took the state that was to be set before.
        is_locked: it was locked to tell its owner why.
        at: when Nova took it, monotonic time, seconds.
    """

    error: CloudError | None = None
    was_reset: bool = False
    is_locked: bool = False
    at: float = 0.0


class EvictionExecutor:
    """Evicts spots that were found evictable, under the lock of their host."""

    def __init__(self, context: EvictorContext, freed: FreedWatch, stalled: StalledHosts) -> None:
        self._servers = context.servers
        self._orders: dict[str, Callable[[str], None]] = {
            "delete": context.servers.force_delete,
            "shelve-offload": context.servers.shelve,
            CONFIRM: context.servers.confirm_resize,
        }
        self._switches = context.switches
        self._limits = EvictionLimits(context.settings)
        self._pending = context.stores.pending
        self._audit = context.audit
        self._metrics = context.metrics
        self._promises = context.promises
        self._notices = context.stores.notices
        self._now = context.stores.now
        self.freed = freed
        self._news = OwnerNews(context)
        self._stalled = stalled
        self._deletions = context.deletions
        self._news_of = RepeatedNews()
        #: One for all hosts: Nova's API serves customers too.
        self._ordering = threading.BoundedSemaphore(context.settings.orders_at_once)

    def prepare(
        self, snapshot: HostSnapshot, spot: Spot, reason: Reason, action: str = "delete"
    ) -> Prepared | HeldBack | None:
        """Do all that comes before the order: switches, limits, audit log.

        Args:
            snapshot: of its host.
            spot: checked just now.
            reason: goes to the audit log.
            action: "delete" or "shelve-offload".

        Returns:
            why it must wait; None in a dry run, where nothing is left to do.

        Raises:
            AuditError: it could not be written down; it must not be ordered.
        """
        fields = _audit_fields(snapshot, spot, reason, CONFIRM if spot.migration else action)
        told = self._notices.told(spot.uuid)
        fields["notice_s"] = round(max(0.0, self._now() - told.given_at), 3) if told else 0.0
        switches = self._switches.now()
        provider = snapshot.usage.provider
        if not self._stalled.may_order(provider, spot.uuid):
            text = "nothing that was ordered there has gone"
            return self._hold_back(fields, Refusal.HOST_STALLED, None, text)
        if switches.why_off is not None:
            return self._hold_back(fields, Refusal.DISABLED, None, switches.why_off)
        if switches.is_dry_run:
            if self._news_of.is_news(spot.uuid, "would_evict"):
                LOG.info("dry run: would evict %s from %s", spot.uuid, snapshot.host.host)
                self._audit.write("would_evict", **fields)
            return None
        if spot.migration:
            limit = self._limits.take_confirmation()
        else:
            limit = self._limits.take(spot.server.project_id, provider, for_vm=reason.for_vm)
        if limit is not None:
            why, wait = limit
            self._metrics.limit_hits.labels(limit=why.value).inc()
            return self._hold_back(fields, why, wait, f"next in {wait:.1f} s")
        self._audit.write(event_of("intent", fields), **fields)
        return Prepared(snapshot, spot, reason, fields)

    def order(self, orders: Sequence[Prepared]) -> list[CloudError | None]:
        """Tell Nova of evictions on one host, of all at once.

        Returns:
            of each: None when Nova took the order, or knows the server no more; else why not.

        Raises:
            AuditError: what became of them could not be written down.
            EvictorError: they could not be stored, so none was given.
        """
        self._store(orders)
        answers: list[_Answer] = together([partial(self._send, each) for each in orders])
        # Nothing that goes wrong with another may keep an order from being followed.
        for each, answer in zip(orders, answers, strict=True):
            if answer.error is None:
                self._pending.remove(each.provider, each.spot.uuid)
                self._took_it(each, answer)
        return [
            self._was_refused(each, answer) for each, answer in zip(orders, answers, strict=True)
        ]

    def _store(self, orders: Sequence[Prepared]) -> None:
        """Store all orders before Nova hears of one; where one cannot be stored, none is given."""
        stored: list[Prepared] = []
        try:
            for each in orders:
                self._pending.add(each.provider, each.spot.uuid)
                stored.append(each)
        except EvictorError as error:  # another copy works there now, or the database is away
            for each in stored:
                self._pending.remove(each.provider, each.spot.uuid)
            for each in orders:
                self.was_not_given(each, error)
            raise

    def was_not_given(self, order: Prepared, error: EvictorError) -> None:
        """Write down why an order was kept back; it counts for no limit."""
        if not order.spot.migration:
            self._limits.give_back(order.spot.server.project_id, order.provider)
        self._audit.write(
            event_of("failed", order.fields), **order.fields, order="none", error=str(error)
        )

    def _took_it(self, order: Prepared, answer: _Answer) -> None:
        spot, reason, fields = order.spot.uuid, order.reason, order.fields
        if order.spot.migration:
            self._metrics.confirmations.inc()
        else:
            self._metrics.evictions.labels(cause=reason.cause).inc()
            self._metrics.evictions_why.labels(why=reason.why).inc()
            self._metrics.notice.observe(fields["notice_s"])
        if fields["action"] == "delete":  # to shelve takes as long as its snapshot
            self._stalled.ordered(order.provider, spot)
            if not order.spot.server.has_just_changed(order.snapshot.nova_time):
                self._deletions.ordered(spot, order.spot.server.updated)
        self.freed.watch(
            Leaving(
                spot=spot,
                provider=order.provider,
                ordered_at=answer.at,
                claimed_at=reason.claimed_at,
                fields=fields,
                is_locked=answer.is_locked,
            )
        )
        LOG.info(
            "%s: %s from %s (%s: %s, chosen by %s)",
            fields["action"],
            fields["instance"],
            order.snapshot.host.host,
            reason.cause,
            reason.why,
            reason.chosen_by,
        )

    def _send(self, order: Prepared) -> _Answer:
        """Tell Nova, as one of several threads."""
        spot, is_deleted = order.spot.server.uuid, order.fields["action"] == "delete"
        was_reset, began = False, time.monotonic()
        with self._ordering:
            try:
                self._check_again(time.monotonic() - began)
                if is_deleted and order.spot.is_stuck:
                    self._servers.reset_state(spot)
                    was_reset = True
                self._orders[order.fields["action"]](spot)
            except CloudError as error:
                return _Answer(error, was_reset)
        # At once: whether a promise is broken must not hang on how long it takes to tell its owner.
        at = time.monotonic()
        if not order.spot.migration:
            self._promises.evicted(spot)
        # One that is shelved is not lost to its owner.
        is_locked = is_deleted and self._news.tell(order.spot, order.reason.why)
        return _Answer(is_locked=is_locked, at=at)

    def _check_again(self, waited: float) -> None:
        """See that an order that has waited for its turn, so many seconds, is still to be given.

        Raises:
            NotSentError: it is not.
        """
        switches = self._switches.now()
        if not switches.is_on:
            raise NotSentError(f"not ordered: {switches}")
        if waited > _LONGEST_WAIT_S:
            raise NotSentError(f"not ordered: it has waited {waited:.1f} s for its turn")

    def _was_refused(self, order: Prepared, answer: _Answer) -> CloudError | None:
        """Write down what Nova said against it; return None when nothing, or it is gone."""
        error = answer.error
        if error is None:
            return None
        if error.is_not_found:
            self._pending.remove(order.provider, order.spot.uuid)
            self._audit.write(event_of("gone", order.fields), **order.fields)
            return None
        if isinstance(error, NotSentError):
            if order.spot.uuid not in order.snapshot.pending:  # by an earlier order
                self._pending.remove(order.provider, order.spot.uuid)
            self.was_not_given(order, error)
            return error
        # One that was reset was to go already, so it stays the first choice.
        if error.status not in UNKNOWN_OUTCOMES and not answer.was_reset:
            self._pending.remove(order.provider, order.spot.uuid)
        self._metrics.failures.inc()
        outcome = "unanswered" if error.status in UNKNOWN_OUTCOMES else "refused"
        event = event_of("failed", order.fields)
        self._audit.write(event, **order.fields, order=outcome, error=str(error))
        return error

    def _hold_back(
        self, fields: dict[str, Any], why: Refusal, wait: float | None, text: str
    ) -> HeldBack:
        self._metrics.refusals.labels(reason=why.value).inc()
        if self._news_of.is_news(fields["instance"], why.value):
            LOG.warning(
                "not evicting %s from %s: %s (%s)",
                fields["instance"],
                fields["host"],
                why.value,
                text,
            )
            self._audit.write("held_back", **fields, reason=why.value, detail=text)
        return HeldBack(why, wait)


def _audit_fields(
    snapshot: HostSnapshot, spot: Spot, reason: Reason, action: str
) -> dict[str, Any]:
    return {
        "instance": spot.server.uuid,
        "migration": spot.migration,
        "name": spot.server.name,
        "project_id": spot.server.project_id,
        **snapshot.place,
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
