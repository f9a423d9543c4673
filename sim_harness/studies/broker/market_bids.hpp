#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim_harness/studies/broker/broker_run_at.hpp"

namespace cospot {

/// The bid of a setting in one market at the end of the price history.
struct MarketBid {
  std::string type{}, os{}, datacenter{};
  MicroUsd bid = 0;  ///< kNoCapacityPrice: none, since bids end no instance or no capacity was seen
  MicroUsd price = 0;  ///< at the end; kNoCapacityPrice: no capacity
  MicroUsd on_demand_price = 0;
  std::uint64_t starts = 0;  ///< of spots, over all seeds
  double share = 0;          ///< of all starts
};

/// The bids of a grid point's setting in the markets where it starts spots, most starts first.
/// Reruns all seeds.
[[nodiscard]] std::vector<MarketBid> market_bids(const BrokerStudySettings& settings,
                                                 const BrokerInputs& inputs, Coordinates at);

}  // namespace cospot
