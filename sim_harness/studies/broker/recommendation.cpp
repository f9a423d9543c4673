#include "sim_harness/studies/broker/recommendation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "core/errors.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/experiments/queue/work_queue.hpp"
#include "sim_harness/studies/broker/broker_figures.hpp"
#include "sim_harness/studies/broker/hold_out.hpp"
#include "sim_harness/studies/broker/job_checks.hpp"

namespace cospot {
namespace {

/// After so many seeds, settings that are clearly not the best are dropped.
constexpr std::size_t kFirstSeeds = 5;
/// More late jobs than that on-demand mean that deadlines and run times do not fit together.
constexpr double kMostlyLate = 0.5;

using Runs = std::vector<RankedSetting>;

SettingRun setting_run(const BrokerResult& result, const OnDemandRun& on_demand) {
  return setting_run_of(figures_of(result, on_demand));
}

/// Moves the settings that cannot be the best any more out of `running`: those that are later than
/// allowed beyond their interval or leave jobs undone, and those that are dearer beyond it than the
/// best that keeps the limit beyond its own.
Runs drop_losers(Runs& running, double allowed) {
  rank_settings(running, allowed);
  const auto best = std::ranges::find_if(running, [&](const RankedSetting& one) {
    return one.cost_per_useful_job && one.keeps_limit(allowed) &&
           one.more_late.mean + one.more_late.half_width.value_or(0) <= allowed;
  });
  const bool has_best = best != running.end();
  const RankedSetting reference = has_best ? *best : RankedSetting{};
  Runs kept, dropped;
  for (RankedSetting& one : running) {
    compare_setting(one, reference);
    const MeanInterval& late = one.more_late;
    const bool is_dearer = has_best && one.is_told_apart() && one.to_best->mean > 0;
    const bool is_late = one.unfinished > 0 || late.mean - late.half_width.value_or(0) > allowed;
    (is_dearer || is_late ? dropped : kept).push_back(std::move(one));
  }
  running = std::move(kept);
  return dropped;
}

/// The search in a part of the history: settings, each with the runs of its seeds.
class Search {
 public:
  Search(const BrokerStudySettings& settings, const BrokerInputs& inputs, std::size_t threads,
         RunCounter& counter)
      : settings_(settings), inputs_(inputs), threads_(threads), counter_(counter) {
    OnDemandBaseline baseline(settings, inputs);
    on_demand_ = baseline.of(Coordinates(broker_table().columns().size(), 0), threads);
  }

  [[nodiscard]] OnDemandMeans on_demand(double jobs) const {
    std::vector<double> costs;
    OnDemandMeans means{.market_choice = on_demand_.market_choice};
    for (const OnDemandRun& run : on_demand_.runs) {
      costs.push_back(run.cost);
      means.late_share += run.late / jobs / static_cast<double>(on_demand_.runs.size());
    }
    means.cost = mean_interval(costs);
    return means;
  }

  /// Adds the runs of seeds from `first` to before `last` to each setting.
  void run(Runs& candidates, std::size_t first, std::size_t last) {
    work_in_parallel(candidates.size(), threads_, [&](std::size_t i) {
      Coordinates at = candidates[i].at;
      std::size_t& seed = at.emplace_back();  // the last axis
      for (seed = first; seed < last; ++seed) {
        candidates[i].runs[seed] =
            setting_run(run_broker_at(settings_, inputs_, at), on_demand_.runs[seed]);
      }
      counter_.add(last - first);
    });
    current_stop_token().check();
  }

  /// Adds the runs of all seeds to each setting but those that are dropped after the first seeds,
  /// which it gives back. Should none of the others keep the limit in the end, none is dropped.
  Runs run_all(Runs& running, double allowed) {
    const std::size_t seeds = settings_.seeds.size();
    const std::size_t begin = std::min(kFirstSeeds, seeds);
    run(running, 0, begin);
    if (begin == seeds) return {};
    Runs dropped = drop_losers(running, allowed);
    const std::size_t left_out = dropped.size() * (seeds - begin);
    counter_.set_total(counter_.total() - left_out);
    run(running, begin, seeds);
    rank_settings(running, allowed);
    const bool keeps_limit = !running.empty() && running.front().keeps_limit(allowed);
    if (keeps_limit) return dropped;
    counter_.set_total(counter_.total() + left_out);
    run(dropped, begin, seeds);
    std::ranges::move(dropped, std::back_inserter(running));
    return {};
  }

 private:
  const BrokerStudySettings& settings_;
  const BrokerInputs& inputs_;
  OnDemandAlone on_demand_;
  std::size_t threads_;
  RunCounter& counter_;
};

/// Every setting of a file, without runs.
Runs all_settings(const BrokerStudySettings& settings) {
  std::vector<GridAxis> axes = broker_table().axes(settings);
  axes.pop_back();  // the seeds
  const Grid grid = grid_of(axes);
  Runs all;
  for (std::size_t i = 0; i < grid.run_count(); ++i) all.push_back({.at = grid.coordinates(i)});
  return all;
}

Candidate candidate_of(const RankedSetting& figures, const BrokerStudySettings& settings,
                       double jobs) {
  const auto at = broker_table().at(settings, figures.at);
  Candidate one{.bid = at.get(kBidAxis),
                .fault_tolerance = at.get(kFaultToleranceAxis),
                .market_choice = at.get(kMarketChoiceAxis),
                .alpha = at.get(kAlphaAxis),
                .on_demand_fallback = at.get(kFallbackAxis),
                .figures = figures,
                .late_share = figures.late.mean / jobs};
  for (const auto& [seed, run] : figures.runs) {
    one.worst_late = std::max(one.worst_late, run.late / jobs);
  }
  return one;
}

/// Ranks what was run, and compares all of it with the best that is late no more often than
/// allowed.
void add_candidates(Recommendation& found, Runs running, const Runs& dropped,
                    const BrokerStudySettings& settings) {
  const auto candidate = [&](const RankedSetting& one) {
    return candidate_of(one, settings, found.jobs);
  };
  rank_settings(running, found.allowed_late);
  prefer_least_risk(running, found.allowed_late);
  for (const RankedSetting& one : running) {
    (one.keeps_limit(found.allowed_late) ? found.ranked : found.others).push_back(candidate(one));
  }
  std::ranges::transform(dropped, std::back_inserter(found.dropped), candidate);
  if (found.ranked.empty()) return;
  const RankedSetting best = found.ranked.front().figures;
  for (auto* list : {&found.ranked, &found.others, &found.dropped}) {
    for (Candidate& one : *list) compare_setting(one.figures, best);
  }
}

/// The effect of the fallback on the first setting, if the search has the same setting with the
/// other value.
std::optional<FallbackEffect> fallback_effect(const Recommendation& found) {
  const Candidate& best = found.ranked.front();
  const std::size_t axis = broker_table().position(kFallbackAxis.name);
  const auto is_twin = [&](const Candidate& one) {
    Coordinates at = one.figures.at;
    at[axis] = best.figures.at[axis];
    return at == best.figures.at && one.on_demand_fallback != best.on_demand_fallback;
  };
  for (const auto* list : {&found.ranked, &found.others, &found.dropped}) {
    const auto twin = std::ranges::find_if(*list, is_twin);
    if (twin == list->end()) continue;
    const Candidate& with = best.on_demand_fallback ? best : *twin;
    const Candidate& without = best.on_demand_fallback ? *twin : best;
    const auto cost_of = [&](const PairValue& value) {
      return paired(with.figures, without.figures, value);
    };
    return FallbackEffect{.added_cost = cost_of([](const SettingRun& one, const SettingRun& other) {
                            return one.cost - other.cost;
                          }),
                          .cost_without = cost_of([](const SettingRun&, const SettingRun& other) {
                                            return other.cost;
                                          }).mean,
                          .late_share_with = with.late_share,
                          .late_share_without = without.late_share};
  }
  return std::nullopt;
}

void require_one_of_each(const BrokerStudySettings& settings) {
  std::vector<std::string> wide;
  if (settings.markets.size() > 1) wide.emplace_back("market");
  if (settings.jobs.size() > 1) wide.emplace_back("jobs");
  if (settings.billing.size() > 1) wide.emplace_back("billing");
  if (wide.empty()) return;
  throw ConfigError(fmt::format(
      "more than one value of: {}; expected one: choose with --set, or use cospot compare for all",
      fmt::join(wide, ", ")));
}

/// Names the properties of jobs that are drawn because no job of the log states them.
std::vector<std::string> drawn_of(const std::vector<Job>& log) {
  std::vector<std::string> drawn;
  const auto add_unless_stated = [&](const char* what, const auto& is_stated) {
    const auto stated = std::ranges::count_if(log, is_stated);
    if (stated == 0) drawn.emplace_back(what);
    if (stated > 0 && static_cast<std::size_t>(stated) < log.size()) {
      drawn.push_back(fmt::format("{} of {} of {} jobs", what,
                                  log.size() - static_cast<std::size_t>(stated), log.size()));
    }
  };
  add_unless_stated("deadlines", [](const Job& job) { return job.deadline.has_value(); });
  add_unless_stated("estimates", [](const Job& job) { return job.estimate.has_value(); });
  add_unless_stated("parallelism", [](const Job& job) { return job.parallelism.has_value(); });
  return drawn;
}

std::vector<std::string> cautions_of(const BrokerStudySettings& settings,
                                     const BrokerInputs& inputs, const HistoryParts& parts) {
  /// 28 November 2017: prices since then do not follow bids.
  constexpr Seconds kEndOfBids = 1'511'827'200;
  const MarketSet& markets = inputs.markets.front();
  const double days = inputs.jobs.front().days;
  std::vector<std::string> cautions = job_cautions(inputs.jobs.front(), markets, settings.model);
  if (!parts.too_short.empty()) cautions.push_back(parts.too_short);
  const std::optional<StartRange>& part = parts.choosing.starts;
  const StartRange starts = part.value_or(starts_in(markets, days));
  const std::string where =
      part ? fmt::format("in the {:.1f} days of the choice", parts.choosing_days)
           : "between the first and the last week of the price history";
  const auto apart =
      static_cast<std::size_t>(static_cast<double>(starts.length) / 86'400 / days) + 1;
  if (starts.length == 0) {
    cautions.push_back(
        fmt::format("the price history of {:.1f} days has room for one start of {:g} days of jobs "
                    "{}: the seeds draw no prices, and the intervals are too narrow",
                    static_cast<double>(markets.end() - markets.begin()) / 86'400, days,
                    part ? where : "between its first and last week"));
  } else if (settings.seeds.size() > apart) {
    cautions.push_back(fmt::format(
        "the {} seeds start at overlapping times: only {} stretch{} of {:g} days fit{} {}; the "
        "intervals hold for this history and are too narrow for another",
        settings.seeds.size(), apart, apart == 1 ? "" : "es", days, apart == 1 ? "s" : "", where));
  }
  if (const double pace = inputs.jobs.front().pace_days; pace < 1) {
    cautions.push_back(fmt::format(
        "the jobs come within {:.1f} hours: a month at that pace is an extrapolation", 24 * pace));
  }
  if (settings.markets.front().has_prices() && markets.end() > kEndOfBids) {
    cautions.emplace_back(
        "prices after November 2017: since then EC2 ends instances when it needs their capacity, "
        "not when a price rises above a bid; give the market as availability (docs/broker.md), or "
        "use the study deadline");
  }
  return cautions;
}

/// The recommended setting in the part that is held out, against the best of all settings there.
HeldOut judge(const Recommendation& found, const BrokerStudySettings& settings, Search& search) {
  HeldOut made{.on_demand = search.on_demand(found.jobs)};
  Runs chosen{{.at = found.ranked.front().figures.at}};
  search.run(chosen, 0, settings.seeds.size());
  Runs all = all_settings(settings);
  (void)search.run_all(all, found.allowed_late);
  rank_settings(chosen, found.allowed_late);
  rank_settings(all, found.allowed_late);
  if (!all.empty() && all.front().keeps_limit(found.allowed_late)) {
    made.best = candidate_of(all.front(), settings, found.jobs);
    compare_setting(chosen.front(), all.front());
  }
  made.setting = candidate_of(chosen.front(), settings, found.jobs);
  return made;
}

/// The cautions of what was found.
void add_cautions(Recommendation& found) {
  if (found.on_demand.late_share > kMostlyLate) {
    found.cautions.push_back(fmt::format(
        "{:.0f}% of the jobs are late even on-demand: their deadlines are shorter than their work; "
        "check deadline_s and duration_s",
        100 * found.on_demand.late_share));
  }
  if (!found.held_out) return;
  const RankedSetting& later = found.held_out->setting.figures;
  if (!later.keeps_limit(found.allowed_late)) {
    found.cautions.push_back(
        "on the days held out, the setting does not keep the limit of lateness");
  } else if (found.beats_on_demand() && later.saving.mean <= 0) {
    found.cautions.push_back("on the days held out, the setting saved nothing against on-demand");
  }
}

}  // namespace

Recommendation recommend(const BrokerStudySettings& settings, const RecommendOptions& options) {
  require_one_of_each(settings);
  const BrokerInputs inputs = load_broker_inputs(settings);
  const std::size_t seeds = settings.seeds.size();
  const Coordinates first(broker_table().columns().size(), 0);
  const HistoryParts parts = split_history(settings, inputs, options.hold_out_percent);
  Recommendation found{.drawn = drawn_of(inputs.jobs.front().log.jobs),
                       .cautions = cautions_of(settings, inputs, parts),
                       .has_prices = settings.markets.front().has_prices(),
                       .tries_fallback = std::ranges::find(settings.on_demand_fallback, true) !=
                                         settings.on_demand_fallback.end(),
                       .allowed_late = settings.max_late_percent / 100,
                       .days = inputs.jobs.front().pace_days,
                       .seeds = seeds};
  found.jobs = static_cast<double>(run_broker_at(settings, inputs, first, true).jobs);
  Runs running = all_settings(settings);
  const std::size_t later = parts.held_out ? (running.size() + 1) * seeds : 0;
  RunCounter counter(options.progress, running.size() * seeds + later);
  Search search(settings, parts.choosing, options.threads, counter);
  found.on_demand = search.on_demand(found.jobs);
  const Runs dropped = search.run_all(running, found.allowed_late);
  add_candidates(found, std::move(running), dropped, settings);
  if (!found.ranked.empty()) {
    found.bids = market_bids(settings, inputs, found.ranked.front().figures.at);
    found.fallback = fallback_effect(found);
  }
  if (parts.held_out && !found.ranked.empty()) {
    Search after(settings, *parts.held_out, options.threads, counter);
    found.held_out = judge(found, settings, after);
    found.held_out->days = parts.held_out_days;
    found.held_out->choosing_days = parts.choosing_days;
  } else {
    counter.set_total(counter.total() - later);
  }
  add_cautions(found);
  counter.finish(true);
  return found;
}

}  // namespace cospot
