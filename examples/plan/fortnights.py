#!/usr/bin/python3
"""Writes a month or a year of requests: synthetic fortnights, one after the other.

    PYTHONPATH=build/release/python /usr/bin/python3 examples/plan/fortnights.py FILE [--days 365]

Instances that run at the end of a fortnight end there, and the next one begins with those that run
at its own beginning.
"""

from __future__ import annotations

import argparse

import cospot
import pandas as pd

FORTNIGHT_DAYS = 14
FORTNIGHT_US = FORTNIGHT_DAYS * 86400 * 1_000_000


def main() -> None:
    """Write the file that is named."""
    parser = argparse.ArgumentParser(description="Write synthetic fortnights as one workload.")
    parser.add_argument("file", help="workload to write (CSV; gzip-compressed if it ends in .gz)")
    parser.add_argument("--days", type=int, default=30, help="days of the window (default: 30)")
    parser.add_argument("--scale", type=float, default=0.008, help="of azure2020 (default: 0.008)")
    parser.add_argument("--seed", type=int, default=1, help="of the first fortnight (default: 1)")
    arguments = parser.parse_args()
    fortnights = []
    for number in range(-(-arguments.days // FORTNIGHT_DAYS)):
        fortnight = cospot.Workload.generate(
            "azure2020", seed=arguments.seed + number, scale=arguments.scale
        )
        requests = fortnight.to_pandas()
        first = number * FORTNIGHT_US
        requests["instance_id"] = [f"{number}-{each}" for each in requests["instance_id"]]
        if number > 0:
            requests["start_us"] = requests["start_us"].clip(lower=0)
        for column in ("start_us", "end_us"):
            requests[column] = requests[column].clip(upper=FORTNIGHT_US) + first
        fortnights.append(requests[requests["start_us"] < first + FORTNIGHT_US])
    all_of_them = pd.concat(fortnights)
    cospot.Workload.from_pandas(all_of_them, window_days=arguments.days).save(arguments.file)


if __name__ == "__main__":
    main()
