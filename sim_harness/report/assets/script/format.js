// Numbers and names as text, and elements of the page.
const Format = (() => {
  const missing = "–";
  // As cospot list and cospot summary say it.
  const boundNote = "upper bound, knows lifetimes";
  const titles = {
    workload: "Workload", vm: "VM policy", spot: "Spot policy", evictor: "Evictor", saf: "SAF",
    otn: "OTN", size: Results.axes.size.key === "hosts" ? "Hosts" : "Headroom",
  };

  const hours = Results.isRelative ? "unit-hours" : "vCPU-hours";
  /** What the vertical axis may show: its name, and what it counts in. */
  const measures = {
    share: { name: "Spot revenue earned", unit: "% of requested", text: (value) => percent(value) },
    perHost: { name: "Spot revenue per host", unit: hours, text: (value) => `${amount(value)} ${hours}` },
    gain: { name: "Gain in spot revenue", unit: "%", text: (value) => gain(value) },
  };

  function count(value, digits = 0) {
    if (Number.isNaN(value)) return missing;
    return value.toLocaleString("en-US", { maximumFractionDigits: digits,
      minimumFractionDigits: digits });
  }

  const percent = (value, digits = 2) =>
    (Number.isNaN(value) ? missing : `${count(value, digits)}\u00a0%`);
  const sign = (value) => (value >= 0 ? "+" : "−");
  const gain = (value) =>
    (Number.isNaN(value) ? missing : `${sign(value)}${count(Math.abs(value), 2)}\u00a0%`);
  /** Losses are small: 0 % only when nothing was lost. */
  const loss = (value) => (value === 0 ? "0\u00a0%" : value < 0.0001 ? "<\u00a00.0001\u00a0%" : percent(value, 4));
  const microseconds = (nanoseconds) => `${count(nanoseconds / 1000, 2)}\u00a0µs`;
  /** Large amounts for people: 50.8 M. */
  function amount(value, digits = 1) {
    for (const [step, sign] of [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"]]) {
      if (Math.abs(value) >= step) return `${count(value / step, 1)}\u00a0${sign}`;
    }
    return count(value, Math.abs(value) < 1000 ? digits : 0);
  }
  const money = (value) => amount(value, 2);
  const plural = (number, word, digits = 0) =>
    `${count(number, digits)} ${word}${number === 1 ? "" : "s"}`;
  const name = (dimension, index) => Results.axes[dimension].shown[index];

  const hosts = (value) => plural(value, "host", Number.isInteger(value) ? 0 : 1);

  /** One allocator in a line: what was chosen on every axis but the workload. */
  function allocator(point) {
    const size = Results.axes.size.key === "hosts" ? name("size", point.size)
      : `headroom ${name("size", point.size)}, ${hosts(point.hosts)}`;
    return `${name("vm", point.vm)} · ${name("spot", point.spot)} · ` +
      `${name("evictor", point.evictor)} · SAF ${name("saf", point.saf)} · ` +
      `OTN ${name("otn", point.otn)} · ${size}`;
  }

  /** An element with attributes (or `onclick`-like listeners) and children. */
  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
      if (typeof value === "function") made.addEventListener(key.slice(2), value);
      else if (value === true) made.setAttribute(key, "");
      else if (value !== false && value !== undefined) made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  }

  return { missing, boundNote, titles, hours, measures, count, amount, money, percent, gain, loss, microseconds, plural, name, allocator,
    element };
})();
