"""Tells a spot's owner, and whoever listens, when the spot will be evicted, or that it will not."""

from __future__ import annotations

import socket
from datetime import datetime, timezone
from typing import Any, Final

import oslo_messaging
from oslo_log import log as logging

from cospot.nova.evictor.errors import CloudError
from cospot.nova.evictor.servers import Servers

LOG = logging.getLogger(__name__)

METADATA_KEY: Final = "cospot_evict_at"
NOTICE_EVENT: Final = "cospot.eviction_notice"
WITHDRAWN_EVENT: Final = "cospot.eviction_notice_withdrawn"
#: A message bus that is away must not stop the loop.
_SEND_TRIES: Final = 1


class NoticeSender:
    """Sends by server metadata and by oslo.messaging.

    Messages go to the topics and by the driver of [oslo_messaging_notifications]; with no driver
    there, none are sent.
    """

    def __init__(self, conf: Any, servers: Servers) -> None:
        self._servers = servers
        self._notifier = oslo_messaging.Notifier(
            oslo_messaging.get_notification_transport(conf),
            publisher_id=f"cospot-evictor:{socket.gethostname()}",
            retry=_SEND_TRIES,
        )

    def give(self, spot: str, project_id: str, evict_at: float, action: str) -> None:
        """Tell that a spot will be evicted at a time (seconds since the epoch)."""
        moment = datetime.fromtimestamp(evict_at, timezone.utc).isoformat(timespec="seconds")
        try:
            self._servers.set_metadata(spot, METADATA_KEY, moment)
        except CloudError as error:
            LOG.warning("cannot write the notice into the metadata of %s: %s", spot, error)
        payload = {
            "instance": spot,
            "project_id": project_id,
            "evict_at": moment,
            "action": action,
        }
        self._notifier.info({}, NOTICE_EVENT, payload)

    def withdraw(self, spot: str) -> None:
        """Tell that a spot will not be evicted after all."""
        self.forget(spot)
        self._notifier.info({}, WITHDRAWN_EVENT, {"instance": spot})

    def forget(self, spot: str) -> None:
        """Take the notice out of a spot's metadata, if the spot still is somewhere."""
        try:
            self._servers.remove_metadata(spot, METADATA_KEY)
        except CloudError as error:
            LOG.warning("cannot remove the notice from the metadata of %s: %s", spot, error)
