// Draws everything, and again what a change of the view touches.
(() => {
  let result = null;

  /** The chosen point; until there is one, what earns most without VM loss and can be set. */
  function selection(state) {
    const chosen = result.byId.get(state.selected);
    if (chosen) return [chosen, true];
    return [Points.earnsMost(result.points, false) ?? Points.earnsMost(result.points, true), false];
  }

  function drawSelection(state) {
    const [point, isChosen] = selection(state);
    Scatter.select(point);
    Table.select(point);
    Detail.draw(point, isChosen);
    Overview.selectBest(point);
  }

  function drawWords(state) {
    document.getElementById("chart-heading").textContent =
      `${Format.measures[state.y].name} against VM revenue lost`;
    const filters = Filters.inWords(state);
    const kind = state.mode === "mean" ? "allocator" : "run";
    document.getElementById("in-view").textContent =
      `In view: ${Format.plural(result.points.length, kind)}` +
      (state.mode === "mean" ? `, each the mean of its workloads; ${Format.count(result.runs)}` +
        ` of ${Format.plural(Results.runCount, "run")}.` : ` of ${Format.count(Results.runCount)}.`) +
      (filters ? ` Filters: ${filters}.` : "");
  }

  function drawCharts(state) {
    Scatter.draw(state, result);
    Panels.draw(state, result);
  }

  function drawAll(state) {
    result = Points.compute(state);
    Filters.update(state);
    drawWords(state);
    Overview.drawFigures(state, result);
    Overview.drawBest(result);
    drawCharts(state);
    Table.draw(state, result, selection(state)[0]);
    drawSelection(state);
  }

  function onChange(state, changed) {
    const only = (...keys) => changed.every((key) => keys.includes(key));
    if (only("selected")) drawSelection(state);
    else if (only("page", "sort", "descending")) Table.draw(state, result, selection(state)[0]);
    else drawAll(state);
  }

  function redrawCharts() {
    drawCharts(ViewState.get());
    drawSelection(ViewState.get());
  }

  /** Charts have the width of their card: they are drawn again when it changes. */
  function watchWidth() {
    const scatter = document.getElementById("scatter");
    let width = scatter.clientWidth;
    let waiting = 0;
    new ResizeObserver(() => {
      if (scatter.clientWidth === width) return;
      width = scatter.clientWidth;
      clearTimeout(waiting);
      waiting = setTimeout(redrawCharts, 100);
    }).observe(scatter);
  }

  Filters.build();
  Overview.build();
  drawAll(ViewState.get());
  ViewState.subscribe(onChange);
  Theme.onChange(redrawCharts);
  watchWidth();
  for (const [event, printing] of [["beforeprint", true], ["afterprint", false]]) {
    window.addEventListener(event, () => {
      Theme.setPrinting(printing);
      redrawCharts();
    });
  }
  document.documentElement.dataset.ready = "true";
})();
