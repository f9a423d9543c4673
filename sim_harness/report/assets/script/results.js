// The results that the report holds: the axes of the study and one column per quantity.
const Results = (() => {
  const raw = JSON.parse(document.getElementById("results-data").textContent);

  /** The part of paths that tells them apart: no common folder, no .csv or .csv.gz. */
  function shortNames(labels) {
    const bare = labels.map((label) => label.replace(/\.csv(\.gz)?$/, ""));
    let prefix = bare[0].slice(0, bare[0].lastIndexOf("/") + 1);
    while (prefix && !bare.every((label) => label.startsWith(prefix))) {
      prefix = prefix.slice(0, prefix.lastIndexOf("/", prefix.length - 2) + 1);
    }
    const names = bare.map((label) => label.slice(prefix.length));
    return new Set(names).size === labels.length ? names : labels;
  }

  function displayName(dimension, key, label) {
    if (dimension !== "size") return label;
    return key === "hosts" ? `${label} hosts` : `${label} %`;
  }

  const axes = {};
  for (const { name, key, unit, values } of raw.axes) {
    const dimension = name === "headroom_percent" ? "size" : name;
    const names = dimension === "workload" ? shortNames(values.map((value) => value.label))
      : values.map((value) => displayName(dimension, key, value.label));
    // The databases that are read; `names` are those of the address.
    const shown = names.map((label, i) =>
      (values[i].bound ? `${label} (${raw.best?.bound ?? "upper bound"})` : label));
    axes[dimension] = { key, unit, values, names, shown, titles: values.map((value) => value.label) };
  }
  const dimensions = Object.keys(axes);
  const gridSize = dimensions.reduce((product, d) => product * axes[d].values.length, 1);
  const runCount = raw.runs ? raw.runs.length : gridSize;
  const runIndex = raw.runs ?? Array.from({ length: runCount }, (_, i) => i);

  // A run's index is its position in the cross product of the axes, the last axis fastest.
  const coordinates = {};
  const strides = {};
  let stride = 1;
  for (const dimension of [...dimensions].reverse()) {
    const { length } = axes[dimension].values;
    const divisor = stride;
    coordinates[dimension] =
      Uint32Array.from(runIndex, (index) => Math.floor(index / divisor) % length);
    strides[dimension] = stride;
    stride *= length;
  }

  /** Tells whether a run, or a point, has a policy that needs true lifetimes: what it earns is an upper
   *  bound, which no datacenter can be set to. */
  const isBound = (at) =>
    dimensions.some((dimension) => axes[dimension].values[at[dimension]].bound);

  /** Numbers, fractions in percent and NaN where there is none; or texts. */
  const ratios = new Set(raw.figures.filter((figure) => figure.isNumber).map(({ name }) => name));
  const isShare = ({ name, unit }) => unit === "fraction" && !ratios.has(name);
  function valuesOf(column) {
    const { values } = column;
    const all = Array.isArray(values) ? values : new Array(runCount).fill(values.all);
    if (all.some((value) => typeof value === "string")) return all;
    const scale = isShare(column) ? 100 : 1;
    return Float64Array.from(all, (value) => (value === null ? NaN : scale * value));
  }
  const columns = {};
  for (const column of raw.columns) columns[column.name] = valuesOf(column);
  const isNumber = (name) => columns[name] instanceof Float64Array;
  const has = (name) => name in columns && columns[name].some((value) => !Number.isNaN(value));

  // The timeline of runs that kept one: the days of each run one after the other.
  function timelineOf({ days, columns: ofDays }) {
    const counts = Array.isArray(days) ? days : new Array(runCount).fill(days.all);
    let next = 0;
    const first = counts.map((count) => {
      next += count;
      return next - count;
    });
    return { days: counts, first, columns: ofDays.map((column) => ({ ...column,
      values: Float64Array.from(column.values, (value) => value ?? NaN) })) };
  }
  const timeline = raw.timeline ? timelineOf(raw.timeline) : null;

  // The measures that people look at first: the figures that the study declares, and money.
  const isKept = ({ name, role }) => role !== "time" || columns[name].some((value) => value > 0);
  const chosen = raw.figures.length === 0 ? [] : [
    ...raw.figures.filter(({ name, title }) => title && raw.columns.every((column) =>
      column.name !== name || isKept(column))).map(({ name }) => name),
    ...raw.columns.filter(({ role }) => role === "money").map(({ name }) => name)];

  // The rule for the best of each value of an axis, if the study declares it: the most of `y`, whose
  // first decides, where the condition is met. What it costs is `x`. Two databases have none.
  const best = raw.isPair || !raw.best ? null : { ...raw.best,
    axis: raw.best.axis === "headroom_percent" ? "size" : raw.best.axis,
    x: raw.figures.find(({ better }) => better === "low").name,
    y: raw.figures.filter(({ better, name }) => better === "high" && has(name)).map(({ name }) => name) };

  // Means are over these axes; a sample is a value of each axis of the first group with several.
  const sampleGroups = raw.samples.map((group) => group.filter((d) => axes[d].values.length > 1))
    .filter((group) => group.length > 0);
  const averaged = sampleGroups.flat();

  return {
    study: raw.study,
    // Two databases have a first axis `database`, with the values before and after.
    isPair: raw.isPair ?? false,
    best,
    boundNote: raw.best?.bound ?? "upper bound, knows the future",
    chosen,
    sampleGroups,
    dimensions,
    axes,
    averaged,
    runCount,
    runIndex,
    coordinates,
    columns,
    timeline,
    described: raw.columns,
    isNumber,
    isShare,
    isBound,
    // Runs that differ in nothing but these axes agree in this number.
    indexWithout: (run, without) => without.reduce(
      (index, d) => index - coordinates[d][run] * strides[d], runIndex[run]),
    expectedRuns: raw.expectedRuns,
    createdBy: raw.createdBy,
    versions: raw.versions,
    // The measures that the study declares to be looked at first: {name, title, decimals, unit, better}.
    figures: raw.figures,
    // The study file as JSON, and its settings that are no axes as the file has them.
    configuration: raw.configuration,
    settings: raw.settings,
    // The units of vcpus that are no vCPU, by workload.
    units: raw.units,
    // Quantiles of Student's t, for the 95 % interval of a mean of so many samples.
    tQuantiles: raw.tQuantiles,
    isRelative: Object.values(raw.units).includes("relative"),
  };
})();
