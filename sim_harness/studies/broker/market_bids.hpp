#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim_harness/studies/broker/broker_run_at.hpp"

namespace cospot {

/// What a setting bids in one market at the end of the price history.
struct MarketBid {
  std::string type{}, os{}, datacenter{};
  MicroUsd bid = 0;    ///< kNoCapacityPrice: there was no capacity for a week
  MicroUsd price = 0;  ///< at the end; kNoCapacityPrice: there is no capacity
  MicroUsd on_demand_price = 0;
  std::uint64_t starts = 0;  ///< of spots, over all seeds
  double share = 0;          ///< of all starts
};

/// The bids of the setting at a place of the grid in the markets where it starts spots, the one
/// with most starts first. Runs all seeds once more.
[[nodiscard]] std::vector<MarketBid> market_bids(const BrokerStudySettings& settings,
                                                 const BrokerInputs& inputs, Coordinates at);

}  // namespace cospot
