// The table of all points in view: sortable by every column, a hundred rows a page.
const Table = (() => {
  const pageSize = 100;
  const { element } = Format;
  const axisColumn = (key) => ({ key, title: Format.titles[key], text: (p) => Format.name(key, p[key]) });
  const number = (key, title, text, hint) => ({ key, title, text, hint, isNumber: true });

  /** The columns to be looked at first, or all. */
  function describedColumns(state) {
    const { chosen, described } = Results;
    if (state.columns === "all" || chosen.length === 0) return described;
    return described.filter(({ name }) => chosen.includes(name))
      .sort((a, b) => chosen.indexOf(a.name) - chosen.indexOf(b.name));
  }

  function measureColumns(state) {
    return describedColumns(state).map(({ name, meaning }) => {
      const measure = Format.measures[name];
      if (!measure) {
        return { key: name, title: Format.readableName(name), hint: Format.plain(meaning),
          text: (point) => Results.columns[name][point.runs[0]] ?? Format.missing };
      }
      return number(name, Format.headOf(name),
        (point) => Format.mean(point, name, measure.text), Format.plain(meaning));
    });
  }

  /** Axes that tell points apart; with all columns the others too. */
  const isShown = (state) => (d) => (state.mode !== "mean" || !Results.averaged.includes(d)) &&
    (state.columns === "all" || Results.axes[d].values.length > 1);

  function columns(state) {
    const isMean = state.mode === "mean";
    return [
      ...Results.dimensions.filter(isShown(state)).map((d) => ({ ...axisColumn(d),
        isNumber: d !== "size" && Trend.isOrdered(d) })),
      ...measureColumns(state),
      ...(isMean ? [number("count",
        Results.averaged.join() === "workload" ? "Workloads" : "Runs",
        (p) => Format.count(p.count))] : []),
    ];
  }

  /** Missing values last in either direction; equal ones by least loss, then in grid order. */
  function sorted(points, state) {
    const { sort, descending } = state;
    const loss = Results.best?.x;
    const missing = (value) => Number.isNaN(value) ? 1 : 0;
    return [...points].sort((a, b) =>
      missing(a[sort]) - missing(b[sort]) ||
      (descending ? b[sort] - a[sort] : a[sort] - b[sort]) ||
      (a[loss] ?? 0) - (b[loss] ?? 0) || a.id - b.id);
  }

  function sortBy(column, state) {
    const descending = state.sort === column.key ? !state.descending : Boolean(column.isNumber);
    ViewState.change({ sort: column.key, descending });
    document.querySelector(`#table button[data-sort=${column.key}]`)?.focus();
  }

  function heading(column, state) {
    const isSorted = state.sort === column.key;
    const direction = state.descending ? "descending" : "ascending";
    const arrow = isSorted ? (state.descending ? " ↓" : " ↑") : "";
    return element("th", { scope: "col", "aria-sort": isSorted ? direction : "none",
      class: column.isNumber ? "number" : "" },
    element("button", { type: "button", "data-sort": column.key, title: column.hint,
      onclick: () => sortBy(column, state) }, column.title,
    element("span", { "aria-hidden": "true" }, arrow)));
  }

  function line(point, list, selected) {
    const isSelected = selected?.id === point.id;
    const choose = () => ViewState.change({ selected: point.id });
    return element("tr", { "data-id": point.id, class: isSelected ? "selected" : "",
      onclick: choose },
    element("td", {}, element("input", { type: "radio", name: "row", value: point.id,
      checked: isSelected, "aria-label": Format.pointName(point), onchange: choose })),
    ...list.map((column) => element("td", { class: column.isNumber ? "number" : "" },
      column.text(point))));
  }

  function pager(container, page, pages, total) {
    const turn = (label, to) => {
      ViewState.change({ page: to });
      // The buttons are new; at an end the one that was pressed cannot have the focus.
      const pressed = container.querySelector(`button[aria-label="${label}"]`);
      (pressed?.disabled ? container.querySelector("button:enabled") : pressed)?.focus();
    };
    const go = (text, label, to, enabled) => element("button", { type: "button",
      "aria-label": label, disabled: !enabled, onclick: () => turn(label, to) }, text);
    const from = page * pageSize + 1;
    const to = Math.min(total, from + pageSize - 1);
    const words = total === 0 ? "No points: a filter leaves none."
      : `Rows ${Format.count(from)} to ${Format.count(to)} of ${Format.count(total)}`;
    const buttons = pages <= 1 ? [] : [
      go("« First", "First page", 0, page > 0), go("‹ Previous", "Previous page", page - 1, page > 0),
      go("Next ›", "Next page", page + 1, page < pages - 1),
      go("Last »", "Last page", pages - 1, page < pages - 1)];
    container.replaceChildren(element("span", {}, words), ...buttons);
  }

  /** All points in view, in their order, as the table has them. */
  function csvRows(state, result) {
    const axes = Results.dimensions.filter((d) => state.mode !== "mean" || !Results.averaged.includes(d));
    const names = Results.described.map(({ name }) => name).filter((name) => name in Format.measures);
    return [[...axes, ...names], ...sorted(result.points, state).map((point) =>
      [...axes.map((d) => Results.axes[d].titles[point[d]]), ...names.map((name) => point[name])])];
  }

  function tools(state, result) {
    const box = element("input", { type: "checkbox", id: "all-columns", checked: state.columns === "all",
      onchange: (event) => ViewState.change({ columns: event.target.checked ? "all" : "chosen" }) });
    document.getElementById("table-tools").replaceChildren(
      element("label", { class: "choice" }, box, "All columns"),
      element("button", { type: "button", class: "link", "aria-label": "Save all points as CSV",
        onclick: () => Charts.saveCsv(`${Results.study} points.csv`, csvRows(state, result)) },
      "Save as CSV"));
  }

  function draw(state, result, selected) {
    tools(state, result);
    const points = sorted(result.points, state);
    const pages = Math.ceil(points.length / pageSize);
    const page = Math.max(0, Math.min(state.page, pages - 1));
    const list = columns(state);
    const rows = points.slice(page * pageSize, (page + 1) * pageSize);
    const table = element("table", {},
      element("caption", { class: "hidden" }, "All points in view. The buttons in the heading sort; " +
        "the first column selects."),
      element("thead", {}, element("tr", {},
        element("th", { scope: "col" }, element("span", { class: "hidden" }, "Select")),
        ...list.map((column) => heading(column, state)))),
      element("tbody", {}, ...rows.map((point) => line(point, list, selected))));
    document.getElementById("table").replaceChildren(table);
    for (const id of ["pages-top", "pages-bottom"]) {
      pager(document.getElementById(id), page, pages, points.length);
    }
  }

  function select(point) {
    for (const row of document.querySelectorAll("#table tbody tr")) {
      const isSelected = Number(row.dataset.id) === point?.id;
      row.classList.toggle("selected", isSelected);
      row.querySelector("input").checked = isSelected;
    }
  }

  return { draw, select };
})();
