// Numbers and names as text, and elements of the page.
const Format = (() => {
  const missing = "–";
  const acronyms = { vm: "VM", vms: "VMs", saf: "SAF", otn: "OTN", mttr: "MTTR", sha256: "SHA-256",
    vcpu: "vCPU", vcpus: "vCPUs", cpu: "CPU", id: "ID" };
  const suffixes = { percent: "%", hours: "h", minutes: "min", days: "days", s: "s", ms: "ms", ns: "ns",
    us: "µs", mb: "MB", gb: "GB" };
  const capitalised = (text) => text.charAt(0).toUpperCase() + text.slice(1);

  /** A name as people read it, and the unit that its last word may be. */
  function readable(name) {
    const parts = name.split("_");
    const unit = parts.length > 1 ? suffixes[parts.at(-1)] ?? "" : "";
    if (unit) parts.pop();
    return { name: capitalised(parts.map((word) => acronyms[word] ?? word).join(" ")), unit };
  }

  const known = { workload: "Workload", vm: "VM policy", spot: "Spot policy", evictor: "Evictor" };
  function axisTitle(dimension) {
    if (known[dimension]) return known[dimension];
    // An axis that the study file gives by a measure, such as hosts for the headroom, is called so.
    if (dimension === "size") return Results.axes.size.key === "hosts" ? "Hosts" : "Headroom";
    const { name, unit } = readable(dimension);
    return unit ? `${name} (${unit})` : name;
  }
  const titles = Object.fromEntries(Results.dimensions.map((d) => [d, axisTitle(d)]));

  /** Tells whether a title has its unit in it: `VMs rejected`. */
  const says = (title, unit) => title.toLowerCase().split(" ").includes(unit.toLowerCase());

  const hours = Results.isRelative ? "unit-hours" : "vCPU-hours";
  const figures = Object.fromEntries(Results.figures.map((figure) => [figure.name, figure]));
  /** A number of a column: how a value is written follows from its unit, and from its figure. */
  function measureOf(column) {
    const { name, role, unit } = column;
    const figure = figures[name];
    const own = readable(name);
    const isShare = Results.isShare(column);
    const shown = figure?.unit ?? (isShare ? "%" : unit === name || unit === "fraction" || !unit
      ? own.unit : unit === "vCPU-hours" ? hours : unit);
    const digits = figure?.decimals;
    const part = (value) => (figure?.better === "low" ? loss : percent)(value, digits ?? 2);
    const write = role === "money" ? (value) => money(value) : isShare ? part
      : shown === "%" ? (value) => percent(value, digits ?? 1) : figure?.isAmount ? (value) => amount(value)
      : digits === undefined ? number : (value) => count(value, digits);
    const title = figure?.title ? capitalised(figure.title) : own.name;
    return { name: title, unit: says(title, shown) ? "" : shown, better: figure?.better,
      text: figure?.isChange ? signed(write) : write };
  }
  /** The title of a chart's axis: its name and its unit. */
  const measures = Object.fromEntries(Results.described
    .filter((column) => Results.isNumber(column.name))
    .map((column) => [column.name, measureOf(column)]));
  const measureTitle = (key) =>
    measures[key].name + (measures[key].unit ? ` (${measures[key].unit})` : "");
  /** The same above or beside numbers, which have their percent sign. */
  const headOf = (key) => (measures[key].unit === "%" ? measures[key].name : measureTitle(key));

  /** With as many digits as tell values apart. */
  function number(value) {
    if (typeof value !== "number") return String(value);
    return Number.isNaN(value) ? missing : value.toLocaleString("en-US",
      Number.isInteger(value) ? {} : { maximumSignificantDigits: 5 });
  }

  function count(value, digits = 0) {
    if (Number.isNaN(value)) return missing;
    return value.toLocaleString("en-US", { maximumFractionDigits: digits,
      minimumFractionDigits: digits });
  }

  const percent = (value, digits = 2) =>
    (Number.isNaN(value) ? missing : `${count(value, digits)}\u00a0%`);
  function signed(write) {
    return (value) => (Number.isNaN(value) ? missing : (value >= 0 ? "+" : "−") + write(Math.abs(value)));
  }
  /** Losses are small: 0 % only when nothing was lost. */
  const loss = (value, digits) => (value === 0 ? "0\u00a0%"
    : value > 0 && value < 10 ** -digits ? `<\u00a0${percent(10 ** -digits, digits)}` : percent(value, digits));
  /** Large amounts for people: 50.8 M. */
  function amount(value, digits = 1) {
    for (const [step, unit] of [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"]]) {
      if (Math.abs(value) >= step) return `${count(value / step, 1)}\u00a0${unit}`;
    }
    return count(value, Math.abs(value) < 1000 ? digits : 0);
  }
  const money = (value) => amount(value, 2);
  const plural = (number, word, digits = 0) =>
    `${count(number, digits)} ${word}${number === 1 ? "" : "s"}`;
  const name = (dimension, index) => Results.axes[dimension].shown[index];

  /** A mean with its 95 % interval, where it has one. */
  function mean(point, measure, write) {
    const half = point.halfWidth(measure);
    const value = write(point[measure]);
    if (Number.isNaN(half)) return value;
    const width = write(half).replace("+", "");
    const unit = /[ \u00a0]\D+$/.exec(width)?.[0] ?? "";
    return `${value.endsWith(unit) ? value.slice(0, value.length - unit.length) : value} ± ${width}`;
  }

  /** A point in a line, by the axes that have several values. */
  function pointName(point) {
    const parts = Results.dimensions
      .filter((d) => Results.axes[d].values.length > 1 &&
        (point.runs.length === 1 || !Results.averaged.includes(d)))
      .map((d) => `${titles[d]} ${name(d, point[d])}`);
    return parts.length > 0 ? parts.join(" · ") : "The only combination";
  }

  /** A title within a sentence: acronyms stay as they are. */
  const inSentence = (title) => (/^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title);
  /** The singular of an axis over which means are taken, without its unit: "seed", "start". */
  const sample = (dimension) => inSentence(titles[dimension]).replace(/ \([^)]*\)$/, "");
  const samples = Results.averaged.map((d) => `${sample(d)}s`).join(" and ");
  const readableName = (name) => readable(name).name;
  /** A meaning, in which names stand between backticks. */
  const prose = (text) => text.split("`").map((part, i) =>
    (i % 2 === 1 ? element("code", {}, part) : part));
  const plain = (text) => text?.replaceAll("`", "");

  return { missing, says, mean, titles, hours, measures, measureTitle, headOf, count, number, amount, money, percent,
    capitalised, plural, name, pointName, element, prose, plain,
    readableName, inSentence, sample, samples };
})();
