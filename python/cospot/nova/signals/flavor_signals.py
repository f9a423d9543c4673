"""The signals of each flavor, from observed spots.

| signal | what it says |
|---|---|
| `eviction_rate` | evictions per hour that a spot ran, with its 95 % interval and the number of spots, hours and evictions behind it; `of_running_28_d`: of the spots that ran at some time in the last 28 days, the share that was evicted in them; `of_ended`: of all that ended, the share that was evicted |
| `expected_uptime` | the share of spots that is not evicted within some hours if their owners keep them, and the ages that 95, 75 and 50 % reach |
| `quote` | what a new spot could be promised now, where there is a table of promises (`quotes`) |
| `risk` | the probability that a running spot is evicted within 10 and 60 minutes: the mean over those that run; by age where that was better than the base rate on held-out time (`risk_score`), else by the base rate |

If there is too little data, a signal is None and `unknown` says why.
"""  # noqa: E501

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import cospot
from cospot.nova.promises.promise_table import SizeKey
from cospot.nova.signals.risk_score import WITHIN_S, RiskScore, score_risk
from cospot.nova.signals.spot_lives import SpotLife
from cospot.nova.signals.survival import (
    CONFIDENCE,
    Exposure,
    Observation,
    Risk,
    Survival,
    rate_interval,
    survival_of,
)

RISK_MINUTES: Final = (10, 60)
UPTIME_HOURS: Final = (1, 6, 24, 168)
UPTIME_SHARES: Final = (0.95, 0.75, 0.5)
#: With fewer spots of a flavor, it has no estimates.
LEAST_SPOTS: Final = 30
#: With fewer evictions of all flavors together, there is no risk estimate.
LEAST_EVICTIONS: Final = 10
_RUNNING_DAYS: Final = 28
_DAY_S: Final = 86400.0
_HOUR_S: Final = 3600.0


@dataclass(frozen=True)
class FlavorSignals:
    """The signals of one flavor.

    Attributes:
        size: vCPUs, MiB, GiB of disk of its spots.
        eviction_rate, expected_uptime, risk, quote: JSON objects; None: unknown.
        unknown: why a signal is None, by its name.
    """

    flavor: str
    size: SizeKey
    running: int
    eviction_rate: Mapping[str, Any] | None
    expected_uptime: Mapping[str, Any] | None
    risk: Mapping[str, Any] | None
    unknown: Mapping[str, str] = field(default_factory=dict)
    quote: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Signals:
    """All signals at one moment.

    Attributes:
        now: that moment, seconds since the epoch.
        since: start of observation, seconds since the epoch.
        flavors: by name.
        risks: estimates the risk of one spot, by flavor.
        score: quality of the risk by age.
    """

    now: float
    since: float
    flavors: Mapping[str, FlavorSignals]
    risks: Mapping[str, Risk]
    score: RiskScore

    def risk_of(self, life: SpotLife, now: float) -> dict[str, Any] | None:
        """Return the risk of one running spot; None: unknown."""
        risk = self.risks.get(life.flavor)
        if risk is None or life.started_at is None:
            return None
        return _mean_risk(risk, [life], now, by_age=self.score.is_told)


def signals_of(
    lives: Iterable[SpotLife], since: float, now: float, score: RiskScore | None = None
) -> Signals:
    """Return the signals of all flavors that had a spot.

    Args:
        lives: of spots, including past ones.
        since: from when on ends and evictions are known, seconds since the epoch.
        now: seconds since the epoch.
        score: a recent one; None: score the risk again.
    """
    lives = list(lives)
    if score is None:
        score = _score(lives, since, now)
    by_flavor: dict[str, list[SpotLife]] = defaultdict(list)
    for life in lives:
        if life.started_at is not None:
            by_flavor[life.flavor].append(life)
    observed = {
        flavor: _observations(group, since, now) for flavor, group in sorted(by_flavor.items())
    }
    risks = _risks(observed)
    signals = Signals(now, since, {}, risks, score)
    flavors = {
        flavor: _flavor(by_flavor[flavor], observations, signals)
        for flavor, observations in observed.items()
    }
    return replace(signals, flavors=flavors)


def _risks(observed: Mapping[str, Sequence[Observation]]) -> dict[str, Risk]:
    """Return risk estimators by flavor, for flavors with enough data."""
    of_all, exposures = Exposure(), {}
    for flavor, observations in observed.items():
        exposures[flavor] = Exposure()
        exposures[flavor].add(observations)
        of_all.add(observations)
    if sum(of_all.evictions) < LEAST_EVICTIONS or of_all.rate <= 0:
        return {}
    return {
        flavor: Risk(of_all, exposures[flavor])
        for flavor, observations in observed.items()
        if len(observations) >= LEAST_SPOTS
    }


def _score(lives: Sequence[SpotLife], since: float, now: float) -> RiskScore:
    """Score risk by age: learn from the first half, evaluate on the second."""
    middle = since + (now - since) / 2
    by_flavor: dict[str, list[SpotLife]] = defaultdict(list)
    for life in lives:
        by_flavor[life.flavor].append(life)
    risks = _risks(
        {flavor: _observations(group, since, middle) for flavor, group in by_flavor.items()}
    )
    known = [life for life in lives if life.flavor in risks]

    def by_age(life: SpotLife, moment: float) -> float:
        return risks[life.flavor].within(moment - (life.started_at or moment), WITHIN_S)

    def by_base_rate(life: SpotLife, moment: float) -> float:
        return risks[life.flavor].base_within(WITHIN_S)

    return score_risk(known, middle, now, by_age, by_base_rate)


def _observations(lives: Iterable[SpotLife], since: float, now: float) -> list[Observation]:
    """Return observations of spots from the start of observation up to now."""
    found = []
    for life in lives:
        started = math.inf if life.started_at is None else life.started_at
        if started > now:
            continue
        over = max(started, min(now if life.over_at is None else life.over_at, now))
        if over >= since:
            evicted = life.evicted_at is not None and life.evicted_at <= now
            found.append(Observation(max(0.0, since - started), over - started, evicted))
    return found


def _flavor(
    lives: Sequence[SpotLife], observations: Sequence[Observation], of_all: Signals
) -> FlavorSignals:
    # A recreated flavor may have another size; use that of its newest spot.
    newest = max(lives, key=lambda life: life.started_at or 0.0)
    unknown = {}
    rate = _eviction_rate(lives, observations, of_all.since, of_all.now)
    if rate is None:
        unknown["eviction_rate"] = "no spot has run while they were observed"
    uptime = told = None
    estimate = of_all.risks.get(newest.flavor)
    running = [life for life in lives if life.runs]
    if len(observations) < LEAST_SPOTS:
        unknown["expected_uptime"] = unknown["risk"] = (
            f"too little data: {len(observations)} spots were observed, {LEAST_SPOTS} are needed"
        )
    else:
        uptime = _expected_uptime(survival_of(observations))
        if estimate is None:
            unknown["risk"] = (
                f"too little data: {LEAST_EVICTIONS} evictions of all flavors together are needed"
            )
        elif not running:
            unknown["risk"] = "no spot of the flavor runs"
        else:
            told = _mean_risk(estimate, running, of_all.now, by_age=of_all.score.is_told)
    return FlavorSignals(newest.flavor, newest.size, len(running), rate, uptime, told, unknown)


def _eviction_rate(
    lives: Sequence[SpotLife], observations: Sequence[Observation], since: float, now: float
) -> dict[str, Any] | None:
    hours = sum(each.exit_s - each.entry_s for each in observations) / _HOUR_S
    if hours <= 0:
        return None
    evictions = sum(each.evicted for each in observations)
    from_then = max(since, now - _RUNNING_DAYS * _DAY_S)
    ran = [each for each in lives if each.over_at is None or each.over_at >= from_then]
    ended = [each for each in lives if each.over_at is not None and each.over_at >= since]
    return {
        "per_hour": evictions / hours,
        "per_hour_95": list(rate_interval(evictions, hours)),
        "spots": len(observations),
        "spot_hours": hours,
        "evictions": evictions,
        "of_running_28_d": _share(ran),
        "of_ended": _share(ended),
    }


def _share(lives: Sequence[SpotLife]) -> dict[str, Any]:
    evicted = sum(each.evicted_at is not None for each in lives)
    interval = cospot.eviction_interval(len(lives), evicted, CONFIDENCE) if lives else None
    return {
        "share": evicted / len(lives) if lives else None,
        "share_95": None if interval is None else list(interval),
        "spots": len(lives),
        "evicted": evicted,
    }


def _expected_uptime(survival: Survival) -> dict[str, Any]:
    told = {hours: survival.at(hours * _HOUR_S) for hours in UPTIME_HOURS}
    return {
        "lives_hours": {
            str(hours): None if one is None else {"share": one[0], "share_95": [one[1], one[2]]}
            for hours, one in told.items()
        },
        "reached_s": {f"{share:g}": survival.reached_by(share) for share in UPTIME_SHARES},
        "median_s": survival.reached_by(0.5),
        "observed_up_to_s": survival.observed_s,
    }


def _mean_risk(
    risk: Risk, running: Sequence[SpotLife], now: float, *, by_age: bool
) -> dict[str, Any]:
    """Return the mean risk of spots, and the method behind it."""
    ages = [max(0.0, now - (each.started_at or now)) for each in running]
    told: dict[str, Any] = {}
    for minutes in RISK_MINUTES:
        seconds = 60 * minutes
        told[f"evicted_within_{minutes}_min"] = (
            math.fsum(risk.within(age, seconds) for age in ages) / len(ages)
            if by_age
            else risk.base_within(seconds)
        )
    return {**told, "by": "age" if by_age else "base rate"}
