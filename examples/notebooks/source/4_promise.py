# %% [markdown]
# # Two promises: how long a spot lives, and how much can be sold as Economy
#
# A spot may be evicted at any moment. From what a cloud did, two things can be promised all the same. To one
# customer, now: *with 95 % probability your spot lives at least three hours*
# ([docs/lifetime-sla.md](../../docs/lifetime-sla.md)). To a class of instances, for months: some of the capacity that
# VMs leave unused is unused *all the time*; it can be sold as **Economy**
# ([docs/economy.md](../../docs/economy.md)). This notebook makes both promises and tries them on time that
# they have not seen.

# %%
import tempfile
import warnings
from pathlib import Path

import cospot
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from cospot import economy, sla

# %% [markdown]
# ## 1. A history of requests
#
# When VMs and spots came, how large they were, and how long they ran
# ([docs/workload-format.md](../../docs/workload-format.md)). Put the path of your own there. Here it is made up:
# ten days of VMs and spots of 1, 2 and 4 vCPUs for 8 hosts of 16.

# %%
folder = Path(tempfile.mkdtemp(prefix="cospot-"))
REQUESTS = folder / "requests.csv"

random = np.random.default_rng(4)


def requests(name, kind, gap, mu):
    start = np.cumsum(random.exponential(gap, int(10 * 86400 / gap)))
    return pd.DataFrame(
        {
            "instance_id": [f"{name}-{number}" for number in range(len(start))],
            "tenant_id": name,
            "class": kind,
            "vcpus": random.choice([1, 2, 4], len(start), p=[0.6, 0.3, 0.1]),
            "memory_mb": 1,
            "start_s": start.round(),
            "end_s": (start + random.lognormal(mu, 1.5, len(start)) + 1).round(),
        }
    )


history = pd.concat([requests("shop", "vm", 80, 7.4), requests("batch", "spot", 120, 6.6)])
history.sort_values("start_s").to_csv(REQUESTS, index=False)
history.groupby("class")["vcpus"].agg(["count", "mean"]).round(2)

# %% [markdown]
# ## 2. A quote: how long would a spot live that starts now?
#
# The requests are placed on the hosts. Into that record 10,000 fictitious spots of each size are put, and
# followed until a VM evicts them.

# %%
SLA = folder / "sla.yaml"
SLA.write_text("""
study: sla
workloads: requests.csv
spot_workloads: same
host: {vcpus: 16}
hosts: 8
target: [none, 0.25, 0.1, 0.05, 0.01]
spot_delay_hours: 0
""")
warnings.simplefilter("ignore", cospot.WorkloadWarning)  # 1 % of the VMs find no host
quotes = sla.quote(SLA, at_hours=216)

percent = [f"{100 * (1 - evicted):g} % live (h)" for evicted in quotes.evicted]
rows = [
    [size.vcpus, size.slots_now] + [(life or 0) / 3600 for life in size.lives_at_least_s]
    for size in quotes.sizes
]
pd.DataFrame(rows, columns=["vcpus", "fit now", *percent]).round(2)

# %% [markdown]
# What can be promised depends on how full the cloud is: the more slots are free, the longer.

# %%
smallest = quotes.sizes[0]
figure, axes = plt.subplots(figsize=(9, 3.5))
for evicted, lives in zip(quotes.evicted, smallest.quantiles_s, strict=True):
    hours = np.array(lives, dtype=float) / 3600  # beyond the history: infinity, not drawn
    axes.plot(smallest.slots, hours, label=f"{100 * (1 - evicted):g} % live longer")
axes.axvline(smallest.slots_now, color="0.7", linestyle=":", label="free now")
axes.set(xlabel="free slots of 1 vCPU", ylabel="hours", yscale="log")
axes.legend(frameon=False)
plt.show()

# %% [markdown]
# ## 3. Are such promises kept?
#
# The study `sla` admits a spot only if its lifetime can be promised, every 6 hours with a new estimate from
# what has happened so far. `none` admits every spot that fits.

# %%
lives = cospot.load_results(cospot.sweep(SLA, db=folder / "sla.db")).runs
lives["admitted"] = lives["spot_admitted"] / lives["spot_requests"]
lives["evicted"] = lives["evictions"] / lives["spot_admitted"]
lives.set_index("target")[["admitted", "evicted"]].round(3)

# %% [markdown]
# ## 4. How much can be sold as Economy
#
# For this the history is one of usage: one sample a line, when, what the cloud had, what was used. Here it is
# a made-up year of a cluster with 1,000 vCPUs: a slow trend, a week, and noise.

# %%
USAGE = folder / "usage.csv"

hours = np.arange(365 * 24)
used = 450 + 80 * hours / hours[-1] + 60 * np.sin(2 * np.pi * hours / (7 * 24))
used += 40 * np.sin(2 * np.pi * hours / 24) + random.normal(0, 20, len(hours))
pd.DataFrame({"time_s": hours * 3600, "capacity": 1000, "used": used.round(2)}).to_csv(
    USAGE, index=False
)

# %% [markdown]
# ## 5. What can be promised from now on
#
# Every day counts with its least slack. `mean` takes the mean of the past and a multiple of its standard
# deviation below it: the more confidence, the less is promised. (`ets` and `arima` follow trends; they need
# statsmodels.)

# %%
# cospot warns of usage that grows; what comes of it is seen below.
warnings.filterwarnings("ignore", ".*use grows", cospot.WorkloadWarning)
SETTINGS = {"training_days": 120, "horizon_days": 60}
plan = economy.plan(USAGE, forecaster="mean", **SETTINGS)

promises = pd.DataFrame(plan.promises)
promises["availability"] = [past["availability"] for past in promises["backtest"]]
promises[["confidence", "amount", "availability", "theta"]].round(3)

# %% [markdown]
# `availability` is what the same promise had in the past: the share of days on which nothing was missing.
# `theta` compares the profit with that of selling all slack as spots.
#
# ## 6. The same promises, made in the past
#
# At the start of each cycle only the days before it are known.

# %%
past = economy.backtest(USAGE, forecasters=["mean", "minimum", "oracle"], **SETTINGS)
predictions = pd.DataFrame(past.predictions)

daily = 1 - pd.Series(used).groupby(hours // 24).max() / 1000
figure, axes = plt.subplots(figsize=(9, 3.5))
axes.plot(daily.index, 100 * daily, color="0.3", linewidth=0.8, label="least slack of the day")
for number, prediction in predictions[predictions["forecaster"] == "mean"].iterrows():
    days = [prediction["first_period"], prediction["first_period"] + SETTINGS["horizon_days"]]
    for confidence, style in ((0.5, "-"), (0.9, "--")):
        at = past.confidences.index(confidence)
        label = f"promised at {confidence}" if number == 0 else None
        axes.plot(days, [100 * prediction["quantities"][at]] * 2, style, color="C0", label=label)
axes.set(xlabel="day", ylabel="% of the capacity", ylim=(0, None))
axes.legend(frameon=False)
plt.show()

# %% [markdown]
# Usage grows here, so the mean of the past promises a little too much at low confidence. The oracle, which
# nobody has, shows how much could have been promised without any shortage.

# %%
trade_offs = pd.DataFrame(past.trade_offs)
shares = pd.json_normalize(trade_offs["result"])[["quantity", "availability", "wastage"]]
pd.concat([trade_offs[["forecaster", "confidence"]], shares.round(3)], axis=1)

# %% [markdown]
# ## 7. Which price pays
#
# The study `economy` runs the whole grid, as `cospot compare` runs any study.

# %%
STUDY = folder / "economy.yaml"
STUDY.write_text("""
study: economy
usage: usage.csv
training_days: 120
horizon_days: 60
forecaster: [mean, minimum]
confidence: [0.5, 0.7, 0.9]
price: [0.3, 0.5, 0.7, 1]
""")
runs = cospot.load_results(cospot.sweep(STUDY, db=folder / "results.db")).runs

runs.pivot_table(index=["forecaster", "confidence"], columns="price", values="theta").round(2)

# %% [check]
by_target = lives.set_index("target")
for target in ("0.25", "0.1", "0.05", "0.01"):
    assert by_target.loc[target, "evicted"] <= float(target)
assert by_target.loc["none", "evicted"] > 0.1
order = ["none", "0.25", "0.1", "0.05", "0.01"]
assert (by_target.loc[order, "admitted"].diff().dropna() < 0).all()
for size in quotes.sizes:
    known = [life or 0 for life in size.lives_at_least_s]
    assert known == sorted(known, reverse=True)
assert list(promises["amount"]) == sorted(promises["amount"], reverse=True)
assert (promises["availability"].diff().dropna() >= 0).all()
assert len(predictions) == 12  # 4 cycles of 3 forecasters
oracle = trade_offs[trade_offs["forecaster"] == "oracle"]
assert all(result["availability"] == 1 for result in oracle["result"])
assert runs[runs["price"] == 0.3]["theta"].max() < 1 < runs[runs["price"] == 1]["theta"].min()
