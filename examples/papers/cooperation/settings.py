"""Settings of OTN and SAF for a combination of policies: the best ones, and how they are said."""

from __future__ import annotations

import pandas as pd

#: VM policy, spot policy, evictor.
Combination = tuple[str, str, str]

_COMBINATION = ["vm", "spot", "evictor"]


def best_without_vm_loss(runs: pd.DataFrame) -> pd.DataFrame:
    """Find for each combination the OTN and SAF with the best mean gain that lose no VM.

    Args:
        runs: Runs of one datacenter size, with a gain each.

    Returns:
        One row per combination that has such a setting: ``vm``, ``spot``, ``evictor``, ``saf``,
        ``otn`` and ``gain``, the mean over the workloads. Ties go to the smaller offer, SAF off.
    """
    groups = runs.groupby([*_COMBINATION, "saf", "otn"], observed=True)
    means = groups["gain"].mean()[groups["without_vm_loss"].all()].reset_index()
    if means.empty:
        return means
    return means.loc[means.groupby(_COMBINATION, observed=True)["gain"].idxmax()]


def of_setting(
    runs: pd.DataFrame, combination: Combination, *, saf: bool, otn: int
) -> pd.DataFrame:
    """Select the runs of one combination with one SAF and OTN."""
    vm, spot, evictor = combination
    return runs[
        (runs["vm"] == vm)
        & (runs["spot"] == spot)
        & (runs["evictor"] == evictor)
        & (runs["saf"] == saf)
        & (runs["otn"] == otn)
    ]


def setting_text(combination: Combination, *, saf: bool, otn: int) -> str:
    """Return ``COS, vmaUTIL, FIFO; OTN 32, SAF off``."""
    return f"{', '.join(combination)}; OTN {otn}, SAF {'on' if saf else 'off'}"


def describe_setting(row: pd.Series[float]) -> str:
    """Return the gain and the setting of a row of `best_without_vm_loss`."""
    combination = (str(row["vm"]), str(row["spot"]), str(row["evictor"]))
    told = setting_text(combination, saf=bool(row["saf"]), otn=int(row["otn"]))
    return f"{100 * row['gain']:.0f} % ({told})"


def mean_of(gains: pd.Series[float]) -> str:
    """Return a mean gain in percent, ``none`` of no runs."""
    return f"{100 * gains.mean():.0f} %" if len(gains) else "none"
