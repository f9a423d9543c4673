#include <limits>

#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/experiments/queue/work_queue.hpp"
#include "sim_harness/studies/broker/broker_figures.hpp"

namespace cospot {
namespace {

/// The choices that differ where list prices count; the others follow spots.
const std::vector<std::string> kChoices{"preferred", "cheapest"};

/// A study of the same jobs without spots: what is left to choose is where.
BrokerStudySettings without_spots(BrokerStudySettings settings) {
  settings.bid = {"on_demand"};
  settings.alpha = {1};
  settings.fault_tolerance = {"none"};
  settings.on_demand_fallback = {false};
  settings.market_choice = kChoices;
  return settings;
}

double cost_per_useful_job(const OnDemandAlone& one, double jobs) {
  double cost = 0, useful = 0;
  for (const OnDemandRun& run : one.runs) {
    cost += run.cost;
    useful += jobs - run.late;
  }
  return useful > 0 ? cost / useful : std::numeric_limits<double>::infinity();
}

OnDemandAlone best_choice(const BrokerStudySettings& settings, const BrokerInputs& inputs,
                          const Coordinates& place, std::size_t threads) {
  const BrokerStudySettings alone = without_spots(settings);
  const std::size_t seeds = settings.seeds.size();
  std::vector<OnDemandAlone> all(kChoices.size());
  for (std::size_t choice = 0; choice < all.size(); ++choice) {
    all[choice].market_choice = kChoices[choice];
    all[choice].runs.resize(seeds);
  }
  double jobs = 0;  // the same in all of them
  work_in_parallel(all.size() * seeds, threads, [&](std::size_t i) {
    Coordinates at(broker_table().columns().size(), 0);
    at[broker_table().position(kMarketAxis.name)] = place[0];
    at[broker_table().position(kJobsAxis.name)] = place[1];
    at[broker_table().position(kBillingAxis.name)] = place[2];
    at[broker_table().position(kMarketChoiceAxis.name)] = i / seeds;
    at.back() = i % seeds;
    const BrokerFigures figures = figures_of(run_broker_at(alone, inputs, at, true));
    all[i / seeds].runs[i % seeds] = {.cost = figures.cost,
                                      .late = static_cast<double>(figures.deadline_violations)};
    if (i == 0) jobs = static_cast<double>(figures.jobs);
  });
  current_stop_token().check();
  const bool is_second = cost_per_useful_job(all[1], jobs) < cost_per_useful_job(all[0], jobs);
  return std::move(all[is_second ? 1 : 0]);
}

}  // namespace

const OnDemandAlone& OnDemandBaseline::of(const Coordinates& at, std::size_t threads) {
  const auto index = [&](const std::string& axis) { return at[broker_table().position(axis)]; };
  const Coordinates place{index(kMarketAxis.name), index(kJobsAxis.name), index(kBillingAxis.name)};
  // Computed under the lock: threads that work on different cells want the same at the same time.
  const std::scoped_lock lock(mutex_);
  const auto found = known_.find(place);
  if (found != known_.end()) return found->second;
  return known_.emplace(place, best_choice(settings_, inputs_, place, threads)).first->second;
}

}  // namespace cospot
