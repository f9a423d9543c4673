"""Counts which promises of a lifetime are kept, and raises an alarm when too many are broken.

It evicts nothing, and nothing that goes wrong in it keeps anything else from going on: no eviction
waits for a promise. Who was promised a lifetime comes after the others (victims.py).
"""

from __future__ import annotations

import time
from typing import Any, Final

from cospot.nova import log as logging
from cospot.nova.background import Background
from cospot.nova.evictor.cloud import Placement
from cospot.nova.promises.journal import KnownPromise, PromiseCounts
from cospot.nova.promises.kept_share import BrokenShare, broken_share
from cospot.nova.promises.promise_message import Promise
from cospot.nova.state.errors import EvictorError
from cospot.nova.state.opened_stores import Stores
from cospot.nova.state.records import AuditLog, Metrics
from cospot.nova.state.stores import CLOCK_SKEW_S

LOG = logging.getLogger(__name__)
#: Pause between two counts, and questions to placement in each.
_PAUSE_S: Final = 10.0
_MOST_QUESTIONS: Final = 50
#: After so many questions without an answer placement itself may be away.
_MOST_UNANSWERED: Final = 3
_PATIENCE_S: Final = 3.0
_DAY_S: Final = 86400.0
#: So many evictions are remembered: the message of a promise may come after its spot went.
_MOST_EVICTED: Final = 1000


class PromiseKeeper(Background):
    """Thread-safe.

    Args:
        stores: have the journal, and the options, live.
        placement: tells whether a spot got capacity.
    """

    def __init__(
        self, stores: Stores, placement: Placement, audit: AuditLog, metrics: Metrics
    ) -> None:
        super().__init__("promise-keeper")
        self._settings = stores.settings
        self._now = stores.now
        self._placement = placement
        self._audit = audit
        self._metrics = metrics
        self._journal = stores.journal
        self._evicted_at: dict[str, float] = {}
        self._kept: dict[float, int] = {}
        self._broken: dict[float, int] = {}
        self._alarms: set[float] = set()
        self._unanswered: dict[str, int] = {}  # questions about spots not seen yet
        self._dropped_at = float("-inf")
        self._unreadable_until = float("-inf")

    def take(self, promise: Promise) -> None:
        """Note a promise that a scheduler has given. Raises nothing."""
        try:
            if promise.made_at - self._now() > CLOCK_SKEW_S:
                LOG.warning("dropping a promise of the future to spot %s", promise.instance)
            elif self._journal.add(promise):
                LOG.info(
                    "spot %s was promised to live %.0f s", promise.instance, promise.lifetime_s
                )
                if promise.instance in self._evicted_at:
                    self._break(promise.instance, self._evicted_at[promise.instance])
        except Exception as error:
            self._fail("a promise cannot be noted", error)

    def evicted(self, spot: str) -> None:
        """Note that Nova has taken the order to evict a spot. Raises nothing."""
        try:
            now = self._now()
            while len(self._evicted_at) >= _MOST_EVICTED:
                self._evicted_at.pop(next(iter(self._evicted_at)), None)
            self._evicted_at[spot] = now
            self._break(spot, now)
        except Exception as error:
            self._fail("an eviction cannot be noted among the promises", error)

    def _break(self, spot: str, at: float) -> None:
        known = self._journal.evicted(spot, at)
        if known is not None:
            self._write_broken(known)

    def promised_until(self, spot: str) -> float:
        """Return until when a spot is promised to live, seconds since the epoch; 0: it is not.

        Raises nothing.
        """
        if time.monotonic() < self._unreadable_until:
            return 0.0
        try:
            return self._journal.promised_until(spot)
        except Exception as error:
            self._unreadable_until = time.monotonic() + _PAUSE_S
            self._fail("promises cannot be read: nobody goes last because of one", error)
            return 0.0

    def known(self, spot: str) -> KnownPromise | None:
        """Return what a spot was promised, from memory; None: nothing."""
        return self._journal.known(spot)

    def count(self) -> None:
        """Bring metrics and alarms up to date. Raises nothing."""
        try:
            self._count(self._now())
        except Exception as error:
            self._fail("promises cannot be counted", error)

    def _run(self) -> None:
        self.count()
        while self._pause(_PAUSE_S):
            self.count()

    def _count(self, now: float) -> None:
        window = self._settings.promise_days * _DAY_S
        self._journal.refresh()
        self._look_at_evicted()
        self._look_at_new(now)
        if now - self._dropped_at > _DAY_S / 24:
            self._journal.drop_old(now, window)
            self._dropped_at = now
        counted = self._journal.counts(now, window)
        # A target whose last promise has left the window has none, and no alarm.
        gone = self._kept.keys() - {counts.target for counts in counted}
        for counts in [*counted, *map(PromiseCounts, gone)]:
            self._show(broken_share(counts))

    def _look_at_evicted(self) -> None:
        """Note evictions whose spots' promises other copies of the service heard of afterwards."""
        for spot, at in list(self._evicted_at.items()):
            if self._journal.known(spot) is not None:
                self._break(spot, at)

    def _look_at_new(self, now: float) -> None:
        """Ask placement whether spots were built: one that was not has nothing to be kept."""
        new = self._journal.unseen(now, self._settings.claim_timeout)
        unanswered = {each.instance: self._unanswered.get(each.instance, 0) for each in new}
        self._unanswered = {spot: count for spot, count in unanswered.items() if count}
        # Those without an answer come last: they keep no other from being seen.
        new.sort(key=lambda each: unanswered[each.instance])
        failed = 0
        for promise in new[:_MOST_QUESTIONS]:
            try:
                runs = bool(self._placement.allocation(promise.instance, _PATIENCE_S))
            except EvictorError as error:
                self._is_unanswered(promise.instance, error)
                failed += 1
                if failed == _MOST_UNANSWERED:
                    return
                continue
            self._unanswered.pop(promise.instance, None)
            # One looked at so late may have been ended by its owner: it counts as kept.
            ended = not runs and now - promise.made_at > 2 * self._settings.claim_timeout
            self._journal.saw(promise, runs=runs or ended, now=now)

    def _is_unanswered(self, spot: str, error: EvictorError) -> None:
        """Count a question that was not answered; say so of each spot once."""
        self._metrics.errors.labels(where="promises").inc()
        count = self._unanswered.get(spot, 0)
        self._unanswered[spot] = count + 1
        level = logging.DEBUG if count else logging.WARNING
        LOG.log(level, "cannot see whether spot %s was built: %s", spot, error)

    def _show(self, share: BrokenShare) -> None:
        counts, label = share.counts, f"{share.counts.target:g}"
        self._raise_to(self._metrics.promises_kept, self._kept, counts.target, counts.kept)
        self._raise_to(self._metrics.promises_broken, self._broken, counts.target, counts.broken)
        self._metrics.promises_open.labels(target=label).set(counts.open)
        self._metrics.promises_share.labels(target=label, bound="lower").set(share.lower)
        self._metrics.promises_share.labels(target=label, bound="upper").set(share.upper)
        self._metrics.promises_alarm.labels(target=label).set(float(share.alarm))
        if share.alarm != (counts.target in self._alarms):
            self._tell_alarm(share)

    def _raise_to(self, counter: Any, shown: dict[float, int], target: float, now: int) -> None:
        """A counter only grows, though what it counts leaves the window."""
        labelled = counter.labels(target=f"{target:g}")
        labelled.inc(max(0, now - shown.get(target, 0)))
        shown[target] = now

    def _tell_alarm(self, share: BrokenShare) -> None:
        fields = share.as_json()
        target = share.counts.target
        if share.alarm:
            self._alarms.add(target)
            LOG.error(
                "promises are broken more often than they may: %d of %d, with 95 %% confidence at"
                " least %.2f %%, where %.2f %% may be; make the table anew (cospot-nova promise),"
                " or promise less",
                share.counts.broken,
                share.counts.promised,
                100 * share.lower,
                100 * target,
            )
            self._audit.write("promise_alarm", **fields)
        else:
            self._alarms.discard(target)
            LOG.info("promises are kept again: %s", fields)
            self._audit.write("promise_alarm_over", **fields)

    def _write_broken(self, known: KnownPromise) -> None:
        promise, at = known.promise, known.broken_at or 0.0
        lived = max(0.0, at - promise.made_at)
        LOG.warning(
            "spot %s was promised to live %.0f s and is evicted after %.0f s",
            promise.instance,
            promise.lifetime_s,
            lived,
        )
        self._audit.write(
            "promise_broken",
            instance=promise.instance,
            target=promise.target,
            lifetime_s=promise.lifetime_s,
            lived_s=round(lived, 3),
        )

    def _fail(self, what: str, error: Exception) -> None:
        self._metrics.errors.labels(where="promises").inc()
        LOG.error("%s: %s: %s", what, type(error).__name__, error)
