"""Does placing long-lived spots on calm hosts help? Beside sCOS and vmaDPD, over real workloads.

Runs every spot chain on every workload with every way to offer hosts, and reads the event log: how
long spots live, what they and VMs earn, apart for classes of how long spots ask to live.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import cospot
import pandas as pd
from cospot.errors import CospotError
from reproduction.page import Table

DAY_S = 86_400.0
HOST = (10400, 2250)
#: The chains that are compared; the high class of LowRevocation and TransientClass is `long`.
CHAINS: dict[str, cospot.Chain] = {
    "sCOS": cospot.Chain(["sCOS"]),
    "vmaDPD": cospot.Chain(["vmaDPD"]),
    "LowRevocation": cospot.Chain(["LowRevocation"]),
    "sCOS + LowRevocation": cospot.Chain(["sCOS", "LowRevocation"]),
    "vmaDPD + LowRevocation": cospot.Chain(["vmaDPD", "LowRevocation"]),
    "vmaDPD + TransientClass": cospot.Chain(["vmaDPD"], filters=["TransientClass"]),
}
#: The offers to VMs: the spot-avoiding filter, and how many hosts the evictor chooses of.
OFFERS: dict[str, dict[str, Any]] = {
    "OTN 1": {"saf": False, "otn": 1},
    "OTN 4": {"saf": False, "otn": 4},
    "SAF, OTN 1": {"saf": True, "otn": 1},
    "SAF, OTN 4": {"saf": True, "otn": 4},
}
#: Spots by how long they ask to live: name, from, to (s).
LIVES = (
    ("short", 0.0, 3600.0),
    ("medium", 3600.0, DAY_S),
    ("long", DAY_S, float("inf")),
)


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
    for name, least_s, below_s in LIVES:
        part = table[(table["asked_s"] >= least_s) & (table["asked_s"] < below_s)]
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


def run_all(path: Path, headroom: float, vm: str, scratch: Path) -> list[dict[str, Any]]:
    """Run every chain with every way to offer hosts on one workload."""
    workload = cospot.Workload.load(path)
    size = cospot.size(workload, host=HOST, vm=vm, headroom_percent=headroom)
    frame = workload.to_pandas()
    ends = dict(zip(frame["instance_id"], frame["end_us"] / 1e6, strict=True))
    events = scratch / "events.csv"
    rows = []
    for offer, how in OFFERS.items():
        for name, chain in CHAINS.items():
            result = cospot.simulate(
                workload,
                hosts=size.hosts,
                host=HOST,
                vm=vm,
                spot=chain,
                evictor="FIFO",
                events=events,
                **how,
            )
            table = spot_lives(cospot.read_events(events), ends, workload.window_days * DAY_S)
            rows.append(
                {
                    "workload": f"{path.parent.name}/{path.name}",
                    "headroom_percent": headroom,
                    "vm": vm,
                    "offer": offer,
                    "spot": name,
                    **figures(table, result),
                }
            )
    return rows


def table_of_means(found: pd.DataFrame, columns: dict[str, str]) -> Table:
    """Return the means over workloads; `columns`: heading to format of each measure."""
    keys = ["headroom_percent", "offer", "spot"]
    means = found.groupby(keys, sort=False).mean(numeric_only=True).reset_index()
    rows = [
        [
            f"{row['headroom_percent']:g}%",
            row["offer"],
            row["spot"],
            *(form.format(**row.to_dict()) for form in columns.values()),
        ]
        for _, row in means.iterrows()
    ]
    return Table(["headroom", "VMs", "spot chain", *columns], rows, text_columns=3)


def against(found: pd.DataFrame, measure: str, chain: str, other: str) -> str:
    """Say in how many pairs of runs a chain is above another one, and by how much on the mean."""
    keys = ["workload", "headroom_percent", "offer"]
    wide = found.pivot_table(index=keys, columns="spot", values=measure)
    gain = wide[chain] / wide[other] - 1
    return (
        f"- {measure}: `{chain}` above `{other}` in {int((gain > 0).sum())} of {len(gain)} pairs, "
        f"{gain.mean():+.1%} on the mean, {gain.min():+.1%} to {gain.max():+.1%}\n"
    )


def text_of(found: pd.DataFrame) -> str:
    """Write both tables and the comparisons in Markdown."""
    lives = {
        "spot revenue": "{spot_revenue_percent:.1f}%",
        "long: admitted": "{long_admitted_percent:.0f}%",
        "evicted": "{long_evicted_percent:.0f}%",
        "MTTR (h)": "{long_mttr_hours:.0f}",
        "revenue": "{long_revenue_percent:.1f}%",
        "medium: MTTR (h)": "{medium_mttr_hours:.1f}",
        "revenue ": "{medium_revenue_percent:.1f}%",
        "short: MTTR (h)": "{short_mttr_hours:.1f}",
        "revenue  ": "{short_revenue_percent:.1f}%",
        "VMs rejected": "{vms_rejected:.1f}",
        "VM revenue lost": "{vm_revenue_lost_percent:.4f}%",
    }
    pairs = [
        against(found, measure, chain, other)
        for chain, other in (
            ("sCOS + LowRevocation", "sCOS"),
            ("vmaDPD + LowRevocation", "vmaDPD"),
            ("LowRevocation", "sCOS"),
            ("LowRevocation", "vmaDPD"),
            ("vmaDPD + TransientClass", "vmaDPD"),
        )
        for measure in ("spot_revenue_percent", "long_revenue_percent", "long_mttr_hours")
    ]
    return table_of_means(found, lives).markdown() + "\n" + "".join(pairs)


def main() -> None:
    """Run all chains on all workloads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workloads", nargs="+", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True, help="CSV; .md beside it")
    parser.add_argument("--headroom-percent", type=float, nargs="+", default=[1.0, 4.0])
    parser.add_argument("--vm", default="UTIL")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for path in arguments.workloads:
            for headroom in arguments.headroom_percent:
                rows += run_all(path, headroom, arguments.vm, Path(scratch))
    found = pd.DataFrame(rows)
    found.to_csv(arguments.output, index=False)
    text = text_of(found)
    arguments.output.with_suffix(".md").write_text(text)
    print(text, end="")


if __name__ == "__main__":
    try:
        main()
    except CospotError as error:
        raise SystemExit(f"cospot: {error}") from error
