#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cospot {

/// Money and prices in whole micro-dollars, prices for an hour: they sum exactly.
using MicroUsd = std::int64_t;

inline constexpr MicroUsd kUsd = 1'000'000;

[[nodiscard]] constexpr double usd(MicroUsd amount) {
  return static_cast<double>(amount) / static_cast<double>(kUsd);
}

/// The smallest step of a bid (G in the paper).
inline constexpr MicroUsd kBidStep = 1'000;

/// A kind of instance that a provider sells.
struct InstanceType {
  std::string name;
  std::int32_t ecu = 1;        ///< EC2 compute units: how many cores a job can use
  std::int32_t memory_mb = 0;  ///< what a snapshot has to save
  MicroUsd on_demand_price = 0;

  friend bool operator==(const InstanceType&, const InstanceType&) = default;
};

/// Amazon EC2's types of the paper with Linux' list prices of July 2011 in us-east. The paper
/// states neither prices nor memory.
[[nodiscard]] const std::vector<InstanceType>& types_of_2011();

}  // namespace cospot
