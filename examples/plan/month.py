#!/usr/bin/python3
"""Writes a month of requests: three synthetic fortnights, one after the other.

    PYTHONPATH=build/release/python /usr/bin/python3 examples/plan/month.py month.csv.gz

Instances that run at the end of a fortnight end there, and the next one begins with those that run
at its own beginning.
"""

from __future__ import annotations

import sys

import cospot
import pandas as pd

FORTNIGHT_US = 14 * 86400 * 1_000_000


def main() -> None:
    """Write the file that is named."""
    fortnights = []
    for number in range(3):
        requests = cospot.Workload.generate("azure2020", seed=number + 1, scale=0.008).to_pandas()
        first = number * FORTNIGHT_US
        requests["instance_id"] = [f"{number}-{each}" for each in requests["instance_id"]]
        if number > 0:
            requests["start_us"] = requests["start_us"].clip(lower=0)
        for column in ("start_us", "end_us"):
            requests[column] = requests[column].clip(upper=FORTNIGHT_US) + first
        fortnights.append(requests[requests["start_us"] < first + FORTNIGHT_US])
    cospot.Workload.from_pandas(pd.concat(fortnights), window_days=30).save(sys.argv[1])


if __name__ == "__main__":
    main()
