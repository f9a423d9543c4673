"use strict";

// The results that the report holds: the axes of the sweep and one column per quantity.
const Results = (() => {
  const raw = JSON.parse(document.getElementById("results-data").textContent);
  const dimensions = ["workload", "size", "vm", "spot", "evictor", "saf", "otn"];

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
    if (dimension === "size") return key === "hosts" ? `${label} hosts` : `${label} %`;
    return label;
  }

  const axes = {};
  dimensions.forEach((dimension, position) => {
    const { key, values } = raw.axes[position];
    const names = dimension === "workload" ? shortNames(values.map((value) => value.label))
      : values.map((value) => displayName(dimension, key, value.label));
    // What is read; `names` are what the address says.
    const shown = names.map((name, i) => (values[i].bound ? `${name} (upper bound)` : name));
    axes[dimension] = { key, values, names, shown, titles: values.map((value) => value.label) };
  });
  const gridSize = dimensions.reduce((product, d) => product * axes[d].values.length, 1);
  const runCount = raw.runs ? raw.runs.length : gridSize;
  const runIndex = raw.runs ?? Array.from({ length: runCount }, (_, i) => i);

  // A run's index is its position in the cross product of the axes, the last axis fastest.
  const coordinates = {};
  let stride = 1;
  for (const dimension of [...dimensions].reverse()) {
    const length = axes[dimension].values.length;
    const divisor = stride;
    coordinates[dimension] =
      Uint32Array.from(runIndex, (index) => Math.floor(index / divisor) % length);
    stride *= length;
  }

  /** Whether a run, or a point, has a policy that needs true lifetimes: what it earns is an upper
   *  bound, which no datacenter can be set to. */
  const isBound = (at) =>
    ["vm", "spot", "evictor"].some((dimension) => axes[dimension].values[at[dimension]].bound);

  const columns = {};
  for (const [name, column] of Object.entries(raw.columns)) {
    const number = (value) => (value === null ? NaN : value);
    columns[name] = Array.isArray(column) ? Float64Array.from(column, number)
      : new Float64Array(runCount).fill(number(column.all));
  }

  return {
    dimensions,
    axes,
    runCount,
    runIndex,
    coordinates,
    columns,
    isBound,
    // Runs that differ in nothing but the workload, the slowest axis, agree in this number.
    allocatorOf: (run) => runIndex[run] % (gridSize / axes.workload.values.length),
    expectedRuns: raw.expectedRuns,
    createdBy: raw.createdBy,
    versions: raw.versions,
    hostYaml: raw.host,
    // From what a headroom counts, as the sweep's file has it and as that of one point needs it.
    headroomOf: raw.headroomOf,
    // Of a vCPU-hour; null: nobody gave prices.
    prices: raw.prices ?? null,
    isRelative: axes.workload.values.some((workload) => workload.unit === "relative"),
    hasGain: columns.gain.some((gain) => !Number.isNaN(gain)),
    isTimed: columns.p99.some((nanoseconds) => nanoseconds > 0),
  };
})();
