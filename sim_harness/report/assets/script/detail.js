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
    const worth = Results.prices ? Money.of(point) : null;
    const rows = [
      ["Hosts", Format.count(point.hosts, point.runs.length > 1 ? 1 : 0)],
      ["Spot revenue earned", Format.percent(point.share)],
      ["the same per host", Format.measures.perHost.text(point.perHost)],
      ...(worth ? [["Spot money earned", `${Format.money(worth.earned)} of ${Format.money(worth.requested)}`]] : []),
      ["the same with a free first hour", Format.percent(point.shareFirstHourFree)],
      ["Gain", Format.gain(point.gain)],
      ["VM revenue lost", Format.loss(point.loss)],
      ...(worth ? [["VM money lost", Format.money(worth.lost)]] : []),
      ["VMs rejected", Format.count(point.rejected, point.runs.length > 1 ? 1 : 0)],
      ["Evictions", Format.count(point.evictions, point.runs.length > 1 ? 1 : 0)],
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
