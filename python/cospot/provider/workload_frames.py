"""Workloads from pandas frames with the column names of workload files or of Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cospot.errors import WorkloadError

if TYPE_CHECKING:
    import pandas as pd

#: The marker for an unknown end.
NEVER_US = np.iinfo(np.int64).max

_US_PER_SECOND = 1_000_000
_MOST_DAYS = 10_000  # from second 0 in either direction, as in workload files
_MOST_US = _MOST_DAYS * 86_400 * _US_PER_SECOND
_PLAIN = (
    "instance_id",
    "tenant_id",
    "vcpus",
    "memory_mb",
    "disk_gb",
    "zone",
    "extra_specs",
    "group",
    "group_policy",
    "max_server_per_host",
)
_STARTS = ("start_us", "start_s", "start")
_ENDS = ("end_us", "end_s", "end", "duration_s", "duration")
_CLASSES = ("is_spot", "class")


def workload_columns(frame: pd.DataFrame, window_start: Any = None) -> dict[str, Any]:
    """Convert the columns of a frame to arguments of ``Workload.from_columns``.

    Args:
        frame: optionally instance_id, tenant_id, disk_gb and placement requirements (zone,
            extra_specs, group, group_policy, max_server_per_host); vcpus; memory_mb; one of is_spot
            (booleans) and class (vm or spot); one of start_us, start_s and start; one of end_us,
            end_s, end, duration_s and duration.
        window_start: second 0 of the workload if times are datetimes: a datetime, or a text that
            pandas can parse. None: the first start.

    Raises:
        WorkloadError: a column is missing, occurs in two forms, or has invalid values.
    """
    _check_names(frame)
    columns = {name: frame[name].to_numpy() for name in _PLAIN if name in frame}
    columns["is_spot"] = _spots(frame)
    start_name = _only_one(frame, _STARTS)
    end_name = _only_one(frame, _ENDS)
    zero = _window_start(frame[start_name], window_start)
    start = _microseconds(frame[start_name], zero, missing=None)
    end = _microseconds(frame[end_name], zero, missing=NEVER_US)
    if end_name.startswith("duration"):
        if frame[end_name].dtype.kind == "M":
            raise WorkloadError(f"frame: {end_name} holds datetimes, expected lengths of time")
        _check_ends(frame[end_name], start, end)
        end = np.where(end == NEVER_US, end, end + start)
    columns["start_us"] = start
    columns["end_us"] = end
    return columns


def _check_ends(
    durations: pd.Series[Any], start: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
) -> None:
    """Reject a duration whose end is out of range; the inputs are in range, so no overflow."""
    late = (lengths != NEVER_US) & (np.where(lengths == NEVER_US, 0, lengths) + start > _MOST_US)
    if late.any():
        row = int(np.argmax(late))
        raise WorkloadError(
            f"frame: {durations.name}[{row}] is {durations.iloc[row]}, "
            f"expected an end at most {_MOST_DAYS} days from second 0 of the workload"
        )


def _check_names(frame: pd.DataFrame) -> None:
    known = (*_PLAIN, *_CLASSES, *_STARTS, *_ENDS)
    for name in frame.columns:
        if name not in known:
            # pandas gives such a name to an index that was written as a column without one.
            is_index = str(name).startswith(("Unnamed: ", "__index_level_"))
            hint = "; it looks like an index: pd.read_csv(FILE, index_col=0)" if is_index else ""
            raise WorkloadError(
                f"frame: unknown column {str(name)!r}{hint}; valid names: {', '.join(known)}"
            )
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise WorkloadError(f"frame: the column {str(twice[0])!r} comes twice")
    for name in ("vcpus", "memory_mb"):
        if name not in frame:
            raise WorkloadError(f"frame: the column {name!r} is missing")
    if not len(frame):
        raise WorkloadError("frame: there are no requests")


def _only_one(frame: pd.DataFrame, names: tuple[str, ...]) -> str:
    found = [name for name in names if name in frame]
    if len(found) == 1:
        return found[0]
    what = f"found {' and '.join(found)}" if found else "found none"
    raise WorkloadError(f"frame: {what}, expected one of the columns {', '.join(names)}")


def _spots(frame: pd.DataFrame) -> npt.NDArray[Any]:
    name = _only_one(frame, _CLASSES)
    if name == "is_spot":
        return np.asarray(frame[name].to_numpy())
    classes = frame[name].astype(object)
    wrong = ~classes.isin(["vm", "spot"])
    if wrong.any():
        row = int(np.argmax(wrong.to_numpy()))
        raise WorkloadError(
            f"frame: class[{row}] is {classes.iloc[row]!r}, expected 'vm' or 'spot'"
        )
    return np.asarray((classes == "spot").to_numpy())


def _window_start(starts: pd.Series[Any], stated: Any) -> pd.Timestamp | None:
    """Return the time of second 0 for datetimes; None if times already count from it."""
    import pandas as pd

    if starts.dtype.kind != "M" and not isinstance(starts.dtype, pd.DatetimeTZDtype):
        if stated is not None:
            raise WorkloadError(f"window_start is given, but {starts.name} holds no datetimes")
        return None
    if stated is None:
        return _utc(starts).min()
    try:
        moment = pd.Timestamp(stated)
    except (ValueError, TypeError) as error:
        raise WorkloadError(f"window_start is {stated!r}, expected a datetime") from error
    return moment.tz_localize("UTC") if moment.tzinfo is None else moment.tz_convert("UTC")


def _utc(times: pd.Series[Any]) -> pd.Series[Any]:
    """Return datetimes in UTC, the default time zone."""
    return times.dt.tz_localize("UTC") if times.dt.tz is None else times.dt.tz_convert("UTC")


def _microseconds(
    times: pd.Series[Any], zero: pd.Timestamp | None, missing: int | None
) -> npt.NDArray[np.int64]:
    """Convert times of any form to microseconds since second 0."""
    import pandas as pd

    name = str(times.name)
    if times.dtype == object:
        times = times.replace({"never": None, "": None}).infer_objects()
        if not times.isna().all() and times.dtype == object:
            raise WorkloadError(
                f"frame: {name} holds texts, expected numbers, datetimes or lengths"
            )
    absent = times.isna().to_numpy()
    if times.dtype.kind == "f":
        absent = absent | np.isposinf(times.to_numpy())
    if missing is None and absent.any():
        raise WorkloadError(f"frame: {name}[{int(np.argmax(absent))}] is empty, expected a time")
    us = np.full(len(times), missing or 0, dtype=np.int64)
    present = times[~absent]
    if not len(present):
        return us
    if times.dtype.kind == "M" or isinstance(times.dtype, pd.DatetimeTZDtype):
        if zero is None:
            raise WorkloadError(f"frame: {name} holds datetimes, but the starts are none")
        present = _utc(present) - zero
    elif zero is not None and times.dtype.kind != "m" and not name.startswith("duration"):
        raise WorkloadError(f"frame: {name} holds no datetimes, but the starts are some")
    _check_range(present, name, np.flatnonzero(~absent), has_never=missing is not None)
    us[~absent] = _lengths(present, name)
    return us


def _check_range(
    lengths: pd.Series[Any], name: str, rows: npt.NDArray[np.intp], *, has_never: bool
) -> None:
    """Reject times outside a workload's range in the frame's own unit, before conversion."""
    per_unit = _US_PER_SECOND if name.endswith("_s") else 1
    if lengths.dtype.kind == "m":
        us = lengths.to_numpy().astype("timedelta64[us]").astype(float)
    elif lengths.dtype.kind in "iuf":
        us = lengths.to_numpy(dtype=float) * per_unit
    else:
        return  # not a time type
    wrong = np.abs(us) > _MOST_US
    if has_never and name.endswith("_us") and lengths.dtype.kind in "iu":
        wrong &= lengths.to_numpy() != NEVER_US
    if not wrong.any():
        return
    at = int(np.argmax(wrong))
    value = lengths.iloc[at]
    limits = f"from {-_MOST_US // per_unit} to {_MOST_US // per_unit}"
    if not name.endswith(("_s", "_us")):
        limits = f"at most {_MOST_DAYS} days from second 0 of the workload"
    raise WorkloadError(f"frame: {name}[{rows[at]}] is {value}, expected {limits}")


def _lengths(lengths: pd.Series[Any], name: str) -> npt.NDArray[Any]:
    if lengths.dtype.kind == "m":
        return np.asarray(lengths.to_numpy().astype("timedelta64[us]"), dtype=np.int64)
    if lengths.dtype.kind not in "iuf":
        raise WorkloadError(
            f"frame: {name} is of type {lengths.dtype}, expected numbers, datetimes or lengths"
        )
    if name.endswith("_us"):
        numbers = lengths.to_numpy(dtype=float)
        if (numbers != np.floor(numbers)).any():
            raise WorkloadError(f"frame: {name} has parts of a microsecond, expected whole numbers")
        return np.asarray(lengths.to_numpy(), dtype=np.int64)
    if not name.endswith("_s"):
        raise WorkloadError(
            f"frame: {name} holds numbers, expected datetimes or lengths of time; numbers go into "
            f"{name}_s (seconds)"
        )
    if lengths.dtype.kind in "iu":
        return np.asarray(lengths.to_numpy(), dtype=np.int64) * _US_PER_SECOND
    rounded = np.rint(lengths.to_numpy(dtype=float) * _US_PER_SECOND)
    return np.asarray(rounded, dtype=np.int64)
