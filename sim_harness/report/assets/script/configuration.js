// Configurations as the files that cospot reads.
const Configuration = (() => {
  const isRelativePath = (text) => !/^("?[/$]|\{)/.test(text);
  const listed = (values) => `[${values.join(", ")}]`;
  const plain = (values) => (values.length === 1 ? values[0] : listed(values));
  const allOf = (dimension) => Results.axes[dimension].values.map((value) => value.yaml);
  const valuesOf = (point, dimension) =>
    [...new Set(point.runs.map((run) => Results.coordinates[dimension][run]))]
      .map((index) => Results.axes[dimension].values[index].yaml);

  function workloadLines(items) {
    const lines = ["workloads:", ...items.map((item) => `  - ${item}`)];
    if (items.some(isRelativePath)) {
      lines.unshift("# Workloads are written as the study file labels them: save this beside it, and",
        "# replace a label that is no path by the path.");
    }
    return lines;
  }

  /** The study file with some values of each axis. */
  function text(valuesIn, print, headroomOf) {
    const lines = Object.keys(Results.configuration).flatMap((key) => {
      const dimension = Results.dimensions.find((d) => Results.axes[d].key === key);
      if (dimension === "workload") return workloadLines(valuesIn(dimension));
      const line = `${key}: ${dimension ? print(valuesIn(dimension)) : Results.settings[key]}`;
      return key === "headroom_percent" && headroomOf ? [line, `headroom_of: ${headroomOf}`] : [line];
    });
    return [...lines, ""].join("\n");
  }

  /** The axes of a study, as they are in its file. */
  const axesOf = (point, isBrief) => Results.dimensions.filter((d) => d !== "database")
    .flatMap((d) => {
      const { key, values: { length } } = Results.axes[d];
      const values = valuesOf(point, d);
      if (length === values.length && (isBrief || length > 1)) {
        return isBrief ? [] : [`# ${key}: all ${length} of the study`];
      }
      if (values.every((value) => value === "")) return []; // the study file leaves the key out
      return `${key}: ${plain(values)}`;
    });

  /** The configuration of a point: `cospot compare` runs it, and `cospot run` if it is one run. */
  function ofPoint(point) {
    if (!Results.best) return [...axesOf(point, false), ""].join("\n");
    // One VM policy alone would have a headroom of its own.
    const isOfAll = !Results.settings.headroom_of && Results.axes.vm.values.length > 1;
    return text((d) => valuesOf(point, d), plain, isOfAll ? listed(allOf("vm")) : "");
  }

  /** The whole sweep. */
  const ofSweep = () => text(allOf, listed, "");

  /** The command to type with the configuration of a point in chosen.yaml. */
  function commands(point) {
    if (!Results.best) return commandOfStudy(point);
    const lines = [];
    if (point.runs.length === 1) lines.push("cospot run chosen.yaml");
    const [[saf], [otn]] = [valuesOf(point, "saf"), valuesOf(point, "otn")];
    const safs = saf === "on" ? " --set 'saf=[off,on]'" : "";
    const otns = otn === "1" ? "" : ` --set 'otn=[1,${otn}]'`;
    lines.push(`cospot compare chosen.yaml --db chosen.db${safs}${otns}`);
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
