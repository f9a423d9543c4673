# %% [markdown]
# # What is idle capacity worth?
#
# Idle servers can be sold, at a discount, because they may be taken back. How large must the discount
# be? A customer saves checkpoints and, when a server is **revoked**, repeats what was not saved. The
# rarer revocations are, the less time is lost, and the more the server is worth.
#
# This notebook takes a log of batch jobs, finds when servers were idle, and cuts them into classes
# with a guaranteed **time to revocation** (MTTR), as in Shastri et al., "Transient guarantees".

# %%
import tempfile
from pathlib import Path

import cospot
import numpy as np
import pandas as pd
from cospot import classes
from matplotlib import pyplot

# %% [markdown]
# ## A cluster with a daily rhythm
#
# Any log will do: SWF files of the Parallel Workloads Archive, a CSV, cospot's own workloads. Here 60
# days of made-up jobs: more by day than by night, some minutes and some hours long.

# %%
random = np.random.default_rng(1)
arrivals = np.sort(random.uniform(0, 60, 24_000))
busy = random.uniform(0, 1, len(arrivals)) < 0.5 + 0.4 * np.sin(2 * np.pi * arrivals)
jobs = pd.DataFrame(
    {
        "submission_s": (86_400 * arrivals[busy]).round().astype(int),
        "duration_s": random.lognormal(8.5, 1.2, busy.sum()).round().astype(int) + 60,
    }
)
folder = tempfile.TemporaryDirectory()
log = Path(folder.name) / "jobs.csv"
jobs.to_csv(log, index=False)
jobs.head(3)

# %% [markdown]
# ## When are servers idle?
#
# Jobs take servers in the order of their rank: with *k* jobs the ranks 1 to *k* are busy. So a high
# rank is idle almost always, and is revoked only at peaks. Idle periods of less than 10 minutes are
# of no use.

# %%
part = {"from_day": 5}
table = classes.servers(log, **part)
figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 3.2), layout="constrained")
left.semilogy(table["rank"], table["mttr_hours"])
left.set(xlabel="rank", title="time to revocation, hours")
right.plot(table["rank"], 100 * table["performance"])
right.set(xlabel="rank", title="useful time with checkpoints of 10 minutes, %")
pyplot.show()

# %% [markdown]
# ## What a job makes of it
#
# The curve on the right is a formula. A simulated job agrees, where saving is short against the time
# to revocation. Saving too often or too rarely costs more; so does not knowing the MTTR.

# %%
mttr = 24.0
interval = cospot.optimal_interval(10 / 60, mttr)
rows = []
for name, checkpoint in {
    "knows when": "oracle",
    f"every {interval:.1f} h (best)": interval,
    "hourly": "hourly",
    "believes MTTR is 30 min": {"assumed_mttr_hours": 0.5},
}.items():
    run = cospot.simulate_job(50_000, checkpoint, mttr_hours=mttr)
    rows.append((name, run["performance"], run["checkpointing_hours"], run["recomputing_hours"]))
simulated = pd.DataFrame(
    rows, columns=["checkpoints", "performance", "saving (h)", "repeating (h)"]
)
simulated.round(3)

# %%
formula = cospot.transient_performance(10 / 60, mttr, interval)
print(f"formula {formula:.4f}, simulated {simulated['performance'][1]:.4f}")

# %% [markdown]
# ## Which classes, at what price?
#
# One class for all servers undersells the calm ones. A class for each would be best, but nobody wants
# a hundred classes. A few come close, above all where the cuts are chosen well.

# %%
priced = cospot.price_classes(log, classes=[1, 2, 4, 8], partition=["equal", "optimal"], **part)
ways = pd.DataFrame(priced.partitions)[["classes", "partition", "performance", "revenue"]]
ways["of the maximum"] = ways["revenue"] / priced.maximum.revenue
ways.round(3)

# %%
best = next(way for way in priced.partitions if way.classes == 4 and way.partition == "optimal")
offers = pd.DataFrame(best.table)[
    ["idle_servers", "mttr_hours", "mttr_hours_low", "mttr_hours_high", "equilibrium_price", "price"]
]
offers.round(2)

# %% [markdown]
# The **equilibrium price** makes an hour of useful work as dear as on demand; nobody pays more. The
# **price** is what users offer, by a utility curve that falls steeply.
#
# ## Do the promises hold?
#
# Classes are chosen on the past and sold in the future. So choose on the first half of the log and
# judge on the second.

# %%
judged = classes.held_out(
    log, split_day=32, from_day=5, classes=[4], partition=["optimal"], servers=priced.servers
)
judged[["class", "promised_mttr_hours", "measured_mttr_hours", "promised_price", "worth"]].round(2)

# %% [check]
assert abs(formula - simulated["performance"][1]) < 0.02 * formula
assert list(simulated["performance"]) == sorted(simulated["performance"], reverse=True)
assert ways["of the maximum"].max() <= 1 + 1e-12
for _, group in ways.groupby("partition"):
    assert group["revenue"].is_monotonic_increasing
assert len(judged) == 4
folder.cleanup()
