// The chosen point over time: a small chart for each quantity, by the days of the window.
const Timeline = (() => {
  const { timeline } = Results;
  const part = document.getElementById("timeline-part");
  const panels = document.getElementById("timeline");
  const { element } = Format;
  const height = 150;

  const columns = (timeline?.columns ?? []).map(({ name, unit, meaning, values }) => {
    const isRevenue = unit === "vcpu-seconds";
    const write = unit === "money" ? Format.money : (value) => Format.amount(value, 1);
    return { name, meaning, isCount: name === "evictions",
      title: Format.readableName(name), unit: isRevenue ? Format.hours : unit,
      values: isRevenue ? values.map((value) => value / 3600) : values,
      text: name === "evictions" ? (value) => Format.count(value, Number.isInteger(value) ? 0 : 1) : write };
  });
  const titleOf = ({ title, unit }) => (Format.says(title, unit) ? title : `${title} (${unit})`);

  /** A column of a point by day: the mean, the least and the most of the runs that have the day, and the
   *  hosts that there are. */
  function daysOf(point, { name, values }) {
    const limit = name === "hosts_in_use" && Results.columns.hosts
      ? Math.max(...point.runs.map((run) => Results.columns.hosts[run])) : undefined;
    const most = Math.max(...point.runs.map((run) => timeline.days[run]));
    return Array.from({ length: most }, (_, day) => {
      const some = point.runs.filter((run) => day < timeline.days[run])
        .map((run) => values[timeline.first[run] + day]).filter((value) => !Number.isNaN(value));
      return { day, limit, mean: some.reduce((sum, value) => sum + value, 0) / some.length,
        least: Math.min(...some), most: Math.max(...some), count: some.length };
    }).filter(({ count }) => count > 0);
  }

  function specification(column, days, several) {
    const y = (field) => ({ field, type: "quantitative", title: null,
      scale: { zero: column.isCount, nice: true },
      axis: { tickCount: 4, minExtent: 36, labelExpr: "format(datum.value, '~s')" } });
    const x = { field: "day", type: "quantitative", title: "Day",
      scale: { nice: false, padding: 12 },
      axis: { tickMinStep: 1, format: "d", grid: false, labelFlush: false } };
    const color = { value: Theme.colors("none")[0] };
    const band = { mark: { type: column.isCount ? "rule" : "area", opacity: column.isCount ? 1 : 0.2 },
      encoding: { x, y: y("least"), y2: { field: "most" },
        color: column.isCount ? { value: Theme.ink("text") } : color } };
    const mean = column.isCount
      ? [{ mark: { type: "bar", size: Math.max(2, Math.min(16, 220 / days.length)), opacity: 0.85 },
        encoding: { x, y: y("mean"), color } }]
      : [{ mark: { type: "line", strokeWidth: 2 }, encoding: { x, y: y("mean"), color } }];
    // The area in which the pointer finds a day: wider than the drawing.
    const touch = { mark: { type: "point", size: 500, opacity: 0, filled: true, tooltip: { content: "data" } },
      encoding: { x, y: y("mean") } };
    const dots = { mark: { type: "point", filled: true, size: 28, opacity: 1 },
      encoding: { x, y: y("mean"), color } };
    const ceiling = { mark: { type: "line", strokeDash: [6, 4], color: Theme.ink("text") }, encoding: { x, y: y("limit") } };
    return { height, data: { values: days },
      layer: [...(days[0]?.limit ? [ceiling] : []), ...(several && !column.isCount ? [band] : []), ...mean,
        ...(several && column.isCount ? [band] : []), ...(column.isCount || days.length > 40 ? [] : [dots]),
        touch] };
  }

  function tooltipOf({ title, unit, text }, { day, mean, least, most, count }) {
    return [`Day ${day}`, `${title}: ${text(mean)} ${unit}`,
      ...(count > 1 ? [`mean of ${count} runs, ${text(least)} to ${text(most)}`] : [])];
  }

  function panel(column, point) {
    const days = daysOf(point, column);
    const place = element("div", { class: "chart" });
    panels.append(element("figure", { class: "card" },
      element("figcaption", { title: Format.plain(column.meaning) }, titleOf(column)), place));
    const said = `${titleOf(column)} by day: ` +
      days.map(({ day, mean }) => `day ${day}: ${column.text(mean)}`).join("; ");
    return { place, column, days, said };
  }

  function table(point) {
    const all = columns.map((column) => daysOf(point, column));
    const days = all[0].map(({ day }) => day);
    return element("table", {}, element("thead", {}, element("tr", {},
      ...["Day", ...columns.map(titleOf)].map((title) =>
        element("th", { scope: "col", class: "number" }, title)))),
    element("tbody", {}, ...days.map((day, i) => element("tr", {},
      element("th", { scope: "row", class: "number" }, String(day)),
      ...columns.map((column, c) => element("td", { class: "number" },
        all[c][i] ? column.text(all[c][i].mean) : Format.missing))))));
  }

  /** The days of every run of a point, with the run's place on every axis. */
  function csvRows(point) {
    const rows = [[...Results.dimensions, "day", ...columns.map(({ name, unit }) =>
      `${name} (${unit})`)]];
    for (const run of point.runs) {
      for (let day = 0; day < timeline.days[run]; ++day) {
        rows.push([...Results.dimensions.map((d) => Results.axes[d].titles[Results.coordinates[d][run]]),
          day, ...columns.map(({ values }) => values[timeline.first[run] + day])]);
      }
    }
    return rows;
  }

  /** All charts as one. */
  function pictureOf(point, shown) {
    return { columns: 2, concat: shown.map(({ column, days }) => ({
      ...specification(column, days, point.runs.length > 1), width: 320,
      title: { text: titleOf(column), anchor: "start", color: Theme.ink("text") } })) };
  }

  function draw(point) {
    if (!timeline) return;
    part.hidden = !point;
    for (const chart of panels.querySelectorAll(".chart")) chart.view?.finalize();
    panels.replaceChildren();
    if (!point) return;
    const several = point.runs.length > 1;
    document.getElementById("timeline-of").textContent = Format.pointName(point);
    document.getElementById("timeline-note").textContent =
      "Instances and hosts in use are means over each day; evictions and revenue are of the day. " +
      "The dashed line is the number of hosts." +
      (several ? ` Lines are the means of ${Format.plural(point.runs.length, "run")}, bands go from ` +
        "the least to the most of them." : "");
    const shown = columns.map((column) => panel(column, point));
    for (const { place, column, days, said } of shown) {
      Charts.draw(place, specification(column, days, several), said,
        (datum) => tooltipOf(column, datum));
    }
    document.getElementById("timeline-table").replaceChildren(table(point));
    Charts.exportButtons(document.getElementById("timeline-save"), panels, {
      name: () => `${Results.study} day by day`, spec: () => pictureOf(point, shown),
      rows: () => csvRows(point) });
  }

  return { draw };
})();
