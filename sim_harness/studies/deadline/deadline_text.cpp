#include "sim_harness/studies/deadline/deadline_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "sim_harness/experiments/summary/means_table.hpp"
#include "sim_harness/studies/deadline/deadline_comparison.hpp"

namespace cospot {
namespace {

std::string percent(const MeanInterval& share) {
  if (!share.half_width) return fmt::format("{:.1f}%", 100 * share.mean);
  return fmt::format("{:.1f} +/- {:.1f}%", 100 * share.mean, 100 * *share.half_width);
}

/// `quoted`, or `quoted on m5.large`
std::string name_of(const StrategyFigures& one) {
  return one.type.empty() ? one.name : one.name + " on " + one.type;
}

/// `, 45.0 +/- 1.2% less than greedy`, or that the difference is not significant.
std::string less_than(const StrategyFigures& one, const StrategyFigures& other) {
  const MeanInterval saving = saving_of(one, other);
  if (is_saving(saving)) return fmt::format(", {} less than {}", percent(saving), name_of(other));
  return fmt::format(", not significantly different from {} ({} less)", name_of(other),
                     percent(saving));
}

std::string recommendation_text(const DeadlineComparison& all) {
  const StrategyFigures* best = all.recommended();
  if (best == nullptr) {
    return "Recommendation: none; every strategy may be late or knows the future: add on_demand\n";
  }
  std::string text =
      fmt::format("Recommendation: {}, {:.2f} USD a job", name_of(*best), best->cost);
  const StrategyFigures* on_demand = all.find("on_demand");
  const StrategyFigures* next = all.next_to(*best);
  if (best == on_demand) {
    if (next != nullptr) {
      MeanInterval saving = saving_of(*next, *best);
      const bool is_dearer = saving.mean < 0;
      saving.mean = std::abs(saving.mean);
      text += fmt::format("; no strategy saves significantly: {} costs {} {}", name_of(*next),
                          percent(saving), is_dearer ? "more" : "less");
    }
  } else {
    if (on_demand != nullptr) text += less_than(*best, *on_demand);
    if (next != nullptr && next != on_demand) text += less_than(*best, *next);
  }
  text += fmt::format("; never late in {} run{}\n", best->runs, best->runs == 1 ? "" : "s");
  if (all.independent < 2) {
    text +=
        "One start in one trace has no interval: give more traces, or cut this one into windows as "
        "long as the deadline: trace: {file: FILE, windows: {hours: DEADLINE, every_hours: "
        "DEADLINE}}\n";
  }
  return text;
}

/// The advice for now: the first choice of the recommended strategy, had the job started when the
/// history ended. Empty with several histories, as in a research study.
std::string now_text(const DeadlineComparison& all) {
  const StrategyFigures* best = all.recommended();
  if (best == nullptr || all.histories != 1) return "";
  const std::string instance = best->type.empty() ? "instance" : best->type + " instance";
  std::map<std::string, std::vector<std::string>> jobs;  // by what to do
  for (const auto& [job, now] : best->now) {
    jobs[now == "spot"        ? "start a spot " + instance
         : now == "on_demand" ? "start an on-demand " + instance
                              : "wait for a spot " + instance]
        .push_back(job);
  }
  std::vector<std::string> parts;
  for (const auto& [what, of] : jobs) {
    parts.push_back(jobs.size() == 1 ? what : fmt::format("{} ({})", what, fmt::join(of, "; ")));
  }
  return fmt::format(
      "Now, at the end of the trace: {}. When that changes, ask again with the trace up to then "
      "and "
      "what is left: cospot compare STUDY.yaml --set duration_hours=LEFT --set "
      "deadline_hours=LEFT\n",
      fmt::join(parts, ", "));
}

std::string cautions_text(const DeadlineComparison& all) {
  std::string text;
  if (all.spot_price > all.on_demand_price) {
    text += fmt::format("Caution: spots cost more than on-demand ({:g} against {:g} USD/h)\n",
                        all.spot_price, all.on_demand_price);
  }
  if (all.independent < all.samples) {
    text += fmt::format(
        "Caution: starts are closer together than the deadline, so their samples overlap: the "
        "intervals count only the {} of {} that do not\n",
        all.independent, all.samples);
  }
  for (const StrategyFigures& one : all.strategies) {
    if (one.late == 0) continue;
    text += fmt::format(
        "Caution: {} misses the deadline in {} of {} runs: its lower cost is not a saving\n",
        name_of(one), one.late, one.runs);
  }
  std::vector<std::string> early;
  for (const StrategyFigures& one : all.strategies) {
    if (one.net_before_loss == 0) continue;
    early.push_back(
        fmt::format("{} of {} runs of {}", one.net_before_loss, one.runs, name_of(one)));
  }
  if (!early.empty()) {
    text += fmt::format(
        "Safety net: in {} it moved the job to on-demand before any loss of capacity, because the "
        "deadline leaves hardly more time than the work and the starts of instances take\n",
        fmt::join(early, ", "));
  }
  return text;
}

Json saving_json(const StrategyFigures* one, const StrategyFigures* other) {
  if (one == nullptr || other == nullptr || one == other || one->late > 0) return nullptr;
  return mean_json(saving_of(*one, *other));
}

Json now_json(const StrategyFigures& one) {
  Json json = Json::array();
  for (const auto& [job, now] : one.now) json.push_back({{"job", job}, {"run", now}});
  return json;
}

std::vector<SummaryCell> cells_of(const StrategyFigures& one, const DeadlineComparison& all) {
  const StrategyFigures* uniform = all.find("uniform_progress", one.type);
  const StrategyFigures* on_demand = all.find("on_demand", one.type);
  const StrategyFigures* optimal = all.find("optimal", one.type);
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
  return {{one.type, one.type},
          {one.name, one.name},
          mean_cell({.unit = FigureUnit::kNumber}, cost_interval(one)),
          share(has_uniform, has_uniform ? one.cost / uniform->cost - 1 : 0, "{:+.1f}%"),
          share(has_saving,
                has_saving ? (on_demand->cost - one.cost) / (on_demand->cost - optimal->cost) : 0,
                "{:.1f}%"),
          {"", saving_json(&one, on_demand)},
          {"", now_json(one)},
          {"", one.net_before_loss},
          number(one.restarts, 1),
          number(one.spot_hours, 1),
          {std::to_string(one.late), one.late},
          {std::to_string(one.runs), one.runs}};
}

}  // namespace

StudySummary deadline_summary(ResultsDatabase& results, Timing /*timing*/) {
  const DeadlineComparison all = compare_strategies(results);
  SummaryTable table{.columns = {{"type", all.has_types() ? "type" : "", TextTable::Align::kLeft},
                                 {"strategy", "strategy", TextTable::Align::kLeft},
                                 {"cost", "cost (USD)"},
                                 {"to_uniform_progress", "vs uniform_progress"},
                                 {"share_of_possible_saving", "share of possible saving"},
                                 {"saving_to_on_demand"},
                                 {"now"},
                                 {"net_before_loss"},
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
  const auto type = [](const StrategyFigures* one) {
    return one == nullptr || one->type.empty() ? Json() : Json(one->type);
  };
  StudySummary summary;
  summary.text = missing_runs_line(results);
  summary.text.add_answer(recommendation_text(all));
  summary.text += now_text(all);
  summary.text += cautions_text(all) + fmt::format("Means over all runs of a strategy{}\n",
                                                   all.has_types() ? " on a type" : "");
  summary.text.add(table);
  summary.json = {{"samples", all.samples},
                  {"independent_samples", all.independent},
                  {"recommendation", name(best)},
                  {"recommended_type", type(best)},
                  {"saving_to_on_demand", saving_json(best, all.find("on_demand"))},
                  {"next", name(next)},
                  {"next_type", type(next)},
                  {"saving_to_next", saving_json(best, next)},
                  {"spots_cost_more", all.spot_price > all.on_demand_price},
                  {"spot_price", json_of(all.spot_price)},
                  {"on_demand_price", json_of(all.on_demand_price)},
                  {"strategies", table.json()}};
  return summary;
}

}  // namespace cospot
