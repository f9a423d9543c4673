"""A file next to a workload: which of its spots asked for a lifetime, and for how long.

`history-lifetimes.csv` has a row for each spot with known data: `instance_id,asked_s`, with 0 for a
spot that did not ask. For other spots this is unknown.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from pathlib import Path

from cospot.errors import ConfigError
from cospot.whole_file import write_file

_HEADER = ["instance_id", "asked_s"]


def path_beside(workload: Path) -> Path:
    """Return the path of a workload's file."""
    return workload.with_name(f"{workload.name.split('.')[0]}-lifetimes.csv")


def write(workload: Path, asked: Mapping[str, float]) -> None:
    """Write the file of a workload, unless there is no data.

    Raises:
        ConfigError: It cannot be written.
    """
    path = path_beside(workload)
    if not asked:
        path.unlink(missing_ok=True)  # left by an earlier workload
        return
    rows = [f"{instance},{seconds:g}" for instance, seconds in sorted(asked.items())]
    write_file(path, "\n".join([",".join(_HEADER), *rows, ""]).encode())


def read(workload: Path) -> dict[str, float]:
    """Return the lifetimes that spots asked for, seconds, 0 for none; empty without the file.

    Raises:
        ConfigError: It cannot be read, or has another format.
    """
    path = path_beside(workload)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.reader(file))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"{path}: {error}") from error
    asked = {}
    for line, row in enumerate(rows, 1):
        if line == 1 and row == _HEADER:
            continue
        try:
            instance, seconds = row[0], float(row[1])
            if line == 1 or len(row) != 2 or not 0 <= seconds < math.inf:
                raise ValueError
        except (ValueError, IndexError):
            raise ConfigError(
                f"{path}: line {line}: expected {','.join(_HEADER)} and rows of them"
            ) from None
        asked[instance] = seconds
    return asked
