"""The message exchange for plans: cospot's own, with the name of the topic.

oslo.messaging declares the exchange set in `control_exchange`, `nova` or `openstack`, which other
services use too. RabbitMQ grants permissions by the names of exchanges and queues, so with a
separate exchange a user can be allowed to send or receive plans and nothing else
(docs/nova/how-it-works.md#security).

The queue's name does not depend on the exchange, so schedulers and evictors of different versions
use the same queue.
"""

from __future__ import annotations

from typing import Any


class _OwnExchange:
    """A copy of a configuration with another exchange name."""

    def __init__(self, conf: Any, exchange: str) -> None:
        self._conf = conf
        self.control_exchange = exchange

    def __getattr__(self, name: str) -> Any:
        return getattr(self._conf, name)

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __contains__(self, name: object) -> bool:
        return name in self._conf


def sending_transport(conf: Any, topic: str) -> Any:
    """Return an oslo.messaging transport for notifications on a topic.

    A notification does not name an exchange; it uses the configured one.
    """
    import oslo_messaging

    return oslo_messaging.get_notification_transport(_OwnExchange(conf, topic))


def receiving_target(topic: str) -> Any:
    """Return the target on which to listen to a topic."""
    import oslo_messaging

    return oslo_messaging.Target(exchange=topic, topic=topic)
