#include "sim_harness/studies/deadline/deadline_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "sim_harness/files/json_text.hpp"
#include "sim_harness/files/text_table.hpp"
#include "sim_harness/studies/deadline/deadline_comparison.hpp"
#include "sim_harness/studies/study_summary.hpp"

namespace cospot {
namespace {

std::string percent(const MeanInterval& share) {
  if (!share.half_width) return fmt::format("{:.1f}%", 100 * share.mean);
  return fmt::format("{:.1f} +/- {:.1f}%", 100 * share.mean, 100 * *share.half_width);
}

/// `, 45.0 +/- 1.2% less than greedy`, or that it is not told apart from it.
std::string less_than(const StrategyFigures& one, const StrategyFigures& other) {
  const MeanInterval saving = saving_of(one, other);
  if (is_saving(saving)) return fmt::format(", {} less than {}", percent(saving), other.name);
  return fmt::format(", not told apart from {} ({} less)", other.name, percent(saving));
}

std::string recommendation_text(const DeadlineComparison& all) {
  const StrategyFigures* best = all.recommended();
  if (best == nullptr) {
    return "Recommendation: none; every strategy may be late or knows the future: add on_demand\n";
  }
  std::string text = fmt::format("Recommendation: {}, {:.2f} USD a job", best->name, best->cost);
  const StrategyFigures* on_demand = all.find("on_demand");
  const StrategyFigures* next = all.next_to(*best);
  if (best == on_demand) {
    if (next != nullptr) {
      MeanInterval saving = saving_of(*next, *best);
      const bool is_dearer = saving.mean < 0;
      saving.mean = std::abs(saving.mean);
      text += fmt::format("; nothing saves beyond its interval: {} costs {} {}", next->name,
                          percent(saving), is_dearer ? "more" : "less");
    }
  } else {
    if (on_demand != nullptr) text += less_than(*best, *on_demand);
    if (next != nullptr && next != on_demand) text += less_than(*best, *next);
  }
  text += fmt::format("; never late in {} run{}\n", best->runs, best->runs == 1 ? "" : "s");
  if (all.samples < 2) {
    text += "One start in one trace has no interval: give more traces, or several start_hours\n";
  }
  return text;
}

std::string cautions_text(const DeadlineComparison& all) {
  std::string text;
  if (all.spot_price > all.on_demand_price) {
    text += fmt::format("Caution: spots cost more than on-demand ({:g} against {:g} USD/h)\n",
                        all.spot_price, all.on_demand_price);
  }
  for (const StrategyFigures& one : all.strategies) {
    if (one.late == 0) continue;
    text += fmt::format("Caution: {} misses the deadline in {} of {} runs: its cost is no saving\n",
                        one.name, one.late, one.runs);
  }
  return text;
}

std::vector<std::string> cells_of(const StrategyFigures& one, const DeadlineComparison& all) {
  const StrategyFigures* uniform = all.find("uniform_progress");
  const StrategyFigures* on_demand = all.find("on_demand");
  const StrategyFigures* optimal = all.find("optimal");
  std::string to_uniform = "-", saved = "-";
  if (one.late > 0) {
    to_uniform = saved = "late";
  } else {
    if (uniform != nullptr && uniform->cost > 0) {
      to_uniform = fmt::format("{:+.1f}%", 100 * (one.cost / uniform->cost - 1));
    }
    if (on_demand != nullptr && optimal != nullptr && on_demand->cost > optimal->cost) {
      const double possible = on_demand->cost - optimal->cost;
      saved = fmt::format("{:.1f}%", 100 * (on_demand->cost - one.cost) / possible);
    }
  }
  return {one.name,
          fmt::format("{:.2f}", one.cost),
          to_uniform,
          saved,
          fmt::format("{:.1f}", one.restarts),
          fmt::format("{:.1f}", one.spot_hours),
          std::to_string(one.late),
          std::to_string(one.runs)};
}

std::string saving_json(const StrategyFigures* one, const StrategyFigures* other) {
  if (one == nullptr || other == nullptr || one == other || one->late > 0) return "null";
  return mean_json(saving_of(*one, *other), "half_width_95");
}

}  // namespace

std::string deadline_text(ResultsDatabase& results, Timing /*timing*/) {
  const DeadlineComparison all = compare_strategies(results);
  TextTable table;
  table.add_column("strategy", TextTable::Align::kLeft);
  for (const char* title : {"cost (USD)", "to uniform_progress", "of the possible saving",
                            "restarts", "spot (h)", "late", "runs"}) {
    table.add_column(title);
  }
  for (const StrategyFigures& one : all.strategies) {
    if (one.runs > 0) table.add_row(cells_of(one, all));
  }
  const std::size_t runs = results.finished_runs().size();
  const std::size_t expected = results.record().run_count;
  const std::string missing = runs == expected ? "" : runs_line(runs, expected);
  return missing + recommendation_text(all) + cautions_text(all) +
         "Means over all runs of a strategy\n" + table.text();
}

std::string deadline_json(ResultsDatabase& results, Timing /*timing*/) {
  const DeadlineComparison all = compare_strategies(results);
  const StrategyFigures* best = all.recommended();
  const StrategyFigures* on_demand = all.find("on_demand");
  const StrategyFigures* next = best == nullptr ? nullptr : all.next_to(*best);
  JsonObject object;
  object.add("study", "\"deadline\"")
      .add("runs", std::to_string(results.finished_runs().size()))
      .add("expected_runs", std::to_string(results.record().run_count))
      .add("samples", std::to_string(all.samples))
      .add("recommendation", best == nullptr ? "null" : json_text(best->name))
      .add("saving_to_on_demand", saving_json(best, on_demand))
      .add("next", next == nullptr ? "null" : json_text(next->name))
      .add("saving_to_next", saving_json(best, next))
      .add("spots_cost_more", json_bool(all.spot_price > all.on_demand_price));
  return object
      .add("strategies", list_of(all.strategies,
                                 [&](const StrategyFigures& one) {
                                   return JsonObject()
                                       .add("strategy", json_text(one.name))
                                       .add("runs", std::to_string(one.runs))
                                       .add("late", std::to_string(one.late))
                                       .add("cost", json_number(one.cost))
                                       .add("saving_to_on_demand", saving_json(&one, on_demand))
                                       .add("restarts", json_number(one.restarts))
                                       .add("spot_hours", json_number(one.spot_hours))
                                       .text();
                                 }))
      .text();
}

}  // namespace cospot
