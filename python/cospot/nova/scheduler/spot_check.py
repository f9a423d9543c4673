"""Asks placement who holds the host that a spot is to get, right before the spot claims it.

Each scheduler knows its own decisions, and of the others' what hosts have reported: seconds later.
Placement would let a spot in beside any number of VMs, so schedulers that decide at the same moment
would each place spots on the same free capacity. Placement knows all claims. What is left is what
others claim between its answer and this spot's claim: a spot a host and scheduler.

VMs are not asked about: placement refuses them itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeAlias

from cospot.nova import log as logging
from cospot.nova.inventory import held
from cospot.nova.scheduler.instance_facts import NOTHING, Size
from cospot.nova.scheduler.questions import Asker, ask_placement
from cospot.nova.spot_flavors import DISK_GB, MEMORY_MB, VCPU

LOG = logging.getLogger(__name__)

Held: TypeAlias = Mapping[str, Mapping[str, int]]
Fetch: TypeAlias = Callable[[str], Held | None]


def fetch_from_placement(provider: str) -> Held | None:
    """Read who holds what of a provider, as the scheduler's own user.

    Returns:
        amounts by resource class, by consumer; None when placement does not know the provider.
    """
    found = ask_placement(provider, "allocations")
    if found is None:
        return None
    return {consumer: each["resources"] for consumer, each in found.items()}


class SpotCheck:
    """Questions to placement with a time limit. Threads may share it.

    Without an answer in time nothing is known, and nobody is asked for some seconds.
    """

    def __init__(
        self, fetch: Fetch = fetch_from_placement, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._fetch = fetch
        self.asker = Asker("placement", clock)

    def holders(self, provider: str, seconds: float) -> Held | None:
        """Return who holds what of a host; None when that is not known in time."""
        if not self.asker.may_ask():
            return None
        try:
            return self.asker.ask(lambda: self._fetch(provider), seconds)
        except Exception as error:
            self.asker.rest()
            LOG.warning(
                "cospot: who holds host %s could not be read (%s: %s); for at least %.0f s spots"
                " are placed by what hosts have reported",
                provider,
                type(error).__name__,
                error,
                self.asker.PAUSE_S,
            )
            return None


def fits(
    holders: Held,
    gone: Collection[str],
    coming: Iterable[Size],
    capacity: Size,
    resources: Collection[str],
) -> bool:
    """Tell whether a host has enough for its VMs, its spots and those that come.

    Args:
        holders: amounts by resource class, by consumer.
        gone: consumers to count as gone.
        coming: the sizes of those that come and hold nothing yet.
        capacity: of the host.
        resources: VCPU, MEMORY_MB and, if disks count, DISK_GB.
    """
    there = [amounts for consumer, amounts in holders.items() if consumer not in gone]
    more = sum(coming, NOTHING)
    wanted = {VCPU: more.vcpus, MEMORY_MB: more.memory_mb, DISK_GB: more.disk_gb}
    has = {VCPU: capacity.vcpus, MEMORY_MB: capacity.memory_mb, DISK_GB: capacity.disk_gb}
    return all(sum(held(there, each)) + wanted[each] <= has[each] for each in resources)
