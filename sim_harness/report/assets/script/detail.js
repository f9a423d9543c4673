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

  function facts(point) {
    const digits = point.runs.length > 1 ? 1 : 0;
    const count = (value) => Format.count(value, digits);
    const mean = (measure, write) => Format.mean(point, measure, write);
    const rows = [
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
    const where = point.runs.length > 1 ? `Mean over ${Format.plural(point.runs.length, "workload")}`
      : Format.name("workload", point.workload);
    container.dataset.id = point.id;
    container.replaceChildren(
      element("h3", {}, isChosen ? "Selected" : "Earns most without VM loss"),
      element("p", { class: "allocator" }, Format.allocator(point)),
      ...(point.bound ? [element("p", { class: "bound" },
        `An ${Format.boundNote}: no datacenter can be set to it.`)] : []),
      element("p", { class: "note" }, where),
      facts(point),
      copyable(["Configuration: ", element("code", {}, "chosen.yaml")],
        Configuration.ofPoint(point), "the configuration as YAML"),
      copyable(["Run it again, with its baseline"], Configuration.commands(point).join("\n"),
        "the commands", "wrapped"));
  }

  return { draw, copyable };
})();
