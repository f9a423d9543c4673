// What the reader looks at. It lives in the address's fragment, so that a link shows the same view.
const ViewState = (() => {
  const several = Results.axes.workload.values.length > 1;
  const everything = (dimension) => new Set(Results.axes[dimension].values.keys());
  const listeners = [];

  function defaults() {
    const y = "share"; // gains of different policies have different baselines
    return {
      mode: several ? "mean" : "runs", // a point is an allocator's mean over workloads, or one run
      y, // share, perHost or gain
      color: "saf",
      sort: y,
      descending: true,
      page: 0,
      selected: null, // a point's id
      filters: Object.fromEntries(Results.dimensions.map((d) => [d, everything(d)])),
    };
  }

  const choices = {
    mode: several ? ["mean", "runs"] : ["runs"],
    y: Results.hasGain ? ["share", "perHost", "gain"] : ["share", "perHost"],
    color: Results.dimensions,
    sort: ["workload", "workloads", "size", "vm", "spot", "evictor", "saf", "otn", "gain", "share",
      "perHost", "loss", "money", "moneyLost", "rejected", "evictions", "admitted", "hosts", "p99"],
  };

  function fragmentOf(state) {
    const initial = defaults();
    const parameters = new URLSearchParams();
    for (const key of ["mode", "y", "color"]) {
      if (state[key] !== initial[key]) parameters.set(key, state[key]);
    }
    if (state.sort !== state.y || !state.descending) {
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
    for (const key of ["mode", "y", "color"]) {
      if (choices[key].includes(parameters.get(key))) state[key] = parameters.get(key);
    }
    state.sort = state.y;
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
