// From runs to what is shown: the points in view, their Pareto front, quantiles, the best of each
// datacenter size.
const Points = (() => {
  const measures = ["gain", "share", "shareFirstHourFree", "perHost", "loss", "hosts", "rejected", "tooLarge",
    "admitted", "evictions", "p99"];
  const settings = ["size", "vm", "spot", "evictor", "saf", "otn"];

  /** Positions of the runs that pass every filter. */
  function runsInView(filters) {
    const tests = Results.dimensions
      .filter((d) => filters[d].size < Results.axes[d].values.length)
      .map((d) => {
        const passes = Uint8Array.from(Results.axes[d].values, (_, i) => filters[d].has(i));
        return [Results.coordinates[d], passes];
      });
    const runs = [];
    for (let run = 0; run < Results.runCount; ++run) {
      if (tests.every(([coordinate, passes]) => passes[coordinate[run]])) runs.push(run);
    }
    return runs;
  }

  function startPoint(run, id) {
    const point = { id, runs: [] };
    for (const setting of settings) point[setting] = Results.coordinates[setting][run];
    return point;
  }

  function mean(runs, column) {
    let sum = 0;
    let count = 0;
    for (const run of runs) {
      if (Number.isNaN(column[run])) continue;
      sum += column[run];
      ++count;
    }
    return count === 0 ? NaN : sum / count;
  }

  function finishPoint(point) {
    for (const measure of measures) point[measure] = mean(point.runs, Results.columns[measure]);
    point.workloads = point.runs.length;
    point.workload = Results.coordinates.workload[point.runs[0]];
    const { rejected, tooLarge } = Results.columns;
    point.bound = Results.isBound(point);
    if (Results.prices) {
      const worth = Money.of(point);
      point.money = worth.earned;
      point.moneyLost = worth.lost;
    }
    point.lossless = point.runs.every((run) => rejected[run] === tooLarge[run]);
    return point;
  }

  /** One point per run, or per allocator: then every quantity is the mean over its workloads. */
  function makePoints(runs, mode) {
    const points = new Map();
    for (const run of runs) {
      const id = mode === "mean" ? Results.allocatorOf(run) : Results.runIndex[run];
      let point = points.get(id);
      if (!point) points.set(id, point = startPoint(run, id));
      point.runs.push(run);
    }
    return Array.from(points.values(), finishPoint);
  }

  /** The points that no other one beats, by ascending loss. A front of its own for each datacenter
   *  size: a provider chooses an allocator more easily than a datacenter. Only what can be set is
   *  chosen from, unless nothing can. */
  function paretoFronts(points, y) {
    const toSet = points.filter((point) => !point.bound);
    const bySize = new Map();
    for (const point of toSet.length > 0 ? toSet : points) {
      if (!bySize.has(point.size)) bySize.set(point.size, []);
      bySize.get(point.size).push(point);
    }
    return [...bySize].sort(([a], [b]) => a - b)
      .map(([size, some]) => ({ size, points: paretoFront(some, y) }))
      .filter((front) => front.points.length > 0);
  }

  function paretoFront(points, y) {
    const candidates = points.filter((point) => !Number.isNaN(point[y]) && !Number.isNaN(point.loss))
      .sort((a, b) => a.loss - b.loss || b[y] - a[y] || a.id - b.id);
    const front = [];
    for (const point of candidates) {
      if (front.length === 0 || point[y] > front[front.length - 1][y]) front.push(point);
    }
    return front;
  }

  /** The value below which `share` of the sorted values lie, interpolated. */
  function quantile(sorted, share) {
    const position = (sorted.length - 1) * share;
    const below = Math.floor(position);
    const above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (position - below);
  }

  /** Quantiles of a measure for every value of a dimension and of SAF. */
  function spread(points, dimension, measure) {
    const groups = new Map();
    for (const point of points) {
      if (Number.isNaN(point[measure])) continue;
      const key = point[dimension] * 2 + point.saf;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(point[measure]);
    }
    return Array.from(groups, ([key, values]) => {
      const sorted = Float64Array.from(values).sort();
      const at = (share) => quantile(sorted, share);
      return { group: Math.floor(key / 2), saf: key % 2, count: sorted.length, low: at(0.05),
        lower: at(0.25), median: at(0.5), upper: at(0.75), high: at(0.95) };
    }).sort((a, b) => a.group - b.group || a.saf - b.saf);
  }

  /** For each size: of the allocators that lose no VM on any workload in view, the one that earns
   *  most, as a mean over these workloads: of those that can be set (point), and of those that know
   *  lifetimes (bound). */
  function bestBySize(points) {
    const most = points.reduce((greatest, point) => Math.max(greatest, point.workloads), 0);
    const best = new Map();
    for (const point of points) {
      if (!best.has(point.size)) best.set(point.size, { size: point.size, point: null, bound: null });
      if (!point.lossless || point.workloads < most) continue;
      const ofSize = best.get(point.size);
      const kind = point.bound ? "bound" : "point";
      if (!ofSize[kind] || point.share > ofSize[kind].share) ofSize[kind] = point;
    }
    return [...best.values()].sort((a, b) => a.size - b.size);
  }

  /** Of the points that lose no VM, the one that earns most from spots: of those that can be set, or
   *  of those that know lifetimes. */
  function earnsMost(points, bound) {
    return points.reduce((best, point) => (point.lossless && point.bound === bound &&
      point.share > (best?.share ?? -Infinity) ? point : best), null);
  }

  function compute(state) {
    const runs = runsInView(state.filters);
    const points = makePoints(runs, state.mode);
    const allocators = state.mode === "mean" ? points : makePoints(runs, "mean");
    const shown = points.filter((point) => !Number.isNaN(point[state.y]));
    return {
      runs: runs.length,
      points,
      shown,
      byId: new Map(points.map((point) => [point.id, point])),
      fronts: paretoFronts(shown, state.y),
      best: bestBySize(allocators),
    };
  }

  const meanOf = (points, measure) => mean(points.keys(), points.map((point) => point[measure]));

  return { compute, spread, meanOf, earnsMost };
})();
