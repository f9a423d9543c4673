"""The income without guarantees: equation 2, the exact renewal process, simulated jobs.

Source: Shastri, Rizk and Irwin, "Transient Guarantees: Maximizing the Value of Idle Cloud
Capacity", SC 2016, figures 9b and 10. Times are in hours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import cospot
import numpy as np
import numpy.typing as npt
import pandas as pd

DELTA = 10 / 60
#: 10 minutes to restore 16 GB (section V-A) and 2 to get and boot a server (section II).
RESTORE_MINUTES, BOOT_MINUTES = 10.0, 2.0
RESTART = (RESTORE_MINUTES + BOOT_MINUTES) / 60
#: The mean time to revocation of the paper's transient servers.
PAPER_MTTR = 3.72
Numbers = npt.NDArray[Any]


@dataclass(frozen=True)
class Way:
    """A way to sell without guarantees: when its customers save, and revocations it adds."""

    name: str
    interval: float
    extra: float = 0.0


WAYS = (
    *(
        Way(f"GCE, {hours:g} h assumed", float(np.sqrt(2 * DELTA * hours)))
        for hours in (0.5, 12, 24)
    ),
    *(Way(f"EC2, hourly, +{more:.0%} revocations", 1.0, more) for more in (0, 0.25, 0.5, 1)),
)


def price(performance: float) -> float:
    """Return what users offer, as a fraction of the on-demand price."""
    return cospot.transient_price(min(performance, 1.0))


def least_of_any_lives(interval: float, mttr: float, restart: float) -> float:
    """Return a performance that no lives of servers with that mean fall below.

    A life x holds floor((x - restart) / (interval + checkpoint)) saved intervals, which is more
    than that quotient less 1; so the mean holds for it too.
    """
    saved = (mttr - restart) / (interval + DELTA) - 1
    return max(0.0, interval * saved / mttr)


def at_the_papers_mean(work_hours: float = 1e6) -> pd.DataFrame:
    """Return the performance of every way at the paper's mean time to revocation."""
    rows = []
    for way in WAYS:
        mttr = PAPER_MTTR / (1 + way.extra)
        row: dict[str, Any] = {"sold": way.name}
        row["equation 2"] = cospot.transient_performance(DELTA, mttr, way.interval)
        for restart, name in ((0.0, ""), (RESTART, ", 12 min")):
            run = cospot.simulate_job(
                work_hours,
                way.interval,
                mttr_hours=mttr,
                restore_minutes=RESTORE_MINUTES if restart else 0,
                boot_minutes=BOOT_MINUTES if restart else 0,
            )
            row[f"exact{name}"] = cospot.renewal_performance(DELTA, mttr, way.interval, restart)
            row[f"simulated{name}"] = run["performance"]
            row[f"any lives, at least{name}"] = least_of_any_lives(way.interval, mttr, restart)
        rows.append(row)
    return pd.DataFrame(rows)


def most_multiples(performances: pd.DataFrame) -> pd.DataFrame:
    """Return how many times a way's revenue that of servers which are never revoked is."""
    found = performances.copy()
    for column in found.columns[1:]:
        found[column] = [1 / price(fast) if fast > 0 else np.inf for fast in found[column]]
    return found.rename(columns=lambda name: name.replace("at least", "at most"))


@dataclass(frozen=True)
class Lives:
    """Idle periods of servers, in the order of the servers: how long, and whether revoked."""

    hours: Numbers
    revoked: Numbers

    @property
    def idle(self) -> float:
        """All idle time."""
        return float(self.hours.sum())

    @property
    def mttr(self) -> float:
        """Idle time over revocations; infinite without one."""
        revocations = int(self.revoked.sum())
        return self.idle / revocations if revocations else np.inf

    def with_more_revocations(self, extra: float, seed: int) -> Lives:
        """Return these lives with so many more revocations, at random moments of idle time."""
        if extra == 0:
            return self
        ends = np.cumsum(self.hours)
        count = round(extra * int(self.revoked.sum()))
        cuts = np.random.default_rng(seed).uniform(0, ends[-1], count)
        order = np.argsort(moments := np.concatenate([ends, cuts]), kind="stable")
        revoked = np.concatenate([self.revoked, np.ones(count, bool)])[order]
        return Lives(np.diff(moments[order], prepend=0.0), revoked)

    def performance(self, interval: float, restart: bool) -> float:
        """Return the performance of one long job on these servers, one after the other.

        A period that the end of the record cuts counts up to its last checkpoint.
        """
        if np.isinf(interval):
            return 1.0  # no revocation was seen, so that nothing is saved and nothing lost
        begins = RESTART if restart else 0.0
        saved = np.floor(np.maximum(self.hours - begins, 0) / (interval + DELTA))
        # A billionth of an hour more, so that rounding does not lose the last checkpoint.
        whole = np.where(saved > 0, begins + saved * (interval + DELTA) + 1e-9, 0)
        hours = np.where(self.revoked, self.hours, np.minimum(self.hours, whole))
        ends = np.cumsum(hours)
        if ends[-1] <= 0:
            return 1.0
        run = cospot.simulate_job(
            2 * ends[-1],
            interval,
            available_hours=list(zip(np.concatenate([[0.0], ends[:-1]]), ends, strict=True)),
            restore_minutes=RESTORE_MINUTES if restart else 0,
            boot_minutes=BOOT_MINUTES if restart else 0,
        )
        return float(run["useful_hours"] / ends[-1])


def lives_of(periods: dict[str, Any]) -> list[Lives]:
    """Return the lives of every server that is ever idle, the most volatile server first."""
    order = np.lexsort((periods["begin_hours"], periods["rank"]))
    rank = periods["rank"][order]
    hours = (periods["end_hours"] - periods["begin_hours"])[order]
    revoked = np.asarray(periods["revoked"])[order]
    cuts = np.flatnonzero(np.diff(rank)) + 1
    parts = zip(np.split(hours, cuts), np.split(revoked, cuts), strict=True)
    return [Lives(lengths, ended) for lengths, ended in parts if lengths.sum() > 0]


def lives_together(servers: Iterable[Lives]) -> Lives:
    """Return the lives of servers that are sold as one class."""
    ones = list(servers)
    return Lives(
        np.concatenate([one.hours for one in ones]), np.concatenate([one.revoked for one in ones])
    )


@dataclass(frozen=True)
class Model:
    """The ways to find a performance: by a formula, or by a job on the recorded lives."""

    name: str
    restart: bool = False

    def performance(self, lives: Lives, way: Way, seed: int = 1) -> float:
        """Return the performance of servers with these lives, sold that way."""
        if self.name == "simulated":
            more = lives.with_more_revocations(way.extra, seed)
            return more.performance(way.interval, self.restart)
        mttr = lives.mttr / (1 + way.extra)
        if self.name == "exact renewal":
            restart = RESTART if self.restart else 0.0
            return cospot.renewal_performance(DELTA, mttr, way.interval, restart)
        if np.isinf(way.interval):
            return 1.0
        return cospot.transient_performance(DELTA, mttr, way.interval)

    def __str__(self) -> str:
        """Return the name, with the time to restart."""
        return f"{self.name}, 12 min" if self.restart else self.name


MODELS = (
    Model("equation 2"),
    Model("exact renewal"),
    Model("exact renewal", restart=True),
    Model("simulated"),
    Model("simulated", restart=True),
)


def sold_by_model(trace: str, servers: list[Lives]) -> Iterator[dict[str, Any]]:
    """Return performance and revenue of the maximum, one class and every other way, by each model.

    The maximum is every server in a class of its own, whose customers save at the interval of
    equation 1. At equilibrium prices it earns what it performs.
    """
    pooled = lives_together(servers)
    weights = np.array([one.idle for one in servers]) / pooled.idle
    for model in MODELS:
        own = np.array([model.performance(one, _guaranteed(one)) for one in servers])
        best = weights @ np.array([price(fast) for fast in own])
        found = [("maximum", float(weights @ own), float(best))]
        for way in (_guaranteed(pooled), *WAYS):
            fast = model.performance(pooled, way)
            found.append((way.name, fast, price(fast)))
        for sold, fast, revenue in found:
            yield {
                "trace": trace,
                "model": str(model),
                "sold": sold,
                "performance": fast,
                "revenue": revenue,
                "multiple": best / revenue if revenue > 0 else np.inf,
            }


def multiples_table(sold: pd.DataFrame) -> pd.DataFrame:
    """Return the maximum of every trace and model in multiples of what the paper compares with.

    Columns: the maximum in percent of on demand, at the users' and at equilibrium prices, and its
    multiples (at users' prices) of GCE's best, GCE with 30 minutes assumed, and EC2.
    """
    rows = []
    for (trace, model), found in sold.groupby(["trace", "model"], sort=False):
        by = found.set_index("sold")
        gce = by.loc[by.index.str.startswith("GCE"), "multiple"]
        rows.append(
            {
                "trace": trace,
                "model": model,
                "maximum, %": 100 * by.loc["maximum", "revenue"],
                "at equilibrium, %": 100 * by.loc["maximum", "performance"],
                "GCE, best": gce.min(),
                "GCE, 30 min": by.loc["GCE, 0.5 h assumed", "multiple"],
                "EC2, +25%": by.loc["EC2, hourly, +25% revocations", "multiple"],
                "EC2, +100%": by.loc["EC2, hourly, +100% revocations", "multiple"],
            }
        )
    return pd.DataFrame(rows)


def _guaranteed(lives: Lives) -> Way:
    return Way("1 class", float(np.sqrt(2 * DELTA * lives.mttr)))
