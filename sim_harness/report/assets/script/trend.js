// A measure by an axis, with the values of another side by side: its means with their 95 % intervals
// and the points that they are of, or how these spread. Numbers have a scale and lines through their
// means; categories have bars, which lie where their names need the width.
const Trend = (() => {
  const container = document.getElementById("trend");
  const fewPoints = 4; // of which quantiles would say nothing
  const mostDots = 800;
  const letter = 6.6; // pixels, of a label
  const colorNames = (state) => (state.color === "none" ? [""] : Results.axes[state.color].shown);
  let drawn = { points: [], state: null, result: null };

  /** The drawn series: for each value of the axis and of the colour. */
  function rows(state, result) {
    return Points.spread(result.points, state.x, state.color, state.measure).map((row) => ({ ...row,
      name: Results.axes[state.x].shown[row.group], colorName: colorNames(state)[row.color],
      number: Results.axes[state.x].values[row.group].number }));
  }

  /** Tells whether the values of an axis are quantities: seeds are names. */
  const isOrdered = (dimension) => dimension !== "seed" && Results.axes[dimension].values.length > 1 &&
    Results.axes[dimension].values.every(({ number }) => typeof number === "number");

  /** The scale of an axis of numbers: powers stand evenly apart. */
  function numberScale(numbers) {
    const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
    const smallest = Math.min(...numbers.filter((value) => value > 0));
    if (least < 0 || most / smallest < 10) return { zero: false, nice: false, padding: 20 };
    if (least === 0) return { type: "symlog", constant: smallest, nice: false, padding: 20 };
    return { type: "log", base: 2, nice: false, padding: 20 };
  }

  /** A long name on several lines. */
  function wrapped(name, most) {
    const lines = [""];
    for (const part of name.split(/(?<=[ \-_/])/)) {
      if (lines.at(-1) && lines.at(-1).length + part.length > most) lines.push("");
      lines[lines.length - 1] += part;
    }
    return lines.map((line) => line.trim());
  }

  /** The layout of categories: upright bars where the names fit below them. */
  function layout(state, values, width) {
    const names = [...new Set(values.map((row) => row.name))];
    const colors = new Set(values.map((row) => row.color)).size;
    const longest = Math.max(0, ...names.map((name) => name.length));
    const band = (width - 70) / Math.max(1, names.length);
    const letters = Math.max(8, Math.floor((width * 0.38) / letter));
    const isFlat = longest * letter + 8 > band || band < 10 * colors;
    const most = isFlat ? letters : Math.max(longest, 1);
    const lines = Math.max(1, ...names.map((name) => wrapped(name, most).length));
    // Bars are thinner where there are many, so that the chart stays one to look at.
    const thickness = Math.max(5, Math.min(14, 1000 / (names.length * colors)));
    const step = Math.max(14 * lines + 8, thickness * colors + 10, 28);
    return { isFlat, most, height: isFlat ? names.length * step + 50 : 340 };
  }

  function legendOf(state, forFile) {
    if (!forFile || state.color === "none") return null;
    return { title: Format.titles[state.color], orient: "top", columns: 6, labelLimit: 0,
      symbolType: "circle" };
  }

  /** The settings that every part of a specification shares. */
  function parts(state, values, width, forFile) {
    const ordered = isOrdered(state.x) && state.marks === "mean";
    const { isFlat, most, height } = ordered ? { isFlat: false, most: 99, height: 340 }
      : layout(state, values, width);
    const names = colorNames(state);
    const numbers = Results.axes[state.x].values.map(({ number }) => number);
    const used = numbers.filter((_, i) => values.some((row) => row.group === i));
    const title = isFlat ? wrapped(Format.measureTitle(state.measure), Math.floor(width / 2 / letter))
      : Format.measureTitle(state.measure);
    const domain = state.zoom ? { domain: state.zoom, clamp: false } : {};
    const order = Results.axes[state.x].shown;
    const texts = Object.fromEntries(order.map((name) => [name, wrapped(name, most).join("\n")]));
    const category = { field: "text", type: "nominal", sort: order.map((name) => texts[name]),
      title: Format.titles[state.x], scale: { paddingInner: 0.2, paddingOuter: 0.1 },
      axis: { labelAngle: 0, labelLimit: 0, labelExpr: "split(datum.label, '\\n')",
        labelOverlap: false, labelPadding: 6, grid: false, ticks: false } };
    return {
      ordered, isFlat, height, texts, title, numbers: used,
      x: ordered ? { field: "number", type: "quantitative", title: Format.titles[state.x],
        scale: numberScale(used), axis: { values: used, labelOverlap: "greedy", grid: false,
          labelExpr: "format(datum.value, '~r')" } } : category,
      measure: (field) => ({ field, type: "quantitative", title,
        scale: { zero: !ordered && state.marks === "mean" && !state.zoom, nice: !state.zoom, ...domain },
        axis: { tickCount: isFlat ? Math.max(3, Math.floor(width / 110)) : 6, grid: true,
          labelFlush: false } }),
      color: { field: "colorName", type: "nominal", legend: legendOf(state, forFile),
        scale: { domain: names, range: Theme.colors(state.color) } },
      offset: { field: "colorName", type: "nominal", sort: names,
        scale: { paddingInner: 0.1 } },
    };
  }

  /** The encoding of a layer, upright or lying. */
  function encoding(p, value, to, more = {}) {
    const [along, across] = p.isFlat ? ["y", "x"] : ["x", "y"];
    const of = { [along]: p.x, [across]: value, color: p.color, ...more };
    if (to) of[`${across}2`] = to;
    if (!p.ordered) of[`${along}Offset`] = p.offset;
    return of;
  }

  function orderedLayers(p) {
    return [
      { mark: { type: "area", opacity: 0.15, clip: true }, transform: [{ filter: "isValid(datum.from)" }],
        encoding: encoding(p, p.measure("from"), { field: "to" }) },
      { mark: { type: "line", strokeWidth: 2, clip: true }, encoding: encoding(p, p.measure("mean")) },
      { mark: { type: "point", filled: true, size: 70, opacity: 1, clip: true },
        encoding: encoding(p, p.measure("mean")) },
    ];
  }

  function barLayers(p) {
    const interval = { color: { value: Theme.ink("text") } };
    return [
      { mark: { type: "bar", minBandSize: 3, opacity: 0.85, clip: true, tooltip: { content: "data" } },
        encoding: encoding(p, p.measure("mean")) },
      { mark: { type: "rule", strokeWidth: 1.5, clip: true },
        transform: [{ filter: "isValid(datum.from)" }],
        encoding: encoding(p, p.measure("from"), { field: "to" }, interval) },
    ];
  }

  function spreadLayers(p) {
    return [
      { mark: { type: "rule", strokeWidth: 1.5, clip: true },
        encoding: encoding(p, p.measure("low"), { field: "high" }) },
      { mark: { type: "bar", minBandSize: 3, clip: true, tooltip: { content: "data" } },
        encoding: encoding(p, p.measure("lower"), { field: "upper" }) },
      { mark: { type: "tick", thickness: 2, opacity: 1, clip: true },
        encoding: encoding(p, p.measure("median"), null,
          { color: { value: Theme.ink("text") } }) },
    ];
  }

  /** The points that the means are of, and the chosen one. */
  function dotLayers(p, state, result, isSpread) {
    const data = isSpread || result.points.length > mostDots ? []
      : result.points.filter((point) => !Number.isNaN(point[state.measure])).map((point) => ({
        id: point.id, value: point[state.measure], text: p.texts[Results.axes[state.x].shown[point[state.x]]],
        number: Results.axes[state.x].values[point[state.x]].number,
        colorName: state.color === "none" ? "" : Results.axes[state.color].shown[point[state.color]] }));
    const ink = { color: { value: Theme.ink("text") } };
    const target = { type: "point", filled: true, opacity: 0, tooltip: { content: "data" }, clip: true };
    const clip = Boolean(state.zoom); // else the circle of an extreme would be cut
    return [
      { data: { name: "dots", values: data },
        mark: { type: "point", filled: false, strokeWidth: 1, size: 22, opacity: 0.55, clip,
          cursor: "pointer" },
        encoding: encoding(p, p.measure("value"), null, p.ordered ? {} : ink) },
      // The mark that the pointer finds: easier to hit than the visible one.
      { data: { name: "dots" }, mark: { ...target, size: 140, cursor: "pointer" },
        encoding: encoding(p, p.measure("value")) },
      ...(p.ordered ? [{ mark: { ...target, size: 180 }, encoding: encoding(p, p.measure("mean")) }] : []),
      { data: { name: "chosen", values: [] },
        mark: { type: "point", size: 200, strokeWidth: 3, opacity: 1, clip },
        encoding: encoding(p, p.measure("value"), null,
          { color: { value: Theme.ink("accent") } }) },
    ];
  }

  const isSpreadOf = (state, values) =>
    state.marks === "spread" && values.some((row) => row.count > fewPoints);

  function specification(state, result, values, width, forFile = false) {
    const isSpread = isSpreadOf(state, values);
    const p = parts({ ...state, marks: isSpread ? "spread" : "mean" }, values, width, forFile);
    const main = isSpread ? spreadLayers(p) : p.ordered ? orderedLayers(p) : barLayers(p);
    if (!forFile) main[0].params = [Charts.brush(p.ordered ? ["y"] : [p.isFlat ? "x" : "y"])];
    const data = { values: values.map((row) => ({ ...row, text: p.texts[row.name],
      from: Number.isNaN(row.half) ? null : row.mean - row.half,
      to: Number.isNaN(row.half) ? null : row.mean + row.half })) };
    return { height: p.height, data, layer: [...main, ...dotLayers(p, state, result, isSpread)],
      ...(forFile ? { title: { text: heading(state), anchor: "start",
        color: Theme.ink("text") } } : {}) };
  }

  const heading = (state) =>
    `${Format.measures[state.measure].name} by ${Format.inSentence(Format.titles[state.x])}`;

  function description(state, values) {
    const { text } = Format.measures[state.measure];
    const named = values.map((row) => `${row.name} ${row.colorName}: ${text(row.mean)}`);
    return `Mean ${Format.measureTitle(state.measure)} by ${Format.titles[state.x]}. ` +
      `${named.join("; ")}.`;
  }

  function tooltipOf(state, datum) {
    const { text, name } = Format.measures[state.measure];
    const point = drawn.result.byId.get(datum.id);
    if (point) return [Format.pointName(point), `${name} ${Format.mean(point, state.measure, text)}`];
    const title = `${Format.titles[state.x]} ${datum.name}` +
      (datum.colorName ? `, ${Format.titles[state.color]} ${datum.colorName}` : "");
    const half = datum.half === null || Number.isNaN(datum.half) ? "" : ` ± ${text(datum.half)}`;
    return [title, `${name} ${text(datum.mean)}${half}`, `mean of ${Format.plural(datum.count, "point")}`,
      ...(datum.count > 1 ? [`from ${text(datum.least)} to ${text(datum.most)}`] : [])];
  }

  function listen(view, state, values) {
    view.addEventListener("click", (_, item) => {
      if (item?.datum?.id !== undefined) return ViewState.change({ selected: item.datum.id });
      // A mark of one point stands for it.
      const row = values.find((one) => one.group === item?.datum?.group && one.color === item.datum.color);
      if (row?.count === 1) ViewState.change({ selected: row.ids[0] });
    });
    Charts.watchBrush(container, view, (ranges) => {
      const range = Object.values(ranges)[0];
      const [from, to] = [Math.min(...range), Math.max(...range)];
      if (to > from) ViewState.change({ zoom: [from, to] });
    });
  }

  function note(state, result, values) {
    const most = values.reduce((greatest, row) => Math.max(greatest, row.count), 0);
    if (most === 0) return "No point in view has this measure.";
    if (isSpreadOf(state, values)) {
      return "Over all points in view. Bar: the middle half; line across it: the median; thin line: from " +
        "the 5th to the 95th percentile.";
    }
    const mark = isOrdered(state.x) ? "Line" : "Bar";
    const circles = result.points.length > mostDots ? "" : "; circle: a point";
    return (most > 1 ? `${mark}: the mean of up to ${most} points${circles}. ` : "") +
      (values.some((row) => !Number.isNaN(row.half))
        ? `${isOrdered(state.x) ? "Band" : "Thin line"}: 95 % interval over the ${Format.samples}. ` : "");
  }

  function draw(state, result) {
    const values = rows(state, result);
    drawn = { state, result, values, points: result.points.filter((one) => !Number.isNaN(one[state.measure])) };
    const spec = (forFile) => specification(state, result, values, container.clientWidth, forFile);
    const view = Charts.draw(container, spec(false), description(state, values),
      (datum) => tooltipOf(state, datum));
    listen(view, state, values);
    Charts.legend(document.getElementById("trend-legend"), state.color);
    document.getElementById("trend-note").textContent = note(state, result, values);
    document.getElementById("trend-help").textContent = values.length === 0 || isSpreadOf(state, values)
      ? "" : `Drag to zoom; click a ${result.points.length > mostDots ? "row of the table" : "circle"} ` +
        "for its configuration.";
    document.getElementById("trend-zoom").hidden = !state.zoom;
    Charts.exportButtons(document.getElementById("trend-save"), container, {
      name: () => `${state.measure} by ${state.x}`, spec: () => spec(true),
      rows: () => [[state.x, ...(state.color === "none" ? [] : [state.color]), "mean", "half_width_95",
        "points", "least", "median", "most"], ...values.map((row) => [row.name,
        ...(state.color === "none" ? [] : [row.colorName]), row.mean, row.half, row.count, row.least,
        row.median, row.most])],
    });
  }

  /** Marks the chosen point. */
  function select(point) {
    const { state } = drawn;
    if (!container.view || !state) return;
    const value = point?.[state.measure];
    if (value === undefined || Number.isNaN(value)) return;
    const name = Results.axes[state.x].shown[point[state.x]];
    const row = drawn.values.find((one) => one.group === point[state.x]);
    const dots = container.view.data("dots");
    const text = dots.find((dot) => dot.id === point.id)?.text ?? row?.text ?? name;
    container.view.data("chosen", [{ id: point.id, value, text,
      number: Results.axes[state.x].values[point[state.x]].number,
      colorName: state.color === "none" ? "" : Results.axes[state.color].shown[point[state.color]],
    }]).run();
  }

  /** Arrow keys walk along the points, by the axis and then by the measure. */
  function walk(event) {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!step || drawn.points.length === 0) return;
    event.preventDefault();
    const { state } = drawn;
    const list = [...drawn.points].sort((a, b) =>
      a[state.x] - b[state.x] || a[state.measure] - b[state.measure] || a.id - b.id);
    const at = list.findIndex((point) => point.id === state.selected ||
      point.id === ViewState.get().selected);
    const next = at < 0 ? (step > 0 ? 0 : list.length - 1)
      : Math.min(list.length - 1, Math.max(0, at + step));
    ViewState.change({ selected: list[next].id });
  }
  container.addEventListener("keydown", walk);
  document.getElementById("trend-zoom").addEventListener("click", () => ViewState.change({ zoom: null }));

  return { draw, rows, select, isOrdered, heading };
})();
