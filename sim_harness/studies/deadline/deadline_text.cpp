#include "sim_harness/studies/deadline/deadline_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "sim_harness/experiments/summary/means_table.hpp"
#include "sim_harness/studies/deadline/deadline_comparison.hpp"

namespace cospot {
namespace {

std::string percent(const MeanInterval& share) {
  if (!share.half_width) return fmt::format("{:.1f}%", 100 * share.mean);
  return fmt::format("{:.1f} +/- {:.1f}%", 100 * share.mean, 100 * *share.half_width);
}

/// `, 45.0 +/- 1.2% less than greedy`, or that the difference is not significant.
std::string less_than(const StrategyFigures& one, const StrategyFigures& other) {
  const MeanInterval saving = saving_of(one, other);
  if (is_saving(saving)) return fmt::format(", {} less than {}", percent(saving), other.name);
  return fmt::format(", not significantly different from {} ({} less)", other.name,
                     percent(saving));
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
      text += fmt::format("; no strategy saves significantly: {} costs {} {}", next->name,
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

/// What the provider's signals save: against the same strategy by what its customer saw.
std::string signals_text(const DeadlineComparison& all) {
  const StrategyFigures* with = all.find("signalled");
  const StrategyFigures* without = all.find("quoted");
  if (with == nullptr || without == nullptr) return "";
  MeanInterval saving = saving_of(*with, *without);
  const bool is_told = saving.half_width && std::abs(saving.mean) > *saving.half_width;
  const bool is_loss = is_told && saving.mean < 0;
  if (is_loss) saving.mean = -saving.mean;
  return fmt::format(
      "The provider's signals {} {} of the cost (signalled against quoted, which goes by what its "
      "customer saw){}; late: {} of {} against {} of {}\n",
      is_loss ? "lose" : "save", percent(saving), is_told ? "" : ": not told from nothing",
      with->late, with->runs, without->late, without->runs);
}

std::string cautions_text(const DeadlineComparison& all) {
  std::string text;
  if (all.spot_price > all.on_demand_price) {
    text += fmt::format("Caution: spots cost more than on-demand ({:g} against {:g} USD/h)\n",
                        all.spot_price, all.on_demand_price);
  }
  for (const StrategyFigures& one : all.strategies) {
    if (one.late == 0) continue;
    text += fmt::format(
        "Caution: {} misses the deadline in {} of {} runs: its lower cost is not a saving\n",
        one.name, one.late, one.runs);
  }
  return text;
}

Json saving_json(const StrategyFigures* one, const StrategyFigures* other) {
  if (one == nullptr || other == nullptr || one == other || one->late > 0) return nullptr;
  return mean_json(saving_of(*one, *other));
}

std::vector<SummaryCell> cells_of(const StrategyFigures& one, const DeadlineComparison& all) {
  const StrategyFigures* uniform = all.find("uniform_progress");
  const StrategyFigures* on_demand = all.find("on_demand");
  const StrategyFigures* optimal = all.find("optimal");
  const auto number = [](double value, int decimals) {
    return SummaryCell{fmt::format("{:.{}f}", value, decimals), json_of(value)};
  };
  const auto share = [&one](bool is_known, double value, const char* format) {
    if (one.late > 0) return SummaryCell{"late", nullptr};
    if (!is_known) return SummaryCell{"-", nullptr};
    return SummaryCell{fmt::format(fmt::runtime(format), 100 * value), json_of(value)};
  };
  const bool has_uniform = uniform != nullptr && uniform->cost > 0;
  const bool has_saving =
      on_demand != nullptr && optimal != nullptr && on_demand->cost > optimal->cost;
  std::vector<double> samples;
  for (const auto& [sample, cost] : one.cost_of_sample) samples.push_back(cost);
  const MeanInterval cost{.mean = one.cost, .half_width = mean_interval(samples).half_width};
  return {{one.name, one.name},
          mean_cell({.unit = FigureUnit::kNumber}, cost),
          share(has_uniform, has_uniform ? one.cost / uniform->cost - 1 : 0, "{:+.1f}%"),
          share(has_saving,
                has_saving ? (on_demand->cost - one.cost) / (on_demand->cost - optimal->cost) : 0,
                "{:.1f}%"),
          {"", saving_json(&one, on_demand)},
          number(one.restarts, 1),
          number(one.spot_hours, 1),
          {std::to_string(one.late), one.late},
          {std::to_string(one.runs), one.runs}};
}

}  // namespace

StudySummary deadline_summary(ResultsDatabase& results, Timing /*timing*/) {
  const DeadlineComparison all = compare_strategies(results);
  SummaryTable table{.columns = {{"strategy", "strategy", TextTable::Align::kLeft},
                                 {"cost", "cost (USD)"},
                                 {"to_uniform_progress", "vs uniform_progress"},
                                 {"share_of_possible_saving", "share of possible saving"},
                                 {"saving_to_on_demand"},
                                 {"restarts", "restarts"},
                                 {"spot_hours", "spot (h)"},
                                 {"late", "late"},
                                 {"runs", "runs"}}};
  for (const StrategyFigures& one : all.strategies) {
    if (one.runs > 0) table.rows.push_back(cells_of(one, all));
  }
  const StrategyFigures* best = all.recommended();
  const StrategyFigures* next = best == nullptr ? nullptr : all.next_to(*best);
  const auto name = [](const StrategyFigures* one) {
    return one == nullptr ? Json() : Json(one->name);
  };
  StudySummary summary;
  summary.text = missing_runs_line(results);
  summary.text.add_answer(recommendation_text(all));
  summary.text += signals_text(all) + cautions_text(all) + "Means over all runs of a strategy\n";
  summary.text.add(table);
  summary.json = {{"samples", all.samples},
                  {"recommendation", name(best)},
                  {"saving_to_on_demand", saving_json(best, all.find("on_demand"))},
                  {"next", name(next)},
                  {"saving_to_next", saving_json(best, next)},
                  {"signals_save", saving_json(all.find("signalled"), all.find("quoted"))},
                  {"spots_cost_more", all.spot_price > all.on_demand_price},
                  {"spot_price", json_of(all.spot_price)},
                  {"on_demand_price", json_of(all.on_demand_price)},
                  {"strategies", table.json()}};
  return summary;
}

}  // namespace cospot
