#include <algorithm>

#include "sim_harness/studies/broker/recommendation.hpp"

namespace cospot {
namespace {

class CountStarts final : public BrokerObserver {
 public:
  explicit CountStarts(std::size_t markets) : starts(markets, 0) {}
  void happened(const Event& event) override {
    if (event.what == "start" && event.bid > 0) ++starts[event.market];
  }

  std::vector<std::uint64_t> starts;
};

/// A market is called type/os/datacenter, and an os may be called Linux/UNIX.
std::string os_of(const Market& market, const std::string& type, const std::string& datacenter) {
  return market.name.substr(type.size() + 1,
                            market.name.size() - type.size() - datacenter.size() - 2);
}

}  // namespace

std::vector<MarketBid> market_bids(const BrokerStudySettings& settings, const BrokerInputs& inputs,
                                   Coordinates at) {
  const auto chosen = broker_table().at(settings, at);
  const MarketSet& markets = inputs.markets[chosen.index(kMarketAxis)];
  CountStarts count(markets.markets.size());
  std::size_t& seed = at.emplace_back();  // the last axis
  for (seed = 0; seed < settings.seeds.size(); ++seed) {
    (void)run_broker_at(settings, inputs, at, false, &count);
  }
  std::uint64_t all = 0;
  for (const std::uint64_t starts : count.starts) all += starts;
  const BidStrategy& strategy = find_bid(chosen.get(kBidAxis));
  std::vector<MarketBid> bids;
  for (std::size_t i = 0; i < markets.markets.size(); ++i) {
    if (count.starts[i] == 0) continue;
    const Market& market = markets.markets[i];
    const InstanceType& type = markets.types[market.type];
    const std::string& datacenter = markets.datacenters[market.datacenter];
    bids.push_back({.type = type.name,
                    .os = os_of(market, type.name, datacenter),
                    .datacenter = datacenter,
                    .bid = bid_in(market, strategy, type, markets.end()),
                    .price = market.prices.at(markets.end()),
                    .on_demand_price = type.on_demand_price,
                    .starts = count.starts[i],
                    .share = static_cast<double>(count.starts[i]) / static_cast<double>(all)});
  }
  std::ranges::stable_sort(bids, std::ranges::greater{}, &MarketBid::starts);
  return bids;
}

}  // namespace cospot
