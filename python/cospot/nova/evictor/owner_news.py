"""Tells the owner of a spot in Nova why it goes: the reason of a lock outlives the server.

Nova records who deleted a server and not why. Its metadata and tags go with it; the reason of a
lock does not, and the owner can read it among the servers that have changed. The order to delete
comes first: telling delays no eviction, and whatever goes wrong in it stops none.
"""

from __future__ import annotations

import time
from typing import Final

from cospot.nova import log as logging
from cospot.nova.evictor import causes
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.snapshot import Spot
from cospot.nova.moment import offset_text_of
from cospot.nova.state.errors import UNKNOWN_OUTCOMES, CloudError

LOG = logging.getLogger(__name__)
_PATIENCE_S: Final = 3.0
#: The beginning of a reason, which tells this service's locks from those of others.
_BEGINS: Final = "spot evicted ("
#: The words to an owner; nothing of other customers.
TEXTS: Final = {
    causes.VM_CLAIM: "a regular server needs the capacity",
    causes.SPOT_RACE: "it did not fit, as several spots were placed at once",
    causes.CAPACITY_SHRANK: "its host has lost capacity",
    causes.PERSISTING: "its host was overcommitted for some time",
    causes.RESERVE: "the capacity is kept free for regular servers",
}


class OwnerNews:
    """Thread-safe. Raises nothing."""

    def __init__(self, context: EvictorContext) -> None:
        self._settings = context.settings
        self._servers = context.servers

    def tell(self, spot: Spot, why: str) -> bool:
        """Lock a spot that is being deleted; return whether it is locked for that now.

        Args:
            spot: one that is locked already keeps its reason: its owner's, or that of an earlier
                order, of another copy of the service too.
            why: one of the constants of `causes`.
        """
        if spot.server.is_locked:
            return spot.server.locked_reason.startswith(_BEGINS)
        if not self._settings.tell_owners:
            return False
        now = offset_text_of(time.time())
        text = f"{_BEGINS}{why}): {TEXTS.get(why, 'its capacity is needed')}; {now}"
        try:
            self._servers.lock(spot.uuid, text, _PATIENCE_S)
        except CloudError as error:
            if error.status in UNKNOWN_OUTCOMES:  # it may have been locked nevertheless
                return True
            LOG.debug("its owner is not told why %s goes: %s", spot.uuid, error)
            return False
        return True

    def take_back(self, spot: str) -> None:
        """Unlock a spot that did not go after all."""
        try:
            self._servers.unlock(spot, _PATIENCE_S)
        except CloudError as error:
            LOG.warning("spot %s did not go and stays locked: %s", spot, error)
