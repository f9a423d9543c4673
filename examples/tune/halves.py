#!/usr/bin/python3
"""Tunes on the first half of each workload, and prints what its choice was worth in the second.

    PYTHONPATH=build/release/python /usr/bin/python3 examples/tune/halves.py WORKLOAD...

Hosts are as in CoSpot's evaluation, 2 % more than the VMs of the whole workload need.
"""

from __future__ import annotations

import sys
from typing import Any

import cospot

HOST = (10400, 2250)


def earned(workload: cospot.Workload, hosts: int, setting: Any) -> tuple[float, float, float]:
    """Return spot revenue net of lost VMs, spot revenue requested, and VM revenue lost."""
    run = cospot.simulate(
        workload, host=HOST, hosts=hosts, vm=setting.vm, spot=setting.spot,
        evictor=setting.evictor, saf=setting.saf, otn=setting.otn,
    )  # fmt: skip
    lost = run.vm_revenue_requested - run.vm_revenue
    return run.spot_revenue - lost, run.spot_revenue_requested, lost


def main() -> None:
    """Print a line for each workload."""
    print(
        "workload: advice; net gain over no cooperation, first half (95 %), second half; VMs lost"
    )
    for name in sys.argv[1:]:
        whole = cospot.Workload.load(name)
        half = whole.with_window_days(whole.window_days / 2)
        hosts = min(
            cospot.size(whole, host=HOST, vm=vm, headroom_percent=2).hosts
            for vm in ("UTIL", "COS", "DPD")
        )
        found = cospot.tune(half, host=HOST, hosts=hosts, progress=False)
        assert found.without_cooperation is not None
        later, lost = [], 0.0
        for setting in (found.without_cooperation, found.found):
            net, requested, lost = (
                both - first
                for both, first in zip(
                    earned(whole, hosts, setting), earned(half, hosts, setting), strict=True
                )
            )
            later.append(net / requested)
        gain = found.verdict.gain
        assert gain is not None
        assert gain.low is not None
        assert gain.high is not None
        print(
            f"{name}: {found.verdict.advice}; {100 * gain.mean:+.1f} ({100 * gain.low:+.1f} to "
            f"{100 * gain.high:+.1f}), {100 * (later[1] - later[0]):+.1f} points; "
            f"{'some' if lost > 0 else 'none'}",
            flush=True,
        )


if __name__ == "__main__":
    main()
