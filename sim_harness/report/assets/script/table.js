// The table of all points in view: sortable by every column, a hundred rows a page.
const Table = (() => {
  const pageSize = 100;
  const canSelect = Results.study === "compare";
  const { element } = Format;
  const axisColumn = (key) => ({ key, title: Format.titles[key], text: (p) => Format.name(key, p[key]) });
  const number = (key, title, text, hint) => ({ key, title, text, hint, isNumber: true });

  /** A comparison's table has what people ask for first; that of other studies every column. */
  const chosen = [
    ["hosts", Results.axes.size?.key === "hosts" ? "Host count" : "Hosts", "count"],
    ["spot_share", "Spot revenue earned", Format.percent, "of what spots requested"],
    ["spot_vcpu_hours_per_host", "Per host", Format.amount, `${Format.hours} that spots earn on a host`],
    ["gain", "Gain", Format.gain, "over the baseline: OTN 1, SAF off"],
    ["vm_loss", "VM revenue lost", Format.loss, "of what VMs requested"],
    ["spot_earned", "Spot money earned", Format.money],
    ["vm_lost", "VM money lost", Format.money],
    ["vm_rejected", "VMs rejected", "count"],
    ["evictions", "Evictions", "count"],
    ["spot_admitted", "Spots placed", "count"],
    ["alloc_p99_ns", "Allocation p99", Format.microseconds,
      "99th percentile of the time a VM allocation took"],
  ].filter(([key]) => key in Results.columns && (key !== "alloc_p99_ns" || Results.isTimed));

  const head = (column) => Format.titles[column.name] ?? column.name.replaceAll("_", " ");

  function measureColumns(isMean) {
    if (Results.study === "compare") {
      return chosen.map(([key, title, text, hint]) => number(key, title, text === "count"
        ? (point) => Format.mean(point, key, (value) => Format.count(value, isMean ? 1 : 0))
        : (point) => Format.mean(point, key, text), hint));
    }
    return Results.described.map((column) => ({
      key: column.name,
      title: head(column) + (column.unit && column.unit !== column.name &&
        column.unit !== "fraction" ? `, ${column.unit}` : ""),
      hint: column.meaning,
      isNumber: Results.isNumber(column.name),
      text: (point) => (Results.isNumber(column.name) ? Format.mean(point, column.name, Format.measures[column.name].text)
        : Results.columns[column.name][point.runs[0]] ?? Format.missing),
    }));
  }

  function columns(state) {
    const isMean = state.mode === "mean";
    return [
      ...Results.dimensions.filter((d) => !isMean || !Results.averaged.includes(d))
        .map((d) => ({ ...axisColumn(d), isNumber: d === "otn" })),
      ...measureColumns(isMean),
      ...(isMean ? [number("count", Results.averaged.includes("seed") ? "Runs" : "Workloads",
        (p) => Format.count(p.count))] : []),
    ];
  }

  /** Missing values last in either direction; equal ones by least loss, then in grid order. */
  function sorted(points, state) {
    const { sort, descending } = state;
    const missing = (value) => Number.isNaN(value) ? 1 : 0;
    return [...points].sort((a, b) =>
      missing(a[sort]) - missing(b[sort]) ||
      (descending ? b[sort] - a[sort] : a[sort] - b[sort]) ||
      (a.vm_loss ?? 0) - (b.vm_loss ?? 0) || a.id - b.id);
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
    const choose = canSelect ? () => ViewState.change({ selected: point.id }) : undefined;
    return element("tr", { "data-id": point.id, class: isSelected ? "selected" : "",
      onclick: choose },
    ...(canSelect ? [element("td", {}, element("input", { type: "radio", name: "row",
      value: point.id, checked: isSelected, "aria-label": Format.allocator(point),
      onchange: choose }))] : []),
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

  function draw(state, result, selected) {
    const points = sorted(result.points, state);
    const pages = Math.ceil(points.length / pageSize);
    const page = Math.max(0, Math.min(state.page, pages - 1));
    const list = columns(state);
    const rows = points.slice(page * pageSize, (page + 1) * pageSize);
    const table = element("table", {},
      element("caption", { class: "hidden" }, "All points in view. The buttons in the heading sort" +
        (canSelect ? "; the first column selects." : ".")),
      element("thead", {}, element("tr", {},
        ...(canSelect ? [element("th", { scope: "col" },
          element("span", { class: "hidden" }, "Select"))] : []),
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
      if (canSelect) row.querySelector("input").checked = isSelected;
    }
  }

  return { draw, select };
})();
