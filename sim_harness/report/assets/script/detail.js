// The selected point: its numbers and its configuration to copy.
const Detail = (() => {
  const container = document.getElementById("detail");
  const { element } = Format;

  /** A block of text under a heading, with a button that copies it. */
  function copyable(heading, text, label, kind = "") {
    const block = element("pre", { tabindex: "0", "aria-label": label, class: kind }, text);
    const button = element("button", { type: "button", class: "copy", "aria-label": `Copy: ${label}`,
      onclick: () => copy(text, block, button) }, "Copy");
    return element("div", { class: "copyable" }, element("div", { class: "copyable-head" },
      element("h4", {}, ...heading), button), block);
  }

  async function copy(text, block, button) {
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without permission, or opened as a file in an older browser.
      getSelection().selectAllChildren(block);
      done = document.execCommand("copy");
    }
    button.textContent = done ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  }

  /** The measures that another study declares to be looked at first, or its first ones. */
  function otherFacts(point) {
    const declared = Results.figures.filter(({ name, title }) => title && name in Format.measures)
      .map(({ name }) => name);
    const names = declared.length > 0 ? declared : Object.keys(Format.measures).slice(0, 12);
    return [...new Set(names)].map((name) => {
      const { name: title, unit, text } = Format.measures[name];
      return [title + (unit && unit !== "%" ? ` (${unit})` : ""), Format.mean(point, name, text)];
    });
  }

  function comparedFacts(point) {
    const digits = point.runs.length > 1 ? 1 : 0;
    const count = (value) => Format.count(value, digits);
    const mean = (measure, write) => Format.mean(point, measure, write);
    return [
      ["Hosts", mean("hosts", count)],
      ["Spot revenue earned", mean("spot_share", Format.percent)],
      ["the same per host", mean("spot_vcpu_hours_per_host", Format.measures.spot_vcpu_hours_per_host.text)],
      ...(Results.hasMoney ? [["Spot money earned", `${mean("spot_earned", Format.money)} of ` +
        mean("spot_requested", Format.money)]] : []),
      ["the same with a free first hour", mean("spot_share_first_hour_free", Format.percent)],
      ["Gain", mean("gain", Format.gain)],
      ["VM revenue lost", mean("vm_loss", Format.loss)],
      ...(Results.hasMoney ? [["VM money lost", mean("vm_lost", Format.money)]] : []),
      ["VMs rejected", mean("vm_rejected", count)],
      ["Evictions", mean("evictions", count)],
    ];
  }

  function facts(point) {
    const rows = Results.isComparison ? comparedFacts(point) : otherFacts(point);
    return element("dl", { class: "facts" },
      ...rows.map(([name, value]) => element("div", {}, element("dt", {}, name),
        element("dd", {}, value))));
  }

  function draw(point, isChosen) {
    if (!point) {
      delete container.dataset.id;
      container.replaceChildren(element("h3", {}, "Nothing selected"),
        element("p", { class: "note" }, "Click a point or a row for its configuration."));
      return;
    }
    const where = point.runs.length > 1 ? `Mean over ${Format.plural(point.runs.length,
      Results.averaged.length === 1 ? Format.sample(Results.averaged[0]) : "run")}`
      : Results.axes.workload ? Format.name("workload", point.workload) : "One run";
    container.dataset.id = point.id;
    container.replaceChildren(
      element("h3", {}, isChosen ? "Selected" : best()),
      element("p", { class: "allocator" }, Format.pointName(point)),
      ...(point.bound ? [element("p", { class: "bound" },
        Results.isComparison ? "Knows lifetimes: no datacenter can be set to it."
          : "An upper bound, knows the future: nobody can choose it.")] : []),
      element("p", { class: "note" }, where),
      facts(point),
      ...configuration(point));
  }

  /** The text until something is selected. */
  function best() {
    if (Results.isComparison) return "Earns most without VM loss";
    return "Best in view";
  }

  function configuration(point) {
    const parts = [];
    const text = Configuration.ofPoint(point);
    const commands = Configuration.commands(point);
    parts.push(copyable(Results.isComparison ? ["Configuration: ", element("code", {}, "chosen.yaml")]
      : ["Its settings, as the study file has them"], text, "the configuration as YAML"));
    if (commands.length > 0) {
      parts.push(copyable([Results.isComparison ? "Run it again, with its baseline" : "Run it again"],
        commands.join("\n"), "the commands", "wrapped"));
    }
    return parts;
  }

  return { draw, copyable };
})();
