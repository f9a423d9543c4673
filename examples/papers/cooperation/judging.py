"""The rules by which findings are judged, and the measurements behind them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
from reproduction.judging import is_near
from reproduction.page import Finding

_OPEN = "the paper leaves choices open: smallest datacenter, requests before the window, ties"
_OTHER_WORKLOADS = "other workloads were run than the twenty that the authors released"
_RELEASED = "relevant-vm-1pcnt"


def percent(fraction: float, digits: int = 0) -> str:
    """Return ``12 %`` of 0.123."""
    return f"{100 * fraction:.{digits}f} %"


def share(
    source: str, what: str, published: float, value: float, digits: int = 0, **more: Any
) -> Finding:
    """Return a finding about one percentage; both numbers are fractions."""
    told = f"{100 * published:g} %"
    return Finding(source, what, told, percent(value, digits), is_near(value, published), **more)


def measured_on(frame: pd.DataFrame) -> str:
    """Return how many runs these are, and of which workloads."""
    labels = [str(label) for label in frame["workload"].unique()]
    count = sum(_RELEASED in label for label in labels)
    kind = "released" if count == len(labels) else "generated or other"
    if "sampling" in frame.columns:
        kinds = frame.drop_duplicates("workload")["sampling"].value_counts(sort=False)
        kind += f", {' and '.join(f'{number} {name}' for name, number in kinds.items())}"
    noun = "workload" if len(labels) == 1 else "workloads"
    return f"{len(frame):,} runs of {len(labels)} {noun} ({kind})"


def complete(finding: Finding, runs: pd.DataFrame) -> Finding:
    """Return a finding with its data, and with a reason where it differs."""
    told = measured_on(runs)
    if finding.holds in (False, "partly") and not finding.because:
        reason = _OPEN if "20 workloads (released" in told else _OTHER_WORKLOADS
        finding = replace(finding, because=reason)
    return finding if finding.data else replace(finding, data=told)
