// The charts of a plan's page, from what `cospot plan --json` says.
(() => {
  const plan = JSON.parse(document.getElementById("plan-data").textContent);
  const currency = plan.currency ?? "";
  const palette = ["#0072b2", "#009e73", "#e69f00", "#9aa4af"];
  const classes = plan.classes.filter((one) => one.parts_sold > 0 && one.promises);
  const money = `Net a day${currency && ` (${currency})`}`;

  const alternatives = plan.alternatives.map((one) => {
    const { mean, half_width_95: half } = one.net_per_day;
    return { name: one.name, net: mean, low: mean - (half ?? 0), high: mean + (half ?? 0),
      loss: 100 * one.vm_loss, note: `VMs lose ${(100 * one.vm_loss).toPrecision(2)} %`,
      advised: one.name === plan.advised };
  });
  const names = alternatives.map((one) => one.name);

  function division() {
    const kinds = { vms: "VMs", economy: "Economy", spots: "spots", idle: "idle" };
    const judged = plan.alternatives.find((one) => one.name === plan.advised).judged;
    // Each part from its first day to its last; the last one is said twice, or nobody would see it.
    const ends = judged.map((part) => [(part.part - 1) * plan.days_per_part, part]);
    const last = judged.at(-1);
    ends.push([last.part * plan.days_per_part, last]);
    return ends.flatMap(([day, part]) => Object.entries(kinds).map(([key, kind], order) => ({
      day, kind, order, share: 100 * part.sold[key] })));
  }

  const charts = {
    division: {
      rows: division(),
      spec: (values) => ({
        height: 260, data: { values },
        mark: { type: "area", interpolate: "step-after" },
        encoding: {
          x: { field: "day", type: "quantitative", title: "Day of the history", scale: { zero: false, nice: false } },
          y: { field: "share", type: "quantitative", stack: "zero", title: "% of the capacity",
            scale: { domain: [0, 100] } },
          color: { field: "kind", type: "nominal", title: null,
            scale: { domain: ["VMs", "Economy", "spots", "idle"], range: palette },
            legend: { orient: "top", columns: 0 } },
          order: { field: "order" },
        },
      }),
    },
    income: {
      rows: alternatives,
      spec: (values) => ({
        height: { step: 36 }, data: { values },
        encoding: { y: { field: "name", type: "nominal", sort: names, title: null } },
        layer: [
          { mark: { type: "bar", height: 14 }, encoding: {
            x: { field: "net", type: "quantitative", title: money },
            color: { condition: { test: "datum.advised", value: palette[0] }, value: palette[3] } } },
          { mark: { type: "rule", strokeWidth: 2, color: Theme.ink("text") },
            encoding: { x: { field: "low", type: "quantitative" }, x2: { field: "high" } } },
          // Below the bar, which may reach anywhere.
          { mark: { type: "text", align: "right", baseline: "middle", dx: -4, dy: 14, color: Theme.ink("bad") },
            transform: [{ filter: "datum.loss > 0" }],
            encoding: { x: { value: "width" }, text: { field: "note" } } },
        ],
      }),
    },
    promises: {
      rows: classes.map((one) => ({ name: `${one.hours} h, ${Math.round(100 * one.probability)} %`,
        broken: 100 * one.promises.broken / one.promises.tested,
        low: 100 * one.promises.interval_95[0], high: 100 * one.promises.interval_95[1],
        allowed: 100 * one.promises.allowed, tested: one.promises.tested,
        sold: one.sell ? "sold from now on" : "not sold from now on" })),
      spec: (values) => ({
        height: { step: 24 }, data: { values },
        encoding: { y: { field: "name", type: "nominal", sort: null, title: null } },
        layer: [
          { mark: { type: "bar", height: 12 }, encoding: {
            x: { field: "broken", type: "quantitative", title: "% of tested promises broken" },
            color: { field: "sold", type: "nominal", title: null, legend: { orient: "top" },
              scale: { domain: ["sold from now on", "not sold from now on"], range: [palette[0], palette[3]] } } } },
          { mark: { type: "rule", strokeWidth: 2, color: Theme.ink("text") },
            encoding: { x: { field: "low", type: "quantitative" }, x2: { field: "high" } } },
          // Without a broken promise there is no bar to see.
          { mark: { type: "point", filled: true, size: 50, color: Theme.ink("text"), opacity: 1 },
            encoding: { x: { field: "broken", type: "quantitative" } } },
          { mark: { type: "tick", thickness: 3, size: 18, color: Theme.ink("accent") },
            encoding: { x: { field: "allowed", type: "quantitative" } } },
        ],
      }),
    },
    changes: {
      rows: plan.sensitivity.map((one) => ({ change: one.if, net: one.net_per_day,
        loss: 100 * one.most_vm_loss, setting: one.setting,
        vms: one.most_vm_loss > plan.max_vm_loss ? "loses more VMs than allowed" : "keeps the limit of VM loss" })),
      spec: (values) => ({
        height: { step: 24 }, data: { values },
        mark: { type: "bar", height: 14 },
        encoding: {
          y: { field: "change", type: "nominal", sort: null, title: null },
          x: { field: "net", type: "quantitative", title: money },
          color: { field: "vms", type: "nominal", title: null, legend: { orient: "top" },
            scale: { domain: ["keeps the limit of VM loss", "loses more VMs than allowed"], range: [palette[0], "#d55e00"] } },
        },
      }),
    },
  };

  function viewOf(name, width, options) {
    const { rows, spec } = charts[name];
    const config = Theme.chartConfig();
    config.axisY = { labelLimit: width < 480 ? 150 : 220 };
    config.axisX = { ...config.axisX, labelOverlap: "parity", labelSeparation: 8 };
    config.numberFormat = ",~f";  // 8, not 8.0
    // On a phone one name below the other: two do not fit side by side.
    config.legend = { labelColor: Theme.ink("text"), labelLimit: 0, columns: width < 480 ? 1 : 0 };
    const full = { ...spec(rows), width, autosize: { type: "fit-x", contains: "padding" }, padding: 4 };
    const runtime = vega.parse(vegaLite.compile(full, { config }).spec, null, { ast: true });
    return new vega.View(runtime, { expr: vega.expressionInterpreter, hover: false, ...options });
  }

  function draw() {
    for (const name of Object.keys(charts)) {
      const place = document.getElementById(name);
      place.view?.finalize();
      place.replaceChildren();
      if (charts[name].rows.length === 0) {
        place.textContent = "Nothing of this was sold.";
        continue;
      }
      const host = document.createElement("div");
      host.setAttribute("role", "img");
      host.setAttribute("aria-label", document.getElementById(`${name}-heading`).textContent);
      place.append(host);
      place.view = viewOf(name, Math.max(240, place.clientWidth), { renderer: "canvas", container: host });
      place.view.run();
    }
  }

  function save(name, url) {
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
  }
  async function saveAs(name, kind) {
    if (kind === "CSV") {
      const { rows } = charts[name];
      const keys = Object.keys(rows[0] ?? {});
      const quoted = (value) => (/[",\n]/.test(value) ? `"${value.replaceAll("\"", "\"\"")}"` : value);
      const text = [keys, ...rows.map((row) => keys.map((key) => row[key]))]
        .map((row) => row.map((cell) => quoted(String(cell))).join(",")).join("\n");
      return save(`${name}.csv`, URL.createObjectURL(new Blob([`${text}\n`], { type: "text/csv" })));
    }
    const view = viewOf(name, 900, { renderer: "none" });
    await view.runAsync();
    save(`${name}.${kind.toLowerCase()}`, await view.toImageURL(kind.toLowerCase(), 2));
    return view.finalize();
  }
  for (const name of Object.keys(charts)) {
    for (const kind of ["PNG", "SVG", "CSV"]) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "link";
      button.textContent = kind;
      button.setAttribute("aria-label", `Save this chart as ${kind}`);
      button.onclick = () => saveAs(name, kind);
      document.getElementById(`${name}-save`).append(button);
    }
  }

  draw();
  Theme.onChange(draw);
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    draw();
  });
  window.addEventListener("beforeprint", () => { Theme.setPrinting(true); draw(); });
  window.addEventListener("afterprint", () => { Theme.setPrinting(false); draw(); });
})();
