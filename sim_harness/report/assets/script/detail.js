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

  /** The measures to be looked at first, or the first ones. */
  function facts(point) {
    const known = Results.chosen.filter((name) => name in Format.measures);
    const names = known.length > 0 ? known : Object.keys(Format.measures).slice(0, 12);
    return element("dl", { class: "facts" }, ...[...new Set(names)].map((name) =>
      element("div", {}, element("dt", {}, Format.headOf(name)),
        element("dd", {}, Format.mean(point, name, Format.measures[name].text)))));
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
      element("h3", {}, isChosen ? "Selected" : "Best in view"),
      element("p", { class: "allocator" }, Format.pointName(point)),
      ...(point.bound ? [element("p", { class: "bound" },
        `${Format.capitalised(Results.boundNote)}: nobody can choose it.`)] : []),
      element("p", { class: "note" }, where),
      facts(point),
      ...configuration(point));
  }

  function configuration(point) {
    const parts = [];
    const text = Configuration.ofPoint(point);
    const commands = Configuration.commands(point);
    parts.push(copyable(Results.best ? ["Configuration: ", element("code", {}, "chosen.yaml")]
      : ["Its settings, as the study file has them"], text, "the configuration as YAML"));
    if (commands.length > 0) {
      parts.push(copyable([Results.best ? "Run it again, with its baseline" : "Run it again"],
        commands.join("\n"), "the commands", "wrapped"));
    }
    return parts;
  }

  return { draw, copyable };
})();
