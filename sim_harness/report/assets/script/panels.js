// Small charts of how a measure spreads over one setting, with SAF off and on side by side.
const Panels = (() => {
  const measures = { ...Format.measures,
    loss: { name: "VM revenue lost", unit: "%", text: Format.percent } };
  const measureTitle = (key) => `${measures[key].name.toLowerCase()} (${measures[key].unit})`;
  const panels = [
    { id: "panel-otn", dimension: "otn", measure: (state) => state.y },
    { id: "panel-size", dimension: "size", measure: (state) => state.y },
    { id: "panel-loss", dimension: "size", measure: () => "loss" },
  ];

  function specification(dimension, measure, rows) {
    const safNames = Results.axes.saf.names;
    const names = Results.axes[dimension].names;
    const values = rows.map((row) => ({ ...row, name: names[row.group], saf: safNames[row.saf] }));
    const y = (field) => ({ field, type: "quantitative" });
    const color = { field: "saf", type: "nominal", legend: null,
      scale: { domain: safNames, range: Theme.colors("saf") } };
    return {
      height: 200,
      data: { values },
      encoding: {
        x: { field: "name", type: "nominal", sort: names, title: Format.titles[dimension],
          axis: { labelAngle: 0, labelOverlap: true }, scale: { paddingInner: 0.25 } },
        // The gap between boxes is the scale's, so that bar and median fill the same band: a width
        // of its own would move the bar off the middle.
        xOffset: { field: "saf", type: "nominal", sort: safNames,
          scale: { paddingInner: 0.2, paddingOuter: 0.1 } },
        color,
      },
      layer: [
        { mark: { type: "rule", strokeWidth: 1.5 }, encoding: {
          y: { ...y("low"), title: measureTitle(measure), scale: { nice: true },
            axis: { tickCount: 5 } },
          y2: { field: "high" } } },
        { mark: { type: "bar", minBandSize: 3 },
          encoding: { y: y("lower"), y2: { field: "upper" } } },
        { mark: { type: "tick", thickness: 2, opacity: 1 },
          encoding: { y: y("median"), color: { value: Theme.ink("text") } } },
      ],
    };
  }

  function description(dimension, measure, rows) {
    const parts = rows.map((row) => `${Format.name(dimension, row.group)}, SAF ` +
      `${Format.name("saf", row.saf)}: ${measures[measure].text(row.median)}`);
    return `Median ${measureTitle(measure)} by ${Format.titles[dimension]}. ${parts.join("; ")}.`;
  }

  function draw(state, result) {
    Charts.legend(document.getElementById("panel-legend"), "SAF", Results.axes.saf.names,
      Theme.colors("saf"));
    for (const { id, dimension, measure } of panels) {
      const key = measure(state);
      document.getElementById(`${id}-title`).textContent =
        `${measures[key].name} by ${dimension === "otn" ? "OTN" : Format.titles[dimension].toLowerCase()}`;
      const rows = Points.spread(result.points, dimension, key);
      Charts.draw(document.getElementById(id), specification(dimension, key, rows),
        description(dimension, key, rows));
    }
  }

  return { draw };
})();
