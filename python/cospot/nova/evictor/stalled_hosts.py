"""Hosts that free nothing: what was ordered there has not gone, so nothing more is ordered.

A compute that hangs, or that fails at every deletion, frees nothing for whatever is ordered there:
each further order would cost one more spot and free nothing. So a host is stalled when

- a deletion on it has been under way for longer than `deletion_timeout`, or
- two of its spots were ordered and its compute gave up on both,

and nothing has gone from it since. On a stalled host only what was ordered before is ordered again,
with growing pauses, until something goes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from typing import Final

from cospot.nova import log as logging
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.snapshot import HostSnapshot

LOG = logging.getLogger(__name__)

#: So many spots in a row that a compute was told to delete, and did not, are no chance any more.
_MOST_FAILED: Final = 2
_LONGEST_PAUSE_S: Final = 3600.0


@dataclass(frozen=True)
class Observed:
    """The fate of a host's orders, as a snapshot showed it.

    Attributes:
        failed: spots that were to be deleted, and that Nova deletes no more.
        pardoned: spots whose deletion counts as under way again, as another one went.
    """

    failed: frozenset[str]
    pardoned: frozenset[str]


@dataclass
class _Flow:
    """The fate of the orders on one host.

    Attributes:
        going: spots seen being deleted, or ordered since.
        silent: of those, the ones of which nothing is heard: their deletion is stuck.
        failed: spots that the compute was to delete and did not.
        pardoned: spots that were silent until another one went.
        excused: spots that did not go while others did: they say nothing of their host.
        is_stalled: what was written down last.
        host: its name, as it was written down.
    """

    going: set[str] = field(default_factory=set)
    silent: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    pardoned: set[str] = field(default_factory=set)
    excused: set[str] = field(default_factory=set)
    is_stalled: bool = False
    host: str = ""

    @property
    def suspects(self) -> set[str]:
        return self.silent | self.failed | self.excused

    @property
    def frees_nothing(self) -> bool:
        return bool(self.silent) or len(self.failed) >= _MOST_FAILED

    def observe(
        self, here: Set[str], leaving: Set[str], stuck: Set[str], alive: Set[str]
    ) -> Observed:
        """Take note of what is on the host now.

        Args:
            here: all consumers.
            leaving: those whose deletion is under way.
            stuck: those whose deletion is under way for too long.
            alive: those that Nova shows here, and not being deleted.
        """
        pardoned: set[str] = set()
        if (self.going | self.suspects) - here:
            # Something went, so the others have their turn: once, then they do not count any more.
            pardoned = (self.silent & here) - self.pardoned
            self.excused |= self.failed | (self.silent - pardoned)
            self.silent, self.failed = set(), set()
            self.pardoned |= pardoned
        for each in (self.silent, self.failed, self.pardoned, self.excused):
            each.intersection_update(here)
        failed = ((self.going | self.silent) & alive) - self.failed - self.excused
        self.failed |= failed
        self.silent = (self.silent - alive) | (stuck - self.excused - pardoned)
        self.going = set(leaving | stuck)
        return Observed(frozenset(failed), frozenset(pardoned))


class StalledHosts:
    """Knows which hosts free nothing, and when to order there again what did not go. Thread-safe.

    Args:
        clock: monotonic time, seconds.
    """

    def __init__(
        self, context: EvictorContext, clock: Callable[[], float] = time.monotonic
    ) -> None:
        #: After it a spot that did not go is ordered again; doubled each time.
        self._pause = context.settings.deletion_timeout
        self._deletions = context.deletions
        self._store = context.stores.stalled
        self._audit = context.audit
        self._metrics = context.metrics
        self._clock = clock
        self._lock = threading.RLock()
        self._flows: dict[str, _Flow] = {}
        self._tries: dict[str, tuple[int, float]] = {}  # how many, and when the next may be

    def providers(self) -> set[str]:
        """Return the stalled hosts, by provider: also those that another copy has written down."""
        with self._lock:
            known = {provider for provider, flow in self._flows.items() if flow.frees_nothing}
        return known | set(self._store.all())

    def is_stalled(self, provider: str) -> bool:
        """Tell whether a host frees nothing, as far as is known."""
        with self._lock:
            self._adopt(provider)
            return self._flow(provider).frees_nothing

    def may_order(self, provider: str, spot: str) -> bool:
        """Tell whether a spot may be ordered now: a new one, or one that did not go, again."""
        with self._lock:
            flow = self._flow(provider)
            if spot in flow.suspects:
                return self._clock() >= self._tries.get(spot, (0, 0.0))[1]
            return not flow.frees_nothing

    def observe(self, snapshot: HostSnapshot) -> Observed:
        """Take note of a host, under its lock; say so when it stalls and when it frees again.

        Raises:
            AuditError: it could not be written down.
        """
        provider, spots = snapshot.usage.provider, snapshot.spots
        here = frozenset(snapshot.usage.consumers)
        with self._lock:
            self._adopt(provider)
            flow = self._flow(provider)
            before = flow.suspects
            # A stuck one was reset for an order without an answer: it may be going again. Of others
            # Nova shows that their deletion came to nothing, whoever may have ordered them again.
            reset = snapshot.pending & flow.silent
            alive = frozenset(spots.evictable) - spots.stuck - reset
            # What Nova does not know may hold the host for a move under way: that is no deletion.
            leaving = spots.leaving - (snapshot.just_gone - flow.going)
            observed = flow.observe(here, leaving, spots.stuck, alive)
            for spot in observed.failed:
                self._tried(spot)
            for spot in before - here:
                self._tries.pop(spot, None)
            for spot in observed.pardoned:
                self._deletions.restart(provider, spot)
        self._tell(snapshot.host.host, provider, flow)
        return observed

    def ordered(self, provider: str, spot: str) -> None:
        """Take note that Nova took the order to delete a spot."""
        with self._lock:
            flow = self._flow(provider)
            flow.going.add(spot)
            if spot in flow.suspects:
                self._tried(spot)
                self._deletions.restart(provider, spot)

    def refused(self, spot: str) -> None:
        """Take note that Nova would not take the order to delete a spot again."""
        with self._lock:
            self._tried(spot)

    def did_not_go(self, provider: str, spot: str) -> None:
        """Take note of an order whose time is over, on a host that nobody else looks at."""
        with self._lock:
            flow = self._flow(provider)
            if spot not in flow.suspects:
                flow.silent.add(spot)

    def forget(self, provider: str) -> None:
        """Say no more of a host that is none any more.

        If it is listed again, what did not go there is still known: placement may have left it out
        by mistake.
        """
        with self._lock:
            flow = self._flows.get(provider)
            if flow is not None and not flow.is_stalled:
                return
            if flow is not None:
                flow.is_stalled = False
                self._metrics.stalled.labels(host=flow.host)
                self._metrics.stalled.remove(flow.host)
        self._store.remove(provider)

    def _flow(self, provider: str) -> _Flow:
        if provider not in self._flows:
            self._flows[provider] = _Flow()
            self._adopt(provider)
        return self._flows[provider]

    def _adopt(self, provider: str) -> None:
        """Take over what was written down before a restart, or by another copy."""
        stored = set(self._store.spots(provider))
        if stored:
            flow = self._flows.setdefault(provider, _Flow())
            flow.silent |= stored - flow.suspects - flow.pardoned
            flow.is_stalled = True

    def _tried(self, spot: str) -> None:
        count, _ = self._tries.get(spot, (0, 0.0))
        pause = min(self._pause * 2 ** min(count, 30), _LONGEST_PAUSE_S)
        self._tries[spot] = (count + 1, self._clock() + pause)

    def _tell(self, host: str, provider: str, flow: _Flow) -> None:
        gauge = self._metrics.stalled.labels(host=host)
        spots = sorted(flow.silent | flow.failed)
        if flow.frees_nothing and not flow.is_stalled:
            LOG.error(
                "host %s frees nothing: %s should be gone; nothing more is evicted there until"
                " something goes. Look at its nova-compute",
                host,
                ", ".join(spots),
            )
            self._audit.write("host_stalled", host=host, provider=provider, spots=spots)
        elif flow.is_stalled and not flow.frees_nothing:
            LOG.warning("host %s frees again", host)
            self._audit.write("host_resumed", host=host, provider=provider)
        flow.is_stalled, flow.host = flow.frees_nothing, host
        if flow.is_stalled:
            self._store.put(provider, host, spots)
            gauge.set(1)
        else:
            self._store.remove(provider)
            self._metrics.stalled.remove(host)
