# %% [markdown]
# # Consume: a customer's jobs on spot instances
#
# The customer's side of the spot market. First many jobs on many markets: which bid, which fault tolerance
# ([docs/broker.md](../../docs/broker.md))? Then one job with a deadline: what to run when
# ([docs/deadline.md](../../docs/deadline.md))?

# %%
import tempfile
from pathlib import Path

import cospot

folder = Path(tempfile.mkdtemp(prefix="cospot-"))

# %% [markdown]
# ## 1. Many jobs, 20 markets
#
# Synthetic prices of five types in four zones, and 2,000 jobs of a grid over two days. Put your own price
# history (`prices: FILE`) and job log (`swf: FILE`) there. Three seeds: three starts in the price history.

# %%
BROKER = folder / "broker.yaml"
BROKER.write_text("""
study: broker
market: {synthetic: us_east_2011, seed: 1, days: 40}
jobs: {synthetic: grid, count: 2000, days: 2}
bid: [minimum, mean, on_demand]
alpha: [2, 8]
fault_tolerance: [none, checkpoint, migration, duplication]
seed: [1, 2, 3]
""")

runs = cospot.load_results(cospot.sweep(BROKER, db=folder / "broker.db")).runs

len(runs)

# %% [markdown]
# What a job that met its deadline cost, mean of the seeds. Duplication pays for everything twice; low bids
# want a mechanism that keeps work.

# %%
per_job = runs[runs.alpha == 2].pivot_table(
    "cost_per_useful_job", "fault_tolerance", "bid", observed=True
)
per_job.round(5)

# %%
per_job.plot.bar(ylabel="USD per useful job", rot=0);

# %% [markdown]
# Where the paid hours went: they are useful, lost, overhead or idle, exactly.

# %%
parts = ["hours_useful", "hours_lost", "hours_overhead", "hours_idle"]
hours = runs[runs.alpha == 2].groupby(["fault_tolerance", "bid"], observed=True)
hours[["hours_paid", *parts]].mean().round(1)

# %% [markdown]
# `cospot broker recommend broker.yaml` chooses: the cheapest with no more late jobs than on-demand has.
#
# ## 2. One job with a deadline
#
# 48 hours of work, on spots that come and go. **Uniform Progress** keeps up with the time gone. **quoted**
# learns from the trace, up to now, how long spots live and how long there are none. **optimal** knows the
# future.

# %%
DEADLINE = folder / "deadline.yaml"
DEADLINE.write_text("""
study: deadline
trace:
  - {synthetic: bursty, seed: 31, days: 24}
  - {synthetic: regimes, seed: 32, days: 24}
  - {synthetic: scarce, seed: 33, days: 24}
deadline_hours: [52, 60, 70, 92]
start_hours: 336
""")

deadline = cospot.load_results(cospot.sweep(DEADLINE, db=folder / "deadline.db")).runs
deadline = deadline[deadline.strategy != "spot_only"]
cost = deadline.pivot_table("cost", "deadline_hours", "strategy", observed=True)
cost.round(1)

# %%
cost.plot(marker="o", ylabel="USD, mean of the traces");

# %% [markdown]
# Nobody is late: whatever a strategy chooses, on-demand runs when nothing else would still be in time.

# %% [check]
parts_sum = runs[parts].sum(axis=1)
assert len(runs) == 3 * 2 * 4 * 3
assert ((runs.hours_paid - parts_sum).abs() < 1e-6).all()
assert (per_job.loc["duplication"] > per_job.loc["none"]).all()
assert deadline.met_deadline.astype(bool).all()
mean = cost.mean()
assert mean["optimal"] <= mean["quoted"] < mean["uniform_progress"] < mean["on_demand"]
