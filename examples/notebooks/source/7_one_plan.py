# %% [markdown]
# # One plan: what to sell of idle capacity, and what may be promised
#
# A history, hosts and a price list go in; a decision comes out, with the money it earned on time that played no
# part in it ([docs/plan.md](../../docs/plan.md)). All that can be sold runs together in one simulation: Economy
# instances, spots with a promised lifetime, and plain spots, beside the VMs.

# %%
import tempfile
from pathlib import Path

import cospot
import matplotlib.pyplot as plt
import pandas as pd

# %% [markdown]
# ## 1. History, hosts, prices
#
# Put the path of your own history there ([docs/workload-format.md](../../docs/workload-format.md)), and what
# your hosts have. Here it is a synthetic fortnight of a cloud zone, in the units of its model, on 2 % more hosts
# than its VMs need. Prices are those of a vCPU-hour.

# %%
folder = Path(tempfile.mkdtemp(prefix="cospot-"))
HISTORY = folder / "requests.csv.gz"
HOST = (10400, 2250)
PRICES = {"on_demand": 0.04, "spot": 0.012, "economy": 0.02, "currency": "EUR"}

cospot.Workload.generate("azure2020", seed=1, scale=0.004).save(HISTORY)

# %% [markdown]
# ## 2. Plan
#
# The history is cut into seven parts. Each from the third on is judged by what the parts before it chose. Leave out
# the lists of candidates to choose from all policies.

# %%
CANDIDATES = {"vm": ["COS"], "spot": ["sDPD", "vmaCOS"], "evictor": ["YJF"], "otn": [1, 8]}
plan = cospot.plan(HISTORY, price=PRICES, host=HOST, **CANDIDATES)

print(plan)

# %% [markdown]
# ## 3. The alternatives, on the same future

# %%
plan.table.drop(columns="most_vm_loss").round(4)

# %% [markdown]
# What each division of idle capacity would have earned a day, over the whole history:

# %%
pd.DataFrame(
    {
        "Economy %": one.setting.division.economy_percent,
        "confidence": one.setting.division.confidence,
        "Economy": one.economy_per_day,
        "spots": one.spots_per_day,
        "net": one.net_per_day,
        "evicted": one.economy_promises.broken if one.economy_promises else 0,
    }
    for one in plan.divisions
).round(2)

# %% [markdown]
# ## 4. How the capacity was used, part by part
#
# The advice, in the parts that judged it.

# %%
advised = next(one for one in plan.alternatives if one.name == plan.advised)
shares = pd.DataFrame([vars(part.sold) for part in advised.judged])
shares.index = [f"part {part.part}" for part in advised.judged]

figure, axes = plt.subplots(figsize=(9, 3.5))
labels, colors = ["VMs", "Economy", "spots", "idle"], ["C0", "C2", "C1", "0.9"]
axes.stackplot(shares.index, *(100 * shares[name] for name in shares), labels=labels, colors=colors)
axes.set(ylabel="% of the vCPU-hours", ylim=(0, 100))
axes.margins(x=0)
axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# ## 5. Which lifetimes may be promised
#
# A class is sold once its whole interval of broken promises lies below what it allows. Few promises have a wide interval:
# a short history sells little.

# %%
classes = pd.DataFrame(
    {
        "lives at least (h)": one.hours,
        "with": one.probability,
        "promised": one.promised,
        "tested": one.promises.tested if one.promises else 0,
        "broken": one.promises.broken if one.promises else 0,
        "verdict": one.promises.verdict if one.promises else "not proven before",
        "sell": one.sell,
    }
    for one in plan.classes
)
classes

# %% [markdown]
# ## 6. What would change the decision
#
# Other prices and other numbers of hosts. If you know how much of your spots would be bought at other prices, say so in
# a file: each of its rows is simulated with that share of the requests.

# %%
DEMAND = folder / "demand.csv"
DEMAND.write_text("spot_price,share\n0.008,1\n0.012,1\n0.016,0.8\n0.024,0.4\n")
with_demand = cospot.plan(HISTORY, price=PRICES, host=HOST, demand=DEMAND, **CANDIDATES)

changes = pd.DataFrame(
    {"if": one.what, "net_per_day": one.net_per_day, "VM loss": one.most_vm_loss, "then": one.setting}
    for one in with_demand.sensitivity
)
changes.set_index("if").round(4)

# %%
figure, axes = plt.subplots(figsize=(9, 4))
changes.set_index("if")["net_per_day"][::-1].plot.barh(ax=axes, color="C1")
axes.set(xlabel="EUR a day, net of lost VMs", ylabel="")
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
with_demand.notes[-1]

# %% [markdown]
# ## 7. Hand it over
#
# The same on the command line writes a study file that `cospot compare` runs again, and one page to hand on:
#
# ```sh
# cospot plan requests.csv.gz --host 10400,2250 --price on-demand=0.04,spot=0.012,economy=0.02,currency=EUR \
#   --demand demand.csv -o plan.yaml --report plan.html
# ```
#
# `cospot-nova plan apply plan.yaml --dry-run` prints it as configuration of Nova
# ([docs/nova/selling.md](../../docs/nova/selling.md#plan)).

# %% [check]
nets = {one.name: one.net_per_day.mean for one in plan.alternatives}
assert set(nets) >= {"sell nothing", "cooperating spots", "the plan", "known afterwards"}
assert plan.next_best in nets and plan.advised in nets
assert abs(plan.lead_per_day.mean - (nets[plan.advised] - nets[plan.next_best])) < 1e-6
assert ((shares.sum(axis=1) - 1).abs() < 1e-9).all()
assert (classes["broken"] <= classes["tested"]).all()
assert not (classes["sell"] & (classes["verdict"] != "kept")).any()
by_change = changes.set_index("if")["net_per_day"]
assert abs(by_change["spot price 0.012, bought by 100%"] / by_change["as advised"] - 1) < 1e-9
assert by_change["spot price 0.008, bought by 100%"] < by_change["as advised"]
