"""Limits on evictions per minute: token buckets, overall and per project."""

from __future__ import annotations

import threading
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
    """

    def __init__(
        self,
        per_minute: Callable[[], int],
        per_project: Callable[[], int],
        clock: Callable[[], float],
    ) -> None:
        self._overall_limit = per_minute
        self._project_limit = per_project
        self._clock = clock
        self._lock = threading.Lock()
        self._overall: _Bucket | None = None
        self._projects: dict[str, _Bucket] = {}

    def take(self, project_id: str) -> tuple[Refusal, float] | None:
        """Take what one eviction costs; nothing is taken when any limit is reached.

        Args:
            project_id: of the spot to be evicted.

        Returns:
            None when it may go on; else which limit it is, and the seconds until it may.
        """
        overall, project = self._overall_limit(), self._project_limit()
        with self._lock:
            now = self._clock()
            if overall > 0:
                if self._overall is None:
                    self._overall = _Bucket(overall, now)
                self._overall.refill(overall, now)
                if self._overall.tokens < 1:
                    return Refusal.LIMIT, _wait(self._overall, overall)
            if project > 0:
                bucket = self._projects.setdefault(project_id, _Bucket(project, now))
                bucket.refill(project, now)
                if bucket.tokens < 1:
                    return Refusal.PROJECT_LIMIT, _wait(bucket, project)
                bucket.tokens -= 1
            if overall > 0 and self._overall is not None:
                self._overall.tokens -= 1
            return None


def _wait(bucket: _Bucket, per_minute: int) -> float:
    return (1 - bucket.tokens) * _MINUTE_S / per_minute
