#include "sim_harness/studies/broker/broker_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/experiments/grid/grid.hpp"
#include "sim_harness/experiments/summary/means_table.hpp"
#include "sim_harness/studies/broker/broker_run_at.hpp"

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

/// The fraction of late jobs that the study allows beyond those late on-demand.
double allowed_late(ResultsDatabase& results) {
  const Json configuration = parse_json(results.record().configuration, results.name());
  return configuration.at(kMaxLateKey).get<double>() / 100;
}

/// The setting that ranks first, and how many cannot be told from it.
std::string cheapest_text(const std::vector<RankedSetting>& settings,
                          const std::vector<GridAxis>& axes, double allowed) {
  if (settings.empty() || !settings.front().cost_per_useful_job) return "";
  const RankedSetting& best = settings.front();
  std::vector<std::string> chosen;
  for (const std::size_t axis : telling_axes(axes)) {
    chosen.push_back(axes[axis].name + " " + axes[axis].values[best.at[axis]].label);
  }
  const auto kept = std::ranges::count_if(
      settings, [allowed](const auto& one) { return one.keeps_limit(allowed); });
  const std::string limit =
      fmt::format("Limit: {}, as in cospot broker recommend; {} of {} settings keep it\n",
                  lateness_limit_text(allowed), kept, settings.size());
  std::string text = "Cheapest within the limit";
  if (kept == 0) {
    text = "On-demand alone: no setting keeps the limit. The cheapest";
  } else if (!best.beats_on_demand()) {
    text = "On-demand alone: no setting within the limit is significantly cheaper. The cheapest";
  }
  text += fmt::format(": {} USD a useful job with {}; {}", cost_text(*best.cost_per_useful_job, 5),
                      fmt::join(chosen, ", "), saving_text(best));
  if (kept == 0) {
    const std::vector<AxisValue>& fallback = axes[axis_position(axes, kFallbackAxis.name)].values;
    if (fallback.size() == 1 && fallback.front().label == "off") {
      text += "; with on_demand_fallback: on, jobs that would be late change to on-demand";
    }
    return text + "\n" + limit;
  }
  const auto others = std::ranges::count_if(std::span(settings).subspan(1), [&](const auto& one) {
    return one.keeps_limit(allowed) && !one.is_told_apart();
  });
  if (others > 0) {
    text += fmt::format("; {} of the {} other settings within it {} not significantly different",
                        others, kept - 1, others == 1 ? "is" : "are");
  }
  return text + "\n" + limit;
}

}  // namespace

std::vector<RankedSetting> ranked_settings(ResultsDatabase& results) {
  const double allowed = allowed_late(results);
  const Grid grid = grid_of(results.axes());
  std::map<Coordinates, RankedSetting> by_place;
  SqliteStatement select(results.connection(),
                         "SELECT run_index, cost, deadline_violations, revocations, unfinished, "
                         "jobs, on_demand_alone_cost, on_demand_alone_late, cost_per_useful_job "
                         "FROM run ORDER BY run_index");
  while (select.step()) {
    Coordinates at = grid.coordinates(static_cast<std::size_t>(select.read_integer()));
    const std::size_t seed = at.back();
    at.pop_back();
    RankedSetting& setting = by_place[at];
    setting.at = at;
    SettingRun run{.cost = select.read_number()};
    run.late = select.read_number();
    run.revocations = select.read_number();
    run.unfinished = select.read_number();
    run.jobs = select.read_number();
    run.on_demand.cost = select.read_number();
    run.on_demand.late = select.read_number();
    if (!select.next_is_null()) run.cost_per_useful_job = select.read_number();
    setting.runs[seed] = run;
  }
  std::vector<RankedSetting> settings;
  for (auto& [at, setting] : by_place) settings.push_back(std::move(setting));
  rank_settings(settings, allowed);
  return settings;
}

StudySummary broker_summary(ResultsDatabase& results, Timing /*timing*/) {
  const std::vector<RankedSetting> settings = ranked_settings(results);
  const double allowed = allowed_late(results);
  const std::vector<GridAxis> axes = results.axes();
  const std::vector<std::size_t> telling = telling_axes(axes);
  SummaryTable table{.columns = {{"rank", "rank"}}};
  for (std::size_t axis = 0; axis + 1 < axes.size(); ++axis) {  // the seed is the last
    const bool is_telling = std::ranges::find(telling, axis) != telling.end();
    const std::string& name = axes[axis].name;
    table.columns.push_back({name, is_telling ? name : "", TextTable::Align::kLeft});
  }
  table.columns.insert(table.columns.end(), {{"cost_per_useful_job", "USD/useful job"},
                                             {"to_best", "to best"},
                                             {"cost", "cost (USD)"},
                                             {"saving", "saving"},
                                             {"deadline_violations", "violations"},
                                             {"unfinished"},
                                             {"limit"},
                                             {"seeds"},
                                             {"told_apart"}});
  const auto number = [](int decimals) {
    return Figure{.unit = FigureUnit::kNumber, .decimals = decimals};
  };
  for (const RankedSetting& one : settings) {
    const std::size_t rank = table.rows.size() + 1;
    std::vector<SummaryCell>& row = table.rows.emplace_back();
    row.push_back({std::to_string(rank), rank});
    for (std::size_t axis = 0; axis < one.at.size(); ++axis) {
      row.push_back(setting_cell(results.schema().axes[axis], axes[axis], one.at[axis]));
    }
    row.push_back(mean_cell(number(5), one.cost_per_useful_job));
    const bool keeps = one.keeps_limit(allowed);
    const char* limit = keeps ? "kept" : one.unfinished > 0 ? "undone" : "late";
    row.push_back({!keeps      ? limit
                   : rank == 1 ? "best"
                               : to_best_text(one),
                   mean_json(one.to_best)});
    row.push_back(mean_cell(number(2), one.cost));
    row.push_back({saving_cell_text(one), saving_json(one)});
    row.push_back(mean_cell(number(1), one.late));
    row.push_back({"", json_of(one.unfinished)});
    row.push_back({"", limit});
    row.push_back({"", one.runs.size()});
    row.push_back({"", one.is_told_apart()});
  }
  StudySummary summary;
  summary.text = missing_runs_line(results);
  summary.text.add_answer(cheapest_text(settings, axes, allowed));
  summary.text +=
      "Means over the seeds, with 95% confidence intervals (Student's t); to best: seed by seed, "
      "or why the limit is not kept\n";
  summary.text.add(table);
  summary.json[std::string(kMaxLateKey)] = json_of(100 * allowed);
  summary.json["cells"] = table.json();
  return summary;
}

}  // namespace cospot
