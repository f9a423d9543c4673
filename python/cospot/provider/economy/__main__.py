"""Makes the forecasts for ``cospot economy``: ``python -m cospot.provider.economy``."""

from __future__ import annotations

import argparse
import csv
import io
import signal
import sys
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cospot.errors import CospotError, InputError
from cospot.provider.economy.forecast import Forecast
from cospot.provider.economy.methods import forecast
from cospot.whole_file import write_file

if TYPE_CHECKING:
    from collections.abc import Iterator

_BAD_INPUT = 2
_INTERRUPTED = 130
_HEADER = ("key", "method", "model", "note", "step", "point", "sigma")


@dataclass(frozen=True)
class _Task:
    """A series to forecast; its key is the SHA-256 of everything it depends on."""

    key: str
    method: str
    season: int
    horizon: int
    training: tuple[float, ...]


def _read_tasks(file: Path) -> list[_Task]:
    tasks = []
    try:
        for line in file.read_text(encoding="utf-8-sig").splitlines():
            key, method, season, horizon, values = line.split(",")
            training = tuple(float(value) for value in values.split())
            tasks.append(_Task(key, method, int(season), int(horizon), training))
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: is no list of forecasts to make: {error}") from error
    return tasks


def _run(task: _Task) -> Forecast:
    return forecast(task.method, np.array(task.training), task.horizon, task.season)


def _rows(task: _Task, made: Forecast) -> Iterator[tuple[object, ...]]:
    for step, (point, sigma) in enumerate(zip(made.point, made.sigma, strict=True), start=1):
        # Nine digits: more than a forecast's accuracy, and fewer than differ between machines.
        yield (
            task.key,
            task.method,
            made.model,
            made.note.replace(",", ";"),
            step,
            f"{point:.9g}",
            f"{sigma:.9g}",
        )


def _make(tasks: list[_Task], processes: int) -> list[Forecast]:
    if processes == 1 or len(tasks) == 1:
        return [_run(task) for task in tasks]
    try:
        with ProcessPoolExecutor(processes) as pool:
            return list(pool.map(_run, tasks))
    except BrokenProcessPool as error:
        raise CospotError(
            f"one of {processes} processes that make forecasts died; is there enough memory? Fewer "
            f"threads need less"
        ) from error


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="cospot.provider.economy", description=__doc__)
    parser.add_argument("tasks", type=Path, help="what to forecast, as cospot writes it")
    parser.add_argument("-o", "--output", type=Path, required=True, help="CSV to write")
    parser.add_argument("--processes", type=int, default=1)
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Make the forecasts; return the exit code: 0 done, 2 bad input, 130 interrupted."""
    parsed = _parse(arguments)
    try:
        tasks = _read_tasks(parsed.tasks)
        forecasts = _make(tasks, parsed.processes)
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(_HEADER)
        for task, made in zip(tasks, forecasts, strict=True):
            writer.writerows(_rows(task, made))
        write_file(parsed.output, text.getvalue().encode())
    except CospotError as error:
        print(f"cospot: {error}", file=sys.stderr)
        return _BAD_INPUT
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


if __name__ == "__main__":
    # Make both signals unwind, so that its subprocesses end too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())
