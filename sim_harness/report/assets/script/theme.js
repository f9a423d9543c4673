// Colours of the charts, in light and dark, safe for the colour-blind.
const Theme = (() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  let printing = false;
  const isDark = () => dark.matches && !printing;

  // Okabe and Ito's palette, without the colours that vanish on the background.
  const categories = {
    light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5a5a5a"],
    dark: ["#56b4e9", "#e69f00", "#2fc79a", "#e59cc4", "#f0e442", "#ff8a3d", "#bdbdbd"],
  };
  const switches = { light: ["#d55e00", "#0072b2"], dark: ["#ff9d4d", "#56b4e9"] };

  /** The colours of a dimension's values, in their order. */
  function colors(dimension) {
    const mode = isDark() ? "dark" : "light";
    if (dimension === "none") return categories[mode].slice(0, 1);
    const { values } = Results.axes[dimension];
    const { length } = values;
    if (values.every((value) => typeof value.number === "boolean")) {
      return values.map((value) => switches[mode][value.number ? 1 : 0]);
    }
    const isOrdered = length > 2 && values.every((value) => typeof value.number === "number");
    if (!isOrdered && length <= categories[mode].length) return categories[mode].slice(0, length);
    // Viridis grows lighter all the way; its end that is like the background is left out.
    const [first, last] = isDark() ? [0.25, 1] : [0.05, 0.85];
    const viridis = vega.scheme("viridis");
    return Array.from({ length }, (_, i) =>
      viridis(length === 1 ? (first + last) / 2 : first + ((last - first) * i) / (length - 1)));
  }

  /** A colour of report.css. */
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const ink = (name) => (printing ? css(`--print-${name}`) : css(`--${name}`));

  function chartConfig() {
    const font = "system-ui, sans-serif";
    return {
      background: null,
      font,
      view: { stroke: null },
      axis: {
        labelColor: ink("muted"), titleColor: ink("text"), gridColor: ink("line"),
        domainColor: ink("muted"), tickColor: ink("muted"), labelFontSize: 12, titleFontSize: 12,
        titleFontWeight: "normal", labelFont: font, titleFont: font, titlePadding: 8,
      },
      axisX: { grid: false },
    };
  }

  return {
    colors,
    ink,
    chartConfig,
    setPrinting: (on) => { printing = on; },
    onChange: (listener) => dark.addEventListener("change", listener),
  };
})();
