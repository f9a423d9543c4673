"""Limits on evictions: per minute, overall and per project; per host and reconcile interval."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from cospot.nova.evictor.spots import Refusal

_MINUTE_S = 60.0


@dataclass
class _Bucket:
    """Tokens that come back evenly over a minute."""

    tokens: float
    at: float

    def refill(self, per_minute: int, now: float) -> None:
        grown = self.tokens + (now - self.at) * per_minute / _MINUTE_S
        self.tokens = min(float(per_minute), grown)
        self.at = now


class EvictionLimits:
    """Says whether one more eviction is allowed now.

    Args:
        per_minute, per_project: functions that give the limits in force; 0 is no limit.
        clock: monotonic time, seconds.
        per_host: the same for one host within `interval` seconds.
    """

    def __init__(
        self,
        per_minute: Callable[[], int],
        per_project: Callable[[], int],
        clock: Callable[[], float],
        per_host: Callable[[], int] = lambda: 0,
        interval: float = 0.0,
    ) -> None:
        self._overall_limit = per_minute
        self._project_limit = per_project
        self._clock = clock
        self._host_limit = per_host
        self._interval = interval
        self._lock = threading.Lock()
        self._overall: _Bucket | None = None
        self._projects: dict[str, _Bucket] = {}
        self._hosts: dict[str, deque[float]] = {}

    def take(
        self, project_id: str, provider: str = "", *, for_vm: bool = True
    ) -> tuple[Refusal, float] | None:
        """Take what one eviction costs; nothing is taken when any limit is reached.

        Args:
            project_id: of the spot to be evicted.
            provider: UUID of its host's provider.
            for_vm: whether a VM has claimed the room. Other evictions leave half of what the
                overall limit allows to VMs.

        Returns:
            None when it may go on; else which limit it is, and the seconds until it may.
        """
        overall, project = self._overall_limit(), self._project_limit()
        with self._lock:
            now = self._clock()
            wait = self._host_wait(provider, now)
            if wait > 0:
                return Refusal.HOST_LIMIT, wait
            if overall > 0:
                if self._overall is None:
                    self._overall = _Bucket(overall, now)
                self._overall.refill(overall, now)
                least = 1 if for_vm else 1 + overall // 2
                if self._overall.tokens < least:
                    return Refusal.LIMIT, _wait(self._overall, overall, least)
            if project > 0:
                bucket = self._projects.setdefault(project_id, _Bucket(project, now))
                bucket.refill(project, now)
                if bucket.tokens < 1:
                    return Refusal.PROJECT_LIMIT, _wait(bucket, project)
                bucket.tokens -= 1
            if overall > 0 and self._overall is not None:
                self._overall.tokens -= 1
            self._hosts.setdefault(provider, deque()).append(now)
            return None

    def _host_wait(self, provider: str, now: float) -> float:
        """Return the seconds until a host may lose another spot; 0 when it may now."""
        limit = self._host_limit()
        # Nothing older counts for any host, so what stays is as little as was evicted lately.
        for host in list(self._hosts):
            taken = self._hosts[host]
            while taken and now - taken[0] >= self._interval:
                taken.popleft()
            if not taken:
                del self._hosts[host]
        lately = self._hosts.get(provider, ())
        if limit <= 0 or len(lately) < limit:
            return 0.0
        return self._interval - (now - lately[len(lately) - limit])


def _wait(bucket: _Bucket, per_minute: int, least: int = 1) -> float:
    return (least - bucket.tokens) * _MINUTE_S / per_minute
