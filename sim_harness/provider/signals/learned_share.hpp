#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/model/sim_time.hpp"
#include "guarantees/signals/forecast_score.hpp"
#include "guarantees/signals/mixed_forecast.hpp"
#include "guarantees/signals/shrunk_frequency.hpp"
#include "sim_harness/provider/signals/market_state.hpp"

namespace cospot {

/// In how many further cases a group of cases is taken to have been like the one around it. Cases
/// that are near in time are much alike, as spots that are evicted together, so it is more than a
/// handful; how much more is found out on the way (MixedForecast).
inline constexpr double kShrinkWeight = 30;
inline constexpr double kStrongShrinkWeight = 300;

/// Learns a base rate: how often something happened in a pool or of a flavor, whatever the
/// datacenter looked like. What has few cases is drawn towards that of all.
class BaseRate {
 public:
  [[nodiscard]] double estimate(std::size_t of) const {
    const auto bin = static_cast<FeatureBin>(of);
    return cases_.estimate({&bin, 1}, kNothingKnown, kShrinkWeight);
  }
  void add(std::size_t of, bool happened) {
    const auto bin = static_cast<FeatureBin>(of);
    cases_.add({&bin, 1}, happened);
  }

  static constexpr double kNothingKnown = 0.5;

 private:
  ShrunkFrequency cases_;
};

}  // namespace cospot
