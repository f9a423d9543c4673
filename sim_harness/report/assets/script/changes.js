// Two databases: every configuration before, after, and the difference.
const Changes = (() => {
  const { element } = Format;
  const mostRows = 200;

  /** A difference: of shares in points. */
  function difference(measure, value) {
    if (Number.isNaN(value)) return Format.missing;
    const { text } = Format.measures[measure];
    const written = text(Math.abs(value)).replace(/^[+−]/, "").replace("\u00a0%", "\u00a0points");
    return (value > 0 ? "+" : value < 0 ? "−" : "") + written;
  }

  function row({ before, after }, measure) {
    const { text, better } = Format.measures[measure];
    const change = after[measure] - before[measure];
    const isGood = better === "high" ? change > 0 : change < 0;
    const kind = !better || change === 0 || Number.isNaN(change) ? "" : isGood ? " better" : " worse";
    return element("tr", {}, element("th", { scope: "row" }, Format.pointName(after)
      .split(" · ").slice(1).join(" · ") || "All"),
    element("td", { class: "number" }, Format.mean(before, measure, text)),
    element("td", { class: "number" }, Format.mean(after, measure, text)),
    element("td", { class: `number${kind}` }, difference(measure, change)));
  }

  /** The greatest changes first. */
  function draw(state, result) {
    const { measure } = state;
    const size = ({ before, after }) => Math.abs(after[measure] - before[measure]) || 0;
    const changes = [...result.changes].sort((a, b) => size(b) - size(a));
    document.getElementById("changes-heading").textContent =
      `${Format.measures[measure].name}: before, after, difference`;
    document.getElementById("changes-note").textContent = changes.length === 0
      ? "No configuration in view is in both databases."
      : `${Format.plural(changes.length, "configuration")} in both, the greatest change first` +
        `${changes.length > mostRows ? `; the first ${mostRows}` : ""}.`;
    document.getElementById("changes").replaceChildren(element("table", {},
      element("thead", {}, element("tr", {}, ...["Configuration", "Before", "After", "Difference"]
        .map((title, i) => element("th", { scope: "col", class: i > 0 ? "number" : "" }, title)))),
      element("tbody", {}, ...changes.slice(0, mostRows).map((one) => row(one, measure)))));
  }

  return { draw };
})();
