#!/usr/bin/python3
"""Writes two months of requests in which the demand for VMs changes in a way that is known.

    PYTHONPATH=build/release/python /usr/bin/python3 examples/plan/histories.py FOLDER

step.csv.gz: 15 % more VMs from day 20 of 42 on. season.csv.gz: a week's season of 20 % up and down,
and 3 % more VMs each week. Spots are asked for at the same rate all the time.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import cospot
import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Callable

DAYS = 42
DAY_US = cospot.DAY_US


def step(day: float) -> float:
    """Return the demand for VMs on a day, 1 at first."""
    return 1.15 if day >= 20 else 1.0


def season(day: float) -> float:
    """Return the same of a week's season that grows."""
    return float((1 + 0.2 * np.sin(2 * np.pi * day / 7)) * 1.03 ** (day / 7))


def requests(demand: Callable[[float], float], seed: int) -> cospot.Workload:
    """Draw VMs that live for two days on average, and spots for half a day."""
    random = np.random.default_rng(seed)
    starts, lives, spots = [], [], []
    for day in range(-10, DAYS):
        for is_spot, count, life in ((False, 240 * demand(day), 2.0), (True, 480, 0.5)):
            number = random.poisson(count)
            starts += list(day + random.random(number))
            lives += list(random.exponential(life, number))
            spots += [is_spot] * number
    frame = pd.DataFrame({"is_spot": spots, "start_us": np.array(starts) * DAY_US})
    frame["end_us"] = frame["start_us"] + np.array(lives) * DAY_US
    frame["vcpus"] = random.choice([2, 4, 8], len(frame), p=[0.4, 0.4, 0.2])
    frame["memory_mb"] = 4096 * frame["vcpus"]
    frame[["start_us", "end_us"]] = frame[["start_us", "end_us"]].astype("int64")
    return cospot.Workload.from_pandas(frame.sort_values("start_us"), window_days=DAYS)


def main() -> None:
    """Write both into the folder that is named."""
    folder = Path(sys.argv[1])
    for name, demand in (("step", step), ("season", season)):
        requests(demand, seed=1).save(folder / f"{name}.csv.gz")


if __name__ == "__main__":
    main()
