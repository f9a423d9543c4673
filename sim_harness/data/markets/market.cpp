#include "sim_harness/data/markets/market.hpp"

#include <algorithm>
#include <utility>

namespace cospot {

Seconds MarketSet::begin() const {
  Seconds latest = std::numeric_limits<Seconds>::min();
  for (const Market& market : markets) latest = std::max(latest, market.prices.begin());
  return latest;
}

Seconds MarketSet::end() const {
  Seconds earliest = kNoTime;
  for (const Market& market : markets) earliest = std::min(earliest, market.prices.end());
  return earliest;
}

void MarketSet::add(const InstanceType& type, const std::string& os, const std::string& datacenter,
                    PriceSeries prices) {
  auto known_type = std::find(types.begin(), types.end(), type);
  if (known_type == types.end()) known_type = types.insert(types.end(), type);
  auto known = std::find(datacenters.begin(), datacenters.end(), datacenter);
  if (known == datacenters.end()) known = datacenters.insert(datacenters.end(), datacenter);
  markets.push_back({.name = type.name + "/" + os + "/" + datacenter,
                     .type = static_cast<std::uint32_t>(known_type - types.begin()),
                     .datacenter = static_cast<std::uint32_t>(known - datacenters.begin()),
                     .prices = std::move(prices)});
}

}  // namespace cospot
