"""Waits until placement shows that evicted spots hold nothing any more, and writes that down."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from cospot.nova import log as logging
from cospot.nova.background import Background
from cospot.nova.evictor.causes import VM_CLAIM
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.owner_news import OwnerNews
from cospot.nova.state.errors import CloudError, Complaints, EvictorError
from cospot.nova.state.records import CONFIRM, event_of

LOG = logging.getLogger(__name__)
_FIRST_PAUSE_S: Final = 0.1
_PAUSE_S: Final = 0.25
_LATE_PAUSE_S: Final = 5.0


@dataclass(frozen=True)
class Leaving:
    """A spot that Nova was told to delete.

    Attributes:
        ordered_at: monotonic time, seconds.
        claimed_at: monotonic time, seconds, if known.
        fields: what its audit records have in common.
        is_locked: to tell its owner why it goes.
    """

    spot: str
    provider: str
    ordered_at: float
    claimed_at: float | None
    fields: Mapping[str, Any]
    is_locked: bool = False


class FreedWatch(Background):
    """Asks placement about all leaving spots of a host at once, from a thread of its own.

    One that did not go in time is late: it is asked about further, but seldom, and given up once
    Nova shows that its compute has. The thread ends once nothing is left to wait for.

    Args:
        did_not_go: called with a spot that is late, or will not go.
    """

    def __init__(self, context: EvictorContext, did_not_go: Callable[[Leaving], None]) -> None:
        super().__init__("freed-watch")
        self._placement = context.placement
        self._servers = context.servers
        self._audit = context.audit
        self._metrics = context.metrics
        settings = context.settings
        self._timeouts: dict[str, float] = {
            "delete": settings.freed_timeout,
            "shelve-offload": settings.shelve_timeout,
            CONFIRM: settings.freed_timeout,
        }
        self._did_not_go = did_not_go
        self._news = OwnerNews(context)
        self._giving_up = threading.Lock()  # two threads find out that a compute has failed
        self._leaving: dict[str, Leaving] = {}
        self._late: dict[str, Leaving] = {}
        self._ask_late_at = float("-inf")
        self._complaints = Complaints()  # by provider

    def watch(self, leaving: Leaving) -> None:
        """Wait for a spot's capacity too."""
        with self._condition:
            self._late.pop(leaving.spot, None)
            self._leaving[leaving.spot] = leaving
            self._condition.notify_all()

    def _next(self) -> list[Leaving] | None:
        """Return whom to ask about as soon as it is time; None in order to end."""
        with self._condition:
            while not self._leaving and not self._stopping:
                pause = self._ask_late_at - time.monotonic() if self._late else None
                if pause is not None and pause <= 0:
                    break
                self._condition.wait(pause)
            if self._leaving:
                self._condition.wait(_PAUSE_S if len(self._leaving) > 1 else _FIRST_PAUSE_S)
            elif self._stopping:
                return None
            asked = list(self._leaving.values())
            if time.monotonic() >= self._ask_late_at:
                asked += self._late.values()
                self._ask_late_at = time.monotonic() + _LATE_PAUSE_S
            return asked

    def _run(self) -> None:
        while (asked := self._next()) is not None:
            by_provider: dict[str, list[Leaving]] = defaultdict(list)
            for each in asked:
                by_provider[each.provider].append(each)
            for provider, group in by_provider.items():
                try:
                    self._ask(provider, group)
                except Exception:
                    LOG.exception("unexpected error while watching provider %s", provider)
                    time.sleep(_PAUSE_S)

    def _ask(self, provider: str, group: list[Leaving]) -> None:
        try:
            consumers = self._holders(provider, group)
        except EvictorError as error:
            self._complain(provider, error)
            return
        first: EvictorError | None = None
        for leaving in group:
            try:
                self._see(leaving, consumers)
            except EvictorError as error:  # which says nothing about the others
                first = first or error
        if first is not None:
            self._complain(provider, first)
        else:
            self._complaints.end(provider)

    def _see(self, leaving: Leaving, consumers: Collection[str]) -> None:
        if leaving.spot not in consumers:
            self._freed(leaving)
            self._count_failed_claims(leaving, consumers)
        elif self._is_in_time(leaving):
            return
        elif self._leaving.get(leaving.spot) is leaving:
            self._becomes_late(leaving)
        elif self._late.get(leaving.spot) is leaving and self._is_back(leaving):
            self.give_up(leaving.spot)

    def _complain(self, provider: str, error: EvictorError) -> None:
        """Count an error, say it once until it is another one, and wait a moment."""
        self._metrics.errors.labels(where="freed-watch").inc()
        level = self._complaints.level(provider, error)
        LOG.log(level, "cannot see what is freed on provider %s: %s", provider, error)
        time.sleep(_PAUSE_S)

    def _holders(self, provider: str, group: list[Leaving]) -> Collection[str]:
        """Return who holds anything of a host; of one that is no more, which of a group do."""
        try:
            return self._placement.consumers(provider).keys()
        except CloudError as error:
            if not error.is_not_found:
                raise
        spots = [each.spot for each in group]
        return {spot for spot in spots if provider in self._placement.allocation(spot)}

    def _is_back(self, leaving: Leaving) -> bool:
        """Tell whether a spot is as it was before the order: nothing more will come of that."""
        server = self._servers.server(leaving.spot)
        if server is None or server.is_deleted or server.task_state is not None:
            return False
        return not server.vm_state.startswith("shelved")  # which only waits to be offloaded

    def _is_in_time(self, leaving: Leaving) -> bool:
        return time.monotonic() - leaving.ordered_at <= self._timeout_of(leaving)

    def _timeout_of(self, leaving: Leaving) -> float:
        return self._timeouts[str(leaving.fields["action"])]

    def _freed(self, leaving: Leaving) -> None:
        took = time.monotonic() - leaving.ordered_at
        since_claim = None
        if leaving.claimed_at is not None:
            since_claim = round(time.monotonic() - leaving.claimed_at, 3)
        # While the log cannot be written the spot stays among those that are asked about.
        self._audit.write(
            event_of("freed", leaving.fields),
            **leaving.fields,
            seconds=round(took, 3),
            seconds_since_claim=since_claim,
        )
        self._forget(leaving)
        self._metrics.delete_to_freed.observe(took)
        if since_claim is not None:
            self._metrics.claim_to_freed.observe(since_claim)

    def _count_failed_claims(self, leaving: Leaving, consumers: Collection[str]) -> None:
        """Count a spot that went for VMs of which none holds the host any more, or can run."""
        claims = leaving.fields["claims"] if leaving.fields["why"] == VM_CLAIM else []
        there = [vm for vm in claims if vm in consumers]
        if claims and not there:
            self._metrics.failed_claims.labels(cause="undone").inc()
            return
        servers = [self._servers.server(vm) for vm in there]
        if servers and all(each and each.status == "ERROR" for each in servers):
            self._metrics.failed_claims.labels(cause="error").inc()

    def give_up(self, spot: str) -> None:
        """Wait for a spot no more: its compute did not delete or shelve it."""
        with self._giving_up:
            with self._condition:
                leaving = self._leaving.get(spot) or self._late.get(spot)
            if leaving is None:
                return
            did_not = f"its compute did not {leaving.fields['action']} it"
            event = event_of("failed", leaving.fields)
            self._audit.write(event, **leaving.fields, order="taken", error=did_not)
            self._forget(leaving)
        if leaving.is_locked:
            self._news.take_back(spot)
        self._did_not_go(leaving)
        self._metrics.failures.inc()

    def _becomes_late(self, leaving: Leaving) -> None:
        timeout = self._timeout_of(leaving)
        LOG.warning(
            "spot %s still holds its capacity %.0f s after its eviction", leaving.spot, timeout
        )
        self._forget(leaving)
        with self._condition:
            self._late[leaving.spot] = leaving
            self._metrics.late_now.set(len(self._late))
        self._did_not_go(leaving)
        self._metrics.late.inc()
        self._audit.write(event_of("late", leaving.fields), **leaving.fields, timeout=timeout)

    def _forget(self, leaving: Leaving) -> None:
        with self._condition:
            # Not what was ordered anew meanwhile.
            for known in (self._leaving, self._late):
                if known.get(leaving.spot) is leaving:
                    del known[leaving.spot]
            self._metrics.late_now.set(len(self._late))
