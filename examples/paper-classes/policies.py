"""Does placing long-lived spots on calm hosts help? Beside sCOS and vmaDPD, over real workloads.

Runs every spot chain on every workload and reads the event log: how long spots live, what they
and VMs earn, apart for spots that ask for a day and more (the high class).
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import cospot
import pandas as pd
from cospot.errors import CospotError

DAY_S = 86_400.0
HOST = (10400, 2250)
#: The chains that are compared; the high class asks for 24 h and more.
CHAINS: dict[str, cospot.Chain] = {
    "sCOS": cospot.Chain(["sCOS"]),
    "vmaDPD": cospot.Chain(["vmaDPD"]),
    "LowRevocation": cospot.Chain(["LowRevocation"]),
    "sCOS + LowRevocation": cospot.Chain(["sCOS", "LowRevocation"]),
    "vmaDPD + LowRevocation": cospot.Chain(["vmaDPD", "LowRevocation"]),
    "vmaDPD + TransientClass": cospot.Chain(["vmaDPD"], filters=["TransientClass"]),
}


def spot_lives(events: pd.DataFrame, ends: dict[str, float], window_s: float) -> pd.DataFrame:
    """Return one row for each spot that asked in the window, with what became of it."""
    spots = events[(events["class"] == "spot") & (events["time_s"] >= 0)]
    asked = spots[spots["event"] == "request"].set_index("instance_id")
    placed = spots[spots["event"] == "placement"].set_index("instance_id")["time_s"]
    evicted = spots[spots["event"] == "eviction"].set_index("instance_id")["time_s"]
    table = pd.DataFrame({"start_s": asked["time_s"], "vcpus": asked["vcpus"]})
    table["end_s"] = table.index.map(ends).astype(float).to_numpy().clip(max=window_s)
    table["asked_s"] = (table["end_s"] - table["start_s"]).clip(lower=0)
    table["placed"] = table.index.isin(placed.index)
    table["evicted_s"] = evicted.reindex(table.index)
    lived = table[["evicted_s", "end_s"]].min(axis=1) - table["start_s"]
    table["lived_s"] = lived.where(table["placed"], 0.0).clip(lower=0)
    return table


def figures(table: pd.DataFrame, result: Any) -> dict[str, float]:
    """Sum up one run."""
    row = {
        "vm_revenue_lost_percent": 100 * (1 - result.vm_revenue / result.vm_revenue_requested),
        "vms_rejected": float(result.vm_rejected),
        "spot_revenue_percent": 100 * result.spot_revenue / result.spot_revenue_requested,
    }
    for name, part in (
        ("long", table[table["asked_s"] >= DAY_S]),
        ("short", table[table["asked_s"] < DAY_S]),
    ):
        admitted = part[part["placed"]]
        hours = admitted["lived_s"].sum() / 3600
        evictions = int((admitted["evicted_s"] < admitted["end_s"]).sum())
        asked = (part["vcpus"] * part["asked_s"]).sum()
        row[f"{name}_admitted_percent"] = 100 * len(admitted) / max(1, len(part))
        row[f"{name}_evicted_percent"] = 100 * evictions / max(1, len(admitted))
        row[f"{name}_mttr_hours"] = hours / max(1, evictions)
        row[f"{name}_revenue_percent"] = (
            100 * (part["vcpus"] * part["lived_s"]).sum() / max(1.0, asked)
        )
    return row


def run(path: Path, headroom: float, name: str, vm: str, scratch: Path) -> dict[str, Any]:
    """Run one chain on one workload."""
    workload = cospot.Workload.load(path)
    size = cospot.size(workload, host=HOST, vm=vm, headroom_percent=headroom)
    events = scratch / "events.csv.gz"
    result = cospot.simulate(
        workload,
        hosts=size.hosts,
        host=HOST,
        vm=vm,
        spot=CHAINS[name],
        evictor="FIFO",
        otn=1,
        events=events,
    )
    window_s = workload.window_days * DAY_S
    rows = workload.to_pandas()
    ends = dict(zip(rows["instance_id"], rows["end_us"] / 1e6, strict=True))
    table = spot_lives(cospot.read_events(events), ends, window_s)
    return {
        "workload": path.name,
        "headroom_percent": headroom,
        "vm": vm,
        "spot": name,
        **figures(table, result),
    }


def main() -> None:
    """Run all chains on all workloads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workloads", nargs="+", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--headroom-percent", type=float, nargs="+", default=[1.0, 4.0])
    parser.add_argument("--vm", default="UTIL")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for path in arguments.workloads:
            for headroom in arguments.headroom_percent:
                rows += [run(path, headroom, name, arguments.vm, Path(scratch)) for name in CHAINS]
    found = pd.DataFrame(rows)
    found.to_csv(arguments.output, index=False)
    means = found.groupby(["headroom_percent", "spot"], sort=False).mean(numeric_only=True)
    print(means.round(2).T.to_string())


if __name__ == "__main__":
    try:
        main()
    except CospotError as error:
        raise SystemExit(f"cospot: {error}") from error
