"""The result of `cospot.price_classes`. Money is relative to the on-demand price."""

from __future__ import annotations

from dataclasses import dataclass

from cospot.html_tables import html_table, share


@dataclass(frozen=True)
class OfferedClass:
    """One class of servers on offer."""

    servers: int
    idle_servers: float  #: those that are ever idle, in mean servers
    idle_hours: float
    revocations: float
    mttr_hours: float | None  #: None: never revoked
    mttr_hours_low: float | None  #: lower end of a 95 % interval
    mttr_hours_high: float | None
    availability: float
    revocations_per_day: float
    predictability: float  #: share of the days with the usual number of revocations
    performance: float  #: relative to servers without revocations
    equilibrium_price: float  #: at which useful work costs the same as on demand
    price: float  #: that users offer
    revenue: float  #: over all idle hours


@dataclass(frozen=True)
class Sale:
    """A way to sell idle capacity without classes."""

    sold: str
    performance: float
    revenue: float


@dataclass(frozen=True)
class PricedPartition:
    """A partition of idle capacity into classes."""

    classes: int
    partition: str
    performance: float
    revenue: float
    revenue_of_maximum: float
    table: list[OfferedClass]  #: most available first


@dataclass(frozen=True)
class PricedClasses:
    """All partitions of a trace, with reference values."""

    trace: str
    servers: int
    idle_servers: int  #: those that are ever idle
    idle_hours: float
    mean_mttr_hours: float
    partitions: list[PricedPartition]
    without_guarantees: list[Sale]
    maximum: Sale  #: one class per server

    def _repr_html_(self) -> str:
        """The partitions as a table for notebooks."""
        rows = [
            (
                f"{one.classes} classes, {one.partition}",
                f"{one.performance:.3f}",
                f"{one.revenue:.3f}",
                share(one.revenue_of_maximum),
            )
            for one in self.partitions
        ]
        head = ("Partition", "Performance", "Revenue", "Of the maximum")
        return html_table(f"Classes of {self.trace}", head, rows)
