// The scatter of what decides, such as spot revenue earned, against what it costs, with the Pareto fronts.
const Scatter = (() => {
  const container = document.getElementById("scatter");
  const reach = 16; // pixels within which a pointer finds a point
  const isNarrow = () => container.clientWidth < 560;
  let view = null;
  let shown = { points: [], front: [], y: "", selected: null, strip: 0 };
  const loss = Results.best?.x;
  const lossText = (point) => Format.measures[loss].text(point[loss]);

  /** Points that lose nothing would hide each other on a line: they have a strip of their own, in
   *  which the horizontal place means nothing. */
  function horizontal(point) {
    if (point[loss] > 0) return point[loss];
    const scattered = (point.id * 0.618033988749895) % 1;
    return -shown.strip * (0.1 + 0.8 * scattered);
  }

  const row = (point) => ({ id: point.id, x: horizontal(point), y: point[shown.y] });

  /** The width of the strip, as a VM loss: a fifth of the chart, when a point needs it. */
  function stripWidth(points) {
    if (!points.some((point) => !(point[loss] > 0))) return 0;
    const most = points.reduce((greatest, point) => Math.max(greatest, point[loss]), 0);
    return most > 0 ? most / 4 : 1;
  }

  function axes(points) {
    const most = points.reduce((greatest, point) => Math.max(greatest, point[loss]), 0);
    const negative = { condition: { test: "datum.value < 0", value: 0 }, value: 1 };
    const { area } = shown;
    const across = area ? area.slice(0, 2) : [-shown.strip, most > 0 ? most * 1.03 : 0];
    return {
      x: { field: "x", type: "quantitative", title: Format.measureTitle(loss),
        scale: { domain: across, nice: false, zero: false },
        axis: { tickCount: isNarrow() ? 4 : 7, tickOpacity: negative, labelOverlap: true,
          labelExpr: most > 0 ? "datum.value < 0 ? '' : datum.label" : "''" } },
      y: { field: "y", type: "quantitative", title: Format.measureTitle(shown.y),
        scale: { zero: false, nice: !area, ...(area ? { domain: area.slice(2) } : {}) },
        axis: { tickCount: 7 } },
    };
  }

  function stripLayers() {
    if (shown.strip === 0) return [];
    const data = { values: [{ from: -shown.strip, to: 0 }] };
    const x = (field) => ({ field, type: "quantitative" });
    return [
      { data, mark: { type: "rect", color: Theme.ink("strip") }, encoding: { x: x("from"),
        x2: { field: "to" }, y: { value: 0 }, y2: { value: "height" } } },
      { data, mark: { type: "text", text: isNarrow() ? "none" : "nothing lost", align: "left", dx: 2,
        baseline: "top", dy: 5, fontSize: 12, color: Theme.ink("muted") },
      encoding: { x: x("from"), y: { value: "height" } } },
    ];
  }

  function frontLayers(fronts) {
    // In the strip names would cover each other.
    const hasName = (front, i) =>
      fronts.length > 1 && i === front.points.length - 1 && front.points[i][loss] > 0;
    const rows = fronts.flatMap((front) => front.points.map((point, i) => ({ ...row(point),
      value: front.value, name: hasName(front, i) ? Format.name(Results.best.axis, front.value) : "" })));
    const mark = { color: Theme.ink("text"), strokeWidth: 1.5 };
    const detail = { field: "value", type: "nominal" };
    return [
      { data: { name: "front", values: rows }, mark: { ...mark, type: "line", clip: true,
        interpolate: "step-after" }, encoding: { detail } },
      { data: { name: "front" }, mark: { ...mark, type: "point", clip: true, fill: Theme.ink("surface"),
        filled: false, size: 40, opacity: 1 } },
      { data: { name: "front" }, mark: { type: "text", align: "left", dx: 7, fontSize: 11,
        fontWeight: 600, color: Theme.ink("text"), stroke: null },
      encoding: { text: { field: "name", type: "nominal" } } },
    ];
  }

  function specification(state, result, forFile = false) {
    const colors = Theme.colors(state.color);
    const many = result.shown.length > 4000;
    const values = result.shown.map((point) => ({ ...row(point), color: colors[point[state.color] ?? 0] }));
    return {
      height: Math.round(Math.min(540, Math.max(300, container.clientWidth * 0.75))),
      layer: [
        ...stripLayers(),
        { encoding: axes(result.shown), layer: [
          { data: { name: "points", values },
            mark: { type: "circle", size: many ? 14 : 34, opacity: many ? 0.45 : 0.7, clip: true },
            encoding: { color: { field: "color", type: "nominal", scale: null,
              ...(forFile && state.color !== "none" ? { legend: { title: Format.titles[state.color], orient: "top", columns: 6,
                values: colors, labelExpr: colors.map((color, i) => `datum.value === '${color}' ? ` +
                  `'${Results.axes[state.color].shown[i].replaceAll("'", "")}' : `).join("") + "''" } }
                : {}) } },
            ...(forFile ? {} : { params: [Charts.brush(["x", "y"])] }) },
          ...frontLayers(result.fronts),
          { data: { name: "selected", values: [] },
            mark: { type: "point", size: 240, strokeWidth: 3, opacity: 1,
              color: Theme.ink("accent") } },
        ] },
      ],
    };
  }

  function description(state, result) {
    const { axis } = Results.best;
    const fronts = result.fronts.map(({ value, points }) => {
      const best = points[points.length - 1];
      return `${Format.titles[axis]} ${Format.name(axis, value)}: ` +
        `${Format.plural(points.length, "point")}, the highest ${Format.measures[state.y].text(best[state.y])} ` +
        `at ${lossText(best)} lost.`;
    });
    return `Scatter of ${Format.plural(result.shown.length, "point")}: ${Format.measureTitle(state.y)} against ` +
      `${Format.measureTitle(loss)}. Pareto fronts: ${fronts.join(" ")}`;
  }

  function draw(state, result) {
    shown = { points: result.shown, front: result.fronts.flatMap((front) => front.points),
      y: state.y, selected: null, strip: stripWidth(result.shown), area: state.area };
    view = Charts.draw(container, specification(state, result), description(state, result));
    container.dataset.points = result.shown.length;
    Charts.watchBrush(container, view, ({ x, y }) => {
      if (x?.[0] === x?.[1] || y?.[0] === y?.[1]) return;
      ViewState.change({ area: [Math.min(...x), Math.max(...x), Math.min(...y), Math.max(...y)] });
    });
    document.getElementById("scatter-zoom").hidden = !state.area;
    Charts.legend(document.getElementById("legend"), state.color);
    Charts.exportButtons(document.getElementById("scatter-save"), container, {
      name: () => `${state.y} against ${loss}`, spec: () => specification(state, result, true),
      rows: () => [["point", state.y, loss], ...result.shown.map((point) =>
        [Format.pointName(point), point[state.y], point[loss]])] });
    const without = result.points.length - result.shown.length;
    document.getElementById("scatter-note").textContent = without === 0 ? ""
      : `${Format.plural(without, "point")} without ${Format.inSentence(Format.measures[state.y].name)} ` +
        "are left out.";
  }

  function select(point) {
    shown.selected = point;
    const values = point && !Number.isNaN(point[shown.y]) ? [row(point)] : [];
    view?.data("selected", values).run();
  }

  /** The place of a point, in pixels from the corner of the canvas. */
  function placeOf(id) {
    const point = shown.points.find((candidate) => candidate.id === id);
    const [left, top] = Charts.originOf(view);
    return { x: left + view.scale("x")(horizontal(point)), y: top + view.scale("y")(point[shown.y]) };
  }

  function nearest(event) {
    if (!view) return null;
    const canvas = container.querySelector("canvas").getBoundingClientRect();
    const [left, top] = Charts.originOf(view);
    const [x, y] = [view.scale("x"), view.scale("y")];
    const [px, py] = [event.clientX - canvas.left - left, event.clientY - canvas.top - top];
    let best = null;
    let distance = reach * reach;
    for (const point of shown.points) {
      const d = (x(horizontal(point)) - px) ** 2 + (y(point[shown.y]) - py) ** 2;
      if (d <= distance) [best, distance] = [point, d];
    }
    return best;
  }

  function showTooltip(event) {
    const point = nearest(event);
    container.classList.toggle("over-point", Boolean(point));
    if (!point) return Charts.showTooltip(event, null);
    const lines = [Format.pointName(point),
      ...[...Results.best.y, loss].map((name) =>
        `${Format.headOf(name)} ${Format.measures[name].text(point[name])}`)];
    if (point.bound) lines.push(Results.boundNote);
    return Charts.showTooltip(event, lines);
  }

  /** Arrow keys walk along the Pareto fronts. */
  function walk(event) {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!step || shown.front.length === 0) return;
    event.preventDefault();
    const at = shown.front.findIndex((point) => point.id === shown.selected?.id);
    const last = shown.front.length - 1;
    const next = at < 0 ? (step > 0 ? 0 : last) : Math.min(last, Math.max(0, at + step));
    ViewState.change({ selected: shown.front[next].id });
  }

  container.addEventListener("mousemove", showTooltip);
  container.addEventListener("mouseleave", () => Charts.showTooltip(null, null));
  document.getElementById("scatter-zoom")?.addEventListener("click", () => ViewState.change({ area: null }));
  container.addEventListener("keydown", walk);
  container.addEventListener("click", (event) => {
    const point = nearest(event);
    if (point) ViewState.change({ selected: point.id });
  });

  return { draw, select, placeOf };
})();
