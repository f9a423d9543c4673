"""Results of planning and backtesting promises. Quantities and slack are capacity shares."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    """The usage behind the promises."""

    label: str  #: its file or workload, as given
    sha256: str
    periods: int
    repeated_periods: int  #: periods without a sample
    slack_mean: float
    slack_p1: float  #: 99 % of the samples have more slack


@dataclass(frozen=True)
class Past:
    """The outcome of a promise in the past: means over its cycles."""

    cycles: int
    quantity: float
    quantity_sd: float
    availability: float  #: share of the periods without a shortage
    availability_least: float  #: minimum over the cycles
    short_periods: int  #: periods with a shortage
    wastage: float  #: free capacity beyond the promise
    shortage: float  #: missing capacity
    slack: float  #: capacity that could have been sold
    penalty: float  #: refund to customers
    kept: int = 0  #: cycles of which something was promised and no bill is paid back


@dataclass(frozen=True)
class Promise:
    """The capacity that can be promised from now on at one confidence level."""

    confidence: float  #: that the slack is at least the quantity
    forecaster: str  #: empty: the history is too short to choose one
    model: str  #: chosen by the forecaster
    note: str  #: why it is not the requested one
    quantity: float
    amount: float  #: the same in units of the capacity, rounded down
    answer: str  #: what can be promised, or why nothing can, in a sentence
    backtest: Past | None  #: the same promise in the past; None: the history is too short
    theta: float | None  #: profit relative to selling all slack as spots


@dataclass(frozen=True)
class Plan:
    """The capacity that can be promised from now on."""

    answer: str  #: what can be promised at the highest confidence, in a sentence
    usage: Usage
    unit: str  #: unit of amounts; empty: not stated
    forecaster: str  #: that of the highest confidence, as are model and note
    model: str  #: chosen by the forecaster
    note: str  #: why it is not the requested one
    capacity: float
    price: float
    promises: list[Promise]  #: one per confidence level


@dataclass(frozen=True)
class Prediction:
    """One forecast of a backtest."""

    forecaster: str
    cycle: int
    first_period: int  #: of the promised periods
    model: str  #: chosen by the forecaster
    note: str  #: why it is not the requested one
    quantities: list[float]  #: promised quantity at each confidence level
    least_slack: float  #: the actual minimum slack
    mean_slack: float


@dataclass(frozen=True)
class TradeOff:
    """A forecaster at one confidence level, over all cycles."""

    forecaster: str
    confidence: float
    result: Past
    error_quantiles: dict[int, float]  #: of slack minus promise, by percentile of the periods
    theta: list[float | None]  #: profit relative to selling all slack as spots, at each price


@dataclass(frozen=True)
class Backtest:
    """A backtest of promises."""

    usage: Usage
    confidences: list[float]
    prices: list[float]
    predictions: list[Prediction]  #: by forecaster, then cycle
    trade_offs: list[TradeOff]  #: by forecaster, then confidence
