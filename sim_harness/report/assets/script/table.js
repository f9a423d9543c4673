// The table of all points in view: sortable by every column, a hundred rows a page.
const Table = (() => {
  const pageSize = 100;
  const { element } = Format;
  const axisColumn = (key) => ({ key, title: Format.titles[key], text: (p) => Format.name(key, p[key]) });
  const number = (key, title, text, hint) => ({ key, title, text, hint, isNumber: true });

  function columns(state) {
    const isMean = state.mode === "mean";
    const counted = (key) => (point) => Format.count(point[key], isMean ? 1 : 0);
    const list = [...(isMean ? [] : [axisColumn("workload")]), axisColumn("size"), axisColumn("vm"), axisColumn("spot"),
      axisColumn("evictor"), axisColumn("saf"), { ...axisColumn("otn"), isNumber: true },
      number("hosts", Results.axes.size.key === "hosts" ? "Host count" : "Hosts", counted("hosts")),
      number("share", "Spot revenue earned", (p) => Format.percent(p.share), "of what spots requested"),
      number("perHost", "Per host", (p) => Format.amount(p.perHost), `${Format.hours} that spots earn on a host`),
      number("gain", "Gain", (p) => Format.gain(p.gain), "over the baseline: OTN 1, SAF off"),
      number("loss", "VM revenue lost", (p) => Format.loss(p.loss), "of what VMs requested"),
      ...(Results.prices ? [number("money", "Spot money earned", (p) => Format.money(p.money)),
        number("moneyLost", "VM money lost", (p) => Format.money(p.moneyLost))] : []),
      number("rejected", "VMs rejected", counted("rejected")),
      number("evictions", "Evictions", counted("evictions")),
      number("admitted", "Spots placed", counted("admitted"))];
    if (Results.isTimed) {
      list.push(number("p99", "Allocation p99", (p) => Format.microseconds(p.p99),
        "99th percentile of the time a VM allocation took"));
    }
    if (isMean) list.push(number("workloads", "Workloads", (p) => Format.count(p.workloads)));
    return list;
  }

  /** Missing values last in either direction; equal ones by least loss, then in grid order. */
  function sorted(points, state) {
    const { sort, descending } = state;
    const missing = (value) => Number.isNaN(value) ? 1 : 0;
    return [...points].sort((a, b) =>
      missing(a[sort]) - missing(b[sort]) ||
      (descending ? b[sort] - a[sort] : a[sort] - b[sort]) || a.loss - b.loss || a.id - b.id);
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
    const input = element("input", { type: "radio", name: "row", value: point.id,
      "aria-label": Format.allocator(point),
      onchange: () => ViewState.change({ selected: point.id }) });
    input.checked = isSelected;
    return element("tr", { "data-id": point.id, class: isSelected ? "selected" : "",
      onclick: () => ViewState.change({ selected: point.id }) },
    element("td", {}, input),
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
