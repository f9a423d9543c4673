#!/usr/bin/env python3
"""Fit the tables of the synthetic workload `azure2020` and write them as C++.

    COSPOT_DATA=/path/to/data python3 scripts/fit_azure2020.py > model.cpp

Reads azure2020-cospot/{bernoulli,batched}/*.csv.gz below COSPOT_DATA: 1 % samples of a Microsoft
Azure zone, released by the CoSpot authors (SoCC'22, CC BY 4.0). Needs NumPy. Deterministic.

What comes from where:
- shares of kinds and flavors, start times, lifetimes: the Bernoulli samples, whose rows are
  almost independent of each other (a batched sample's shares hang on a few large batches);
- batch sizes, spread inside a batch, tenants: the batched samples, where batches are whole.

A batch is a run of requests of one tenant with gaps of at most 120 s. By this rule every batched
sample has 22,710 to 22,714 batches, which shows that it finds the batches the authors sampled.
"""

import csv
import glob
import gzip
import os
import sys

import numpy as np

SECONDS_PER_DAY = 86400.0
BATCH_GAP_S = 120.0
CDF_TOLERANCE = 0.01  # largest error of a fitted lifetime table, as a Kolmogorov-Smirnov distance
MEAN_TOLERANCE = 0.01  # largest error a table's segment may add to its mean, relative
MAX_KNOTS = 40
OWN_LIFETIMES_ROWS = {0: 1500, 1: 250}  # rows a flavor needs to get a table of its own, by class
OWN_SIZES_BATCHES = 150
GIANT_MEMORY = 1000  # flavors that fill most of a host come in batches of their own kind
# Batches too rare to be in a batched sample. The five Bernoulli samples hold 5 % of the requests of
# any batch, so a batch with 10 or more requests in them has about 20 times as many.
HUGE_BATCH = 200
# Memory at which flavors without a table of their own are told apart, by class: large instances
# live longer, and their memory is what fills hosts.
REST_MEMORY = {0: (32, 200), 1: (100,)}
# Bursts: many tenants at once in the same minute (in the zone's busiest minutes dozens of tenants
# start instances). Chosen so that the variance and the maximum of requests per minute of the
# Bernoulli samples come out: share of a class's batches, minutes per kind.
BURSTS = {0: (0.05, 45), 1: (0.08, 8)}
WATCHED_DAYS = 90  # ends were recorded until then
HUGE = 1e9  # stands for "never ends", in seconds

COLUMNS = ("tenant", "vcpus", "memory", "spot", "start", "end", "sample")


def read_samples(folder):
    """Return the rows of all files in `folder` as a dict of arrays; times in seconds."""
    rows = {name: [] for name in COLUMNS}
    for number, path in enumerate(sorted(glob.glob(os.path.join(folder, "*.csv.gz")))):
        with gzip.open(path, "rt") as text:
            reader = csv.reader(text)
            next(reader)
            for _, tenant, cores, ram, spot, start, end in reader:
                values = (tenant, cores, ram, spot, start, end, number)
                for name, value in zip(COLUMNS, values, strict=False):
                    rows[name].append(float(value))
    data = {name: np.array(values) for name, values in rows.items()}
    if not len(data["start"]):
        sys.exit(f"{folder}: no *.csv.gz found; set COSPOT_DATA to the folder of the real data")
    data["start"] = np.round(data["start"] * SECONDS_PER_DAY)  # whole seconds in the original
    data["end"] = data["end"] * SECONDS_PER_DAY
    # Time an instance still lives once it is seen: from its start, or from 0 if it began before.
    data["life"] = np.maximum(data["end"] - np.maximum(data["start"], 0), 0.001)
    data["life"][np.isinf(data["life"])] = HUGE
    data["kind"] = kind_of(data)
    return data


KINDS = (
    ["kVm, 'started less than a day before'", "kVm, '1 to 20 days before'"]
    + ["kVm, '20 to 300 days before'", "kVm, 'more than 300 days before'"]
    + ["kVm, 'weekday, 8 to 16 h'", "kVm, 'weekday, other hours'", "kVm, 'weekend'"]
    + ["kSpot, 'started before'"]
    + [f"kSpot, 'day {day}, {half} half'" for day in range(5) for half in ("first", "second")]
    + ["kSpot, 'day 5 to 8'", "kSpot, 'day 9 to 13'"]
)
WEEKEND_DAYS = (2, 3, 9, 10)  # the four days of the window with the fewest arrivals
VM_INSIDE_KINDS = (4, 5, 6)
FIRST_SPOT_KIND = 7
SPOT_CAMPAIGN_KINDS = tuple(range(8, 18))  # days 0 to 4 hold about three quarters of the spots
SPOT_QUIET_KINDS = (18, 19)


def kind_of(data):
    """Return for every row the index of its kind in KINDS."""
    days = data["start"] / SECONDS_PER_DAY
    day = np.floor(days).astype(int)
    hour = np.floor(days % 1 * 24)
    vm_early = np.select([days >= -1, days >= -20, days >= -300], [0, 1, 2], 3)
    vm_late = np.where(np.isin(day, WEEKEND_DAYS), 6, np.where((hour >= 8) & (hour < 16), 4, 5))
    spot_late = np.select([day < 5, day < 9], [8 + 2 * day + (hour >= 12), 18], 19)
    vm = np.where(days < 0, vm_early, vm_late)
    spot = np.where(days < 0, 7, spot_late)
    return np.where(data["spot"] > 0, spot, vm)


def add_batches(data):
    """Sort the rows by sample, tenant and start; add each row's batch and that batch's size."""
    order = np.lexsort((data["start"], data["tenant"], data["sample"]))
    for name in data:
        data[name] = data[name][order]
    new = np.ones(len(order), bool)
    new[1:] = (
        (np.diff(data["sample"]) != 0)
        | (np.diff(data["tenant"]) != 0)
        | (np.diff(data["start"]) > BATCH_GAP_S)
    )
    data["first"] = new
    data["batch"] = np.cumsum(new) - 1
    data["size"] = np.bincount(data["batch"])[data["batch"]]


def cdf_knots(values):
    """Return knots (share, value) of a piecewise linear distribution close to that of `values`.

    Starts from a line and adds the point of the worst error until the CDF is within CDF_TOLERANCE
    and no segment shifts the mean by more than MEAN_TOLERANCE. "Never" (HUGE) is left out: the
    last share is then less than 1.
    """
    finite = np.sort(values[values < HUGE])
    if not len(finite):
        return [(0.0, 0.0)]
    top = len(finite) / len(values)
    share = (np.arange(len(finite)) + 0.5) / len(values)
    share[0], share[-1] = 0.0, top
    chosen = sorted({0, len(finite) - 1})
    while len(chosen) < MAX_KNOTS and len(chosen) < len(finite):
        fitted = np.interp(share, share[chosen], finite[chosen])
        cdf = np.interp(finite, *strictly_rising(finite[chosen], share[chosen]))
        left = np.searchsorted(finite, finite, "left") / len(values)
        right = np.searchsorted(finite, finite, "right") / len(values)
        error = np.maximum(left - cdf, cdf - right)
        error[chosen] = 0
        worst = int(np.argmax(error))
        if error[worst] <= CDF_TOLERANCE:
            shift = np.add.reduceat(fitted - finite, chosen)
            if np.max(np.abs(shift)) <= MEAN_TOLERANCE * finite.sum():
                break
            segment = int(np.argmax(np.abs(shift)))
            low, high = chosen[segment], (chosen + [len(finite) - 1])[segment + 1]
            if high - low < 2:
                break
            inside = np.abs(fitted[low + 1 : high] - finite[low + 1 : high])
            worst = low + 1 + int(np.argmax(inside))
        if worst in chosen:
            break
        chosen = sorted(chosen + [worst])
    return [(float(share[i]), float(finite[i])) for i in chosen]


def strictly_rising(x, y):
    """Nudge equal x apart so that np.interp reads the last y of a step."""
    return x + np.arange(len(x)) * 1e-9, y


def size_steps(sizes, weights):
    """Return (cumulative share, size) steps; rare sizes are merged with their neighbours."""
    values, place = np.unique(sizes, return_inverse=True)
    counts = np.bincount(place, weights)
    steps, pending = [], []
    requests = (values * counts).sum()
    for value, count in zip(values, counts, strict=False):
        pending.append((value, count))
        mass = sum(c for _, c in pending)
        if count >= 0.02 * counts.sum() or sum(v * c for v, c in pending) >= 0.03 * requests:
            steps.append((mass, sum(v * c for v, c in pending) / mass))
            pending = []
    if pending:
        mass = sum(c for _, c in pending)
        steps.append((mass, sum(v * c for v, c in pending) / mass))
    shares = np.cumsum([mass for mass, _ in steps]) / counts.sum()
    return [(float(share), round(size)) for share, (_, size) in zip(shares, steps, strict=False)]


def mean_size(steps):
    shares = np.diff([0.0] + [share for share, _ in steps])
    return float(sum(share * size for share, (_, size) in zip(shares, steps, strict=False)))


def flavor_ids(datasets):
    """Return the sorted list of (vcpus, memory) and an array of flavor numbers per dataset."""
    pairs = [list(zip(d["vcpus"], d["memory"], strict=True)) for d in datasets]
    flavors = sorted({pair for of_dataset in pairs for pair in of_dataset})
    number = {pair: i for i, pair in enumerate(flavors)}
    for d, of_dataset in zip(datasets, pairs, strict=True):
        d["flavor"] = np.array([number[pair] for pair in of_dataset])
    return flavors


def spread_table(ranks, data, choose):
    """Return quantiles of the half-width w with which ranks spread around their batch's rank.

    Ranks drawn uniformly from [c - w, c + w] have standard deviation w / sqrt(3). Ranks all over
    [0, 1] reach 0.289; w = 1, reflected at 0 and 1, is such a spread.
    """
    widths, weights = [], []
    for batch_rows in np.split(np.arange(len(ranks)), np.flatnonzero(data["first"])[1:]):
        if len(batch_rows) < 2 or not choose(batch_rows[0]):
            continue
        deviation = np.std(ranks[batch_rows], ddof=1)
        widths.append(1.0 if deviation > 0.27 else deviation * 3**0.5)
        weights.append(1)
    return [float(q) for q in np.quantile(widths, np.arange(21) / 20)] if widths else [0.0] * 21


def tenant_population(data, batch_class):
    """Estimate how many tenants of a class have m batches in the whole zone.

    A tenant with m batches shows Poisson(m * 0.05) of them in the five 1 % samples together. EM
    for the mixture over a grid of m; tenants seen not at all are put back at the end.
    """
    grid = np.array([1, 3, 10, 30, 60, 100, 200, 400, 800, 1600])
    tenants = data["tenant"][data["first"]][batch_class]
    _, seen = np.unique(tenants, return_counts=True)
    samples = len(np.unique(data["sample"]))
    rate = grid * 0.01 * samples
    counts, times = np.unique(seen, return_counts=True)
    log_factorial = np.array([np.sum(np.log(np.arange(1, k + 1))) for k in counts])
    log_pmf = np.log(rate)[None, :] * counts[:, None] - rate[None, :] - log_factorial[:, None]
    pmf = np.exp(log_pmf) / (1 - np.exp(-rate))[None, :]
    share = np.full(len(grid), 1 / len(grid))
    for _ in range(3000):
        part = pmf * share
        part /= part.sum(axis=1, keepdims=True)
        share = (part * times[:, None]).sum(axis=0) / times.sum()
    tenants_by_m = share * len(seen) / (1 - np.exp(-rate))
    return [(int(m), round(n)) for m, n in zip(grid, tenants_by_m, strict=False) if n >= 1.5]


def tenant_habits(data, ranks, kinds):
    """Return the chance that a batch follows its tenant's habit, and the spread of its lifetimes.

    Looks at consecutive batches of one tenant in one sample. Two ranks drawn uniformly from
    [c - w, c + w] are 2 w / 3 apart on average, so w is taken as 1.5 times the distance.
    """
    first = np.flatnonzero(data["first"] & np.isin(data["kind"], kinds))
    a, b = first[:-1], first[1:]
    pair = (data["tenant"][a] == data["tenant"][b]) & (data["sample"][a] == data["sample"][b])
    a, b = a[pair], b[pair]
    same = np.mean(data["flavor"][a] == data["flavor"][b])
    _, counts = np.unique(data["flavor"][first], return_counts=True)
    chance = np.sum((counts / counts.sum()) ** 2)
    follow = np.sqrt(max(0.0, (same - chance) / (1 - chance)))
    distance = np.abs(ranks[a] - ranks[b])
    widths = np.minimum(1.5 * distance, 1)
    return float(follow), [float(q) for q in np.quantile(widths, np.arange(21) / 20)]


class Tables:
    """Collects equal tables once and remembers where each begins."""

    def __init__(self):
        self.entries, self.spans = [], []

    def add(self, table):
        for number, (begin, length) in enumerate(self.spans):
            if self.entries[begin : begin + length] == table:
                return number
        self.spans.append((len(self.entries), len(table)))
        self.entries.extend(table)
        return len(self.spans) - 1


def alike_kinds(kind):
    """Kinds whose batch sizes are taken together, having too few batches to be split further."""
    for group in (VM_INSIDE_KINDS, SPOT_CAMPAIGN_KINDS, SPOT_QUIET_KINDS):
        if kind in group:
            return group
    return (kind,)


def life_group(data, kind, own):
    """Label rows by lifetime table: their flavor if it is in `own`, else -1, -2, ... by memory."""
    rest = -1 - np.digitize(data["memory"], REST_MEMORY[int(kind >= FIRST_SPOT_KIND)])
    return np.where(np.isin(data["flavor"], [*own]), data["flavor"], rest)


def fit_lifetimes(kind, bernoulli, batched, lifetimes, ranks):
    """Add the kind's lifetime tables; return {group: table} and the flavors with their own.

    Fills in `ranks` where in its table the lifetime of every batched row of the kind is.
    """
    inside, whole = bernoulli["kind"] == kind, batched["kind"] == kind
    flavors, rows = np.unique(bernoulli["flavor"][inside], return_counts=True)
    least = OWN_LIFETIMES_ROWS[int(kind >= FIRST_SPOT_KIND)]
    own = {flavor for flavor, count in zip(flavors, rows, strict=False) if count >= least}
    group, batched_group = life_group(bernoulli, kind, own), life_group(batched, kind, own)
    tables = {}
    for label in np.unique(group[inside]):
        reference = np.sort(bernoulli["life"][inside & (group == label)])
        tables[label] = lifetimes.add(cdf_knots(reference))
        mine = whole & (batched_group == label)
        below = np.searchsorted(reference, batched["life"][mine], "left")
        upto = np.searchsorted(reference, batched["life"][mine], "right")
        ranks[mine] = (below + upto) / 2 / len(reference)
    return tables, own


def huge_batches(bernoulli):
    """Return (kind, flavor, size) of the batches seen 10 times or more in the Bernoulli samples."""
    keys = np.stack([bernoulli[name] for name in ("kind", "tenant", "flavor", "start")], axis=1)
    keys[:, 3] = np.floor(keys[:, 3] / BATCH_GAP_S)
    found, counts = np.unique(keys, axis=0, return_counts=True)
    seen = counts * 20 >= HUGE_BATCH
    return found[seen, 0], found[seen, 2], counts[seen] * 20


def fit_sizes(kind, batched, huge, sizes):
    """Add the kind's tables of batch sizes.

    Returns {flavor: table}, with None for the other flavors and -1 for other giant ones.
    """
    whole = batched["first"] & np.isin(batched["kind"], alike_kinds(kind))
    whole &= batched["size"] < HUGE_BATCH
    flavors, counts = np.unique(batched["flavor"][whole], return_counts=True)
    own = [flavor for flavor, count in zip(flavors, counts, strict=False)
           if count >= OWN_SIZES_BATCHES]
    huge_kind, huge_flavor, huge_size = huge
    giant = np.unique(batched["flavor"][batched["memory"] >= GIANT_MEMORY])
    others = np.setdiff1d(np.arange(batched["flavor"].max() + 1), [*own, *giant])
    tables = {}
    for key, members in [*((f, [f]) for f in own), (-1, np.setdiff1d(giant, own)), (None, others)]:
        mine = whole & np.isin(batched["flavor"], members)
        rare = np.isin(huge_kind, alike_kinds(kind)) & np.isin(huge_flavor, members)
        if mine.any() or rare.any():
            # The five batched samples hold a batch with chance 5 %, a huge one is known for sure.
            weights = np.concatenate([np.ones(mine.sum()), np.full(rare.sum(), 0.05)])
            values = np.concatenate([batched["size"][mine], huge_size[rare]])
            tables[key] = sizes.add(size_steps(values, weights))
    return tables


def fit_kind(kind, bernoulli, batched, huge, lifetimes, sizes, ranks):
    """Return the kind's batch weight, start knots and cells; fills `ranks` of the batched rows."""
    life_tables, own = fit_lifetimes(kind, bernoulli, batched, lifetimes, ranks)
    size_tables = fit_sizes(kind, batched, huge, sizes)
    mine = bernoulli["kind"] == kind
    # A tenant keeps its flavor at all hours, so the kinds inside the window share their flavors.
    shared = VM_INSIDE_KINDS if kind in VM_INSIDE_KINDS else (kind,)
    pool = np.isin(bernoulli["kind"], shared)
    group = life_group(bernoulli, kind, own)
    cells = []
    for flavor in np.unique(bernoulli["flavor"][pool]):
        match = pool & (bernoulli["flavor"] == flavor)
        label = group[match][0]
        life = life_tables.get(label, next(iter(life_tables.values())))
        giant = bernoulli["memory"][match][0] >= GIANT_MEMORY
        other = size_tables.get(-1 if giant else None, next(iter(size_tables.values())))
        size = size_tables.get(flavor, other)
        begin, length = sizes.spans[size]
        rows = match.sum() * mine.sum() / pool.sum()
        batches = rows / mean_size(sizes.entries[begin : begin + length])
        cells.append((int(flavor), life, size, batches))
    early = kind < VM_INSIDE_KINDS[0] or kind == FIRST_SPOT_KIND
    starts = start_knots(bernoulli["start"][mine], early)
    return sum(cell[3] for cell in cells), starts, cells


def repeat_chance(data, choose):
    """In batches with several lifetimes: chance that a request lives as long as the one before."""
    life = np.maximum(data["life"], 1)
    longest, shortest = np.zeros(data["batch"][-1] + 1), np.full(data["batch"][-1] + 1, np.inf)
    np.maximum.at(longest, data["batch"], life)
    np.minimum.at(shortest, data["batch"], life)
    mixed = (longest > 1.01 * shortest)[data["batch"]]
    later = np.flatnonzero(mixed & choose & ~data["first"])
    alike = np.abs(life[later] - life[later - 1]) <= 0.01 * life[later]
    return float(np.mean(alike))


def start_knots(starts, early):
    """Return (share, seconds): fitted before the window, by the hour inside it."""
    if early:
        return [(share, -seconds) for share, seconds in cdf_knots(-starts)][::-1]
    hours, counts = np.unique(np.floor(starts / 3600), return_counts=True)
    knots, seen = [], 0
    for hour, count in zip(hours, counts, strict=False):
        if not knots or knots[-1][1] != hour * 3600:
            knots.append((seen / len(starts), hour * 3600))
        seen += count
        knots.append((seen / len(starts), (hour + 1) * 3600))
    return knots


def print_list(name, ctype, items, comment):
    print(f"\n/// {comment}")
    print(f"constexpr {ctype} {name}[] = {{")
    line = "   "
    for item in items:
        if len(line) + len(item) + 2 > 100:
            print(line)
            line = "   "
        line += f" {item},"
    print(line)
    print("};")


def print_spans(name, ctype, entries, spans):
    print_list(name, f"std::span<const {ctype}>",
               [f"{{{entries} + {begin}, {length}}}" for begin, length in spans],
               f"The tables in {entries}.")


def number(value):
    """The shortest text with five significant digits."""
    text = f"{value:.5g}"
    if "e" in text:
        text = str(round(float(text)))
    return text


def share_text(share, digits=4):
    return f"{share:.{digits}f}".rstrip("0").rstrip(".") or "0"


def knots_text(entries):
    return [f"{{{share_text(share)}, {number(value)}}}" for share, value in entries]


def cumulative(weights, total=1 << 20):
    sums = np.cumsum(weights)
    return [round(value / sums[-1] * total) for value in sums]


def main():
    root = os.path.join(os.environ.get("COSPOT_DATA", "."), "azure2020-cospot")
    bernoulli = read_samples(os.path.join(root, "bernoulli"))
    batched = read_samples(os.path.join(root, "batched"))
    add_batches(batched)
    flavors = flavor_ids((bernoulli, batched))
    lifetimes, sizes, starts, cells = Tables(), Tables(), Tables(), Tables()
    ranks = np.zeros(len(batched["start"]))
    huge = huge_batches(bernoulli)
    weights = []
    for kind in range(len(KINDS)):
        weight, start, kind_cells = fit_kind(
            kind, bernoulli, batched, huge, lifetimes, sizes, ranks
        )
        weights.append(weight)
        starts.add([(1 - s, v) for s, v in start] if start[0][1] < 0 else start)
        cells.add(kind_cells)  # no two kinds have equal starts or cells, so tables keep their order
    samples = len(np.unique(batched["sample"]))
    print(f"// batches per sample: {batched['first'].sum() / samples}, "
          f"expected from rows: {sum(weights) / samples}", file=sys.stderr)
    write_model(bernoulli, batched, flavors, lifetimes, sizes, starts, cells, ranks, weights)


def write_model(bernoulli, batched, flavors, lifetimes, sizes, starts, cells, ranks, weights):
    samples = len(np.unique(batched["sample"]))
    print("// Generated by scripts/fit_azure2020.py from the CoSpot workload samples (S. Iqbal et")
    print("// al., SoCC'22, https://github.com/DCResourceManage/cospot-socc2022, CC BY 4.0).")
    print("// Do not edit.")
    print("// clang-format off")
    print('#include "sim_harness/data/workloads/azure2020_model.hpp"\n')
    print("namespace cospot {\nnamespace {\n\nusing namespace zone_model;")
    print_list("kFlavors", "ResourceVector",
               [f"{{{int(v)}, {int(m)}, 0}}" for v, m in flavors], "vcpus, memory_mb, disk_gb.")
    print_list("kLifetimes", "Knot", knots_text(lifetimes.entries),
               "Seconds an instance lives from its start, or from 0 if that is later.")
    print_list("kSizes", "SizeStep",
               [f"{{{share_text(share, 7)}, {size}}}" for share, size in sizes.entries],
               "Requests in a batch.")
    print_list("kStarts", "Knot", knots_text(starts.entries), "Seconds.")
    print_spans("kLifetimeTables", "Knot", "kLifetimes", lifetimes.spans)
    print_spans("kSizeTables", "SizeStep", "kSizes", sizes.spans)
    text = []
    for begin, length in cells.spans:
        part = cells.entries[begin : begin + length]
        sums = cumulative([cell[3] for cell in part])
        for (flavor, life, size, _), total in zip(part, sums, strict=False):
            text.append(f"{{{total}, {flavor}, {life}, {size}}}")
    print_list("kCells", "Cell", text,
               "Cumulative weight; indices of the flavor, the lifetime table and the size table.")
    print_minutes(bernoulli)
    print_classes(batched, ranks)
    sums = cumulative(weights)
    print("\nconstexpr Kind kKinds[] = {")
    for kind, label in enumerate(KINDS):
        name, comment = label.split(", ", 1)
        print(f"    {{{sums[kind]}, InstanceClass::{name}, {{kStarts + {starts.spans[kind][0]}, "
              f"{starts.spans[kind][1]}}}, {{kCells + {cells.spans[kind][0]}, "
              f"{cells.spans[kind][1]}}}}},  // {comment.strip(chr(39))}")
    print("};\n\n}  // namespace\n")
    batches = round(batched["first"].sum() / samples * 100)
    print("const ZoneModel& azure2020_model() {")
    print("  static constexpr ZoneModel kModel{")
    print(f"      {batches}, {WATCHED_DAYS}, kFlavors, kLifetimeTables, kSizeTables, kKinds,")
    print("      {kVmHabits, kSpotHabits}};")
    print("  return kModel;\n}\n\n}  // namespace cospot")


def print_minutes(bernoulli):
    inside = bernoulli["start"] >= 0
    for name, flag in (("kVmMinutes", 0), ("kSpotMinutes", 1)):
        rows = inside & (bernoulli["spot"] == flag)
        counts = np.bincount((bernoulli["start"][rows] // 60 % 60).astype(int), minlength=60)
        print_list(name, "std::uint32_t", [str(v) for v in cumulative(counts)],
                   "Cumulative weight of the minutes of an hour.")


def print_classes(batched, ranks):
    """Print per class: tenants, habits, spread inside small and large batches."""
    for name, flag in (("Vm", 0), ("Spot", 1)):
        kinds = [k for k in range(len(KINDS)) if (k >= FIRST_SPOT_KIND) == bool(flag)]
        mine = batched["spot"] == flag
        small = spread_table(ranks, batched, lambda r, m=mine: m[r] and batched["size"][r] < 10)
        large = spread_table(ranks, batched, lambda r, m=mine: m[r] and batched["size"][r] >= 10)
        batch_class = batched["spot"][batched["first"]] == flag
        population = tenant_population(batched, batch_class)
        follow, distance = tenant_habits(batched, ranks, kinds)
        early = float(np.mean(batched["start"][batched["first"]][batch_class] < 0))
        repeat = repeat_chance(batched, mine & (batched["size"] >= 10))
        burst_share, bursts = BURSTS[flag]
        print(name, "follow", follow, "tenants", population, file=sys.stderr)
        print("small", np.round(small, 3), "\nlarge", np.round(large, 3), "\ntenant",
              np.round(distance, 3), file=sys.stderr)
        sums = cumulative([m * n for m, n in population])
        print_list(f"k{name}Tenants", "TenantGroup",
                   [f"{{{s}, {n}}}" for (m, n), s in zip(population, sums, strict=False)],
                   "Cumulative weight of the group's batches, tenants in the group.")
        for part, table in (("SmallSpread", small), ("LargeSpread", large),
                            ("TenantSpread", distance)):
            print_list(f"k{name}{part}", "double", [number(v) for v in table],
                       "Quantiles 0, 5, ... 100 % of the half-width of lifetime ranks.")
        print(f"constexpr ClassHabits k{name}Habits{{{number(follow)}, {number(early)}, "
              f"{burst_share}, {bursts}, k{name}Minutes, k{name}Tenants,\n"
              f"    k{name}SmallSpread, {number(repeat)}, k{name}LargeSpread, "
              f"k{name}TenantSpread}};")


if __name__ == "__main__":
    main()
