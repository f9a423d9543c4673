// Draws Vega-Lite specifications on canvas. The interpreter evaluates Vega's expressions, so that
// the content security policy can forbid eval.
const Charts = (() => {
  /** Replaces what `container` shows. `spec` leaves out the width: it is the container's. */
  function draw(container, spec, description) {
    container.view?.finalize();
    container.replaceChildren();
    const style = getComputedStyle(container);
    const width = container.clientWidth - parseFloat(style.paddingLeft) -
      parseFloat(style.paddingRight);
    const full = {
      ...spec,
      width: Math.max(width, 100),
      autosize: { type: "fit", contains: "padding" },
      padding: 4,
    };
    const compiled = vegaLite.compile(full, { config: Theme.chartConfig() }).spec;
    const runtime = vega.parse(compiled, null, { ast: true });
    const host = document.createElement("div");
    container.append(host);
    const view = new vega.View(runtime, {
      expr: vega.expressionInterpreter, renderer: "canvas", container: host, hover: false,
    });
    view.run();
    host.setAttribute("role", "img");
    host.setAttribute("aria-label", description);
    container.view = view;
    return view;
  }

  /** Coloured marks with their names, above a chart. */
  function legend(container, title, names, colors) {
    const items = names.map((name, i) => {
      const swatch = Format.element("span", { class: "swatch", "aria-hidden": "true" });
      swatch.style.backgroundColor = colors[i];
      return Format.element("span", { class: "legend-item" }, swatch, name);
    });
    container.replaceChildren(Format.element("span", { class: "legend-title" }, title), ...items);
  }

  return { draw, legend };
})();
