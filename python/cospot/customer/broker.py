"""The result of `cospot.broker_recommend` (docs/broker.md). Costs are in USD."""

from __future__ import annotations

from dataclasses import dataclass, field

from cospot.html_tables import html_table, share
from cospot.interval import Interval


@dataclass(frozen=True)
class BrokerSetting:
    """A setting for running the jobs, with its results over all seeds."""

    bid: str
    alpha: float
    fault_tolerance: str
    market_choice: str
    on_demand_fallback: bool  #: a job that could not survive one more failure runs on-demand
    seeds: int  #: number of seeds it ran on
    cost: Interval  #: per run
    cost_per_useful_job: Interval | None  #: None: some seed had no job in time
    #: its excess cost per useful job over the best, as a fraction of the best's
    to_best: Interval | None
    told_apart: bool  #: whether the interval of `to_best` excludes 0
    #: Fraction of the on-demand cost of the same jobs; None: it leaves jobs undone.
    saving: Interval | None
    unfinished: float  #: jobs left undone, per run
    late_share: float  #: fraction of all jobs
    #: Maximum over the seeds.
    worst_late_share: float = field(metadata={"key": "late_share_worst_seed"})
    revocations: float  #: per run


@dataclass(frozen=True)
class OnDemand:
    """The same jobs on on-demand instances only, where those are cheapest."""

    market_choice: str
    cost: Interval
    cost_per_month: Interval
    late_share: float


@dataclass(frozen=True)
class MarketBid:
    """The bid of the recommended setting in one market at the end of the price history."""

    type: str
    os: str
    datacenter: str
    bid: float | None  #: None: bids end no instance in this market
    spot_price: float | None  #: None: no capacity
    on_demand_price: float
    share_of_instances: float


@dataclass(frozen=True)
class FallbackEffect:
    """The best setting against the same one with the other value of `on_demand_fallback`."""

    added_cost: Interval  #: of the fallback, USD a run
    cost_without: float  #: USD a run
    late_share_with: float  #: fraction of all jobs
    late_share_without: float


@dataclass(frozen=True)
class HeldOut:
    """The results in the part of the price history that played no part in the choice."""

    days: float  #: at the end of the history
    choosing_days: float  #: before them
    setting: BrokerSetting  #: the best of the choice; its regret is `to_best`
    keeps_limit: bool
    best: BrokerSetting | None  #: the best afterwards; None: no setting kept the limit
    on_demand: OnDemand


@dataclass(frozen=True)
class BrokerRecommendation:
    """The setting to run a customer's jobs with, and all others."""

    seeds: int
    days: float  #: over which the jobs are submitted
    #: In addition to jobs that are late even on-demand.
    allowed_late_share: float = field(metadata={"key": "allowed_late_share_beyond_on_demand"})
    recommendation: BrokerSetting | None  #: None: no setting's saving has an interval above 0
    best: BrokerSetting | None
    cost_per_month: Interval | None  #: of `best`
    held_out: HeldOut | None  #: None: the history is too short, or no setting keeps the limit
    bids: list[MarketBid]  #: most used market first
    fallback: FallbackEffect | None  #: None: the study allows one value only
    on_demand: OnDemand
    drawn: list[str]  #: what the job log does not state
    cautions: list[str]
    within_risk: list[BrokerSetting]  #: late no more often than allowed: `best`, then by cost
    beyond_risk: list[BrokerSetting]
    dropped: list[BrokerSetting]  #: after the first seeds: significantly dearer or later

    def _repr_html_(self) -> str:
        """The settings that are late no more often than allowed, as a table for notebooks."""
        rows = [
            (
                f"{one.bid}, alpha {one.alpha:g}, {one.fault_tolerance}, {one.market_choice}",
                "yes" if one.on_demand_fallback else "no",
                f"{one.cost_per_useful_job.mean:,.4g} USD" if one.cost_per_useful_job else "",
                share(one.saving.mean if one.saving else None),
                share(one.late_share),
            )
            for one in self.within_risk
        ]
        head = ("Setting", "Fallback", "Cost of a useful job", "Saving", "Late")
        found = "the first is recommended" if self.recommendation else "none is recommended"
        return html_table(f"Settings of the broker: {found}", head, rows)
