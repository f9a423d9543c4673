#include "sim_harness/studies/broker/broker_run_at.hpp"

namespace cospot {

std::vector<std::size_t> axis_lengths(const BrokerStudySettings& settings) {
  return {settings.markets.size(),
          settings.jobs.size(),
          settings.bid.size(),
          settings.alpha.size(),
          settings.fault_tolerance.size(),
          settings.billing.size(),
          settings.market_choice.size(),
          settings.seeds.size()};
}

BrokerResult run_broker_at(const BrokerStudySettings& settings, const BrokerInputs& inputs,
                           const Coordinates& at, bool on_demand_only, BrokerObserver* observer) {
  const MarketSet& markets = inputs.markets[at[kMarketAxis]];
  const LoadedJobs& loaded = inputs.jobs[at[kJobsAxis]];
  const std::int64_t seed = settings.seeds[at[kSeedAxis]];
  const DrawnJobs::Shared jobs = inputs.drawn->of(at[kJobsAxis], seed, [&] {
    return make_broker_jobs(loaded.log, loaded.count, static_cast<Seconds>(loaded.days * 86'400),
                            static_cast<std::uint64_t>(seed), settings.model);
  });
  BrokerSettings one = base_settings(settings);
  one.bid = &find_bid(settings.bid[at[kBidAxis]]);
  one.alpha = settings.alpha[at[kAlphaAxis]];
  one.fault_tolerance = &find_fault_tolerance(settings.fault_tolerance[at[kFaultToleranceAxis]]);
  one.billing =
      settings.billing[at[kBillingAxis]] == "per_second" ? Billing::kPerSecond : Billing::kHourly;
  one.market_choice = &find_market_choice(settings.market_choice[at[kMarketChoiceAxis]]);
  one.start = draw_start(markets, loaded.days, seed);
  one.on_demand_only = on_demand_only;
  return run_broker(markets, *jobs, one, observer);
}

}  // namespace cospot
