#include "sim_harness/studies/broker/broker_run_at.hpp"

namespace cospot {
namespace {

/// About 225 MB: the 31 seeds of the paper with 100,000 jobs each, and a few more.
constexpr std::size_t kMostKeptJobs = 4'000'000;

}  // namespace

DrawnJobs::Shared DrawnJobs::of(std::size_t jobs_value, std::int64_t seed,
                                const std::function<std::vector<BrokerJob>()>& draw) {
  const std::pair key(jobs_value, seed);
  // Drawn under the lock: threads that work on different cells want the same seeds at the same
  // time.
  const std::scoped_lock lock(mutex_);
  if (const auto found = kept_.find(key); found != kept_.end()) return found->second;
  Shared jobs = std::make_shared<const std::vector<BrokerJob>>(draw());
  if (kept_jobs_ + jobs->size() <= kMostKeptJobs) {
    kept_jobs_ += jobs->size();
    kept_.emplace(key, jobs);
  }
  return jobs;
}

DrawnJobs::Shared jobs_at(const BrokerStudySettings& settings, const BrokerInputs& inputs,
                          std::size_t jobs, std::int64_t seed) {
  const LoadedJobs& loaded = inputs.jobs[jobs];
  return inputs.drawn->of(jobs, seed, [&] {
    return make_broker_jobs(loaded.log.jobs, loaded.count, seconds_of_days(loaded.days),
                            static_cast<std::uint64_t>(seed), settings.model);
  });
}

BrokerResult run_broker_at(const BrokerStudySettings& settings, const BrokerInputs& inputs,
                           const Coordinates& coordinates, bool on_demand_only,
                           BrokerObserver* observer) {
  const auto at = broker_table().at(settings, coordinates);
  const MarketSet& markets = inputs.markets[at.index(kMarketAxis)];
  const std::size_t jobs = at.index(kJobsAxis);
  const std::int64_t seed = at.get(kBrokerSeedAxis);
  const StartRange starts = inputs.starts.value_or(starts_in(markets, inputs.jobs[jobs].days));
  BrokerSettings one;
  one.interval = settings.interval_seconds;
  one.boot = settings.boot_seconds;
  one.notice = settings.notice_seconds;
  one.postpones = settings.postpones;
  one.bid = &find_bid(at.get(kBidAxis));
  one.alpha = at.get(kAlphaAxis);
  one.fault_tolerance = &find_fault_tolerance(at.get(kFaultToleranceAxis));
  one.billing = at.get(kBillingAxis) == "per_second" ? Billing::kPerSecond : Billing::kHourly;
  one.market_choice = &find_market_choice(at.get(kMarketChoiceAxis));
  one.on_demand_fallback = at.get(kFallbackAxis);
  one.start = draw_start(starts, seed);
  one.on_demand_only = on_demand_only;
  return run_broker(markets, *jobs_at(settings, inputs, jobs, seed), one, observer);
}

}  // namespace cospot
