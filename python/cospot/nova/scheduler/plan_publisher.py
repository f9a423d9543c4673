"""Sends eviction plans and promises to the evictor without making the scheduler wait.

What is sent goes into a queue of limited length, and one thread sends it in order. When the message
bus is away plans wait, then are dropped: the evictor repairs by itself what it was not told.
"""

from __future__ import annotations

import queue
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any, TypeAlias

from cospot.nova import log as logging
from cospot.nova import plan_bus
from cospot.nova.plan_message import EVENT_TYPE, Plan, PlannedHost, plan_to_message
from cospot.nova.promises import promise_message
from cospot.nova.promises.promise_message import Promise, promise_to_message

LOG = logging.getLogger(__name__)

#: Takes a plan's message; or a promise's, and its event type.
Send: TypeAlias = Callable[..., None]


def make_plan(
    instance: str, project_id: str, policy: dict[str, str], hosts: tuple[PlannedHost, ...]
) -> Plan:
    """Make a plan of what was just decided."""
    from oslo_context import context

    current = context.get_current()
    return Plan(
        plan_id=str(uuid.uuid4()),
        made_at=time.time(),
        instance=instance,
        project_id=project_id,
        request_id=(current.request_id or "") if current is not None else "",
        policy=policy,
        hosts=hosts,
    )


class NotificationSender:
    """Sends over Nova's notification bus, with a connection of its own."""

    def __init__(self, conf: Any, topic: str) -> None:
        import oslo_messaging

        self._notifier = oslo_messaging.Notifier(
            plan_bus.sending_transport(conf, topic),
            publisher_id=f"cospot-scheduler.{conf.host}",
            driver="messagingv2",
            topics=[topic],
            retry=3,
        )

    def __call__(self, message: dict[str, Any], event_type: str = EVENT_TYPE) -> None:
        """Send a message. What goes wrong is raised, or logged by oslo.messaging."""
        self._notifier.info({}, event_type, message)


class PlanPublisher:
    """A queue of plans and promises and the thread that sends them. Threads may share it."""

    def __init__(self, make_sender: Callable[[], Send], most_waiting: int) -> None:
        self._make_sender = make_sender
        self._waiting: queue.Queue[Plan | Promise] = queue.Queue(most_waiting)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._send: Send | None = None
        self.dropped = 0

    def publish(self, plan: Plan) -> None:
        """Have a plan sent soon. Never waits, never raises for a bus that is away."""
        self._put(
            plan,
            "cospot: plan %s for instance %s was dropped, because %d plans wait for the message"
            " bus; cospot-evictor will find what to evict by itself",
            plan.plan_id,
            plan.instance,
            self._waiting.maxsize,
        )

    def tell(self, promise: Promise) -> None:
        """Have the evictor told of a promise. Never waits, never raises."""
        self._put(promise, "cospot: the promise to spot %s will not be counted", promise.instance)

    def _put(self, waiting: Plan | Promise, dropped: str, *arguments: object) -> None:
        try:
            self._waiting.put_nowait(waiting)
        except queue.Full:
            self.dropped += 1
            LOG.warning(dropped, *arguments)
        self._keep_sending()

    def wait_until_sent(self, seconds: float) -> bool:
        """Wait until no plan waits; False when that takes longer. For tests."""
        deadline = time.monotonic() + seconds
        while self._waiting.unfinished_tasks > 0:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)
        return True

    def _keep_sending(self) -> None:
        # Started by the first plan, not before: a scheduler forks its workers.
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._send_forever, name="cospot-plans", daemon=True
                )
                self._thread.start()

    def _send_forever(self) -> None:
        while True:
            waiting = self._waiting.get()
            try:
                if self._send is None:
                    self._send = self._make_sender()
                if isinstance(waiting, Promise):
                    self._send(promise_to_message(waiting), promise_message.EVENT_TYPE)
                else:
                    self._send(plan_to_message(waiting))
            except Exception:
                _log_unsent(waiting)
            finally:
                self._waiting.task_done()


def _log_unsent(waiting: Plan | Promise) -> None:
    """Log what is being raised."""
    if isinstance(waiting, Promise):
        LOG.exception(
            "cospot: the promise to spot %s could not be sent, and will not be counted",
            waiting.instance,
        )
        return
    LOG.exception(
        "cospot: plan %s for instance %s could not be sent; cospot-evictor will find"
        " what to evict by itself",
        waiting.plan_id,
        waiting.instance,
    )
