#!/usr/bin/python3
"""Counts how often the intervals that tune prints hold what its choice gains on other workloads.

    PYTHONPATH=build/release/python /usr/bin/python3 examples/tune/coverage.py several 40
    PYTHONPATH=build/release/python /usr/bin/python3 examples/tune/coverage.py parts 20

`several`: each time 8 synthetic workloads of one model. `parts`: each time one synthetic history of
28 days on 15 hosts, whose demand goes up and down for days (autoregression, 0.6 a day). The truth
is the mean over other workloads made in the same way.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import cospot
import numpy as np
import pandas as pd

SAMPLES = 8


def history(seed: int, days: int = 28, before: int = 14) -> cospot.Workload:
    """Make VMs whose daily number is autocorrelated, and spots whose number is not."""
    random = np.random.default_rng(seed)
    state, starts, ends, spots = random.normal() * 0.35, [], [], []
    for day in range(-before, days):
        state = 0.6 * state + random.normal() * 0.28
        for is_spot, rate, life in ((False, 110 * np.exp(state - 0.06), 1.0), (True, 60, 0.5)):
            count = random.poisson(rate)
            start = (day + random.beta(3, 3, count)) * 86400
            starts += list(start)
            ends += list(start + random.exponential(life * 86400, count))
            spots += [is_spot] * count
    vcpus = random.choice([1, 2, 4, 8, 16], len(starts), p=[0.25, 0.3, 0.25, 0.15, 0.05])
    frame = pd.DataFrame(
        {
            "is_spot": spots,
            "vcpus": vcpus,
            "memory_mb": vcpus * random.choice([2048, 4096, 8192], len(starts)),
            "start_s": np.round(starts, 3),
            "end_s": np.round(ends, 3),
        }
    )
    return cospot.Workload.from_pandas(frame.sort_values("start_s"), window_days=days)


def main() -> None:
    """Print each interval with the truth, and at the end how many hold it."""
    warnings.simplefilter("ignore")
    kind, times = sys.argv[1], int(sys.argv[2])
    several = kind == "several"
    host = (10400, 2250) if several else (64, 262144)
    if several:
        others = [cospot.Workload.generate(scale=0.001, seed=seed) for seed in range(1000, 1060)]
        sizes = [
            min(
                cospot.size(one, host=host, vm=vm, headroom_percent=2).hosts
                for vm in ("UTIL", "COS", "DPD")
            )
            for one in others
        ]
    else:
        others = [history(100_000 + seed) for seed in range(40)]
        sizes = [15] * len(others)

    known: dict[Any, float] = {}

    def worth(setting: Any) -> float:
        """Return the mean over the other workloads, net of lost VMs."""
        choice = {key: getattr(setting, key) for key in ("vm", "spot", "evictor", "saf", "otn")}
        key = tuple(choice.values())
        if key not in known:
            nets = []
            for one, hosts in zip(others, sizes, strict=True):
                run = cospot.simulate(one, host=host, hosts=hosts, **choice)
                net = run.spot_revenue - (run.vm_revenue_requested - run.vm_revenue)
                nets.append(net / run.spot_revenue_requested)
            known[key] = float(np.mean(nets))
        return known[key]

    held = clear = wrong = 0
    for time in range(times):
        given: dict[str, Any] = {"workloads": history(time), "hosts": 15, "max_vm_loss_percent": 30}
        if several:
            seeds = range(1 + SAMPLES * time, 1 + SAMPLES * (time + 1))
            given = {"workloads": [f"azure2020:seed={seed}:scale=0.001" for seed in seeds]}
        found = cospot.tune(host=host, progress=False, **given)
        gain: Any = found.verdict.gain
        truth = worth(found.found) - worth(found.without_cooperation)
        held += gain.low <= truth <= gain.high
        clear += gain.low > 0
        wrong += gain.low > 0 and truth <= 0
        print(f"{gain.low:+.3f} to {gain.high:+.3f}, truth {truth:+.3f}", flush=True)
    print(f"{held} of {times} intervals hold the truth; {clear} above 0, of them {wrong} wrongly")


if __name__ == "__main__":
    main()
