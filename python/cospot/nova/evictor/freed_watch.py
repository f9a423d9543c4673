"""Waits until placement shows that evicted spots hold nothing any more."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from oslo_log import log as logging

from cospot.nova.evictor.audit import AuditLog
from cospot.nova.evictor.errors import EvictorError
from cospot.nova.evictor.metrics import Metrics
from cospot.nova.evictor.placement import Placement

LOG = logging.getLogger(__name__)
_FIRST_PAUSE_S = 0.1
_PAUSE_S = 0.25


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

    def __init__(
        self,
        placement: Placement,
        audit: AuditLog,
        metrics: Metrics,
        timeout: float,
        shelve_timeout: float,
        did_not_go: Callable[[Leaving], None],
    ) -> None:
        self._placement = placement
        self._audit = audit
        self._metrics = metrics
        self._timeouts = {"delete": timeout, "shelve-offload": shelve_timeout}
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
        """Wait for a spot's room too."""
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
                    self._look(provider, group)
                except Exception:
                    LOG.exception("unexpected error while watching provider %s", provider)
                    time.sleep(_PAUSE_S)

    def _look(self, provider: str, group: list[Leaving]) -> None:
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
        self._forget(leaving)
        took = time.monotonic() - leaving.ordered_at
        self._metrics.delete_to_freed.observe(took)
        since_claim = None
        if leaving.claimed_at is not None:
            since_claim = round(time.monotonic() - leaving.claimed_at, 3)
            self._metrics.claim_to_freed.observe(since_claim)
        self._audit.write(
            "freed", **leaving.fields, seconds=round(took, 3), seconds_since_claim=since_claim
        )

    def give_up(self, spot: str, why: str) -> None:
        """Wait for a spot no more: it will not go."""
        with self._condition:
            leaving = self._leaving.get(spot)
        if leaving is not None:
            self._fail(leaving, why)

    def _late(self, leaving: Leaving) -> None:
        timeout = self._timeout_of(leaving)
        LOG.error("spot %s still holds its room %.0f s after its eviction", leaving.spot, timeout)
        self._fail(leaving, f"not freed in {timeout} s")

    def _fail(self, leaving: Leaving, why: str) -> None:
        self._forget(leaving)
        self._did_not_go(leaving)
        self._metrics.failures.inc()
        self._audit.write("failed", **leaving.fields, error=why)

    def _forget(self, leaving: Leaving) -> None:
        with self._condition:
            self._leaving.pop(leaving.spot, None)
