// The groups of checkboxes, and the controls above the chart.
const Filters = (() => {
  const groups = document.getElementById("filter-groups");
  const controls = document.getElementById("controls");
  const { element } = Format;
  const modeNames = { mean: `Mean over ${Format.samples}`, runs: "Single runs" };
  const yNames = Object.fromEntries(Object.entries(Format.measures).map(([y, { name }]) => [y, name]));

  function toggled(dimension, index, on) {
    const chosen = new Set(ViewState.get().filters[dimension]);
    if (on) chosen.add(index);
    else chosen.delete(index);
    ViewState.filter(dimension, chosen);
  }

  function checkbox(dimension, index) {
    const axis = Results.axes[dimension];
    const input = element("input", { type: "checkbox", value: index,
      onchange: (event) => toggled(dimension, index, event.target.checked) });
    const { bound } = axis.values[index];
    return element("label", { class: "choice",
      title: axis.titles[index] + (bound ? `: ${Results.boundNote}` : "") }, input,
    axis.shown[index]);
  }

  function group(dimension) {
    const title = Format.titles[dimension];
    const { values, shown } = Results.axes[dimension];
    const longest = Math.max(...shown.map((name) => name.length));
    const button = (text, chosen) => element("button", { type: "button", class: "link",
      "aria-label": `${title}: ${text}`, onclick: () => ViewState.filter(dimension, chosen()) },
    text);
    return element("fieldset", { id: `filter-${dimension}` },
      element("legend", {}, title, " ", element("span", { class: "badge" })),
      element("div", { class: "all-none" }, button("all", () => ViewState.everything(dimension)),
        button("none", () => new Set())),
      element("div", { class: `choices choices-${dimension}${
        longest > 11 ? " choices-long" : longest <= 3 ? " choices-short" : ""}` },
        ...values.map((_, index) => checkbox(dimension, index))));
  }

  function radios(name, legend, names) {
    const choices = ViewState.choices[name].map((value) => element("label", {},
      element("input", { type: "radio", name, value,
        onchange: () => ViewState.change({ [name]: value }) }),
      element("span", {}, names[value])));
    return element("fieldset", { class: "segmented" }, element("legend", {}, legend), ...choices);
  }

  function select(key, title, names) {
    const made = element("select", { id: key,
      onchange: (event) => ViewState.change({ [key]: event.target.value }) },
    ...ViewState.choices[key].map((value) => element("option", { value }, names(value))));
    return element("label", { class: "select" }, title, made);
  }

  function build() {
    groups.append(...Results.dimensions.filter((d) => Results.axes[d].values.length > 1).map(group));
    if (ViewState.choices.mode.length > 1) controls.append(radios("mode", "A point is", modeNames));
    if (ViewState.choices.y.length > 1) {
      document.getElementById("scatter-controls").append(radios("y", "Vertical axis", yNames));
    }
    const titleOf = (d) => (d === "none" ? "none" : Format.titles[d]);
    controls.append(select("color", "Colour by", titleOf));
    document.getElementById("trend-controls").append(
      select("measure", "Measure", (name) => Format.measures[name].name), select("x", "by", titleOf),
      radios("marks", "Shown as", { mean: "Means", spread: "Spread" }));
    document.getElementById("reset").addEventListener("click", ViewState.reset);
    if (window.innerWidth < 900) document.getElementById("filters").open = false;
  }

  function update(state) {
    let narrowed = 0;
    for (const fieldset of groups.children) {
      const dimension = fieldset.id.slice("filter-".length);
      const chosen = state.filters[dimension];
      const all = Results.axes[dimension].values.length;
      if (chosen.size < all) ++narrowed;
      fieldset.querySelector(".badge").textContent = `${chosen.size} of ${all}`;
      fieldset.querySelector(".badge").classList.toggle("narrowed", chosen.size < all);
      for (const input of fieldset.querySelectorAll("input")) {
        input.checked = chosen.has(Number(input.value));
      }
    }
    const badge = document.getElementById("filter-count");
    badge.textContent = narrowed === 0 ? "none" : `${narrowed} active`;
    badge.classList.toggle("narrowed", narrowed > 0);
    for (const input of document.querySelectorAll(".controls input[type=radio]")) {
      input.checked = state[input.name] === input.value;
    }
    for (const key of ["color", "measure", "x"]) {
      const chooser = document.getElementById(key);
      chooser.value = state[key];
      // In the mean over workloads no point has one workload.
      for (const option of key === "measure" ? [] : chooser.options) {
        const isAveraged = state.mode === "mean" && Results.averaged.includes(option.value);
        option.hidden = option.disabled = isAveraged;
      }
    }
  }

  /** The filters that are on, in words. */
  function inWords(state) {
    return Results.dimensions
      .filter((d) => state.filters[d].size < Results.axes[d].values.length)
      .map((d) => `${Format.titles[d]}: ${[...state.filters[d]].sort((a, b) => a - b)
        .map((i) => Format.name(d, i)).join(", ") || "none"}`)
      .join("; ");
  }

  return { build, update, inWords };
})();
