"""The usage of a datacenter over time, from a running simulation or from an event log.

``cospot run SCENARIO.yaml --events events.csv.gz`` writes the log (docs/event-log-format.md).
"""

from __future__ import annotations

from io import StringIO
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cospot import _core
from cospot.argument_errors import checked
from cospot.errors import ConfigError, WorkloadError

if TYPE_CHECKING:
    from cospot._core import Simulation

SECONDS_PER_DAY = 86_400.0
_COLUMNS: dict[str, Any] = {
    "time_s": "float64",
    "event": "str",
    "instance_id": "str",
    "class": "str",
    "vcpus": "int64",
    "memory_mb": "int64",
    "disk_gb": "int64",
    "host": "str",
    "place_in_offer": "Int64",
    "for_instance_id": "str",
}
#: The columns that an occupancy does not need.
_OTHERS = ("disk_gb", "place_in_offer", "for_instance_id")
_LEAST_WINDOW_DAYS = 14.0
_MOST_ROWS = 10_000_000
_SIGNS = {"placement": 1, "departure": -1, "eviction": -1, "loss": -1, "stop": -1, "evacuation": -1}
#: Events that set an instance's host and size; it may have been elsewhere.
_HOLDS = ("placement", "migration", "resize")


@checked
def read_events(events: Simulation | str | PathLike[str]) -> pd.DataFrame:
    """Read an event log, or run a simulation to its end and return its events as one.

    Args:
        events: CSV, or gzip-compressed when the name ends in ``.gz``; or a simulation, of which the
            events to come are returned (`Simulation.events` yields the same as records).

    Returns:
        One row per event, in order, with the columns of docs/event-log-format.md: ``time_s``
        (seconds since the window's start), ``event``, ``instance_id``, ``class`` (``vm`` or
        ``spot``), ``vcpus``, ``memory_mb``, ``disk_gb``, ``host`` (empty for requests and
        rejections), ``place_in_offer`` (missing if not an offer), ``for_instance_id``.

    Raises:
        WorkloadError: The file cannot be read or is no event log.
        PolicyError: A policy broke its contract.
    """
    if isinstance(events, _core.Simulation):
        rows = "".join(iter(events._next_events, ""))
        return _frame_of(StringIO(f"{','.join(_COLUMNS)}\n{rows}"))
    path = Path(fspath(events))
    try:
        return _frame_of(path)
    except FileNotFoundError:
        raise WorkloadError(f"{path}: there is no such file; expected an event log") from None
    except (OSError, EOFError, ValueError) as error:  # pandas' parser errors are ValueErrors
        raise WorkloadError(f"{path}: {error}; expected an event log of cospot run") from error


def _frame_of(log: Path | StringIO) -> pd.DataFrame:
    return pd.read_csv(
        log, usecols=list(_COLUMNS), dtype=_COLUMNS, keep_default_na=False,
        na_values={"place_in_offer": [""]},
    )[list(_COLUMNS)]  # fmt: skip


@checked
def occupancy_over_time(
    events: pd.DataFrame | Simulation | str | PathLike[str],
    *,
    host: tuple[int, int],
    hosts: int,
    first_day: float = 0.0,
    last_day: float | None = None,
    step_hours: float = 1.0,
) -> pd.DataFrame:
    """Sum what VMs and spots hold at regular times.

    Args:
        events: An event log, its file, or a simulation, which is run to its end.
        host: vCPUs and memory (MiB, or the workload's own unit) of every host.
        hosts: Number of hosts.
        first_day: Start, days since the window's start.
        last_day: End. None: the end of the window derived from the requests: the end of the last
            request's day, but at least day 14.
        step_hours: Time between two rows, hours.

    Returns:
        One row per time: ``day``; ``vm_vcpus``, ``spot_vcpus``, ``vm_memory_mb``,
        ``spot_memory_mb``: held at that time, after all events of that instant; ``used_hosts``:
        hosts with an instance; ``evictions``: spots evicted since the previous row;
        ``total_vcpus``, ``total_memory_mb``: of the datacenter.

    Raises:
        ConfigError: A size or a time is invalid.
        WorkloadError: The file cannot be read or is no event log.
    """
    if min(*host, hosts) < 1:
        raise ConfigError(f"found host={host}, hosts={hosts}; expected positive sizes")
    log = events if isinstance(events, pd.DataFrame) else read_events(events)
    needed = [name for name in _COLUMNS if name not in _OTHERS]
    if missing := [name for name in needed if name not in log]:
        valid = ", ".join(needed)
        raise ConfigError(f"events: the column {missing[0]!r} is missing, expected {valid}")
    days = _days(first_day, _last_day(log) if last_day is None else last_day, step_hours)
    log = _with_moves_in_two(log)
    changes = log[log["event"].isin(list(_SIGNS))]
    # The number of changes up to each time, including those at that time.
    happened = np.searchsorted(changes["time_s"].to_numpy(), days * SECONDS_PER_DAY, side="right")
    sign = changes["event"].map(_SIGNS).astype("int64")
    occupancy = pd.DataFrame({"day": days})
    for kind in ("vm", "spot"):
        signed = sign.where(changes["class"] == kind, 0)
        for unit in ("vcpus", "memory_mb"):
            occupancy[f"{kind}_{unit}"] = _sum_until(signed * changes[unit], happened)
    occupancy["used_hosts"] = _sum_until(_used_host_changes(changes["host"], sign), happened)
    evicted = _sum_until((changes["event"] == "eviction").astype("int64"), happened)
    occupancy["evictions"] = np.diff(evicted, prepend=evicted[:1])
    occupancy["total_vcpus"] = host[0] * hosts
    occupancy["total_memory_mb"] = host[1] * hosts
    return occupancy


@checked
def watch_occupancy(
    simulation: Simulation,
    *,
    first_day: float = 0.0,
    last_day: float | None = None,
    step_hours: float = 1.0,
) -> pd.DataFrame:
    """Run a simulation and sum what VMs and spots hold at regular times.

    Args:
        simulation: At or before ``first_day``; afterwards it is at ``last_day``.
        first_day: Start, days since the window's start.
        last_day: End. None: the end of the workload's window.
        step_hours: Time between two rows, hours.

    Returns:
        As from ``occupancy_over_time``.

    Raises:
        ConfigError: A time is invalid, or the simulation is past ``first_day``.
        PolicyError: A policy broke its contract.
    """
    if last_day is None:
        last_day = simulation.window_us / 1e6 / SECONDS_PER_DAY
    days = _days(first_day, last_day, step_hours)
    # Events at the time itself count, so a step ends one microsecond later.
    times = [round(day * SECONDS_PER_DAY * 1e6) + 1 for day in days]
    if simulation.now_us > times[0]:
        raise ConfigError(
            f"the simulation is at {simulation.now_us} us; expected it before day {first_day}"
        )
    rows = []
    for day, time_us in zip(days, times, strict=True):
        simulation.run_until(time_us)
        rows.append({"day": day, **_held_now(simulation)})
    occupancy = pd.DataFrame(rows)
    evicted = occupancy.pop("evicted").to_numpy()
    totals = [occupancy.pop(name) for name in ("total_vcpus", "total_memory_mb")]
    occupancy["evictions"] = np.diff(evicted, prepend=evicted[:1])
    return pd.concat([occupancy, *totals], axis=1)


def _held_now(simulation: Simulation) -> dict[str, int]:
    hosts = simulation.hosts
    held: dict[str, int] = {}
    for unit in ("vcpus", "memory_mb"):
        total, free_ignoring_spots, free = (
            int(getattr(hosts, f"{unit}_{what}").sum(dtype="int64"))
            for what in ("total", "free_ignoring_spots", "free")
        )
        held |= {
            f"vm_{unit}": total - free_ignoring_spots,
            f"spot_{unit}": free_ignoring_spots - free,
        }
        held[f"total_{unit}"] = total
    order = ("vm_vcpus", "vm_memory_mb", "spot_vcpus", "spot_memory_mb")
    return {
        **{name: held[name] for name in order},
        "used_hosts": int(((hosts.num_vms + hosts.num_spots) > 0).sum()),
        "evicted": simulation.result().evictions,
        "total_vcpus": held["total_vcpus"],
        "total_memory_mb": held["total_memory_mb"],
    }


def _last_day(log: pd.DataFrame) -> float:
    """Return the end of the window derived from an event log's requests, as cospot does."""
    requests = log.loc[log["event"] == "request", "time_s"]
    last = float(requests.max()) if len(requests) else 0.0
    return max(_LEAST_WINDOW_DAYS, float(np.floor(last / SECONDS_PER_DAY)) + 1)


def _with_moves_in_two(log: pd.DataFrame) -> pd.DataFrame:
    """Return the log with each migration and resize split into a departure and a placement."""
    moved = log["event"].isin(_HOLDS[1:])
    if not moved.any():
        return log
    log = log.reset_index(drop=True)
    moved = moved.to_numpy()
    before = log[log["event"].isin(_HOLDS)].groupby("instance_id")[["host", "vcpus", "memory_mb"]]
    left = log[moved].assign(event="departure", **before.shift(1).loc[moved[before.obj.index]])
    log.loc[moved, "event"] = "placement"
    left = left.astype({"vcpus": "int64", "memory_mb": "int64"})
    # The departure comes right before the placement it makes space for.
    return pd.concat([left.set_axis(left.index - 0.5), log]).sort_index(ignore_index=True)


def _days(first_day: float, last_day: float, step_hours: float) -> Any:
    if step_hours <= 0 or last_day <= first_day:
        raise ConfigError(
            f"found first_day={first_day}, last_day={last_day}, step_hours={step_hours}; "
            f"expected a first day before the last and a positive step"
        )
    step_days = step_hours / 24
    if last_day - first_day > _MOST_ROWS * step_days:
        raise ConfigError(
            f"found first_day={first_day}, last_day={last_day}, step_hours={step_hours}; expected "
            f"at most {_MOST_ROWS} steps"
        )
    # Add half a step, so that rounding does not lose the last day.
    return np.arange(first_day, last_day + step_days / 2, step_days)


def _sum_until(changes: pd.Series[Any], happened: Any) -> Any:
    return np.concatenate([[0], changes.to_numpy().cumsum()])[happened]


def _used_host_changes(host: pd.Series[str], sign: pd.Series[int]) -> pd.Series[int]:
    """Return +1 where a host gets its first instance and -1 where it loses its last one."""
    held = sign.groupby(host, sort=False).cumsum()
    return ((held == 1) & (sign == 1)).astype("int64") - (held == 0).astype("int64")
