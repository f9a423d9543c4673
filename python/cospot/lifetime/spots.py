"""The spots of a workload as columns: request time, lifetime, and the customer's history."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cospot.argument_errors import checked
from cospot.errors import ConfigError, InputError
from cospot.values import ByContents

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_DAY_S = 86400.0

DEFAULT_WINDOW_DAYS = 14.0
"""Length of the window of a workload whose requests all start in its first 14 days."""

_COLUMNS = (
    "vcpus",
    "memory_mb",
    "disk_gb",
    "requested_s",
    "ended_s",
    "previous_lifetime_s",
)
_DTYPES = dict.fromkeys(_COLUMNS[:3], np.int64)


@dataclass(frozen=True, eq=False)
class SpotTable(ByContents):
    """Spots of one or more workloads, one element each. Times are seconds since window start.

    Attributes:
        vcpus: vCPUs.
        memory_mb: MiB.
        disk_gb: GiB.
        requested_s: Request time; negative: before the window.
        ended_s: When it ended by itself; infinity: not during observation.
        previous_lifetime_s: The lifetime of the customer's last instance that had ended by then;
            NaN: none.
    """

    vcpus: Integers
    memory_mb: Integers
    disk_gb: Integers
    requested_s: Floats
    ended_s: Floats
    previous_lifetime_s: Floats

    def __post_init__(self) -> None:
        for name in _COLUMNS:
            try:
                column = np.asarray(getattr(self, name), dtype=_DTYPES.get(name, np.float64))
            except (TypeError, ValueError, OverflowError):
                raise ConfigError(f"SpotTable: {name} holds no numbers") from None
            object.__setattr__(self, name, column)
            if column.ndim != 1 or len(column) != len(self.vcpus):
                raise ConfigError(f"SpotTable: {name}: expected an array of one number per spot")

    def __len__(self) -> int:
        return len(self.requested_s)

    @checked
    def select(self, rows: npt.NDArray[np.bool_]) -> SpotTable:
        """Return the spots for which `rows`, shape (n,), is true."""
        chosen = np.asarray(rows, dtype=np.bool_)
        return SpotTable(*(getattr(self, name)[chosen] for name in _COLUMNS))

    @property
    def lifetime_s(self) -> Floats:
        """The lifetime of each spot; infinity: unknown."""
        return self.ended_s - self.requested_s

    @property
    def flavors(self) -> Integers:
        """Sizes, shape (n, 3): vcpus, memory_mb, disk_gb."""
        return np.stack([self.vcpus, self.memory_mb, self.disk_gb], axis=1)


def watched_seconds(spots: SpotTable, observed_until: float | None) -> float:
    """Return when observation stopped, seconds since window start.

    Args:
        spots: The observed spots.
        observed_until: The day, if known; default: the latest time in `spots`.
    """
    if observed_until is not None:
        return round(observed_until * _DAY_S, 6)  # to the microsecond, as times are stored
    times = np.concatenate([spots.requested_s, spots.ended_s])
    return float(np.max(times, initial=0.0, where=np.isfinite(times)))


def training_spots(spots: SpotTable, days: float, observed_until: float | None) -> SpotTable:
    """Return the spots requested before the end of the training days.

    Raises:
        InputError: The training days exceed the observed time.
    """
    watched_s = watched_seconds(spots, observed_until)
    if days * _DAY_S > watched_s:
        raise InputError(
            f"`days` {days:g}: the spots were watched until day {watched_s / _DAY_S:g} only, so "
            "that later ends are unknown; expected fewer days (or `observed_until`, if it was "
            "later)"
        )
    return spots.select(spots.requested_s < days * _DAY_S)


def require_enough(known: SpotTable, days: float, ends: int, rows: int, least: int) -> None:
    """Reject training days with too little information.

    Args:
        known: The spots of the training days.
        days: Training days.
        ends: Age intervals in which some spot ended.
        rows: Observed age intervals, over all spots.
        least: Minimum number of spots.

    Raises:
        InputError: There are too few spots, no ends, or no survivors.
    """
    inside = int((known.requested_s >= 0).sum())
    if inside < least or not 0 < ends < rows:
        raise InputError(
            f"the first {days:g} days have {inside} spots, of which {ends} were seen to end; "
            f"training expects at least {least} spots, some of which end and some of which live on"
        )


@checked
def read_spots(paths: Sequence[str | Path]) -> SpotTable:
    """Read files written by ``cospot lifetime spots``.

    Args:
        paths: Files; their spots are concatenated.

    Returns:
        The spots of all files.

    Raises:
        InputError: A file cannot be read or has another format.
    """
    rows: list[list[float]] = []
    for path in paths:
        try:
            with open(path, newline="", encoding="utf-8-sig") as file:
                rows.extend(_read_rows(file, str(path)))
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: is not text in UTF-8: {error}") from error
    table = np.array(rows, dtype=np.float64).reshape(len(rows), len(_COLUMNS))
    amounts = table[:, :3].astype(np.int64)
    return SpotTable(
        amounts[:, 0], amounts[:, 1], amounts[:, 2], table[:, 3], table[:, 4], table[:, 5]
    )


def _read_rows(file: object, path: str) -> list[list[float]]:
    reader = csv.DictReader(file)  # type: ignore[call-overload]
    missing = [name for name in _COLUMNS if name not in (reader.fieldnames or [])]
    if missing:
        raise InputError(f"{path}:1: the column '{missing[0]}' is missing; expected a spot table")
    rows = []
    for row in reader:
        try:
            rows.append([_number(name, row[name]) for name in _COLUMNS])
        except (TypeError, ValueError):
            raise InputError(f"{path}:{reader.line_num}: not a row of a spot table") from None
    return rows


def _number(name: str, text: str) -> float:
    if text == "never":
        return np.nan if name == "previous_lifetime_s" else np.inf
    return float(text)
