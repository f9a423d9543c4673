"""Results of a study as pandas frames.

Reads the SQLite database written by ``cospot compare`` and `cospot.sweep` (docs/results-format.md):
the study's columns, and the derived values from the database's views. Requires pandas.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from numbers import Real
from os import PathLike, fspath
from pathlib import Path
from typing import Any, cast

import pandas as pd

from cospot import _core
from cospot.argument_errors import checked
from cospot.errors import ConfigError, DatabaseError, ResultsWarning
from cospot.frames import to_arrow, to_polars
from cospot.html_tables import html_table
from cospot.values import ByContents

_APPLICATION_ID = 0x636F7370  # "cosp"
_FORMAT_VERSION = 4

#: The columns that identify a combination in the study ``compare``, without workload and size.
COMBINATION = ("vm", "spot", "evictor", "saf", "otn")

#: In the attributes of a frame of runs: the role of every column, by name (`Results.columns`).
ROLES = "cospot roles"

#: The types of a study's columns in a frame; texts and offers are handled separately.
_DTYPES = {"integer": "int64", "number": "float64", "boolean": "bool", "revenue": "float64"}


@dataclass(frozen=True, eq=False)
class Results(ByContents):
    """The contents of a results database.

    Attributes:
        database: The file.
        study: The study: ``"compare"``, ``"degradation"``, ...
        columns: The study's columns as its database declares them, index ``name``: ``role``
            (``axis``, ``measure``, ``time``, ``detail``, ``derived``, ``timeline``), ``type``,
            ``unit``, ``meaning``.
        runs: One row per finished run, index ``run_index`` (grid order). The columns are the
            study's, without details: texts of an axis as ordered categories in the order of the
            study file, and ``size`` if there are datacenters. For ``compare``:

            - ``workload``, ``size``, ``vm``, ``spot``, ``evictor``: ordered categories, in the
              order of the study. ``size`` is the headroom or the hosts as a text, ``"2 %"`` or
              ``"500 hosts"``.
            - ``headroom_percent``: float64, hosts beyond the size that fits the VMs; NaN if the
              study gives ``hosts``.
            - ``saf``: bool. ``hosts``: int64, hosts. ``otn``: int64, hosts; in a study with other
              offers (``"epsilon-0.05"``,
              ``"adaptive:at_low_load=32:at_high_load=1:from=0.8:to=1"``) objects: numbers and
              labels.
            - ``vm_requests``, ``vm_rejected``, ``vm_too_large`` (of the rejected: larger than an
              empty host), ``spot_requests``, ``spot_admitted``, ``evictions``: int64, instances.
            - ``vm_revenue_requested``, ``vm_revenue``, ``spot_revenue_requested``,
              ``spot_revenue``, ``spot_revenue_first_hour_free`` (if a spot evicted in its first
              hour earns nothing): float64, vcpu-seconds.
            - ``gain``: float64, a fraction (0.35 is 35 %): spot revenue over that of the run with
              the same workload, size, VM policy, spot policy and evictor, OTN 1 and SAF off, minus
              1. NaN if that run is missing or earned nothing.
            - ``vm_loss``: float64, a fraction: the part of the requested VM revenue that was not
              earned. NaN if no VM revenue was requested.
            - ``spot_share``: float64, a fraction: spot revenue over requested spot revenue. NaN if
              none was requested.
            - ``spot_share_first_hour_free``: float64, the same if a spot evicted in its first hour
              earns nothing; ``first_hour_free_loss`` and ``first_hour_free_loss_of_requested``: the
              resulting loss as a fraction of the earned or requested spot revenue.
            - ``without_vm_loss``: bool. No VM rejected but those larger than a host.
            - ``is_baseline``: bool. OTN 1 and SAF off. ``has_baseline``: bool. The run's baseline
              is among the results.
            - ``needs_true_lifetimes``: bool. One of its policies, such as the evictor LPO, knows
              when spots will end, so no datacenter can be set to it.
            - ``alloc_p50_ns``, ``alloc_p99_ns``, ``alloc_max_ns`` of VMs and ``spot_alloc_*_ns`` of
              spots: int64, ns; ``wall_ms``: float64, ms. 0 where the study was not timed.
        workloads: One row per workload, in the order of the study; columns ``workload`` (its
            label), ``sha256``, ``name`` (the reader's name for it).
        settings: The study's keys with all defaults written out, parsed from JSON.
        run_count: Runs of the whole study, finished or not.
        version: Version of cospot that created the database.
        configurations: Each run's own configuration as JSON text, indexed like ``runs``.
    """

    database: Path
    study: str
    columns: pd.DataFrame
    runs: pd.DataFrame
    workloads: pd.DataFrame
    settings: Mapping[str, Any]
    run_count: int
    version: str
    configurations: pd.Series[str]

    @property
    def sweep(self) -> Mapping[str, Any]:
        """Return `settings`, under its former name."""
        warnings.warn("Results.sweep is now Results.settings", DeprecationWarning, stacklevel=2)
        return self.settings

    @property
    def missing(self) -> int:
        """The number of the study's runs that are not in the database."""
        return self.run_count - len(self.runs)

    def to_polars(self) -> Any:
        """Return `runs` as a polars DataFrame, the index as its first column."""
        return to_polars(self.runs.reset_index())

    def to_arrow(self) -> Any:
        """Return `runs` as a pyarrow Table, the index as its first column."""
        return to_arrow(self.runs.reset_index())

    def __repr__(self) -> str:
        return (
            f"<Results of {self.study} in {self.database}: {len(self.runs)} of {self.run_count} "
            "runs>"
        )

    def _repr_html_(self) -> str:
        """The study's measures, over the runs, as a table for notebooks."""
        measures = self.columns[self.columns["role"].isin(["measure", "derived"])]
        rows = []
        for name, column in measures.iterrows():
            values = self.runs.get(name)
            if values is None or values.dtype.kind not in "if" or not values.notna().any():
                continue
            found = (values.min(), values.mean(), values.max())
            rows.append((str(name), column["unit"] or "", *(f"{value:,.4g}" for value in found)))
        caption = f"Study {self.study}: {len(self.runs):,} of {self.run_count:,} runs"
        return html_table(caption, ("Measure", "Unit", "Least", "Mean", "Most"), rows)

    @checked
    def view(self, name: str) -> pd.DataFrame:
        """Read one of the database's views, such as ``pareto_front``, unchanged.

        For ``compare``: ``run_figures``, ``combination``, ``best_without_vm_loss`` and
        ``pareto_front`` (docs/results-format.md).

        Args:
            name: The view.

        Raises:
            ConfigError: The study has no such view.
        """
        with _connect(self.database) as connection:
            views = _view_names(connection)
            if name not in views:
                raise ConfigError(
                    f"{self.database}: there is no view '{name}'; the study '{self.study}' has "
                    f"{', '.join(views) or 'none'}"
                )
            return _read_frame(connection, f'SELECT * FROM "{name}"')

    def money(
        self,
        *,
        on_demand: float | None = None,
        spot: float | None = None,
        economy: float | None = None,
        flavors: str | PathLike[str] | None = None,
    ) -> pd.DataFrame:
        """Return the money of every run's revenue, at prices per vCPU-hour or by flavor.

        Without prices, uses those stored with the results by ``cospot compare --price``. If a
        workload states the vCPUs in one of its ``vcpus``, they are converted; if it calls them
        relative, the prices are per unit-hour. Prices by flavor become a mean price of a vCPU-hour
        for each workload, as in ``cospot summary --price FILE`` (docs/cookbook-import.md): the
        workload's file must be in the current folder or next to the database, and be the one that
        was run.

        Args:
            on_demand: The price of a VM's vCPU-hour.
            spot: The price of a spot's vCPU-hour.
            economy: The price of an Economy instance's vCPU-hour; default: ``on_demand`` (times the
                study's ``economy_price``).
            flavors: Instead of these, a CSV file with the columns ``vcpus``, ``memory_mb``,
                ``on_demand``, ``spot``: hourly prices of an instance of each flavor.

        Returns:
            A frame, index ``run_index``, float64, with the columns declared by the study
            (docs/report.md#money): ``vm_requested``, ``vm_earned``, ``vm_lost``, and with spots
            ``spot_requested``, ``spot_earned``. For ``compare`` and ``life`` also
            ``more_than_without_cooperation``: spot income beyond that of the run of the same
            policies with OTN 1 and SAF off, NaN if that run is missing. If both sides are known,
            also ``net``, the income of spots and Economy instances minus the VMs' loss, and
            ``net_per_month``, for 365.25 / 12 days.

        Raises:
            ConfigError: The study has no revenue of VMs and spots; a price is missing, negative or
                not a number, or that of spots is above ``on_demand``; or, for prices by flavor, a
                workload is missing or different, or a flavor has no price.
            WorkloadError: The file of prices by flavor cannot be read.
        """
        prices = {"on_demand": on_demand, "spot": spot, "economy": economy}
        given = {name: price for name, price in prices.items() if price is not None}
        if flavors is None and given:
            for name in ("on_demand", "spot"):
                if name not in given:
                    raise ConfigError(f"{name} is missing, expected on_demand and spot, or flavors")
            for name, price in given.items():
                if isinstance(price, int) and price > sys.maxsize:
                    raise ConfigError(f"{name} is too large, expected a price")
                if not isinstance(price, Real) or not 0 <= price < float("inf"):
                    raise ConfigError(f"{name} is {price}, expected a price of 0 or more")
            if given["spot"] > given["on_demand"]:
                raise ConfigError(
                    f"spot is {given['spot']}, expected at most on_demand, {given['on_demand']}: "
                    "are the two swapped?"
                )
        elif given:
            raise ConfigError("flavors excludes on_demand and spot; expected one or the other")
        amounts = _core._money_of_results(self.database, flavors=flavors, **given)
        frame = pd.DataFrame(amounts).set_index("run_index").astype("float64")
        return frame.loc[self.runs.index]

    def timeline(self) -> pd.DataFrame:
        """Return the daily figures of every run.

        Returns:
            A frame, index ``run_index`` and ``day`` (0 is the window's first), float64 unless
            stated otherwise: ``hosts_in_use`` (hosts that run an instance), ``vms`` and ``spots``
            that run, each as the mean over the day; ``evictions`` on that day, int64;
            ``vm_revenue`` and ``spot_revenue`` earned on it, vcpu-seconds. With an Economy class
            also ``economy_instances`` and ``economy_revenue``.

        Raises:
            ConfigError: The runs recorded none; use ``cospot.compare(..., timeline=True)`` or
                ``cospot compare --timeline``.
        """
        kept = self.columns[self.columns["role"] == "timeline"]
        if kept.empty:
            raise ConfigError(
                f"{self.database}: its runs keep no timeline; expected results of "
                "compare(..., timeline=True), or of `cospot compare --timeline`"
            )
        with _connect(self.database) as connection:
            frame = _read_frame(connection, "SELECT * FROM timeline ORDER BY run_index, day")
        for name, column in kept.iterrows():
            plain = str(name).removeprefix("timeline.")
            frame[plain] = frame[plain].astype(cast("Any", _DTYPES[str(column["type"])]))
        return frame.set_index(["run_index", "day"])

    @checked
    def configuration(self, run_index: int) -> dict[str, Any]:
        """Return everything needed to repeat one run.

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


@checked
def load_results(database: str | PathLike[str]) -> Results:
    """Read a results database.

    Args:
        database: The file written by ``cospot compare``, ``cospot merge`` or `cospot.sweep`. It may
            be unfinished: then only the finished runs are read, with a `ResultsWarning`.

    Returns:
        The runs, the workloads and the study.

    Raises:
        DatabaseError: There is no such file, it is not a results database, its format is unknown to
            this cospot, or it has no run.
    """
    path = Path(fspath(database))
    with _connect(path) as connection:
        row = connection.execute(
            "SELECT study, configuration, run_count, version FROM sweep"
        ).fetchone()
        if row is None:
            raise DatabaseError(f"{path}: has no study in it")
        study, configuration, run_count, version = row
        columns = _read_frame(
            connection, 'SELECT name, role, type, unit, meaning FROM "column" ORDER BY rowid'
        ).set_index("name")
        axis_values = _read_frame(
            connection, "SELECT axis, key, value, label FROM axis_value ORDER BY rowid"
        )
        workloads = _read_frame(
            connection,
            "SELECT label AS workload, sha256, name FROM input WHERE key = '' ORDER BY rowid",
        )
        raw = _read_frame(connection, "SELECT * FROM run ORDER BY run_index")
        if raw.empty:
            raise DatabaseError(
                f"{path}: holds no run yet, of {run_count}; wait for the first, or resume the study"
            )
        raw = raw.set_index("run_index")
        if (columns["role"] == "derived").any():
            figures = _read_frame(connection, "SELECT * FROM run_figures").set_index("run_index")
            new = [name for name in figures.columns if name not in raw.columns]
            raw = raw.join(figures[new])
    if len(raw) < run_count:
        warnings.warn(
            f"{path}: {run_count - len(raw)} of the study's {run_count} runs are missing; "
            "cospot compare --resume runs them",
            ResultsWarning,
            stacklevel=3,
        )
    runs = _tidy(raw, columns, axis_values)
    runs.attrs[ROLES] = dict(columns["role"])
    return Results(
        database=path,
        study=str(study),
        columns=columns,
        runs=runs,
        workloads=workloads,
        settings=cast("dict[str, Any]", json.loads(configuration)),
        run_count=int(run_count),
        version=str(version),
        configurations=raw["configuration"],
    )


@contextmanager
def _connect(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a results database read-only; turn every error into a DatabaseError."""
    try:
        exists, is_file = path.exists(), path.is_file()
    except OSError as error:
        raise DatabaseError(f"{path}: {error.strerror}; expected a results database") from error
    if not exists:
        raise DatabaseError(f"{path}: there is no such file; expected a results database")
    if not is_file:
        raise DatabaseError(f"{path}: is not a file; expected a results database")
    try:
        with closing(_open(path)) as connection:
            _require_results(connection, path)
            yield connection
    except sqlite3.Error as error:
        raise DatabaseError(f"{path}: {error}; expected a results database") from error


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path.resolve().as_uri() + "?mode=ro", uri=True)
    # The names of files that are stored need not be UTF-8.
    connection.text_factory = lambda stored: stored.decode(errors="replace")
    return connection


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
    # As the program does: a view may compute its rows anew, and without end.
    foreign = connection.execute(
        "SELECT type, name FROM sqlite_master WHERE type NOT IN ('table', 'index', 'view')"
        " OR lower(name) IN ('run', 'timeline', 'sweep', 'input', 'column', 'axis_value')"
        " AND (type <> 'table' OR sql LIKE 'CREATE VIRTUAL%')"
    ).fetchone()
    if foreign is not None:
        kind, name = foreign
        kind = "virtual table" if kind == "table" else kind
        raise DatabaseError(
            f"{path}: has the {kind} '{name}', expected the tables of a results database alone"
        )


def _view_names(connection: sqlite3.Connection) -> list[str]:
    query = "SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY rowid"
    return [name for (name,) in connection.execute(query)]


def _read_frame(connection: sqlite3.Connection, query: str) -> pd.DataFrame:
    cursor = connection.execute(query)
    columns = [column[0] for column in cursor.description]
    return pd.DataFrame.from_records(cursor.fetchall(), columns=columns)


def _tidy(raw: pd.DataFrame, columns: pd.DataFrame, axis_values: pd.DataFrame) -> pd.DataFrame:
    """Give the study's columns their types and order: axes, measures, derived values, times."""
    order = ("axis", "measure", "derived", "time")
    known = columns[columns["role"].isin(order)]
    runs = pd.DataFrame(index=raw.index)
    for name in sorted(known.index, key=lambda name: order.index(known.loc[name, "role"])):
        if name == "headroom_percent":
            runs["size"] = _size_labels(raw, axis_values)
        runs[name] = _typed(raw[name], known.loc[name], axis_values)
    return runs


def _typed(
    values: pd.Series[Any], column: pd.Series[Any], axis_values: pd.DataFrame
) -> pd.Series[Any]:
    kind = str(column["type"])
    if kind == "integer_or_text":
        return _offers(values)
    if kind in _DTYPES:
        return values.astype(cast("Any", _DTYPES[kind]))
    if column["role"] != "axis":
        return values
    labels = axis_values.loc[axis_values["axis"] == column.name, "label"]
    return _ordered(values, list(labels))


def _offers(otn: pd.Series[Any]) -> pd.Series[Any]:
    """Return numbers if all are; otherwise objects, because other offers have labels."""
    is_label = otn.map(lambda value: isinstance(value, str))
    return otn.astype(object) if is_label.any() else otn.astype("int64")


def _ordered(values: pd.Series[Any], labels: list[str]) -> pd.Series[Any]:
    return values.astype(pd.CategoricalDtype(labels, ordered=True))


def _size_labels(raw: pd.DataFrame, axis_values: pd.DataFrame) -> pd.Series[Any]:
    sizes = axis_values[axis_values["axis"] == "headroom_percent"]
    labels = [
        f"{value:.6g} %" if key == "headroom_percent" else _hosts(int(label))
        for key, value, label in zip(sizes["key"], sizes["value"], sizes["label"], strict=True)
    ]
    texts = [
        _hosts(int(hosts)) if pd.isna(percent) else f"{percent:.6g} %"
        for percent, hosts in zip(raw["headroom_percent"], raw["hosts"], strict=True)
    ]
    return _ordered(pd.Series(texts, index=raw.index, dtype=object), labels)


def _hosts(count: int) -> str:
    return f"{count} hosts"
