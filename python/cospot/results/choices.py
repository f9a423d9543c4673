"""Selections of runs: averages over the workloads, the best, the Pareto front."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from cospot.argument_errors import checked
from cospot.errors import ConfigError
from cospot.interval import half_width
from cospot.results.database import COMBINATION


@checked
def average_over_workloads(runs: pd.DataFrame) -> pd.DataFrame:
    """Average every combination of policies and settings over the workloads, at each size.

    Args:
        runs: ``Results.runs`` or a part of it.

    Returns:
        One row per size and combination, in their order; columns ``size``, ``vm``, ``spot``,
        ``evictor``, ``saf``, ``otn``, ``workloads`` (how many were averaged), the means
        ``spot_share``, ``gain``, ``vm_loss`` (fractions) and ``evictions`` (spots), each with its
        95 % interval (Student's t over the workloads), as ``spot_share_low`` and
        ``spot_share_high``, NaN for one workload, ``without_vm_loss`` (no VM rejected on any of the
        workloads) and ``needs_true_lifetimes`` (no datacenter can be set to it).

    Raises:
        ConfigError: A column is missing.
    """
    keys = ["size", *COMBINATION]
    values = ["spot_share", "gain", "vm_loss", "evictions"]
    flags = ["without_vm_loss", "needs_true_lifetimes"]
    require_columns(runs, [*keys, "workload", *values, *flags])
    groups = runs.groupby(keys, observed=True, sort=True)
    averages = pd.DataFrame({"workloads": groups["workload"].nunique()})
    samples = runs.groupby([*keys, "workload"], observed=True, sort=True)[values].mean()
    for value in values:
        averages = averages.join(mean_columns(samples[value], keys, value))
    averages["without_vm_loss"] = groups["without_vm_loss"].all()
    averages["needs_true_lifetimes"] = groups["needs_true_lifetimes"].all()
    return averages.reset_index()


@checked
def best_without_vm_loss(runs: pd.DataFrame) -> pd.DataFrame:
    """Select the best deployable combination without VM loss, at each size.

    Args:
        runs: ``Results.runs`` or a part of it.

    Returns:
        One row per size, index ``size``: among the deployable combinations that reject no VM on any
        of the workloads, the one with the highest mean ``spot_share``, with the columns of
        `average_over_workloads`; NaN if there is none. And ``upper_bound``: the maximum over
        combinations that know true lifetimes; NaN if there are none.

    Raises:
        ConfigError: A column is missing.
    """
    averages = average_over_workloads(runs)
    quiet = averages[
        averages["without_vm_loss"] & (averages["workloads"] == averages["workloads"].max())
    ]
    bounds = quiet["needs_true_lifetimes"]
    to_set = quiet[~bounds].sort_values("spot_share", ascending=False, kind="stable")
    best = to_set.drop_duplicates("size").set_index("size")
    sizes = averages["size"].drop_duplicates()
    best = best.reindex(pd.Index(sizes, name="size"))
    best["upper_bound"] = quiet[bounds].groupby("size", observed=True)["spot_share"].max()
    return best


@checked
def pareto_front(
    frame: pd.DataFrame, *, gain: str = "spot_share", loss: str = "vm_loss"
) -> pd.DataFrame:
    """Select the rows that no other dominates: more gain at no more loss, or less loss.

    Args:
        frame: Runs, or averages of them. Rows without a gain or a loss are ignored. If only some
            rows need true lifetimes, drop those first: they cannot be deployed.
        gain: The column to maximise: spot revenue as a share of the requested one, or ``"gain"``,
            whose baseline differs between policies.
        loss: The column to minimise.

    Returns:
        The rows on the front by ascending loss. Rows equal in both columns are all included.

    Raises:
        ConfigError: A column is missing.
    """
    require_columns(frame, [gain, loss])
    known = frame[frame[gain].notna() & frame[loss].notna()]
    # For each loss the highest gain comes first; it must exceed all gains at lower loss.
    ordered = known.sort_values([loss, gain], ascending=[True, False], kind="stable")
    best_with_less = (
        ordered.groupby(loss, sort=False)[gain].max().cummax().shift(fill_value=-float("inf"))
    )
    best_of_its_loss = ordered.groupby(loss, sort=False)[gain].transform("max")
    is_on_front = (ordered[gain] == best_of_its_loss) & (
        ordered[gain] > ordered[loss].map(best_with_less)
    )
    return ordered[is_on_front]


def mean_columns(samples: pd.Series[Any], keys: Sequence[str], name: str) -> pd.DataFrame:
    """Return the mean of samples and its 95 % interval: `name`, and with ``_low`` and ``_high``."""
    groups = samples.dropna().groupby(list(keys), observed=True, sort=False, dropna=False)
    mean, half = groups.mean(), groups.agg(half_width)
    return pd.DataFrame({name: mean, f"{name}_low": mean - half, f"{name}_high": mean + half})


def require_columns(frame: pd.DataFrame, names: list[str]) -> None:
    """Raise ConfigError unless the frame has all these columns and at least one row."""
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise ConfigError(
            f"the frame has no column {', '.join(missing)}; expected the runs of "
            f"cospot.load_results; it has {', '.join(map(str, frame.columns))}"
        )
    if frame.empty:
        raise ConfigError("the frame has no rows")
