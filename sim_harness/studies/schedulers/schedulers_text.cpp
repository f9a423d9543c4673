#include "sim_harness/studies/schedulers/schedulers_text.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string_view>
#include <vector>

#include "sim_harness/experiments/grid.hpp"
#include "sim_harness/files/text_table.hpp"
#include "sim_harness/studies/provider/provider_money.hpp"
#include "sim_harness/studies/study_summary.hpp"

namespace cospot {
namespace {

/// What is averaged, and how it is shown.
struct Figure {
  std::string_view sql;
  std::string_view title;
  int decimals;
  std::string_view suffix;
};
constexpr std::array<Figure, 8> kFigures{
    {{"100 * vm_conflict_rate", "VM conflicts", 2, "%"},
     {"100 * spot_conflict_rate", "spot conflicts", 2, "%"},
     {"vm_lost_to_conflicts + vm_rejected_on_stale_view", "VMs lost", 1, ""},
     {"100 * vm_loss_to_schedulers", "VM revenue lost", 4, "%"},
     {"100 * vm_loss", "for any reason", 4, "%"},
     {"100 * spot_loss_to_schedulers", "spot revenue lost", 4, "%"},
     {"100 * spot_revenue_share", "spot revenue earned", 3, "%"},
     {"placement_delay_mean_ms / 1000", "mean delay", 3, " s"}}};

struct Mean {
  double sum = 0;
  std::size_t count = 0;
};
using Means = std::array<Mean, kFigures.size()>;

/// Axes that tell the rows of the table apart: not workload and seed, which are averaged over.
std::vector<std::size_t> shown_axes(const std::vector<GridAxis>& axes) {
  std::vector<std::size_t> shown;
  for (std::size_t axis = 1; axis + 1 < axes.size(); ++axis) {
    if (axes[axis].values.size() > 1) shown.push_back(axis);
  }
  return shown;
}

/// By the coordinates on the axes that are shown.
std::map<Coordinates, Means> means_of(ResultsDatabase& results, const Grid& grid,
                                      const std::vector<std::size_t>& shown) {
  std::string columns;
  for (const Figure& figure : kFigures) columns += fmt::format(", {}", figure.sql);
  SqliteStatement select(results.connection(),
                         "SELECT run_index" + columns +
                             " FROM run JOIN run_figures USING (run_index) ORDER BY run_index");
  std::map<Coordinates, Means> means;
  while (select.step()) {
    const Coordinates at = grid.coordinates(static_cast<std::size_t>(select.read_integer()));
    Coordinates key;
    for (const std::size_t axis : shown) key.push_back(at[axis]);
    for (Mean& mean : means[key]) {
      const bool is_known = !select.next_is_null();
      const double value = select.read_number();
      if (!is_known) continue;
      mean.sum += value;
      ++mean.count;
    }
  }
  return means;
}

std::string heading(const std::vector<GridAxis>& axes) {
  std::string all;
  for (std::size_t axis = 1; axis + 1 < axes.size(); ++axis) {
    if (axes[axis].values.size() > 1) continue;
    all += fmt::format("{}{} {}", all.empty() ? "" : ", ", axes[axis].key,
                       axes[axis].values.front().label);
  }
  const auto count = [](const GridAxis& axis, const char* what) {
    const std::size_t number = axis.values.size();
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
  };
  return fmt::format("Means over {} and {}. All runs: {}.\n", count(axes.front(), "workload"),
                     count(axes.back(), "seed"), all);
}

}  // namespace

std::string schedulers_text(ResultsDatabase& results, Timing /*timing*/) {
  const std::vector<GridAxis> axes = results.axes();
  const Grid grid = grid_of(axes);
  const std::vector<std::size_t> shown = shown_axes(axes);
  TextTable table;
  for (const std::size_t axis : shown) table.add_column(axes[axis].key);
  for (const Figure& figure : kFigures) table.add_column(std::string(figure.title));
  for (const auto& [at, means] : means_of(results, grid, shown)) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      cells.push_back(axes[shown[i]].values[at[i]].label);
    }
    for (std::size_t i = 0; i < kFigures.size(); ++i) {
      const Mean& mean = means[i];
      cells.push_back(mean.count == 0
                          ? "-"
                          : fmt::format("{:.{}f}{}", mean.sum / static_cast<double>(mean.count),
                                        kFigures[i].decimals, kFigures[i].suffix));
    }
    table.add_row(std::move(cells));
  }
  const std::string runs = runs_line(results.finished_runs().size(), grid.run_count());
  return "Several schedulers on stale views: " + runs + heading(axes) + table.text() +
         "(conflicts: of the commits. Lost: to conflicts and stale views, revenue also to delay; "
         "for any\n"
         "reason: to lack of room, too. Revenue: of what was requested)\n";
}

const StudyMoney& schedulers_money() {
  static const StudyMoney made{
      .columns = {{.name = "vm_lost_to_schedulers",
                   .title = "VM revenue lost",
                   .sql = "run.vm_revenue_lost_to_stale_views + run.vm_revenue_lost_to_conflicts + "
                          "run.vm_revenue_lost_to_delay",
                   .meaning = "lost of VMs to conflicts, stale views and delay"},
                  {.name = kVmsLost.name,
                   .title = "for any reason",
                   .sql = kVmsLost.sql,
                   .meaning = kVmsLost.meaning},
                  kVmsRequested,
                  kVmsEarned,
                  {.name = "spot_lost_to_schedulers",
                   .title = "spot revenue lost",
                   .price = PriceKind::kSpot,
                   .sql = "run.spot_revenue_lost_to_stale_views + "
                          "run.spot_revenue_lost_to_conflicts + run.spot_revenue_lost_to_delay",
                   .meaning = "lost of spots to conflicts, stale views and delay"},
                  kSpotsEarned,
                  kSpotsRequested}};
  return made;
}

}  // namespace cospot
