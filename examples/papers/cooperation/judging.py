"""Findings about shares, and the runs behind findings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
from reproduction.finding import Finding

_OPEN = (
    "the paper leaves choices open: smallest datacenter, hosts, requests before the window, ties; "
    "reproduction.md has what each moves"
)
_OTHER_WORKLOADS = "other workloads were run than the twenty that the authors released"
#: The largest loss of VM revenue that the paper calls tiny (Finding 1).
TINY = 0.0067
#: Part of the names of the workloads that the authors released.
RELEASED = "relevant-vm-1pcnt"


def percent(fraction: float, digits: int = 0) -> str:
    """Return ``12 %`` of 0.123."""
    return f"{100 * fraction:.{digits}f} %"


def gain(source: str, what: str, published: float, value: float, **more: Any) -> Finding:
    """Return a finding about a gain, as fractions."""
    told, claim = f"{100 * published:g} %", "reports so large a gain of spot revenue"
    return Finding(
        source, what, told, percent(value), "value or more", published, value, claim, **more
    )


def loss(
    source: str, what: str, published: float, value: float, digits: int, **more: Any
) -> Finding:
    """Return a finding about VM revenue lost, as fractions."""
    told, claim = f"{100 * published:g} %", "calls so small a loss of VM revenue tiny"
    here = percent(value, digits)
    return Finding(source, what, told, here, "value or less", published, value, claim, **more)


def measured_on(frame: pd.DataFrame) -> str:
    """Return how many runs these are, and of which workloads."""
    labels = [str(label) for label in frame["workload"].unique()]
    count = sum(RELEASED in label for label in labels)
    kind = "released" if count == len(labels) else "generated or other"
    if "sampling" in frame.columns:
        kinds = frame.drop_duplicates("workload")["sampling"].value_counts(sort=False)
        kind += f", {' and '.join(f'{number} {name}' for name, number in kinds.items())}"
    noun = "workload" if len(labels) == 1 else "workloads"
    return f"{len(frame):,} runs of {len(labels)} {noun} ({kind})"


def complete(finding: Finding, runs: pd.DataFrame) -> Finding:
    """Return a finding with its data, and with a reason where it differs."""
    told = measured_on(runs)
    if finding.differs and not finding.because:
        reason = _OPEN if "20 workloads (released" in told else _OTHER_WORKLOADS
        finding = replace(finding, because=reason)
    return finding if finding.data else replace(finding, data=told)
