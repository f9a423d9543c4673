"""Results of plans and backtests of promises. Quantities and slack are shares of the capacity."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    """The usage that promises are made from."""

    label: str  #: its file or workload, as given
    sha256: str
    periods: int
    repeated_periods: int  #: of them, those without a sample
    slack_mean: float
    slack_p1: float  #: 99 % of the samples have more slack


@dataclass(frozen=True)
class Past:
    """The outcome of a promise in the past: means over its cycles."""

    cycles: int
    quantity: float
    quantity_sd: float
    availability: float  #: share of the periods in which nothing was missing
    availability_least: float  #: of the worst cycle
    short_periods: int  #: those in which something was missing
    wastage: float  #: what was free beyond the promise
    shortage: float  #: what was missing
    slack: float  #: what could have been sold
    penalty: float  #: what is paid back


@dataclass(frozen=True)
class Promise:
    """The capacity that can be promised from now on at one confidence."""

    confidence: float  #: that the slack is not lower
    quantity: float
    amount: float  #: the same in units of the capacity, rounded down
    backtest: Past | None  #: the same promise in the past; None: the history is too short
    theta: float | None  #: profit over that of selling all slack as spots


@dataclass(frozen=True)
class Plan:
    """The capacity that can be promised from now on."""

    usage: Usage
    unit: str  #: of amounts; empty: nobody said
    forecaster: str
    model: str  #: what the forecaster chose
    note: str  #: why it is not what was asked for
    capacity: float
    price: float
    promises: list[Promise]  #: one for each confidence


@dataclass(frozen=True)
class Prediction:
    """One forecast of a backtest."""

    forecaster: str
    cycle: int
    first_period: int  #: of what is promised
    model: str  #: what the forecaster chose
    note: str  #: why it is not what was asked for
    quantities: list[float]  #: promised, at each confidence
    least_slack: float  #: what came
    mean_slack: float


@dataclass(frozen=True)
class TradeOff:
    """A forecaster at one confidence, over all cycles."""

    forecaster: str
    confidence: float
    result: Past
    error_quantiles: dict[int, float]  #: of slack less promise, by percent of the periods
    theta: list[float | None]  #: profit over that of selling all slack as spots, at each price


@dataclass(frozen=True)
class Backtest:
    """Promises made in the past."""

    usage: Usage
    confidences: list[float]
    prices: list[float]
    predictions: list[Prediction]  #: by forecaster, then cycle
    trade_offs: list[TradeOff]  #: by forecaster, then confidence
