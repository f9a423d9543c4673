"""The difference between two results, paired by their settings and workloads."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import pandas as pd

from cospot.argument_errors import checked
from cospot.errors import ConfigError, ResultsWarning
from cospot.results.choices import mean_columns, require_columns
from cospot.results.database import ROLES, Results, load_results

#: Columns of ours: one value, so that results without settings in common are grouped too, and what
#: a pair agrees on, as texts.
_ALL, _KEY = "all", "key of the pair"


@checked
def difference(
    a: Results | pd.DataFrame | str | PathLike[str],
    b: Results | pd.DataFrame | str | PathLike[str],
    *,
    measures: Sequence[str] | None = None,
    by: Sequence[str] | None = None,
    over: str | None = None,
) -> pd.DataFrame:
    """Subtract the measures of one result from those of another, run by run, with intervals.

    Two runs are a pair if they agree on every axis that both results have. An axis that has one
    value in `a` and another one in `b` is what is compared and does not count: the runs with one
    evictor pair with those of another evictor by everything else.

    Args:
        a: A results database, its `Results`, or its `Results.runs` or a part of them.
        b: The other one, of the same study or of one that shares measures with it.
        measures: Columns to compare; None: every number that both have, except measured times.
        by: Columns on which a pair agrees besides `over`; None: the axes, as above.
        over: The axis whose values are the samples; None: the workloads, or of one workload the
            seeds. Without workloads, the seeds or the study's first axis.

    Returns:
        One row per combination of settings and measure; index: the columns of `by`, then
        ``measure``. Columns: ``a``, ``b`` (means), ``difference`` (of a minus b), ``low``,
        ``high`` (its 95 % interval by Student's t, paired; NaN for one sample) and ``samples``.
        Runs of several seeds are averaged before, if the workloads are the samples.

    Raises:
        DatabaseError: A database cannot be read.
        ConfigError: A column is missing, no run has a partner, several runs of one result have the
            same partner, or workloads with one name differ.

    Warns:
        ResultsWarning: Some runs have no partner and were left out: how many, and the first.
    """
    one, other = _side(a, "a"), _side(b, "b")
    _require_same_workloads(one, other)
    axes = [name for name in one.axes() if name in other.runs.columns]
    sample = over or _sample(axes, one, other)
    keys = list(by) if by is not None else [key for key in axes if not _differs(key, one, other)]
    pairing = [*dict.fromkeys([*keys, sample])]
    if by is None:
        keys = [key for key in keys if key not in (sample, "seed")]
    names = list(measures) if measures is not None else _measures(one, other, pairing)
    pairs = _paired(one, other, pairing, names)
    pairs[_ALL] = 0
    keys = keys or [_ALL]
    samples = pairs.groupby([*keys, sample], sort=False, dropna=False, observed=True).mean(
        numeric_only=True
    )
    table = pd.concat({name: _rows(samples, keys, name) for name in names}, names=["measure"])
    order = samples.groupby(keys, sort=False, dropna=False).size().index
    table = table.reorder_levels([*keys, "measure"])
    table = table.reindex([(*_tuple(key), name) for key in order for name in names])
    return table.droplevel(_ALL) if keys == [_ALL] else table


@dataclass(frozen=True)
class _Side:
    name: str
    runs: pd.DataFrame
    roles: Mapping[str, str]  #: of the columns; empty: a frame that does not tell
    workloads: Mapping[str, str]  #: SHA-256 by name; empty: unknown

    def axes(self) -> list[str]:
        axes = [name for name in self.runs.columns if self.roles.get(str(name)) == "axis"]
        # The size in words stands for headroom_percent, which has no value of a number of hosts.
        return ["size" if name == "headroom_percent" else str(name) for name in axes]


def _side(given: Any, name: str) -> _Side:
    if isinstance(given, pd.DataFrame):
        if given.empty:
            raise ConfigError(f"{name}: the frame has no rows")
        return _Side(name, given, given.attrs.get(ROLES, {}), {})
    results = given if isinstance(given, Results) else load_results(given)
    digests = dict(results.workloads.set_index("workload")["sha256"])
    return _Side(name, results.runs, results.runs.attrs.get(ROLES, {}), digests)


def _require_same_workloads(one: _Side, other: _Side) -> None:
    for workload, sha256 in one.workloads.items():
        if other.workloads.get(workload, sha256) != sha256:
            raise ConfigError(
                f"the workload '{workload}' has the SHA-256 {sha256} in a and "
                f"{other.workloads[workload]} in b; expected the same requests"
            )


def _sample(axes: list[str], one: _Side, other: _Side) -> str:
    """Return the axis whose values are the samples."""
    if "workload" in axes:
        shared = set(one.runs["workload"]) & set(other.runs["workload"])
        return "seed" if len(shared) == 1 and "seed" in axes else "workload"
    if not axes:
        raise ConfigError(
            "a and b share no axis of a study, so runs cannot be paired; expected results of "
            "cospot.load_results, or by=[...] and over=..."
        )
    return "seed" if "seed" in axes else axes[0]


def _differs(key: str, one: _Side, other: _Side) -> bool:
    """Tell whether an axis has one value in each, and not the same."""
    mine, others = one.runs[key].unique(), other.runs[key].unique()
    return len(mine) == len(others) == 1 and str(mine[0]) != str(others[0])


def _measures(one: _Side, other: _Side, pairing: list[str]) -> list[str]:
    names = []
    for name in one.runs.columns:
        role = one.roles.get(str(name), "measure")
        if name in pairing or name not in other.runs.columns or role not in ("measure", "derived"):
            continue
        if all(_is_number(side.runs[name]) for side in (one, other)):
            names.append(str(name))
    if not names:
        raise ConfigError("a and b share no measure that is a number; expected measures=[...]")
    return names


def _is_number(column: pd.Series[Any]) -> bool:
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def _paired(one: _Side, other: _Side, pairing: list[str], names: list[str]) -> pd.DataFrame:
    """Return the pairs: `pairing`, and each measure of both with `` a`` and `` b``."""
    frames = []
    for side in (one, other):
        require_columns(side.runs, [*pairing, *names])
        texts = [name for name in names if not pd.api.types.is_numeric_dtype(side.runs[name])]
        if texts or not names:
            found = f"the column {texts[0]}, which is no number" if texts else "nothing"
            raise ConfigError(f"measures: found {found}; expected columns of numbers")
        frame = side.runs[[*pairing, *names]].astype(dict.fromkeys(names, "float64"))
        keys = pd.Series([_key(row) for row in frame[pairing].itertuples(index=False)], frame.index)
        if keys.duplicated().any():
            again = side.runs[keys == keys[keys.duplicated()].iloc[0]]
            differing = [name for name in side.axes() if again[name].nunique(dropna=False) > 1]
            raise ConfigError(
                f"{side.name}: several runs have {_settings(again, pairing)}; expected one: keep "
                f"one value of {', '.join(differing) or 'what they differ in'}, or give by=[...]"
            )
        frames.append(frame.assign(**{_KEY: keys}))
    pairs = frames[0].merge(frames[1].drop(columns=pairing), on=_KEY, suffixes=(" a", " b"))
    alone = [mine[~mine[_KEY].isin(theirs[_KEY])] for mine, theirs in (frames, reversed(frames))]
    if any(len(runs) for runs in alone):
        first = _settings(alone[0] if len(alone[0]) else alone[1], pairing)
        text = (
            f"{len(alone[0])} runs of a and {len(alone[1])} of b have no partner, first that with "
            f"{first}"
        )
        if pairs.empty:
            raise ConfigError(f"{text}; expected runs that agree on {', '.join(pairing)}")
        warnings.warn(f"{text}; they are left out", ResultsWarning, stacklevel=4)
    return pairs


def _key(values: tuple[Any, ...]) -> tuple[str, ...]:
    """Return values as texts: those of two frames may be of other types, as 2 and 2.0."""
    whole = (int(one) if isinstance(one, float) and one.is_integer() else one for one in values)
    return tuple(map(str, whole))


def _settings(runs: pd.DataFrame, pairing: list[str]) -> str:
    """Name the settings of the first of some runs."""
    return ", ".join(f"{key} {runs[key].iloc[0]}" for key in pairing)


def _rows(samples: pd.DataFrame, keys: list[str], name: str) -> pd.DataFrame:
    """Return the means and the interval of one measure, by the settings."""
    both = samples[[f"{name} a", f"{name} b"]].dropna()
    both.columns = pd.Index(["a", "b"])
    means = both.groupby(keys, sort=False, dropna=False, observed=True)
    table = means.mean()
    table = table.join(mean_columns(both["a"] - both["b"], keys, "difference"))
    table["samples"] = means.size()
    return table.rename(columns={"difference_low": "low", "difference_high": "high"})


def _tuple(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)
