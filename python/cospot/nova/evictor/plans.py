"""Plans as they come: received, stored, and their instances' claims waited for.

Whatever arrives on the topic, nothing is believed and nothing crashes. A few threads then ask
placement, each about the instance that is due next, once and with a short time-out: a question that
hangs holds up one thread for that long and no other instance.
"""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import oslo_messaging

from cospot.nova import log as logging
from cospot.nova import plan_bus, plan_message
from cospot.nova.background import Background
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.model import Amounts
from cospot.nova.promises import promise_message
from cospot.nova.state.errors import EvictorError
from cospot.nova.state.stores import KnownPlan, PlanOutcome

LOG = logging.getLogger(__name__)
#: Pauses between two questions about an instance: a tenth of how long it has been waited for. A
#: scheduler claims within some 100 ms of its plan. Where many are waited for, each has its turn.
_FIRST_PAUSE_S: Final = 0.02
_PAUSE_OF_EACH_S: Final = 0.002
_LONGEST_PAUSE_S: Final = 0.5
_PAUSE_SHARE: Final = 0.1
#: Pause where a reconcile iteration waits for the claim too, on the most likely host, seconds.
_EXPECTED_PAUSE_S: Final = 0.1
#: No iteration waits where so lately another plan came: it has others to work on, seconds.
_QUIET_S: Final = 1.0
#: An instance that held something when its plan came is a move, or its claim was faster than the
#: plan. How long to see which, and how often to look, seconds.
_SETTLING_S: Final = 10.0
_SETTLING_PAUSE_S: Final = 1.0
#: Questions at once. A plan whose questions fail is asked about again, within its own deadline.
_THREADS: Final = 4
_PATIENCE_S: Final = 3.0


@dataclass
class _Watch:
    known: KnownPlan
    since: float
    deadline: float
    is_expected: bool = False
    first_seen: Mapping[str, Amounts] | None = None
    has_failed: bool = False


class ClaimWatch(Background):
    """Asks placement about planned instances until they hold something on a host.

    Args:
        found: called with a provider on which an instance has its claim.
        expected: called with one on which a claim is expected, if nothing else is to be done.
    """

    def __init__(
        self,
        context: EvictorContext,
        found: Callable[[str], None],
        expected: Callable[[str], None],
    ) -> None:
        super().__init__("claim-watch", _THREADS)
        self._placement = context.placement
        self._metrics = context.metrics
        self._timeout = context.settings.claim_timeout
        # The reconcile of all hosts finds the claims of the others.
        self._most = context.settings.max_plans
        self._found = found
        self._expected = expected
        self._last_at = float("-inf")
        self._heap: list[tuple[float, int, _Watch]] = []
        self._asking = 0  # watches that a thread has taken from the heap
        self._order = itertools.count()

    def watch(self, known: KnownPlan) -> None:
        """Ask about a plan's instance from now on, if there are not too many already."""
        now, provider = time.monotonic(), known.expected_on
        with self._condition:
            is_expected = provider is not None and now - self._last_at > _QUIET_S
            self._last_at = now
            if len(self._heap) + self._asking >= self._most:
                self._metrics.errors.labels(where="claim-watch").inc()
                return
            self._push(now, _Watch(known, now, now + self._timeout, is_expected))
        if is_expected and provider is not None:
            self._expected(provider)

    def _push(self, due: float, watch: _Watch) -> None:
        heapq.heappush(self._heap, (due, next(self._order), watch))
        self._condition.notify()

    def _take(self) -> _Watch | None:
        """Return the watch that is due next, as soon as it is; None in order to end."""
        with self._condition:
            while not self._stopping:
                pause = self._heap[0][0] - time.monotonic() if self._heap else None
                if pause is not None and pause <= 0:
                    self._asking += 1
                    return heapq.heappop(self._heap)[2]
                self._condition.wait(pause)
        return None

    def _run(self) -> None:
        while (watch := self._take()) is not None:
            try:
                pause = self._ask(watch)
            except Exception:
                LOG.exception("unexpected error while watching %s", watch.known.plan.instance)
                pause = None  # the reconcile of all hosts finds what it would have found
            due = None if pause is None else time.monotonic() + pause
            with self._condition:
                self._asking -= 1
                if due is not None and due < watch.deadline:
                    self._push(due, watch)

    def _ask(self, watch: _Watch) -> float | None:
        """Ask once; return the seconds until the next time, None when it is enough."""
        instance = watch.known.plan.instance
        try:
            held = self._placement.allocation(instance, _PATIENCE_S)
        except EvictorError as error:
            self._metrics.errors.labels(where="claim-watch").inc()
            level = logging.DEBUG if watch.has_failed else logging.WARNING
            watch.has_failed = True
            LOG.log(level, "cannot see the claim of %s: %s", instance, error)
            return _LONGEST_PAUSE_S
        is_first = watch.first_seen is None
        if watch.first_seen is None:
            watch.first_seen = held
        if held and (is_first or held != watch.first_seen):
            unseen = [provider for provider in held if provider not in watch.known.seen_on]
            if unseen:
                watch.known.claimed_at = time.monotonic()
            for provider in unseen:
                self._found(provider)
            if not is_first:
                return None
            watch.deadline = min(watch.deadline, time.monotonic() + _SETTLING_S)
        if watch.first_seen:
            return _SETTLING_PAUSE_S
        pause = pause_after(time.monotonic() - watch.since, len(self._heap))
        return max(pause, _EXPECTED_PAUSE_S) if watch.is_expected else pause


def pause_after(waited: float, watched: int) -> float:
    """Return the seconds until an instance is asked about again.

    Args:
        waited: how long its claim has been waited for, seconds.
        watched: how many others are waited for.
    """
    least = max(_FIRST_PAUSE_S, _PAUSE_OF_EACH_S * watched)
    return min(max(_PAUSE_SHARE * waited, least), _LONGEST_PAUSE_S)


class PlanEndpoint:
    """oslo.messaging calls `info` for every notification on the plan topic."""

    def __init__(self, context: EvictorContext, accepted: Callable[[KnownPlan], None]) -> None:
        self._plans = context.plans
        self._promises = context.promises
        self._metrics = context.metrics
        self._accepted = accepted

    def info(
        self, context: Any, publisher_id: Any, event_type: Any, payload: Any, metadata: Any
    ) -> None:
        """Take a plan, or what was promised to a spot; log what is neither."""
        if event_type == promise_message.EVENT_TYPE:
            self._take_promise(publisher_id, payload)
            return
        try:
            outcome = self._take(publisher_id, event_type, payload)
        except Exception:
            # Not even a mistake of ours may stop the listener.
            LOG.exception("cannot take a message from %.80r", publisher_id)
            outcome = PlanOutcome.MALFORMED
        self._metrics.plans.labels(outcome=outcome.value).inc()

    def _take_promise(self, publisher_id: Any, payload: Any) -> None:
        try:
            self._promises.take(promise_message.promise_from_message(payload))
        except promise_message.PromiseMessageError as error:
            LOG.warning("ignoring a malformed promise from %.80r: %s", publisher_id, error)
        except Exception:
            LOG.exception("cannot take a promise from %.80r", publisher_id)

    def _take(self, publisher_id: Any, event_type: Any, payload: Any) -> PlanOutcome:
        try:
            plan = _read(event_type, payload)
        except plan_message.PlanMessageError as error:
            plan, problem = None, str(error)
        if plan is None:
            LOG.warning("ignoring a malformed plan from %.80r: %s", publisher_id, problem)
            return PlanOutcome.MALFORMED
        outcome, known = self._plans.add(plan, time.time())
        if known is not None:
            self._accepted(known)
        elif outcome is PlanOutcome.DUPLICATE:
            LOG.debug("keeping the first plan of instance %s", plan.instance)
        else:
            LOG.warning("dropping plan %s of %s: %s", plan.plan_id, plan.instance, outcome.value)
        return outcome


class PlanIntake:
    """Listens on the plan topic; RabbitMQ may come and go. Its queue keeps plans meanwhile."""

    def __init__(self, conf: Any, topic: str, endpoint: PlanEndpoint) -> None:
        transport = oslo_messaging.get_notification_transport(conf)
        self._listener = oslo_messaging.get_notification_listener(
            transport,
            [plan_bus.receiving_target(topic)],
            [endpoint],
            executor="threading",
        )
        self._listening = threading.Event()
        # Starting waits for RabbitMQ for as long as it takes; the rest of the service must not.
        self._thread = threading.Thread(target=self._start, name="plan-intake", daemon=True)

    def start(self) -> None:
        """Begin to listen, at the latest when RabbitMQ is there."""
        self._thread.start()

    def stop(self) -> None:
        """Stop listening, if it ever began."""
        if self._listening.is_set():  # else stopping would wait for the start
            self._listener.stop()

    def _start(self) -> None:
        try:
            self._listener.start()
            self._listening.set()
        except Exception:
            LOG.exception("cannot listen for plans; the reconcile loop goes on without them")


def _read(event_type: Any, payload: Any) -> plan_message.Plan:
    if event_type != plan_message.EVENT_TYPE:
        raise plan_message.PlanMessageError(
            f"event type: {event_type!r:.80}, expected {plan_message.EVENT_TYPE}"
        )
    return plan_message.plan_from_message(payload)
