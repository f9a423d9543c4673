#include "sim_harness/studies/degradation/degradation_text.hpp"

#include <fmt/core.h>

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "sim_harness/experiments/grid.hpp"
#include "sim_harness/files/text_table.hpp"
#include "sim_harness/studies/provider/provider_money.hpp"
#include "sim_harness/studies/study_summary.hpp"

namespace cospot {
namespace {

constexpr std::size_t kSize = 1, kVm = 2, kOtn = 3, kSeed = 4;

struct Mean {
  double sum = 0;
  std::size_t count = 0;
};

/// By the positions of size, VM policy and N.
using Rejected = std::map<std::array<std::size_t, 3>, Mean>;

Rejected read_rejected(ResultsDatabase& results, const Grid& grid) {
  Rejected rejected;
  SqliteStatement select(results.connection(),
                         "SELECT run_index, vm_rejected FROM run ORDER BY run_index");
  while (select.step()) {
    const Coordinates at = grid.coordinates(static_cast<std::size_t>(select.read_integer()));
    Mean& mean = rejected[{at[kSize], at[kVm], at[kOtn]}];
    mean.sum += select.read_number();
    ++mean.count;
  }
  return rejected;
}

std::string heading(const std::vector<GridAxis>& axes) {
  const auto count = [&axes](std::size_t axis, const char* what) {
    const std::size_t number = axes[axis].values.size();
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
  };
  std::string text =
      "VMs rejected when each is placed on a random one of its first N hosts; mean of " +
      count(0, "workload");
  if (axes[kSeed].values.size() > 1) text += " and " + count(kSeed, "seed");
  return text + "\n";
}

}  // namespace

std::string degradation_text(ResultsDatabase& results, Timing /*timing*/) {
  const std::vector<GridAxis> axes = results.axes();
  const Grid grid = grid_of(axes);
  const Rejected rejected = read_rejected(results, grid);
  const bool is_percent = axes[kSize].key == "headroom_percent";
  TextTable table;
  table.add_column(is_percent ? "headroom" : "hosts");
  table.add_column("VM", TextTable::Align::kLeft);
  for (const AxisValue& otn : axes[kOtn].values) table.add_column("N = " + otn.label);
  for (std::size_t size = 0; size < axes[kSize].values.size(); ++size) {
    for (std::size_t vm = 0; vm < axes[kVm].values.size(); ++vm) {
      std::vector<std::string> cells{axes[kSize].values[size].label + (is_percent ? " %" : ""),
                                     axes[kVm].values[vm].label};
      for (std::size_t otn = 0; otn < axes[kOtn].values.size(); ++otn) {
        const auto found = rejected.find({size, vm, otn});
        cells.push_back(found == rejected.end()
                            ? "-"
                            : fmt::format("{:.2f}", found->second.sum /
                                                        static_cast<double>(found->second.count)));
      }
      table.add_row(std::move(cells));
    }
  }
  const std::size_t runs = results.finished_runs().size();
  const std::string missing = runs == grid.run_count() ? "" : runs_line(runs, grid.run_count());
  return missing + heading(axes) + table.text();
}

const StudyMoney& degradation_money() {
  static const StudyMoney made{.columns = {kVmsLost, kVmsRequested, kVmsEarned}};
  return made;
}

}  // namespace cospot
