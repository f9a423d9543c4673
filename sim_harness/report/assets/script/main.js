// Draws everything, and again what a change of the view touches.
(() => {
  let result = null;

  /** The chosen point; until there is one, the best. */
  function selection(state) {
    const chosen = result.byId.get(state.selected);
    return chosen ? [chosen, true] : [Points.bestOf(result.points), false];
  }

  function drawSelection(state) {
    const [point, isChosen] = selection(state);
    if (Results.best) {
      Scatter.select(point);
      Overview.selectBest(point);
    }
    Trend.select(point);
    Table.select(point);
    Detail.draw(point, isChosen);
    Timeline.draw(point);
  }

  function drawWords(state) {
    if (Results.best) {
      document.getElementById("chart-heading").textContent =
        `${Format.measures[state.y].name} against ${Format.measures[Results.best.x].name}`;
    }
    document.getElementById("trend-heading").textContent = Trend.heading(state);
    const filters = Filters.inWords(state);
    const isMean = state.mode === "mean";
    const kind = isMean ? "combination" : "run";
    document.getElementById("in-view").textContent =
      `In view: ${Format.plural(result.points.length, kind)}` +
      (isMean ? `, each the mean of its ${Format.samples}; ` +
        `${Format.count(result.runs)} of ${Format.plural(Results.runCount, "run")}.`
        : ` of ${Format.count(Results.runCount)}.`) +
      (filters ? ` Filters: ${filters}.` : "");
  }

  function drawCharts(state) {
    if (Results.best) Scatter.draw(state, result);
    Trend.draw(state, result);
  }

  function drawTrend(state) {
    Filters.update(state);
    drawWords(state);
    if (Results.isPair) Changes.draw(state, result);
    Trend.draw(state, result);
    drawSelection(state);
  }

  const drawTable = (state) => Table.draw(state, result, selection(state)[0]);

  function drawAll(state) {
    result = Points.compute(state);
    Filters.update(state);
    drawWords(state);
    if (Results.isPair) Changes.draw(state, result);
    if (Results.best) {
      Overview.drawFigures(state, result);
      Overview.drawBest(result);
    }
    drawCharts(state);
    drawTable(state);
    drawSelection(state);
  }

  function onChange(state, changed) {
    const only = (...keys) => changed.every((key) => keys.includes(key));
    if (only("selected")) drawSelection(state);
    else if (only("page", "sort", "descending", "columns")) drawTable(state);
    else if (only("measure", "x", "marks", "zoom")) drawTrend(state);
    else if (only("area")) redrawCharts();
    else drawAll(state);
  }

  function redrawCharts() {
    drawCharts(ViewState.get());
    drawSelection(ViewState.get());
  }

  /** Charts have the width of their card: they are drawn again when it changes. */
  function watchWidth() {
    const chart = document.getElementById("trend");
    let width = chart.clientWidth;
    let waiting = 0;
    new ResizeObserver(() => {
      if (chart.clientWidth === width) return;
      width = chart.clientWidth;
      clearTimeout(waiting);
      waiting = setTimeout(redrawCharts, 100);
    }).observe(chart);
  }

  const detail = document.getElementById("detail");
  // Parts of the page, and words that it explains, that are about what this study does not have.
  const there = { ...Results.axes, ...Results.columns, ...(Results.best ? { best: true } : {}) };
  for (const part of document.querySelectorAll("[data-needs]")) {
    if (!(part.dataset.needs in there)) part.remove();
  }
  if (!Results.isPair) document.getElementById("changes-part").remove();
  // The details of a point stand beside the chart whose points are chosen.
  if (!Results.best) document.getElementById("trend-place").append(detail);
  const timeline = document.getElementById("timeline-part");
  if (!Results.timeline) timeline.remove();
  else if (!Results.best) document.getElementById("trend-part").after(timeline);
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
