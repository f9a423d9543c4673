#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim_harness/data/markets/price_series.hpp"

namespace cospot {

/// One spot market: a type of instance in a datacenter.
struct Market {
  std::string name;              ///< type/os/datacenter
  std::uint32_t type = 0;        ///< in MarketSet::types
  std::uint32_t datacenter = 0;  ///< in MarketSet::datacenters
  PriceSeries prices;
  /// The mean time to an eviction, as the provider's signals tell it; nothing: there are none.
  std::optional<Seconds> told_lifetime{};
};

/// What a broker can choose from.
struct MarketSet {
  std::vector<InstanceType> types;
  std::vector<std::string> datacenters;
  std::vector<Market> markets;

  /// The time for which every market has prices.
  [[nodiscard]] Seconds begin() const;
  [[nodiscard]] Seconds end() const;

  /// Adds a market; its type and datacenter too if they are new.
  void add(const InstanceType& type, const std::string& os, const std::string& datacenter,
           PriceSeries prices);
};

}  // namespace cospot
