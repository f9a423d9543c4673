"""Evictions per spot-hour by day: in a plan's own simulation, and observed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import cospot
from cospot.errors import ConfigError, CospotError
from cospot.nova.tools.plan.drift import DAY_US, HOUR_US, US, WEEK_DAYS, Days, whole_days
from cospot.nova.tools.plan.plan_file import Plan

Times = npt.NDArray[np.int64]


@dataclass(frozen=True)
class EvictionRates:
    """Evictions and spot-hours of each day.

    Attributes:
        evictions: by day.
        spot_hours: by day: the sum over all spots that ran.
    """

    evictions: Sequence[int]
    spot_hours: Sequence[float]

    @property
    def days(self) -> Days:
        """Evictions per spot-hour of each day with spots."""
        return [
            np.array([evicted / hours])
            for evicted, hours in zip(self.evictions, self.spot_hours, strict=True)
            if hours > 0
        ]

    def last(self, week: int) -> EvictionRates:
        """Return one week of it: 0 is the last."""
        end = len(self.evictions) - WEEK_DAYS * week
        rows = slice(max(0, end - WEEK_DAYS), max(0, end))
        return EvictionRates(self.evictions[rows], self.spot_hours[rows])

    @property
    def rate(self) -> float | None:
        """Evictions per spot-hour over all days; None without spots."""
        hours = sum(self.spot_hours)
        return sum(self.evictions) / hours if hours > 0 else None


def rates(
    start_us: Times, end_us: Times, evicted_us: Times, from_us: Sequence[int]
) -> EvictionRates:
    """Return the rates by day.

    Args:
        start_us: when each spot started to run.
        end_us: when it ended.
        evicted_us: when spots were evicted.
        from_us: when each day begins.
    """
    evictions, hours = [], []
    for day in from_us:
        until = day + DAY_US
        ran = np.minimum(end_us, until) - np.maximum(start_us, day)
        hours.append(float(np.maximum(ran, 0).sum()) / HOUR_US)
        evictions.append(int(np.count_nonzero((evicted_us >= day) & (evicted_us < until))))
    return EvictionRates(evictions, hours)


def planned_rates(plan: Plan, workload: cospot.Workload) -> EvictionRates:
    """Simulate the plan on its own history.

    Raises:
        ConfigError: it cannot be simulated here.
    """
    from cospot._core import _replay_history

    if plan.sells_economy or plan.others:
        what = ["Economy instances"] * plan.sells_economy + plan.others
        raise ConfigError(f"the plan's runs had {', '.join(what)}; `cospot compare` repeats them")
    try:
        history, *_ = _replay_history(
            workload,
            host=plan.host,
            hosts=plan.count_of_hosts(),
            vm=_chain(plan.one("vm")),
            spot=_chain(plan.one("spot")),
            evictor=_evictor(plan),
            saf=plan.one("saf"),
            otn=plan.one("otn"),
        )
    except (CospotError, TypeError) as error:
        raise ConfigError(f"{plan.path}: {error}") from error
    start_us, end_us, evicted = history.spots()
    return rates(start_us, end_us, end_us[evicted], _first_days(workload))


def _first_days(workload: cospot.Workload) -> list[int]:
    days = whole_days(workload)
    return [workload.window_us - DAY_US * (days - day) for day in range(days)]


def _chain(entry: Any) -> Any:
    if isinstance(entry, str):
        return entry
    if not isinstance(entry, dict) or entry.keys() - {"label"} != {"weighers"}:
        raise ConfigError(f"found {entry!r:.60}, expected a policy without options")
    return cospot.Chain(entry["weighers"])


def _evictor(plan: Plan) -> Any:
    entry = plan.one("evictor")
    if isinstance(entry, dict) and "model" in entry:
        return cospot.make_evictor(entry["name"], model=plan.path.parent / entry["model"])
    return entry


def observed_rates(
    workload: cospot.Workload, until: float, evicted_at: Sequence[float], logged_from: float
) -> EvictionRates:
    """Return the rates of a recent history, from the audit log; omit days before its start.

    Args:
        workload: the history; its spots ended when they were evicted.
        until: end of its window, seconds since the epoch.
        evicted_at: eviction times, likewise.
        logged_from: start of the log, likewise.
    """
    columns = workload.to_columns()
    spots = columns["is_spot"]
    zero = until - workload.window_us / US
    evicted = np.array([round((at - zero) * US) for at in evicted_at], np.int64)
    known = [day for day in _first_days(workload) if day / US + zero >= logged_from]
    return rates(columns["start_us"][spots], columns["end_us"][spots], evicted, known)
