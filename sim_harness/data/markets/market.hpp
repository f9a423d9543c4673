#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim_harness/data/markets/price_series.hpp"

namespace cospot {

/// One spot market: an instance type in a datacenter.
struct Market {
  std::string name;              ///< type/os/datacenter
  std::uint32_t type = 0;        ///< index into MarketSet::types
  std::uint32_t datacenter = 0;  ///< index into MarketSet::datacenters
  PriceSeries prices;
  /// False: a market of availability, where a lack of capacity ends instances and no bid does.
  bool takes_bids = true;
};

/// The markets that a broker can choose from.
struct MarketSet {
  std::vector<InstanceType> types;
  std::vector<std::string> datacenters;
  std::vector<Market> markets;

  /// Start of the time for which every market has prices.
  [[nodiscard]] Seconds begin() const;
  [[nodiscard]] Seconds end() const;

  /// Adds a market, and its type and datacenter if they are new.
  void add(const InstanceType& type, const std::string& os, const std::string& datacenter,
           PriceSeries prices);
};

}  // namespace cospot
