"""What `cospot.price_classes` returns. Money is in shares of the on-demand price."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class OfferedClass:
    """One class of servers as it is offered."""

    servers: int
    idle_servers: float  #: those of them that are ever idle, in mean servers
    idle_hours: float
    revocations: float
    mttr_hours: float | None  #: None: it was never revoked
    mttr_hours_low: float | None  #: of a 95 % interval
    mttr_hours_high: float | None
    availability: float
    revocations_per_day: float
    predictability: float  #: share of the days with the usual revocations
    performance: float  #: relative to servers without revocations
    equilibrium_price: float  #: at which useful work costs what it does on demand
    price: float  #: what users offer
    revenue: float  #: of all idle hours


@dataclass(frozen=True)
class Sale:
    """A way to sell idle capacity without classes."""

    sold: str
    performance: float
    revenue: float


@dataclass(frozen=True)
class PricedPartition:
    """Idle capacity cut into classes."""

    classes: int
    partition: str
    performance: float
    revenue: float
    revenue_of_maximum: float
    table: list[OfferedClass]  #: the most available first


@dataclass(frozen=True)
class PricedClasses:
    """All partitions of a trace, and what they compare with."""

    trace: str
    servers: int
    idle_servers: int  #: those of them that are ever idle
    idle_hours: float
    mean_mttr_hours: float
    partitions: list[PricedPartition]
    without_guarantees: list[Sale]
    maximum: Sale  #: every server a class of its own
