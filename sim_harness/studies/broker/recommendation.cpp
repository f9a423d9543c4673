#include "sim_harness/studies/broker/recommendation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim_harness/files/json_text.hpp"
#include "sim_harness/files/text_table.hpp"

namespace cospot {
namespace {

constexpr std::size_t kShown = 5;

double usd(MicroUsd amount) { return static_cast<double>(amount) / static_cast<double>(kUsd); }

double late_share(const BrokerResult& result) {
  return static_cast<double>(result.deadline_violations) / static_cast<double>(result.jobs);
}

/// The runs of one candidate, a seed each, summed up.
Candidate try_candidate(const BrokerStudySettings& settings, const BrokerInputs& inputs,
                        Coordinates at) {
  Candidate candidate{.bid = settings.bid[at[kBidAxis]],
                      .fault_tolerance = settings.fault_tolerance[at[kFaultToleranceAxis]],
                      .market_choice = settings.market_choice[at[kMarketChoiceAxis]],
                      .alpha = settings.alpha[at[kAlphaAxis]]};
  std::vector<double> costs;
  const auto seeds = static_cast<double>(settings.seeds.size());
  for (at[kSeedAxis] = 0; at[kSeedAxis] < settings.seeds.size(); ++at[kSeedAxis]) {
    const BrokerResult result = run_broker_at(settings, inputs, at);
    costs.push_back(usd(result.cost));
    candidate.late_share += late_share(result) / seeds;
    candidate.worst_late = std::max(candidate.worst_late, late_share(result));
    candidate.revocations += static_cast<double>(result.revocations) / seeds;
  }
  candidate.cost = mean_interval(costs);
  return candidate;
}

std::string money(const MeanInterval& cost) {
  return cost.half_width ? fmt::format("{:.2f} +/- {:.2f}", cost.mean, *cost.half_width)
                         : fmt::format("{:.2f}", cost.mean);
}

std::string percent(double share) { return fmt::format("{:.2f}%", 100 * share); }

std::string table_of(const std::vector<Candidate>& candidates) {
  TextTable table;
  table.add_column("bid", TextTable::Align::kLeft);
  table.add_column("fault_tolerance", TextTable::Align::kLeft);
  table.add_column("market_choice", TextTable::Align::kLeft);
  for (const char* title :
       {"alpha", "cost (USD)", "saving", "late", "late, worst seed", "revocations"}) {
    table.add_column(title);
  }
  for (std::size_t i = 0; i < std::min(kShown, candidates.size()); ++i) {
    const Candidate& one = candidates[i];
    table.add_row({one.bid, one.fault_tolerance, one.market_choice, fmt::format("{:g}", one.alpha),
                   money(one.cost), fmt::format("{:.1f}%", 100 * one.saving),
                   percent(one.late_share), percent(one.worst_late),
                   fmt::format("{:.0f}", one.revocations)});
  }
  return table.text();
}

std::string candidate_json(const Candidate& one) {
  return JsonObject()
      .add("bid", json_text(one.bid))
      .add("fault_tolerance", json_text(one.fault_tolerance))
      .add("market_choice", json_text(one.market_choice))
      .add("alpha", json_number(one.alpha))
      .add("cost", mean_json(one.cost, "half_width_95"))
      .add("saving", json_number(one.saving))
      .add("late_share", json_number(one.late_share))
      .add("late_share_worst_seed", json_number(one.worst_late))
      .add("revocations", json_number(one.revocations))
      .text();
}

}  // namespace

Recommendation recommend(const BrokerStudySettings& settings, double allowed_late) {
  const BrokerInputs inputs = load_broker_inputs(settings);
  Recommendation result{.allowed_late = allowed_late, .seeds = settings.seeds.size()};
  Coordinates at(kSeedAxis + 1, 0);
  std::vector<double> costs;
  for (at[kSeedAxis] = 0; at[kSeedAxis] < settings.seeds.size(); ++at[kSeedAxis]) {
    const BrokerResult run = run_broker_at(settings, inputs, at, true);
    costs.push_back(usd(run.cost));
    result.on_demand_late += late_share(run) / static_cast<double>(settings.seeds.size());
  }
  result.on_demand = mean_interval(costs);
  std::vector<std::size_t> lengths = axis_lengths(settings);
  lengths[kMarketAxis] = lengths[kJobsAxis] = lengths[kBillingAxis] = lengths[kSeedAxis] = 1;
  const Grid grid(lengths, 0);
  for (std::size_t i = 0; i < grid.run_count(); ++i) {
    Candidate candidate = try_candidate(settings, inputs, grid.coordinates(i));
    candidate.saving = 1 - candidate.cost.mean / result.on_demand.mean;
    const bool is_safe = candidate.late_share <= result.on_demand_late + allowed_late;
    (is_safe ? result.ranked : result.others).push_back(std::move(candidate));
  }
  std::stable_sort(result.ranked.begin(), result.ranked.end(),
                   [](const auto& a, const auto& b) { return a.cost.mean < b.cost.mean; });
  std::stable_sort(result.others.begin(), result.others.end(),
                   [](const auto& a, const auto& b) { return a.late_share < b.late_share; });
  return result;
}

std::string recommendation_text(const Recommendation& all) {
  const std::string on_demand = fmt::format("On-demand alone: {} USD, {} of the jobs late\n",
                                            money(all.on_demand), percent(all.on_demand_late));
  if (all.ranked.empty()) {
    return fmt::format(
        "Recommendation: none; nothing keeps late jobs to {} on the mean of {} "
        "seed{}\n{}The safest:\n{}",
        percent(all.allowed_late), all.seeds, all.seeds == 1 ? "" : "s", on_demand,
        table_of(all.others));
  }
  const Candidate& best = all.ranked.front();
  return fmt::format(
      "Recommendation: bid {}, fault tolerance {}, market choice {}, alpha {:g}\n"
      "Expected: {} USD, {:.1f}% less than on-demand; {} of the jobs late ({} in the worst of {} "
      "seed{})\n{}Cheapest with at most {} more late than on-demand:\n{}",
      best.bid, best.fault_tolerance, best.market_choice, best.alpha, money(best.cost),
      100 * best.saving, percent(best.late_share), percent(best.worst_late), all.seeds,
      all.seeds == 1 ? "" : "s", on_demand, percent(all.allowed_late), table_of(all.ranked));
}

std::string recommendation_json(const Recommendation& all) {
  return JsonObject()
             .add("seeds", std::to_string(all.seeds))
             .add("allowed_late_share_beyond_on_demand", json_number(all.allowed_late))
             .add("recommendation",
                  all.ranked.empty() ? "null" : candidate_json(all.ranked.front()))
             .add("on_demand", JsonObject()
                                   .add("cost", mean_json(all.on_demand, "half_width_95"))
                                   .add("late_share", json_number(all.on_demand_late))
                                   .text())
             .add("within_risk", list_of(all.ranked, candidate_json))
             .add("beyond_risk", list_of(all.others, candidate_json))
             .text() +
         "\n";
}

}  // namespace cospot
