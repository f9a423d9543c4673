// A measure by an axis, with the values of another side by side: as lines through the means, or, where
// there are many points of each, how they spread.
const Trend = (() => {
  const container = document.getElementById("trend");
  const fewPoints = 4;  // of which quantiles would say nothing
  const colorNames = (state) => (state.color === "none" ? [""] : Results.axes[state.color].shown);

  /** What is drawn: for each value of the axis and of the colour. */
  function rows(state, result) {
    return Points.spread(result.points, state.x, state.color, state.measure).map((row) => ({ ...row,
      name: Results.axes[state.x].names[row.group], colorName: colorNames(state)[row.color] }));
  }

  function specification(state, values) {
    const names = colorNames(state);
    const title = Format.measureTitle(state.measure);
    const y = (field) => ({ field, type: "quantitative" });
    const x = { field: "name", type: "nominal", sort: Results.axes[state.x].names,
      title: Format.titles[state.x], axis: { labelAngle: 0, labelOverlap: true } };
    const color = { field: "colorName", type: "nominal", legend: null,
      scale: { domain: names, range: Theme.colors(state.color) } };
    const common = { height: 300, data: { values } };
    const isSpread = values.some((row) => row.count > fewPoints);
    if (!isSpread) {
      return { ...common, mark: { type: "line", point: true }, encoding: { x, color,
        y: { ...y("mean"), title, scale: { zero: false } }, order: y("group") } };
    }
    return {
      ...common,
      encoding: {
        x: { ...x, scale: { paddingInner: 0.25 } },
        // The gap between boxes is the scale's, so that bar and median fill the same band: a width
        // of its own would move the bar off the middle.
        xOffset: { field: "colorName", type: "nominal", sort: names,
          scale: { paddingInner: 0.2, paddingOuter: 0.1 } },
        color,
      },
      layer: [
        { mark: { type: "rule", strokeWidth: 1.5 }, encoding: {
          y: { ...y("low"), title, scale: { nice: true, zero: false }, axis: { tickCount: 7 } },
          y2: { field: "high" } } },
        { mark: { type: "bar", minBandSize: 3 },
          encoding: { y: y("lower"), y2: { field: "upper" } } },
        { mark: { type: "tick", thickness: 2, opacity: 1 },
          encoding: { y: y("median"), color: { value: Theme.ink("text") } } },
      ],
    };
  }

  function description(state, values) {
    const { text } = Format.measures[state.measure];
    const parts = values.map((row) => `${row.name} ${row.colorName}: ${text(row.mean)}`);
    return `Mean ${Format.measureTitle(state.measure)} by ${Format.titles[state.x]}. ` +
      `${parts.join("; ")}.`;
  }

  function draw(state, result) {
    const values = rows(state, result);
    Charts.draw(container, specification(state, values), description(state, values));
    const legend = document.getElementById("trend-legend");
    if (state.color === "none") legend.replaceChildren();
    else {
      Charts.legend(legend, Format.titles[state.color], colorNames(state), Theme.colors(state.color));
    }
    const most = values.reduce((greatest, row) => Math.max(greatest, row.count), 0);
    document.getElementById("trend-note").textContent = most === 0 ? "No point in view has this measure."
      : most > fewPoints ? "Over all points in view. Bar: the middle half; line across it: the " +
        "median; thin line: from the 5th to the 95th percentile."
      : most > 1 ? `Each mark is the mean of up to ${most} points.` : "";
  }

  return { draw, rows };
})();
