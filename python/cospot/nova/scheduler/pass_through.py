"""The filter where the compiled module does not load: Nova goes on as without cospot.

The module is built for one version of Python, so an upgrade of that is enough. nova-scheduler
starts all the same. A VM keeps every host, in the order of Nova's own weighers, and no eviction is
planned: the evictor finds overcommitted hosts by itself.

Passing a spot through as well would leave it to placement's custom classes alone, which know
nothing of VMs: it could land where VMs leave it no capacity. So a spot keeps the hosts that have
free capacity for it beside everything there, by the host's own report, as Nova's former CoreFilter
and RamFilter looked at it. That needs nothing compiled.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Final

from cospot.nova import log as logging
from cospot.nova import spot_flavors
from cospot.nova.scheduler.host_usage import reported_use
from cospot.nova.scheduler.instance_facts import Size, size_of_flavor
from cospot.nova.scheduler.inventories import capacity_of_host_state
from cospot.nova.scheduler.settings import Settings
from cospot.nova.scheduler.spot_aggregates import in_aggregates

LOG = logging.getLogger(__name__)

#: Said at the start and then at most so often, as long as there are requests.
_SAY_EVERY_SECONDS: Final = 60.0


class PassThrough:
    """Stands in for the decision.

    Args:
        why: What the import of the compiled module raised.
        clock: Seconds that never go back.
    """

    def __init__(self, why: Exception, clock: Callable[[], float] = time.monotonic) -> None:
        self._why = why
        self._clock = clock
        self._said_at = float("-inf")
        self._say()

    def hosts(self, hosts: list[Any], spec: Any, settings: Settings) -> list[Any]:
        """Return the hosts that a request keeps, in Nova's order."""
        self._say()
        if not spot_flavors.is_spot_flavor(spec.flavor.extra_specs):
            return hosts
        if settings.aggregates:
            hosts = in_aggregates(hosts, settings.aggregates)
        boots_from_volume = "is_bfv" in spec and bool(spec.is_bfv)
        size = size_of_flavor(spec.flavor, with_root_disk=not boots_from_volume)
        return [host for host in hosts if _fits(size, host, watches_disk=settings.watches_disk)]

    def _say(self) -> None:
        now = self._clock()
        if now < self._said_at + _SAY_EVERY_SECONDS:
            return
        self._said_at = now
        LOG.error(
            "cospot: DOES NOT DECIDE: its compiled module does not load in Python %s (%s): %s."
            " Nova's own weighers place VMs, no eviction is planned, and spots go only where the"
            " host itself reports enough free capacity. Build and install cospot's wheel anew for"
            " this Python, then restart nova-scheduler",
            sys.version.partition(" ")[0],
            type(self._why).__name__,
            self._why,
        )


def _fits(size: Size, host: Any, *, watches_disk: bool) -> bool:
    """Tell whether a spot has free capacity on a host beside all VMs and spots."""
    free = capacity_of_host_state(host).total - reported_use(host)
    disk_gb = free.disk_gb if watches_disk else size.disk_gb
    return size.vcpus <= free.vcpus and size.memory_mb <= free.memory_mb and size.disk_gb <= disk_gb
