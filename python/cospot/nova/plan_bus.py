"""The exchange that plans go through: cospot's own, named like the topic.

oslo.messaging declares the exchange of its configuration, `control_exchange`: `nova` or
`openstack`, which other services use too. RabbitMQ gives rights by the names of exchanges and
queues; on one of its own a user can be let send or receive plans, and nothing else
(docs/nova/security.md).

The queue has the same name through any exchange, so a scheduler and an evictor of different
versions meet in it.
"""

from __future__ import annotations

from typing import Any


class _OwnExchange:
    """A configuration that differs from another in the name of the exchange alone."""

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
    """Return a transport of oslo.messaging for notifications on a topic.

    A notification says no exchange; it goes through the one that the configuration names.
    """
    import oslo_messaging

    return oslo_messaging.get_notification_transport(_OwnExchange(conf, topic))


def receiving_target(topic: str) -> Any:
    """Return the target at which a listener gets what is sent on a topic."""
    import oslo_messaging

    return oslo_messaging.Target(exchange=topic, topic=topic)
