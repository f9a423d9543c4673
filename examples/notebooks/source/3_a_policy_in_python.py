# %% [markdown]
# # A policy in Python, and then in C++
#
# A policy here is a small class. This notebook writes a weigher in Python, checks it against a compiled
# one, uses it in a comparison beside the paper's policies, and then shows how little changes when it moves
# to C++.

# %%
import time
from pathlib import Path

import cospot
import numpy as np
import pandas as pd
from cospot import plots

HOST = (10400, 2250)  # vCPUs and memory of a host, in the units of the model
workload = cospot.Workload.generate("azure2020", seed=3, scale=0.002)
workload

# %% [markdown]
# ## One host at a time
#
# A weigher says how suitable a host is; the highest weight wins. The simplest form is Nova's: a method
# for one host. This is best fit on cores, the paper's `UTIL`: the more vCPUs its VMs use, the better.

# %%
class BestFitOneByOne(cospot.Weigher):
    """Prefers the host whose VMs use the most vCPUs."""

    def weigh_host(self, host: cospot.HostRow, request: cospot.Request) -> float:
        return host.vm_used.vcpus


# %% [markdown]
# It can stand wherever a name can. Try it on five hosts:

# %%
hosts = cospot.HostTable(
    [
        cospot.HostSpec(f"host-{used}", (32, 64), vm_used=(used, used), num_vms=1)
        for used in (8, 24, 0, 31, 16)
    ]
)
chain = cospot.Chain([BestFitOneByOne])

[hosts.names[row] for row in chain.rank(hosts, cospot.Request(4, 4))]

# %% [markdown]
# host-31 has no room for four vCPUs and is left out before any weigher is asked.
#
# ## All hosts at once
#
# A method call for every host of every request is slow. The batch form gets whole columns, as read-only
# NumPy views of the host table, without copies:

# %%
class BestFit(cospot.Weigher):
    """Prefers the host whose VMs use the most vCPUs, all hosts in one call."""

    def weigh_all(
        self, hosts: cospot.HostView, candidates: np.ndarray, request: cospot.Request
    ) -> np.ndarray:
        return (hosts.vcpus_total - hosts.vcpus_free_ignoring_spots)[candidates].astype(float)


# %% [markdown]
# ## The same numbers as the compiled one
#
# Replay the workload with each, in a datacenter of the size that the VMs need.

# %%
SIZE = cospot.size(workload, host=HOST, vm="UTIL").hosts


def replay(vm) -> dict:
    """Run the workload under a VM policy; what it earned, and how long that took."""
    start = time.perf_counter()
    result = cospot.simulate(
        workload, hosts=SIZE, host=HOST, vm=vm, spot="sDPD", evictor="FIFO", otn=4
    )
    seconds = time.perf_counter() - start
    counts = result.as_dict()
    return {name: counts[name] for name in ("vm_rejected", "evictions", "spot_revenue")} | {
        "seconds": seconds
    }


replays = pd.DataFrame(
    {
        "UTIL, compiled": replay("UTIL"),
        "BestFit, batch": replay(BestFit),
        "BestFitOneByOne": replay(BestFitOneByOne),
    }
).T
replays

# %% [markdown]
# The results are equal to the last digit, evictions and revenue included. The times are not: Python is
# for finding out whether an idea is any good.
#
# ## An idea of one's own
#
# In this zone memory runs out first, not cores:

# %%
used = cospot.Simulation(workload, hosts=SIZE, host=HOST, vm="UTIL", spot="sDPD", evictor="FIFO")
used.run_until(7 * cospot.DAY_US)

{
    name: round(float(1 - beside.sum() / total.sum()), 3)
    for name, beside, total in [
        ("vCPUs in use", used.hosts.vcpus_free, used.hosts.vcpus_total),
        ("memory in use", used.hosts.memory_mb_free, used.hosts.memory_mb_total),
    ]
}

# %% [markdown]
# So why not fit on memory instead of cores? An invented rule, to be tried:

# %%
class FitOnMemory(cospot.Weigher):
    """Prefers the host whose memory would be fullest with the VM on it."""

    def weigh_all(
        self, hosts: cospot.HostView, candidates: np.ndarray, request: cospot.Request
    ) -> np.ndarray:
        total = hosts.memory_mb_total[candidates]
        left = hosts.memory_mb_free_ignoring_spots[candidates] - request.memory_mb
        return 1 - left / total


# %% [markdown]
# `compare` takes a dictionary with the keys of a [sweep file](../../docs/sweep-file.md), and in it
# classes where names may stand. Our rule beside the paper's three, under a label of its own:

# %%
import tempfile

database = Path(tempfile.mkdtemp(prefix="cospot-")) / "policies.db"
cospot.compare(
    {
        "workloads": {"synthetic": "azure2020", "seed": 3, "scale": 0.002},
        "host": {"vcpus": HOST[0], "memory_mb": HOST[1]},
        "headroom_percent": [0, 2],
        "vm": ["UTIL", "COS", "DPD", {"name": FitOnMemory, "label": "FitOnMemory"}],
        "spot": "sDPD",
        "evictor": "FIFO",
        "saf": [False, True],
        "otn": [1, 4, 16],
    },
    db=database,
)
runs = cospot.load_results(database).runs

table = runs.groupby(["vm", "size"], observed=True).agg(
    hosts=("hosts", "first"),
    best_gain=("gain", "max"),
    best_share=("spot_share", "max"),
    worst_vm_loss=("vm_loss", "max"),
)
table

# %%
plots.gain_against_vm_loss(runs, value="spot_share", colour="vm", title="Four VM policies")

# %% [markdown]
# `hosts` is what each needs to hold all VMs (and two percent more). Whatever the verdict on our rule, it
# took ten lines, and it ran in everything: sizing, offers, the filter, all combinations.
#
# Policies can go wrong, too. One that raises, or returns the wrong number of weights or something that is
# no number, stops the run with an error that names it:

# %%
class Forgetful(cospot.Weigher):
    def weigh_all(self, hosts, candidates, request):
        return np.zeros(len(hosts) + 1)


try:
    replay(Forgetful)
except cospot.PolicyError as error:
    message = str(error)

message

# %% [markdown]
# ## And now in C++
#
# This is the compiled `UTIL`, which gave the same numbers above: the header as it is in this repository.
#
# <!-- file: weighers/util_weigher.hpp -->
#
# Read it beside `BestFitOneByOne`. `weigh_host` counts the vCPUs left, which ranks identical hosts as those
# used do; the option `measure` has the others. `kInfo` gives it its names, and the
# three variants (which instances a policy looks at) come from one template. `host_key` and the class it
# derives from are what makes it fast: its weight follows one number of the host, so that hosts can be
# kept in order of it and no request looks at all of them. A weigher without a key scans, and works just as
# well.
#
# To take a policy of yours there: a header like this, a line in `weighers/registry.cpp`, and a test;
# [docs/extending.md](../../docs/extending.md) has a complete example. Or leave it in Python: the command
# line runs it as it is, with `vm: "python:my_module.FitOnMemory"` in a sweep file.

# %% [check]
same = ["vm_rejected", "evictions", "spot_revenue"]
assert (replays[same].nunique() == 1).all()
assert "Forgetful" in message
assert len(runs) == 2 * 4 * 2 * 3
assert runs["gain"].notna().all()
ranked = chain.rank(hosts, cospot.Request(4, 4)).tolist()
assert ranked == [1, 4, 0, 2]  # 24, 16, 8, 0 used; the one with 31 of 32 has no room
assert runs.loc[runs["vm"] == "FitOnMemory", "hosts"].min() > 0
