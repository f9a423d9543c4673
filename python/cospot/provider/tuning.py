"""The result of `cospot.tune`. Shares and losses are fractions of the requested revenue."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from cospot.html_tables import html_table, share
from cospot.interval import Forecast, Interval

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd


@dataclass(frozen=True)
class Means:
    """The means over samples of a setting's revenue and loss."""

    samples: int
    spot_share: float
    vm_loss: float
    #: Samples on which its VM loss exceeded the limit.
    over_limit: int = field(metadata={"key": "samples_over_limit"})


@dataclass(frozen=True)
class Setting:
    """Policies, SAF and OTN, and their results."""

    vm: str
    spot: str
    evictor: str
    saf: bool
    otn: int | str
    training: Means | None  #: on the samples that choose; None: it did not run on all of them
    validation: Means | None  #: on samples that did not influence the choice


@dataclass(frozen=True)
class Verdict:
    """Does cooperation pay, on samples that did not choose the setting?"""

    advice: str  #: "cooperate", or why not
    cooperates: bool
    gain: Interval  #: net revenue over no cooperation, as a fraction of the requested spot revenue
    samples: int
    over_limit: int  #: those on which the found setting exceeds the limit of VM loss
    over_limit_without: int  #: the same without cooperation
    most_lost: float  #: maximum VM revenue lost in a sample


@dataclass(frozen=True)
class Expected:
    """The recommendation's results on samples that did not influence its choice."""

    samples: int
    over_limit: int  #: those on which its VM loss exceeds the limit
    spot_share: Interval = field(metadata={"within": (0, 1)})
    vm_loss: Interval = field(metadata={"within": (0, 1)})


@dataclass(frozen=True)
class MoreHosts:
    """The same search with more hosts, if cooperation does not pay."""

    percent: float
    hosts: int
    added: int
    setting: str
    verdict: Verdict


@dataclass(frozen=True)
class SettingMoney:
    """The money of a setting on the samples that judge."""

    spots_earned: float
    vms_lost: float
    net: float  #: spots_earned - vms_lost
    net_per_month: float  #: of 365.25 / 12 days


@dataclass(frozen=True)
class TuningMoney:
    """The tuning in money: amounts on the samples that judge, unless per month."""

    days: float  #: of these samples
    spots_requested: float
    vms_requested: float
    recommendation: SettingMoney
    without_cooperation: SettingMoney | None
    #: The verdict's gain: what its setting earns more than no cooperation, net of lost VMs.
    gain_per_month: Interval | None
    #: The same gain in the next month, of one history judged forward in time.
    next_month_gain: Forecast | None


@dataclass(frozen=True, repr=False)
class Tuning:
    """The recommended setting, its expected results, and the settings tried."""

    verdict: Verdict
    recommendation: Setting  #: by the verdict: the found setting, or the best without cooperation
    expected: Expected
    recommendation_for_nova: Setting | None  #: the best that nova.conf can express
    found: Setting  #: the best of the search
    without_cooperation: Setting | None  #: the best with OTN 1 and SAF off
    upper_bound: Setting | None  #: the best that requires knowing when spots end
    keeps_limit: bool  #: the found setting keeps the limit on all training samples
    settings: list[Setting]  #: those that ran on all training samples, highest net revenue first
    pareto_front: list[Setting]
    folds: list[Setting]  #: of a cross-validation: the setting found without each fold
    more_hosts: list[MoreHosts]
    hosts: list[int]  #: per sample
    runs: int
    money: TuningMoney | None = None  #: with `price`

    def __repr__(self) -> str:
        best, worth = self.recommendation, ""
        if self.money is not None and self.money.gain_per_month is not None:
            gain = _mean_and_bounds(self.money.gain_per_month, "{:+,.2f}".format)
            worth = f", cooperation worth {gain} a month"
        saf = "on" if best.saf else "off"
        earns = _mean_and_bounds(self.expected.spot_share)
        return (
            f"<Tuning: {self.verdict.advice}; {best.vm}, {best.spot}, {best.evictor}, SAF {saf},"
            f" OTN {best.otn} earns {earns} of what spots request{worth}>"
        )

    @property
    def table(self) -> pd.DataFrame:
        """The settings as a data frame, with columns such as ``training.spot_share``."""
        import pandas as pd

        return pd.json_normalize([asdict(setting) for setting in self.settings])

    def _repr_html_(self) -> str:
        """The recommendation as a table for notebooks."""
        best, expected = self.recommendation, self.expected
        rows = [
            ("VM policy", best.vm),
            ("Spot policy", best.spot),
            ("Evictor", best.evictor),
            ("SAF", "on" if best.saf else "off"),
            ("OTN", str(best.otn)),
            ("Expected spot revenue, of requested", _mean_and_bounds(expected.spot_share)),
            ("Expected VM loss, of requested", _mean_and_bounds(expected.vm_loss)),
            ("Samples over the limit", f"{expected.over_limit:,} of {expected.samples:,}"),
        ]
        if self.money is not None:
            money = self.money.recommendation.net_per_month
            rows.append(("Net of lost VMs, a month", f"{money:,.2f}"))
            gain = _mean_and_bounds(self.money.gain_per_month, "{:+,.2f}".format)
            rows.append(("Cooperation is worth, a month", gain))
        return html_table(f"Recommendation: {self.verdict.advice}", (), rows)


def _mean_and_bounds(interval: Interval | None, text: Callable[[float], str] = share) -> str:
    """Format a mean with its 95 % interval, if it has one."""
    if interval is None:
        return "unknown"
    if interval.low is None or interval.high is None:
        return text(interval.mean)
    return f"{text(interval.mean)} ({text(interval.low)} to {text(interval.high)})"
