"""Results of a sweep as pandas frames.

Reads the SQLite database that ``cospot compare`` and :func:`cospot.sweep` write
(docs/results-format.md) and adds what people look at: the spots' share, VM loss and gain.
Needs pandas.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from os import PathLike, fspath
from pathlib import Path
from typing import Any, cast

import pandas as pd

from cospot import _core
from cospot.errors import ConfigError, DatabaseError

_APPLICATION_ID = 0x636F7370  # "cosp"
_FORMAT_VERSION = 2
_MICROSECONDS_PER_SECOND = 1_000_000

#: What a run is compared on: its combination, without workload and size.
COMBINATION = ("vm", "spot", "evictor", "saf", "otn")

_COUNTS = (
    "hosts",
    "vm_requests",
    "vm_rejected",
    "vm_too_large",
    "spot_requests",
    "spot_admitted",
    "evictions",
)
_REVENUES = (
    "vm_revenue_requested",
    "vm_revenue",
    "spot_revenue_requested",
    "spot_revenue",
    "spot_revenue_first_hour_free",
)
_TIMES = ("alloc_p50_ns", "alloc_p99_ns", "alloc_max_ns")


@dataclass(frozen=True)
class Results:
    """What a results database holds.

    Attributes:
        database: The file it was read from.
        runs: One row per finished run, index ``run_index`` (grid order). Columns:

            - ``workload``, ``size``, ``vm``, ``spot``, ``evictor``: ordered categories, in the
              order of the sweep. ``size`` is the headroom or the hosts as a text, ``"2 %"`` or
              ``"500 hosts"``.
            - ``headroom_percent``: float64, hosts beyond the size that fits the VMs; NaN where
              the sweep gives ``hosts``.
            - ``saf``: bool. ``hosts``: int64, hosts. ``otn``: int64, hosts; in a sweep with other
              offers (``"epsilon-0.05"``, ``"adaptive-32-1-0.8-1"``) objects, numbers and labels.
            - ``vm_requests``, ``vm_rejected``, ``vm_too_large`` (of the rejected: larger than an
              empty host), ``spot_requests``, ``spot_admitted``, ``evictions``: int64, instances.
            - ``vm_revenue_requested``, ``vm_revenue``, ``spot_revenue_requested``,
              ``spot_revenue``, ``spot_revenue_first_hour_free`` (when a spot that is evicted in
              its first hour earns nothing): float64, vcpu-seconds.
            - ``gain``: float64, a fraction (0.35 is 35 %): spot revenue over that of the run with
              the same workload, size, VM, spot and evictor, OTN 1 and SAF off, minus 1. NaN where
              that run is not among the results or earned nothing.
            - ``vm_loss``: float64, a fraction: the part of the requested VM revenue that was not
              earned. NaN when no VM revenue was requested.
            - ``spot_share``: float64, a fraction: spot revenue over what spots requested. NaN
              when they requested none.
            - ``without_vm_loss``: bool. No VM rejected but those larger than a host.
            - ``is_baseline``: bool. OTN 1 and SAF off.
            - ``needs_true_lifetimes``: bool. A policy of it, such as the evictor LPO, knows when
              spots will end: what it earns is an upper bound, which no datacenter can be set to.
            - ``alloc_p50_ns``, ``alloc_p99_ns``, ``alloc_max_ns``: int64, ns; ``wall_ms``:
              float64, ms. 0 where the sweep was not timed.
        workloads: One row per workload, in the order of the sweep; columns ``workload`` (its
            label), ``sha256``, ``name`` (what its reader calls it).
        sweep: The sweep, every default written out, as read from JSON.
        run_count: Runs of the whole sweep, finished or not.
        version: Of the cospot that created the database.
        configurations: Each run's own configuration as JSON text, index as ``runs``.
    """

    database: Path
    runs: pd.DataFrame
    workloads: pd.DataFrame
    sweep: Mapping[str, Any]
    run_count: int
    version: str
    configurations: pd.Series[str]

    @property
    def missing(self) -> int:
        """Runs of the sweep that are not in the database."""
        return self.run_count - len(self.runs)

    def configuration(self, run_index: int) -> dict[str, Any]:
        """Return all that is needed to repeat one run.

        Args:
            run_index: An index of ``runs``.

        Raises:
            ConfigError: No such run has finished.
        """
        if run_index not in self.configurations.index:
            raise ConfigError(
                f"{self.database}: there is no run {run_index}; it has {len(self.runs)} of the "
                f"{self.run_count} runs 0 to {self.run_count - 1}"
            )
        return cast("dict[str, Any]", json.loads(self.configurations.loc[run_index]))


def load_results(database: str | PathLike[str]) -> Results:
    """Read a results database.

    Args:
        database: The file that ``cospot compare``, ``cospot merge`` or :func:`cospot.sweep`
            wrote. It may be unfinished: then the finished runs are read.

    Returns:
        The runs, the workloads and the sweep.

    Raises:
        DatabaseError: There is no such file, it is not a results database, it has a format that
            this cospot does not read, or it holds no run.
    """
    path = Path(fspath(database))
    with _connect(path) as connection:
        row = connection.execute("SELECT configuration, run_count, version FROM sweep").fetchone()
        if row is None:
            raise DatabaseError(f"{path}: has no sweep in it")
        sweep = cast("dict[str, Any]", json.loads(row[0]))
        workloads = _read_frame(
            connection, "SELECT label AS workload, sha256, name FROM workload ORDER BY rowid"
        )
        raw = _read_frame(connection, "SELECT * FROM run ORDER BY run_index")
    if raw.empty:
        raise DatabaseError(
            f"{path}: holds no run yet, of {row[1]}; wait for the first, or resume the sweep"
        )
    raw = raw.set_index("run_index")
    return Results(
        database=path,
        runs=_tidy(raw, sweep),
        workloads=workloads,
        sweep=sweep,
        run_count=int(row[1]),
        version=str(row[2]),
        configurations=raw["configuration"],
    )


@contextmanager
def _connect(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a results database for reading only; everything that goes wrong is a DatabaseError."""
    if not path.exists():
        raise DatabaseError(f"{path}: there is no such file; expected a results database")
    if not path.is_file():
        raise DatabaseError(f"{path}: is not a file; expected a results database")
    try:
        uri = path.resolve().as_uri() + "?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            _require_results(connection, path)
            yield connection
    except sqlite3.Error as error:
        raise DatabaseError(f"{path}: {error}; expected a results database") from error


def _require_results(connection: sqlite3.Connection, path: Path) -> None:
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if tables == 0 and application == 0:
        raise DatabaseError(f"{path}: is empty; expected a results database")
    if application != _APPLICATION_ID:
        raise DatabaseError(f"{path}: is a database of another program")
    if version != _FORMAT_VERSION:
        raise DatabaseError(
            f"{path}: has results format {version}; this cospot reads {_FORMAT_VERSION}"
        )


def _read_frame(connection: sqlite3.Connection, query: str) -> pd.DataFrame:
    cursor = connection.execute(query)
    columns = [column[0] for column in cursor.description]
    return pd.DataFrame.from_records(cursor.fetchall(), columns=columns)


def _tidy(raw: pd.DataFrame, sweep: Mapping[str, Any]) -> pd.DataFrame:
    """Give the columns their types and order, and add what is computed from them."""
    runs = pd.DataFrame(index=raw.index)
    runs["workload"] = _ordered(raw["workload"], [item["label"] for item in sweep["workloads"]])
    runs["size"] = _size_labels(raw, sweep)
    runs["headroom_percent"] = raw["headroom_percent"].astype("float64")
    for policy in ("vm", "spot", "evictor"):
        runs[policy] = _ordered(raw[policy], [item["label"] for item in sweep[policy]])
    runs["saf"] = raw["saf"].astype(bool)
    runs["otn"] = _offers(raw["otn"])
    for column in _COUNTS:
        runs[column] = raw[column].astype("int64")
    # Python's integers, because a large zone's revenue passes 2^63 vcpu-microseconds.
    exact = {name: raw[f"{name}_exact"].map(_microseconds).astype(object) for name in _REVENUES}
    for name, revenue in exact.items():
        runs[name] = _in_seconds(revenue)
    runs["gain"] = _gain(runs)
    # The difference is taken before rounding: it is far smaller than its terms.
    lost = _in_seconds(exact["vm_revenue_requested"] - exact["vm_revenue"])
    runs["vm_loss"] = _ratio(lost, runs["vm_revenue_requested"])
    runs["spot_share"] = _ratio(runs["spot_revenue"], runs["spot_revenue_requested"])
    runs["without_vm_loss"] = runs["vm_rejected"] == runs["vm_too_large"]
    runs["is_baseline"] = ~runs["saf"] & (runs["otn"] == 1)
    runs["needs_true_lifetimes"] = _needs_true_lifetimes(runs, sweep)
    for column in _TIMES:
        runs[column] = raw[column].astype("int64")
    runs["wall_ms"] = raw["wall_ms"].astype("float64")
    return runs


def _needs_true_lifetimes(runs: pd.DataFrame, sweep: Mapping[str, Any]) -> pd.Series[bool]:
    """Tell which runs have a policy that needs true lifetimes, by its name in the registry.

    A policy in Python or of Nova is in no registry: it can be set.
    """
    filters, weighers, evictors = (
        {info.name for info in infos if info.needs_true_lifetimes}
        for infos in (_core.list_filters(), _core.list_weighers(), _core.list_evictors())
    )

    def is_bound(policy: Mapping[str, Any]) -> bool:
        if "weighers" not in policy:
            return policy.get("name", policy["label"]) in evictors
        return any(item["name"] in weighers for item in policy["weighers"]) or any(
            item["name"] in filters for item in policy.get("filters", [])
        )

    bound = pd.Series(False, index=runs.index)
    for axis in ("vm", "spot", "evictor"):
        bound |= runs[axis].isin([item["label"] for item in sweep[axis] if is_bound(item)])
    return bound


def _offers(otn: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers where all are; else objects, because labels of other offers stand beside them."""
    is_label = otn.map(lambda value: isinstance(value, str))
    return otn.astype(object) if is_label.any() else otn.astype("int64")


def _ordered(values: pd.Series[Any], labels: list[str]) -> pd.Series[Any]:
    return values.astype(pd.CategoricalDtype(labels, ordered=True))


def _size_labels(raw: pd.DataFrame, sweep: Mapping[str, Any]) -> pd.Series[Any]:
    labels = [
        f"{size['headroom_percent']:.6g} %" if "headroom_percent" in size else _hosts(size["hosts"])
        for size in sweep["sizes"]
    ]
    texts = [
        _hosts(int(hosts)) if pd.isna(percent) else f"{percent:.6g} %"
        for percent, hosts in zip(raw["headroom_percent"], raw["hosts"], strict=True)
    ]
    return _ordered(pd.Series(texts, index=raw.index, dtype=object), labels)


def _hosts(count: int) -> str:
    return f"{count} hosts"


def _microseconds(text: str) -> int:
    """Turn an exact decimal of vcpu-seconds into whole vcpu-microseconds, of any size."""
    return int(Decimal(text).scaleb(6).to_integral_exact())


def _in_seconds(microseconds: pd.Series[Any]) -> pd.Series[float]:
    # One rounding to a double and one division, as the summary of the command line does.
    return microseconds.map(lambda value: float(value) / _MICROSECONDS_PER_SECOND).astype("float64")


def _ratio(part: pd.Series[float], whole: pd.Series[float]) -> pd.Series[float]:
    return part / whole.where(whole != 0)


def _gain(runs: pd.DataFrame) -> pd.Series[float]:
    key = runs[["workload", "vm", "spot", "evictor"]].astype(str)
    key["headroom_percent"] = runs["headroom_percent"].fillna(-1.0)
    # With a headroom the hosts follow from it; only without one do they tell sizes apart.
    key["hosts"] = runs["hosts"].where(runs["headroom_percent"].isna(), -1)
    is_baseline = ~runs["saf"] & (runs["otn"] == 1)
    keys = pd.MultiIndex.from_frame(key)
    baselines = pd.Series(runs.loc[is_baseline, "spot_revenue"].to_numpy(), keys[is_baseline])
    baseline = pd.Series(baselines.reindex(keys).to_numpy(), index=runs.index)
    return _ratio(runs["spot_revenue"], baseline) - 1
