// The state of the reader's view. It lives in the address's fragment, so that a link shows the same view.
const ViewState = (() => {
  const several = Results.averaged.length > 0;
  const everything = (dimension) => new Set(Results.axes[dimension].values.keys());
  const listeners = [];

  const lengthOf = (d) => Results.axes[d].values.length;
  // Rather not one that means are over; which of two databases it was is a colour.
  const along = Results.dimensions.filter((d) =>
    lengthOf(d) > 1 && !Results.averaged.includes(d) && d !== "database");
  const longest = (along.length > 0 ? along : Results.dimensions)
    .reduce((best, d) => (lengthOf(d) > lengthOf(best) ? d : best));

  /** By how much the mean of a measure differs between the values of an axis. */
  function influence(dimension, measure) {
    const sums = Results.axes[dimension].values.map(() => [0, 0]);
    Results.columns[measure].forEach((value, run) => {
      if (Number.isNaN(value)) return;
      sums[Results.coordinates[dimension][run]][0] += value;
      ++sums[Results.coordinates[dimension][run]][1];
    });
    const means = sums.filter(([, count]) => count > 0).map(([sum, count]) => sum / count);
    return means.length > 0 ? Math.max(...means) - Math.min(...means) : 0;
  }

  const choices = {
    mode: several ? ["mean", "runs"] : ["runs"],
    // The measures that the study declares come first.
    measure: [...new Set([...Results.figures.map(({ name }) => name), ...Object.keys(Format.measures)])]
      .filter((name) => name in Format.measures),
    marks: ["mean", "spread"],
    y: Results.best?.y ?? [],
    x: Results.dimensions,
    color: ["none", ...Results.dimensions],
    columns: ["chosen", "all"],
    sort: [...Results.dimensions, ...Object.keys(Format.measures), "count"],
  };

  /** Begins as the study declares, or with the longest axis, a measure that changes along it, and the
   *  axis that matters most beside it. */
  const start = (() => {
    const [y] = choices.y;
    if (Results.best) return { y, measure: y, marks: "spread", ...Results.best.start };
    const measure = choices.measure.find((one) => influence(longest, one) > 0) ?? choices.measure[0];
    if (Results.isPair) return { y, measure, x: longest, color: "database" };
    const others = along.filter((d) => d !== longest);
    const color = others.reduce(
      (best, d) => (best === null || influence(d, measure) > influence(best, measure) ? d : best), null);
    return { y, measure, x: longest, color: color ?? "none" };
  })();

  function defaults() {
    return {
      // A point is a mean over workloads and seeds, or one run.
      mode: several ? "mean" : "runs",
      marks: "mean",
      ...start,
      columns: "chosen", // of the table
      // The part of the measure, or of the scatter, that is looked at: [from, to], [x, x, y, y].
      zoom: null,
      area: null,
      sort: start.measure,
      descending: Format.measures[start.measure]?.better !== "low",
      page: 0,
      selected: null, // a point's id
      filters: Object.fromEntries(Results.dimensions.map((d) => [d, everything(d)])),
    };
  }

  function fragmentOf(state) {
    const initial = defaults();
    const parameters = new URLSearchParams();
    for (const key of ["mode", "y", "measure", "x", "color", "marks", "columns"]) {
      if (state[key] !== initial[key]) parameters.set(key, state[key]);
    }
    for (const key of ["zoom", "area"]) {
      if (state[key]) parameters.set(key, state[key].map((value) => value.toPrecision(6)).join(" "));
    }
    const isSorted = state.sort === (state.y ?? initial.sort) &&
      state.descending === initial.descending;
    if (!isSorted) {
      parameters.set("sort", (state.descending ? "-" : "") + state.sort);
    }
    if (state.page > 0) parameters.set("page", state.page + 1);
    for (const [dimension, chosen] of Object.entries(state.filters)) {
      const { names } = Results.axes[dimension];
      if (chosen.size === names.length) continue;
      if (chosen.size === 0) parameters.append(dimension, "");
      names.forEach((name, i) => chosen.has(i) && parameters.append(dimension, name));
    }
    if (state.selected !== null) parameters.set("selected", state.selected);
    return parameters.toString();
  }

  /** Reads a fragment; what it does not say, or says wrongly, is as at the beginning. */
  function stateOf(fragment) {
    const parameters = new URLSearchParams(fragment);
    const state = defaults();
    for (const key of ["mode", "y", "measure", "x", "color", "marks", "columns"]) {
      if (choices[key].includes(parameters.get(key))) state[key] = parameters.get(key);
    }
    for (const [key, count] of [["zoom", 2], ["area", 4]]) {
      const values = (parameters.get(key) ?? "").split(" ").map(Number);
      if (values.length === count && values.every(Number.isFinite)) state[key] = values;
    }
    state.sort = state.y ?? state.sort;
    const [, minus, sort] = /^(-?)(\w+)$/.exec(parameters.get("sort") ?? "") ?? [];
    if (choices.sort.includes(sort)) Object.assign(state, { sort, descending: minus === "-" });
    state.page = Math.max(0, (Number.parseInt(parameters.get("page"), 10) || 1) - 1);
    const selected = Number.parseInt(parameters.get("selected"), 10);
    if (selected >= 0) state.selected = selected;
    for (const dimension of Results.dimensions) {
      if (!parameters.has(dimension)) continue;
      const wanted = new Set(parameters.getAll(dimension));
      const { names } = Results.axes[dimension];
      state.filters[dimension] = new Set([...names.keys()].filter((i) => wanted.has(names[i])));
    }
    return state;
  }

  let current = stateOf(location.hash.slice(1));

  function notify(changed) {
    for (const listener of listeners) listener(current, changed);
  }

  /** Changes some of the state. Whatever changes which points there are goes to the first page. */
  function change(changes) {
    const keys = Object.keys(changes);
    if (!keys.includes("page") && keys.some((key) => key !== "selected")) changes.page = 0;
    if (keys.includes("mode") && !keys.includes("selected")) changes.selected = null;
    if (keys.some((key) => ["measure", "x", "marks"].includes(key))) changes.zoom = null;
    if (keys.includes("y") || keys.includes("mode")) changes.area = null;
    if ("y" in changes && current.sort === current.y) changes.sort = changes.y;
    current = { ...current, ...changes };
    const fragment = fragmentOf(current);
    history.replaceState(null, "", fragment ? `#${fragment}` : location.pathname + location.search);
    notify(keys);
  }

  function filter(dimension, chosen) {
    change({ filters: { ...current.filters, [dimension]: chosen }, selected: null });
  }

  window.addEventListener("hashchange", () => {
    // The link that skips to the chart is no view.
    if (document.getElementById(location.hash.slice(1))) return;
    current = stateOf(location.hash.slice(1));
    notify(["everything"]);
  });

  return {
    get: () => current,
    change,
    filter,
    reset: () => change({ ...defaults() }),
    subscribe: (listener) => listeners.push(listener),
    choices,
    everything,
  };
})();
