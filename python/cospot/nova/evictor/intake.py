"""Receives plans. Whatever arrives on the topic, nothing is believed and nothing crashes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import oslo_messaging
from oslo_log import log as logging

from cospot.nova import plan_bus, plan_message
from cospot.nova.evictor.metrics import Metrics
from cospot.nova.evictor.plan_book import KnownPlan, PlanBook, PlanOutcome

LOG = logging.getLogger(__name__)


class PlanEndpoint:
    """oslo.messaging calls `info` for every notification on the plan topic."""

    def __init__(
        self, plans: PlanBook, metrics: Metrics, accepted: Callable[[KnownPlan], None]
    ) -> None:
        self._plans = plans
        self._metrics = metrics
        self._accepted = accepted

    def info(
        self, context: Any, publisher_id: Any, event_type: Any, payload: Any, metadata: Any
    ) -> None:
        """Take a plan; log what is none."""
        try:
            outcome = self._take(publisher_id, event_type, payload)
        except Exception:
            # Not even a mistake of ours may stop the listener.
            LOG.exception("cannot take a message from %.80r", publisher_id)
            outcome = PlanOutcome.MALFORMED
        self._metrics.plans.labels(outcome=outcome.value).inc()

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
