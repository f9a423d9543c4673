# %% [markdown]
# # Your own trace: which OTN and SAF to run
#
# Given a history of requests, how much more would spots earn if VMs and spots cooperated, and what would
# it cost the VMs? This notebook goes from a CSV of requests to a setting, in five steps:
# read, size, compare, look, choose.

# %%
import tempfile
from pathlib import Path

import cospot
import pandas as pd
from cospot import plots
from cospot.plots import host_occupancy

# %% [markdown]
# ## 1. Read
#
# `TRACE` is a CSV with one request a line: who asked, VM or spot, vCPUs, memory, start, end
# ([docs/workload-format.md](../../docs/workload-format.md)). Put the path of your own there, and what one
# of your hosts has. Here it is a synthetic fortnight of a cloud zone, in the units of its model.

# %%
folder = Path(tempfile.mkdtemp(prefix="cospot-"))
TRACE = folder / "requests.csv.gz"
HOST = (10400, 2250)  # vCPUs and memory of one host, in the units of the trace

cospot.Workload.generate("azure2020", seed=3, scale=0.006).save(TRACE)

# %% [markdown]
# Already have a data frame? `cospot.Workload.from_pandas(frame)` takes it, and `to_pandas` gives it back.

# %%
workload = cospot.Workload.load(TRACE)
requests = workload.to_pandas()

summary = requests.groupby("is_spot").agg(
    requests=("vcpus", "size"), mean_vcpus=("vcpus", "mean"), mean_memory=("memory_mb", "mean")
)
summary.rename(index={False: "VMs", True: "spots"})

# %% [markdown]
# ## 2. Size
#
# The smallest datacenter that rejects no VM depends on the VM policy: the better it packs, the fewer hosts
# it needs. `lower_bound` is what the peak would need if nothing were lost to packing.

# %%
sizes = {vm: cospot.size(workload, host=HOST, vm=vm) for vm in ("UTIL", "COS", "DPD")}

pd.DataFrame({vm: [s.hosts, s.lower_bound] for vm, s in sizes.items()}, index=["hosts", "at least"])

# %% [markdown]
# ## 3. Compare
#
# A sweep file says which runs to do: every combination of what it lists. `headroom_percent` is hosts
# beyond that smallest size. `sweep` does the runs on all processors of this machine; on a Dask cluster
# with `executor="dask"`.

# %%
SWEEP = folder / "sweep.yaml"
SWEEP.write_text(f"""
workloads: {TRACE.name}
host: {{vcpus: {HOST[0]}, memory_mb: {HOST[1]}}}
headroom_percent: [0, 1, 2]
vm: [UTIL, COS, DPD]
spot: [sDPD, vmaDPD]
evictor: FIFO
saf: [off, on]
otn: [1, 2, 4, 8, 16, 32]
""")

database = cospot.sweep(SWEEP, db=folder / "results.db")
results = cospot.load_results(database)
runs = results.runs

len(runs)

# %% [markdown]
# `runs` is a tidy frame. **Gain** is a run's spot revenue over that of its *baseline*: the same
# datacenter and policies without cooperation (OTN 1, SAF off). **VM loss** is the part of the requested VM
# revenue that was not earned, because a VM found no host.

# %%
columns = ["size", "vm", "spot", "saf", "otn", "gain", "vm_loss", "spot_share", "evictions"]
runs[columns].sample(5, random_state=1).sort_index()

# %% [markdown]
# ## 4. Look
#
# A longer offer brings more, little by little. The spot-avoiding filter brings much at once, and with it
# OTN matters less.

# %%
plots.gain_by_otn_and_saf(runs)

# %% [markdown]
# What does it cost? With SAF, or with a long offer, VMs are packed a little less tightly.

# %%
plots.degradation_curve(runs)

# %% [markdown]
# In a datacenter with no spare host (0 %) a VM may then find no room. A percent or two more hosts fix
# that.

# %%
plots.gain_by_headroom(runs)

# %% [markdown]
# ## 5. Choose
#
# Gains compare a run with its own baseline. To choose among policies, compare what spots *earn*, as a share
# of what they asked for. In the smallest datacenter every point on the front is a fair trade between
# spot revenue and VM loss:

# %%
smallest = runs[runs["size"] == "0 %"]
plots.gain_against_vm_loss(smallest, value="spot_share", title="0 % headroom")

# %%
front = cospot.pareto_front(smallest, gain="spot_share")
front[["vm", "spot", "saf", "otn", "spot_share", "vm_loss", "vm_rejected"]]

# %% [markdown]
# Most operators want to lose no VM. The best combination of each size that rejects none, beside the best
# without cooperation:

# %%
def best(runs: pd.DataFrame) -> pd.DataFrame:
    """The row of each size that earns most from spots and rejects no VM."""
    quiet = runs[runs["without_vm_loss"]]
    rows = quiet.groupby("size", observed=True)["spot_share"].idxmax()
    return quiet.loc[rows].reset_index().set_index("size")


alone = best(runs[runs["is_baseline"]])
together = best(runs)
shown = ["vm", "spot", "saf", "otn", "spot_share", "evictions"]
pd.concat({"without cooperation": alone[shown], "with": together[shown]}, axis=1)

# %% [markdown]
# Take the 2 % row and see how it fills the hosts. `Simulation` runs step by step; `watch_occupancy`
# stops every few hours and adds up.

# %%
chosen = together.loc["2 %"]


def simulation(saf: bool, otn: int, workload: cospot.Workload = workload) -> cospot.Simulation:
    """The chosen policies, in the chosen datacenter."""
    return cospot.Simulation(
        workload,
        hosts=int(chosen["hosts"]),
        host=HOST,
        vm=chosen["vm"],
        spot=chosen["spot"],
        evictor=chosen["evictor"],
        saf=saf,
        otn=otn,
    )


watched = simulation(bool(chosen["saf"]), int(chosen["otn"]))
host_occupancy(cospot.watch_occupancy(watched, step_hours=3), title="The chosen setting")

# %% [markdown]
# ## Does it hold on another fortnight?
#
# A setting that is best on one trace may be lucky. Try it on data it was not chosen on: another month of
# yours; here, other fortnights of the same zone, in datacenters of their own size.

# %%
def gain_of(seed: int) -> dict[str, float]:
    """Gain and rejected VMs of the chosen setting on another draw."""
    other = cospot.Workload.generate("azure2020", seed=seed, scale=0.006)
    hosts = cospot.size(other, host=HOST, vm=chosen["vm"], headroom_percent=2).hosts
    run = {"hosts": hosts, "host": HOST, "vm": chosen["vm"], "spot": chosen["spot"],
           "evictor": chosen["evictor"]}  # fmt: skip
    before = cospot.simulate(other, **run)
    after = cospot.simulate(other, saf=bool(chosen["saf"]), otn=int(chosen["otn"]), **run)
    return {
        "gain %": 100 * (after.spot_revenue / before.spot_revenue - 1),
        "evictions before": before.evictions,
        "after": after.evictions,
        "VMs rejected": after.vm_rejected,
    }


others = pd.DataFrame({seed: gain_of(seed) for seed in range(10, 15)}).T
others.rename_axis("seed").round(1)

# %% [markdown]
# ## The setting, to keep
#
# Every run can be repeated from its configuration; this is the chosen one's, as a scenario for
# `cospot run`.

# %%
configuration = results.configuration(int(chosen["run_index"]))

print(f"""\
workloads: {configuration["workloads"]}
host: {{vcpus: {configuration["host"]["vcpus"]}, memory_mb: {configuration["host"]["memory_mb"]}}}
hosts: {configuration["hosts"]}
vm: {configuration["vm"]}
spot: {configuration["spot"]}
evictor: {configuration["evictor"]}
saf: {"on" if configuration["saf"] else "off"}
otn: {configuration["otn"]}""")

# %% [markdown]
# `cospot report results.db` makes a page of all this that you can filter and send around. None of the
# built-in policies quite right? [Write your own](3_a_policy_in_python.ipynb).

# %% [check]
assert len(runs) == 3 * 3 * 2 * 2 * 6
assert results.missing == 0
assert len(requests) == len(workload)
by_otn = runs[~runs["saf"]].groupby("otn")["gain"].mean()
assert by_otn.is_monotonic_increasing
assert by_otn.loc[1] == 0
# The notebook's own run of the chosen setting is the sweep's.
watched.run()
assert watched.result().spot_revenue == chosen["spot_revenue"]
assert (together["spot_share"] > alone["spot_share"]).loc["2 %"]
assert front["vm_loss"].is_monotonic_increasing
assert front["spot_share"].is_monotonic_increasing
assert others["gain %"].mean() > 0
