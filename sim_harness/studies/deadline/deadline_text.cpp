#include "sim_harness/studies/deadline/deadline_text.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <vector>

#include "sim_harness/files/text_table.hpp"
#include "sim_harness/studies/study_summary.hpp"

namespace cospot {
namespace {

/// Means over the runs of a strategy.
struct Line {
  double cost = 0, restarts = 0, spot_hours = 0, late = 0, runs = 0;
};

std::map<std::string, Line> read_lines(ResultsDatabase& results) {
  std::map<std::string, Line> lines;
  SqliteStatement select(results.connection(),
                         "SELECT strategy, avg(cost), avg(restarts), avg(spot_hours), "
                         "sum(1 - met_deadline), count(*) FROM run GROUP BY strategy");
  while (select.step()) {
    Line& line = lines[select.read_text()];
    line.cost = select.read_number();
    line.restarts = select.read_number();
    line.spot_hours = select.read_number();
    line.late = select.read_number();
    line.runs = select.read_number();
  }
  return lines;
}

/// Of the strategies that others are compared with.
struct Landmarks {
  std::optional<double> on_demand, uniform_progress, optimal;
};

Landmarks landmarks_of(const std::map<std::string, Line>& lines) {
  const auto cost = [&lines](const char* name) -> std::optional<double> {
    const auto found = lines.find(name);
    if (found == lines.end()) return std::nullopt;
    return found->second.cost;
  };
  return {cost("on_demand"), cost("uniform_progress"), cost("optimal")};
}

std::vector<std::string> cells_of(const std::string& name, const Line& line,
                                  const Landmarks& known) {
  std::string to_uniform = "-", saved = "-";
  if (known.uniform_progress && *known.uniform_progress > 0) {
    to_uniform = fmt::format("{:+.1f}%", 100 * (line.cost / *known.uniform_progress - 1));
  }
  if (known.on_demand && known.optimal && *known.on_demand > *known.optimal) {
    const double possible = *known.on_demand - *known.optimal;
    saved = fmt::format("{:.1f}%", 100 * (*known.on_demand - line.cost) / possible);
  }
  return {name,
          fmt::format("{:.2f}", line.cost),
          to_uniform,
          saved,
          fmt::format("{:.1f}", line.restarts),
          fmt::format("{:.1f}", line.spot_hours),
          fmt::format("{:.0f}", line.late),
          fmt::format("{:.0f}", line.runs)};
}

}  // namespace

std::string deadline_text(ResultsDatabase& results, Timing /*timing*/) {
  const std::map<std::string, Line> lines = read_lines(results);
  const Landmarks known = landmarks_of(lines);
  TextTable table;
  table.add_column("strategy", TextTable::Align::kLeft);
  for (const char* title : {"cost (USD)", "to uniform_progress", "of the possible saving",
                            "restarts", "spot (h)", "late", "runs"}) {
    table.add_column(title);
  }
  const std::vector<Axis> axes = results.axes();
  for (const AxisValue& strategy : axes[1].values) {
    const auto found = lines.find(strategy.label);
    if (found != lines.end()) table.add_row(cells_of(strategy.label, found->second, known));
  }
  const std::size_t runs = results.finished_runs().size();
  const std::size_t expected = results.record().run_count;
  const std::string missing = runs == expected ? "" : runs_line(runs, expected);
  return missing + "Means over all runs of a strategy\n" + table.text();
}

}  // namespace cospot
