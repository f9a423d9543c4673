// The runs, the figures of what is in view, and the best combination of each datacenter size.
const Overview = (() => {
  const { element } = Format;

  const { configuration } = Results;

  /** `2 x 8 vcpus, 16 MiB of memory`; of several types one after the other. */
  function hostInWords(host) {
    if (Array.isArray(host)) return host.map((type) => hostInWords(type)).join(" and ");
    const units = { vcpus: "vcpus", memory_mb: "MiB of memory", disk_gb: "GiB of disk" };
    const amounts = Object.entries(units).filter(([key]) => host[key] > 0)
      .map(([key, unit]) => `${Format.count(host[key])} ${unit}`);
    const count = host.count ? `${Format.count(host.count)} x ` : "";
    return `${count}${host.type ? `${host.type}: ` : ""}${amounts.join(", ")}`;
  }

  function sentence() {
    const workloads = Results.axes.workload?.values.length;
    const parts = [`Study ${Results.study}: ` +
      Format.plural(Results.runCount, "run") +
      (workloads ? ` of ${Format.plural(workloads, "workload")}` : "")];
    if (Results.runCount < Results.expectedRuns) {
      const rest = Results.expectedRuns - Results.runCount;
      parts.push(`${Format.plural(rest, "run")} of the study ${rest === 1 ? "is" : "are"} missing`);
    }
    if (configuration.host) parts.push(`hosts of ${hostInWords(configuration.host)}`);
    parts.push(`cospot ${Results.versions.join(", ")}`);
    return parts.join(" · ");
  }

  function table(titles, rows) {
    const isNumber = (value) => value instanceof Number || typeof value === "number";
    return element("div", { class: "scroll" }, element("table", {},
      element("thead", {}, element("tr", {}, ...titles.map((title) =>
        element("th", { scope: "col" }, title)))),
      element("tbody", {}, ...rows.map((row) => element("tr", {},
        ...row.map((cell) => element("td", { class: isNumber(cell) ? "number" : "" },
          typeof cell === "number" ? Format.count(cell) : cell)))))));
  }

  /** The demand of each workload; a price or a share of it is of its first run. */
  function workloadTable() {
    const { vm_requests: vms, spot_requests: spots, vm_revenue_requested: vmRevenue,
      spot_revenue_requested: spotRevenue } = Results.columns;
    const rows = Results.axes.workload.values.map((workload, i) => {
      const run = Results.coordinates.workload.indexOf(i);
      const unit = Results.units[workload.label];
      const vcpus = unit === undefined || unit === "relative" ? 1 : Number(unit);
      const days = (column) => Format.amount(run < 0 ? NaN : (column[run] / 86400) * vcpus);
      const sha256 = Results.columns.workload_sha256?.[run] ?? workload.sha256 ?? "";
      return [Results.axes.workload.names[i], run < 0 ? Format.missing : vms[run],
        run < 0 ? Format.missing : spots[run], days(vmRevenue), days(spotRevenue),
        element("code", { title: sha256 }, sha256.slice(0, 12))];
    });
    return table(["Workload", "VMs requested", "Spots requested", "VM revenue requested",
      "Spot revenue requested", "SHA-256"], rows);
  }

  function sizeTable() {
    const range = (size) => {
      let [least, most] = [Infinity, -Infinity];
      for (let run = 0; run < Results.runCount; ++run) {
        if (Results.coordinates.size[run] !== size) continue;
        least = Math.min(least, Results.columns.hosts[run]);
        most = Math.max(most, Results.columns.hosts[run]);
      }
      if (least > most) return Format.missing;
      return least === most ? Format.count(least) : `${Format.count(least)} to ${Format.count(most)}`;
    };
    return table([Format.titles.size, "Hosts in the datacenter"],
      Results.axes.size.names.map((name, size) => [name, range(size)]));
  }

  function columnTable() {
    return table(["Column", "Called here", "Unit", "Meaning"], Results.described.map((column) =>
      [element("code", {}, column.name), Format.measures[column.name]?.name ?? "",
        column.unit === "fraction" ? "share, 0 to 1" : column.unit,
        element("span", {}, ...Format.prose(column.meaning))]));
  }

  /** The inputs, and the study as a file. */
  function inputs() {
    return [
      workloadTable(),
      element("p", { class: "note" }, `Revenue in ${Results.isRelative ? "unit-days" : "vCPU-days"}, inside the workload’s window.`),
      sizeTable(),
      ...(Results.settings.headroom_of === "each_policy" ? [element("p", { class: "note" },
        "headroom_of: each_policy: a size is more hosts for a VM policy that packs worse, so policies " +
        "are not compared on equal hosts.")] : []),
      Detail.copyable(["The study"], Configuration.ofSweep(), "the study as YAML"),
    ];
  }

  function build() {
    document.getElementById("what-was-run").textContent = sentence();
    document.getElementById("sweep-content").append(
      element("p", {}, "Made by ", element("code", {}, Results.createdBy), "."),
      ...(Results.best ? inputs() : []), columnTable());
  }

  function figure(value, label, hint) {
    return element("div", { class: "figure" }, element("div", { class: "value" }, value),
      element("div", { class: "label" }, label), element("div", { class: "note" }, hint));
  }

  function drawFigures(state, result) {
    const { points } = result;
    const [toSet, bound] = [Points.mostOf(points, false), Points.mostOf(points, true)];
    const { met, failed, y: [y, ...others] } = Results.best;
    const { name: title, text } = Format.measures[y];
    const words = state.mode === "mean" ? "combination" : "run";
    const ofMet = points.filter((point) => point.isMet).length;
    const figures = [figure(toSet ? text(toSet[y]) : Format.missing,
      `most ${Format.inSentence(title)} ${met}`, toSet ? Format.pointName(toSet) : none(points, failed))];
    if (bound) figures.push(figure(text(bound[y]), Results.boundNote, Format.pointName(bound)));
    const changes = Results.figures.filter(({ name, isChange }) => isChange && others.includes(name));
    for (const { name } of changes) {
      const measure = Format.measures[name];
      figures.push(figure(measure.text(Points.meanOf(points, name)),
        `mean ${Format.inSentence(Format.headOf(name))}`, `of all ${words}s in view`));
    }
    figures.push(
      figure(points.length ? Format.percent((100 * ofMet) / points.length, 1) : Format.missing,
        `of ${words}s ${met}`, `${Format.count(ofMet)} of ${Format.count(points.length)}`));
    document.getElementById("figures").replaceChildren(...figures);
  }

  /** The reason for which there is no best one. */
  const none = (points, failed) => (points.every((point) => point.bound)
    ? `nothing in view can be set: ${Results.boundNote}` : `none: every combination ${failed}`);

  /** Selects a combination; its id is one of the mean over workloads. */
  function show(point) {
    const [mode] = ViewState.choices.mode;
    ViewState.change(ViewState.get().mode === mode ? { selected: point.id }
      : { mode, selected: point.id });
    document.querySelector(`#best tr[data-id="${point.id}"] button`).focus();
  }

  // The settings that differ, and the figures of the summary's table.
  const bestAxes = Results.dimensions.filter((d) => d !== Results.best?.axis &&
    !Results.averaged.includes(d) && Results.axes[d].values.length > 1);
  const bestFigures = Results.figures.filter(({ isMore }) => !isMore).map(({ name }) => name);

  /** A row of the best; `without` says why there is none. */
  function bestRow(heading, point, without) {
    const name = element("th", { scope: "row" }, heading);
    if (!point) {
      return element("tr", {}, name,
        element("td", { colspan: bestAxes.length + bestFigures.length + 1 }, without));
    }
    return element("tr", { "data-id": point.id, class: point.bound ? "bound" : "" }, name,
      ...bestAxes.map((d) => element("td", {}, Format.name(d, point[d]))),
      ...bestFigures.map((one) =>
        element("td", { class: "number" }, Format.measures[one].text(point[one]))),
      element("td", {}, element("button", { type: "button",
        "aria-label": `Show ${Format.pointName(point)}`, onclick: () => show(point) }, "Show")));
  }

  function drawBest(result) {
    const { axis, failed, met } = Results.best;
    document.getElementById("best-heading").textContent =
      `The best of each ${Format.inSentence(Format.titles[axis])} ${met}`;
    const rows = result.best.flatMap(({ value, point, bound }) => [
      bestRow(Format.name(axis, value), point, none(result.points, failed)),
      ...(bound ? [bestRow(Results.boundNote, bound)] : [])]);
    const titles = [Format.titles[axis], ...bestAxes.map((d) => Format.titles[d]),
      ...bestFigures.map(Format.headOf), ""];
    document.getElementById("best").replaceChildren(element("table", {},
      element("thead", {}, element("tr", {}, ...titles.map((title, i) =>
        element("th", { scope: "col", class: i > bestAxes.length ? "number" : "" }, title)))),
      element("tbody", {}, ...rows)));
  }

  function selectBest(point) {
    const isCombination = ViewState.get().mode === ViewState.choices.mode[0];
    for (const row of document.querySelectorAll("#best tbody tr")) {
      row.classList.toggle("selected", isCombination && Number(row.dataset.id) === point?.id);
    }
  }

  return { build, drawFigures, drawBest, selectBest };
})();
