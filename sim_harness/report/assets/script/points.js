// From runs to what is shown: the points in view, their Pareto front, quantiles, the best of each
// datacenter size.
const Points = (() => {
  const measures = Object.keys(Format.measures);

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

  const meanOfNumbers = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

  /** The base of a mean: the workloads, each the mean of its runs, or the seeds of a single one. */
  function samplesOf(runs, column) {
    const known = runs.filter((run) => !Number.isNaN(column[run]));
    let groups = [known];
    for (const axes of Results.sampleGroups) {
      const samples = Map.groupBy(known, (run) => axes.reduce(
        (at, d) => at * Results.axes[d].values.length + Results.coordinates[d][run], 0));
      groups = [...samples.values()];
      if (groups.length > 1) break;
    }
    return groups.filter((group) => group.length > 0)
      .map((group) => meanOfNumbers(group.map((run) => column[run])));
  }

  /** The mean of some runs, and half the width of its 95 % interval; NaN where there is none. */
  function meanAndHalf(runs, column) {
    const samples = samplesOf(runs, column);
    const { length } = samples;
    const mean = length === 0 ? NaN : meanOfNumbers(samples);
    const squares = samples.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    return [mean, length < 2 ? NaN
      : Results.tQuantiles[length] * Math.sqrt(squares / (length - 1) / length)];
  }

  /** Its measures are computed when they are asked for; NaN: no run has one. */
  class Point {
    #means = new Map();

    constructor(run, id) {
      this.id = id;
      this.runs = [];
      for (const d of Results.dimensions) this[d] = Results.coordinates[d][run];
    }

    mean(measure) {
      if (!this.#means.has(measure)) {
        this.#means.set(measure, meanAndHalf(this.runs, Results.columns[measure]));
      }
      return this.#means.get(measure);
    }

    /** Half the width of the 95 % interval of a measure's mean; NaN without one. */
    halfWidth(measure) {
      return this.mean(measure)[1];
    }
  }
  for (const measure of measures) {
    Object.defineProperty(Point.prototype, measure, { get() { return this.mean(measure)[0]; } });
  }

  function finishPoint(point) {
    point.count = point.runs.length;
    point.bound = Results.isBound(point);
    const met = Results.columns[Results.best?.condition];
    point.isMet = met !== undefined && point.runs.every((run) => met[run] === 1);
    return point;
  }

  /** One point per run, or per combination of settings: then every quantity is a mean. */
  function makePoints(runs, mode) {
    const points = new Map();
    for (const run of runs) {
      const id = mode === "mean" ? Results.indexWithout(run, Results.averaged) : Results.runIndex[run];
      let point = points.get(id);
      if (!point) points.set(id, point = new Point(run, id));
      point.runs.push(run);
    }
    return Array.from(points.values(), finishPoint);
  }

  /** The points by the values of the axis whose best are told. */
  const byValue = (points) => [...Map.groupBy(points, (point) => point[Results.best.axis])]
    .sort(([a], [b]) => a - b).map(([value, some]) => ({ value, points: some }));

  /** The points that no other one beats, by ascending loss. A front of its own for each datacenter
   *  size: a provider chooses an allocator more easily than a datacenter. Only what can be set is
   *  chosen from, unless nothing can. */
  function paretoFronts(points, y) {
    const toSet = points.filter((point) => !point.bound);
    return byValue(toSet.length > 0 ? toSet : points)
      .map(({ value, points: some }) => ({ value, points: paretoFront(some, y) }))
      .filter((front) => front.points.length > 0);
  }

  function paretoFront(points, y) {
    const { x } = Results.best;
    const candidates = points.filter((point) => !Number.isNaN(point[y]) && !Number.isNaN(point[x]))
      .sort((a, b) => a[x] - b[x] || b[y] - a[y] || a.id - b.id);
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

  /** Mean and quantiles of a measure for every value of one axis and of another. */
  function spread(points, dimension, color, measure) {
    const groups = new Map();
    const colors = color === "none" ? 1 : Results.axes[color].values.length;
    for (const point of points) {
      if (Number.isNaN(point[measure])) continue;
      const key = point[dimension] * colors + (point[color] ?? 0);
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(point);
    }
    return Array.from(groups, ([key, some]) => {
      const values = some.map((point) => point[measure]);
      const runs = some.flatMap((point) => point.runs);
      const [mean, half] = meanAndHalf(runs, Results.columns[measure]);
      const sorted = Float64Array.from(values).sort();
      const at = (share) => quantile(sorted, share);
      return { group: Math.floor(key / colors), color: key % colors, count: sorted.length,
        ids: some.map((point) => point.id), mean, half, least: sorted[0], most: sorted.at(-1),
        low: at(0.05), lower: at(0.25), median: at(0.5), upper: at(0.75), high: at(0.95) };
    }).sort((a, b) => a.group - b.group || a.color - b.color);
  }

  /** The point with the most of what decides, of those that meet the condition: of those that can be
   *  set, or of those that are upper bounds. */
  function mostOf(points, bound) {
    const [y] = Results.best.y;
    return points.reduce((best, point) => (point.isMet && point.bound === bound &&
      point[y] > (best?.[y] ?? -Infinity) ? point : best), null);
  }

  /** For each value of the axis the best that meets the condition on every workload in view, and the
   *  best upper bound. */
  function bestOfEach(points) {
    const most = points.reduce((greatest, point) => Math.max(greatest, point.count), 0);
    return byValue(points).map(({ value, points: some }) => {
      const whole = some.filter(({ count }) => count === most);
      return { value, point: mostOf(whole, false), bound: mostOf(whole, true) };
    });
  }

  /** The points that two databases share, each with the one before. */
  function changesOf(points) {
    const keyOf = (point) => Results.indexWithout(point.runs[0], ["database",
      ...(point.runs.length > 1 ? Results.averaged : [])]);
    const before = new Map(points.filter((point) => point.database === 0)
      .map((point) => [keyOf(point), point]));
    return points.filter((point) => point.database === 1 && before.has(keyOf(point)))
      .map((after) => ({ before: before.get(keyOf(after)), after }));
  }

  /** The point with the best end of what decides, of those that can be chosen; of equal ones that
   *  with the best end of the next. */
  function bestOf(points) {
    if (Results.best) return mostOf(points, false) ?? mostOf(points, true);
    const deciding = Results.figures.filter(({ better, name }) => better && name in Format.measures);
    if (deciding.length === 0) return null;
    let some = points.some((point) => !point.bound) ? points.filter((point) => !point.bound) : points;
    for (const { name, better } of deciding) {
      const sign = better === "high" ? 1 : -1;
      const most = some.reduce((best, point) =>
        (Number.isNaN(point[name]) ? best : Math.max(best, sign * point[name])), -Infinity);
      // As far as it is shown, as the summary compares.
      const { text } = Format.measures[name];
      const best = some.filter((point) => text(point[name]) === text(sign * most));
      if (best.length > 0) some = best;
    }
    return some[0] ?? null;
  }

  function compute(state) {
    const runs = runsInView(state.filters);
    const points = makePoints(runs, state.mode);
    const shown = points.filter((point) => !Number.isNaN(point[state.y ?? state.measure]));
    const result = { runs: runs.length, points, shown,
      byId: new Map(points.map((point) => [point.id, point])), fronts: [], best: [] };
    if (!Results.best) return { ...result, changes: Results.isPair ? changesOf(points) : [] };
    const combinations = state.mode === "mean" ? points : makePoints(runs, "mean");
    return { ...result, fronts: paretoFronts(shown, state.y), best: bestOfEach(combinations) };
  }

  /** Over the points that have it. */
  function meanOf(points, measure) {
    const known = points.map((point) => point[measure]).filter((value) => !Number.isNaN(value));
    return known.length === 0 ? NaN : meanOfNumbers(known);
  }

  return { compute, spread, meanOf, mostOf, bestOf };
})();
