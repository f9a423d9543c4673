# %% [markdown]
# # A promise: how much capacity can be sold as Economy
#
# A spot may be evicted at any moment. Some of the capacity that VMs leave unused is unused *all the time*:
# it can be sold with a promise, as **Economy** instances. This notebook goes from a history of usage to
# the quantity that can be promised, and tries the same promises on the past.

# %%
import tempfile
from pathlib import Path

import cospot
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from cospot import economy

# %% [markdown]
# ## 1. A history
#
# One sample a line: when, what the cloud had, what was used
# ([docs/economy.md](../../docs/economy.md)). Put the path of your own there. Here it is a made-up year of a
# cluster with 1,000 vCPUs: a slow trend, a week, and noise.

# %%
folder = Path(tempfile.mkdtemp(prefix="cospot-"))
USAGE = folder / "usage.csv"

random = np.random.default_rng(4)
hours = np.arange(365 * 24)
used = 450 + 80 * hours / hours[-1] + 60 * np.sin(2 * np.pi * hours / (7 * 24))
used += 40 * np.sin(2 * np.pi * hours / 24) + random.normal(0, 20, len(hours))
pd.DataFrame({"time_s": hours * 3600, "capacity": 1000, "used": used.round(2)}).to_csv(
    USAGE, index=False
)

# %% [markdown]
# ## 2. What can be promised from now on
#
# Every day counts with its least slack. `mean` takes the mean of the past and a multiple of its standard
# deviation below it: the more confidence, the less is promised. (`ets` and `arima` follow trends; they need
# statsmodels.)

# %%
SETTINGS = {"training_days": 120, "horizon_days": 60}
plan = economy.plan(USAGE, forecaster="mean", **SETTINGS)

promises = pd.DataFrame(plan["promises"])
promises["availability"] = [past["availability"] for past in promises["backtest"]]
promises[["confidence", "amount", "availability", "theta"]].round(3)

# %% [markdown]
# `availability` is what the same promise had in the past: the share of days on which nothing was missing.
# `theta` compares the profit with that of selling all slack as spots.
#
# ## 3. The same promises, made in the past
#
# At the start of each cycle only the days before it are known.

# %%
past = economy.backtest(USAGE, forecasters=["mean", "minimum", "oracle"], **SETTINGS)
predictions = pd.DataFrame(past["predictions"])

daily = 1 - pd.Series(used).groupby(hours // 24).max() / 1000
figure, axes = plt.subplots(figsize=(9, 3.5))
axes.plot(daily.index, 100 * daily, color="0.3", linewidth=0.8, label="least slack of the day")
for number, prediction in predictions[predictions["forecaster"] == "mean"].iterrows():
    days = [prediction["first_period"], prediction["first_period"] + SETTINGS["horizon_days"]]
    for confidence, style in ((0.5, "-"), (0.9, "--")):
        at = past["confidences"].index(confidence)
        label = f"promised at {confidence}" if number == 0 else None
        axes.plot(days, [100 * prediction["quantities"][at]] * 2, style, color="C0", label=label)
axes.set(xlabel="day", ylabel="% of the capacity", ylim=(0, None))
axes.legend(frameon=False)
plt.show()

# %% [markdown]
# Usage grows here, so the mean of the past promises a little too much at low confidence. The oracle, which
# nobody has, shows how much could have been promised without any shortage.

# %%
trade_offs = pd.DataFrame(past["trade_offs"])
shares = pd.json_normalize(trade_offs["result"])[["quantity", "availability", "wastage"]]
pd.concat([trade_offs[["forecaster", "confidence"]], shares.round(3)], axis=1)

# %% [markdown]
# ## 4. Which price pays
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
assert list(promises["amount"]) == sorted(promises["amount"], reverse=True)
assert (promises["availability"].diff().dropna() >= 0).all()
assert len(predictions) == 12  # 4 cycles of 3 forecasters
oracle = trade_offs[trade_offs["forecaster"] == "oracle"]
assert all(result["availability"] == 1 for result in oracle["result"])
assert runs[runs["price"] == 0.3]["theta"].max() < 1 < runs[runs["price"] == 1]["theta"].min()
