#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cospot {

/// Money and hourly prices in whole micro-dollars, so that sums are exact.
using MicroUsd = std::int64_t;

inline constexpr MicroUsd kUsd = 1'000'000;

[[nodiscard]] constexpr double usd(MicroUsd amount) {
  return static_cast<double>(amount) / static_cast<double>(kUsd);
}

/// The smallest step of a bid (G in the paper).
inline constexpr MicroUsd kBidStep = 1'000;

/// An instance type that a provider sells.
struct InstanceType {
  std::string name;
  std::int32_t ecu = 1;        ///< EC2 compute units: cores that a job can use
  std::int32_t memory_mb = 0;  ///< amount that a snapshot saves
  MicroUsd on_demand_price = 0;

  friend bool operator==(const InstanceType&, const InstanceType&) = default;
};

/// The paper's Amazon EC2 types with the us-east list prices for Linux of July 2011. The paper
/// states neither prices nor memory.
[[nodiscard]] const std::vector<InstanceType>& types_of_2011();

}  // namespace cospot
