// The charts of a plan's page, from what `cospot plan --json` says.
(() => {
  const plan = JSON.parse(document.getElementById("plan-data").textContent);
  const palette = ["#0072b2", "#009e73", "#e69f00", "#9aa4af"];
  const money = `Net a month${plan.currency ? ` (${plan.currency})` : ""}`;
  const month = 365.25 / 12;
  const { judged } = plan.alternatives.find((one) => one.name === plan.advised);
  const interval = (middle, half) => ({ low: middle - (half ?? 0), high: middle + (half ?? 0) });
  const fine = (value, digits = 3) => Number(value.toPrecision(digits)).toLocaleString("en-US");
  const daysOf = (part) => `days ${fine((part - 1) * plan.days_per_part)} to ${fine(part * plan.days_per_part)}`;

  // Vega-Lite: names down the side, a bar for each, and its interval.
  const names = { field: "name", type: "nominal", sort: null, title: null };
  const number = (field, title) => ({ field, type: "quantitative", title });
  const colors = (field, domain, range) =>
    ({ field, type: "nominal", title: null, scale: { domain, range }, legend: { orient: "top" } });
  const intervals = () => ({ mark: { type: "rule", strokeWidth: 2, color: Theme.ink("text") },
    encoding: { x: number("low"), x2: { field: "high" } } });

  function division() {
    const kinds = { vms: "VMs", economy: "Economy", spots: "spots", idle: "idle" };
    // Each part from its first day to its last; the last one is said twice, or nobody would see it.
    const ends = judged.map((part) => [(part.part - 1) * plan.days_per_part, part]);
    const last = judged.at(-1);
    ends.push([last.part * plan.days_per_part, last]);
    return ends.flatMap(([day, part]) => Object.entries(kinds).map(([key, kind], order) => ({
      day, kind, order, share: 100 * part.sold[key], part: part.part })));
  }

  function record() {
    const rows = plan.next_month.origins.map(({ came, forecast, half_width_90: half }, i) => ({
      part: String(judged[i].part), came, forecast, ...interval(forecast, half), days: daysOf(judged[i].part) }));
    const { next, half_width_90: half } = plan.next_month;
    return [...rows, { part: "next", forecast: next, ...interval(next, half), days: "the next month" }];
  }

  const charts = {
    record: {
      rows: plan.set.spot ? record() : [],
      lines: ({ days, came, forecast, low, high }) => [days, ...(came === undefined ? [] : [`came: ${fine(came)}`]),
        `forecast: ${fine(forecast)}`, ...(low < high ? [`90 % interval: ${fine(low)} to ${fine(high)}`] : [])],
      spec: (values) => {
        const kinds = ["what came", "forecast before it, 90 % interval"];
        const color = (kind) => ({ datum: kinds[kind], scale: { domain: kinds, range: [palette[0], Theme.ink("accent")] },
          title: null, legend: { orient: "top" } });
        const y = (field) => ({ ...number(field, money), axis: { labelExpr: "format(datum.value, '~s')" } });
        return { height: 280, data: { values },
          encoding: { x: { field: "part", type: "nominal", sort: null, title: "Judged part, and the next month", axis: { labelAngle: 0 } } },
          layer: [
            { mark: { type: "bar", tooltip: true, width: { band: 0.6 } }, encoding: { y: y("came"), color: color(0) } },
            { mark: { type: "rule", strokeWidth: 2 }, encoding: { y: y("low"), y2: { field: "high" }, color: color(1) } },
            { mark: { type: "point", filled: true, size: 70, opacity: 1, tooltip: true },
              encoding: { y: y("forecast"), color: color(1) } },
          ] };
      },
    },
    division: {
      rows: division(),
      lines: ({ part, kind, share }) => [daysOf(part), `${kind}: ${fine(share)} % of the capacity`],
      spec: (values) => ({
        height: 260,
        layer: [
          { data: { values }, mark: { type: "area", interpolate: "step-after", tooltip: true }, encoding: {
            x: { ...number("day", "Day of the history"), scale: { zero: false, nice: false } },
            y: { ...number("share", "% of the capacity"), stack: "zero",
              scale: { domain: [0, Math.max(100, 100 * plan.vm_peak)] } },
            color: colors("kind", ["VMs", "Economy", "spots", "idle"], palette),
            order: { field: "order" } } },
          ...[[100, "capacity", "right"], [100 * plan.vm_peak, "peak of the VMs", "left"]].flatMap(([share, line, align]) => [
            { data: { values: [{ share }] }, mark: { type: "rule", strokeWidth: 2, strokeDash: [6, 4], color: Theme.ink("text") },
              encoding: { y: { field: "share", type: "quantitative" } } },
            { data: { values: [{ share, line }] }, mark: { type: "text", align, dx: align === "left" ? 6 : -6, dy: 9,
              color: "#000", fontWeight: "bold" },
            encoding: { x: { value: align === "left" ? 0 : "width" }, y: { field: "share", type: "quantitative" }, text: { field: "line" } } }]),
        ],
      }),
    },
    income: {
      rows: plan.alternatives.map((one) => {
        const { mean, half_width_95: half } = one.net_per_day;
        return { name: one.name, net: mean * month, ...interval(mean * month, half * month), loss: 100 * one.vm_loss,
          note: `VMs lose ${(100 * one.vm_loss).toPrecision(2)} %`, advised: one.name === plan.advised };
      }),
      lines: ({ name, net }) => [name, fine(net)],
      spec: (values) => ({
        height: { step: 36 }, data: { values }, encoding: { y: names },
        layer: [
          { mark: { type: "bar", height: 14, tooltip: true }, encoding: { x: number("net", money),
            color: { condition: { test: "datum.advised", value: palette[0] }, value: palette[3] } } },
          intervals(),
          // Below the bar, which may reach anywhere.
          { mark: { type: "text", align: "right", baseline: "middle", dx: -4, dy: 14, color: Theme.ink("bad") },
            transform: [{ filter: "datum.loss > 0" }],
            encoding: { x: { value: "width" }, text: { field: "note" } } },
        ],
      }),
    },
    promises: {
      rows: plan.classes.filter((one) => one.parts_sold > 0 && one.promises).map(({ hours, probability, promises, sell }) => ({
        name: `${hours} h, ${Math.round(100 * probability)} %`, broken: 100 * promises.broken / promises.tested,
        low: 100 * promises.interval_95[0], high: 100 * promises.interval_95[1],
        allowed: 100 * promises.allowed, tested: promises.tested,
        sold: sell ? "sold from now on" : "not sold from now on" })),
      lines: ({ name, broken, tested, allowed }) =>
        [name, `${fine(broken)} % of ${fine(tested, 9)} broken, ${fine(allowed)} % allowed`],
      spec: (values) => ({
        height: { step: 24 }, data: { values }, encoding: { y: names },
        layer: [
          { mark: { type: "bar", height: 12, tooltip: true }, encoding: {
            x: number("broken", "% of tested promises broken"),
            color: colors("sold", ["sold from now on", "not sold from now on"], [palette[0], palette[3]]) } },
          intervals(),
          // Without a broken promise there is no bar to see.
          { mark: { type: "point", filled: true, size: 50, color: Theme.ink("text"), opacity: 1, tooltip: true },
            encoding: { x: number("broken") } },
          { mark: { type: "tick", thickness: 3, size: 18, color: Theme.ink("accent") },
            encoding: { x: number("allowed") } },
        ],
      }),
    },
    changes: {
      rows: plan.sensitivity.map((one) => ({ name: one.if, net: one.net_per_day * month,
        loss: 100 * one.most_vm_loss, setting: one.setting,
        vms: one.most_vm_loss > plan.max_vm_loss ? "loses more VMs than allowed" : "keeps the limit of VM loss" })),
      lines: ({ name, net, setting }) => [name, fine(net), setting],
      spec: (values) => ({
        height: { step: 24 }, data: { values }, mark: { type: "bar", height: 14, tooltip: true },
        encoding: { y: names, x: number("net", money),
          color: colors("vms", ["keeps the limit of VM loss", "loses more VMs than allowed"], [palette[0], "#d55e00"]) },
      }),
    },
  };

  const placeOf = (name) => document.getElementById(name);
  function specOf(name) {
    // On a phone one name below the other: two do not fit side by side.
    const legend = { labelColor: Theme.ink("text"), labelLimit: 0, columns: window.innerWidth < 480 ? 1 : 0 };
    return { ...charts[name].spec(charts[name].rows), config: { axisY: { labelLimit: window.innerWidth < 480 ? 150 : 220 }, legend,
      axisX: { labelOverlap: "parity", labelSeparation: 8 }, numberFormat: ",~f" } };  // 8, not 8.0
  }
  function draw() {
    for (const [name, { rows, lines }] of Object.entries(charts)) {
      if (rows.length === 0) placeOf(name).textContent = "Nothing of this was sold.";
      else Charts.draw(placeOf(name), specOf(name), placeOf(`${name}-heading`).textContent, lines);
    }
  }

  for (const [name, { rows }] of Object.entries(charts)) {
    const keys = Object.keys(rows[0] ?? {});
    Charts.exportButtons(placeOf(`${name}-save`), placeOf(name), { name: () => name, spec: () => specOf(name),
      rows: () => [keys, ...rows.map((row) => keys.map((key) => row[key]))] });
  }
  draw();
  Theme.onChange(draw);
  let width = window.innerWidth;
  window.onresize = () => { if (width !== (width = window.innerWidth)) draw(); };
  window.addEventListener("beforeprint", () => { Theme.setPrinting(true); draw(); });
  window.addEventListener("afterprint", () => { Theme.setPrinting(false); draw(); });
})();
