#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/model/sim_time.hpp"
#include "guarantees/signals/forecast_score.hpp"
#include "guarantees/signals/mixed_forecast.hpp"
#include "guarantees/signals/odds_recalibration.hpp"
#include "guarantees/signals/shrunk_frequency.hpp"
#include "sim_harness/provider/signals/market_state.hpp"

namespace cospot {

/// The weight, in cases, with which the estimate of a group shrinks towards that of the group
/// around it. Cases that are close in time are correlated (spots are evicted together), so it is
/// more than a handful; MixedForecast learns how much more.
inline constexpr double kShrinkWeight = 30;
inline constexpr double kStrongShrinkWeight = 300;

/// Learns a base rate: how often something happened in a pool or to a flavor, in any state of the
/// datacenter. With few cases it shrinks towards the overall rate.
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
