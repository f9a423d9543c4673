#include "sim_harness/studies/economy/economy_text.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "sim_harness/experiments/grid.hpp"
#include "sim_harness/files/text_table.hpp"
#include "sim_harness/prices/price_list.hpp"
#include "sim_harness/studies/study_summary.hpp"

namespace cospot {
namespace {

constexpr std::size_t kUsage = 0, kForecaster = 1, kConfidence = 2, kPrice = 3;

TextTable empty_table(const std::vector<GridAxis>& axes) {
  TextTable table;
  table.add_column("usage", TextTable::Align::kLeft);
  table.add_column("forecaster", TextTable::Align::kLeft);
  table.add_column("confidence");
  for (const char* title : {"promised", "availability", "worst cycle", "wastage", "shortage"}) {
    table.add_column(title);
  }
  for (const AxisValue& price : axes[kPrice].values) {
    table.add_column("theta at " + price.label);
  }
  return table;
}

}  // namespace

std::string economy_text(ResultsDatabase& results, Timing /*timing*/) {
  const std::vector<GridAxis> axes = results.axes();
  const Grid grid = grid_of(axes);
  const std::size_t prices = axes[kPrice].values.size();
  TextTable table = empty_table(axes);
  SqliteStatement select(
      results.connection(),
      "SELECT run_index, quantity_percent, availability_percent, availability_least_percent, "
      "wastage_percent, shortage_percent, theta FROM run ORDER BY run_index");
  std::vector<std::string> cells;
  std::size_t line = grid.run_count();  // the runs of a line differ in the price alone
  const auto finish_line = [&] {
    if (cells.empty()) return;
    cells.resize(kPrice + 5 + prices, "-");
    table.add_row(std::exchange(cells, {}));
  };
  while (select.step()) {
    const auto run = static_cast<std::size_t>(select.read_integer());
    const Coordinates at = grid.coordinates(run);
    if (run / prices != line) {
      finish_line();
      line = run / prices;
      for (const std::size_t axis : {kUsage, kForecaster, kConfidence}) {
        cells.push_back(axes[axis].values[at[axis]].label);
      }
      for (int i = 0; i < 5; ++i) cells.push_back(fmt::format("{:.1f}%", select.read_number()));
    } else {
      for (int i = 0; i < 5; ++i) (void)select.read_number();
    }
    cells.resize(kPrice + 5 + at[kPrice], "-");
    cells.push_back(select.next_is_null() ? "-" : fmt::format("{:.3f}", select.read_number()));
  }
  finish_line();
  const std::size_t runs = results.finished_runs().size();
  const std::string missing = runs == grid.run_count() ? "" : runs_line(runs, grid.run_count());
  return missing +
         "Economy class: promised for a whole horizon, in % of the capacity; availability: periods "
         "without a shortage\n" +
         table.text() +
         "(a theta above the oracle's is that of promises that were broken: availability comes "
         "first)\n" +
         std::string(kSoldOnce);
}

}  // namespace cospot
