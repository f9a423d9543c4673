// The runs, the figures of what is in view, and the best allocator of each datacenter size.
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
    const parts = [(Results.study === "compare" ? "" : `Study ${Results.study}: `) +
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

  function comparisonParts() {
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
      ...(Results.isComparison ? comparisonParts() : []), columnTable());
  }

  function figure(value, label, hint) {
    return element("div", { class: "figure" }, element("div", { class: "value" }, value),
      element("div", { class: "label" }, label), element("div", { class: "note" }, hint));
  }

  function drawFigures(state, result) {
    const { points } = result;
    const [toSet, bound] = [Points.earnsMost(points, false), Points.earnsMost(points, true)];
    const isMean = state.mode === "mean";
    const lossless = points.filter((point) => point.lossless).length;
    const nothing = points.length > 0 && points.every((point) => point.bound)
      ? `nothing in view can be set: every ${isMean ? "allocator" : "run"} knows lifetimes` : "";
    const figures = [figure(toSet ? Format.percent(toSet.spot_share) : Format.missing,
      "most spot revenue earned without VM loss", toSet ? Format.allocator(toSet) : nothing)];
    if (bound) {
      figures.push(figure(Format.percent(bound.spot_share), Format.boundNote, Format.allocator(bound)));
    }
    if (Results.hasGain) {
      figures.push(figure(Format.gain(Points.meanOf(points, "gain")), "mean gain",
        isMean ? "of all allocators in view" : "of all runs in view"));
    }
    figures.push(
      figure(points.length ? Format.percent((100 * lossless) / points.length, 1) : Format.missing,
        isMean ? "of allocators lose no VM" : "of runs lose no VM",
        `${Format.count(lossless)} of ${Format.count(points.length)}`));
    document.getElementById("figures").replaceChildren(...figures);
  }

  /** Selects an allocator; its id is one of the mean over workloads. */
  function show(point) {
    const [mode] = ViewState.choices.mode;
    ViewState.change(ViewState.get().mode === mode ? { selected: point.id }
      : { mode, selected: point.id });
    document.querySelector(`#best tr[data-id="${point.id}"] button`).focus();
  }

  const bestTitles = [Format.titles.size, "Hosts", "VM policy", "Spot policy", "Evictor", "SAF", "OTN",
    "Spot revenue earned", `Per host (${Format.hours})`, "Gain", "Evictions", ""];
  const isNumber = (column) => column === 1 || (column >= 6 && column <= 10);

  /** A row of the best; `without` says why there is none. */
  function bestRow(heading, point, without) {
    const name = element("th", { scope: "row" }, heading);
    if (!point) {
      return element("tr", {}, name, element("td", { colspan: bestTitles.length - 1 }, without));
    }
    const cells = [[Format.count(point.hosts, Number.isInteger(point.hosts) ? 0 : 1), "number"],
      ...["vm", "spot", "evictor", "saf"].map((d) => [Format.name(d, point[d]), ""]),
      [Format.name("otn", point.otn), "number"], [Format.percent(point.spot_share), "number"],
      [Format.amount(point.spot_vcpu_hours_per_host), "number"],
      [Format.gain(point.gain), "number"], [Format.count(point.evictions, 1), "number"]];
    return element("tr", { "data-id": point.id, class: point.bound ? "bound" : "" }, name,
      ...cells.map(([text, kind]) => element("td", { class: kind }, text)),
      element("td", {}, element("button", { type: "button",
        "aria-label": `Show ${Format.allocator(point)}`,
        onclick: () => show(point) }, "Show")));
  }

  function drawBest(result) {
    const anyToSet = result.points.some((point) => !point.bound);
    const rows = result.best.flatMap(({ size, point, bound }) => [
      bestRow(Format.name("size", size), point, anyToSet ? "none: every allocator rejects VMs"
        : "nothing in view can be set"),
      ...(bound ? [bestRow(Format.boundNote, bound)] : [])]);
    document.getElementById("best").replaceChildren(element("table", {},
      element("thead", {}, element("tr", {}, ...bestTitles.map((title, i) =>
        element("th", { scope: "col", class: isNumber(i) ? "number" : "" }, title)))),
      element("tbody", {}, ...rows)));
  }

  function selectBest(point) {
    const isAllocator = ViewState.get().mode === ViewState.choices.mode[0];
    for (const row of document.querySelectorAll("#best tbody tr")) {
      row.classList.toggle("selected", isAllocator && Number(row.dataset.id) === point?.id);
    }
  }

  return { build, drawFigures, drawBest, selectBest };
})();
