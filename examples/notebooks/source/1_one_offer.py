# %% [markdown]
# # One offer
#
# A provider sells idle capacity as **spots**, and evicts them when a regular **VM** needs the room.
# Which spots go depends on the host the VM gets, and most of the time the VM does not care: its second
# or third best host would do as well. This notebook builds a small datacenter, composes the two sides
# that decide, and watches them agree on one host.
#
# The words: a *chain* is a list of filters and weighers that ranks hosts for a request, as in
# OpenStack Nova. The *VM chain* ranks hosts for VMs and the *spot chain* for spots. The *offer* is the
# VM chain's first *N* hosts (*OTN*, offer top N). The *evictor* plans which spots would have to leave
# an offered host.

# %%
import cospot
from cospot.plots import offered_hosts

# %% [markdown]
# ## Six hosts, half full
#
# Each host has 32 vCPUs and 128 GiB. A `Datacenter` knows the hosts and which instance runs where.
# Instances are numbers here: VMs from 0, spots from 100, the oldest first.

# %%
GIB = 1024  # MiB

datacenter = cospot.Datacenter(cospot.HostTable.uniform(6, (32, 128 * GIB)))

vms = [(0, 16), (0, 12), (1, 12), (1, 8), (2, 18), (3, 16), (4, 8)]  # host, vCPUs
spots = [(1, 4), (2, 8), (1, 4), (2, 2), (3, 4), (1, 4), (4, 8)]

for number, (host, vcpus) in enumerate(vms):
    datacenter.add_vm(host, cospot.Request(vcpus, vcpus * 3 * GIB, instance=number))
for number, (host, vcpus) in enumerate(spots, start=100):
    request = cospot.Request(vcpus, vcpus * 2 * GIB, spot=True, instance=number, time_us=number)
    datacenter.add_spot(host, request)

offered_hosts(datacenter, title="Seven VMs and seven spots")

# %% [markdown]
# ## Two chains
#
# For VMs we take `UTIL`, best fit on cores: the host whose VMs use the most vCPUs ranks first. For
# spots `vmaDPD`: keep away from hosts with VMs, where a later VM might evict, then balance vCPUs and
# memory.

# %%
vm_chain = cospot.Chain(["UTIL"])
spot_chain = cospot.Chain(["vmaDPD"])

# %% [markdown]
# Any policy could stand there, Nova's own weighers among them, several with multipliers too:
# `Chain([("RAMWeigher", 1.0), ("CPUWeigher", 0.5)])`. These are compiled:

# %%
for policy in cospot.list_weighers():
    print(f"{policy.name:15} {policy.summary}")

# %% [markdown]
# ## A spot arrives
#
# It simply gets the first host of the spot chain's ranking that has room for it. Here that is host-5,
# the only one without a VM.

# %%
spot = cospot.Request(6, 12 * GIB, spot=True, instance=107, time_us=107)
ranked = spot_chain.rank(datacenter.hosts, spot)
datacenter.add_spot(ranked[0], spot)

[datacenter.hosts.names[row] for row in ranked]

# %% [markdown]
# ## A VM asks for room
#
# It needs 12 vCPUs and 36 GiB. The VM chain looks at hosts with room *beside their VMs*: spots can be
# evicted, so they do not count. Host-0 is out. This is the ranking, the best host first:

# %%
import pandas as pd

vm = cospot.Request(12, 36 * GIB, instance=50, time_us=200)


def ranking(saf: bool = False) -> pd.DataFrame:
    """The VM chain's ranking for the VM, and what the hosts could take."""
    hosts = datacenter.hosts
    rows, _, weights = vm_chain.weigh(hosts, vm, saf=saf)
    return pd.DataFrame(
        {
            "host": [hosts.names[row] for row in rows],
            "weight: vCPUs of VMs": weights,
            "free beside VMs": hosts.vcpus_free_ignoring_spots[rows],
            "free beside VMs and spots": hosts.vcpus_free[rows],
        },
        index=pd.RangeIndex(1, len(rows) + 1, name="rank"),
    )


ranking()

# %% [markdown]
# ## Without cooperation: OTN 1
#
# The VM side names its first host and that is that. The spot side can only say which spots must go.
# `make_offer` is what the VM side sends and `choose` what the spot side answers; both are plain values
# that could travel between two processes.

# %%
def in_words(choice: cospot.Choice) -> str:
    name = datacenter.hosts.names[choice.host]
    spots = ", ".join(map(str, choice.victims))
    return f"to {name}, evicting spots {spots}" if spots else f"to {name}, evicting nothing"


offer_1 = cospot.make_offer(vm_chain, datacenter.hosts, vm, otn=1)
choice_1 = cospot.choose(offer_1, "FIFO", datacenter)

print(in_words(choice_1))
offered_hosts(datacenter, offer_1, choice_1, title="OTN 1")

# %% [markdown]
# The dashed box is the VM on top of all that the host holds. It rises above the host's frame, so spots
# must go: the evictor, `FIFO`, takes the oldest first until there is room.
#
# ## With cooperation: a longer offer
#
# Now the VM side offers its first two hosts. The evictor plans for each, and the host whose plan costs
# least wins (`FIFO` counts victims); ties go to the better rank.

# %%
offer_2 = cospot.make_offer(vm_chain, datacenter.hosts, vm, otn=2)
choice_2 = cospot.choose(offer_2, "FIFO", datacenter)

print(in_words(choice_2))
offered_hosts(datacenter, offer_2, choice_2, title="OTN 2")

# %% [markdown]
# One eviction instead of three. With a third host there is room without any:

# %%
offer_3 = cospot.make_offer(vm_chain, datacenter.hosts, vm, otn=3)
choice_3 = cospot.choose(offer_3, "FIFO", datacenter)

print(in_words(choice_3))
offered_hosts(datacenter, offer_3, choice_3, title="OTN 3")

# %% [markdown]
# That is the price of cooperation: the VM is on its third-best host, one with fewer VMs. VMs end up
# packed a little less tightly, and in a datacenter without a spare host a later VM may find no room.
#
# ## Or let the VM side look first: SAF
#
# The *spot-avoiding filter* ranks hosts that fit the VM beside all their spots before every other. Even
# with OTN 1 the VM then goes where nothing is evicted, if there is such a host.

# %%
ranking(saf=True)

# %%
offer_saf = cospot.make_offer(vm_chain, datacenter.hosts, vm, otn=1, saf=True)
choice_saf = cospot.choose(offer_saf, "FIFO", datacenter)

in_words(choice_saf)

# %% [markdown]
# ## Commit
#
# Nothing has happened yet. `commit` evicts and places, but only if the host is still as it was when it
# was offered: every host has a *generation*, and an old one is declined.

# %%
first = datacenter.commit(choice_2, vm)
again = datacenter.commit(choice_1, cospot.Request(12, 36 * GIB, instance=51, time_us=201))
stale = datacenter.commit(choice_2, cospot.Request(12, 36 * GIB, instance=52, time_us=202))

print(f"choice 2: {first}   choice 1, another host: {again}   choice 2 once more: {stale}")
offered_hosts(datacenter, title="After two commits")

# %% [markdown]
# ## Where to go from here
#
# One VM, four settings, three outcomes. Whether a longer offer or the filter pays over a whole history
# of requests, and what it costs the VMs, is the subject of the [next notebook](2_your_own_trace.ipynb).
# All rules, ties included, are in [docs/semantics.md](../../docs/semantics.md).

# %% [check]
# The sums: FIFO needs 12 vCPUs on host-1 (20 of VMs, 12 of spots: three of 4 go), on host-2 (18 and
# 10, 4 free: the oldest, of 8, is enough); host-3 (16 and 4) has 12 free.
assert [datacenter.hosts.names[row] for row, _ in offer_3.hosts] == ["host-1", "host-2", "host-3"]
assert (choice_1.host, choice_1.victims) == (1, (100, 102, 105))
assert (choice_2.host, choice_2.victims) == (2, (101,))
assert (choice_3.host, choice_3.victims) == (3, ())
assert (choice_saf.host, choice_saf.victims) == (3, ())
assert (first, again, stale) == (True, True, False)
assert datacenter.hosts.num_spots.tolist() == [0, 0, 1, 1, 1, 1]
assert datacenter.hosts.vcpus_free.tolist() == [4, 0, 0, 12, 16, 26]
