"""Write 2,000,000 jobs of 40 days for a cluster of 141,000 servers; what for: docs/price.md."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

DAYS = 40
LONG, BURSTS, JOBS_OF_BURST = 1_600_000, 400, 1_000


def main() -> None:
    """Write a job CSV: run times from minutes to weeks, and bursts of short jobs by day."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    output = parser.parse_args().output
    random = np.random.default_rng(1)
    day = random.uniform(0, DAYS, LONG)
    duration = random.lognormal(11.1, 1.5, LONG)
    bursts = np.repeat(random.uniform(0, DAYS, BURSTS), JOBS_OF_BURST)
    bursts += random.exponential(0.01, len(bursts))
    day = np.concatenate([day, bursts])
    duration = np.concatenate([duration, random.lognormal(8.5, 1.0, len(bursts))])
    order = np.argsort(day)
    table = np.column_stack([86_400 * day[order], np.minimum(duration[order], 86_400 * DAYS)])
    with output.open("w") as file:
        file.write("submission_s,duration_s\n")
        np.savetxt(file, table.astype(int), fmt="%d", delimiter=",")


if __name__ == "__main__":
    main()
