#include "sim_harness/studies/broker/broker_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>

#include "sim_harness/experiments/grid.hpp"
#include "sim_harness/files/json_text.hpp"
#include "sim_harness/files/text_table.hpp"
#include "sim_harness/studies/broker/broker_run_at.hpp"
#include "sim_harness/studies/study_summary.hpp"

namespace cospot {
namespace {

struct Values {
  std::vector<double> cost, violations, per_job;
};

std::string with_interval(const MeanInterval& mean, int decimals) {
  if (!mean.half_width) return fmt::format("{:.{}f}", mean.mean, decimals);
  return fmt::format("{:.{}f} +/- {:.{}f}", mean.mean, decimals, *mean.half_width, decimals);
}

/// Axes with more than one value: the others say nothing in a table.
std::vector<std::size_t> telling_axes(const std::vector<Axis>& axes) {
  std::vector<std::size_t> telling;
  for (std::size_t i = 0; i < kSeedAxis; ++i) {
    const bool is_choice = i == kBidAxis || i == kAlphaAxis || i == kFaultToleranceAxis;
    if (is_choice || axes[i].values.size() > 1) telling.push_back(i);
  }
  return telling;
}

}  // namespace

std::vector<BrokerCell> rank_cells(ResultsDatabase& results) {
  const std::vector<Axis> axes = results.axes();
  const Grid grid = grid_of(axes);
  std::map<Coordinates, Values> by_cell;
  SqliteStatement select(results.connection(),
                         "SELECT run_index, cost, deadline_violations, cost_per_useful_job "
                         "FROM run ORDER BY run_index");
  while (select.step()) {
    Coordinates at = grid.coordinates(static_cast<std::size_t>(select.read_integer()));
    at.pop_back();
    Values& values = by_cell[at];
    values.cost.push_back(select.read_number());
    values.violations.push_back(select.read_number());
    values.per_job.push_back(select.next_is_null() ? std::numeric_limits<double>::infinity()
                                                   : select.read_number());
  }
  std::vector<BrokerCell> cells;
  for (const auto& [at, values] : by_cell) {
    BrokerCell cell{.labels = {}, .runs = values.cost.size()};
    for (std::size_t i = 0; i < at.size(); ++i) {
      cell.labels.push_back(axes[i].values[at[i]].label);
    }
    cell.cost = mean_interval(values.cost);
    cell.violations = mean_interval(values.violations);
    cell.cost_per_useful_job = mean_interval(values.per_job);
    cells.push_back(std::move(cell));
  }
  std::stable_sort(cells.begin(), cells.end(), [](const BrokerCell& a, const BrokerCell& b) {
    return a.cost_per_useful_job.mean < b.cost_per_useful_job.mean;
  });
  return cells;
}

std::string broker_text(ResultsDatabase& results, Timing /*timing*/) {
  const std::vector<BrokerCell> cells = rank_cells(results);
  const std::vector<Axis> axes = results.axes();
  const std::vector<std::size_t> telling = telling_axes(axes);
  TextTable table;
  table.add_column("rank");
  for (const std::size_t axis : telling) {
    table.add_column(axes[axis].name, TextTable::Align::kLeft);
  }
  for (const char* title : {"USD/useful job", "to best", "cost (USD)", "violations", "seeds"}) {
    table.add_column(title);
  }
  for (std::size_t rank = 0; rank < cells.size(); ++rank) {
    const BrokerCell& cell = cells[rank];
    std::vector<std::string> texts{std::to_string(rank + 1)};
    for (const std::size_t axis : telling) texts.push_back(cell.labels[axis]);
    const double best = cells.front().cost_per_useful_job.mean;
    texts.push_back(with_interval(cell.cost_per_useful_job, 5));
    texts.push_back(fmt::format("{:+.2f}%", 100 * (cell.cost_per_useful_job.mean / best - 1)));
    texts.push_back(with_interval(cell.cost, 2));
    texts.push_back(with_interval(cell.violations, 1));
    texts.push_back(std::to_string(cell.runs));
    table.add_row(std::move(texts));
  }
  const std::size_t runs = results.finished_runs().size();
  const std::size_t expected = results.record().run_count;
  const std::string missing = runs == expected ? "" : runs_line(runs, expected);
  return missing + "Means over the seeds, with 95% confidence intervals (Student's t)\n" +
         table.text();
}

std::string broker_json(ResultsDatabase& results, Timing /*timing*/) {
  const std::vector<Axis> axes = results.axes();
  const std::vector<BrokerCell> cells = rank_cells(results);
  return JsonObject()
      .add("study", "\"broker\"")
      .add("runs", std::to_string(results.finished_runs().size()))
      .add("expected_runs", std::to_string(results.record().run_count))
      .add("cells", list_of(cells,
                            [&axes](const BrokerCell& cell) {
                              JsonObject object;
                              for (std::size_t i = 0; i < cell.labels.size(); ++i) {
                                object.add(axes[i].name, json_text(cell.labels[i]));
                              }
                              return object.add("seeds", std::to_string(cell.runs))
                                  .add("cost", mean_json(cell.cost, "half_width_95"))
                                  .add("deadline_violations",
                                       mean_json(cell.violations, "half_width_95"))
                                  .add("cost_per_useful_job",
                                       mean_json(cell.cost_per_useful_job, "half_width_95"))
                                  .text();
                            }))
      .text();
}

}  // namespace cospot
