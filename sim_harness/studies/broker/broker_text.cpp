#include "sim_harness/studies/broker/broker_text.hpp"

#include <fmt/format.h>

#include <map>

#include "sim_harness/experiments/grid.hpp"
#include "sim_harness/files/json_text.hpp"
#include "sim_harness/files/text_table.hpp"
#include "sim_harness/studies/broker/broker_run_at.hpp"
#include "sim_harness/studies/study_summary.hpp"

namespace cospot {
namespace {

/// Axes with more than one value: the others say nothing in a table.
std::vector<std::size_t> telling_axes(const std::vector<GridAxis>& axes) {
  std::vector<std::size_t> telling;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::string& name = axes[i].name;
    if (name == kBrokerSeedAxis.name) continue;
    const bool is_choice =
        name == kBidAxis.name || name == kAlphaAxis.name || name == kFaultToleranceAxis.name;
    if (is_choice || axes[i].values.size() > 1) telling.push_back(i);
  }
  return telling;
}

std::string setting_json(const RankedSetting& setting, const std::vector<GridAxis>& axes) {
  JsonObject object;
  for (std::size_t i = 0; i < setting.at.size(); ++i) {
    object.add(axes[i].name, json_text(axes[i].values[setting.at[i]].label));
  }
  return object.add("seeds", std::to_string(setting.runs.size()))
      .add("cost", mean_json(setting.cost, "half_width_95"))
      .add("deadline_violations", mean_json(setting.late, "half_width_95"))
      .add("cost_per_useful_job", mean_json(setting.cost_per_useful_job, "half_width_95"))
      .add("to_best", mean_json(setting.to_best, "half_width_95"))
      .add("told_apart", json_bool(setting.is_told_apart()))
      .text();
}

}  // namespace

std::vector<RankedSetting> ranked_settings(ResultsDatabase& results) {
  const Grid grid = grid_of(results.axes());
  std::map<Coordinates, RankedSetting> by_place;
  SqliteStatement select(results.connection(),
                         "SELECT run_index, cost, deadline_violations, revocations, "
                         "cost_per_useful_job FROM run ORDER BY run_index");
  while (select.step()) {
    Coordinates at = grid.coordinates(static_cast<std::size_t>(select.read_integer()));
    const std::size_t seed = at.back();
    at.pop_back();
    RankedSetting& setting = by_place[at];
    setting.at = at;
    SettingRun run{.cost = select.read_number()};
    run.late = select.read_number();
    run.revocations = select.read_number();
    if (!select.next_is_null()) run.cost_per_useful_job = select.read_number();
    setting.runs[seed] = run;
  }
  std::vector<RankedSetting> settings;
  for (auto& [at, setting] : by_place) settings.push_back(std::move(setting));
  rank_settings(settings);
  return settings;
}

std::string broker_text(ResultsDatabase& results, Timing /*timing*/) {
  const std::vector<RankedSetting> settings = ranked_settings(results);
  const std::vector<GridAxis> axes = results.axes();
  const std::vector<std::size_t> telling = telling_axes(axes);
  TextTable table;
  table.add_column("rank");
  for (const std::size_t axis : telling) {
    table.add_column(axes[axis].name, TextTable::Align::kLeft);
  }
  for (const char* title : {"USD/useful job", "to best", "cost (USD)", "violations", "seeds"}) {
    table.add_column(title);
  }
  for (std::size_t rank = 0; rank < settings.size(); ++rank) {
    const RankedSetting& one = settings[rank];
    std::vector<std::string> texts{std::to_string(rank + 1)};
    for (const std::size_t axis : telling) {
      texts.push_back(axes[axis].values[one.at[axis]].label);
    }
    texts.push_back(one.cost_per_useful_job ? interval_text(*one.cost_per_useful_job, 5) : "-");
    texts.push_back(rank == 0 ? "best" : to_best_text(one));
    texts.push_back(interval_text(one.cost, 2));
    texts.push_back(interval_text(one.late, 1));
    texts.push_back(std::to_string(one.runs.size()));
    table.add_row(std::move(texts));
  }
  const std::size_t runs = results.finished_runs().size();
  const std::size_t expected = results.record().run_count;
  const std::string missing = runs == expected ? "" : runs_line(runs, expected);
  return missing +
         "Means over the seeds, with 95% confidence intervals (Student's t); to best: seed by "
         "seed\n" +
         table.text();
}

std::string broker_json(ResultsDatabase& results, Timing /*timing*/) {
  const std::vector<GridAxis> axes = results.axes();
  return JsonObject()
      .add("study", "\"broker\"")
      .add("runs", std::to_string(results.finished_runs().size()))
      .add("expected_runs", std::to_string(results.record().run_count))
      .add("cells", list_of(ranked_settings(results),
                            [&axes](const RankedSetting& one) { return setting_json(one, axes); }))
      .text();
}

}  // namespace cospot
