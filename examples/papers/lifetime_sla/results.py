"""The runs that run.sh left, summed up."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cospot
import pandas as pd
from reproduction.page import percent


@dataclass(frozen=True)
class Combination:
    """All runs of one target on one number of hosts: sums of spots, means of shares.

    Where every run replays the same requests (`replays` of them), the runs are no independent
    draws: they differ by the starting points of the estimator alone. The interval is then that of
    one replay, and `lowest` and `highest` say how far the share evicted depends on the points.
    """

    target: float | None
    hosts: int
    runs: int
    runs_met: int
    admitted: int
    evictions: int
    on_demand_admission: float
    spot_admission: float
    spot_revenue_share: float
    lowest: float
    highest: float
    replays: int = 1

    @property
    def evicted(self) -> float:
        """The share of the admitted spots that was evicted."""
        return self.evictions / max(1, self.admitted)

    @property
    def interval(self) -> str:
        """The 95 % interval of that share."""
        lower, upper = self._bounds
        return f"{percent(lower, 2)} to {percent(upper, 2)}"

    @property
    def verdict(self) -> str:
        """Tell whether the promise was kept: the whole interval is on one side of the target."""
        if self.target is None:
            return ""
        lower, upper = self._bounds
        return "kept" if upper <= self.target else "broken" if lower > self.target else "unclear"

    @property
    def spread(self) -> str:
        """The least and the most that a run evicted."""
        return f"{self.lowest:.4f} to {self.highest:.4f}"

    @property
    def _bounds(self) -> tuple[float, float]:
        admitted, evictions = (
            round(self.admitted / self.replays),
            round(self.evictions / self.replays),
        )
        return cospot.eviction_interval(admitted, evictions)

    @property
    def name(self) -> str:
        """The target as the study file has it."""
        return "none" if self.target is None else f"{self.target:g}"


def combined(runs: pd.DataFrame, *, same_requests: bool = False) -> Combination:
    """Sum up runs of one target; `same_requests`: they replay the same ones."""
    evicted = runs["evictions"] / runs["spot_admitted"].clip(lower=1)
    target = str(runs["target"].iloc[0])
    return Combination(
        target=None if target == "none" else float(target),
        hosts=int(runs["hosts"].iloc[0]),
        runs=len(runs),
        runs_met=int(runs["is_met"].astype(bool).sum()),
        admitted=int(runs["spot_admitted"].sum()),
        evictions=int(runs["evictions"].sum()),
        on_demand_admission=float(runs["on_demand_admission"].mean()),
        spot_admission=float(runs["spot_admission"].mean()),
        spot_revenue_share=float(runs["spot_revenue_share"].mean()),
        lowest=float(evicted.min()),
        highest=float(evicted.max()),
        replays=len(runs) if same_requests else 1,
    )


class Results:
    """The results that run.sh left in a folder."""

    def __init__(self, folder: Path) -> None:
        """Look at what is in a folder."""
        self._folder = folder

    def runs(self, name: str) -> pd.DataFrame | None:
        """Return those of NAME.db, or of NAME-1.db, NAME-2.db, ...; None: nothing was run."""
        files = [self._folder / f"{name}.db", *sorted(self._folder.glob(f"{name}-*.db"))]
        frames = [
            cospot.load_results(file).runs.astype({"target": str}).assign(workload=file.stem)
            for file in files
            if file.exists()
        ]
        return pd.concat(frames, ignore_index=True) if frames else None

    def combinations(self, name: str, *, same_requests: bool = False) -> list[Combination]:
        """Return one for each number of hosts and target, in the order of the study."""
        runs = self.runs(name)
        if runs is None:
            return []
        groups = runs.groupby(["hosts", "target"], sort=False)
        return [combined(group, same_requests=same_requests) for _, group in groups]

    def replays(self, name: str) -> list[Combination]:
        """Return the combinations of runs of the same two traces."""
        return self.combinations(name, same_requests=True)


def letters(pair: str) -> str:
    """Return ``A-B`` of ``ab``."""
    return "-".join(pair.upper())


def by_target(runs: pd.DataFrame | None) -> list[Combination]:
    """Return one for each target, over all hosts and workloads."""
    if runs is None:
        return []
    return [combined(group) for _, group in runs.groupby("target", sort=False)]
