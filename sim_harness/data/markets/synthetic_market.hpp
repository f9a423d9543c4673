#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim_harness/data/markets/availability_trace.hpp"
#include "sim_harness/data/markets/market.hpp"

namespace cospot {

/// Parameters of synthetic prices. The defaults match what is published about Amazon EC2's us-east
/// from July to October 2011: prices in a narrow band near 0.3 of on-demand that change a few times
/// a day, and rises to on-demand or more about 11 times in 100 days, for up to 2 h 20 min and by up
/// to 17 %. In addition there are smaller rises, regimes (the band moves), and correlated zones.
struct SyntheticMarket {
  std::uint64_t seed = 1;
  double days = 100;
  std::int32_t zones = 4;
  double floor = 0.3;               ///< of the band, as a share of on-demand
  double band = 0.05;               ///< its height, as a share of on-demand
  double change_minutes = 180;      ///< mean time between price changes
  double spikes_per_100_days = 11;  ///< to on-demand or more
  double rises_per_day = 0.3;       ///< out of the band, below on-demand
  double regime_days = 15;          ///< mean time between moves of the band
  double regime_swing = 0.25;       ///< maximum move, as a share of the floor
  double correlation = 0.5;         ///< of the prices of a type in two zones, within the band
};

/// The name under which a study file asks for it.
inline constexpr const char* kSyntheticMarketName = "us_east_2011";

/// Markets for every type in every zone, starting at time 0. A seed gives the same prices on every
/// machine.
[[nodiscard]] MarketSet make_markets(const SyntheticMarket& market,
                                     const std::vector<InstanceType>& types);

/// A market with a constant price, except for the times without capacity.
[[nodiscard]] PriceSeries prices_of(const AvailabilityTrace& trace, MicroUsd price);

}  // namespace cospot
