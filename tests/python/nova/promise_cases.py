"""What the tests of promised lifetimes share."""

from __future__ import annotations

import math
import time
from pathlib import Path

from cospot.nova.promises.promise_table import PromiseTable, SizePromises, Step, table_to_text

HOUR = 3600.0
#: Of 4 vCPUs and 8 GiB: nothing with no slot; 1 h from 1 slot on; 3 h from 4; for ever from 8.
STEPS: tuple[Step, ...] = ((0, None), (1, HOUR), (4, 3 * HOUR), (8, math.inf))


def make_table(
    observed_until: float | None = None, targets: tuple[float, ...] = (0.05, 0.1)
) -> PromiseTable:
    """A table for spots of 4 vCPUs, with the same promises for each target."""
    now = time.time()
    return PromiseTable(
        made_at=now,
        observed_until=now if observed_until is None else observed_until,
        targets=targets,
        sizes=[SizePromises((4, 8192, 0), [STEPS for _ in targets], ("spot.four",), 10_000)],
        history={"file": "history.csv.gz", "days": 14, "spots": 1000, "evictions": 30},
    )


def write_table(path: Path, table: PromiseTable | None = None) -> Path:
    path.write_text(table_to_text(table or make_table()))
    return path
