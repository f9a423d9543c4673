"""Idle capacity as tables: servers, classes, and classes evaluated on held-out time.

Everything here is computed from the idle periods found by `cospot.idle_periods`; prices and
partitions come from the compiled `cospot.price_classes`. Times are in hours.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cospot._core import Workload, idle_periods, price_classes, transient_price
from cospot.argument_errors import checked
from cospot.errors import ConfigError
from cospot.provider.pricing import OfferedClass

CHECKPOINT_HOURS = 10 / 60
Numbers = npt.NDArray[np.float64]


@checked
def servers(
    trace: str | PathLike[str] | Workload,
    *,
    checkpoint_hours: float = CHECKPOINT_HOURS,
    **part: Any,
) -> pd.DataFrame:
    """Return one row per server, the most volatile first.

    Args:
        trace: As for `cospot.idle_periods`.
        checkpoint_hours: Time to save a server's memory.
        part: servers, from_day, to_day, server_vcpus, as for `cospot.idle_periods`.

    Returns:
        rank (from 1), size (relative to a mean of 1), idle_hours, revocations, mttr_hours (infinite
        without a revocation) and performance, with the best checkpoint interval for the server's
        own time to revocation.
    """
    found = idle_periods(trace, **part)
    rank, revoked = found["rank"], found["revoked"]
    idle = np.bincount(rank, found["end_hours"] - found["begin_hours"], found["servers"])
    revocations = np.bincount(rank[revoked], minlength=found["servers"])
    with np.errstate(divide="ignore", invalid="ignore"):
        mttr = np.where(idle > 0, idle / revocations, np.nan)
    return pd.DataFrame(
        {
            "rank": np.arange(1, found["servers"] + 1),
            "size": found["sizes"],
            "idle_hours": idle,
            "revocations": revocations,
            "mttr_hours": mttr,
            "performance": performance(mttr, checkpoint_hours),
        }
    )


@checked
def performance(
    mttr_hours: npt.ArrayLike, checkpoint_hours: float, interval_hours: float | None = None
) -> Numbers:
    """Return the speed relative to servers without revocations, by default at the best interval."""
    if interval_hours is not None and interval_hours <= 0:
        raise ConfigError(f"interval_hours is {interval_hours}, expected a number above 0")
    mttr = np.asarray(mttr_hours, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        if interval_hours is None:
            extra = np.sqrt(2 * checkpoint_hours / mttr)
        else:
            extra = checkpoint_hours / interval_hours + interval_hours / (2 * mttr)
    return np.asarray(1 / (1 + extra), dtype=np.float64)


@checked
def held_out(
    trace: str | PathLike[str] | Workload,
    *,
    split_day: float,
    classes: Sequence[int] = (1, 2, 4, 8),
    partition: Sequence[str] = ("equal", "optimal"),
    from_day: float = 0,
    to_day: float | None = None,
    checkpoint_minutes: float = 10,
    **part: Any,
) -> pd.DataFrame:
    """Choose classes before a day and evaluate them after it.

    Customers checkpoint at the best interval for the promised time to revocation and pay the
    promised price. Their outcome follows from the revocations after `split_day`. The promised time
    to revocation is at most the length of the first part.

    Args:
        trace: As for `cospot.price_classes`.
        split_day: The day between the two parts.
        classes: Numbers of classes.
        partition: As for `cospot.price_classes`.
        from_day: First day of the trace to use.
        to_day: Last day to use; default: when the last job starts.
        checkpoint_minutes: Time to save a server's memory.
        part: servers or server_vcpus, as for `cospot.price_classes`.

    Returns:
        One row per class: classes, partition, class (1 is the most available), servers,
        promised_mttr_hours, measured_mttr_hours, promised_performance, measured_performance,
        promised_price, worth (the price for the measured performance), and idle_hours (of the class
        after the day).

    Raises:
        ConfigError: `split_day` is not between the two days.
    """
    if split_day <= from_day or (to_day is not None and split_day >= to_day):
        raise ConfigError(
            f"split_day: found {split_day}, expected a day between from_day and to_day"
        )
    chosen = price_classes(
        trace,
        classes=list(classes),
        partition=list(partition),
        from_day=from_day,
        to_day=split_day,
        checkpoint_minutes=checkpoint_minutes,
        **part,
    )
    part = {**part, "servers": chosen.servers}
    after = servers(trace, from_day=split_day, to_day=to_day, **part)
    checkpoint = checkpoint_minutes / 60
    rows = []
    for way in chosen.partitions:
        end = chosen.servers
        for number, offered in enumerate(way.table, start=1):
            ones = after.iloc[end - offered.servers : end]
            end -= offered.servers
            rows.append(
                {
                    "classes": way.classes,
                    "partition": way.partition,
                    "class": number,
                    "servers": offered.servers,
                    **_judged(offered, ones, checkpoint, 24 * (split_day - from_day)),
                }
            )
    return pd.DataFrame(rows)


def _judged(
    offered: OfferedClass, ones: pd.DataFrame, checkpoint: float, record_hours: float
) -> dict[str, float]:
    promised = min(offered.mttr_hours or np.inf, record_hours)
    idle, revocations = ones["idle_hours"].sum(), ones["revocations"].sum()
    measured = idle / revocations if revocations else np.inf
    interval = float(np.sqrt(2 * checkpoint * promised))
    promised_performance = float(performance(promised, checkpoint))
    fast = float(performance(measured, checkpoint, interval)) if idle else np.nan
    return {
        "promised_mttr_hours": promised,
        "measured_mttr_hours": measured if idle else np.nan,
        "promised_performance": promised_performance,
        "measured_performance": fast,
        "promised_price": transient_price(promised_performance),
        "worth": transient_price(fast) if idle else np.nan,
        "idle_hours": idle,
    }
