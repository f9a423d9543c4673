"""The loop that looks at all hosts: whatever was lost, forged or killed, it puts right."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from oslo_log import log as logging

from cospot.nova.evictor.errors import EvictorError, MissingInventoryError
from cospot.nova.evictor.host_history import HostHistory
from cospot.nova.evictor.metrics import Metrics
from cospot.nova.evictor.placement import Placement, Provider
from cospot.nova.evictor.room import HostRoom
from cospot.nova.evictor.work_queue import WorkQueue
from cospot.nova.spot_flavors import SPOT_CLASSES

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Seen:
    generation: int
    room: HostRoom
    is_over: bool


class HostWatch:
    """Knows every host with spot inventory; asks placement only about those that changed.

    A provider's generation grows with every claim and every change of its inventory, and one
    request shows the generations of all. Only freeing leaves it as it is, so hosts that were
    overcommitted are always asked about.
    """

    def __init__(
        self, settings: Any, placement: Placement, metrics: Metrics, history: HostHistory
    ) -> None:
        self._settings = settings
        self._placement = placement
        self._metrics = metrics
        self._history = history
        self._seen: dict[str, _Seen] = {}
        self._complained: dict[str, str] = {}
        self._looks = 0
        self._told_hosts = -1

    def look(self) -> list[HostRoom]:
        """Look at the hosts; return the overcommitted ones.

        Raises:
            CloudError: the list of hosts could not be had. A single host that cannot be read is
                logged and left for the next time.
        """
        providers = self._placement.providers()
        present = {each.uuid for each in providers}
        self._history.keep(present)
        self._seen = {uuid: seen for uuid, seen in self._seen.items() if uuid in present}
        every = self._settings.full_reconcile_every
        self._looks += 1
        self._read_all(
            [
                each
                for turn, each in enumerate(providers, self._looks)
                if turn % every == 0 or self._has_changed(each)
            ]
        )
        self._tell_count(len(self.rooms()))
        return [seen.room for seen in self._seen.values() if seen.is_over]

    def _tell_count(self, hosts: int) -> None:
        self._metrics.hosts.set(hosts)
        if hosts != self._told_hosts:
            LOG.info("%d hosts take spots", hosts)
            self._told_hosts = hosts

    def read_again(self, providers: Iterable[str]) -> None:
        """Ask about some hosts anew, by the UUIDs of their providers."""
        seen = [self._seen[each] for each in providers if each in self._seen]
        self._read_all([Provider(s.room.provider, s.room.name, s.generation) for s in seen])

    def rooms(self) -> list[HostRoom]:
        """Return the hosts with spot inventory, as last seen."""
        return [
            seen.room
            for seen in self._seen.values()
            if not SPOT_CLASSES.isdisjoint(seen.room.inventories)
        ]

    def _read_all(self, providers: list[Provider]) -> None:
        if not providers:
            return
        with ThreadPoolExecutor(self._settings.workers, "look") as pool:
            for seen in pool.map(self._read, providers):
                if seen is not None:
                    self._seen[seen.room.provider] = seen

    def _has_changed(self, provider: Provider) -> bool:
        seen = self._seen.get(provider.uuid)
        return seen is None or seen.is_over or seen.generation != provider.generation

    def _read(self, provider: Provider) -> _Seen | None:
        try:
            room = self._placement.room(provider)
            is_over = False
            if not SPOT_CLASSES.isdisjoint(room.inventories):
                is_over = self._history.look(room, self._settings.resources, time.monotonic())
        except MissingInventoryError as error:
            self._complain(provider, str(error))
            return _Seen(provider.generation, room, is_over=False)
        except EvictorError as error:
            self._metrics.errors.labels(where="reconcile").inc()
            LOG.warning("cannot look at host %s: %s", provider.name, error)
            return None
        self._complained.pop(provider.uuid, None)
        return _Seen(provider.generation, room, is_over)

    def _complain(self, provider: Provider, text: str) -> None:
        self._metrics.errors.labels(where="inventory").inc()
        if self._complained.get(provider.uuid) != text:
            LOG.error("%s; nothing is evicted there", text)
            self._complained[provider.uuid] = text


class ReconcileLoop:
    """Looks at all hosts every so often, and sends the overcommitted ones to be freed.

    Args:
        afterwards: called after each look at all hosts.
    """

    def __init__(
        self,
        settings: Any,
        hosts: HostWatch,
        queue: WorkQueue,
        metrics: Metrics,
        afterwards: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._hosts = hosts
        self._queue = queue
        self._metrics = metrics
        self._afterwards = afterwards
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reconcile", daemon=True)

    def start(self) -> None:
        """Start the thread; the first look is at once."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            began = time.monotonic()
            self._once()
            took = time.monotonic() - began
            self._metrics.reconcile.observe(took)
            self._stopping.wait(max(0.0, self._settings.reconcile_interval - took))

    def _once(self) -> None:
        try:
            for room in self._hosts.look():
                # A host that waits for its retry keeps its pause.
                if not self._queue.is_waiting(room.provider):
                    self._queue.put(room.provider, "reconcile", self._settings.plan_grace)
            self._afterwards()
            return
        except EvictorError as error:
            problem = str(error)
        except Exception:
            LOG.exception("unexpected error while looking at the hosts")
            problem = "unexpected error"
        self._metrics.errors.labels(where="reconcile").inc()
        LOG.warning("cannot look at the hosts: %s", problem)
