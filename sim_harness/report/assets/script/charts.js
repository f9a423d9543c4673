// Draws Vega-Lite specifications on canvas, and saves them. The interpreter evaluates Vega's
// expressions, so that the content security policy can forbid eval.
const Charts = (() => {
  const box = document.getElementById("tooltip");

  function widthOf(container) {
    const style = getComputedStyle(container);
    return Math.max(100, container.clientWidth - parseFloat(style.paddingLeft) -
      parseFloat(style.paddingRight));
  }

  function viewOf(spec, width, options) {
    // Several charts together have each a width of their own.
    const fit = { width, autosize: { type: spec.height?.step ? "fit-x" : "fit", contains: "padding" } };
    const full = { ...spec, ...(spec.concat ? {} : fit), padding: 4 };
    const compiled = vegaLite.compile(full, { config: Theme.chartConfig() }).spec;
    const runtime = vega.parse(compiled, null, { ast: true });
    return new vega.View(runtime, { expr: vega.expressionInterpreter, hover: false, ...options });
  }

  /** Replaces what `container` shows. `spec` leaves out the width: it is the container's. `linesOf`
   *  gives what the pointer tells of a mark. */
  function draw(container, spec, description, linesOf = null) {
    container.view?.finalize();
    container.replaceChildren();
    const host = element("div");
    container.append(host);
    // Said before it begins: a handler that comes later makes Vega describe the chart anew.
    const tooltip = linesOf && ((_, event, item) =>
      showTooltip(event, item?.tooltip ? linesOf(item.datum) : null));
    const view = viewOf(spec, widthOf(container), { renderer: "canvas", container: host,
      ...(tooltip ? { tooltip } : {}) });
    view.run();
    // Over what Vega says of it.
    host.setAttribute("role", "img");
    host.setAttribute("aria-label", description);
    container.view = view;
    return view;
  }

  /** The place of the scales' origin, in pixels from the corner of the canvas. */
  function originOf(view) {
    const [left, top] = view.origin();
    const padding = view.padding();
    return [left + padding.left, top + padding.top];
  }

  /** Lines by the pointer; without lines none. */
  function showTooltip(event, lines) {
    box.hidden = !lines;
    if (!lines) return;
    box.replaceChildren(...lines.map((line) => element("div", {}, line)));
    const room = document.documentElement.clientWidth - box.offsetWidth - 8;
    box.style.left = `${Math.max(4, Math.min(event.clientX + 14, room))}px`;
    const below = event.clientY + 18;
    const fits = below + box.offsetHeight < document.documentElement.clientHeight;
    box.style.top = `${fits ? below : event.clientY - box.offsetHeight - 10}px`;
  }
  window.addEventListener("scroll", () => showTooltip(null, null), { passive: true });

  /** Coloured marks with their names, above a chart. A click shows or hides a value. */
  function legend(container, dimension) {
    if (dimension === "none") return container.replaceChildren();
    const { shown } = Results.axes[dimension];
    const colors = Theme.colors(dimension);
    const chosen = ViewState.get().filters[dimension];
    const items = shown.map((name, i) => {
      const swatch = element("span", { class: "swatch", "aria-hidden": "true" });
      swatch.style.backgroundColor = colors[i];
      return element("button", { type: "button", class: "legend-item", "data-value": i,
        "aria-pressed": String(chosen.has(i)), title: `Show or hide ${name}`,
        onclick: () => toggle(container, dimension, i) }, swatch, name);
    });
    return container.replaceChildren(
      element("span", { class: "legend-title" }, Format.titles[dimension]), ...items);
  }

  function toggle(container, dimension, index) {
    const chosen = new Set(ViewState.get().filters[dimension]);
    if (!chosen.delete(index)) chosen.add(index);
    ViewState.filter(dimension, chosen);
    container.querySelector(`[data-value="${index}"]`)?.focus();
  }

  /** A rectangle drawn in the chart is zoomed to; `use` gets the ranges of the channels by name. */
  const brush = (encodings) => ({ name: "brush", select: { type: "interval", encodings,
    mark: { fill: Theme.ink("text"), fillOpacity: 0.1, stroke: Theme.ink("muted") } } });
  function watchBrush(container, view, use) {
    let ranges = {};
    view.addSignalListener("brush", (_, value) => { ranges = value; });
    container.onpointerup = () => {
      const chosen = ranges;
      ranges = {};
      if (Object.values(chosen).some((range) => range[0] !== range[1])) use(chosen);
    };
  }

  function save(name, url) {
    const link = element("a", { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
  }

  const quoted = (value) => (/[",\n]/.test(value) ? `"${value.replaceAll("\"", "\"\"")}"` : value);
  /** Saves rows of texts and numbers as CSV. */
  function saveCsv(name, rows) {
    const text = rows.map((row) => row.map((cell) =>
      (Number.isNaN(cell) || cell === null || cell === undefined ? "" : quoted(String(cell))))
      .join(",")).join("\n");
    const url = URL.createObjectURL(new Blob([`${text}\n`], { type: "text/csv" }));
    save(name, url);
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  async function saveImage(name, kind, spec, width) {
    const view = viewOf({ ...spec, background: Theme.ink("surface") }, width, { renderer: "none" });
    await view.runAsync();
    if (kind === "png") save(`${name}.png`, await view.toImageURL("png", 2));
    else {
      const svg = await view.toSVG();
      const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
      save(`${name}.svg`, url);
      setTimeout(() => URL.revokeObjectURL(url), 1000);
    }
    view.finalize();
  }

  /** Buttons that save a chart, with its legend, and its numbers. */
  function exportButtons(container, what, { name, spec, rows }) {
    const width = () => Math.max(640, widthOf(what));
    const button = (text, label, onclick) => element("button", { type: "button", class: "link",
      "aria-label": label, onclick }, text);
    container.replaceChildren(element("span", { class: "legend-title" }, "Save"),
      button("PNG", "Save the chart as PNG", () => saveImage(name(), "png", spec(), width())),
      button("SVG", "Save the chart as SVG", () => saveImage(name(), "svg", spec(), width())),
      button("CSV", "Save the numbers of the chart as CSV", () => saveCsv(`${name()}.csv`, rows())));
  }

  return { draw, originOf, legend, brush, watchBrush, showTooltip, exportButtons, saveCsv };
})();
