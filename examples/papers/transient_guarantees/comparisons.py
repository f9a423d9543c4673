"""The paper's figures 8b and 9 as one number each, and the same of a trace.

Source: Shastri, Rizk and Irwin, "Transient Guarantees", SC 2016, section V-B.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from cospot import classes


def comparison_rows(
    table: pd.DataFrame, sold: pd.DataFrame, checkpoint_hours: float
) -> Iterator[dict[str, Any]]:
    """Return relative changes by equation 2: what, the paper's, and this trace's.

    Args:
        table: The servers, as of `classes.servers`.
        sold: Ways to sell and their performance; lost is 1 less that.
        checkpoint_hours: To save a server's memory.
    """
    idle = table[table["idle_hours"] > 0]

    def useful(assumed: float | None) -> float:
        interval = None if assumed is None else float(np.sqrt(2 * checkpoint_hours * assumed))
        fast = classes.performance(idle["mttr_hours"], checkpoint_hours, interval)
        return float(fast @ idle["idle_hours"].to_numpy())

    speed = sold.set_index("sold")["performance"]
    one, two = speed["1 classes, equal"], speed["2 classes, equal"]
    gce, ec2 = speed["GCE, 24 h assumed"], speed["EC2, hourly, +25% revocations"]
    for what, paper, change in (
        ("8b: useful time, 24 h assumed, against each server's own", "near", useful(24)),
        ("8b: useful time, 30 min assumed, against each server's own", "-40%", useful(0.5)),
    ):
        yield {"what": what, "paper": paper, "change": change / useful(None) - 1}
    for what, paper, ratio in (
        ("9b: performance, GCE (24 h), against 1 class", "near", gce / one),
        ("9b: performance, EC2 (+25%), against 1 class", "-28%", ec2 / one),
    ):
        yield {"what": what, "paper": paper, "change": ratio - 1}
    for what, paper, way, other in (
        ("9a: {}, 2 equal classes, against 1", "-13.5%", two, one),
        ("9b: {}, GCE (24 h), against 2 equal classes", "+13%", gce, two),
    ):
        lost = (1 - way) / (1 - other)
        yield {"what": what.format("time lost"), "paper": paper, "change": lost - 1}
        # What is lost of the time, over what is left of it.
        extra = lost * other / way
        yield {"what": what.format("extra time"), "paper": paper, "change": extra - 1}


def comparisons_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the changes as texts, a column for each trace."""
    texts = rows.assign(change=[f"{100 * change:+.1f}%" for change in rows["change"]])
    wide = texts.pivot_table(
        index=["what", "paper"], columns="trace", values="change", aggfunc="first", sort=False
    )
    return wide.reset_index()
