"""The amounts that placement may hand out on each host: totals, reserved, allocation ratios.

Nova's HostState has totals and ratios too, but not what is reserved, and the ratios of a compute
node that has just started are placeholders. So the inventories are read from placement: at once for
a host that is new, then again in the background every so often.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from cospot.nova import log as logging
from cospot.nova.inventory import PCPU, amounts_of
from cospot.nova.scheduler.instance_facts import NOTHING, Size
from cospot.nova.scheduler.questions import Asker, NoAnswerError, ask_placement
from cospot.nova.spot_flavors import DISK_GB, MEMORY_MB, VCPU

LOG = logging.getLogger(__name__)

Inventories: TypeAlias = Mapping[str, Mapping[str, Any]]
Fetch: TypeAlias = Callable[[str], Inventories | None]


class Capacity(NamedTuple):
    """The amounts that a host's instances may use, and those set aside apart from them."""

    total: Size
    reserved: Size


def capacity_of(inventories: Inventories) -> Capacity:
    """Compute a host's capacity.

    Args:
        inventories: placement's, by resource class.

    Raises:
        KeyError, TypeError, ValueError: they are not as placement writes them.
    """
    amounts = [amounts_of(inventories, name) for name in (VCPU, MEMORY_MB, DISK_GB, PCPU)]
    return Capacity(
        Size(*(capacity for capacity, _ in amounts)), Size(*(reserved for _, reserved in amounts))
    )


def capacity_of_host_state(host_state: Any) -> Capacity:
    """Compute a host's capacity from what its compute node says, where placement was not heard.

    It does not tell dedicated CPUs from others; until placement does, all are one.
    """
    vcpus = int(host_state.vcpus_total * (host_state.cpu_allocation_ratio or 1.0))
    memory_mb = int(host_state.total_usable_ram_mb * (host_state.ram_allocation_ratio or 1.0))
    disk_gb = int(host_state.total_usable_disk_gb * (host_state.disk_allocation_ratio or 1.0))
    return Capacity(Size(vcpus, memory_mb, disk_gb), NOTHING)


def fetch_from_placement(provider: str) -> Inventories | None:
    """Read a provider's inventories as the scheduler's own user.

    Returns:
        None when placement does not know the provider.
    """
    inventories: Inventories | None = ask_placement(provider, "inventories")
    return inventories


class InventoryCache:
    """Capacities by resource provider. Threads may share it; it starts one of its own."""

    _PAUSE_AFTER_ERROR: Final = 5.0

    def __init__(
        self, fetch: Fetch = fetch_from_placement, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._fetch = fetch
        self._clock = clock
        self.asker = Asker("placement")
        self._lock = threading.Lock()
        self._known: dict[str, Capacity] = {}
        self._read_at: dict[str, float] = {}
        self._changed: set[str] = set()
        self._not_before = 0.0
        self._reader: threading.Thread | None = None
        self._wake = threading.Event()
        self.max_age = 300.0

    def get(self, provider: str) -> Capacity | None:
        """Return what was last read of a host; None when nothing was."""
        return self._known.get(provider)

    def take_changed(self) -> set[str]:
        """Return the providers whose capacity has changed since the last call."""
        if not self._changed:
            return set()
        with self._lock:
            changed, self._changed = self._changed, set()
        return changed

    def read_new(self, providers: Iterable[str], seconds: float) -> None:
        """Read hosts that were never read, for at most so long; the rest follow in the background.

        Args:
            providers: UUIDs.
            seconds: how long to wait at most, also for a placement that takes a request and never
                answers: the scheduler decides one request after the other.
        """
        new = [provider for provider in providers if provider not in self._read_at]
        if not new:
            return
        if seconds > 0 and self.asker.may_ask():
            self._read_within(new, seconds)
        with self._lock:
            for provider in new:
                self._read_at.setdefault(provider, float("-inf"))
        self._keep_reading()

    def _read_within(self, new: list[str], seconds: float) -> None:
        deadline = self._clock() + seconds

        def read() -> None:
            for provider in new:
                if self._clock() >= deadline or self._clock() < self._not_before:
                    break
                self._read(provider)

        with contextlib.suppress(NoAnswerError):
            self.asker.ask(read, seconds)

    def _read(self, provider: str) -> None:
        read_at = self._clock()
        try:
            inventories = self._fetch(provider)
            capacity = None if inventories is None else capacity_of(inventories)
        except Exception as error:
            self.asker.note_failure()
            self._not_before = self._clock() + self._PAUSE_AFTER_ERROR
            # Due again after the pause, behind those that wait for longer.
            read_at = self._not_before - self.max_age
            LOG.warning(
                "cospot: the inventories of resource provider %s could not be read (%s: %s); using"
                " what its compute node says until placement answers",
                provider,
                type(error).__name__,
                error,
            )
            capacity = self._known.get(provider)
        with self._lock:
            self._read_at[provider] = read_at
            if capacity != self._known.get(provider):
                self._changed.add(provider)
            if capacity is None:
                self._known.pop(provider, None)
            else:
                self._known[provider] = capacity

    def _keep_reading(self) -> None:
        """Start the background reader, in this process and not in one it was forked from."""
        with self._lock:
            self._wake.set()
            if self._reader is not None and self._reader.is_alive():
                return
            self._reader = threading.Thread(
                target=self._read_forever, name="cospot-inventories", daemon=True
            )
            self._reader.start()

    def _read_forever(self) -> None:
        while True:
            self._wake.clear()
            for provider in self.due():
                if self._clock() < self._not_before:
                    break
                self._read(provider)
            self._wake.wait(timeout=1.0)

    def due(self) -> list[str]:
        """Return the providers that were not read for too long, those that wait longest first."""
        oldest = self._clock() - self.max_age
        with self._lock:
            waiting = [(at, provider) for provider, at in self._read_at.items() if at <= oldest]
        return [provider for _, provider in sorted(waiting)]
