// Configurations as the files that cospot reads.
const Configuration = (() => {
  const yaml = (dimension, index) => Results.axes[dimension].values[index].yaml;
  const isRelativePath = (text) => !/^("?[/$]|\{)/.test(text);

  function workloadLines(indices) {
    const items = indices.map((index) => yaml("workload", index));
    const lines = ["workloads:", ...items.map((item) => `  - ${item}`)];
    if (items.some(isRelativePath)) {
      lines.unshift("# Workloads are written as the study file labels them: save this beside it, and",
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

  /** The axes of a study, as they are in its file. */
  const axesOf = (point, isBrief) => Results.dimensions.filter((d) => d !== "database")
    .flatMap((d) => {
      const indices = [...new Set(point.runs.map((run) => Results.coordinates[d][run]))];
      const { length } = Results.axes[d].values;
      if (length === indices.length && (isBrief || length > 1)) {
        return isBrief ? [] : [`# ${Results.axes[d].key}: all ${length} of the study`];
      }
      const values = indices.map((index) => yaml(d, index));
      if (values.every((value) => value === "")) return []; // the study file leaves the key out
      return `${Results.axes[d].key}: ${values.length === 1 ? values[0] : `[${values.join(", ")}]`}`;
    });

  /** The configuration of a point: `cospot compare` runs it, and `cospot run` if it is one run. */
  function ofPoint(point) {
    if (!Results.isComparison) return [...axesOf(point, false), ""].join("\n");
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

  /** The command to type with the configuration of a point in chosen.yaml. */
  function commands(point) {
    if (!Results.isComparison) return commandOfStudy(point);
    const lines = [];
    if (point.runs.length === 1) lines.push("cospot run chosen.yaml");
    const saf = yaml("saf", point.saf) === "on" ? " --set 'saf=[off,on]'" : "";
    const otn = yaml("otn", point.otn);
    const otns = otn === "1" ? "" : ` --set 'otn=[1,${otn}]'`;
    lines.push(`cospot compare chosen.yaml --db chosen.db${saf}${otns}`);
    return lines;
  }

  const quoted = (text) => (/^[\w.:=,/%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  /** The command that made the results, with the settings of the point. */
  function commandOfStudy(point) {
    if (!/^cospot compare [^;]+$/.test(Results.createdBy) || Results.isPair) return [];
    const settings = axesOf(point, true)
      .map((line) => ` \\\n  --set ${quoted(line.replace(": ", "="))}`);
    return [`${Results.createdBy}${settings.join("")} \\\n  --db chosen.db`];
  }

  return { ofPoint, ofSweep, commands };
})();
