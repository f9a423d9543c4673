// Configurations as the files that cospot reads.
const Configuration = (() => {
  const yaml = (dimension, index) => Results.axes[dimension].values[index].yaml;
  const isRelativePath = (text) => !/^("?[/$]|\{)/.test(text);

  function workloadLines(indices) {
    const items = indices.map((index) => yaml("workload", index));
    const lines = ["workloads:", ...items.map((item) => `  - ${item}`)];
    if (items.some(isRelativePath)) {
      lines.unshift("# Workloads are written as the sweep file labels them: save this beside it, and",
        "# replace a label that is no path by the path.");
    }
    return lines;
  }

  function text(workloads, lines) {
    return [...workloadLines(workloads), `host: ${Results.yaml.host}`, ...lines, ""].join("\n");
  }

  /** The size, and from what a headroom counts, where that must be said. */
  function sizeLines(value, of) {
    return [`${Results.axes.size.key}: ${value}`, ...(of ? [`headroom_of: ${of}`] : [])];
  }

  /** The configuration of a point: `cospot compare` runs it, and `cospot run` if it is one run. */
  function ofPoint(point) {
    const workloads = point.runs.map((run) => Results.coordinates.workload[run]);
    return text(workloads, [
      ...sizeLines(yaml("size", point.size), Results.yaml.headroomOf.point),
      ...["vm", "spot", "evictor", "saf", "otn"].map((d) => `${d}: ${yaml(d, point[d])}`),
    ]);
  }

  /** The whole sweep. */
  function ofSweep() {
    const list = (d) => `[${Results.axes[d].values.map((value) => value.yaml).join(", ")}]`;
    return text([...Results.axes.workload.values.keys()], [
      ...sizeLines(list("size"), Results.yaml.headroomOf.sweep),
      ...["vm", "spot", "evictor", "saf", "otn"].map((d) => `${d}: ${list(d)}`),
    ]);
  }

  /** What to type with the configuration of a point in chosen.yaml. */
  function commands(point) {
    const lines = [];
    if (point.runs.length === 1) lines.push("cospot run chosen.yaml");
    const saf = yaml("saf", point.saf) === "on" ? " --set 'saf=[off,on]'" : "";
    const otn = yaml("otn", point.otn);
    const otns = otn === "1" ? "" : ` --set 'otn=[1,${otn}]'`;
    lines.push(`cospot compare chosen.yaml --db chosen.db${saf}${otns}`);
    return lines;
  }

  return { ofPoint, ofSweep, commands };
})();
