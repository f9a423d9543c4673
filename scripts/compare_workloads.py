#!/usr/bin/env python3
"""Compare two sets of workload files, distribution by distribution.

    python3 scripts/compare_workloads.py --real REAL.csv.gz... --synthetic MADE.csv.gz...

Prints two tables. "Distances" compares files in pairs: every two real ones (what chance does),
then every real one with every synthetic one. 0 is equal; KS is the two-sample Kolmogorov-Smirnov
distance, TV the total variation distance (half the sum of the differences of shares), and a
curve's distance is the mean difference over the hours as a share of the mean. "Levels" gives
each set's mean and, in brackets, its least and greatest file. Standard library only.
"""

import argparse
import csv
import gzip
import itertools
import math
import statistics
from collections import Counter, defaultdict

DAYS = 14
BATCH_GAP_DAYS = 120 / 86400
NEVER = math.inf


class Workload:
    """The columns of one file, in days; `inf` for an instance that never ended."""

    def __init__(self, path):
        opener = gzip.open if path.endswith(".gz") else open
        self.rows = []
        with opener(path, "rt", newline="") as text:
            # What a file says of itself stands before its header line.
            for row in csv.DictReader(line for line in text if not line.startswith("#")):
                self.rows.append(read_row(row))
        self.batches = find_batches(self.rows)

    def values(self, spot, early, of):
        return [of(r) for r in self.rows if r[3] == spot and (r[4] < 0) == early]

    def use(self, spot, amount):
        """The vcpus (amount=1) or memory (2) in use at the beginning of each hour."""
        steps = [0.0] * (DAYS * 24 + 1)
        for row in self.rows:
            if row[3] != spot:
                continue
            begin = max(0, math.ceil(row[4] * 24))
            end = min(DAYS * 24, math.ceil(row[5] * 24)) if row[5] < NEVER else DAYS * 24
            if begin < end:
                steps[begin] += row[amount]
                steps[end] -= row[amount]
        return list(itertools.accumulate(steps[:-1]))


def read_row(row):
    """(tenant, vcpus, memory, is spot, start, end); the CoSpot release's schema or cospot's."""
    if "vmTypeId" in row:
        return (row["tenantId"], float(row["cores"]), float(row["ram"]), row["vmTypeId"] == "1",
                float(row["starttime"]), float(row["endtime"]))
    end = NEVER if row["end_s"] in ("never", "") else float(row["end_s"]) / 86400
    return (row["tenant_id"], float(row["vcpus"]), float(row["memory_mb"]), row["class"] == "spot",
            float(row["start_s"]) / 86400, end)


def find_batches(rows):
    """Lists of rows: one tenant, gaps of at most 120 s; ordered by tenant, then time."""
    batches = []
    for row in sorted(rows, key=lambda r: (r[0], r[4])):
        last = batches[-1][-1] if batches else None
        if last and last[0] == row[0] and row[4] - last[4] <= BATCH_GAP_DAYS:
            batches[-1].append(row)
        else:
            batches.append([row])
    return batches


def ks(a, b):
    """Largest difference between the two empirical distribution functions."""
    a, b = sorted(a), sorted(b)
    i = j = 0
    worst = 0.0
    while i < len(a) and j < len(b):
        value = min(a[i], b[j])
        while i < len(a) and a[i] == value:
            i += 1
        while j < len(b) and b[j] == value:
            j += 1
        worst = max(worst, abs(i / len(a) - j / len(b)))
    return worst


def total_variation(a, b):
    a, b = Counter(a), Counter(b)
    size_a, size_b = sum(a.values()), sum(b.values())
    return sum(abs(a[k] / size_a - b[k] / size_b) for k in {*a, *b}) / 2


def curve_distance(a, b):
    return sum(abs(x - y) for x, y in zip(a, b, strict=False)) / (sum(a) + sum(b)) * 2


def life(row):
    return row[5] - row[4]


def columns(w):
    """The samples whose distances are measured: name -> (how, values)."""
    found = {}
    for name, spot in (("VM", False), ("spot", True)):
        mine = [r for r in w.rows if r[3] == spot]
        found[f"{name}: lifetime, started inside"] = (ks, w.values(spot, False, life))
        found[f"{name}: end, started before"] = (ks, w.values(spot, True, lambda r: r[5]))
        found[f"{name}: start, inside"] = (ks, w.values(spot, False, lambda r: r[4]))
        found[f"{name}: start, before"] = (ks, w.values(spot, True, lambda r: r[4]))
        found[f"{name}: hour of day, inside"] = (ks, w.values(spot, False, lambda r: r[4] % 1))
        found[f"{name}: vcpus"] = (ks, [r[1] for r in mine])
        found[f"{name}: memory"] = (ks, [r[2] for r in mine])
        found[f"{name}: flavor"] = (total_variation, [(r[1], r[2]) for r in mine])
        sizes = [len(b) for b in w.batches if b[0][3] == spot]
        found[f"{name}: batch size, by batch"] = (ks, sizes)
        found[f"{name}: batch size, by request"] = (ks, [n for n in sizes for _ in range(n)])
        found[f"{name}: memory in use, by hour"] = (curve_distance, w.use(spot, 2))
        found[f"{name}: vcpus in use, by hour"] = (curve_distance, w.use(spot, 1))
    return found


def revenue(w, spot):
    """vcpu-days asked for inside the window."""
    spans = (r[1] * max(0.0, min(r[5], DAYS) - max(r[4], 0)) for r in w.rows if r[3] == spot)
    return sum(spans)


def daily_swing(curve):
    """Mean over the days of (greatest - least) / mean."""
    days = [curve[d * 24 : d * 24 + 24] for d in range(DAYS)]
    return statistics.mean((max(day) - min(day)) / statistics.mean(day) for day in days if any(day))


def burstiness(w):
    """Requests per minute of the window: variance over mean, and the most."""
    counts = Counter(int(r[4] * 1440) for r in w.rows if r[4] >= 0)
    per_minute = [counts[m] for m in range(DAYS * 1440)]
    return statistics.pvariance(per_minute) / statistics.mean(per_minute), max(per_minute)


def next_batch_likeness(w):
    """Compare consecutive batches of a tenant: shares of like flavors, and of like lifetimes."""
    same = close = pairs = 0
    for a, b in itertools.pairwise(w.batches):
        if a[0][0] == b[0][0]:
            pairs += 1
            same += a[0][1:3] == b[0][1:3]
            x, y = life(a[0]), life(b[0])
            close += x == y or (max(x, y) < NEVER and max(x, y) <= 2 * min(x, y))
    return same / max(pairs, 1), close / max(pairs, 1)


def one_life_share(w):
    """Share of the batches of several requests whose lifetimes are all within 1 % of each other."""
    several = [[life(r) for r in b] for b in w.batches if len(b) > 1]
    return sum(max(lives) <= 1.01 * min(lives) or max(lives) == min(lives)
               for lives in several) / len(several)


def levels(w):
    spot = [r for r in w.rows if r[3]]
    dispersion, most = burstiness(w)
    same_flavor, like_life = next_batch_likeness(w)
    found = {
        "requests": len(w.rows),
        "batches": len(w.batches),
        "tenants": len({r[0] for r in w.rows}),
        "spot share": len(spot) / len(w.rows),
        "started before": sum(r[4] < 0 for r in w.rows) / len(w.rows),
        "never ended": sum(r[5] == NEVER for r in w.rows) / len(w.rows),
        "ended after the window": sum(DAYS < r[5] < NEVER for r in w.rows) / len(w.rows),
        "largest batch": max(map(len, w.batches)),
        "batches with one lifetime": one_life_share(w),
        "tenant's next batch: same flavor": same_flavor,
        "tenant's next batch: life within x2": like_life,
        "requests a minute, variance / mean": dispersion,
        "requests a minute, most": most,
        "VM revenue, vcpu-days": revenue(w, False),
        "spot revenue, vcpu-days": revenue(w, True),
    }
    for name, is_spot in (("VM", False), ("spot", True)):
        curve = w.use(is_spot, 2)
        found[f"{name} memory, mean"] = statistics.mean(curve)
        found[f"{name} memory, peak"] = max(curve)
        found[f"{name} memory, daily swing"] = daily_swing(curve)
    return found


def short(value):
    return f"{value:.3f}" if abs(value) < 10 else f"{value:,.0f}"


def spread(values):
    return f"{short(statistics.mean(values))} [{short(min(values))}, {short(max(values))}]"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--real", nargs="+", required=True, metavar="FILE")
    parser.add_argument("--synthetic", nargs="+", required=True, metavar="FILE")
    arguments = parser.parse_args()
    real = [Workload(path) for path in arguments.real]
    made = [Workload(path) for path in arguments.synthetic]
    real_columns, made_columns = [columns(w) for w in real], [columns(w) for w in made]
    print("| distance | real to real | real to synthetic |\n|---|---|---|")
    for name, (how, _) in real_columns[0].items():
        among, across = defaultdict(list), []
        for a, b in itertools.combinations(real_columns, 2):
            among[name].append(how(a[name][1], b[name][1]))
        for a, b in itertools.product(real_columns, made_columns):
            across.append(how(a[name][1], b[name][1]))
        kind = {ks: "KS", total_variation: "TV", curve_distance: "curve"}[how]
        noise = spread(among[name]) if among[name] else "-"
        print(f"| {name} ({kind}) | {noise} | {spread(across)} |")
    real_levels, made_levels = [levels(w) for w in real], [levels(w) for w in made]
    print("\n| level | real | synthetic |\n|---|---|---|")
    for name in real_levels[0]:
        print(f"| {name} | {spread([level[name] for level in real_levels])} "
              f"| {spread([level[name] for level in made_levels])} |")


if __name__ == "__main__":
    main()
