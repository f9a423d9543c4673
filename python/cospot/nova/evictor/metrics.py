"""The Prometheus metrics of the service; docs/nova/evictor.md lists them with their units."""

from __future__ import annotations

import threading
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

_PREFIX: Final = "cospot_evictor"
_FREED_BUCKETS_S: Final = (0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.5, 2, 3, 5, 8, 15, 30, 60, 120)
_PASS_BUCKETS_S: Final = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)


class Metrics:
    """All metrics, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        registry = self.registry
        self.plans = Counter(f"{_PREFIX}_plans", "Plans received", ["outcome"], registry=registry)
        self.evictions = Counter(
            f"{_PREFIX}_evictions", "Evictions asked of Nova", ["cause"], registry=registry
        )
        self.evictions_why = Counter(
            f"{_PREFIX}_evictions_by_reason",
            "Evictions asked of Nova, by what made the shortfall",
            ["why"],
            registry=registry,
        )
        self.unexplained = Gauge(
            f"{_PREFIX}_unexplained_hosts",
            "Hosts overcommitted by more than claims since they were within capacity explain",
            registry=registry,
        )
        self.refusals = Counter(
            f"{_PREFIX}_refusals", "Instances not evicted, by reason", ["reason"], registry=registry
        )
        self.failures = Counter(
            f"{_PREFIX}_failed_evictions",
            "Evictions that Nova refused or did not finish in time",
            registry=registry,
        )
        self.claim_to_freed = Histogram(
            f"{_PREFIX}_claim_to_freed_seconds",
            "Time from a VM's claim in placement to a spot's room being free there",
            buckets=_FREED_BUCKETS_S,
            registry=registry,
        )
        self.delete_to_freed = Histogram(
            f"{_PREFIX}_delete_to_freed_seconds",
            "Time from asking Nova to delete a spot to its room being free in placement",
            buckets=_FREED_BUCKETS_S,
            registry=registry,
        )
        self.overcommit = Counter(
            f"{_PREFIX}_overcommit_seconds",
            "Time a host was seen with VMs and spots beyond its room",
            ["host"],
            registry=registry,
        )
        self.stalled = Gauge(
            f"{_PREFIX}_stalled_host",
            "1 for a host that frees nothing of what was ordered there",
            ["host"],
            registry=registry,
        )
        self.limit_hits = Counter(
            f"{_PREFIX}_limit_hits",
            "Evictions held back by a limit per minute",
            ["limit"],
            registry=registry,
        )
        self.reconcile = Histogram(
            f"{_PREFIX}_reconcile_seconds",
            "Time of one look at all hosts",
            buckets=_PASS_BUCKETS_S,
            registry=registry,
        )
        self.hosts = Gauge(f"{_PREFIX}_hosts", "Hosts with inventory for spots", registry=registry)
        self.reserve_missing = Gauge(
            f"{_PREFIX}_reserve_missing",
            "VMs of the reserve's size for which there is no free room",
            ["reserve"],
            registry=registry,
        )
        self.notices = Counter(
            f"{_PREFIX}_notices", "Eviction notices", ["outcome"], registry=registry
        )
        self.errors = Counter(
            f"{_PREFIX}_errors", "Errors by where they happened", ["where"], registry=registry
        )
        self.enabled = Gauge(
            f"{_PREFIX}_enabled", "1 when evictions are switched on", registry=registry
        )

    def serve(self, address: str, port: int) -> None:
        """Answer scrapes at http://address:port/metrics from a thread of its own."""
        start_http_server(port, addr=address, registry=self.registry)


class OvercommitClock:
    """Adds up how long each host was overcommitted, from looks at it."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._lock = threading.Lock()
        self._seen: dict[str, float] = {}

    def look(self, host: str, is_over: bool, now: float) -> None:
        """Take note of a look at a host; the time between two looks counts as the first one saw.

        Args:
            host: its name.
            is_over: whether it is overcommitted, counting what is being deleted as still there.
            now: monotonic time, seconds.
        """
        with self._lock:
            since = self._seen.pop(host, None)
            if is_over:
                self._seen[host] = now
        if since is not None:
            self._metrics.overcommit.labels(host=host).inc(max(0.0, now - since))
