"""A check for Nova's own notifications that accumulate in queues without a consumer.

The plugin needs none of them: plans are sent regardless of `[oslo_messaging_notifications] driver`.
Each Nova service may have its own nova.conf, so RabbitMQ is queried even if this file disables
notifications.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from cospot.nova.tools.cloud import CloudError
from cospot.nova.tools.doctor import evictor_checks
from cospot.nova.tools.doctor.finding import Check, Finding, ok, unknown, warning

_OFF: Final = (
    "remove driver from [oslo_messaging_notifications] in the nova.conf of every service, restart"
    " them, then delete the queue; or have a service read it"
)


def notification_checks(settings: Any, *, offline: bool) -> list[Check]:
    """Return the check.

    Args:
        settings: From `read_settings`.
        offline: Whether RabbitMQ must not be queried.
    """
    return [
        Check(
            "notifications",
            "Nova sends several notifications for each instance. RabbitMQ keeps them, in memory and"
            " on disk, until somebody reads them. cospot does not, and does not need them.",
            lambda: _check(settings, offline=offline),
        )
    ]


def filled_queues(settings: Any) -> list[str]:
    """Return the queues that Nova fills with this configuration; none without notifications."""
    if not {"messaging", "messagingv2"} & set(settings.oslo_messaging_notifications.driver):
        return []
    topics = _topics(settings)
    form = settings.notifications.notification_format
    return [f"{topic}.info" for kind, topic in topics if form in (kind, "both")]


def _topics(settings: Any) -> list[tuple[str, str]]:
    unversioned = settings.oslo_messaging_notifications.topics
    versioned = settings.notifications.versioned_notifications_topics
    return [
        *(("versioned", topic) for topic in versioned),
        *(("unversioned", topic) for topic in unversioned),
    ]


def _check(settings: Any, *, offline: bool) -> Iterator[Finding]:
    filled = filled_queues(settings)
    asked: list[str] = []
    if not offline:
        asked = list(dict.fromkeys(f"{topic}.info" for _, topic in _topics(settings)))
    try:
        states = {queue: evictor_checks.queue_state(settings, queue) for queue in asked}
    except CloudError as found:
        states = {}
        why = f"RabbitMQ cannot be asked ({found})"
    else:
        why = "RabbitMQ was not asked (--offline)"
    for queue in filled:
        if queue not in states:
            yield unknown(f"Nova fills the queue {queue}: {why} whether anything reads it", _OFF)
    for queue, state in states.items():
        yield from _queue_findings(queue, state, is_filled=queue in filled)
    if not filled and not states:
        yield ok("this file has them off")


def _queue_findings(
    queue: str, state: tuple[int, int] | None, *, is_filled: bool
) -> Iterator[Finding]:
    messages, consumers = state or (0, 0)
    if consumers:
        yield ok(f"{queue}: read by {consumers}")
    elif messages:
        yield warning(f"nobody reads {queue}: {messages} messages wait, and grow in number", _OFF)
    elif is_filled:
        yield warning(f"Nova fills {queue}, and nobody reads it", _OFF)
