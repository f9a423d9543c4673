// The report of any study: a measure by an axis, and the runs as a table.
const Study = (() => {
  const data = JSON.parse(document.getElementById("results-data").textContent);
  const axes = data.columns.filter((column) => column.role === "axis");
  const measures = data.columns.filter((column) => column.role !== "axis");
  const runCount = axes[0].positions.length;
  const mostRows = 500;
  const palette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5a5a5a"];
  const byId = (id) => document.getElementById(id);

  /** An axis that the study file gives as a measure, such as hosts for the headroom, is called so. */
  const nameOf = (column) => (measures.some((one) => one.name === column.key)
    ? column.key : column.name).replaceAll("_", " ");
  const titleOf = (column) => nameOf(column) +
    (column.unit && column.unit !== column.name ? `, ${column.unit}` : "");
  const labelOf = (axis, run) => axis.labels[axis.positions[run]];

  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
      if (typeof value === "function") made.addEventListener(key.slice(2), value);
      else if (value !== undefined) made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  }

  function text(value) {
    if (value === null) return "–";
    if (typeof value !== "number") return String(value);
    return value.toLocaleString("en-US", { maximumSignificantDigits: 8 });
  }

  // What is shown: the measure, the axis along which, the axis that tells lines apart, and of the
  // other axes one value or, with -1, the mean over all.
  const state = { measure: 0, x: 0, color: axes.length > 1 ? 1 : -1, only: axes.map(() => -1) };

  /** By how much the mean of a measure differs between the values of an axis. */
  function influence(axis, measure) {
    const sums = axis.labels.map(() => [0, 0]);
    measure.values.forEach((value, run) => {
      if (typeof value !== "number") return;
      sums[axis.positions[run]][0] += value;
      ++sums[axis.positions[run]][1];
    });
    const means = sums.filter(([, count]) => count > 0).map(([sum, count]) => sum / count);
    return Math.max(...means) - Math.min(...means);
  }

  /** Begins with the longest axis, a measure that changes along it, and the axis that matters most
   *  beside it. */
  function start() {
    const lengths = axes.map((axis) => axis.labels.length);
    state.x = lengths.indexOf(Math.max(...lengths));
    const changes = measures.findIndex((one) => influence(axes[state.x], one) > 0);
    state.measure = Math.max(changes, 0);
    const others = axes.map((_, i) => i)
      .filter((i) => i !== state.x && lengths[i] > 1 && lengths[i] <= palette.length);
    const weight = (i) => influence(axes[i], measures[state.measure]);
    state.color = others.reduce((best, i) => (best < 0 || weight(i) > weight(best) ? i : best), -1);
  }

  const inView = (run) => axes.every((axis, i) => i === state.x || i === state.color ||
    state.only[i] < 0 || axis.positions[run] === state.only[i]);

  /** The mean of the measure for every pair of positions that is shown. */
  function points() {
    const cells = new Map();
    for (let run = 0; run < runCount; ++run) {
      const value = measures[state.measure].values[run];
      if (value === null || typeof value !== "number" || !inView(run)) continue;
      const x = axes[state.x].positions[run];
      const color = state.color < 0 ? 0 : axes[state.color].positions[run];
      const key = `${x} ${color}`;
      if (!cells.has(key)) cells.set(key, { x, color, sum: 0, count: 0 });
      const cell = cells.get(key);
      cell.sum += value;
      ++cell.count;
    }
    return [...cells.values()].sort((a, b) => a.color - b.color || a.x - b.x).map((cell) => ({
      x: axes[state.x].labels[cell.x],
      position: cell.x,
      color: state.color < 0 ? "" : axes[state.color].labels[cell.color],
      mean: cell.sum / cell.count,
      count: cell.count,
    }));
  }

  function drawChart() {
    const shown = points();
    const container = byId("chart");
    container.view?.finalize();
    const measure = measures[state.measure];
    const axis = axes[state.x];
    const colors = state.color < 0 ? [""] : axes[state.color].labels;
    const scale = { domain: colors, range: colors.map((_, i) => palette[i % palette.length]) };
    const spec = {
      data: { values: shown },
      width: Math.max(container.clientWidth - 24, 200),
      height: 340,
      autosize: { type: "fit", contains: "padding" },
      mark: { type: "line", point: true },
      encoding: {
        x: { field: "x", type: "ordinal", sort: axis.labels, title: titleOf(axis),
          axis: { labelAngle: 0 } },
        y: { field: "mean", type: "quantitative", title: titleOf(measure),
          scale: { zero: false } },
        color: { field: "color", type: "nominal", scale, legend: null },
        order: { field: "position", type: "quantitative" },
      },
    };
    const ink = getComputedStyle(document.documentElement).getPropertyValue("--text").trim();
    const config = { background: null, view: { stroke: null },
      axis: { labelColor: ink, titleColor: ink, titleFontWeight: "normal" } };
    const runtime = vega.parse(vegaLite.compile(spec, { config }).spec, null, { ast: true });
    const host = element("div", { role: "img",
      "aria-label": `${titleOf(measure)} by ${titleOf(axis)}` });
    container.replaceChildren(host);
    container.view = new vega.View(runtime, {
      expr: vega.expressionInterpreter, renderer: "canvas", container: host, hover: false,
    });
    container.view.run();
    drawLegend(colors);
    const averaged = Math.max(0, ...shown.map((point) => point.count));
    byId("chart-note").textContent = shown.length === 0 ? "No run has this measure." :
      averaged > 1 ? `Each point is the mean of up to ${averaged} runs.` : "";
  }

  function drawLegend(colors) {
    const items = state.color < 0 ? [] : colors.map((label, i) => {
      const swatch = element("span", { class: "swatch", "aria-hidden": "true" });
      swatch.style.backgroundColor = palette[i % palette.length];
      return element("span", { class: "legend-item" }, swatch, label);
    });
    const title = state.color < 0 ? [] :
      [element("span", { class: "legend-title" }, titleOf(axes[state.color]))];
    byId("legend").replaceChildren(...title, ...items);
  }

  function chooser(name, options, chosen, choose) {
    const select = element("select", { onchange: () => { choose(Number(select.value)); draw(); } },
      ...options.map(([value, label]) => element("option",
        { value, selected: value === chosen ? "" : undefined }, label)));
    return element("label", {}, `${name} `, select);
  }

  function drawControls() {
    const axisOptions = axes.map((axis, i) => [i, nameOf(axis)]);
    const controls = [
      chooser("Measure", measures.map((one, i) => [i, nameOf(one)]), state.measure,
        (i) => { state.measure = i; }),
      chooser("by", axisOptions, state.x, (i) => {
        if (state.color === i) state.color = state.x;
        state.x = i;
      }),
      chooser("colour", [[-1, "none"], ...axisOptions.filter(([i]) => i !== state.x)], state.color,
        (i) => { state.color = i; }),
    ];
    axes.forEach((axis, i) => {
      if (i === state.x || i === state.color || axis.labels.length < 2) return;
      controls.push(chooser(nameOf(axis), [[-1, "mean of all"],
        ...axis.labels.map((label, k) => [k, label])], state.only[i], (k) => { state.only[i] = k; }));
    });
    byId("controls").replaceChildren(...controls);
  }

  function drawTable() {
    const runs = [];
    for (let run = 0; run < runCount; ++run) if (inView(run)) runs.push(run);
    const head = element("tr", {}, ...[...axes, ...measures].map((column) =>
      element("th", { scope: "col" }, titleOf(column))));
    const rows = runs.slice(0, mostRows).map((run) => element("tr", {},
      ...axes.map((axis) => element("td", {}, labelOf(axis, run))),
      ...measures.map((one) => element("td", { class: "number" }, text(one.values[run])))));
    byId("table").replaceChildren(element("table", {}, element("thead", {}, head),
      element("tbody", {}, ...rows)));
    byId("in-view").textContent = `${runs.length.toLocaleString("en-US")} runs in view` +
      (runs.length > mostRows ? `; the first ${mostRows} are shown` : "");
  }

  function drawColumns() {
    const cells = (column) => [nameOf(column), column.role, column.unit, column.meaning];
    const head = ["column", "is", "unit", "meaning"].map((name) =>
      element("th", { scope: "col" }, name));
    byId("columns").replaceChildren(element("table", {},
      element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...data.columns.map((column) => element("tr", {},
        ...cells(column).map((cell) => element("td", {}, cell)))))));
  }

  function draw() {
    drawControls();
    drawChart();
    drawTable();
  }

  const missing = data.expectedRuns - runCount;
  byId("what-was-run").textContent = `Study ${data.study}: ` +
    `${runCount.toLocaleString("en-US")} runs` +
    (missing > 0 ? `; ${missing.toLocaleString("en-US")} of ${data.expectedRuns} are missing` : "") +
    ` · ${data.createdBy} · cospot ${data.versions.join(", ")}`;
  start();
  drawColumns();
  draw();
  window.addEventListener("resize", drawChart);
  return { state, points };
})();
