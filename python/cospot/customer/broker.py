"""What `cospot.broker_recommend` returns (docs/broker.md). Costs are in USD."""

from __future__ import annotations

from dataclasses import dataclass, field

from cospot.interval import Interval


@dataclass(frozen=True)
class BrokerSetting:
    """One way to run the jobs, over its seeds."""

    bid: str
    alpha: float
    fault_tolerance: str
    market_choice: str
    seeds: int  #: on which it ran
    cost: Interval  #: of a run
    cost_per_useful_job: Interval | None  #: None: with a seed no job was in time
    to_best: Interval | None  #: its cost per useful job beyond the best's, a share of that
    told_apart: bool  #: whether the interval of `to_best` leaves out 0
    saving: Interval  #: of what the same jobs cost on-demand
    late_share: float  #: of all jobs
    #: Of the worst seed.
    worst_late_share: float = field(metadata={"key": "late_share_worst_seed"})
    revocations: float  #: of a run


@dataclass(frozen=True)
class OnDemand:
    """The same jobs on on-demand instances alone, where that is cheapest."""

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
    bid: float
    spot_price: float | None  #: None: no capacity
    on_demand_price: float
    share_of_instances: float


@dataclass(frozen=True)
class BrokerRecommendation:
    """The cheapest way to run a customer's jobs, and all others."""

    seeds: int
    days: float  #: in which the jobs are submitted
    #: Beyond those that are late on-demand too.
    allowed_late_share: float = field(metadata={"key": "allowed_late_share_beyond_on_demand"})
    recommendation: BrokerSetting | None  #: None: none saves money beyond its interval
    best: BrokerSetting | None
    cost_per_month: Interval | None  #: of `best`
    bids: list[MarketBid]  #: the market most used first
    on_demand: OnDemand
    drawn: list[str]  #: what the job log does not state
    cautions: list[str]
    within_risk: list[BrokerSetting]  #: late no more often than allowed, the cheapest first
    beyond_risk: list[BrokerSetting]
    dropped: list[BrokerSetting]  #: after the first seeds: dearer or later beyond doubt
