#pragma once

#include <cstdint>
#include <optional>

#include "core/model/sim_time.hpp"
#include "core/provider/provider_hosts.hpp"
#include "sim_harness/provider/signals/spot_pools.hpp"

namespace cospot {

/// A feature of the datacenter, in one of a few bins.
using FeatureBin = std::uint16_t;

/// What all signals know at a moment: what has happened before it, and nothing else.
struct MarketState {
  SimTime now{0};
  const SpotPools& pools;
  const ProviderHosts& hosts;
  /// The fold in which signals of this moment are scored; nothing during the warm-up.
  std::optional<std::size_t> fold{};
  FeatureBin pressure = 0;  ///< evictions of the last hour, by the spots that ran
  FeatureBin fullness = 0;  ///< what is free beside all instances of the scarcest resource
  FeatureBin hours = 0;     ///< which six hours of the day
};

/// The first of `bounds`, which ascend, that `value` is below.
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
