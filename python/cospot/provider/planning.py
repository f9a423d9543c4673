"""The result of :func:`cospot.plan`. Money is per day; shares and losses are fractions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cospot.html_tables import html_table, share
from cospot.interval import Forecast, Interval

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Division:
    """The division of idle capacity."""

    economy_percent: float  #: share of the requested spots sold as Economy instances
    confidence: float | None  #: of the promises to them; None: no promises


@dataclass(frozen=True)
class PlanSetting:
    """The policies and the division of a datacenter."""

    label: str
    vm: str
    spot: str | None  #: None: nothing is sold
    evictor: str
    saf: bool
    otn: int | str
    division: Division
    promised_percent: float | None  #: mean share of all vcpus promised to the Economy class


@dataclass(frozen=True)
class Shares:
    """The use of a part's capacity."""

    vms: float
    economy: float
    spots: float
    idle: float


@dataclass(frozen=True)
class JudgedPart(PlanSetting):
    """The choice made before a part, and its outcome in that part."""

    part: int  #: from 1
    net_per_day: float  #: income from idle capacity, minus the loss of VM income
    sold: Shares


@dataclass(frozen=True)
class Promises:
    """Tested promises."""

    tested: int
    broken: int
    allowed: float
    interval_95: list[float]  #: of the broken share, by Clopper and Pearson
    verdict: str  #: "kept", "not refuted", "broken"


@dataclass(frozen=True)
class AlternativeResult:
    """A way to use idle capacity, on the parts that did not influence its choice."""

    name: str
    net_per_day: Interval | None
    income_per_day: float  #: including VMs
    vm_loss: float
    most_vm_loss: float  #: maximum over the judged parts
    history_vm_loss: float  #: of `from_now_on`, maximum over all parts
    served: float  #: share of what spots and Economy instances requested, in vCPU-time
    spots: int  #: that ran in the judged parts
    evictions: int  #: of these
    evictions_in_a_day: int  #: of the evictions, within a day of the spot's placement
    idle: float  #: fraction of the capacity
    recovered: float  #: fraction of the capacity left by VMs that is sold
    economy_promises: Promises | None
    judged: list[JudgedPart]
    from_now_on: PlanSetting


@dataclass(frozen=True)
class PromisedClass:
    """A class of promised lifetimes."""

    hours: int
    probability: float
    sell: bool
    parts_sold: int  #: in which it was sold, because it had held in all earlier parts
    promised: int
    spots: int  #: placed in these parts
    promises: Promises | None
    worth: float | None  #: possible premium over a plain spot, from a job's gain


@dataclass(frozen=True)
class DivisionResult:
    """The income of a division over the whole history, by its best setting."""

    setting: PlanSetting
    economy_per_day: float
    spots_per_day: float
    net_per_day: float
    most_vm_loss: float
    economy_promises: Promises | None


@dataclass(frozen=True)
class AddedHosts:
    """The difference that hosts make, by the same setting over the whole history."""

    type: str | None  #: None: of all types
    more: int  #: negative: fewer
    gain_per_day: Interval | None  #: of net income over the advice by all of them, over all parts
    cost_per_day: float | None  #: of all of them; None: the price list has no price of hosts


@dataclass(frozen=True)
class Change:
    """The best choice under a changed assumption."""

    what: str = field(metadata={"key": "if"})
    net_per_day: float
    most_vm_loss: float
    setting: str
    division: Division
    hosts: AddedHosts | None = None  #: if only the number of hosts is another


@dataclass(frozen=True)
class KeyAccount:
    """The requests of a tenant, flavor or zone, over the whole history."""

    name: str
    vm_vcpu_seconds: float  #: requested by VMs
    vms_lost_per_day: float
    spots_requested: int
    placed: int
    evictions: int
    spots_per_day: float
    economy_per_day: float


@dataclass(frozen=True)
class Breakdown:
    """The history by tenant, flavor or zone."""

    key: str
    rows: list[KeyAccount]  #: those that request most spots first


@dataclass(frozen=True)
class VmDemand:
    """The changes of the VMs' demand over the history that are beyond chance."""

    step_day: int | None  #: the first day of another level
    step: float | None  #: the change of level then, as a fraction
    season: float | None  #: of a week: half the range of its days, by the mean
    growth_per_month: float | None  #: of the level at its end, as a fraction
    hosts_needed: int  #: the fewest that hold all VMs of the history; 0: no number does
    hosts_in_a_month: int  #: the same, if they grow on
    days_left: float | None  #: until these VMs, growing on, no longer fit the hosts


@dataclass(frozen=True)
class SpotPlan:
    """The capacity to sell, its out-of-sample income, and the promises that held."""

    advice: str  #: "plan", "single" or "nothing holds"
    advised: str  #: name of an alternative
    decision: list[str]  #: one sentence each
    currency: str | None
    hosts: int
    parts: int
    days_per_part: float
    max_vm_loss: float
    best_single: str
    gain_per_day: Interval | None  #: of dividing over the best single alternative
    next_best: str
    lead_per_day: Interval | None  #: of the recommended alternative over the next best
    next_month: Forecast  #: the recommended alternative's net income
    next_month_lead: Forecast  #: what it earns more than the next best
    chosen: PlanSetting = field(metadata={"key": "set"})  #: from now on
    alternatives: list[AlternativeResult] = field(default_factory=list)
    classes: list[PromisedClass] = field(default_factory=list)
    divisions: list[DivisionResult] = field(default_factory=list)  #: none first
    sensitivity: list[Change] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  #: questions that the history cannot answer
    vm_demand: VmDemand | None = None
    by: Breakdown | None = None  #: if asked for

    def __str__(self) -> str:
        return "\n".join(self.decision)

    @property
    def table(self) -> pd.DataFrame:
        """The alternatives as a data frame."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "alternative": one.name,
                    "net_per_day": one.net_per_day.mean if one.net_per_day else None,
                    "vm_loss": one.vm_loss,
                    "most_vm_loss": one.most_vm_loss,
                    "evictions": one.evictions,
                    "recovered": one.recovered,
                    "setting": one.from_now_on.label,
                }
                for one in self.alternatives
            ]
        )

    def _repr_html_(self) -> str:
        """The decision and the alternatives as a table for notebooks."""
        rows = [
            (
                one.name,
                f"{one.net_per_day.mean:,.2f}" if one.net_per_day else "",
                share(one.vm_loss),
                share(one.recovered),
                one.from_now_on.label,
            )
            for one in self.alternatives
        ]
        unit = f" ({self.currency})" if self.currency else ""
        head = ("alternative", f"net a day{unit}", "VM loss", "idle sold", "setting")
        return html_table(" ".join(self.decision), head, rows)
