#include "sim_harness/studies/broker/broker_run_at.hpp"

namespace cospot {

BrokerResult run_broker_at(const BrokerStudySettings& settings, const BrokerInputs& inputs,
                           const Coordinates& coordinates, bool on_demand_only,
                           BrokerObserver* observer) {
  const auto at = broker_table().at(settings, coordinates);
  const MarketSet& markets = inputs.markets[at.index(kMarketAxis)];
  const LoadedJobs& loaded = inputs.jobs[at.index(kJobsAxis)];
  const std::int64_t seed = at.get(kBrokerSeedAxis);
  const DrawnJobs::Shared jobs = inputs.drawn->of(at.index(kJobsAxis), seed, [&] {
    return make_broker_jobs(loaded.log.jobs, loaded.count,
                            static_cast<Seconds>(loaded.days * 86'400),
                            static_cast<std::uint64_t>(seed), settings.model);
  });
  BrokerSettings one = base_settings(settings);
  one.bid = &find_bid(at.get(kBidAxis));
  one.alpha = at.get(kAlphaAxis);
  one.fault_tolerance = &find_fault_tolerance(at.get(kFaultToleranceAxis));
  one.billing = at.get(kBillingAxis) == "per_second" ? Billing::kPerSecond : Billing::kHourly;
  one.market_choice = &find_market_choice(at.get(kMarketChoiceAxis));
  one.on_demand_fallback = at.get(kFallbackAxis);
  one.start = draw_start(markets, loaded.days, seed);
  one.on_demand_only = on_demand_only;
  return run_broker(markets, *jobs, one, observer);
}

}  // namespace cospot
