// What was run, the figures of what is in view, and the best allocator of each datacenter size.
const Overview = (() => {
  const { element } = Format;

  function hostInWords() {
    const units = { vcpus: "vcpus", memory_mb: "MiB of memory", disk_gb: "GiB of disk" };
    const amounts = Results.hostYaml.slice(1, -1).split(", ").map((entry) => {
      const [key, amount] = entry.split(": ");
      return `${Format.count(Number(amount))} ${units[key]}`;
    });
    return amounts.join(", ");
  }

  function sentence() {
    const parts = [`${Format.plural(Results.runCount, "run")} of ` +
      Format.plural(Results.axes.workload.values.length, "workload")];
    if (Results.runCount < Results.expectedRuns) {
      const rest = Results.expectedRuns - Results.runCount;
      parts.push(`${Format.plural(rest, "run")} of the sweep ${rest === 1 ? "is" : "are"} missing`);
    }
    parts.push(`hosts of ${hostInWords()}`);
    parts.push(`cospot ${Results.versions.join(", ")}`);
    return parts.join(" · ");
  }

  function workloadTable() {
    const rows = Results.axes.workload.values.map((workload, i) => element("tr", {},
      element("th", { scope: "row", title: workload.label }, Results.axes.workload.names[i]),
      ...[workload.vms, workload.spots].map((value) =>
        element("td", { class: "number" }, Format.count(value ?? NaN))),
      ...[workload.vmRevenue, workload.spotRevenue].map((value) =>
        element("td", { class: "number" },
          Format.amount(((value ?? NaN) / 86400) * Money.vcpus(workload)))),
      element("td", {}, element("code", { title: workload.sha256 },
        (workload.sha256 ?? "").slice(0, 12)))));
    const titles = ["Workload", "VMs requested", "Spots requested", "VM revenue requested",
      "Spot revenue requested", "SHA-256"];
    return element("div", { class: "scroll" }, element("table", {},
      element("thead", {}, element("tr", {}, ...titles.map((title, i) =>
        element("th", { scope: "col", class: i > 0 && i < 5 ? "number" : "" }, title)))),
      element("tbody", {}, ...rows)));
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
    return element("div", { class: "scroll" }, element("table", {},
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, Format.titles.size),
        element("th", { scope: "col", class: "number" }, "Hosts in the datacenter"))),
      element("tbody", {}, ...Results.axes.size.names.map((name, size) => element("tr", {},
        element("th", { scope: "row" }, name),
        element("td", { class: "number" }, range(size)))))));
  }

  function build() {
    document.getElementById("what-was-run").textContent = sentence();
    document.getElementById("sweep-content").append(
      element("p", {}, "Made by ", element("code", {}, Results.createdBy), "."),
      workloadTable(),
      element("p", { class: "note" }, `Revenue in ${Results.isRelative ? "unit-days" : "vCPU-days"}, inside the workload’s window.`),
      sizeTable(),
      ...(Results.headroomOf.sweep === "each_policy" ? [element("p", { class: "note" },
        "headroom_of: each_policy: a size is more hosts for a VM policy that packs worse, so policies " +
        "are not compared on equal hosts.")] : []),
      Detail.copyable(["The sweep"], Configuration.ofSweep(), "the sweep as YAML"));
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
    const figures = [figure(toSet ? Format.percent(toSet.share) : Format.missing,
      "most spot revenue earned without VM loss", toSet ? Format.allocator(toSet) : nothing)];
    if (bound) {
      figures.push(figure(Format.percent(bound.share), Format.boundNote, Format.allocator(bound)));
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
      [Format.name("otn", point.otn), "number"], [Format.percent(point.share), "number"],
      [Format.amount(point.perHost), "number"],
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
