"""Compares your own policy with the best known one on the same workloads and hosts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pandas as pd

from cospot import _core
from cospot.argument_errors import checked
from cospot.errors import ArgumentError, ConfigError
from cospot.interval import half_width
from cospot.results import COMBINATION, Results, load_results
from cospot.results.choices import best_without_vm_loss
from cospot.values import ByContents

if TYPE_CHECKING:
    from cospot.study_keys import Study

BETTER, WORSE, NOT_SIGNIFICANT = "better", "worse", "not significant"
ONE_WORKLOAD = "one workload: no interval"
LOSES_VMS = "loses VMs"


@dataclass(frozen=True, eq=False, repr=False)
class PolicyComparison(ByContents):
    """The comparison of one combination with another, at each size.

    Attributes:
        table: One row per size, index ``size``. Columns: ``hosts`` (the mean over the workloads;
            each workload has the same number for both), ``mine`` and ``against`` (fractions: mean
            spot revenue over requested spot revenue), ``difference`` (mine minus against), ``low``
            and ``high`` (its 95 % confidence interval by Student's t over the workloads, paired by
            workload; NaN for one workload), ``workloads``, ``mine_vm_loss`` and ``against_vm_loss``
            (fractions of the requested VM revenue) and ``verdict``: ``"better"`` or ``"worse"`` if
            the interval excludes 0, ``"loses VMs"`` if mine rejects VMs that the other one places,
            ``"one workload: no interval"`` if there is only one, otherwise ``"not significant"``.
        against: One row per size, index ``size``: the other combination.
        runs: Every run of both, with a column ``whose`` (``"mine"``, ``"against"``).
    """

    table: pd.DataFrame
    against: pd.DataFrame
    runs: pd.DataFrame

    def __repr__(self) -> str:
        return f"{self.table.to_string()}\nagainst\n{self.against.to_string()}"

    def _repr_html_(self) -> str:
        """The two tables for notebooks."""
        table, against = (str(frame.to_html()) for frame in (self.table, self.against))
        return f"{table}<p>against</p>{against}"


@checked
def compare_policies(
    mine: Mapping[str, Any],
    against: str | Mapping[str, Any] = "best",
    *,
    study: Study | Mapping[str, Any],
    threads: int | None = None,
) -> PolicyComparison:
    """Compare two combinations of policies, paired by workload, on equal hosts.

    Args:
        mine: The combination to evaluate: some of the keys ``vm``, ``spot``, ``evictor``, ``saf``,
            ``otn``, each with one value as in a study; policies may be Python classes or objects.
            Missing keys are taken from ``against``.
        against: ``"best"``: at each size, the study's deployable combination with the highest spot
            revenue that loses no VM on any workload. It is chosen on the same workloads, which
            favours it. Or a mapping like ``mine``, with all five keys.
        study: A study as a dict (docs/sweep-file.md): workloads, hosts, sizes, and the combinations
            from which to choose the best. A headroom counts from the fewest hosts over its ``vm``.
        threads: None: the number of processors.

    Returns:
        The comparison at each size of the study at which ``against`` exists.

    Raises:
        ConfigError: A key is unknown, the study compares each policy on its own hosts
            (``headroom_of: each_policy``), or every combination loses VMs at every size.
    """
    _check(mine, against, study)
    with TemporaryDirectory(prefix="cospot-") as folder:
        named = against if isinstance(against, Mapping) else {}
        known = _run({**study, **_one_size_for_all(study), **named}, folder, threads)
        if named:
            chosen = known.runs.drop_duplicates("size").set_index("size")
        else:
            chosen = best_without_vm_loss(known.runs).dropna(subset="spot_share")
            if chosen.empty:
                raise ConfigError(
                    "against: every combination of the study that can be set loses VMs at every "
                    "size; expected more hosts, or the combination to compare with"
                )
        parts = []
        for size, best in chosen.iterrows():
            others = known.runs[known.runs["size"] == size]
            for key in COMBINATION:
                others = others[others[key] == best[key]]
            combination = {
                key: _given({**study, **named}, known, key, best[key]) for key in COMBINATION
            }
            one = {**study, **_one_size_for_all(study), **combination, **mine}
            for key in ("headroom_percent", "hosts"):
                if key in study:
                    one[key] = others[key].iloc[:1].tolist()
            ours = _run(one, folder, threads).runs
            parts += [others.assign(whose="against"), ours.assign(whose="mine", size=size)]
    runs = pd.concat(
        [part.assign(workload=part["workload"].astype(str), size=part["size"].astype(str))
         for part in parts], ignore_index=True,
    )  # fmt: skip
    rows = {size: _row(runs[runs["size"] == str(size)]) for size in chosen.index}
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("size")
    return PolicyComparison(table, chosen[list(COMBINATION)], runs)


def _check(mine: Mapping[str, Any], against: str | Mapping[str, Any], study: Any) -> None:
    if not isinstance(study, Mapping):
        raise ArgumentError(
            f"study is of type {type(study).__name__}, expected a dict of the keys of a study file"
        )
    if study.get("headroom_of") == "each_policy":
        raise ConfigError(
            "headroom_of: found 'each_policy', expected it left out: policies are compared on "
            "equal hosts"
        )
    for name, given in (("mine", mine), ("against", against)):
        if isinstance(given, str) and given == "best" and name == "against":
            continue
        if not isinstance(given, Mapping):
            what = "'best' or a dict" if name == "against" else "a dict"
            kind = ConfigError if name == "against" and isinstance(given, str) else ArgumentError
            raise kind(f"{name}: found {given!r}, expected {what} of {', '.join(COMBINATION)}")
        unknown = [key for key in given if key not in COMBINATION]
        if unknown:
            raise ConfigError(
                f"{name}: unknown key {unknown[0]!r}; valid names: {', '.join(COMBINATION)}"
            )
        for key, value in given.items():
            values = [value] if isinstance(value, tuple) else _values(value)
            if len(values) != 1:
                raise ConfigError(f"{name}.{key}: found {len(values)} values, expected one")
    if not mine:
        raise ConfigError(f"mine: found nothing, expected some of {', '.join(COMBINATION)}")
    if isinstance(against, Mapping) and set(against) != set(COMBINATION):
        missing = [key for key in COMBINATION if key not in against]
        raise ConfigError(
            f"against: missing key {missing[0]!r}; expected all of {', '.join(COMBINATION)}"
        )


def _one_size_for_all(study: Mapping[str, Any]) -> dict[str, Any]:
    """Make a headroom count from the same hosts for every VM policy."""
    if "headroom_percent" not in study or "headroom_of" in study:
        return {}
    return {"headroom_of": _values(study.get("vm", []))}


def _values(given: Any) -> list[Any]:
    """Return the values of a key: of a list, a tuple, a range, an array; or the single one."""
    if hasattr(given, "tolist"):
        return _values(given.tolist())
    return list(given) if isinstance(given, (list, tuple, range)) else [given]


def _given(study: Mapping[str, Any], results: Results, key: str, label: Any) -> Any:
    """Return an axis value as the study gave it, by its label in the results."""
    labels = [
        entry["label"] if isinstance(entry, Mapping) else entry for entry in results.settings[key]
    ]
    return _values(study.get(key, label))[labels.index(label)]


def _run(study: Mapping[str, Any], folder: str, threads: int | None) -> Results:
    database = Path(folder) / "runs.db"
    _core.compare(study, db=database, threads=threads, force=True, timing=False)
    return load_results(database)


def _row(runs: pd.DataFrame) -> dict[str, Any]:
    mine = runs[runs["whose"] == "mine"].set_index("workload")
    against = runs[runs["whose"] == "against"].set_index("workload")
    differences = (mine["spot_share"] - against["spot_share"].reindex(mine.index)).to_numpy()
    mean, half = differences.mean(), half_width(differences)
    low, high = mean - half, mean + half  # NaN for one workload
    loses = (~mine["without_vm_loss"] & against["without_vm_loss"].reindex(mine.index)).any()
    verdict = NOT_SIGNIFICANT if len(mine) > 1 else ONE_WORKLOAD
    if loses:
        verdict = LOSES_VMS
    elif low > 0:
        verdict = BETTER
    elif high < 0:
        verdict = WORSE
    return {
        "hosts": mine["hosts"].mean(),
        "mine": mine["spot_share"].mean(),
        "against": against["spot_share"].mean(),
        "difference": mean,
        "low": low,
        "high": high,
        "workloads": len(mine),
        "mine_vm_loss": mine["vm_loss"].mean(),
        "against_vm_loss": against["vm_loss"].mean(),
        "verdict": verdict,
    }
