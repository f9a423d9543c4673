"""All hosts: who held what when, and which are overcommitted now."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from cospot.nova import log as logging
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.model import Amounts, HostUsage, Provider
from cospot.nova.spot_flavors import SPOT_CLASSES
from cospot.nova.state.errors import Complaints, EvictorError, MissingInventoryError
from cospot.nova.state.records import Metrics

LOG = logging.getLogger(__name__)
#: A VM's claim waits for the answer what its provider is, once, seconds.
_PATIENCE_S: Final = 3.0


@dataclass(frozen=True)
class Reference:
    """A host's capacity, and its holders, when it was last within its capacity.

    Attributes:
        consumers: amounts by resource class, by UUID of the consumer.
        capacity: by VCPU, MEMORY_MB, DISK_GB; empty when it is not known.
        is_assumed: worked out from the instances' ages because the host was never seen within
            its capacity.
    """

    consumers: Mapping[str, Amounts]
    capacity: Amounts
    is_assumed: bool = False


class HostHistory:
    """The last time at which each host was within its capacity, and since when it is not.

    Thread-safe, and of this process alone. A service that was started again knows nothing: the
    first reconcile iteration on an overcommitted host assumes from the ages of its instances what
    was there before (`assume`).
    """

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._lock = threading.Lock()
        self._over_since: dict[str, float] = {}  # when seen so last, by provider
        self._references: dict[str, Reference] = {}
        self._unexplained: dict[str, float] = {}
        self._asked_at: dict[str, float] = {}
        self._names: dict[str, str] = {}

    def observe(self, usage: HostUsage, resources: Iterable[str], asked_at: float) -> bool:
        """Take note of what a host holds; return whether it is overcommitted.

        An answer that waited for others is not noted where a later question was answered before:
        who came in between would seem to have come since.

        Args:
            usage: of the host.
            resources: those that are watched.
            asked_at: when the question was asked, monotonic time, seconds.

        Raises:
            MissingInventoryError: the host has none of a resource.
        """
        resources = list(resources)
        is_over, capacity = bool(usage.shortfall(resources)), usage.capacity(resources)
        with self._lock:
            is_latest = asked_at >= self._asked_at.get(usage.provider, asked_at)
            if is_latest:
                self._asked_at[usage.provider] = asked_at
                self._names[usage.provider] = usage.name
                self._add_up(usage, is_over, asked_at)
                if not is_over:
                    self._references[usage.provider] = Reference(usage.consumers, capacity)
            before = self._references.get(usage.provider, Reference({}, {})).capacity
        # With no less capacity than when all fitted, claims since then explain whatever is over.
        is_claimed = is_latest and all(
            capacity[each] >= before.get(each, float("inf")) for each in resources
        )
        if is_claimed or not is_over:
            self.explained(usage.provider)
        return is_over

    def _add_up(self, usage: HostUsage, is_over: bool, now: float) -> None:
        """Add up how long a host was overcommitted; it counts as it was last seen until now."""
        since = self._over_since.pop(usage.provider, now)
        if since < now:
            self._metrics.overcommit.labels(host=usage.name).inc(now - since)
        if is_over:
            self._over_since[usage.provider] = now

    def reference(self, provider: str) -> Reference | None:
        """Return what a host held when it was last within its capacity; None if not known."""
        with self._lock:
            return self._references.get(provider)

    def assume(self, provider: str, reference: Reference) -> None:
        """Take something for a host's last state within its capacity until there is one."""
        with self._lock:
            self._references.setdefault(provider, reference)

    def unexplained(self, provider: str, asked_at: float, now: float) -> tuple[float, bool]:
        """Take note that no claim explains what is used beyond a host's capacity.

        An answer to an older question than the last that was answered begins nothing: the host may
        have been within its capacity since.

        Args:
            provider: of the host.
            asked_at: when the question was asked that shows it, monotonic time, seconds.
            now: monotonic time, seconds.

        Returns:
            for how many seconds that has been so; whether it was not so until now.
        """
        with self._lock:
            is_new = provider not in self._unexplained
            if is_new and asked_at < self._asked_at.get(provider, asked_at):
                return 0.0, False
            since = self._unexplained.setdefault(provider, now)
            self._metrics.unexplained.set(len(self._unexplained))
        return now - since, is_new

    def explained(self, provider: str) -> None:
        """Take note that a host is within its capacity, or that claims explain why not."""
        with self._lock:
            self._unexplained.pop(provider, None)
            self._metrics.unexplained.set(len(self._unexplained))

    def keep(self, providers: Collection[str]) -> None:
        """Forget the hosts that are no more, by the UUIDs of those that are."""
        with self._lock:
            for known in (self._references, self._asked_at):
                for provider in [each for each in known if each not in providers]:
                    del known[provider]
            gone = [each for each in {*self._names, *self._unexplained} if each not in providers]
        for provider in gone:
            self.left(provider)

    def left(self, provider: str) -> None:
        """Let the metrics say no more of a host that is no more or takes no spots any more."""
        self.explained(provider)
        if name := self._names.pop(provider, ""):
            self._over_since.pop(provider, None)
            self._metrics.overcommit.labels(host=name)  # removing what is not there is an error
            self._metrics.overcommit.remove(name)


@dataclass(frozen=True)
class _Seen:
    generation: int
    usage: HostUsage
    is_over: bool


class HostWatch:
    """Knows every host with spot inventory; asks placement only about those that changed.

    A provider's generation grows with every claim and every change of its inventory, and one
    request shows the generations of all. Only freeing leaves it as it is, so hosts that were
    overcommitted are always asked about.
    """

    def __init__(self, context: EvictorContext, history: HostHistory) -> None:
        self._settings = context.settings
        self._placement = context.placement
        self._metrics = context.metrics
        self._history = history
        self._seen: dict[str, _Seen] = {}
        self._listed: set[str] = set()
        self._below: set[str] = set()  # providers that are no host's own
        self._complaints = Complaints()  # by provider
        self._refreshes = 0
        self._told_hosts = -1

    def refresh(self) -> list[HostUsage]:
        """Ask about the hosts that changed, and some others; return the overcommitted ones.

        Raises:
            CloudError: the list of hosts could not be had. A single host that cannot be read is
                logged and left for the next time.
        """
        everything = self._placement.providers()
        providers = [each for each in everything if each.is_root]
        self._below = {each.uuid for each in everything if not each.is_root}
        self._listed = present = {each.uuid for each in providers}
        self._history.keep(present)
        self._seen = {uuid: seen for uuid, seen in self._seen.items() if uuid in present}
        self._complaints.keep(present)
        every = self._settings.full_reconcile_every
        self._refreshes += 1
        self._read_all(
            [
                each
                for turn, each in enumerate(providers, self._refreshes)
                if turn % every == 0 or self._has_changed(each)
            ]
        )
        self._tell_count(len(self.usages()))
        return [seen.usage for seen in self._seen.values() if seen.is_over]

    def _tell_count(self, hosts: int) -> None:
        self._metrics.hosts.set(hosts)
        if hosts != self._told_hosts:
            LOG.info("%d hosts take spots", hosts)
            self._told_hosts = hosts

    def read_again(self, providers: Iterable[str]) -> None:
        """Ask about some hosts anew, by the UUIDs of their providers."""
        seen = [self._seen[each] for each in providers if each in self._seen]
        self._read_all([Provider(s.usage.provider, s.usage.name, s.generation) for s in seen])

    def is_listed(self, provider: str) -> bool:
        """Tell whether placement had a host when it was last asked for all."""
        return provider in self._listed

    def may_be_host(self, provider: str) -> bool:
        """Tell whether a provider is a root one, or it is not known yet which are.

        Placement is asked about one that was not there when it listed all, once.
        """
        if not self._listed or provider in self._listed:
            return True
        if provider in self._below:
            return False
        try:
            is_root = self._placement.provider(provider, _PATIENCE_S).is_root
        except EvictorError as error:
            LOG.info("what provider %s is will be asked with all hosts: %s", provider, error)
            return False
        (self._listed if is_root else self._below).add(provider)
        return is_root

    def usages(self) -> list[HostUsage]:
        """Return the hosts with spot inventory, as last seen."""
        return [
            seen.usage
            for seen in list(self._seen.values())  # which may grow meanwhile
            if not SPOT_CLASSES.isdisjoint(seen.usage.inventories)
        ]

    def _read_all(self, providers: list[Provider]) -> None:
        if not providers:
            return
        with ThreadPoolExecutor(self._settings.workers, "host-reader") as pool:
            for seen in pool.map(self._read, providers):
                if seen is not None:
                    self._seen[seen.usage.provider] = seen

    def _has_changed(self, provider: Provider) -> bool:
        seen = self._seen.get(provider.uuid)
        return seen is None or seen.is_over or seen.generation != provider.generation

    def _read(self, provider: Provider) -> _Seen | None:
        asked_at = time.monotonic()
        try:
            usage = self._placement.usage(provider)
            is_over = False
            if not SPOT_CLASSES.isdisjoint(usage.inventories):
                is_over = self._history.observe(usage, self._settings.resources, asked_at)
            else:
                self._history.left(provider.uuid)
        except MissingInventoryError as error:
            self._complain(provider, error)
            return _Seen(provider.generation, usage, is_over=False)
        except EvictorError as error:
            self._metrics.errors.labels(where="reconcile").inc()
            level = self._complaints.level(provider.uuid, error)
            LOG.log(level, "cannot read host %s: %s", provider.name, error)
            return None
        self._complaints.end(provider.uuid)
        return _Seen(provider.generation, usage, is_over)

    def _complain(self, provider: Provider, error: MissingInventoryError) -> None:
        self._metrics.errors.labels(where="inventory").inc()
        if self._complaints.is_new(provider.uuid, error):
            LOG.error("%s; nothing is evicted there", error)
