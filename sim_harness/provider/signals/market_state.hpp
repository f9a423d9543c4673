#pragma once

#include <cstdint>
#include <optional>

#include "core/model/sim_time.hpp"
#include "core/provider/provider_hosts.hpp"
#include "sim_harness/provider/signals/spot_pools.hpp"

namespace cospot {

/// A feature of the datacenter, discretised into a few bins.
using FeatureBin = std::uint16_t;

/// The knowledge of all signals at a moment: only events before it.
struct MarketState {
  SimTime now{0};
  const SpotPools& pools;
  const ProviderHosts& hosts;
  /// The fold in which signals of this moment are scored; none during the warm-up.
  std::optional<std::size_t> fold{};
  FeatureBin pressure = 0;  ///< evictions in the last hour per running spot
  FeatureBin fullness = 0;  ///< share of the scarcest resource that is free
  FeatureBin hours = 0;     ///< six-hour part of the day
};

/// Index of the first of `bounds` (ascending) that exceeds `value`.
template <class Bounds>
[[nodiscard]] FeatureBin bin_of(double value, const Bounds& bounds) {
  FeatureBin bin = 0;
  for (const double bound : bounds) {
    if (value < bound) break;
    ++bin;
  }
  return bin;
}

}  // namespace cospot
